//! From what the user asked for to a run under way: the one place where ports are wired to adapters.
//!
//! A front end fills in a [`RunSpec`] and gives it to a [`RunService`]. With the settings it becomes a [`RunRequest`], which
//! is what a home records; once the documents are read it is [`Prepared`]; a run under way is a [`RunHandle`].
//!
//! ```text
//!   RunSpec ─► RunRequest ─► Prepared ─► RunService::start ─► RunHandle { events, control, done }
//!                               └─► estimate                      ▲
//!               a recorded run ────► RunService::resume ──────────┘
//! ```

mod asker;
mod before;
mod by_code;
mod document_tables;
mod estimate;
pub mod event_record;
mod follow_up;
mod handle;
mod open_table;
mod own_models;
mod parts;
mod planned;
mod read_by_model;
#[cfg(test)]
mod read_by_provider_tests;
mod readers;
mod readings;
mod request;
mod resume;
mod service;
mod sources;
mod spec;
mod start;
mod sureness;
mod understood;

pub use crate::config::By;
pub use before::{prepare_in, tell_before_reading};
pub use estimate::{Estimate, estimate};
pub use follow_up::Follows;
pub use frlm_tables::query::{Point, RowOrder, Series, ShownRow, Wanted};
pub use handle::{RunControl, RunDone, RunHandle};
pub use open_table::{Found, OpenTable, Opened, ShownColumn, Which};
pub use own_models::{Own, own};
pub use parts::parts;
pub use readers::in_words;
pub use readings::{OtherReading, ReadingChoice};
pub use request::{NO_RELAY, NO_RELAY_TO_SERVE, Prepared, RunRequest, prepare};
pub use resume::{ResumeOptions, Resumed};
pub use service::{RunService, StartOptions};
pub use sources::{cited_page, lines_around};
pub use spec::{MOST_SECS, RunSpec};
pub use start::{own_priors, reusable};
