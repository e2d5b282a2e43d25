//! Both ends of a relay connection on real sockets, each file one side of it.
//!
//! One binary for all of them: every further one takes as long to link as a file takes to compile.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod blobs;
mod common;
mod connection;
mod embedded;
mod floor;
mod hostile_relay;
mod interoperation;
mod returning;
