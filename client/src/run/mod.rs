//! From what the user asked for to a run under way: the one place where ports are wired to adapters.
//!
//! A front end fills in a [`RunSpec`]; with the settings it becomes a [`RunRequest`], which is what a home records; once the
//! documents are read it is [`Prepared`], and then a run.

mod asker;
mod estimate;
pub mod event_record;
mod follow_up;
mod own_models;
mod readers;
mod request;
mod resume;
mod spec;
mod start;

pub use estimate::{Estimate, estimate};
pub use follow_up::{Follows, recall};
pub use own_models::{Own, model_is_named, own};
pub use readers::in_words;
pub use request::{
    FRAGMENT_LINES, FRAGMENT_TOKENS, NO_RELAY, NO_RELAY_TO_SERVE, Prepared, RunRequest, prepare,
};
pub use resume::{Resumed, resume};
pub use spec::{MOST_SECS, RunSpec};
pub use start::{Earlier, Started, judging, own_priors, remembering, start, vouching};
