//! `boys and girls compared`, `how many degrees warmer is the kitchen than the cellar`: two groups side by side, or one less the other.

use super::{Recast, TOGETHER};
use crate::ask::lexicon::{Hint, Word};
use crate::ask::pieces::{Meaning, Piece};

/// What stands between two groups that are compared.
const COMPARED: &[&str] = &[
    "compared with",
    "compared to",
    "in comparison with",
    "in comparison to",
    "versus",
    "vs",
    "as opposed to",
    "as against",
    "against",
    "im vergleich zu",
    "im vergleich zum",
    "im vergleich zur",
    "verglichen mit",
    "gegenüber",
];

/// Comparatives that say no more than that there is more or less of something.
const COMPARATIVES: &[&str] = &[
    "more",
    "less",
    "fewer",
    "higher",
    "lower",
    "larger",
    "smaller",
    "bigger",
    "warmer",
    "colder",
    "hotter",
    "cooler",
    "longer",
    "shorter",
    "heavier",
    "lighter",
    "faster",
    "slower",
    "older",
    "younger",
    "better",
    "worse",
    "cheaper",
    "dearer",
    "taller",
    "further",
    "farther",
    "mehr",
    "weniger",
    "höher",
    "niedriger",
    "größer",
    "kleiner",
    "wärmer",
    "kälter",
    "heißer",
    "länger",
    "kürzer",
    "schwerer",
    "leichter",
    "schneller",
    "langsamer",
    "älter",
    "jünger",
    "besser",
    "schlechter",
    "teurer",
    "billiger",
    "günstiger",
    "weiter",
];

