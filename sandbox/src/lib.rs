//! Programs that somebody else wrote, run where they can do no harm (design.md, section 6).
//!
//! ```text
//!  this process ── one JSON request ──► worker process: limits first, then an interpreter (monty)
//!       ▲                                      │ no file, no network, no process, nothing imported
//!       └── one JSON word, at most so long, ◄──┘
//!           at most so late; then the worker's whole group is killed
//! ```
//!
//! Two walls stand one behind the other. The interpreter knows no operating system: a program has
//! nothing to open. The process that it runs in has the system's limits on memory, time, files and
//! processes, may make only the system calls that computing takes, and has an empty environment: if the
//! interpreter aborts, overflows its stack or is mistaken, a worker dies and this process reads that it has.
//!
//! Layout, in reading order:
//! - [`Sandbox`]: starts a worker for every program, and hears what came of it
//! - [`worker`]: the other end
//! - `confine`: what a worker takes from itself before it reads a line of the program
//! - `wire`: what the two say to each other
//!
//! A program is Python as far as monty knows it: functions, comprehensions, classes, `math`, `re`, `json`,
//! dates; nothing of the system's, no packages.

mod confine;
mod sandbox;
mod wire;
pub mod worker;

pub use sandbox::{Sandbox, SandboxError};
pub use wire::{Limits, Program, Ran};

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
