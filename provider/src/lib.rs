//! Serves jobs: admission, queue, inference, self-check, results.
//!
//! Layout, in reading order:
//! - [`provider`], `shutdown`: starting and stopping
//! - [`config`], [`events`]: what goes in and what comes out
//! - `actor`: the one task that owns everything
//! - `session`: which jobs wait, run and are done (no sockets, no clock)
//! - `admission`, `rate`, `quota`, `queue`: which jobs are taken, which of them are free, and in which order
//! - `fetch`: jobs whose texts are in blobs
//! - `prompt`, `work`, `slots`: from a job to its checked answers, by turns in the engine's slots
//! - `metered`: how many tokens the comparison of others' answers takes
//! - `commit`: commitments, by which the answers can be audited
//! - `outbox`, `results`: sending answers, and sending them again
//! - `payments`, `recent`: pay, and the jobs whose pay is not decided yet
//! - `announcer`: announcement and heartbeats
//!
//! Nothing here knows of the conductor, prints, or reads settings from anywhere.
//!
//! # Inside
//!
//! `session` is the whole state machine without sockets, engine or clock: every method takes what happened
//! and the time and returns what is to be done. `actor` is the one task that does it. Both draw their states
//! in their module documentation. How long a job would take is estimated from those that were done. The estimate
//! forgets a load peak while the engine rests. An idle engine accepts one job that the estimate calls late, as a probe, with
//! doubling intervals (`session/speed.rs`). The tokens that the engine reads and writes in a second are measured, too, and
//! announced (`session/tokens.rs`). With `ProviderConfig::tries_engine` the engine writes a few words at the start, to be
//! measured before the first job.
//!
//! Answers reach the asker as they are. They are checked for emptiness, refusals, loops, echoes, length and
//! the job's constraint (`frlm_verifier::self_check`); one failed answer fails its job, because results must
//! hold one answer per input. A Markdown fence around JSON is taken off where JSON was asked for.
//!
//! Two answers of a job come with a commitment: the tokens that the engine found likeliest at some of their positions (`commit`).
//! The texts of all answers decide which two. An asker that has the claimed weights can tell by a commitment whether they wrote
//! the answer (docs/decisions/0018-the-prefill-audit.md).
//!
//! An answer leaves as a whole: nobody has a part of it before it is done, and checked by the provider itself
//! (docs/decisions/0101-no-partial-texts.md).
//!
//! Prices: whole sats per job, rounded up, never above the bid; a bid below the most that a job may cost is
//! refused. A provider that was started with a wallet (`Provider::start_paid`) works only for jobs whose price
//! is locked in escrow: `payments` checks the lock before work, redeems released locks, many at once, and returns
//! locks that were not earned (docs/money.md). With `ProviderConfig::pay_after_jobs` it works before it is paid: for so
//! many unpaid jobs per key, and eight times as many in all in a day. `ProviderConfig::free_jobs_per_day` allows free
//! jobs, counted in the same way (`quota`); the wallet keeps the count for the day.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod actor;
mod admission;
mod announcer;
mod commit;
pub mod config;
pub mod events;
mod fetch;
mod metered;
mod outbox;
mod payments;
mod prompt;
pub mod provider;
mod queue;
mod quota;
mod rate;
mod recent;
mod results;
mod session;
mod shutdown;
mod slots;
#[cfg(test)]
mod testing;
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
