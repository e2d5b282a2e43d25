//! What front ends see of `frlm_inference`: models. Items are named one by one.

pub use frlm_inference::{Chunk, Dialect, GenerationRequest, LanguageModel, Message, Role, Sampling};

/// As [`frlm_inference::download`].
pub mod download {
    pub use frlm_inference::download::{DownloadRequest, Outcome, Progress, fetch};
}

/// As [`mod@frlm_inference::open`].
pub mod open {
    pub use frlm_inference::open::{ModelSource, ModelSpec};
}
