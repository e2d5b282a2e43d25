//! Tier 1: what a provider checks before it sends an answer.
//!
//! After seeds/verifier-block.md, "Tier 1: Node-Level (Self-Validation)": format, constraints, length
//! and obvious errors, in far less than its 0.1 s and without another generation. The section's
//! self-confidence is [`frlm_inference::Answer::probability`]; it is reported beside the answer and
//! never judged here, because nothing calibrates it at this tier.
//!
//! The check errs towards letting an answer through. A bad answer that passes meets three more
//! tiers, a good answer that is stopped is lost: so a sentence that looks like a refusal but stands
//! in the document is a quotation, and a repeated pattern that the prompt has too is data.
//!
//! - `format`: JSON, schemas, regular expressions, compiled once per job
//! - `signs`: refusals, loops, echoes

mod format;
mod signs;

use frlm_inference::{Constraint, FinishReason};

pub use format::ConstraintError;
use format::Format;

/// An answer before it is sent, with what it was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The whole prompt: instruction and data.
    pub prompt: &'a str,
    /// The generated text.
    pub text: &'a str,
    /// Why generation ended.
    pub finish: FinishReason,
    /// The bound on generated tokens.
    pub max_tokens: usize,
}

/// Why an answer is not worth sending.
///
/// The messages are for the operator. [`SelfCheckFailure::summary`] is for everyone else: paths into
/// the answer and the parser's words may hold parts of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelfCheckFailure {
    /// Nothing but white space.
    #[error("the answer is empty")]
    Empty,
    /// The model declined ("I cannot…", "as an AI…").
    #[error("the model declined to answer (\"{opening}…\")")]
    Refusal {
        /// The phrase that gave it away.
        opening: &'static str,
    },
    /// The model repeats itself without end.
    #[error("the answer repeats {unit_bytes} bytes {times} times at its end")]
    RepetitionLoop {
        /// Length of the repeated part.
        unit_bytes: usize,
        /// How often it stands there, one after the other.
        times: usize,
    },
    /// The prompt came back.
    #[error("the answer repeats the prompt")]
    EchoedPrompt,
    /// More words than the job allows tokens.
    #[error("the answer has {words} words, the job allows {max_tokens} tokens")]
    TooLong {
        /// Words, separated by white space.
        words: usize,
        /// The job's bound.
        max_tokens: usize,
    },
    /// JSON that stops before its end.
    #[error("the JSON is cut off; a larger token limit may help")]
    TruncatedJson,
    /// Not JSON.
    #[error("the answer is not one JSON value: {reason}")]
    InvalidJson {
        /// The parser's words, with line and column.
        reason: String,
    },
    /// JSON of another shape.
    #[error("the JSON does not satisfy the schema at {path}: {reason}")]
    SchemaMismatch {
        /// JSON pointer into the answer; `/` is the whole value.
        path: String,
        /// The rule that is broken, with the value itself masked.
        reason: String,
    },
    /// Text that the regular expression does not match as a whole.
    #[error("the answer does not match the regular expression")]
    RegexMismatch,
}

impl SelfCheckFailure {
    /// What is wrong, continuing "the answer …", without a word of the answer or the schema: for
    /// places that strangers read.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Empty => "is empty",
            Self::Refusal { .. } => "declines the task",
            Self::RepetitionLoop { .. } => "repeats itself without end",
            Self::EchoedPrompt => "repeats the prompt",
            Self::TooLong { .. } => "is longer than the job allows",
            Self::TruncatedJson => "is JSON that is cut off; a larger token limit may help",
            Self::InvalidJson { .. } => "is not one JSON value",
            Self::SchemaMismatch { .. } => "does not satisfy the JSON schema",
            Self::RegexMismatch => "does not match the regular expression",
        }
    }
}

/// The checks for the answers of one job, its constraint compiled once.
#[derive(Debug)]
pub struct SelfCheck {
    format: Format,
}

impl SelfCheck {
    /// Compiles a job's constraint.
    ///
    /// `expects_json` asks for any JSON value where no constraint says more (an `output` of
    /// `application/json`). A constraint that cannot be compiled is the asker's mistake and is found
    /// here, before any work is done.
    pub fn new(constraint: Option<&Constraint>, expects_json: bool) -> Result<Self, ConstraintError> {
        Ok(Self { format: Format::compile(constraint, expects_json)? })
    }

    /// Whether answers are JSON.
    pub fn expects_json(&self) -> bool {
        self.format.is_json()
    }