impl Recast<'_> {
    /// `A compared with B`, `for A and for B`: a number of each.
    pub(super) fn tell_contrasts(&mut self) {
        if self.asks(|word| matches!(word, Word::Per | Word::Most(_) | Word::Share | Word::Difference(_))) {
            return;
        }
        let compared = self.any_phrase(COMPARED).filter(|words| self.is_whole(words));
        let joint = if let Some(words) = compared {
            Some((words.start, words.end))
        } else {
            // The preposition is said again.
            let again = (1..self.words.len().saturating_sub(1)).find(|at| {
                let preposition = self.word(at + 1);
                matches!(self.word(*at), "and" | "und" | ",")
                    && (matches!(
                        preposition,
                        "for"
                            | "in"
                            | "from"
                            | "by"
                            | "at"
                            | "on"
                            | "für"
                            | "im"
                            | "bei"
                            | "von"
                            | "aus"
                            | "über"
                            | "with"
                            | "mit"
                    ) && self.words[..*at].iter().any(|(word, _)| word == preposition)
                        || preposition == "wie"
                            && matches!(self.word(at + 2), "viel" | "viele" | "oft" | "hoch"))
            });
            again.map(|at| (at, at + 1))
        };
        let Some((start, end)) = joint else { return };
        // What stands between the joint and the second value.
        let before = (0..start).rev().take(4).find_map(|at| {
            let (_, piece) = self.words.get(at)?;
            self.said_value(at, None).map(|(column, values)| (*piece, column, values))
        });
        let Some((first, column, mut values)) = before else { return };
        let behind = (end..self.words.len().min(end + 7)).find_map(|at| {
            let (_, piece) = self.words.get(at)?;
            let (_, values) = self.said_value(at, Some(column))?;
            (*piece != first).then_some((*piece, values))
        });
        let Some((second, others)) = behind else { return };
        values.extend(others);
        let text = format!("{} and {}", self.pieces[first].text, self.pieces[second].text);
        let both = Piece::of(text, Meaning::Holds(Self::one_of(column, values)), TOGETHER);
        let parted = [
            Piece::of("per".to_owned(), Meaning::Word(Word::Per), 0),
            Piece::of(self.table.columns[column].name.clone(), Meaning::Column(column), 0),
        ];
        self.pieces.splice(first..=second, std::iter::once(both).chain(parted));
        self.changes += 1;
        self.count_words();
    }

    /// The value that a word is, of a certain column or of any: as it stands, or in another word for it, as `morning` of `am`.
    fn said_value(&self, at: usize, of: Option<usize>) -> Option<(usize, Vec<String>)> {
        let (word, piece) = self.words.get(at)?;
        let is_it = |column: usize| of.is_none_or(|wanted| wanted == column);
        if let Some((column, values)) = self.value_of(*piece).filter(|(column, _)| is_it(*column)) {
            return Some((column, values.to_vec()));
        }
        if word.chars().count() < 2 || !self.is_whole(&(at..at + 1)) {
            return None;
        }
        let others = crate::states::other_states(word).map(str::to_owned);
        let others = std::iter::once(word.clone()).chain(others);
        let mut hits = others.flat_map(|other| self.table.values().whole(&[other]));
        let hit = hits.find(|hit| is_it(hit.column))?;
        Some((hit.column, hit.spellings.iter().map(|(spelling, _)| spelling.clone()).collect()))
    }

    /// `with a shed and without one`, `mit und ohne Deckel`: of each.
    pub(super) fn tell_with_and_without(&mut self) {
        let Some(without) = self.position(&["without", "ohne"]) else { return };
        let Some(with) = (0..without).rev().find(|at| matches!(self.word(*at), "with" | "mit")) else {
            return;
        };
        let has_joint = (with + 1..without).any(|at| {
            matches!(self.word(at), "and" | "und" | "or" | "oder" | "vs" | "versus" | "to" | "against")
        });
        let ends: &[usize] = &[without + 3, without + 2, without + 1];
        let named = (with + 1..self.words.len().min(without + 4)).find_map(|at| {
            let column = self.column_of(self.words[at].1)?;
            matches!(self.table.columns[column].kind, crate::column::Kind::Boolean { .. })
                .then_some((at, column))
        });
        let Some((at, column)) = named.filter(|_| has_joint) else { return };
        let end = if at > without {
            at + 1
        } else {
            ends.iter()
                .copied()
                .find(|end| matches!(self.word(end - 1), "one" | "it" | "any" | "them"))
                .unwrap_or(without + 1)
        };
        if !self.is_whole(&(with..end)) {
            return;
        }
        let name = self.table.columns[column].name.clone();
        let per = Piece::of("per".to_owned(), Meaning::Word(Word::Per), TOGETHER);
        self.put(with..end, vec![per, Piece::of(name, Meaning::Column(column), 0)]);
    }

    fn one_of(column: usize, values: Vec<String>) -> crate::query::Filter {
        let values = values.into_iter().map(crate::query::Literal::Text).collect();
        crate::query::Filter::In { column, values }
    }

    /// `how many degrees warmer is the kitchen than the cellar`, `how many kilometres fewer in May than in April`.
    pub(super) fn tell_differences(&mut self) {
        if self.asks(|word| matches!(word, Word::Difference(_) | Word::Per)) {
            return;
        }
        let Some(asked) = self.any_phrase(&[
            "how many",
            "how much",
            "um wie viel",
            "um wie viele",
            "wie viel",
            "wie viele",
            "wieviel",
        ]) else {
            return;
        };
        let Some(than) = self.position(&["than", "als"]).filter(|than| *than > asked.end) else { return };
        let Some(comparative) = (asked.end..than).find(|at| COMPARATIVES.contains(&self.word(*at))) else {
            return;
        };
        // `how many ran more than 5 km` compares with a number.
        let is_pair = |at: usize| {
            let Some((_, piece)) = self.words.get(at) else { return false };
            self.pieces[*piece]
                .options
                .iter()
                .any(|(meaning, _)| matches!(meaning, Meaning::Value { .. } | Meaning::Time(_)))
        };
        let has_first = (asked.end..than).any(is_pair);
        let has_second = (than + 1..self.words.len().min(than + 6)).any(is_pair);
        if !has_first || !has_second || comparative + 1 == than {
            return;
        }
        let is_of_heat = matches!(
            self.word(comparative),
            "warmer" | "colder" | "hotter" | "cooler" | "wärmer" | "kälter" | "heißer"
        );
        let is_counted = self.word(asked.end - 1) == "many" || self.word(asked.end - 1) == "viele";
        // What is said of how much: `degrees`, `kilometres`, `orders`.
        let unit = (asked.end..comparative).find_map(|at| {
            let (word, _) = self.words.get(at)?;
            crate::ask::naming::columns_called(self.table, word)
                .into_iter()
                .find(|column| self.table.columns[*column].is_numeric() && !self.table.holds_codes(*column))
        });
        let by_heat = || crate::ask::superlatives::only_fitting(self.table, Hint::Temperature);
        let measure = unit.or_else(|| is_of_heat.then(by_heat)?);
        let is_records = measure.is_none() && is_counted;
        let mut instead =
            vec![Piece::of("the difference".to_owned(), Meaning::Word(Word::Difference(false)), TOGETHER)];
        if let Some(column) = measure {
            instead.push(Piece::of(self.table.columns[column].name.clone(), Meaning::Column(column), 0));
        } else if is_records {
            instead.insert(0, Piece::of("how many".to_owned(), Meaning::Word(Word::Count), 0));
        }
        self.put(asked.start..comparative + 1, instead);
        if let Some(than) = self.position(&["than", "als"]) {
            self.take(than..than + 1, Meaning::Word(Word::And), 0);
        }
    }
}
