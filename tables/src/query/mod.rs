//! Queries: one tree of types, compiled to SQL that only reads, run, and said in words.

mod ast;
mod compile;
mod computed;
mod describe;
mod outcome;
mod repeats;
mod rows;
mod run;
mod series;
mod statement;
mod times;
pub(crate) mod written;

pub use ast::{
    Aggregate, Bucket, Comparison, Filter, Function, Having, Key, Limit, Literal, Order, Output, Part, Query,
    Source, TextTest,
};
pub use outcome::{Cell, Heading, LeftOut, Outcome};
pub use rows::{RowOrder, ShownRow, Wanted};
pub use series::{Point, Series};
pub use statement::Statement;
pub use written::{Meaning, PlannedReply};
