//! A reader's answer as claims.
//!
//! A reader answers with JSON ([`SCHEMA`]): for each claim first the lines that it rests on, then the claim in one
//! self-contained sentence. Models cut answers short, add fences, write `"12-14"` for `[12, 14]` and forget fields.
//! A bad entry costs itself and never the answer; everything has a limit, which the schema states.

use serde_json::Value;

use super::claim::{Claim, LineRange, Quote};

/// Claims that are read from one answer.
pub const MOST_CLAIMS: usize = 24;
/// Characters of one claim.
pub const LONGEST_CLAIM_CHARS: usize = 400;
/// Quotes that one claim may rest on.
pub const MOST_QUOTES: usize = 6;
/// Lines of one quote.
pub const MOST_LINES: u32 = 24;
/// Characters of words that a reader copied for one quote.
pub const LONGEST_WORDS_CHARS: usize = 1_000;
/// Bytes of an answer that are looked at.
const LONGEST_ANSWER: usize = 256 * 1024;
/// Entries that are looked at, good and bad.
const MOST_ENTRIES: usize = 4 * MOST_CLAIMS;

/// The JSON schema of a reader's answer. Lines stand before the claim, so that a model looks for support before it
/// states anything.
pub const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "claims": {
      "type": "array",
      "maxItems": 24,
      "items": {
        "type": "object",
        "properties": {
          "lines": {
            "type": "array",
            "minItems": 1,
            "maxItems": 6,
            "items": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}
          },
          "claim": {"type": "string", "minLength": 1, "maxLength": 400}
        },
        "required": ["lines", "claim"],
        "additionalProperties": false
      }
    }
  },
  "required": ["claims"],
  "additionalProperties": false
}"#;

/// Why an entry of an answer is no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Dropped {
    /// It is not an object, or it is cut short.
    #[error("the entry is not a JSON object")]
    NotAnObject,
    /// Without a sentence.
    #[error("the entry states nothing")]
    NoText,
    /// Without lines.
    #[error("the claim names no lines")]
    NoLines,
    /// Longer than the schema allows.
    #[error("the claim has more than {LONGEST_CLAIM_CHARS} characters")]
    TooLong,
    /// More quotes, or longer ones, than the schema allows.
    #[error("the claim rests on too many lines")]
    TooManyLines,
    /// There were more entries than are read.
    #[error("the answer has more than {MOST_CLAIMS} claims")]
    TooMany,
}

/// What an answer comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its claims, in its order, each text once per set of lines.
    pub claims: Vec<Claim>,
    /// Why other entries are none.
    pub dropped: Vec<Dropped>,
    /// Whether there was a list of claims at all; an empty one says that the part has nothing.
    pub is_readable: bool,
}

impl Answer {
    /// Reads an answer. Nothing panics, and no more is kept than the limits allow.
    pub fn parse(answer: &str) -> Self {
        let mut end = answer.len().min(LONGEST_ANSWER);
        while !answer.is_char_boundary(end) {
            end -= 1;
        }
        let mut read = Self::default();
        let Some(entries) = entries(&answer[..end]) else { return read };
        read.is_readable = true;
        for entry in entries {
            match claim(entry) {
                Ok(_) if read.claims.len() >= MOST_CLAIMS => read.dropped.push(Dropped::TooMany),
                Ok(claim) if read.claims.contains(&claim) => {}
                Ok(claim) => read.claims.push(claim),
                Err(dropped) => read.dropped.push(dropped),
            }
        }
        read
    }
}

/// The texts of the objects in the list of claims; `None` if there is no list.
fn entries(answer: &str) -> Option<Vec<&str>> {
    // A model that thinks aloud may name the field before it fills it.
    let named = answer.match_indices("\"claims\"").find_map(|(at, name)| {
        let rest = answer[at + name.len()..].trim_start().strip_prefix(':')?;
        rest.trim_start().strip_prefix('[')
    });
    // Some models leave the object around the list out. "[nothing]" of a sentence is no list.
    let bare = || {
        let lists = answer.match_indices('[').map(|(at, _)| &answer[at + 1..]);
        lists.into_iter().find(|list| list.trim_start().starts_with(['{', ']']))
    };
    let list = named.or_else(bare)?;
    let mut found = Vec::new();
    let (mut depth, mut start, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for (at, byte) in list.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' | b']' if depth == 0 => return Some(found),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    found.push(&list[start..=at]);
                    if found.len() >= MOST_ENTRIES {
                        return Some(found);
                    }
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        found.push(&list[start..]);
    }
    Some(found)
}

