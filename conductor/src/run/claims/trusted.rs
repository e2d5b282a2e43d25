//! The reviewer that the user trusts: their own model, or the validator that they named (docs/decisions/0100).
//!
//! ```text
//!   its verdict is wanted ─┬─ validator ──────────────────────► takes reviews, as a provider that does nothing else
//!                          └─ own model ─► examined, once ─┬─ passed ─┘
//!                                                          └─ failed ─► claims are decided without it
//! ```
//!
//! What its verdict is for, the rules of the policy and the level say ([`Word`](frlm_verifier::claims::Word)).

use crate::run::RunSetup;
use crate::run::validate::Validation;
use crate::swarm::ProviderInfo;

/// Whether the user's own model may review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::run) enum OwnReviewer {
    /// Nobody has wanted its verdict yet.
    #[default]
    Unknown,
    /// It is examined.
    Examined,
    /// That is known.
    Known,
}

impl Validation {
    /// The reviewer that the user trusts, while it can be asked.
    pub(in crate::run) fn trusted_reviewer(&self, setup: &RunSetup) -> Option<ProviderInfo> {
        if self.validator().is_some() {
            return self.offer().cloned();
        }
        setup.candidates.fallback.clone().filter(|_| setup.policy.own_reviews)
    }
}
