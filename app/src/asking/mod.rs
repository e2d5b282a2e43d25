//! From what the user asked for to a running conductor: the one place where `ask`, `demo`,
//! `runs resume` and the desktop app wire ports to adapters.

mod model;
mod outlook;
mod request;
mod resume;
mod start;

pub use model::own_model;
pub use outlook::{Outlook, look_ahead};
pub use request::{AskRequest, FRAGMENT_LINES, FRAGMENT_TOKENS, NO_RELAY, Prepared, prepare};
pub use resume::{Resumed, resume};
pub use start::{Earlier, Started, start};
