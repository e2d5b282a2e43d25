//! "Was the largest of these orders shipped?": a value is found and held against the word at the end.

use super::super::fields::FieldHints;
use super::super::lexicon::{LARGEST, SMALLEST};
use super::super::parse;
use super::super::phrase::{Field, Phrase};
use super::super::tokens::tokens;
use crate::query::{Query, Reduction};

/// Reads a question that is answered with yes or no after one value was found. Returns what to find,
/// and the value that means yes.
pub fn read(text: &str, hints: &FieldHints) -> Option<(Query, String)> {
    let rest = ["was ", "were ", "is ", "are ", "has ", "had "].iter().find_map(|word| {
        text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..])
    })?;
    let (subject, wanted) = rest.trim_end().rsplit_once(char::is_whitespace)?;
    let field = field_of(wanted, hints)?;
    let subject = subject.trim().trim_end_matches(" been").trim_end_matches(" marked").trim();
    let bare = subject.strip_prefix("the ").unwrap_or(subject);
    let query = match extreme(bare, hints) {
        Some(words) => {
            let mut query = parse(&words, hints).filter(|query| query.report.is_none())?;
            query.report = Some(field);
            query
        }
        None => parse(&format!("what is the {field} of {subject}"), hints).filter(|query| {
            matches!(query.reduction, Reduction::Find | Reduction::First | Reduction::Last)
        })?,
    };
    let fixed = query.conditions.iter().any(|condition| Some(&condition.field) == query.report.as_ref());
    (!fixed).then(|| (query, wanted.to_owned()))
}

/// "largest of mara's orders" as a question after an amount: the only number there is, if none is named.
fn extreme(subject: &str, hints: &FieldHints) -> Option<String> {
    let (superlative, rest) = subject.split_once(' ')?;
    let lower = superlative.to_lowercase();
    if !LARGEST.contains(&lower.as_str()) && !SMALLEST.contains(&lower.as_str()) {
        return None;
    }
    let Some(among) = rest.strip_prefix("of ") else { return whose(superlative, rest, hints) };
    let among = among.strip_prefix("the ").unwrap_or(among);
    Some(format!("what is the {superlative} {} of {among}", only_amount(hints)?))
}

/// "largest order of mara": the order with the largest amount.
fn whose(superlative: &str, rest: &str, hints: &FieldHints) -> Option<String> {
    let (noun, among) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_measure = hints
        .named(noun)
        .is_some_and(|hint| Field { name: hint.name.clone(), hint: Some(hint) }.can_be_added());
    if is_measure {
        return Some(format!("what is the {superlative} {rest}"));
    }
    Some(
        format!("what is the {superlative} {} of {noun}s {among}", only_amount(hints)?).trim_end().to_owned(),
    )
}

/// The one field whose values can be added up.
fn only_amount(hints: &FieldHints) -> Option<String> {
    let mut amounts = hints
        .fields()
        .iter()
        .map(|hint| Field { name: hint.name.clone(), hint: Some(hint) })
        .filter(Field::can_be_added);
    let only = amounts.next()?;
    amounts.next().is_none().then_some(only.name)
}

/// The field that a single word is a value of.
fn field_of(word: &str, hints: &FieldHints) -> Option<String> {
    let tokens = tokens(word)?;
    let mut phrase = Phrase::new(word, &tokens, hints);
    let condition = phrase.bare_value()?;
    phrase.is_done().then_some(condition.field)
}
