//! A provider on real sockets: every test has its own relay on a port of its own.
//!
//! Tests wait for conditions, never for time: a gate in the engine decides when generations end.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod blobs;
mod cancelling;
mod ended_subscription;
mod engine;
mod losing_relays;
mod offering;
mod paid;
mod pricing;
mod refusing;
mod relay;
mod serving;
mod stopping;
mod world;

use world::TIMEOUT;
