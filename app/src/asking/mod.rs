//! From what the user asked for to a running conductor: the one place where `ask`, `demo`,
//! `runs resume` and the desktop app wire ports to adapters.

mod asker;
mod follow_up;
mod model;
mod outlook;
pub mod raw;
mod readers;
mod request;
mod resume;
mod start;

pub use follow_up::{Follows, recall};
pub use model::{Own, model_is_named, own};
pub use outlook::{Outlook, look_ahead};
#[cfg(feature = "desktop")]
pub use readers::in_words;
pub use request::{AskRequest, NO_RELAY, NO_RELAY_TO_SERVE, Prepared, prepare};
#[cfg(feature = "desktop")]
pub use request::{FRAGMENT_LINES, FRAGMENT_TOKENS};
pub use resume::{Resumed, resume};
pub use start::{Earlier, Started, judging, own_priors, remembering, start, vouching};
