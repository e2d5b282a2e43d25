//! Jobs and models for this crate's unit tests.

use frlm_inference::{Dialect, ModelInfo};
use frlm_protocol::{Audience, Encryption, Input, InputSource, JobRequest, Mode, ReceivedJob};
use nostr::{EventId, Keys, Timestamp};

/// The moment at which the tests play.
pub(crate) const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);

pub(crate) fn text_inputs(texts: &[&str]) -> Vec<Input> {
    texts.iter().map(|text| Input { data: (*text).to_owned(), source: InputSource::Text }).collect()
}

pub(crate) fn request(instruction: &str, inputs: &[&str], mode: Mode) -> JobRequest {
    JobRequest {
        profile: Some("1".to_owned()),
        ..JobRequest::over(instruction, inputs.iter().copied(), mode)
    }
}

/// A job from a fresh key to a fresh provider.
pub(crate) fn directed(request: JobRequest) -> ReceivedJob {
    ReceivedJob {
        id: EventId::all_zeros(),
        asker: Keys::generate().public_key(),
        audience: Audience::Directed(Keys::generate().public_key()),
        request,
        blob: None,
        encryption: Encryption::Nip44,
        created_at: NOW,
        raw_tags: Vec::new(),
        request_json: None,
    }
}

pub(crate) fn model_info() -> ModelInfo {
    ModelInfo {
        name: "test-model".to_owned(),
        weights_hash: None,
        quantisation: None,
        context_tokens: 1024,
        concurrency: 1,
        in_flight: 1,
        constraints: false,
        dialect: Dialect::Json,
    }
}
