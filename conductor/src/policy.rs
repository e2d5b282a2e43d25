//! How a run behaves: budget, timeouts, quorum, verification.
//!
//! The two presets are those of seeds/frlm-architecture.md, "Configuration". Of the shape there ("FrlmPolicy") this holds what
//! somebody can set; the price before providers are known is a constant of [`crate::run::quote`].

use std::time::Duration;

use frlm_verifier::VerificationPolicy;
use frlm_verifier::request::VerificationLevel;
use frlm_wallet::Sats;

/// Everything that decides how one run behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct FrlmPolicy {
    /// The run never spends more than this, fees included.
    pub budget: Sats,
    /// Per-subtask and total timeouts.
    pub timeout: TimeoutPolicy,
    /// How many subtasks must be verified before an answer may be shown.
    pub quorum: Quorum,
    /// How an answer is accepted.
    pub verification: VerificationPolicy,
    /// Whether a model of the user's reviews claims, too.
    pub own_reviews: bool,
    /// By how many methods an answer must be right (seeds/verifier-block.md, `verification_level`).
    pub level: VerificationLevel,
    /// What is decided after the stages of a run, and how often a stage may be done again.
    pub decisions: DecisionPolicy,
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeoutPolicy {
    /// For one attempt at a usual subtask, of some 1,000 tokens read and 200 written; longer ones and slower providers have
    /// more in proportion.
    pub per_query: Duration,
    /// For the whole run.
    pub total: Duration,
}

/// A share of the subtasks; an answer over fewer than all always says so. It is consulted only when no more answers can come: at the
/// deadline, or when the open subtasks have failed (design.md, section 1). Until then all are awaited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quorum {
    /// Every subtask.
    All,
    /// This share of them, 0..=1.
    Fraction(f64),
}

impl Quorum {
    /// Whether `verified` of `total` subtasks are enough.
    pub fn is_met(self, verified: usize, total: usize) -> bool {
        match self {
            Self::All => verified == total,
            Self::Fraction(share) => verified as f64 >= share * total as f64,
        }
    }
}

/// What decisions after a stage may cost. Their thresholds are no part of this: they stand in a
/// priors file ([`frlm_verifier::decisions::Priors`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionPolicy {
    /// How often each stage may be done again.
    pub most_retries: u32,
    /// How long a model may think about a decision before code decides.
    pub timeout: Duration,
}

impl Default for DecisionPolicy {
    fn default() -> Self {
        Self { most_retries: 2, timeout: Duration::from_secs(20) }
    }
}

impl Default for FrlmPolicy {
    /// The source document's default preset.
    fn default() -> Self {
        Self {
            budget: Sats(10_000),
            timeout: TimeoutPolicy { per_query: Duration::from_secs(30), total: Duration::from_mins(5) },
            quorum: Quorum::Fraction(0.8),
            verification: VerificationPolicy::None,
            own_reviews: false,
            level: VerificationLevel::Standard,
            decisions: DecisionPolicy::default(),
        }
    }
}

impl FrlmPolicy {
    /// The source document's production preset.
    pub fn production() -> Self {
        let default = Self::default();
        Self {
            budget: Sats(5_000),
            timeout: TimeoutPolicy { per_query: Duration::from_mins(1), ..default.timeout },
            quorum: Quorum::Fraction(0.9),
            verification: VerificationPolicy::TWO_OF_THREE,
            ..default
        }
    }

    /// A preset by its name in the configuration file: `default` or `production`.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::default()),
            "production" => Some(Self::production()),
            _ => None,
        }
    }

    /// What the program uses unless told otherwise: the default preset, verified adaptively and complete
    /// unless the user settles for less (design.md, sections 3 and 6).
    pub fn standard() -> Self {
        Self { budget: Sats(1_000), verification: VerificationPolicy::DEFAULT, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_hold_the_documents_numbers() {
        let default = FrlmPolicy::default();
        assert_eq!(default.budget, Sats(10_000));
        assert_eq!(default.timeout.per_query, Duration::from_secs(30));
        assert_eq!(default.timeout.total, Duration::from_mins(5));
        assert_eq!(default.quorum, Quorum::Fraction(0.8));
        assert_eq!(default.verification, VerificationPolicy::None);
        let production = FrlmPolicy::production();
        assert_eq!(production.budget, Sats(5_000));
        assert_eq!(production.timeout.per_query, Duration::from_mins(1));
        assert_eq!(production.quorum, Quorum::Fraction(0.9));
        assert_eq!(production.verification.to_string(), "redundancy:3/2");
        assert_eq!(FrlmPolicy::standard().verification.to_string(), "adaptive");
    }

    #[test]
    fn quorums_count_verified_subtasks() {
        assert!(Quorum::All.is_met(4, 4) && !Quorum::All.is_met(3, 4));
        assert!(Quorum::Fraction(0.8).is_met(8, 10) && !Quorum::Fraction(0.8).is_met(7, 10));
    }
}
