//! Benchmarks and experiments: each prints a table with the floor it is measured against.

pub mod bench;
pub mod model;
