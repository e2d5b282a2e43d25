//! `the second test` of the column `Test 2`, `the daily high` of `Tmax`: columns by their place among others of the same name.

use super::Recast;
use crate::ask::lexicon::Word;
use crate::ask::pieces::Meaning;
use crate::table::Table;
use crate::words;

const ORDINALS: &[&[&str]] = &[
    &["first", "1st", "erste", "ersten", "erster", "erstes", "one", "eins", "i"],
    &["second", "2nd", "zweite", "zweiten", "zweiter", "zweites", "two", "zwei", "ii"],
    &["third", "3rd", "dritte", "dritten", "dritter", "drittes", "three", "drei", "iii"],
    &["fourth", "4th", "vierte", "vierten", "vierter", "viertes", "four", "vier", "iv"],
    &["fifth", "5th", "fünfte", "fünften", "fünfter", "fünftes", "five", "fünf", "v"],
];

/// Columns that are told apart by numbers behind their names, or in front of them: the column, the name, the number.
fn numbered(table: &Table) -> Vec<(usize, String, usize)> {
    let place = |part: &str| part.parse().ok().filter(|number| (1..=ORDINALS.len()).contains(number));
    let of = |column: usize| {
        let parts = words::parts(&table.columns[column].name);
        match parts.as_slice() {
            [name, number, ..] if place(number).is_some() => Some((column, name.clone(), place(number)?)),
            // `2. Klassenarbeit`
            [number, name] if name.len() > 2 => Some((column, name.clone(), place(number)?)),
            _ => None,
        }
    };
    (0..table.columns.len()).filter_map(of).collect()
}

/// Whether a word is a name, or the end of a compound: `Arbeit` of `Klassenarbeit`.
fn names(name: &str, word: &str) -> bool {
    const SHORTEST_END: usize = 5;
    words::same_word(name, word) || word.len() >= SHORTEST_END && name.ends_with(word)
}

/// `second test`, `test two`; `second` alone where all such columns have one name.
pub(in crate::ask) fn numbered_column(table: &Table, phrase: &[&str]) -> Option<usize> {
    let numbered = numbered(table);
    let first = &numbered.first()?.1;
    let number = |word: &str| {
        ORDINALS.iter().position(|words| words.contains(&word)).map(|at| at + 1).or_else(|| word.parse().ok())
    };
    let (name, number) = match phrase {
        [ordinal] if numbered.iter().all(|(_, name, _)| name == first) && ordinal.len() > 3 => {
            (first.as_str(), number(ordinal)?)
        }
        [one, other] => match (number(one), number(other)) {
            (Some(number), None) => (*other, number),
            (None, Some(number)) => (*one, number),
            _ => return None,
        },
        _ => return None,
    };
    let is_it = |(_, other, place): &&(usize, String, usize)| names(other, name) && *place == number;
    numbered.iter().find(is_it).map(|(column, ..)| *column)
}

/// What says that it was below zero.
const FROST: &[&str] = &[
    "frost",
    "frosttage",
    "frosttagen",
    "frostnächte",
    "frosty",
    "freezing",
    "gefroren",
    "frosttag",
    "froze",
    "minusgrade",
    "minusgraden",
];

/// The same in numbers.
const BELOW: &[&str] = &[
    "unter 0 grad",
    "unter null grad",
    "unter 0 °c",
    "unter 0",
    "below 0 degrees",
    "below 0 °c",
    "below zero",
    "below 0",
    "unter null",
    "under 0 degrees",
    "below freezing",
];

/// The largest of the most.
const HOT: &[&str] =
    &["hottest", "warmest", "heißeste", "heißesten", "heißester", "wärmste", "wärmsten", "wärmster"];

/// The smallest of the least.
const COLD: &[&str] = &["coldest", "kälteste", "kältesten", "kältester", "kühlste", "kühlsten"];

