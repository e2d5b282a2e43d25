//! SQL and the values of its parameters, apart or together.

use rusqlite::types::Value;

/// SQL with the values of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text, with `?` for each value.
    pub sql: String,
    /// The values, in order.
    pub parameters: Vec<Value>,
}

impl Statement {
    /// The statement with its values in it, to be shown and edited.
    pub fn shown(&self) -> String {
        let mut shown = String::with_capacity(self.sql.len() + 32);
        let mut parameters = self.parameters.iter();
        let mut quote: Option<char> = None;
        for letter in self.sql.chars() {
            match (quote, letter) {
                (None, '?') => shown.push_str(&parameters.next().map_or_else(String::new, literal)),
                (None, '"' | '\'') => {
                    quote = Some(letter);
                    shown.push(letter);
                }
                (Some(open), _) if open == letter => {
                    quote = None;
                    shown.push(letter);
                }
                _ => shown.push(letter),
            }
        }
        shown
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Blob(_) => "x''".to_owned(),
    }
}
