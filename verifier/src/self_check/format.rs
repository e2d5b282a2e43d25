//! Formats that an answer must have, compiled once per job.

use frlm_inference::Constraint;
use jsonschema::{PatternOptions, Validator};
use regex::{Regex, RegexBuilder};

use super::SelfCheckFailure;

/// A compiled expression may take this much memory: the expression comes from a stranger.
const REGEX_SIZE_LIMIT_BYTES: usize = 1 << 20;

/// A job's constraint that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// The JSON schema is no schema, refers to other documents, or has a pattern that needs
    /// look-around.
    #[error("the job's JSON schema cannot be used: {0}")]
    Schema(String),
    /// The regular expression has a mistake, needs look-around, or is too large.
    #[error("the job's regular expression cannot be used: {0}")]
    Regex(String),
}

#[derive(Debug)]
pub(super) enum Format {
    Free,
    /// Checked by the engine that derives it; there is no second Lark parser to check it with.
    Grammar,
    Json,
    Schema(Box<Validator>),
    Regex(Regex),
}

impl Format {
    pub(super) fn compile(
        constraint: Option<&Constraint>,
        expects_json: bool,
    ) -> Result<Self, ConstraintError> {
        match constraint {
            None if expects_json => Ok(Self::Json),
            None => Ok(Self::Free),
            Some(Constraint::Lark(_)) => Ok(Self::Grammar),
            Some(Constraint::Regex(pattern)) => {
                // `\z` and not `$`: a trailing line break is part of the text.
                RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
                    .size_limit(REGEX_SIZE_LIMIT_BYTES)
                    .build()
                    .map(Self::Regex)
                    .map_err(|error| ConstraintError::Regex(error.to_string()))
            }
            Some(Constraint::JsonSchema(schema)) => jsonschema::options()
                // The default engine backtracks: a hostile pattern could hold the provider for hours.
                .with_pattern_options(PatternOptions::regex().size_limit(REGEX_SIZE_LIMIT_BYTES))
                .build(schema)
                .map(|validator| Self::Schema(Box::new(validator)))
                .map_err(|error| ConstraintError::Schema(error.to_string())),
        }
    }

    pub(super) fn is_json(&self) -> bool {
        matches!(self, Self::Json | Self::Schema(_))
    }

    pub(super) fn accepts_empty(&self) -> bool {
        matches!(self, Self::Regex(regex) if regex.is_match("")) || matches!(self, Self::Grammar)
    }

    /// Whether passing [`Format::check`] shows that the text ended where it should: then it is
    /// neither a loop nor an echo.
    pub(super) fn proves_an_end(&self) -> bool {
        !matches!(self, Self::Free)
    }

    pub(super) fn check(&self, text: &str) -> Result<(), SelfCheckFailure> {
        match self {
            Self::Free | Self::Grammar => Ok(()),
            Self::Json => parse(text).map(|_| ()),
            Self::Schema(validator) => {
                let value = parse(text)?;
                validator.validate(&value).map_err(|error| {
                    let path = error.instance_path().to_string();
                    SelfCheckFailure::SchemaMismatch {
                        path: if path.is_empty() { "/".to_owned() } else { path },
                        reason: error.masked().to_string(),
                    }
                })
            }
            Self::Regex(regex) => {
                if regex.is_match(text) {
                    Ok(())
                } else {
                    Err(SelfCheckFailure::RegexMismatch)
                }
            }
        }
    }
}

fn parse(text: &str) -> Result<serde_json::Value, SelfCheckFailure> {
    serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            SelfCheckFailure::TruncatedJson
        } else {
            SelfCheckFailure::InvalidJson { reason: error.to_string() }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_with_a_backtracking_pattern_is_refused_or_linear() {
        let schema = json!({ "type": "string", "pattern": "^(a+)+$" });
        let format = Format::compile(Some(&Constraint::JsonSchema(schema)), false).unwrap();
        let hostile = format!("\"{}b\"", "a".repeat(20_000));
        assert!(matches!(format.check(&hostile), Err(SelfCheckFailure::SchemaMismatch { .. })));

        let lookaround = json!({ "type": "string", "pattern": "^(?=a)a+$" });
        assert!(Format::compile(Some(&Constraint::JsonSchema(lookaround)), false).is_err());
    }

    #[test]
    fn schemas_that_name_other_documents_are_refused() {
        for reference in ["http://127.0.0.1:1/schema.json", "file:///etc/hostname"] {
            let schema = json!({ "$ref": reference });
            assert!(Format::compile(Some(&Constraint::JsonSchema(schema)), false).is_err(), "{reference}");
        }
    }

    #[test]
    fn expressions_that_explode_are_refused() {
        for pattern in ["(", "((a{1000}){1000}){1000}", r"(a)\1"] {
            assert!(
                Format::compile(Some(&Constraint::Regex(pattern.to_owned())), false).is_err(),
                "{pattern}"
            );
        }
    }

    #[test]
    fn deeply_nested_json_is_invalid_and_does_not_overflow_the_stack() {
        let text = "[".repeat(100_000);
        assert!(Format::Json.check(&text).is_err());
    }
}
