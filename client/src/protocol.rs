//! What front ends see of `frlm_protocol`: jobs, and text that is safe to show. Items are named one by one.

pub use frlm_protocol::{
    Audience, BlobPointer, BuildError, Cancellation, Feedback, FeedbackStatus, InputSource, JobAnswer,
    JobRequest, JobResult, Mode, ModelIdentity, ReceivedJob, RefusalReason, one_line, printable, shown_path,
};

/// As [`frlm_protocol::kinds`].
pub mod kinds {
    pub use frlm_protocol::kinds::{
        ANNOUNCEMENT, CANCELLATION, JOB_FEEDBACK, JOB_REQUEST, JOB_RESULT, SETTLEMENT,
    };
}

/// As [`frlm_protocol::limits`].
pub mod limits {
    pub use frlm_protocol::limits::MAX_BLOB_BYTES;
}

/// As [`frlm_protocol::receipt`].
pub mod receipt {
    pub use frlm_protocol::receipt::ReceiptLabel;
}
