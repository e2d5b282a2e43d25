//! `is not noted how they paid`, `we forgot the pulse`, `used a coupon`: nothing or something stands in a column.

use std::ops::Range;

use super::Recast;
use crate::ask::lexicon::Word;
use crate::ask::loose;
use crate::ask::pieces::Meaning;
use crate::column::Kind;
use crate::query::{Comparison, Filter, Literal};

/// What is done to what is there.
const ENTERED: &[&str] = &[
    "noted",
    "recorded",
    "entered",
    "given",
    "specified",
    "stated",
    "known",
    "logged",
    "documented",
    "registered",
    "filled",
    "taken",
    "measured",
    "set",
    "assigned",
    "listed",
    "mentioned",
    "counted",
    "provided",
    "submitted",
    "attached",
    "written",
    "captured",
    "eingetragen",
    "vermerkt",
    "notiert",
    "angegeben",
    "erfasst",
    "bekannt",
    "hinterlegt",
    "dokumentiert",
    "gemessen",
    "festgehalten",
    "ausgefüllt",
    "vorhanden",
    "gesetzt",
    "zugeordnet",
    "aufgeschrieben",
    "gezählt",
    "genannt",
    "verzeichnet",
    "erhoben",
    "beigelegt",
    "mitgeschrieben",
    "handed in",
    "gewogen",
    "weighed",
    "tested",
    "dated",
    "priced",
    "ausgestellt",
];

/// What says that it is not.
const NOT: &[&str] = &[
    "not", "n't", "isn't", "wasn't", "weren't", "aren't", "never", "nicht", "nie", "didn't", "don't",
    "doesn't", "hasn't", "haven't",
];

/// What a clause behind it begins with.
const CLAUSES: &[&str] = &[
    "how", "who", "whether", "when", "what", "where", "if", "which", "why", "by", "ob", "wie", "wer", "wann",
    "was", "wo", "welche", "welcher", "welches", "von", "wem", "womit", "wohin",
];

/// Words by which people say that nothing stands in a cell, with the column behind them.
const FORGOTTEN: &[&str] = &[
    "forget",
    "forgot",
    "forgotten",
    "omit",
    "omitted",
    "vergessen",
    "lack",
    "lacks",
    "lacked",
    "lacking",
    "fehlt",
    "fehlen",
    "fehlte",
    "fehlten",
    "skipped",
    "skip",
    "missed",
    "miss",
];

/// Words that have something for their object.
const HAVING: &[&str] = &[
    "has",
    "have",
    "had",
    "having",
    "with",
    "carry",
    "carries",
    "carried",
    "carrying",
    "use",
    "uses",
    "used",
    "using",
    "gave",
    "give",
    "given",
    "get",
    "got",
    "receive",
    "received",
    "contain",
    "contains",
    "include",
    "includes",
    "show",
    "shows",
    "left",
    "wrote",
    "mit",
    "hat",
    "haben",
    "hatte",
    "hatten",
    "gab",
    "gaben",
    "gegeben",
    "bekam",
    "bekamen",
    "bekommen",
    "enthalten",
    "enthält",
    "benutzt",
    "genutzt",
    "verwendet",
    "eingelöst",
    "redeemed",
    "applied",
    "filled",
    "entered",
    "recorded",
    "noted",
];

const ARTICLES: &[&str] = &[
    "a",
    "an",
    "any",
    "some",
    "the",
    "their",
    "his",
    "her",
    "our",
    "ein",
    "eine",
    "einen",
    "einem",
    "einer",
    "irgendein",
    "irgendeinen",
    "den",
    "die",
    "das",
    "der",
    "to",
    "in",
    "down",
    "out",
    "überhaupt",
    "ever",
    "actually",
    "also",
    "auch",
    "of",
];

/// What is done to what is there, at the end of a question.
const USED: &[&str] = &[
    "used",
    "given",
    "gegeben",
    "benutzt",
    "genutzt",
    "eingelöst",
    "verwendet",
    "redeemed",
    "applied",
    "gewährt",
    "granted",
    "eingetragen",
    "vermerkt",
    "recorded",
    "noted",
    "entered",
    "hinterlegt",
];

