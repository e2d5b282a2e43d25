//! `key=value` lines, as logfmt and many programs write them.

use super::line_number;
use crate::raw::{Gathered, RawTable};

/// Longest name of a key.
const MAX_KEY_BYTES: usize = 60;

/// A line taken apart: its pairs, and the words that belong to none.
pub(super) struct Pairs {
    pub pairs: Vec<(String, String)>,
    pub other_words: usize,
}

/// Whether a line is made of pairs, from its beginning.
pub(super) fn is_line(line: &str) -> bool {
    let starts = line.split_whitespace().next().is_some_and(|word| key_of(word).is_some());
    if !starts {
        return false;
    }
    let found = pairs(line, true);
    found.pairs.len() >= 2 && found.other_words == 0
}

/// Every line that has a pair is a record.
pub(super) fn read(text: &str) -> RawTable {
    let mut gathered = Gathered::default();
    let mut unreadable = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let number = line_number(index);
        let found = pairs(line, true);
        if found.pairs.is_empty() {
            unreadable.push(number);
        } else {
            gathered.push((number, number), found.pairs);
        }
    }
    let mut table = gathered.into_table();
    if let Some(first) = unreadable.first() {
        table.unreadable_lines = unreadable.len() as u64;
        table.notes.push(format!("{} lines have no field (the first is line {first})", unreadable.len()));
    }
    table
}

/// The pairs of a line. With `joined`, words behind an unquoted value belong to it: `user=John Smith id=3`.
pub(super) fn pairs(line: &str, joined: bool) -> Pairs {
    let mut found = Pairs { pairs: Vec::new(), other_words: 0 };
    let mut rest = line.trim_start();
    let mut may_join = false;
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..end];
        let Some(key) = key_of(word) else {
            match found.pairs.last_mut() {
                Some((_, value)) if joined && may_join => {
                    value.push(' ');
                    value.push_str(word);
                }
                _ => found.other_words += 1,
            }
            rest = rest[end..].trim_start();
            continue;
        };
        let name = key.to_owned();
        let behind = &rest[key.len() + 1..];
        let (value, after, bare) = value_of(behind);
        may_join = bare;
        found.pairs.push((name, value));
        rest = after.trim_start();
    }
    found
}

/// The key of a word such as `key=…`.
fn key_of(word: &str) -> Option<&str> {
    let (key, _) = word.split_once('=')?;
    let first = key.chars().next()?;
    let fits = (first.is_alphabetic() || first == '_' || first == '@')
        && key.len() <= MAX_KEY_BYTES
        && key.chars().all(|letter| letter.is_alphanumeric() || "_.-@/".contains(letter));
    fits.then_some(key)
}

/// A value, what stands behind it, and whether it was written without quotes.
fn value_of(text: &str) -> (String, &str, bool) {
    let Some(quote @ ('"' | '\'')) = text.chars().next() else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].trim_end_matches([',', ';']).to_owned(), &text[end..], true);
    };
    let mut value = String::new();
    let mut escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        if escaped {
            value.push(if letter == 'n' { '\n' } else { letter });
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == quote {
            let after = &text[index + quote.len_utf8()..];
            return (value, after.trim_start_matches([',', ';']), false);
        } else {
            value.push(letter);
        }
    }
    // A quote that is never closed is a sign like any other.
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_escapes_and_words_behind_a_value_are_kept() {
        let found =
            pairs(r#"ts=2026-03-04T10:00:00Z user=John Smith msg="said \"hi\" = no" ok=true, n=3;"#, true);
        let expected = [
            ("ts", "2026-03-04T10:00:00Z"),
            ("user", "John Smith"),
            ("msg", "said \"hi\" = no"),
            ("ok", "true"),
            ("n", "3"),
        ];
        assert_eq!(found.pairs, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn prose_with_one_equals_sign_is_no_line_of_pairs() {
        assert!(!is_line("where a=b holds"));
        assert!(!is_line("a=b"));
        assert!(is_line("a=b c=\"d e\""));
    }

    #[test]
    fn an_open_quote_takes_one_word() {
        assert_eq!(pairs("a=\"b c=d", true).pairs.len(), 2);
    }
}
