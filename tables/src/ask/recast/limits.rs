//! `broke the 50 mg/l limit`, `blieb unter der Grenze von 3`: above or below a number that is called a limit. And what stands in a text:
//! `drums in the notes`, `mastitis mentions`. And what was late or on time.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::Word;
use crate::ask::naming::late_option;
use crate::ask::pieces::{Meaning, Piece};
use crate::query::{Comparison, Filter, Literal, TextTest};
use crate::{vocabulary, words};

/// What a number is called that is kept to or not.
const LIMITS: &[&str] =
    &["limit", "threshold", "maximum", "cap", "mark", "barrier", "grenzwert", "grenze", "marke", "schwelle"];

/// What says that it was not kept to, or that it was.
const ABOVE: &[&str] = &[
    "broke",
    "break",
    "broken",
    "breached",
    "breach",
    "exceeded",
    "exceed",
    "over",
    "above",
    "beyond",
    "passed",
    "crossed",
    "topped",
    "über",
    "überschritt",
    "überschritten",
    "überschreiten",
    "gerissen",
    "geknackt",
];
const BELOW: &[&str] =
    &["under", "below", "within", "unter", "unterschritten", "unterschreiten", "eingehalten"];

/// What several texts are that say one thing.
const MENTIONS: &[&str] =
    &["mention", "mentions", "mentioned", "erwähnt", "erwähnung", "erwähnungen", "nennungen"];

