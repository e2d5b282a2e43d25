//! The question → a query that code can finish ([`crate::query`]), or words that a model can be asked.
//!
//! - [`field_hints`]: what the documents call things
//! - [`mod@parse`]: plain questions, read without a model
//! - [`compound`]: questions of several parts, read the same way
//! - [`compile`]: other questions, put to a model and checked; [`plan_check`] holds the plan against the question's words
//! - [`follow_up`]: a question that follows another one, made to stand on its own
//! - [`rewrite`]: a question as a model puts it to readers, and what of that counts
//! - [`proposal`]: how a model takes a question apart, and what of that counts
//! - [`mod@steps`]: a question in words of which something has to be found out first
//! - [`judge`]: how simple a question is, by a model
//! - [`own_model`]: how a model of the user's own is asked for one of these

pub mod compile;
pub mod compound;
mod fields;
pub mod follow_up;
pub mod judge;
mod lexicon;
pub mod own_model;
mod parse;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod parse_tests;
mod phrase;
pub mod plan_check;
pub mod proposal;
mod restrict;
pub mod rewrite;
mod sample;
pub mod steps;
mod tokens;

pub use fields::{FieldHint, FieldHints, Values, field_hints};
pub(crate) use lexicon::singular;
pub use parse::{MOST_CONDITIONS, parse};
pub use sample::fields_of;