impl Recast<'_> {
    pub(super) fn name_by_ordinals(&mut self) {
        let numbered = numbered(self.table);
        let is_of_many = |name: &str| numbered.iter().filter(|(_, other, _)| other == name).count() > 1;
        let known: Vec<&String> =
            numbered.iter().map(|(_, name, _)| name).filter(|name| is_of_many(name)).collect();
        let Some(first) = known.first() else { return };
        let is_one_name = known.iter().all(|name| name == first);
        for at in (0..self.words.len()).rev() {
            let Some(number) = ORDINALS.iter().position(|words| words.contains(&self.word(at))) else {
                continue;
            };
            // `the second test`, `test two`, and `the second` where nothing else has a number.
            let is_ordinal = ORDINALS[number]
                .iter()
                .position(|word| *word == self.word(at))
                .is_some_and(|place| place < ORDINALS[number].len() - 3);
            let is_name = |word: &str| known.iter().any(|name| names(name, word));
            let (range, name) = if is_ordinal && is_name(self.word(at + 1)) {
                (at..at + 2, self.word(at + 1).to_owned())
            } else if !is_ordinal && at > 0 && is_name(self.word(at - 1)) {
                (at - 1..at + 1, self.word(at - 1).to_owned())
            } else if is_ordinal && is_one_name && self.words.iter().any(|(word, _)| is_name(word)) {
                (at..at + 1, (*first).clone())
            } else {
                continue;
            };
            let found = numbered.iter().find(|(_, other, place)| names(other, &name) && *place == number + 1);
            if let Some((column, ..)) = found {
                self.take(range, Meaning::Column(*column), 0);
            }
        }
    }

    /// Of columns such as `Tmin` and `Tmax`, the one of which a question speaks: by `the high`, `hottest`, `30 degrees or more`.
    pub(super) fn name_ends_of_a_range(&mut self) {
        const HIGH: &[&str] = &[
            "high",
            "highs",
            "maximum",
            "höchsttemperatur",
            "höchsttemperaturen",
            "höchstwert",
            "höchst",
            "maximaltemperatur",
            "tageshöchsttemperatur",
            "tageshöchstwert",
            "tageshöchstwerte",
            "tmax",
            "max",
        ];
        const LOW: &[&str] = &[
            "low",
            "lows",
            "minimum",
            "tiefsttemperatur",
            "tiefsttemperaturen",
            "tiefstwert",
            "tiefst",
            "minimaltemperatur",
            "tiefstwerte",
            "tmin",
            "min",
        ];
        let Some((least, most)) = self.table.ends_of_a_range() else { return };
        for (list, column) in [(HIGH, most), (LOW, least)] {
            if let Some(at) = self.position(list)
                && self.is_whole(&(at..at + 1))
                && !self.pieces[self.words[at].1]
                    .options
                    .iter()
                    .any(|(meaning, penalty)| *penalty == 0 && matches!(meaning, Meaning::Column(_)))
                && !(matches!(self.word(at), "high" | "low") && self.word(at.saturating_sub(1)) == "how")
            {
                // `the highest temperature` says so itself.
                let end =
                    if matches!(self.word(at + 1), "temperature" | "temperatures" | "temperatur" | "temp") {
                        at + 2
                    } else {
                        at + 1
                    };
                self.take(at..end, Meaning::Column(column), 0);
            }
        }
        self.tell_frost(least);
        // `the hottest day`
        for (list, column, is_largest) in [(HOT, most, true), (COLD, least, false)] {
            if let Some(at) = self.position(list) {
                let start = if at > 0 && self.word(at - 1) == "am" { at - 1 } else { at };
                let superlative = crate::ask::pieces::Piece::of(
                    self.word(at).to_owned(),
                    Meaning::Word(Word::Extreme(is_largest, crate::ask::lexicon::Hint::None)),
                    super::TOGETHER,
                );
                let named = crate::ask::pieces::Piece::of(
                    self.table.columns[column].name.clone(),
                    Meaning::Column(column),
                    0,
                );
                self.put(start..at + 1, vec![superlative, named]);
            }
        }
    }

    /// `nights with frost (below 0 degrees)`
    fn tell_frost(&mut self, least: usize) {
        if let Some(at) = self.position(FROST) {
            let below = crate::query::Filter::Compare {
                column: least,
                comparison: crate::query::Comparison::Less,
                value: crate::query::Literal::Number(rust_decimal::Decimal::ZERO),
            };
            if let Some(words) = self.any_phrase(BELOW).filter(|words| words.start > at) {
                self.drop_words(words);
            }
            self.hold(at..at + 1, below, 1);
        }
    }
}
