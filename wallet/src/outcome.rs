//! What became of a payment, by whatever way it went.

use crate::amount::Sats;

/// What became of the sats of one attempt, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettlementOutcome {
    /// Nothing was ever locked.
    Void,
    /// In escrow until somebody decides, at the latest from this moment (seconds since 1970).
    Waiting {
        /// The locktime.
        until: u64,
    },
    /// The provider's.
    Paid {
        /// To the provider.
        price: Sats,
        /// To the mint.
        fees: Sats,
    },
    /// The payer's own again.
    Back {
        /// To the mint.
        fees: Sats,
    },
}
