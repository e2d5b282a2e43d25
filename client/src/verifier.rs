//! What front ends see of `frlm_verifier`: verification and reputation. Items are named one by one.

pub use frlm_verifier::PolicyName;

/// As [`frlm_verifier::consensus`].
pub mod consensus {
    pub use frlm_verifier::consensus::Unread;
}

/// As [`frlm_verifier::decisions`].
pub mod decisions {
    pub use frlm_verifier::decisions::{DataSource, Params, Priors, RetryReason, Verb};

    /// As [`frlm_verifier::decisions::priors`].
    pub mod priors {
        pub use frlm_verifier::decisions::priors::{Prior, RUN, RatePrior};
    }
}

/// As [`frlm_verifier::request`].
pub mod request {
    pub use frlm_verifier::request::VerificationLevel;
}

/// As [`frlm_verifier::sampling`].
pub mod sampling {
    pub use frlm_verifier::sampling::Domain;
}

/// As [`frlm_verifier::trust`].
pub mod trust {
    pub use frlm_verifier::trust::{
        AskReason, Bias, ExportedRecord, Reputation, ReputationExport, ReputationStore, ReputationStoreError,
        biases,
    };
}

/// As [`frlm_verifier::validation`].
pub mod validation {
    pub use frlm_verifier::validation::Method;

    /// As [`frlm_verifier::validation::ground_truth`].
    pub mod ground_truth {
        pub use frlm_verifier::validation::ground_truth::{GroundTruthStore, ImportReport, KnownAnswer};
    }
}
