//! Why a run ended without an answer.

use frlm_questions::plan::PlanError;
use frlm_questions::stage::RunStage;
use frlm_wallet::{LedgerError, Sats};

use super::quote::Quote;
use crate::store::StoreError;

/// Why a run ended without an answer (seeds/frlm-architecture.md, "Error Handling").
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunError {
    /// No provider can be asked, and no local model may step in (seed: NoProviders).
    #[error("{0}")]
    NoProviders(String),
    /// The work costs more than the budget (seed: BudgetExceeded). Nothing was sent.
    #[error(
        "this would cost about {expected}, up to {most}; the budget is {limit}. Try: --budget {}{}",
        most.0,
        cheaper(*unverified, *expected)
    )]
    OverBudget {
        /// With the replicas that are usually needed.
        expected: Sats,
        /// With every replica that the policy allows.
        most: Sats,
        /// Without replicas.
        unverified: Sats,
        /// The budget.
        limit: Sats,
    },
    /// The money ran out on the way.
    #[error("{0}")]
    OutOfBudget(String),
    /// Too few subtasks could be verified (seed: QuorumNotMet, VerificationFailed).
    #[error("{0}")]
    Unverified(String),
    /// The run's own decision after a stage is that a person must decide.
    #[error(
        "a person has to decide after \"{stage}\": {reason}. frlm runs show {run} tells what happened; frlm \
         runs resume {run} --accept answers from the verified parts"
    )]
    Escalated {
        /// After which stage.
        stage: RunStage,
        /// Why.
        reason: String,
        /// Which run.
        run: String,
    },
    /// The question cannot be planned with who is there, or its program failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The user stopped the run.
    #[error("stopped; frlm runs resume {0} continues from here")]
    Interrupted(String),
    /// The ledger failed: nothing is sent without it.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The journal failed: a run that cannot be recorded is stopped.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What asking without replicas would save, if anything.
fn cheaper(unverified: Sats, expected: Sats) -> String {
    if unverified < expected { format!(", or --verify none (about {unverified})") } else { String::new() }
}

impl RunError {
    /// The work costs more than this limit.
    pub(super) fn over_budget(quote: Quote, limit: Sats) -> Self {
        let Quote { low: unverified, expected, high: most, .. } = quote;
        Self::OverBudget { expected, most, unverified, limit }
    }

    /// The run's time is up and its plan still makes up its mind.
    pub(super) fn out_of_time_to_think() -> Self {
        let words =
            "the run's time was up while its program was computing; give it longer (--timeout SECONDS)";
        Self::Plan(PlanError::Program(words.to_owned()))
    }

    /// The exit code of the command contract (design.md, section 3).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::OverBudget { .. } | Self::OutOfBudget(_) => 3,
            Self::Ledger(error) if error.is_over() => 3,
            Self::NoProviders(_) => 4,
            // A program's own failure says nothing of what was verified.
            Self::Plan(PlanError::Program(_)) | Self::Ledger(_) | Self::Store(_) => 1,
            Self::Unverified(_) | Self::Escalated { .. } | Self::Plan(PlanError::NeedsWords) => 5,
            Self::Interrupted(_) => 130,
        }
    }
}
