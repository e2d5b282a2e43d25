//! Conditions that are said in a verb or a phrase: sold out, below the reorder level, the longest with us, twice there, still out.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::{Hint, Word};
use crate::ask::pieces::{Meaning, Piece};
use crate::ask::superlatives::only_fitting;
use crate::query::{Comparison, Filter, Literal};
use crate::{vocabulary, words};
use rust_decimal::Decimal;

const SOLD_OUT: &[&str] = &[
    "completely out of stock",
    "out of stock",
    "completely sold out",
    "sold out",
    "run out",
    "ran out",
    "completely out of",
    "completely out",
    "out of",
    "none left",
    "nothing left",
    "ausverkauft",
    "nicht mehr auf lager",
    "nicht mehr vorrätig",
    "nicht vorrätig",
    "no stock left",
    "no stock",
    "not in stock",
    "nicht auf lager",
    "vergriffen",
    "nichts mehr da",
];

/// What stands around a word for ordering again, English and German.
const AROUND_REORDER: &[&str] = &[
    "have", "need", "needs", "must", "should", "to", "be", "been", "fallen", "the", "their", "its", "level",
    "point", "dem", "den", "ihrem", "ihren", "müssen", "muss", "werden",
];

/// What has come to its end.
const BACK: &[&str] = &[
    "back",
    "zurück",
    "returned",
    "zurückgegeben",
    "zurückgebracht",
    "closed",
    "geschlossen",
    "resolved",
    "finished",
    "delivered",
    "paid",
    "bezahlt",
];

