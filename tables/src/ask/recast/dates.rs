//! `no count date`, `ohne Zahlungsdatum`, `reisen … an`, `kam … herein`: when something happened, in a name or in a verb of two parts.

use super::{Recast, TOGETHER};
use crate::ask::happenings::moment_of_word;
use crate::ask::lexicon::Word;
use crate::ask::loose;
use crate::ask::pieces::{Meaning, Piece};
use crate::{vocabulary, words};

/// Words that say a moment behind what happened then.
const DATES: &[&str] = &["date", "dates", "datum", "day", "termin"];

/// Ends of German compounds that do.
const ENDS: &[&str] = &["datum", "termin", "zeitpunkt"];

/// First parts of German verbs that stand at the end of a clause.
const PARTICLES: &[&str] = &[
    "an", "ab", "auf", "aus", "ein", "zurück", "vor", "nach", "mit", "zu", "um", "weg", "los", "teil", "her",
    "herein", "rein", "hinein", "statt", "raus", "heraus", "zusammen", "fertig", "bei",
];

/// Verbs of money that comes in or goes out, and what of.
const COMING: &[&str] =
    &["kam", "kamen", "kommt", "kommen", "ging", "gingen", "geht", "gehen", "floss", "flossen", "fließt"];

/// Words that say nothing of what happened.
fn is_plain(word: &str) -> bool {
    matches!(
        word,
        "last"
            | "first"
            | "latest"
            | "next"
            | "start"
            | "end"
            | "per"
            | "each"
            | "which"
            | "what"
            | "same"
            | "every"
    )
}

fn is_auxiliary(word: &str) -> bool {
    crate::ask::verb_words::verb(word) == crate::ask::verb_words::Verb::Auxiliary
}

impl Recast<'_> {
    pub(super) fn name_dates(&mut self) {
        self.tell_after_due();
        self.come_in();
        self.join_verbs();
        self.name_dates_of_events();
    }

    /// `nach der Fälligkeit bezahlt`: after it, and not put together by it.
    fn tell_after_due(&mut self) {
        let Some(at) =
            self.position(&["nach"]).filter(|at| self.first_word(self.words[*at].1) == Some(Word::By))
        else {
            return;
        };
        let mut next = at + 1;
        while matches!(self.word(next), "der" | "ihrer" | "seiner" | "deren" | "dessen" | "ablauf") {
            next += 1;
        }
        let is_due = |column: &usize| {
            self.table.columns[*column].is_moment()
                && words::parts(&self.table.columns[*column].name)
                    .iter()
                    .any(|part| vocabulary::are_synonyms("due", part))
        };
        if self
            .words
            .get(next)
            .and_then(|(_, piece)| self.column_of(*piece))
            .is_some_and(|column| is_due(&column))
        {
            self.take(at..at + 1, Meaning::Word(Word::After), 0);
        }
    }

    /// `count date` of `Last counted`, `Zahlungsdatum` of `Bezahlt am`.
    fn name_dates_of_events(&mut self) {
        for at in 0..self.words.len() {
            let word = self.word(at).to_owned();
            let is_named = |recast: &Self, at: usize| {
                recast.words.get(at).is_some_and(|(_, piece)| {
                    matches!(recast.pieces[*piece].options.first(), Some((Meaning::Column(column), penalty))
                        if *penalty < 2 && recast.table.columns[*column].is_moment())
                })
            };
            let found = if at > 0
                && !is_plain(self.word(at - 1))
                && DATES.contains(&word.as_str())
                && !is_named(self, at - 1)
                && !is_named(self, at)
            {
                moment_of_word(self.table, self.word(at - 1)).map(|column| (at - 1..at + 1, column))
            } else {
                ENDS.iter().find_map(|end| word.strip_suffix(end)).filter(|_| !is_named(self, at)).and_then(
                    |head| {
                        let head = head.trim_end_matches('-');
                        let bare = head.strip_suffix('s').unwrap_or(head);
                        [head, bare]
                            .iter()
                            .find_map(|head| moment_of_word(self.table, head))
                            .map(|column| (at..at + 1, column))
                    },
                )
            };
            let Some((words, column)) = found else { continue };
            if self.is_whole(&words) {
                self.put(
                    words,
                    vec![Piece::of(
                        self.table.columns[column].name.clone(),
                        Meaning::Column(column),
                        TOGETHER,
                    )],
                );
                return;
            }
        }
    }

    /// Whether a word ends its clause.
    fn ends_a_clause(&self, at: usize) -> bool {
        matches!(self.word(at + 1), "" | "?" | "," | "." | "und" | "oder" | ";" | "-")
    }

    /// `reisen zwischen dem 9. und dem 15. Juni an`: the verb `anreisen`, of the column `Arrival`.
    fn join_verbs(&mut self) {
        if !self.is_german {
            return;
        }
        let Some(last) =
            (2..self.words.len()).find(|at| PARTICLES.contains(&self.word(*at)) && self.ends_a_clause(*at))
        else {
            return;
        };
        let particle = self.word(last).to_owned();
        for at in (1..last - 1).rev() {
            let (word, piece) = self.words[at].clone();
            let is_free = self.pieces[piece].is_unknown()
                || matches!(self.pieces[piece].options.first(), Some((Meaning::Word(Word::Verb), _)));
            if !is_free || word.chars().count() < 4 || self.pieces[piece].text.starts_with(char::is_uppercase)
            {
                continue;
            }
            let joined = format!("{particle}{word}");
            let meaning = moment_of_word(self.table, &joined).map(Meaning::Column).or_else(|| {
                let column = loose::columns_of(self.table, &joined).into_iter().next()?;
                self.table.columns[column].is_moment().then_some(Meaning::Column(column))
            });
            let Some(meaning) = meaning else { continue };
            self.drop_words(last..last + 1);
            self.pieces[piece] = Piece::of(joined, meaning, TOGETHER);
            self.count_words();
            return;
        }
        // `kommt am häufigsten vor`: a part of its verb, and no preposition.
        let has_verb = (1..last).any(|at| {
            let piece = &self.pieces[self.words[at].1];
            piece.is_unknown() && self.word(at).chars().all(char::is_lowercase)
                || matches!(piece.options.first(), Some((Meaning::Word(Word::Verb), _)))
                    && !is_auxiliary(self.word(at))
        });
        let is_state = matches!(particle.as_str(), "zusammen" | "fertig" | "weg" | "los" | "zurück" | "bei");
        if has_verb && !is_state && last + 1 >= self.words.len() {
            self.pass_over(last..last + 1);
        }
    }

    /// `was kam im März per Lastschrift herein`: how much.
    fn come_in(&mut self) {
        const INTO: &[&str] =
            &["herein", "rein", "ein", "hinein", "zusammen", "heraus", "raus", "hinaus", "weg"];
        if !self.is_german || !matches!(self.word(0), "was" | "wieviel" | "wie") {
            return;
        }
        let Some(verb) = self.position(COMING) else { return };
        let Some(last) =
            (verb + 1..self.words.len()).find(|at| INTO.contains(&self.word(*at)) && self.ends_a_clause(*at))
        else {
            return;
        };
        self.drop_words(last..last + 1);
        // The word by which a column of payments is found.
        let piece = self.words[verb].1;
        self.pieces[piece] = Piece::of("eingegangen".to_owned(), Meaning::Word(Word::Noise), TOGETHER);
        self.count_words();
        if self.word(0) == "was" {
            self.take(0..1, Meaning::Word(Word::HowMuch), 1);
        }
    }
}
