//! What is in a wallet, as far as the screen shows it.

use frlm_client::wallet::Money;

use super::payments::Payment;
use crate::desktop::widgets::Unit;

/// What one mint holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mint {
    /// Its address.
    pub url: String,
    /// Free to be spent, in sats.
    pub available: u64,
    /// In exchanges and payments that are not over, in sats.
    pub pending: u64,
    /// The most that it may hold, in sats.
    pub limit: Option<u64>,
    /// Whether it runs on this machine: nobody else takes its sats.
    pub on_this_machine: bool,
}

/// Sats of an earlier run that are still in escrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The run.
    pub run: String,
    /// Subtask and attempt, counted from 0.
    pub whose: (u32, u32),
    /// How many, in sats.
    pub sats: u64,
    /// Unix seconds since which they are locked.
    pub since_secs: u64,
    /// Unix seconds at which they are refunded at the latest.
    pub until_secs: u64,
}

/// Sats that a run which has ended owes for an answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// The run.
    pub run: String,
    /// Subtask and attempt, counted from 0.
    pub whose: (u32, u32),
    /// How many, in sats.
    pub sats: u64,
    /// Unix seconds since which they are owed.
    pub since_secs: u64,
}

/// A token that this wallet has made and nobody has taken, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Out {
    /// What the wallet calls it.
    pub id: String,
    /// What it is good for, in sats.
    pub sats: u64,
    /// Unix seconds at which it was made.
    pub since_secs: u64,
}

/// A wallet and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Whether all of it is play money.
    pub play: bool,
    /// The mints that may hold sats, in the order in which they were added.
    pub mints: Vec<Mint>,
    /// What earlier runs left in escrow.
    pub held: Vec<Held>,
    /// What earlier runs owe.
    pub owed: Vec<Owed>,
    /// Tokens that nobody has taken.
    pub out: Vec<Out>,
    /// Everything that came in and went out, newest first.
    pub payments: Vec<Payment>,
    /// Unix seconds of the look.
    pub now_secs: u64,
}

impl Holdings {
    /// Free to be spent, over all mints.
    pub fn available(&self) -> u64 {
        self.mints.iter().fold(0, |sum, mint| sum.saturating_add(mint.available))
    }

    /// Under way, over all mints.
    pub fn pending(&self) -> u64 {
        self.mints.iter().fold(0, |sum, mint| sum.saturating_add(mint.pending))
    }

    /// The unit as it is shown: play money is never called sats alone.
    pub fn unit(&self) -> Unit {
        Unit::of(self.play)
    }

    /// What the sats are.
    pub fn money(&self) -> Money {
        if self.play { Money::Play } else { Money::Real }
    }
}

/// Whether there is a wallet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalletStatus {
    /// None was made yet.
    None,
    /// There is one.
    Open(Holdings),
}
