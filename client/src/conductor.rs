//! What front ends see of `frlm_conductor`: runs. Items are named one by one.

/// As [`frlm_conductor::answer`].
pub mod answer {
    pub use frlm_conductor::answer::{
        Answer, BudgetReport, Citation, Decision, FinalReport, Location, Method, Reading, SubtaskReport,
        UsageReport, VerificationReport,
    };
}

/// As [`frlm_conductor::asker`].
pub mod asker {
    pub use frlm_conductor::asker::{AskerError, Preferences, Priority};
}

/// As [`frlm_conductor::claim_cache`].
pub mod claim_cache {
    pub use frlm_conductor::claim_cache::ClaimCache;
}

/// As [`frlm_conductor::ingest`].
pub mod ingest {
    pub use frlm_conductor::ingest::{
        Document, DocumentsReport, IngestWarning, SplitOptions, Unread, estimate_tokens, split,
    };
}

/// As [`frlm_conductor::payment`].
pub mod payment {
    /// As [`frlm_conductor::payment::debts`].
    pub mod debts {
        pub use frlm_conductor::payment::debts::Outcome;
    }
}

/// As [`frlm_conductor::plan`].
pub mod plan {
    pub use frlm_conductor::plan::Outcome;
}

/// As [`frlm_conductor::question`].
pub mod question {
    /// As [`frlm_conductor::question::follow_up`].
    pub mod follow_up {
        pub use frlm_conductor::question::follow_up::Turn;
    }
}

/// As [`frlm_conductor::reduce`].
pub mod reduce {
    pub use frlm_conductor::reduce::sentences;
}

/// As [`frlm_conductor::run`].
pub mod run {
    /// As [`frlm_conductor::run::control`].
    pub mod control {
        pub use frlm_conductor::run::control::RunCommand;
    }

    /// As [`frlm_conductor::run::known`].
    pub mod known {
        pub use frlm_conductor::run::known::ANOTHER;
    }
}

/// As [`frlm_conductor::scheduler`].
pub mod scheduler {
    pub use frlm_conductor::scheduler::{AttemptId, FailureReason, SubtaskId};
}

/// As [`frlm_conductor::stage`].
pub mod stage {
    pub use frlm_conductor::stage::RunStage;
}

/// As [`frlm_conductor::store`].
pub mod store {
    pub use frlm_conductor::store::{Changes, NewRun, RunState, Store, StoreError, StoredRun};
}

/// As [`frlm_conductor::swarm`].
pub mod swarm {
    pub use frlm_conductor::swarm::{ProviderInfo, Tariff};
}

/// As [`frlm_conductor::trace`].
pub mod trace {
    pub use frlm_conductor::trace::{
        AuditFinding, Decider, DecisionBasis, PlannedSubtask, PosteriorStep, TraceEvent, TraceRecord,
    };
}