impl Recast<'_> {
    /// `worse than a 4` of marks: above or below it.
    fn tell_worse(&mut self) {
        let Some(words) = self.any_phrase(&["schlechter als", "besser als", "worse than", "better than"])
        else {
            return;
        };
        let is_number =
            self.words.get(words.end).or(self.words.get(words.end + 1)).is_some_and(|(_, piece)| {
                matches!(self.pieces[*piece].options.first(), Some((Meaning::Number(_), _)))
            }) || self.words.get(words.end + 1).is_some_and(|(_, piece)| {
                matches!(self.pieces[*piece].options.first(), Some((Meaning::Number(_), _)))
            });
        if !is_number || !self.is_whole(&words) {
            return;
        }
        let is_worse = matches!(self.word(words.start), "schlechter" | "worse");
        let named = (0..self.pieces.len())
            .find_map(|at| self.column_of(at).filter(|column| self.table.columns[*column].is_numeric()));
        let is_small = named.is_some_and(|column| self.table.is_better_when_small(column));
        let comparison = if is_worse == is_small { Comparison::Greater } else { Comparison::Less };
        self.take(words, Meaning::Word(Word::Compare(comparison)), 1);
    }

    /// `did not finish`, `DNF`: something else than a number stands in the only column with such cells.
    fn tell_unfinished(&mut self) {
        const UNFINISHED: &[&str] = &[
            "did not finish",
            "didn't finish",
            "had to drop out",
            "dropped out",
            "drop out",
            "gave up",
            "dnf",
            "dns",
            "did not start",
            "didn't start",
            "aufgegeben",
            "ausgeschieden",
            "nicht ins ziel gekommen",
            "nicht ins ziel",
            "nicht angetreten",
            "failed to finish",
            "without a finish time",
        ];
        let mut with_misfits = (0..self.table.columns.len()).filter(|column| {
            let described = &self.table.columns[*column];
            described.misfits > 0 && !described.is_text() && !described.is_moment()
        });
        let (Some(column), None) = (with_misfits.next(), with_misfits.next()) else { return };
        let mut is_told = false;
        while let Some(words) = self.any_phrase(UNFINISHED) {
            if is_told {
                self.drop_words(words);
                continue;
            }
            is_told = true;
            let filter = if self.table.columns[column].missing > 0 {
                Filter::Or(vec![Filter::Missing(column), Filter::Misfit(column)])
            } else {
                Filter::Misfit(column)
            };
            self.hold(words, filter, 2);
        }
    }

    /// `on the second or third attempt`: numbers in words before the column that counts them.
    fn tell_ordinals(&mut self) {
        const NUMBERS: &[&[&str]] = &[
            &["first", "1st", "ersten", "erste"],
            &["second", "2nd", "zweiten", "zweite"],
            &["third", "3rd", "dritten", "dritte"],
            &["fourth", "4th", "vierten", "vierte"],
            &["fifth", "5th", "fünften", "fünfte"],
        ];
        let number = |word: &str| NUMBERS.iter().position(|words| words.contains(&word)).map(|at| at + 1);
        let Some(at) = (0..self.words.len()).find(|at| number(self.word(*at)).is_some()) else { return };
        let mut numbers = vec![number(self.word(at)).unwrap_or(1)];
        let mut next = at + 1;
        while matches!(self.word(next), "or" | "and" | "oder" | "und" | ",")
            && let Some(more) = number(self.word(next + 1))
        {
            numbers.push(more);
            next += 2;
        }
        let Some((_, piece)) = self.words.get(next) else { return };
        // `the second test` has been read as one.
        if self.words[at].1 == *piece {
            return;
        }
        let Some(column) = self.column_of(*piece).filter(|column| {
            self.table.columns[*column].is_numeric() && self.table.columns[*column].scale() == Some(0)
        }) else {
            return;
        };
        // `the first reply` of a column that is called so.
        if words::parts(&self.table.columns[column].name).iter().any(|part| number(part).is_some()) {
            return;
        }
        // `the first order` is no number of it.
        if !self.table.measures().contains(&column)
            || words::parts(&self.table.columns[column].name).len() > 2
        {
            return;
        }
        let values = numbers.into_iter().map(|number| Literal::Number(Decimal::from(number))).collect();
        self.hold(at..next + 1, Filter::In { column, values }, 1);
    }

    pub(super) fn tell_states(&mut self) {
        self.tell_worse();
        self.tell_unfinished();
        self.tell_ordinals();
        self.tell_stock();
        self.tell_still_out();
        self.tell_winner();
        self.tell_comparisons();
    }

    /// The only column of numbers that is called so.
    fn called(&self, concepts: &[&str]) -> Option<usize> {
        let is_called = |column: &usize| {
            self.table.columns[*column].is_numeric()
                && words::parts(&self.table.columns[*column].name).iter().any(|part| {
                    concepts
                        .iter()
                        .any(|concept| part == concept || part.starts_with(concept) && concept.len() > 4)
                })
        };
        (0..self.table.columns.len()).find(is_called)
    }

    fn stock(&self) -> Option<usize> {
        let limits = self.limit_of_stock();
        let is_stock = |column: &usize| {
            let parts = words::parts(&self.table.columns[*column].name);
            self.table.columns[*column].is_numeric()
                && Some(*column) != limits
                && (parts.iter().any(|part| {
                    matches!(
                        part.as_str(),
                        "stock" | "bestand" | "vorrat" | "lagerbestand" | "inventory" | "lager" | "hand"
                    )
                }) || vocabulary::names_quantity(&parts))
        };
        (0..self.table.columns.len()).find(is_stock)
    }

    fn limit_of_stock(&self) -> Option<usize> {
        self.called(&[
            "reorder",
            "minimum",
            "min",
            "mindest",
            "mindestbestand",
            "melde",
            "meldebestand",
            "threshold",
        ])
    }

    /// `have to be reordered`, `have fallen below their minimum`; not `the reorder level` alone.
    fn to_reorder(&self) -> Option<std::ops::Range<usize>> {
        const BELOW: &[&str] = &["below", "under", "unter"];
        const LIMITS: &[&str] = &["minimum", "mindestbestand", "meldebestand", "mindestmenge"];
        let orders_again =
            |word: &str| ["reorder", "restock", "nachbestell"].iter().any(|verb| word.starts_with(verb));
        let at = (0..self.words.len())
            .find(|at| orders_again(self.word(*at)) || LIMITS.contains(&self.word(*at)))?;
        let belongs = |at: usize| AROUND_REORDER.contains(&self.word(at)) || BELOW.contains(&self.word(at));
        let start = (0..at).rev().take_while(|at| belongs(*at)).last().unwrap_or(at);
        let end = (at + 1..self.words.len()).take_while(|at| belongs(*at)).last().unwrap_or(at) + 1;
        let says = |list: &[&str]| (start..end).any(|at| list.contains(&self.word(at)));
        let is_verb = orders_again(self.word(at))
            && (says(&["to", "be", "must", "should", "need", "needs", "werden", "muss"])
                || self.word(at) == "nachbestellen");
        (says(BELOW) || is_verb && !says(&["level", "point"])).then_some(start..end)
    }

    fn tell_stock(&mut self) {
        let Some(stock) = self.stock() else { return };
        if let (Some(limit), Some(words)) = (self.limit_of_stock(), self.to_reorder())
            && self.is_whole(&words)
        {
            let below = Filter::Compare {
                column: stock,
                comparison: Comparison::Less,
                value: Literal::Column(limit),
            };
            self.hold(words, below, 1);
            self.list_names();
            return;
        }
        if let Some(words) = self.any_phrase(SOLD_OUT)
            && self.is_whole(&words)
        {
            let none = Filter::Compare {
                column: stock,
                comparison: Comparison::Equal,
                value: Literal::Number(Decimal::ZERO),
            };
            self.hold(words, none, 1);
            self.list_names();
        }
    }

    /// `what do we have to reorder`: what the things are called.
    fn list_names(&mut self) {
        let asks_what = matches!(self.word(0), "what" | "was");
        let names_nothing = !self.pieces.iter().any(|piece| {
            piece.options.iter().any(|(meaning, _)| {
                matches!(meaning, Meaning::Column(_) | Meaning::Word(Word::Count) | Meaning::Noun)
            })
        });
        if asks_what
            && names_nothing
            && let Some(name) = self.name_column()
        {
            let named = Piece::of(self.table.columns[name].name.clone(), Meaning::Column(name), 1);
            let which = Piece::of("which".to_owned(), Meaning::Word(Word::Which), 0);
            self.put(0..1, vec![which, named]);
        }
    }

    /// `who still has a copy of Dune out`, `has not brought back`: the end is not there yet.
    fn tell_still_out(&mut self) {
        const STILL: &[&str] = &["still", "noch"];
        const OUT: &[&str] = &[
            "out",
            "away",
            "borrowed",
            "ausgeliehen",
            "draußen",
            "unterwegs",
            "open",
            "offen",
            "have",
            "has",
            "hat",
            "haben",
            "keep",
            "lent",
        ];
        let Some(end) = self.table.end_column() else { return };
        let is_told = self
            .pieces
            .iter()
            .any(|piece| matches!(piece.options.first(), Some((Meaning::Absent(_) | Meaning::Holds(_), _))));
        if is_told {
            return;
        }
        if let Some(still) = self.position(STILL)
            && let Some(out) = (still + 1..self.words.len()).rev().find(|at| OUT.contains(&self.word(*at)))
        {
            let is_last =
                matches!(self.word(out), "have" | "has" | "hat" | "haben" | "keep") && out > still + 1;
            if !is_last {
                if out > still + 1 {
                    self.pass_over(out..out + 1);
                }
                self.hold(still..still + 1, Filter::Missing(end), 1);
                return;
            }
        }
        // `have not brought back`, `not come back`, `not back`
        let back = (0..self.words.len()).find(|at| {
            BACK.contains(&self.word(*at))
                && self.words[at.saturating_sub(4)..*at].iter().any(|(word, _)| {
                    matches!(word.as_str(), "not" | "nicht" | "never" | "yet") || word.ends_with("n't")
                })
        });
        if let Some(back) = back {
            let speaks = |part: &String| {
                vocabulary::are_synonyms(part, self.word(back)) || words::same_word(part, self.word(back))
            };
            let parts = words::parts(&self.table.columns[end].name);
            let is_back = matches!(self.word(back), "back" | "zurück" | "zurückgegeben" | "zurückgebracht")
                && parts.iter().any(|part| {
                    matches!(part.as_str(), "returned" | "return" | "rückgabe" | "zurück" | "back")
                });
            if is_back || parts.iter().any(speaks) {
                let start = (0..back)
                    .rev()
                    .find(|at| {
                        matches!(self.word(*at), "not" | "nicht" | "never") || self.word(*at).ends_with("n't")
                    })
                    .unwrap_or(back);
                let end_of = if self.word(back + 1) == "yet" { back + 2 } else { back + 1 };
                self.hold(start..end_of, Filter::Missing(end), 1);
            }
        }
    }

    /// `who won the race`: the fastest, or the one with the most points.
    fn tell_winner(&mut self) {
        let Some(words) = self.any_phrase(&[
            "won the race",
            "won the event",
            "won overall",
            "won it",
            "won",
            "the winner",
            "winner",
            "gewonnen",
            "gewann",
            "der sieger",
            "die siegerin",
            "sieger",
        ]) else {
            return;
        };
        if !self.is_whole(&words)
            || !self.asks(|word| matches!(word, Word::Who | Word::Which))
            || self.asks(|word| matches!(word, Word::Most(_) | Word::Extreme(..) | Word::Count))
        {
            return;
        }
        let (is_largest, hint, measure) =
            match (only_fitting(self.table, Hint::Duration), only_fitting(self.table, Hint::Best)) {
                (Some(time), _) => (false, Hint::None, time),
                (None, Some(score)) => (true, Hint::None, score),
                _ => return,
            };
        let superlative = Piece::of("winning".to_owned(), Meaning::Word(Word::Extreme(is_largest, hint)), 2);
        let named = Piece::of(self.table.columns[measure].name.clone(), Meaning::Column(measure), 0);
        self.put(words, vec![superlative, named]);
        while let Some(at) = self.position(&["overall", "race", "rennen", "event", "competition", "lauf"]) {
            self.drop_words(at..at + 1);
        }
    }

    /// `who is more than 500 € behind`, `weighs less than half a kilo`, `got under 55 in the final`: a comparison and the column behind it.
    fn tell_comparisons(&mut self) {
        let compared =
            (0..self.pieces.len()).find(|at| matches!(self.first_word(*at), Some(Word::Compare(_))));
        let Some(at) = compared else { return };
        let Some(Word::Compare(comparison)) = self.first_word(at) else { return };
        let number = (at + 1..self.pieces.len().min(at + 3))
            .find(|next| matches!(self.pieces[*next].options.first(), Some((Meaning::Number(_), _))));
        let Some(number) = number else { return };
        // `in`, `on`, `for`, and the column.
        let mut next = number + 1;
        let preposition = self.pieces.get(next).map_or(String::new(), |piece| piece.text.to_lowercase());
        if !matches!(preposition.as_str(), "in" | "im" | "on" | "for" | "of" | "bei" | "at" | "beim") {
            return;
        }
        next += 1;
        while self.pieces.get(next).is_some_and(|piece| {
            matches!(
                piece.text.to_lowercase().as_str(),
                "the" | "der" | "die" | "das" | "dem" | "den" | "their" | "his" | "her"
            )
        }) {
            next += 1;
        }
        let Some(column) = self.column_of(next).filter(|column| self.table.columns[*column].is_numeric())
        else {
            return;
        };
        let named = Piece::of(self.pieces[next].text.clone(), Meaning::Column(column), TOGETHER);
        let compare = Piece::of(self.pieces[at].text.clone(), Meaning::Word(Word::Compare(comparison)), 0);
        let quantity = self.pieces[number].clone();
        self.pieces.splice(at..=next, vec![named, compare, quantity]);
        self.changes += 1;
        self.count_words();
    }

    /// What the things of a table are called.
    pub(super) fn name_column(&self) -> Option<usize> {
        crate::ask::loose::name_of_rows(self.table)
    }
}
