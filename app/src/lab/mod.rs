//! Benchmarks and experiments: each prints a table with the floor it is measured against.

pub mod bench;
#[cfg(feature = "desktop")]
pub mod desktop;
pub mod model;
pub mod redteam;
