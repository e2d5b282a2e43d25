//! Runs programs that somebody else wrote, and reads files that somebody else sent, where they can do no harm (design.md,
//! section 6).
//!
//! ```text
//!  this process ── one JSON request ──► worker process: limits first, then an interpreter (monty)
//!       ▲                                      │ no file, no network, no process, nothing imported
//!       └── one JSON reply, limited in size ◄──┘
//!           and in time; then the worker's whole group is killed
//! ```
//!
//! A program may also call functions of this process ([`Conversation`]). Each call is a line out and each answer a line in, and
//! nothing else comes in. The time that it waits does not count against its limit.
//!
//! A file goes in as a whole, before the worker limits itself, and what is found in it comes out line by line
//! ([`DocumentWorker`]). If a reader panics, one document is refused. If it takes too much memory or time, its worker ends, and
//! what came out until then remains valid.
//!
//! There are two walls. The first is the interpreter, which knows no operating system: a program has nothing to open. The readers
//! of files are our own Rust code, and open nothing either. The second wall is the process. It has the system's limits on memory,
//! time, files and processes, may make only the system calls that computing takes, and has an empty environment. If the interpreter
//! or a reader aborts, overflows its stack or has a fault, only the worker dies, and this process learns of it.
//!
//! Layout, in reading order:
//! - [`Sandbox`]: starts a worker for every program, and gets its result
//! - [`Conversation`]: the same with a program that calls functions
//! - [`DocumentWorker`]: starts a worker for every file, and passes on what it found; `exchange` is its conversation
//! - `process`: how a worker is started, and that it ends
//! - [`worker`]: the other end
//! - `reading`: the other end of a file
//! - `talk`: the other end of a conversation
//! - `values`: JSON values as a program sees them
//! - `confine`: the limits that a worker sets itself before it reads its input
//! - `wire`: what the two say to each other
//!
//! A program is Python as far as monty knows it: functions, comprehensions, classes, `math`, `re`, `json`,
//! dates; nothing of the system's, no packages.
//!
//! # More examples
//!
//! A program that asks calls functions of its caller. The time that it waits for them does not count against its limit:
//!
//! ```rust,no_run
//! use std::sync::atomic::AtomicBool;
//!
//! use frlm_sandbox::{Limits, Next, Reply, Sandbox, Script};
//!
//! let sandbox = Sandbox::of_this_program("sandbox-worker", Limits::default())?;
//! let script = Script {
//!     name: "double.py".to_owned(),
//!     code: "2 * ask('How many?')".to_owned(),
//!     functions: vec!["ask".to_owned()],
//!     ..Script::default()
//! };
//! let mut conversation = sandbox.converse(script)?;
//! let stop = AtomicBool::new(false);
//! if let (_printed, Ok(Next::Calls(_))) = conversation.next(&stop) {
//!     conversation.reply(&Reply::Gives(21.into()))?;
//! }
//! let (_printed, ended) = conversation.next(&stop);
//! assert!(matches!(ended?, Next::Ended(ran) if ran.value.as_deref() == Some("42")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file is told as it is read. If memory, time or a crash ends its worker, what was told until then holds, and the document that was
//! open ends with a refusal in words:
//!
//! ```rust,no_run
//! use std::sync::atomic::AtomicBool;
//!
//! use frlm_documents::{Event, Options};
//! use frlm_sandbox::{DocumentWorker, Limits};
//!
//! let worker = DocumentWorker::of_this_program("sandbox-worker", Limits::DOCUMENTS)?;
//! let bytes = std::fs::read("lease.pdf")?;
//! let stop = AtomicBool::new(false);
//! worker.read("lease.pdf", &bytes, &Options::default(), &stop, &mut |event| match event {
//!     Event::Block(block) => println!("{}", block.text),
//!     Event::End(Err(refusal)) => eprintln!("{refusal}"),
//!     _ => {}
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

#[doc(hidden)]
pub mod by_hand;
mod confine;
mod conversation;
mod documents;
mod exchange;
mod process;
mod reading;
mod sandbox;
mod talk;
mod values;
mod wire;
pub mod worker;

pub use conversation::{Conversation, MOST_SCRIPT_BYTES, Next};
pub use documents::{DocumentError, DocumentWorker, MOST_FILE_BYTES};
pub use sandbox::{Sandbox, SandboxError};
pub use wire::{Call, Limits, Program, Ran, Records, Reply, Script};

// The README's example is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