fn claim(entry: &str) -> Result<Claim, Dropped> {
    let Ok(Value::Object(entry)) = serde_json::from_str::<Value>(entry) else {
        return Err(Dropped::NotAnObject);
    };
    let first = |names: &[&str]| names.iter().find_map(|name| entry.get(*name));
    let text = first(&["claim", "text"]).and_then(Value::as_str).map(frlm_util::text::collapse_whitespace);
    let text = text.filter(|text| text.chars().any(char::is_alphanumeric)).ok_or(Dropped::NoText)?;
    if text.chars().count() > LONGEST_CLAIM_CHARS {
        return Err(Dropped::TooLong);
    }
    let mut quotes = Vec::new();
    if let Some(lines) = first(&["lines", "quotes", "quote"]) {
        read_quotes(lines, &mut quotes);
    }
    quotes.sort();
    quotes.dedup();
    if quotes.is_empty() {
        return Err(Dropped::NoLines);
    }
    let fits =
        |quote: &Quote| quote.lines.len() <= MOST_LINES && quote.words.chars().count() <= LONGEST_WORDS_CHARS;
    if quotes.len() > MOST_QUOTES || !quotes.iter().all(fits) {
        return Err(Dropped::TooManyLines);
    }
    Ok(Claim { text, quotes })
}

