#![doc = include_str!("../README.md")]
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot go on panics"))]

pub mod clock;
pub mod files;
pub mod kept;
pub mod rate;
pub mod text;
