//! The program itself as its users start it: real processes on loopback, and a window on a display of its own.
//!
//! One binary for all of them: every further one takes as long to link as a file takes to compile, and cargo starts the
//! next only when one has ended, whereas most of these tests wait for what they have started.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bad_input;
mod by_code;
#[allow(dead_code, reason = "with fewer features fewer tests use it")]
mod common;
mod demo;
#[cfg(all(feature = "embedded", feature = "sandbox"))]
mod documents;
mod first_edition_home;
mod followed_run;
#[cfg(all(feature = "demo", feature = "embedded", feature = "sandbox"))]
mod guide;
#[cfg(feature = "embedded")]
mod hostile_documents;
mod lightning_commands;
mod models;
mod of_another_kind;
mod paid_after;
mod paid_commands;
mod passphrase;
mod processes;
#[cfg(all(feature = "embedded", feature = "sandbox"))]
mod programs;
mod recorded;
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(all(target_os = "linux", feature = "desktop"))]
mod window;
