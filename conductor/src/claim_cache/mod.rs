//! Claims of earlier runs, verified and paid for: the same part under the same question is not paid twice.
//!
//! ```text
//!   a reading that is planned ─► key ─► found? ─► its claims, checked again against the present lines ─► an accepted answer
//!   a reading whose claims were reviewed ─► key ─► kept, with what it cost
//! ```
//!
//! - [`key`]: what makes two readings the same; no line numbers, no file name
//! - [`reading`]: the claims of a part, by lines counted from its first
//! - [`store`]: the file, bounded
//! - [`lookup`]: the readings of a plan, for runs and for estimates
//!
//! Invariant: nothing is kept that nobody but its reader has seen. What is kept has no line of the document, only sentences
//! about it; what is cited is copied from the document as it is now.

mod key;
mod lookup;
mod reading;
mod store;

pub use key::{Key, Strength};
pub use lookup::{Found, Planned, look_up, planned};
pub use reading::{KeptClaim, KeptReading};
pub use store::{CacheError, ClaimCache, Entry, Listed};

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod store_tests;
