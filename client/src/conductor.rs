//! What front ends see of `frlm_conductor`: runs. Items are named one by one.

/// As [`frlm_conductor::claim_cache`].
pub mod claim_cache {
    pub use frlm_conductor::claim_cache::ClaimCache;
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
