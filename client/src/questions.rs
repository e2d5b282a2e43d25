//! What front ends see of `frlm_questions`: questions, documents and answers. Items are named one by one.

/// As [`frlm_questions::answer`].
pub mod answer {
    pub use frlm_questions::answer::{
        Answer, BudgetReport, Citation, Decision, FinalReport, Location, Method, Reading, SubtaskReport,
        UsageReport, VerificationReport,
    };
}

/// As [`frlm_questions::asker`].
pub mod asker {
    pub use frlm_questions::asker::{AskerError, Preferences, Priority};
}

/// As [`frlm_questions::ingest`].
pub mod ingest {
    pub use frlm_questions::ingest::{
        Document, DocumentsReport, IngestWarning, SplitOptions, Unread, estimate_tokens, split,
    };
}

/// As [`frlm_questions::plan`].
pub mod plan {
    pub use frlm_questions::plan::Outcome;
}

/// As [`frlm_questions::question`].
pub mod question {
    /// As [`frlm_questions::question::follow_up`].
    pub mod follow_up {
        pub use frlm_questions::question::follow_up::Turn;
    }
}

/// As [`frlm_questions::reduce`].
pub mod reduce {
    pub use frlm_questions::reduce::sentences;
}

/// As [`frlm_questions::stage`].
pub mod stage {
    pub use frlm_questions::stage::RunStage;
}
