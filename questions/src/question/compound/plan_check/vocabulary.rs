//! What the documents say that words are: fields, values, what their records are called, and whom "who" may be.

use std::collections::HashSet;

use super::words::{COUNTING, POINTING, Word, is_in};
use crate::question::fields::{FieldHint, FieldHints, Values, spelled};
use crate::question::lexicon::{CORE_NUMBERS, LEVEL_FIELDS, STATUS_WORDS, in_singular, singular};

/// What people are called in documents.
const PERSONS: &str = "user customer client buyer member owner agent driver guest seller employee patient player author sender \
    supplier receiver recipient reader writer visitor tenant student teacher person people assignee reporter operator \
    technician manager worker vendor merchant courier contact subscriber caller username login";

/// The words of the documents.
pub struct Vocabulary<'hints> {
    hints: &'hints FieldHints,
}

impl<'hints> Vocabulary<'hints> {
    pub fn of(hints: &'hints FieldHints) -> Self {
        Self { hints }
    }

    /// The field that a word names.
    pub fn field(&self, word: &str) -> Option<String> {
        let named = self.hints.named(word).or_else(|| self.hints.named(&singular(word)?));
        named.map(|hint| hint.name.clone())
    }

    /// Whether records are called so. An amount of which no two are the same is none.
    pub fn is_noun(&self, word: &str) -> bool {
        let one = in_singular(word);
        let many = if word == one { format!("{one}s") } else { word.to_owned() };
        let measures = |hint: &FieldHint| {
            let named = spelled(&hint.name).split(' ').any(|part| CORE_NUMBERS.contains(&part));
            named || !hint.units.is_empty()
        };
        self.hints.is_record_noun(&one, &many) && !self.hints.named(&one).is_some_and(measures)
    }

    pub fn is_value(&self, word: &str) -> bool {
        word.chars().any(|c| c.is_ascii_digit())
            || self.hints.statuses().contains(word)
            || !self.hints.owners(word).is_empty()
    }

    /// Whether a word is one of the documents'.
    pub fn is_thing(&self, word: &str) -> bool {
        self.is_value(word) || self.is_noun(word) || self.field(word).is_some()
    }

    /// Whether a word asks how many.
    pub fn counts(&self, word: &str) -> bool {
        is_in(COUNTING, word) && (word != "number" || self.field(word).is_none())
    }

    /// Whether what stands here points at somebody or something before.
    pub fn points(&self, text: &[Word], at: usize) -> bool {
        let noun =
            text.get(at + 1).is_some_and(|next| self.is_noun(&next.text) || self.field(&next.text).is_some());
        is_in(POINTING, &text[at].text) && noun
    }

    /// The fields that "who" may be: the one that is called like a person, else the only one of words that tells neither a
    /// state nor the records; none where that is not clear.
    pub fn persons(&self) -> HashSet<String> {
        let fields = self.hints.fields();
        let is_person = |field: &&FieldHint| spelled(&field.name).split(' ').any(|word| is_in(PERSONS, word));
        let may_be = |field: &&FieldHint| {
            let is_state = STATUS_WORDS.iter().any(|word| self.hints.has_value(field, word));
            let is_level = LEVEL_FIELDS.contains(&spelled(&field.name).as_str());
            field.values == Values::Words
                && !field.is_constant
                && !field.names_record
                && !is_state
                && !is_level
        };
        let mut found: Vec<&FieldHint> = fields.iter().filter(is_person).collect();
        if found.is_empty() {
            found = fields.iter().filter(may_be).collect();
        }
        match found.as_slice() {
            [only] => HashSet::from([only.name.clone()]),
            _ => HashSet::new(),
        }
    }
}