impl Recast<'_> {
    fn is_number(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|(_, piece)| {
            matches!(self.pieces[*piece].options.first(), Some((Meaning::Number(_), _)))
        })
    }

    /// Whether a piece says what stands in a text.
    fn is_text(&self, piece: usize) -> bool {
        self.pieces.get(piece).is_some_and(|piece| {
            piece.options.iter().any(|(meaning, _)| {
                matches!(
                    meaning,
                    Meaning::Value { .. } | Meaning::InText { .. } | Meaning::Text(_) | Meaning::Holds(_)
                )
            })
        })
    }

    pub(super) fn tell_limits(&mut self) {
        let Some(limit) = self.position(LIMITS).filter(|at| self.is_whole(&(*at..at + 1))) else { return };
        let is_named = self.pieces[self.words[limit].1]
            .options
            .iter()
            .any(|(meaning, penalty)| *penalty < 3 && matches!(meaning, Meaning::Column(_)));
        let near = limit.saturating_sub(4)..(limit + 5).min(self.words.len());
        let Some(number) = near.clone().find(|at| self.is_number(*at)).filter(|_| !is_named) else { return };
        let found = [(ABOVE, Comparison::Greater), (BELOW, Comparison::Less)]
            .into_iter()
            .find_map(|(list, comparison)| self.position(list).map(|at| (at, comparison)));
        let Some((at, comparison)) = found.filter(|(at, _)| self.is_whole(&(*at..at + 1))) else { return };
        self.pass_over(limit..limit + 1);
        let compare = Meaning::Word(Word::Compare(comparison));
        if at < number {
            self.take(at..at + 1, compare, 1);
            return;
        }
        // `haben die Grenze von 50 überschritten`
        let number = self.words[number].1;
        self.drop_words(at..at + 1);
        self.pieces.insert(number, Piece::of("over".to_owned(), compare, TOGETHER + 1));
        self.count_words();
    }

    /// `were late`, `left on time`, where a column says by how much, or two columns say when and by when.
    pub(super) fn tell_lateness(&mut self) {
        let measures = self.asks(|word| {
            matches!(
                word,
                Word::Average
                    | Word::Median
                    | Word::Sum
                    | Word::Extreme(..)
                    | Word::How(_)
                    | Word::Compare(_)
            )
        });
        let late = self.any_phrase(&["late", "delayed", "verspätet", "zu spät", "unpünktlich"]);
        let on_time = self.any_phrase(&["on time", "on schedule", "punctual", "punctually", "pünktlich"]);
        let (words, is_late) = match (late, on_time) {
            (Some(words), None) => (words, true),
            (None, Some(words)) => (words, false),
            _ => return,
        };
        if measures || !self.is_whole(&words) || (0..self.words.len()).any(|at| self.is_number(at)) {
            return;
        }
        let comparison = if is_late { Comparison::Greater } else { Comparison::AtMost };
        let is_delay = |column: &usize| {
            self.table.measures().contains(column)
                && words::parts(&self.table.columns[*column].name)
                    .iter()
                    .any(|part| vocabulary::are_synonyms("delay", part))
        };
        if let Some(column) = (0..self.table.columns.len()).find(is_delay) {
            let zero = Literal::Number(rust_decimal::Decimal::ZERO);
            self.hold(words, Filter::Compare { column, comparison, value: zero }, 1);
        } else if let Some((Meaning::Late { end, due }, _)) = late_option(self.table, "late") {
            self.hold(words, Filter::Compare { column: end, comparison, value: Literal::Column(due) }, 1);
        }
    }

    /// `mastitis`, where other cells say more than that: all cells that hold the word.
    fn hold_among_others(&mut self, at: usize) {
        let word = self.word(at).to_owned();
        let Some((column, _)) = self.words.get(at).and_then(|(_, piece)| self.value_of(*piece)) else {
            return;
        };
        let is_among_others = self.table.values().partial(&word).iter().any(|(other, _)| *other == column);
        if is_among_others && self.is_whole(&(at..at + 1)) {
            self.hold(at..at + 1, Filter::Text { column, test: TextTest::Word, text: word }, 0);
        }
    }

    pub(super) fn tell_texts(&mut self) {
        if let Some(at) = self.position(MENTIONS).filter(|at| self.is_whole(&(*at..at + 1))) {
            let piece = self.words[at].1;
            let (text, rest) = if matches!(self.word(at + 1), "of" | "von") {
                (at + 2, at..at + 2)
            } else {
                (at.saturating_sub(1), at..at + 1)
            };
            let is_said = at > 0 && text != at && (text > at || !self.is_text(piece + 1));
            if is_said && self.words.get(text).is_some_and(|(_, piece)| self.is_text(*piece)) {
                self.hold_among_others(text);
                self.take(rest, Meaning::Word(Word::Records), 0);
            }
        }
        // `tickets about printers`, `mould was the reason`, `4 star reviews`: said of what the text says.
        for at in (0..self.words.len()).rev() {
            let (is_about, is_reason, is_star) = match self.word(at) {
                "about" | "regarding" | "concerning" | "involving" | "wegen" => (true, false, false),
                "reason" | "cause" | "grund" | "ursache" => (false, true, false),
                "star" => (false, false, true),
                _ => continue,
            };
            let piece = self.words[at].1;
            let is_free = self.pieces[piece].is_unknown() && self.is_whole(&(at..at + 1));
            let names_rating = matches!(self.word(at + 1), "rating" | "ratings" | "review" | "reviews");
            if is_free && is_about && self.is_text(piece + 1)
                || is_free && is_reason && (1..=3).any(|back| piece >= back && self.is_text(piece - back))
                || is_free && is_star && names_rating
            {
                self.pass_over(at..at + 1);
            }
        }
        // `drums in the notes`, where other notes say more than that.
        for at in 1..self.words.len().saturating_sub(1) {
            if !matches!(self.word(at), "in" | "im" | "under" | "unter") {
                continue;
            }
            let mut next = at + 1;
            while matches!(self.word(next), "the" | "their" | "its" | "der" | "den" | "dem") {
                next += 1;
            }
            let Some((_, named)) = self.words.get(next) else { continue };
            let (value, named) = (self.words[at - 1].1, *named);
            let Some(&(Meaning::Column(column), _)) = self.pieces[named].options.first() else { continue };
            let is_of_it = self.value_of(value).is_some_and(|(of, _)| of == column);
            if is_of_it && self.words.get(next + 1).is_none_or(|(_, piece)| *piece != named) {
                self.hold_among_others(at - 1);
                self.pass_over(at..next + 1);
                return;
            }
        }
    }
}
