//! Since when somebody is there: `who has been with us the longest`.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::{Hint, Word};
use crate::ask::pieces::{Meaning, Piece};
use crate::{vocabulary, words};

impl Recast<'_> {
    /// `been with us the longest`: the earliest day on which somebody came.
    pub(super) fn tell_tenure(&mut self) {
        let Some(words) = self.longest_there() else { return };
        let starts = |column: &usize| self.says_since(*column);
        let Some(start) = (0..self.table.columns.len()).find(starts).or_else(|| self.table.moment_column())
        else {
            return;
        };
        let superlative =
            Piece::of("longest".to_owned(), Meaning::Word(Word::Extreme(false, Hint::Moment)), TOGETHER);
        let named = Piece::of(self.table.columns[start].name.clone(), Meaning::Column(start), 0);
        self.put(words, vec![superlative, named]);
    }

    /// Whether a column says since when somebody is there: a moment, or a year.
    fn says_since(&self, column: usize) -> bool {
        const STARTS: &[&str] = &[
            "since",
            "seit",
            "joined",
            "hired",
            "start",
            "started",
            "eintritt",
            "einzug",
            "entry",
            "begin",
            "beginn",
            "from",
            "von",
            "moved",
            "mitglied",
            "member",
            "eingestellt",
            "begonnen",
        ];
        let described = &self.table.columns[column];
        let is_in_time = crate::ask::superlatives::is_in_time(self.table, column) || described.is_numeric();
        is_in_time
            && words::parts(&described.name)
                .iter()
                .any(|part| STARTS.contains(&part.as_str()) || vocabulary::are_synonyms("hired", part))
    }

    /// `who has been singing with us the longest`, `wer ist am längsten im Verein`: where a column says since when.
    fn longest_there(&self) -> Option<std::ops::Range<usize>> {
        const HERE: &[&str] = &[
            "us",
            "uns",
            "here",
            "hier",
            "been",
            "dabei",
            "mitglied",
            "member",
            "since",
            "seit",
            "firma",
            "verein",
            "betrieb",
            "unternehmen",
            "club",
            "company",
            "serving",
            "there",
            "da",
        ];
        let longest = self.position(&["longest", "längsten", "längste", "dienstälteste"])?;
        let asks_who = self.asks(|word| matches!(word, Word::Who | Word::Which));
        let starts = (0..self.table.columns.len()).any(|column| self.says_since(column));
        let here = (1..self.words.len()).filter(|at| HERE.contains(&self.word(*at)));
        let (first, last) = (here.clone().min()?, here.max()?);
        let has_length = self
            .table
            .columns
            .iter()
            .any(|column| matches!(column.kind, crate::column::Kind::Duration { .. }));
        let from = first.min(longest);
        // What was asked for stands before.
        let from = (1..from)
            .find(|at| {
                matches!(
                    self.word(*at),
                    "has" | "have" | "is" | "ist" | "sind" | "wohnt" | "hat" | "schon" | "am"
                )
            })
            .unwrap_or(from);
        (asks_who && starts && !has_length).then_some(from..last.max(longest) + 1)
    }
}
