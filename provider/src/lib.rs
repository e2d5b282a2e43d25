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
//!
//! # Inside
//!
//! `session` is the whole state machine without sockets, engine or clock: every method takes what happened
//! and the time and returns what is to be done. `actor` is the one task that does it. Both draw their states
//! in their module documentation. How long a job would take is learned from those that were done; the estimate
//! forgets a load peak while the engine rests, and an engine that rested is tried with one job that would be late by
//! it, then after twice as long (`session/speed.rs`). How many tokens the engine reads and writes in a second is measured, too, and announced
//! (`session/tokens.rs`); with `ProviderConfig::tries_engine` it writes a few words at the start, to have something to announce.
//!
//! Answers reach the asker as they are. They are checked for emptiness, refusals, loops, echoes, length and
//! the job's constraint (`frlm_verifier::self_check`); one failed answer fails its job, because results must
//! hold one answer per input. A Markdown fence around JSON is taken off where JSON was asked for.
//!
//! Two answers of a job, which all of them together choose, come with what the engine found likely at some of their tokens
//! (`commit`): an asker with the weights that the provider claims can tell by it whether they wrote the answer
//! (docs/decisions/0018-the-prefill-audit.md).
//!
//! A partial answer is sent where its job asks for it, at most one in five seconds. It holds all the text so far, so a lost one costs nothing.
//!
//! Prices: whole sats per job, rounded up, never above the bid; a bid below the most that a job may cost is
//! refused. A provider that was started with a wallet (`Provider::start_paid`) works only for jobs whose price
//! is locked in escrow: `till` checks the lock before work, redeems what is released, many at once, and gives
//! back what was not earned (docs/money.md). With `ProviderConfig::pay_after_jobs` it works
//! before it is paid, for so many jobs of a key and eight times as many of all in a day. `ProviderConfig::free_jobs_per_day`
//! gives jobs away, counted in the same way (`quota`) and kept in the wallet for the day.

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
