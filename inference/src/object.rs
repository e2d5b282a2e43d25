//! The JSON object in a model's text, whatever stands around it.

use serde_json::{Map, Value};

/// Bytes of one answer that are read at all.
const LONGEST_ANSWER: usize = 256 * 1024;

/// Opening braces that are tried, so that a text of braces costs no more than a long one.
const MOST_STARTS: usize = 256;

/// Why a text holds no such object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// More text than an honest answer has.
    #[error("the answer has {found} bytes, at most {limit} are read")]
    TooLong {
        /// Bytes given.
        found: usize,
        /// Bytes read.
        limit: usize,
    },
    /// No JSON object with the key that was asked for.
    #[error("the answer holds no JSON object with {key:?}")]
    NotJson {
        /// The key.
        key: &'static str,
    },
}

/// Finds the last JSON object that has the key: Markdown fences, leading words and drafts that a
/// model thinks aloud are passed over.
pub fn object_with(key: &'static str, text: &str) -> Result<Map<String, Value>, ObjectError> {
    if text.len() > LONGEST_ANSWER {
        return Err(ObjectError::TooLong { found: text.len(), limit: LONGEST_ANSWER });
    }
    let mut last = None;
    let mut at = 0;
    for _ in 0..MOST_STARTS {
        let Some(start) = text[at..].find('{').map(|offset| at + offset) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        at = match values.next() {
            Some(Ok(object)) => {
                let end = start + values.byte_offset();
                if object.contains_key(key) {
                    last = Some(object);
                }
                end
            }
            _ => start + 1,
        };
    }
    last.ok_or(ObjectError::NotJson { key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_words_and_drafts_around_the_object_are_passed_over() {
        for text in [
            "{\"matches\":[1]}",
            "Sure! Here it is:\n```json\n{\"matches\": [1]}\n```\nAnything else?",
            "<think>{not json} maybe {\"matches\":[7]}</think>{\"matches\":[1]}",
            "{\"other\":{}} {\"matches\":[1]} {\"other\":2}",
        ] {
            assert_eq!(
                object_with("matches", text).map(|object| object["matches"][0].clone()),
                Ok(1.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn text_without_the_object_is_refused_at_bounded_cost() {
        for text in [String::new(), "none".to_owned(), "{".repeat(200_000), "{\"found\":true}".to_owned()] {
            assert_eq!(object_with("matches", &text), Err(ObjectError::NotJson { key: "matches" }));
        }
        assert!(matches!(object_with("matches", &"x".repeat(300_000)), Err(ObjectError::TooLong { .. })));
    }
}
