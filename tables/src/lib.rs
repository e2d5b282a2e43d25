#![doc = include_str!("../README.md")]
//!
//! # Layout, in reading order
//!
//! - [`Table`]: a file's records in memory, with typed [`Column`]s; [`LoadOptions`], [`Format`]
//! - `read`: text → raw records, one module per format; [`RawTable`] for rows that somebody else read
//! - `survey`, `load`: two passes over all records; the second stores them; `lines` of the file
//! - [`Source`]: bytes that are read twice; `kept`, [`Store`]: tables of large files, for the next question
//! - `value`, `infer`: cells → types by column; what does not fit is a [`Misfit`]
//! - `join`: two tables as one, by a column of each; `computed`: a table with a column computed from others
//! - [`query`]: one tree of types, compiled to SQL that only reads; `sql` says what this SQL may do
//! - `vocabulary`, `states`, `ask`: a question's words → readings → [`Answer`]
//! - `corpus` (a feature): asks the questions of a corpus and scores the answers
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod ask;
mod column;
mod computed;
#[cfg(feature = "corpus")]
pub mod corpus;
mod error;
mod infer;
mod join;
mod kept;
mod lines;
mod load;
mod options;
pub mod query;
mod raw;
mod read;
mod source;
mod sql;
mod states;
mod store;
mod survey;
mod table;
mod value;
mod values;
mod vocabulary;
mod words;

pub use ask::{Answer, Answered, Asked, JoinedAnswer, PlannerPrompt, READ_WHOLE, Refusal, SURE, ask_joined};
pub use column::{Column, Doubt, Kind, Misfit, Unit, Word, Zone};
pub use error::{LoadError, QueryError};
pub use options::LoadOptions;
pub use raw::RawTable;
pub use read::Format;
pub use source::Source;
pub use store::{KeptTable, Store};
pub use table::{Flaws, Table};
pub use value::moment::DateOrder;
pub use value::number::Separator;
