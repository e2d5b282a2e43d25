//! The window on a display of its own.

#[allow(dead_code, reason = "with fewer features fewer tests use it")]
mod display;
mod idle;
#[cfg(feature = "embedded")]
mod story;