/// `[[12, 14], [20, 20]]`, `[12, 14]` as two lines of one range, `"12-14, 20"`, `{"line": 12, "quote": "…"}`, `12`.
fn read_quotes(value: &Value, quotes: &mut Vec<Quote>) {
    match value {
        Value::Number(_) => quotes.extend(line(value).map(|line| bare(line, line))),
        Value::String(text) => {
            for part in text.split([',', ';']) {
                let numbers: Vec<u32> = part
                    .split(|c: char| !c.is_ascii_digit())
                    .filter(|digits| !digits.is_empty())
                    .filter_map(|digits| digits.parse().ok().filter(|line| *line > 0))
                    .collect();
                match numbers[..] {
                    [first] => quotes.push(bare(first, first)),
                    [first, last] => quotes.push(bare(first, last)),
                    _ => {}
                }
            }
        }
        Value::Array(items) => match items.as_slice() {
            [first, last] if first.is_number() && last.is_number() => {
                quotes.extend(line(first).zip(line(last)).map(|(first, last)| bare(first, last)));
            }
            items => items.iter().take(2 * MOST_QUOTES).for_each(|item| read_quotes(item, quotes)),
        },
        Value::Object(fields) => {
            let words = ["words", "quote", "text"].iter().find_map(|name| fields.get(*name)?.as_str());
            let before = quotes.len();
            for name in ["lines", "line"] {
                if let Some(lines) = fields.get(name) {
                    read_quotes(lines, quotes);
                }
            }
            let ends = ["from", "to"].map(|name| fields.get(name).and_then(line));
            if let [Some(first), last] = ends {
                quotes.push(bare(first, last.unwrap_or(first)));
            }
            if let [quote] = &mut quotes[before..] {
                words.unwrap_or_default().trim().clone_into(&mut quote.words);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn line(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
}

fn bare(first: u32, last: u32) -> Quote {
    Quote { lines: LineRange::new(first, last), words: String::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranges(answer: &str) -> Vec<Vec<(u32, u32)>> {
        let read = Answer::parse(answer);
        read.claims
            .iter()
            .map(|claim| claim.quotes.iter().map(|quote| (quote.lines.first(), quote.lines.last())).collect())
            .collect()
    }

    #[test]
    fn an_answer_as_the_schema_asks_is_read_in_full() {
        let answer = r#"{"claims": [{"lines": [[3, 4], [9, 9]], "claim": "The rent is  900 EUR."}]}"#;
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert!(crate::satisfies(&schema, answer).is_ok());
        let read = Answer::parse(answer);
        assert_eq!(read.claims[0].text, "The rent is 900 EUR.");
        assert_eq!(ranges(answer), [[(3, 4), (9, 9)]]);
        assert!(read.dropped.is_empty() && read.is_readable);
    }

    #[test]
    fn the_limits_in_the_schema_are_the_codes_own() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let claims = &schema["properties"]["claims"];
        assert_eq!(claims["maxItems"], MOST_CLAIMS);
        assert_eq!(claims["items"]["properties"]["claim"]["maxLength"], LONGEST_CLAIM_CHARS);
        assert_eq!(claims["items"]["properties"]["lines"]["maxItems"], MOST_QUOTES);
    }

    #[test]
    fn lines_are_read_in_every_way_models_write_them() {
        for lines in ["12", "\"12\"", "[12]", "[12, 12]", "[[12, 12]]", "[\"L12\"]", "{\"line\": 12}"] {
            assert_eq!(
                ranges(&format!("{{\"claims\": [{{\"claim\": \"x\", \"lines\": {lines}}}]}}")),
                [[(12, 12)]]
            );
        }
        let three = "{\"claims\": [{\"claim\": \"x\", \"lines\": \"14-12, 20; 31 to 33\"}]}";
        assert_eq!(ranges(three), [[(12, 14), (20, 20), (31, 33)]]);
        let objects =
            "[{\"text\": \"x\", \"quotes\": [{\"from\": 2, \"to\": 3}, {\"line\": 7, \"quote\": \"a b\"}]}]";
        assert_eq!(ranges(objects), [[(2, 3), (7, 7)]]);
        assert_eq!(Answer::parse(objects).claims[0].quotes[1].words, "a b");
    }

    #[test]
    fn a_bad_entry_costs_itself_and_a_cut_answer_its_last_claim() {
        let answer = "Here:\n```json\n{\"claims\": [{\"claim\": \"a}\\\"\", \"lines\": [[1, 1]]}, {\"claim\": 7}, \
                      {\"claim\": \"b\"}, {\"claim\": \"c\", \"lines\": [[2, 2]]}, {\"claim\": \"d\", \"li";
        let read = Answer::parse(answer);
        assert_eq!(read.claims.iter().map(|claim| claim.text.as_str()).collect::<Vec<_>>(), ["a}\"", "c"]);
        assert_eq!(read.dropped, [Dropped::NoText, Dropped::NoLines, Dropped::NotAnObject]);
        for prose in ["I found nothing.", "I found [nothing] here.", "The field \"claims\" stays empty."] {
            assert!(!Answer::parse(prose).is_readable, "{prose}");
        }
        let aloud = "I fill \"claims\" now: {\"claims\": [{\"claim\": \"a\", \"lines\": 1}]}";
        assert_eq!(Answer::parse(aloud).claims.len(), 1);
        assert!(Answer::parse("{\"claims\": []}").is_readable);
    }

    #[test]
    fn what_exceeds_a_limit_is_dropped_with_its_reason() {
        let entry = |claim: &str, lines: &str| format!("{{\"claim\": \"{claim}\", \"lines\": {lines}}}");
        let of =
            |entries: &[String]| Answer::parse(&format!("{{\"claims\": [{}]}}", entries.join(","))).dropped;
        assert_eq!(of(&[entry(&"x".repeat(401), "[[1, 1]]")]), [Dropped::TooLong]);
        assert_eq!(of(&[entry("x", "[[1, 25]]")]), [Dropped::TooManyLines]);
        assert_eq!(
            of(&[entry("x", "[[1,1],[3,3],[5,5],[7,7],[9,9],[11,11],[13,13]]")]),
            [Dropped::TooManyLines]
        );
        let many: Vec<String> = (1..=25).map(|line| entry("x", &line.to_string())).collect();
        assert_eq!(of(&many), [Dropped::TooMany]);
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "[\\[\\]{}\":, a-c0-9\\\\]{0,120}") {
            let list = format!("{{\"claims\": [{answer}");
            for text in [answer.as_str(), list.as_str()] {
                prop_assert!(Answer::parse(text).claims.len() <= MOST_CLAIMS);
            }
        }
    }
}
