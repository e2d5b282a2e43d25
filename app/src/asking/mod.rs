//! From what the user asked for to a running conductor: the one place where `ask`, `demo` and
//! `runs resume` wire ports to adapters.

mod outlook;
mod request;
mod start;

pub use outlook::look_ahead;
pub use request::{AskRequest, NO_RELAY, Prepared, prepare};
pub use start::{Earlier, Started, start};
