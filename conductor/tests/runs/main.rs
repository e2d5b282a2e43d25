//! Runs over real sockets: relay, providers and mints on loopback, each file one side of it.
//!
//! One binary for all of them: every further one takes as long to link as a file takes to compile.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod adaptive;
mod after;
mod audit;
mod blobs;
mod by_hand;
mod cached;
mod calculation;
mod claims;
mod closing;
mod common;
mod contest;
mod contradictory;
mod control;
mod crowd;
mod decisions;
mod escrow;
mod floods;
mod free_jobs;
mod guests;
mod hostile;
mod invariants;
mod learner;
mod levels;
mod phrasing;
mod planner;
mod prepay;
mod programs;
mod provider_choice;
mod read_twice;
mod recursion;
mod routing;
mod second_text;
mod short_relay;
mod silent_mints;
mod small;
mod speeds;
mod stalled;
mod steps;
mod swarm;
mod tier_three;
mod trusted;
mod turns;
mod unseen;
mod validated;
mod vouched;
