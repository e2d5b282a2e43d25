//! The words of a question, and the columns that they name.

use super::called::number_called;
use crate::table::Table;

/// The words of a question, as written and folded.
pub(super) struct Said<'q> {
    pub written: Vec<&'q str>,
    pub low: Vec<String>,
}

impl<'q> Said<'q> {
    pub fn of(question: &'q str) -> Self {
        Self::of_words(question.split_whitespace().collect())
    }

    pub fn of_words(written: Vec<&'q str>) -> Self {
        let bare = |word: &&str| {
            word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '²').to_lowercase()
        };
        let low = written.iter().map(bare).collect();
        Self { written, low }
    }

    pub fn has(&self, list: &[&str]) -> bool {
        self.low.iter().any(|word| list.contains(&word.as_str()))
    }

    pub fn position(&self, list: &[&str]) -> Option<usize> {
        self.low.iter().position(|word| list.contains(&word.as_str()))
    }

    /// The question with other words in place of some.
    pub fn with(&self, places: std::ops::Range<usize>, instead: &str) -> String {
        let mut words: Vec<&str> = self.written[..places.start].to_vec();
        words.push(instead);
        words.extend(&self.written[places.end..]);
        words.join(" ")
    }

    /// The column of numbers that words from a place on name, and how many words these are.
    pub fn column_at(&self, table: &Table, at: usize) -> Option<(usize, usize)> {
        (1..=3.min(self.low.len().saturating_sub(at))).rev().find_map(|length| {
            let phrase = self.low[at..at + length].join(" ");
            Some((number_called(table, &phrase)?, length))
        })
    }

    /// The same of words before a place.
    pub fn column_before(&self, table: &Table, at: usize) -> Option<(usize, usize)> {
        (1..=3.min(at)).rev().find_map(|length| {
            let phrase = self.low[at - length..at].join(" ");
            Some((number_called(table, &phrase)?, length))
        })
    }

    /// Whether something else than a sum is asked for.
    pub fn ranks_or_averages(&self) -> bool {
        self.low.iter().any(|word| {
            word.ends_with("est") && word.len() > 5
                || word.starts_with("durchschnitt")
                || matches!(
                    word.as_str(),
                    "most"
                        | "least"
                        | "average"
                        | "mean"
                        | "median"
                        | "avg"
                        | "höchste"
                        | "höchsten"
                        | "größte"
                        | "größten"
                        | "best"
                        | "worst"
                        | "meisten"
                        | "kleinste"
                        | "kleinsten"
                        | "niedrigste"
                        | "niedrigsten"
                        | "total"
                        | "sum"
                        | "summe"
                )
        })
    }

    /// A name in place of some words, added up unless the question says what else to make of it.
    pub fn asking_for(&self, places: std::ops::Range<usize>, name: &str) -> String {
        // `the difference between total X and total Y` is a total, too.
        let others = [&self.written[..places.start], &self.written[places.end..]].concat();
        let total = if Self::of_words(others).ranks_or_averages() { "" } else { "total " };
        self.with(places, &format!("{total}\"{name}\""))
    }
}

pub(super) const ARTICLES: &[&str] = &[
    "the",
    "der",
    "die",
    "das",
    "den",
    "dem",
    "a",
    "an",
    "our",
    "my",
    "unsere",
    "unseren",
    "all",
    "alle",
    "allen",
    "aller",
    "sämtliche",
    "gesamten",
    "gesamte",
    "gesamtes",
    "total",
    "overall",
    "their",
    "its",
    "in",
];
