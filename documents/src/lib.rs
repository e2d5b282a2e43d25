#![doc = include_str!("../README.md")]
//!
//! # Layout, in reading order
//!
//! - [`Options`], [`Limits`]: how, and how much is read
//! - [`Format`]: what a file is, by its bytes and its name
//! - [`read()`]: bytes → [`Event`]s: documents, their blocks, what was left out
//! - [`Block`]: text with its kind and its [`Place`]
//! - [`Refusal`], [`Warning`]: why nothing was read, and what was not
//! - [`Transcript`]: the blocks of one document as lines of text, and where each line stands in the file
//! - [`Location`]: that place in words
//! - [`Document`]: all of this for one document, put together by a [`Collector`]
//! - [`text`]: kinds of text, lines, rows of delimited text
//! - one module per family of formats: `pdf`, `office`, `web`, `mail`, `archive`, `subtitles`, `plain`
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

mod archive;
mod block;
mod detect;
mod document;
mod event;
mod format;
mod location;
mod mail;
mod office;
mod options;
mod output;
mod pdf;
mod plain;
mod read;
mod subtitles;
pub mod text;
mod transcript;
mod web;

pub use block::{Block, Bounds, Cell, Kind, Place};
pub use document::{Collector, Content, Document};
pub use event::{Event, IS_LINK, Refusal, Warning};
pub use format::Format;
pub use location::Location;
pub use options::{Limits, Options};
pub use pdf::{PageImage, page};
pub use plain::{Decoded, Decoding, decode};
pub use read::read;
pub use transcript::{Entry, EntryKind, Transcript};
