//! Benchmarks and experiments: each prints a table with the floor it is measured against.

pub mod analyse;
#[cfg(feature = "embedded")]
pub mod audit;
mod band;
pub mod bench;
pub mod compound;
pub mod decompose;
#[cfg(feature = "desktop")]
pub mod desktop;
pub mod model;
mod parallel;
pub mod redteam;
pub mod route;
mod svg;
