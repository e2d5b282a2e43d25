//! Where a value stands in a text.

use super::{Measure, Moment, Quantity, Scalar, measure};

/// The first place where a value stands in a text as a whole, its unit included: `42` does not stand in `420`, `fail` not in
/// `failed`.
pub fn anchor<'text>(text: &'text str, value: &str) -> Option<&'text str> {
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    text.match_indices(value).find_map(|(at, found)| {
        let end = at + found.len();
        let start = start_of(&text[..at], value).map(|extra| at - extra)?;
        let end = end + end_of(&text[end..], value)?;
        Some(&text[start..end])
    })
}

/// Bytes before the value that belong to it; `None` if the value begins inside a word or number.
fn start_of(before: &str, value: &str) -> Option<usize> {
    let first = value.chars().next()?;
    let mut backwards = before.chars().rev();
    let Some(previous) = backwards.next() else { return Some(0) };
    let further = backwards.next();
    let joined = in_word(previous) || previous == '.' && further.is_some_and(in_word);
    if in_word(first) && joined {
        return None;
    }
    if !first.is_ascii_digit() {
        return Some(0);
    }
    let sign_dropped = matches!(previous, '-' | '−') && !further.is_some_and(char::is_alphanumeric);
    if sign_dropped {
        return None;
    }
    let symbol = &before[before.len() - previous.len_utf8()..];
    let is_currency = measure(symbol).is_some_and(Measure::is_currency);
    let without_unit = || Quantity::parse(value).is_some_and(|quantity| quantity.unit.is_none());
    Some(if is_currency && without_unit() { symbol.len() } else { 0 })
}

/// Bytes after the value that belong to it; `None` if the value ends inside a word or number.
fn end_of(after: &str, value: &str) -> Option<usize> {
    let last = value.chars().next_back()?;
    let mut following = after.chars();
    let Some(next) = following.next() else { return Some(0) };
    if in_word(last) && next == '.' && following.next().is_some_and(in_word) {
        return None;
    }
    if last.is_ascii_digit() {
        let run_ends = after.find(|c: char| !(c.is_alphabetic() || c == '%' || c == '°'));
        let (run, rest) = after.split_at(run_ends.unwrap_or(after.len()));
        if measure(run).is_some() && !rest.starts_with(in_word) {
            return Some(run.len());
        }
        let day_of_time = next == 'T' && matches!(Scalar::parse(value), Scalar::Moment(Moment::Day(_)));
        return (day_of_time || !in_word(next)).then_some(0);
    }
    (!(in_word(last) && in_word(next))).then_some(0)
}

/// Characters that do not end a word: `card` is no copy of `card_declined`.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_as_a_whole_or_not_at_all() {
        let text = "order=420 took 412ms, $7 status=failed";
        let found = |value| anchor(text, value);
        assert_eq!((found("412"), found("7"), found("failed")), (Some("412ms"), Some("$7"), Some("failed")));
        assert_eq!((found("42"), found("fail"), found(" ")), (None, None, None));
    }
}
