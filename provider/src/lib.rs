//! Serves jobs: admission, queue, inference, self-check, results.
//!
//! Layout, in reading order:
//! - [`provider`], `shutdown`: starting and stopping
//! - [`config`], [`events`]: what goes in and what comes out
//! - `actor`: the one task that owns everything
//! - `session`: which jobs wait, run and are done (no sockets, no clock)
//! - `admission`, `rate`, `quota`, `queue`: what is taken, what of it for nothing, and in which order
//! - `prompt`, `work`: from a job to its checked answers
//! - `metered`: what comparing others' answers takes
//! - `commit`: what the answers can be audited by
//! - `outbox`, `results`: getting answers out, and out again
//! - `till`, `recent`: pay, and which jobs it may still be decided about
//! - `beacon`: announcement and heartbeats
//!
//! Nothing here knows of the conductor, prints, or reads settings from anywhere.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod actor;
mod admission;
mod beacon;
mod commit;
pub mod config;
pub mod events;
mod metered;
mod outbox;
mod prompt;
pub mod provider;
mod queue;
mod quota;
mod rate;
mod recent;
mod results;
mod session;
mod shutdown;
#[cfg(test)]
mod testing;
mod till;
mod work;

pub use config::{ConfigError, ProviderConfig, Surge};
pub use events::{ProviderEvent, ProviderStats};
pub use provider::{Provider, ProviderHandle, StartError};
pub use quota::FREE_OVERALL;
pub use shutdown::Shutdown;

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