    /// Checks one answer; the first failure found is returned.
    pub fn check(&self, candidate: Candidate<'_>) -> Result<(), SelfCheckFailure> {
        let text = candidate.text.trim();
        if text.is_empty() && !self.format.accepts_empty() {
            return Err(SelfCheckFailure::Empty);
        }
        // Every tokeniser in use spends at least one token per word, so more words than tokens
        // means that the engine ignored the limit.
        let words = text.split_whitespace().count();
        if words > candidate.max_tokens {
            return Err(SelfCheckFailure::TooLong { words, max_tokens: candidate.max_tokens });
        }
        // Before the format: "declined" says more than "not JSON".
        if let Some(opening) = signs::refusal(candidate.prompt, text) {
            return Err(SelfCheckFailure::Refusal { opening });
        }
        if let Err(failure) = self.format.check(candidate.text) {
            // A loop is the usual cause of JSON without an end.
            return Err(signs::repetition(candidate.prompt, text, candidate.finish).unwrap_or(failure));
        }
        if self.format.proves_an_end() {
            return Ok(());
        }
        if signs::is_echo(candidate.prompt, text) {
            return Err(SelfCheckFailure::EchoedPrompt);
        }
        signs::repetition(candidate.prompt, text, candidate.finish).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn free(prompt: &str, text: &str) -> Result<(), SelfCheckFailure> {
        checked(None, prompt, text, FinishReason::Stop)
    }

    fn checked(
        constraint: Option<&Constraint>,
        prompt: &str,
        text: &str,
        finish: FinishReason,
    ) -> Result<(), SelfCheckFailure> {
        SelfCheck::new(constraint, false).unwrap().check(Candidate { prompt, text, finish, max_tokens: 512 })
    }

    fn list_schema() -> Constraint {
        Constraint::JsonSchema(json!({
            "type": "object",
            "properties": { "users": { "type": "array", "items": { "type": "string" } } },
            "required": ["users"],
        }))
    }

    #[test]
    fn ordinary_answers_pass() {
        for text in ["shipped\nuser1\n", "-", "42", "The invoice was paid on 3 May.", "是", "{\"a\":1}"] {
            assert_eq!(free("copy status, user\n001 order by user1 shipped", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn nothing_but_white_space_is_empty() {
        assert_eq!(free("question", " \n\t"), Err(SelfCheckFailure::Empty));
    }

    /// seeds/verifier-block.md, "Tier 1", `self_validate`: no more words than tokens.
    #[test]
    fn more_words_than_tokens_is_too_long() {
        let text = (0..600).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(free("count", &text), Err(SelfCheckFailure::TooLong { words: 600, max_tokens: 512 }));
    }

    #[test]
    fn json_is_checked_against_its_schema() {
        let check = |text| checked(Some(&list_schema()), "who", text, FinishReason::Stop);
        assert_eq!(check(r#"{"users":["a","b"]}"#), Ok(()));
        assert_eq!(check(r#"{"users":["a","#), Err(SelfCheckFailure::TruncatedJson));
        assert!(matches!(check("users: a"), Err(SelfCheckFailure::InvalidJson { .. })));
        assert!(matches!(check(r#"{"users":[]} and more"#), Err(SelfCheckFailure::InvalidJson { .. })));
        match check(r#"{"users":["a",17]}"#) {
            Err(SelfCheckFailure::SchemaMismatch { path, reason }) => {
                assert_eq!(path, "/users/1");
                assert!(!reason.contains("17"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_long_regular_list_in_complete_json_is_no_loop() {
        let text = format!("{{\"users\":[{}\"a\"]}}", "\"a\",".repeat(200));
        assert_eq!(checked(Some(&list_schema()), "who", &text, FinishReason::Stop), Ok(()));
    }

    #[test]
    fn endless_json_is_named_a_loop() {
        let text = format!("{{\"users\":[{}", "\"a\",".repeat(200));
        assert!(matches!(
            checked(Some(&list_schema()), "who", &text, FinishReason::Length),
            Err(SelfCheckFailure::RepetitionLoop { times: 200, .. })
        ));
    }

    #[test]
    fn a_regular_expression_must_match_the_whole_answer() {
        let check = |text| {
            let yes_or_no = Constraint::Regex("yes|no".to_owned());
            checked(Some(&yes_or_no), "is it", text, FinishReason::Stop)
        };
        assert_eq!(check("yes"), Ok(()));
        assert_eq!(check("no way"), Err(SelfCheckFailure::RegexMismatch));
        assert_eq!(check("yes\n"), Err(SelfCheckFailure::RegexMismatch));
    }

    #[test]
    fn an_empty_answer_passes_where_the_regular_expression_allows_it() {
        let check = SelfCheck::new(Some(&Constraint::Regex("[0-9]*".to_owned())), false).unwrap();
        let candidate = Candidate { prompt: "p", text: "", finish: FinishReason::Stop, max_tokens: 4 };
        assert_eq!(check.check(candidate), Ok(()));
    }

    #[test]
    fn an_output_of_json_is_checked_without_a_schema() {
        let check = SelfCheck::new(None, true).unwrap();
        let candidate = Candidate { prompt: "p", text: "[1,", finish: FinishReason::Length, max_tokens: 4 };
        assert_eq!(check.check(candidate), Err(SelfCheckFailure::TruncatedJson));
        assert_eq!(check.check(Candidate { text: "[1]", ..candidate }), Ok(()));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn no_text_panics(prompt in ".{0,200}", text in ".{0,400}", cut in any::<bool>()) {
                let finish = if cut { FinishReason::Length } else { FinishReason::Stop };
                let _ = checked(None, &prompt, &text, finish);
                let _ = checked(Some(&list_schema()), &prompt, &text, finish);
            }

            #[test]
            fn every_value_of_the_schema_passes(users in proptest::collection::vec("[a-z0-9]{1,12}", 0..20)) {
                let text = json!({ "users": users }).to_string();
                prop_assert_eq!(checked(Some(&list_schema()), "who", &text, FinishReason::Stop), Ok(()));
            }
        }
    }
}
