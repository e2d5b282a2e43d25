//! What an earlier part's answer is called in a later one: "that user".

use super::super::fields::{FieldHints, Values, spelled};
use super::super::lexicon::singular;
use super::super::phrase::Phrase;
use super::super::tokens::tokens;
use super::{Need, Part};
use crate::query::Condition;

const POINTERS: [&str; 4] = ["that", "this", "the same", "said"];

/// Stands for the answer until it is known. No document has it, and no question.
const SOME_WORD: &str = "referent7q4x";
/// The same where values are numbers.
const SOME_NUMBER: &str = "90071992547409917";

/// A part with a stand-in where it speaks of an earlier part's answer.
#[derive(Debug)]
pub struct Resolved {
    /// The text to be read.
    pub text: String,
    referent: Option<Referent>,
}

/// A reading that lost what the part speaks of.
#[derive(Debug)]
pub struct NoPlace;

#[derive(Debug)]
struct Referent {
    part: usize,
    stand_in: &'static str,
}

/// Finds out what a part speaks of; `None` if it points at something that no earlier part answers.
pub fn resolve(text: &str, earlier: &[Part], hints: &FieldHints) -> Option<Resolved> {
    let Some((start, after)) = pointer(text) else {
        return Some(Resolved { text: text.to_owned(), referent: None });
    };
    let noun_end = after + text[after..].find(char::is_whitespace).unwrap_or(text.len() - after);
    let noun = &text[after..noun_end];
    let bare = noun.trim_end_matches([',', '?', '.']);
    let owner = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s"));
    let noun = owner.unwrap_or(bare);
    let same = |name: &str| {
        let (name, noun) = (spelled(name), spelled(noun));
        name == noun
            || name.split(' ').any(|word| word == noun)
            || singular(&noun).is_some_and(|noun| noun == name)
    };
    // The latest that fits: "that order" after two of them is the second.
    let part = earlier.iter().rposition(|part| part.answers_with().is_some_and(same))?;
    let noun_tokens = tokens(noun)?;
    let mut phrase = Phrase::new(noun, &noun_tokens, hints);
    let field = phrase.field().filter(|_| phrase.is_done())?;
    let stand_in = match field.hint.map(|hint| hint.values) {
        Some(Values::Numbers) => SOME_NUMBER,
        Some(Values::Moments) => return None,
        // Documents that name no fields: what tells records apart is mostly a number.
        None if field.names_record() || field.can_be_added() => SOME_NUMBER,
        Some(Values::Words) | None => SOME_WORD,
    };
    let named = format!("{} {stand_in}", spelled(&field.name));
    let (before, rest) = (&text[..start], text[noun_end..].trim_start());
    let text = if owner.is_some() {
        // "that user's orders" are the orders of that user.
        let (noun, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        format!("{before}{noun} of {named} {rest}")
    } else {
        format!("{before}{named} {rest}")
    };
    // One answer is waited for, once.
    pointer(&text)
        .is_none()
        .then(|| Resolved { text: text.trim_end().to_owned(), referent: Some(Referent { part, stand_in }) })
}

impl Resolved {
    /// Where the answer has its place in what was read, if the part speaks of one.
    ///
    /// # Errors
    ///
    /// It speaks of one, and what was read has no place for it.
    pub fn need(&self, conditions: &[Condition]) -> Result<Option<Need>, NoPlace> {
        let Some(referent) = &self.referent else { return Ok(None) };
        let place = conditions.iter().position(|condition| condition.value == referent.stand_in);
        Ok(Some(Need { part: referent.part, condition: place.ok_or(NoPlace)? }))
    }
}

/// The text with the answer where it is pointed at: "for that user" → "for user mara", "that user's orders" → "orders
/// of user mara".
pub fn spelled_out(text: &str, answer: &str) -> Option<String> {
    let (start, after) = pointer(text)?;
    let noun_end = after + text[after..].find(char::is_whitespace).unwrap_or(text.len() - after);
    let noun = text[after..noun_end].trim_end_matches([',', '?', '.']);
    let (before, rest) = (&text[..start], text[noun_end..].trim_start());
    let text = match noun.strip_suffix("'s").or_else(|| noun.strip_suffix("’s")) {
        None => format!("{before}{noun} {answer} {rest}"),
        Some(owner) => {
            let (noun, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            format!("{before}{noun} of {owner} {answer} {rest}")
        }
    };
    Some(text.trim_end().to_owned())
}

/// Where a pointing word begins, and where what it points at does.
fn pointer(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let found = POINTERS.iter().filter_map(|word| {
        let at = lower.match_indices(word).map(|(at, _)| at).find(|&at| {
            let before = lower[..at].chars().next_back();
            before.is_none_or(char::is_whitespace) && lower[at + word.len()..].starts_with(' ')
        })?;
        // "orders that failed" points at nothing.
        let after = at + word.len() + 1;
        let verb =
            ["was", "were", "is", "are", "has", "have", "had", "mention", "mentions", "contain", "contains"];
        let next = lower[after..].split_whitespace().next()?;
        (*word != "that" || at == 0 || !verb.contains(&next) && points(&lower[..at])).then_some((at, after))
    });
    found.min()
}

/// "for that user", "of that user" point; "orders that failed" does not.
fn points(before: &str) -> bool {
    const BEFORE: [&str; 19] = [
        "for", "of", "by", "from", "to", "with", "about", "in", "at", "on", "did", "does", "has", "had",
        "was", "is", "were", "are", "and",
    ];
    before.split_whitespace().next_back().is_none_or(|word| BEFORE.contains(&word))
}
