//! Benchmarks and experiments: each prints a table with the floor it is measured against.

pub mod bench;
#[cfg(feature = "desktop")]
pub mod desktop;
pub mod model;
mod parallel;
pub mod redteam;
pub mod route;
mod svg;
