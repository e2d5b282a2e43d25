//! What an exchange is: what it is for, what goes in and comes out, and how far it has come.

use std::time::Duration;

use cdk::mint_url::MintUrl;
use cdk::nuts::{Id, Proof};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::journal::now_ms;

/// How long a request that nobody answered may still arrive at its mint.
pub(super) const LINGER: Duration = Duration::from_mins(10);

/// What an exchange is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Own sats into locks.
    Lock,
    /// Released locks into a provider's own sats.
    Redeem,
    /// Locks, with the provider's signature or after the locktime, back into the payer's own sats.
    Reclaim,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Lock, Self::Redeem, Self::Reclaim];

    /// The name in the journal and of the failpoints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Redeem => "redeem",
            Self::Reclaim => "reclaim",
        }
    }
}

/// Where an output's secret and blinding factor come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// The seed, by NUT-13: the wallet's own.
    Own {
        /// The keyset's counter.
        counter: u32,
    },
    /// A lock's nonce.
    Lock {
        /// The lock.
        id: String,
        /// Which of its proofs.
        index: u32,
        /// The whole secret with its conditions.
        secret: String,
    },
}

/// One output of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Output {
    /// In sats; one of the keyset's denominations.
    pub amount: u64,
    /// How it is made.
    pub origin: Origin,
}

/// An exchange that is about to happen.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub kind: Kind,
    pub mint: MintUrl,
    pub operation: Uuid,
    pub keyset: Id,
    pub inputs: Vec<Proof>,
    pub outputs: Vec<Output>,
    /// Locks or claims that it is for.
    pub subjects: Vec<String>,
}

impl Plan {
    /// All that goes in.
    pub fn held(&self) -> Sats {
        self.inputs.iter().map(|proof| Sats(proof.amount.to_u64())).sum()
    }

    /// Inputs less outputs: what the mint takes.
    pub fn fee(&self) -> u64 {
        let inputs = self.held().0;
        let outputs: u64 = self.outputs.iter().map(|output| output.amount).sum();
        inputs.saturating_sub(outputs)
    }
}

/// A planned exchange in the journal.
#[derive(Debug)]
pub(crate) struct Planned {
    pub plan: Plan,
    pub asked: Asked,
}

impl Planned {
    /// Whether an earlier copy of the request can still reach the mint.
    pub(super) fn may_still_arrive(&self) -> bool {
        let linger = i64::try_from(LINGER.as_millis()).unwrap_or(i64::MAX);
        matches!(
            self.asked,
            Asked::At(asked) | Asked::Again(asked) if now_ms().saturating_sub(asked) < linger
        )
    }
}

/// Whether the mint was asked for an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Not yet.
    Never,
    /// For the first time, and the answer is waited for.
    Now,
    /// Last at this moment (milliseconds since 1970) without a clear answer.
    At(i64),
    /// As at that moment, and again: the answer is waited for.
    Again(i64),
}

/// What an exchange gave.
#[derive(Debug)]
pub(crate) struct Done {
    /// In the order of the plan's outputs.
    pub proofs: Vec<Proof>,
}

impl Done {
    /// What the exchange gave, all together.
    pub fn sats(&self) -> Sats {
        self.proofs.iter().map(|proof| Sats(proof.amount.to_u64())).sum()
    }
}

/// How an exchange ended without result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The mint refused; the inputs are as they were.
    Refused(WalletError),
    /// Somebody else has spent inputs.
    InputsSpent(WalletError),
    /// Not known; the plan stays and is looked at again.
    Unclear(WalletError),
    /// As unclear as before: the mint refused this time, and an earlier copy may still arrive.
    StillUnclear(WalletError),
}

impl Failed {
    /// Whether the exchange may still be made.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Unclear(_) | Self::StillUnclear(_))
    }

    /// In words for the caller. Only of one that is over is it said that nothing
    /// has moved.
    pub(super) fn into_error(self, mint: &MintUrl) -> WalletError {
        match self {
            Self::Refused(error) | Self::InputsSpent(error) => error,
            Self::Unclear(error) | Self::StillUnclear(error) => in_doubt(mint, error),
        }
    }
}

pub(super) fn in_doubt(mint: &MintUrl, error: WalletError) -> WalletError {
    match error {
        WalletError::Unclear { .. } | WalletError::Lying { .. } => error,
        other => WalletError::Unclear { mint: mint.to_string(), reason: other.to_string() },
    }
}
