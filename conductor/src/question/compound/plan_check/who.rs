//! Whom a question speaks of where it gives no name: "who", "their", "its".

use std::collections::HashSet;

use super::Said;
use super::words::{IT, THEY, Word, is_in};
use crate::question::FieldHint;
use crate::question::Values;
use crate::question::compound::Part;
use crate::question::fields::spelled;
use crate::question::lexicon::{LEVEL_FIELDS, STATUS_WORDS};

/// What people are called in documents.
const PERSONS: &str = "user customer client buyer member owner agent driver guest seller employee patient player author sender \
    supplier receiver recipient reader writer visitor tenant student teacher person people assignee reporter operator \
    technician manager worker vendor merchant courier contact subscriber caller username login";

impl Said<'_> {
    /// The fields that "who" may be: the one that is called like a person, else the only one of words that tells neither a
    /// state nor the records; none where that is not clear.
    pub(super) fn persons(&self) -> HashSet<String> {
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

    /// The first word of a question that may speak of another part's answer than the part does which waits for one. These
    /// words and those parts are as many.
    pub(super) fn unclear<'text>(
        &self,
        asked: &'text [Word],
        places: &[usize],
        parts: &[Part],
    ) -> Option<&'text str> {
        let waiting = parts.iter().enumerate().filter_map(|(at, part)| Some((at, part.needs.as_ref()?.part)));
        let mut spoken = places.iter().map(|&at| asked[at].text.as_str()).zip(waiting);
        let unclear = spoken.find(|&(word, (at, needed))| {
            let is_record = |at: usize| parts[at].answers_with().is_some_and(|field| self.is_noun(field));
            // What was looked up of something is nobody.
            let finds =
                |part: &Part| part.text.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("which "));
            let found: Vec<usize> = (0..at)
                .filter(|&at| {
                    parts[at].answers_with().is_some() && (finds(&parts[at]) || is_record(at) || at == needed)
                })
                .collect();
            if is_in(IT, word) {
                return found.last() != Some(&needed);
            }
            let people = found.iter().filter(|at| !is_record(**at)).count();
            is_in(THEY, word) && (people > 1 || people == 1 && is_record(needed))
        });
        unclear.map(|(word, _)| word)
    }
}
