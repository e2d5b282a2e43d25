//! Runs over real sockets: relay, providers and mints on loopback, each file one side of it.
//!
//! One binary for all of them: every further one takes as long to link as a file takes to compile.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod adaptive;
mod after;
mod arbitration;
mod audit;
mod brain;
mod by_hand;
mod cached;
mod calculation;
mod claims;
mod closing;
mod common;
mod contest;
mod control;
mod decisions;
mod escrow;
mod gifts;
mod hostile;
mod invariants;
mod levels;
mod market;
mod meaning;
mod phrasing;
mod planner;
mod prepay;
mod programs;
mod read_twice;
mod recursion;
mod routing;
mod second_text;
mod silent_mints;
mod small;
mod speeds;
mod steps;
mod swarm;
mod tier_three;
mod turns;
mod unseen;
mod validated;
