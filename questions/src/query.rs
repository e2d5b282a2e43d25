//! A question in a form that code can finish.

use serde::{Deserialize, Serialize};

/// What is done with the matching records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// How many records match.
    Count,
    /// Which records match.
    List,
    /// Whether any record matches.
    Exists,
    /// The field's value in the record that matches.
    Find,
    /// The field's total over the matching records.
    Sum,
    /// The field's mean over the matching records.
    Average,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The first matching record in document order.
    First,
    /// The last matching record in document order.
    Last,
    /// The value of the field that most matching records have.
    Most,
}

impl Reduction {
    /// What is looked for, before "over" and the fields: `a count over status`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Count => "a count",
            Self::List => "a list",
            Self::Exists => "a yes or no",
            Self::Find => "a look-up",
            Self::Sum => "a sum",
            Self::Average => "a mean",
            Self::Min => "the smallest",
            Self::Max => "the largest",
            Self::First => "the first",
            Self::Last => "the last",
            Self::Most => "the most frequent",
        }
    }
}

/// How a record's value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// Equal as numbers, else as words without regard to case.
    Equal,
    /// Not equal.
    NotEqual,
    /// Numerically (or by date) greater.
    Greater,
    /// Numerically (or by date) less.
    Less,
    /// Greater or equal.
    AtLeast,
    /// Less or equal.
    AtMost,
    /// The value stands in the text, without regard to case.
    Contains,
}

/// One test on a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The field's name as the question or the document calls it; `line` is the whole record.
    pub field: String,
    /// The comparison.
    pub comparison: Comparison,
    /// The right-hand side, as it stands in the question.
    pub value: String,
}

/// A question over records, ready to be mapped by models and reduced by code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// What is done with the matching records.
    pub reduction: Reduction,
    /// The field that is measured, found, or compared (sum, min, max, average, find, list).
    pub measure: Option<String>,
    /// Another field to name in the answer ("which user has the largest amount").
    pub report: Option<String>,
    /// All must hold.
    pub conditions: Vec<Condition>,
}

impl Query {
    /// The fields that a model must copy from each record, in order, without repetition.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = Vec::new();
        let named = self.conditions.iter().map(|condition| condition.field.as_str());
        for field in named.chain(self.measure.as_deref()).chain(self.report.as_deref()) {
            if field != "line" && !fields.contains(&field) {
                fields.push(field);
            }
        }
        fields
    }
}

impl Comparison {
    /// The comparison between a field and a value in a sentence: `status is failed`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Equal => "is",
            Self::NotEqual => "is not",
            Self::Greater => "is greater than",
            Self::Less => "is less than",
            Self::AtLeast => "is at least",
            Self::AtMost => "is at most",
            Self::Contains => "contains",
        }
    }

    /// The comparison as an operator: `status = failed`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Contains => "contains",
        }
    }

    /// Reads an operator.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "=" | "==" => Self::Equal,
            "!=" | "<>" => Self::NotEqual,
            ">" => Self::Greater,
            "<" => Self::Less,
            ">=" => Self::AtLeast,
            "<=" => Self::AtMost,
            "contains" | "~" => Self::Contains,
            _ => return None,
        })
    }
}
