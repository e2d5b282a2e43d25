//! The whole app over real sockets, files and databases, only the window's pixels are missing: what
//! goes wrong is made to go wrong, and what the user sees and can click is looked at.

mod answer;
mod bench;
mod budget;
mod errors;
mod hours;
mod lanes;
mod lists;
mod models;
mod pay;
mod reading;
mod runs;
mod sats;
mod settings;
mod traces;
