//! The question → a query that code can finish.
//!
//! - [`Query`]: what code can finish
//! - [`field_hints`]: what the documents call things
//! - [`mod@parse`]: plain questions, read without a model
//! - [`compound`]: questions of several parts, read the same way
//! - [`compile`]: other questions, put to a model and checked; [`account`] holds the plan against the question's words

pub(crate) mod account;
pub mod compile;
pub mod compound;
mod fields;
mod lexicon;
mod parse;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod parse_tests;
mod phrase;
mod query;
mod restrict;
mod sample;
mod tokens;

pub use fields::{FieldHint, FieldHints, Values, field_hints};
pub(crate) use lexicon::singular;
pub use parse::{MOST_CONDITIONS, parse};
pub use query::{Comparison, Condition, Query, Reduction};
pub(crate) use sample::fields_of;
