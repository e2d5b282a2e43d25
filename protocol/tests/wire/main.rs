//! The wire from outside the crate, each file one side of it.
//!
//! One binary for all of them: every further one takes as long to link as a file takes to compile.

#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod attestations;
mod foreign;
mod hostile;
mod limits;
mod round_trips;
mod vectors;

use frlm_protocol::{JobRequest, Mode};

/// A job that asks for nothing yet.
fn bare_job() -> JobRequest {
    JobRequest::over("", [""; 0], Mode::Together)
}