impl Recast<'_> {
    /// The only column, or the nearest, that the words of a stretch speak of and in which something is missing.
    fn lacking_column(&self, words: Range<usize>) -> Option<(usize, usize)> {
        for at in words {
            let (word, piece) = self.words.get(at)?;
            if CLAUSES.contains(&word.as_str()) || ARTICLES.contains(&word.as_str()) {
                continue;
            }
            if let Some(column) = self.column_of(*piece).filter(|column| self.is_lacking(*column)) {
                return Some((column, at));
            }
            // `didn't get rated` of the column `score`
            let speaks_of =
                |column: &usize| self.is_lacking(*column) && loose::speaks_of(self.table, word, *column);
            let mut spoken_of = (0..self.table.columns.len()).filter(speaks_of);
            if let (true, Some(column), None) =
                (self.pieces[*piece].is_unknown(), spoken_of.next(), spoken_of.next())
            {
                return Some((column, at));
            }
        }
        None
    }

    /// Whether a column has cells without anything, or says yes or no.
    fn is_lacking(&self, column: usize) -> bool {
        let described = &self.table.columns[column];
        described.missing > 0 || matches!(described.kind, Kind::Boolean { .. })
    }

    fn lacks(&self, column: usize) -> Filter {
        let described = &self.table.columns[column];
        match described.kind {
            Kind::Boolean { .. } if described.missing == 0 => {
                Filter::Compare { column, comparison: Comparison::Equal, value: Literal::Boolean(false) }
            }
            _ => Filter::Missing(column),
        }
    }

    pub(super) fn tell_absence(&mut self) {
        self.tell_owed();
        self.tell_absent_from();
        self.tell_not_entered();
        self.tell_forgotten();
        self.tell_none();
    }

    /// `is not noted how they were paid`, `no receipt is noted`, `the pulse was not taken`.
    fn tell_not_entered(&mut self) {
        let Some(entered) = self.position(ENTERED) else { return };
        let is_negated = self.words[..entered]
            .iter()
            .rev()
            .take(4)
            .any(|(word, _)| NOT.contains(&word.as_str()) || word.ends_with("n't"));
        let has_no = self.words[..entered].iter().position(|(word, _)| {
            matches!(word.as_str(), "no" | "kein" | "keine" | "keinen" | "nothing" | "nichts")
        });
        let not = self.words[..entered]
            .iter()
            .rposition(|(word, _)| NOT.contains(&word.as_str()) || word.ends_with("n't"));
        match (is_negated, has_no) {
            (true, _) => {
                let Some(not) = not else { return };
                // What is not noted stands behind, or else before.
                let is_clause = CLAUSES.contains(&self.word(entered + 1));
                if is_clause && let Some((column, at)) = self.lacking_column(entered + 1..self.words.len()) {
                    let end = self.end_of_clause(at);
                    self.hold(not..end, self.lacks(column), 1);
                    return;
                }
                let before = (0..not).rev().find_map(|at| self.lacking_column(at..at + 1));
                if let Some((column, at)) = before {
                    // `which items were not counted`: the items are not what is missing.
                    self.hold(not..entered + 1, self.lacks(column), 1);
                    if at > 0 && !self.is_asked(at) {
                        self.pass_over(at..at + 1);
                    }
                    return;
                }
                if let Some((column, at)) = self.lacking_column(entered + 1..self.words.len()) {
                    self.hold(not..at + 1, self.lacks(column), 1);
                    return;
                }
                // `not counted`, where one column of numbers lacks some.
                if let Some(column) = self.only_lacking_number() {
                    self.hold(not..entered + 1, self.lacks(column), 2);
                }
            }
            (false, Some(no)) => {
                if let Some((column, _)) = self.lacking_column(no + 1..entered) {
                    self.hold(no..entered + 1, self.lacks(column), 1);
                }
            }
            _ => {}
        }
    }

    /// `is still owed to us`, `hat noch nicht gezahlt`, `fehlt noch die Miete`: what is not paid.
    fn tell_owed(&mut self) {
        const OWED: &[&str] = &["owe", "owes", "owed", "owing", "schuldet", "schulden", "schuldig"];
        const PAID: &[&str] = &["paid", "pay", "gezahlt", "bezahlt", "überwiesen"];
        const MONEY: &[&str] = &["rent", "miete", "payment", "zahlung", "dues", "geld", "money", "beitrag"];
        let says_owed = |column: &crate::column::Column| {
            column.is_numeric()
                && crate::words::parts(&column.name).iter().any(|part| {
                    matches!(
                        part.as_str(),
                        "owed" | "owing" | "balance" | "outstanding" | "saldo" | "offen" | "schuld"
                    )
                })
        };
        let paid = crate::ask::naming::absent_column(self.table, "unpaid").or_else(|| {
            let moment = crate::ask::happenings::moment_of_word(self.table, "paid")?;
            (self.table.columns[moment].missing > 0).then_some(moment)
        });
        let Some(paid) = paid.filter(|_| !self.table.columns.iter().any(says_owed)) else { return };
        let fills = |word: &str| matches!(word, "still" | "noch" | "yet" | "immer");
        let found = if let Some(at) = self.position(OWED) {
            let mut end = at + 1;
            while matches!(self.word(end), "to" | "us" | "uns" | "me" | "by" | "money" | "geld") {
                end += 1;
            }
            Some(at..end)
        } else if let Some(at) = self.position(PAID) {
            // `did not pay by card` says how.
            let says_how = matches!(self.word(at + 1), "by" | "with" | "in" | "per" | "mit" | "via" | "for");
            let not = (at.saturating_sub(3)..at).find(|at| NOT.contains(&self.word(*at)));
            let says_what = self.lacking_column(at + 1..(at + 4).min(self.words.len())).is_some();
            not.filter(|_| !says_how && !says_what).map(|not| not..at + 1)
        } else {
            // Of what is paid, nothing is there yet.
            let missing = self.position(&["fehlt", "fehlen", "missing", "outstanding"]);
            missing.filter(|_| self.position(MONEY).is_some()).map(|at| at..at + 1)
        };
        let Some(mut words) = found else { return };
        while words.start > 0 && fills(self.word(words.start - 1)) {
            words.start -= 1;
        }
        while fills(self.word(words.end)) {
            words.end += 1;
        }
        if !self.is_whole(&words) {
            return;
        }
        self.hold(words, self.lacks(paid), 1);
        if let Some(at) = self.position(MONEY).filter(|at| self.pieces[self.words[*at].1].is_unknown()) {
            self.pass_over(at..at + 1);
        }
    }

    fn is_asked(&self, at: usize) -> bool {
        self.words[..at]
            .iter()
            .rev()
            .take(2)
            .any(|(word, _)| matches!(word.as_str(), "which" | "welche" | "welcher" | "what"))
    }

    fn only_lacking_number(&self) -> Option<usize> {
        let lacks = |column: &usize| self.table.columns[*column].missing > 0;
        let found: Vec<usize> = self.table.measures().into_iter().filter(lacks).collect();
        if let [column] = found[..] { Some(column) } else { None }
    }

    /// The end of what is said of a column: the question's, or a sign.
    fn end_of_clause(&self, at: usize) -> usize {
        let rest = &self.words[at..];
        at + rest.iter().position(|(word, _)| matches!(word.as_str(), "," | "?" | ";")).unwrap_or(rest.len())
    }

    /// `absent for the midterm`, `missed quiz 2`: nothing, or no number, stands in that column.
    fn tell_absent_from(&mut self) {
        const AWAY: &[&str] = &[
            "absent", "missing", "away", "missed", "miss", "skipped", "gefehlt", "abwesend", "fehlte",
            "fehlten", "verpasst",
        ];
        let Some(at) = self.position(AWAY) else { return };
        let mut next = at + 1;
        while matches!(
            self.word(next),
            "for"
                | "from"
                | "in"
                | "on"
                | "at"
                | "the"
                | "beim"
                | "bei"
                | "im"
                | "der"
                | "dem"
                | "den"
                | "die"
        ) {
            next += 1;
        }
        let Some((_, piece)) = self.words.get(next) else { return };
        let named = self.pieces[*piece].options.iter().find_map(|(meaning, penalty)| match meaning {
            Meaning::Column(column) if *penalty < 3 => Some(*column),
            _ => None,
        });
        let Some(column) = named else { return };
        let described = &self.table.columns[column];
        let mut filters = Vec::new();
        if described.missing > 0 {
            filters.push(Filter::Missing(column));
        }
        if described.misfits > 0 {
            filters.push(Filter::Misfit(column));
        }
        let end =
            (next..self.words.len()).find(|other| self.words[*other].1 != *piece).unwrap_or(self.words.len());
        let filter = match filters.len() {
            0 => return,
            1 => filters.remove(0),
            _ => Filter::Or(filters),
        };
        self.hold(at..end, filter, 1);
    }

    /// `we forgot the pulse`, `lacks a receipt`.
    fn tell_forgotten(&mut self) {
        let Some(at) = self.position(FORGOTTEN) else { return };
        let mut next = at + 1;
        while ARTICLES.contains(&self.word(next))
            || matches!(
                self.word(next),
                "note"
                    | "record"
                    | "enter"
                    | "write"
                    | "measure"
                    | "take"
                    | "fill"
                    | "log"
                    | "notieren"
                    | "eintragen"
                    | "messen"
            )
        {
            next += 1;
        }
        if let Some((column, found)) = self.lacking_column(next..(next + 1).min(self.words.len())) {
            self.hold(at..found + 1, self.lacks(column), 1);
            return;
        }
        // `the receipt was forgotten`, `bei wem fehlt die Quittung`
        let before = (0..at).rev().take(4).find_map(|other| self.lacking_column(other..other + 1));
        if let Some((column, _)) = before {
            self.hold(at..at + 1, self.lacks(column), 1);
        }
    }

    /// `do we not have a receipt for`, `without any receipt`, `didn't use a coupon`, `never gave a reason`.
    fn tell_none(&mut self) {
        let negated =
            (0..self.words.len()).find(|at| NOT.contains(&self.word(*at)) || self.word(*at).ends_with("n't"));
        if let Some(not) = negated {
            let mut next = not + 1;
            while HAVING.contains(&self.word(next))
                || ARTICLES.contains(&self.word(next))
                || matches!(self.word(next), "we" | "they" | "wir" | "been" | "leave" | "write")
            {
                next += 1;
            }
            if next > not + 1
                && let Some((column, at)) = self.lacking_column(next..(next + 1).min(self.words.len()))
                && self.says_nothing_behind(at)
            {
                self.hold(not..at + 1, self.lacks(column), 1);
                return;
            }
        }
        let Some(no) = self.position(&["no", "without", "kein", "keine", "keinen", "ohne"]) else { return };
        let mut next = no + 1;
        while ARTICLES.contains(&self.word(next)) {
            next += 1;
        }
        if let Some((column, at)) = self.lacking_column(next..(next + 1).min(self.words.len()))
            && self.says_nothing_behind(at)
        {
            self.hold(no..at + 1, self.lacks(column), 1);
        }
    }

    /// Whether no value and no comparison follows a column's name.
    fn says_nothing_behind(&self, at: usize) -> bool {
        let Some((_, piece)) = self.words.get(at) else { return true };
        self.pieces.get(piece + 1).is_none_or(|next| {
            !next.options.first().is_some_and(|(meaning, _)| {
                matches!(
                    meaning,
                    Meaning::Value { .. }
                        | Meaning::Number(_)
                        | Meaning::Text(_)
                        | Meaning::Word(Word::Compare(_) | Word::Between | Word::Contains | Word::Not)
                )
            })
        })
    }

    /// `used a coupon`, `of those who gave a score`, `a receipt is there`: something stands in the column.
    pub(super) fn tell_presence(&mut self) {
        // With what is absent told, nothing more is to be told of the same words.
        if self
            .pieces
            .iter()
            .any(|piece| matches!(piece.options.first(), Some((Meaning::Holds(Filter::Missing(_)), _))))
        {
            return;
        }
        let is_negated = (0..self.words.len()).any(|at| {
            NOT.contains(&self.word(at))
                || self.word(at).ends_with("n't")
                || matches!(self.word(at), "no" | "without" | "ohne" | "kein" | "keine" | "keinen")
        });
        if is_negated {
            return;
        }
        let there = |column: usize| Filter::Not(Box::new(Filter::Missing(column)));
        for at in 0..self.words.len() {
            if !HAVING.contains(&self.word(at)) {
                continue;
            }
            let mut next = at + 1;
            while ARTICLES.contains(&self.word(next)) {
                next += 1;
            }
            let has_article =
                next > at + 1 && !matches!(self.word(next - 1), "to" | "in" | "down" | "out" | "the" | "of");
            if !has_article {
                continue;
            }
            let Some((_, piece)) = self.words.get(next) else { continue };
            let Some(column) =
                self.column_of(*piece).filter(|column| self.table.columns[*column].missing > 0)
            else {
                continue;
            };
            if !self.says_nothing_behind(next) {
                continue;
            }
            let piece = *piece;
            let end = (next..self.words.len())
                .find(|other| self.words[*other].1 != piece)
                .unwrap_or(self.words.len());
            self.hold(at..end, there(column), 1);
            return;
        }
        // `in how many orders was a coupon used`, `wie oft haben wir Rabatt gegeben`
        if let Some(used) = self.position(USED)
            && let Some(at) = used.checked_sub(1)
            && let Some(column) = self.words.get(at).and_then(|(_, piece)| self.column_of(*piece))
            && self.table.columns[column].missing > 0
            && self.asks(|word| word == Word::Count)
        {
            let start = if at > 0 && ARTICLES.contains(&self.word(at - 1)) { at - 1 } else { at };
            self.hold(start..used + 1, there(column), 1);
        }
    }
}
