//! Who does the work of a run: the swarm over Nostr relays ([`nostr`]), and the user's own models as venues ([`local`]).
//!
//! - [`discovery`]: finds providers, whatever relays send; `gate` holds back those that show too little work
//! - [`listing`]: the providers that are there, and what each announced last
//! - [`skew`]: this machine's clock against those of the providers

pub mod discovery;
mod gate;
pub mod listing;
pub mod local;
pub mod nostr;
pub mod skew;
