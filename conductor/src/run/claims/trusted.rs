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
use crate::run::checks::Silence;
use crate::run::driver::Run;
use crate::run::peers::Noted;
use crate::run::validate::Validation;
use crate::swarm::ProviderInfo;

/// Whether the user's own model may review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum OwnReviewer {
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

impl Run {
    /// A review is for it: the validator takes it, the user's own model once it has passed its examination.
    pub(super) fn admit_trusted_reviewer(&mut self) {
        let Some(info) = self.answers.validation.trusted_reviewer(&self.setup) else { return };
        if self.providers.peers.is_trusted_reviewer(&info.id) {
            return;
        }
        if self.answers.validation.validator().is_some() {
            self.admit_reviewer(info);
        } else if self.answers.claims.own == OwnReviewer::Unknown {
            self.answers.claims.own = OwnReviewer::Examined;
            if !self.answers.checks.examine_own_reviewer(self.setup.policy.decisions.timeout) {
                self.on_own_examined(Err(Silence::Unfit("it only copies fields".to_owned())));
            }
        }
    }

    /// Gives reviews to a provider that the user trusts.
    pub(in crate::run) fn admit_reviewer(&mut self, info: ProviderInfo) {
        self.providers.trust.meet(&self.setup, &mut self.providers.peers, &self.subtasks, &info);
        if let Some(Noted { index, capacity, .. }) = self.providers.peers.review_as_trusted(info) {
            self.scheduler.providers.upsert(index, capacity);
        }
    }

    /// The user's own model was examined as a reviewer.
    pub(in crate::run) fn on_own_examined(&mut self, word: Result<(), Silence>) {
        self.answers.claims.own = OwnReviewer::Known;
        match (word, self.setup.candidates.fallback.clone()) {
            (Ok(()), Some(own)) => self.admit_reviewer(own),
            (Ok(()), None) => {}
            (Err(Silence::Away(why) | Silence::Unfit(why)), _) => {
                self.setup.policy.own_reviews = false;
                self.answers.claims.kept.weaken(&self.setup.policy);
                let words = format!("your own model reviews no claims: {why}");
                self.journal.decide("verify", "proceed", &words);
            }
        }
    }
}
