//! What becomes of a claim, and of a reading.

use std::collections::BTreeSet;

use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::posterior::Undecided;
use frlm_verifier::claims::{Claim, Decision, Review, Rules, Word};

use super::rules::is_strict;
use crate::swarm::ProviderId;

/// The most confidence in a claim that nobody reviewed.
pub(in crate::run) const MOST_UNREVIEWED: f64 = 0.5;
/// P(false) up to which a reviewed claim stands where nobody else can be asked.
pub(super) const TOLERATED: f64 = 0.1;

/// Who somebody is, as far as that tells one review from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Its key.
    pub id: ProviderId,
    /// The family of its model.
    pub family: String,
}

/// One claim of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimId {
    /// Where it was claimed.
    pub reading: SubtaskId,
    /// Its place there.
    pub at: usize,
}

/// A review that is to be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What is to be reviewed.
    pub claims: Vec<ClaimId>,
    /// Who may not be asked: who read them, and who has reviewed one of them.
    pub not: BTreeSet<ProviderId>,
    /// Who is asked rather than others; nobody in it: anybody. Where a newcomer has reviewed them, those who have a record.
    pub rather: BTreeSet<ProviderId>,
    /// Whether it is for the reviewer that the user trusts, and for nobody else.
    pub is_for_trusted: bool,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClaimOutcome {
    /// Reviews bear it out; how likely it is false all the same.
    Accepted(f64),
    /// Nobody was there to review it.
    NotReviewed(f64),
    /// Reviews reject it.
    Rejected,
    /// It stays undecided.
    Undecided,
    /// Nobody was there whose verdict it needs.
    Unjudged,
}

/// A reading of which every claim is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Which.
    pub reading: SubtaskId,
    /// Who read.
    pub reader: ProviderId,
    /// Its claims, and what became of each.
    pub claims: Vec<(Claim, ClaimOutcome)>,
    /// Claims that code rejected.
    pub fallen: usize,
    /// How likely a claim of the reader was false by its record, before this reading.
    pub prior: f64,
    /// What these claims had come to, where their reading was settled before.
    pub again: Option<Before>,
}

/// What claims had come to that are decided once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// They were accepted; one of their reviewers is not heard any more.
    Accepted,
    /// Their reviews contradicted each other.
    Undecided,
}

impl ClaimOutcome {
    /// Whether the claim is used.
    pub fn stands(self) -> bool {
        self.confidence().is_some()
    }

    /// The confidence in it; `None` if it is not used.
    pub fn confidence(self) -> Option<f64> {
        match self {
            Self::Accepted(p_false) => Some(1.0 - p_false),
            Self::NotReviewed(p_false) => Some((1.0 - p_false).min(MOST_UNREVIEWED)),
            Self::Rejected | Self::Undecided | Self::Unjudged => None,
        }
    }
}

impl Settled {
    /// The claims that are used.
    pub fn upheld(&self) -> impl Iterator<Item = &(Claim, ClaimOutcome)> {
        self.claims.iter().filter(|(_, outcome)| outcome.stands())
    }

    /// Claims that reviews reject.
    pub fn rejected(&self) -> usize {
        self.claims.iter().filter(|(_, outcome)| *outcome == ClaimOutcome::Rejected).count()
    }

    /// Claims that code or reviews rejected.
    pub fn fell(&self) -> usize {
        self.rejected() + self.fallen
    }

    /// Whether nothing is left of it after its reviews: it counts as failed.
    pub fn is_void(&self) -> bool {
        self.rejected() > 0 && self.upheld().next().is_none()
    }

    /// Whether its reader has earned its pay: not where as much fell as stands (docs/claims.md, section 3).
    pub fn is_earned(&self) -> bool {
        let fell = self.fell();
        self.upheld().count() > fell || fell == 0
    }

    /// Whether others have seen any of it.
    pub fn is_reviewed(&self) -> bool {
        self.claims.iter().any(|(_, outcome)| !matches!(outcome, ClaimOutcome::NotReviewed(_)))
    }

    /// Whether others have seen all of it, or there is nothing to be seen.
    pub(super) fn is_wholly_reviewed(&self) -> bool {
        self.claims.iter().all(|(_, outcome)| !matches!(outcome, ClaimOutcome::NotReviewed(_)))
    }

    /// Whether nothing of it was seen by those whose verdict it needs: its reader has done its part, and nothing of it is used.
    pub fn is_unjudged(&self) -> bool {
        let is_unjudged = |(_, outcome): &(Claim, ClaimOutcome)| *outcome == ClaimOutcome::Unjudged;
        !self.claims.is_empty() && self.claims.iter().all(is_unjudged)
    }

    /// How far its claims are believed on average; of a reading that found nothing, how far its reader is; `None` where none
    /// of its claims is used.
    pub fn confidence(&self) -> Option<f64> {
        if self.claims.is_empty() {
            return Some(1.0 - self.prior);
        }
        let confidences: Vec<f64> =
            self.claims.iter().filter_map(|(_, outcome)| outcome.confidence()).collect();
        (!confidences.is_empty()).then(|| confidences.iter().sum::<f64>() / confidences.len() as f64)
    }
}

/// What a claim comes to that nobody is asked about any more. A claim that too few support does not stand where the user named how
/// many, or who, even if nobody else can be asked.
pub(super) fn outcome(decision: &Decision, reviews: &[Review], rules: &Rules) -> ClaimOutcome {
    match *decision {
        Decision::Accepted { p_false } => ClaimOutcome::Accepted(p_false),
        Decision::Rejected { .. } => ClaimOutcome::Rejected,
        Decision::Undecided { reason: Undecided::NoReviewer, .. }
            if rules.word == Word::Alone || rules.wants_no_doubt =>
        {
            ClaimOutcome::Unjudged
        }
        Decision::Undecided { .. } if is_strict(rules) => ClaimOutcome::Undecided,
        Decision::Undecided { p_false, .. } if reviews.is_empty() => ClaimOutcome::NotReviewed(p_false),
        Decision::Undecided { p_false, .. } => {
            let is_borne_out = reviews.iter().all(|review| !review.verdict.rejects());
            if is_borne_out && p_false <= TOLERATED {
                ClaimOutcome::Accepted(p_false)
            } else {
                ClaimOutcome::Undecided
            }
        }
        Decision::Ask | Decision::AskTrusted => ClaimOutcome::Undecided,
    }
}

/// The family of a model by its name: the letters that it begins with.
pub(in crate::run) fn family(model: &str) -> String {
    let name = model.rsplit(['/', '\\']).next().unwrap_or(model);
    let letters: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
    if letters.is_empty() { name.to_lowercase() } else { letters.to_lowercase() }
}
