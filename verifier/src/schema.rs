//! Answers against a JSON schema (seeds/frlm-architecture.md, "Objective").

use serde_json::Value;

/// Why a schema or an answer does not pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The schema itself is not usable. Its references are never fetched.
    #[error("{0}")]
    Schema(String),
    /// The answer is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// The answer is JSON of another form.
    #[error("the answer does not satisfy the schema at {place}: {reason}")]
    Mismatch {
        /// JSON pointer into the answer.
        place: String,
        /// What is wrong there.
        reason: String,
    },
}

/// Whether a schema can be used at all.
pub fn check_schema(schema: &Value) -> Result<(), SchemaError> {
    jsonschema::validator_for(schema).map(drop).map_err(|error| SchemaError::Schema(error.to_string()))
}

/// Whether an answer's text is JSON that satisfies the schema.
pub fn satisfies(schema: &Value, answer: &str) -> Result<(), SchemaError> {
    let validator =
        jsonschema::validator_for(schema).map_err(|error| SchemaError::Schema(error.to_string()))?;
    let value: Value =
        serde_json::from_str(answer.trim()).map_err(|error| SchemaError::NotJson(error.to_string()))?;
    validator.validate(&value).map_err(|error| SchemaError::Mismatch {
        place: error.instance_path().to_string(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_must_be_json_of_the_right_form() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
        assert_eq!(check_schema(&schema), Ok(()));
        assert_eq!(satisfies(&schema, " {\"n\": 4} "), Ok(()));
        assert!(matches!(satisfies(&schema, "four"), Err(SchemaError::NotJson(_))));
        assert!(matches!(satisfies(&schema, "{\"n\": \"4\"}"), Err(SchemaError::Mismatch { .. })));
        assert!(check_schema(&json!({"type": "nonsense"})).is_err());
    }
}
