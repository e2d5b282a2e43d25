//! One module per command.

pub mod ask;
pub mod cache;
#[cfg(feature = "demo")]
pub mod demo;
pub mod docs;
pub mod doctor;
pub mod known;
pub mod models;
pub mod provide;
pub mod providers;
pub mod relay;
pub mod route;
pub mod run;
pub mod runs;
pub mod serve;
pub mod strategies;
pub mod wallet;
