//! Of whom a question speaks where it gives no name: "their", "its".

use super::vocabulary::Vocabulary;
use super::words::{IT, THEY, Word, is_in};
use crate::question::compound::Part;

/// The first word of a question that may speak of another part's answer than the part does which waits for one. These
/// words and those parts are as many.
pub fn unclear<'text>(
    vocabulary: &Vocabulary,
    asked: &'text [Word],
    places: &[usize],
    parts: &[Part],
) -> Option<&'text str> {
    let waiting = parts.iter().enumerate().filter_map(|(at, part)| Some((at, part.needs.as_ref()?.part)));
    let mut spoken = places.iter().map(|&at| asked[at].text.as_str()).zip(waiting);
    let unclear = spoken.find(|&(word, (at, needed))| {
        let is_record = |at: usize| parts[at].answers_with().is_some_and(|field| vocabulary.is_noun(field));
        // What was looked up of something is nobody.
        let finds = |part: &Part| part.text.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("which "));
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
