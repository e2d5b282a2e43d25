//! Weights that are at hand, and what they make of an answer.

use std::sync::Arc;

use frlm_inference::{AnswerReader, Message, ModelError};
use frlm_protocol::{AnswerCommitment, CommittedPosition};
use frlm_verifier::audit::score::READ_TOKENS;
use frlm_verifier::audit::{Commitment, Position, Score, score};
use futures::future::BoxFuture;
use tokio::sync::OnceCell;

use crate::swarm::Ticket;

type Loading = BoxFuture<'static, Result<Arc<dyn AnswerReader>, ModelError>>;

/// Weights that are at hand, to read answers by. They are loaded once, for the first of them; clones share them.
#[derive(Clone)]
pub struct WeightsAtHand {
    pub(super) hash: String,
    load: Arc<dyn Fn() -> Loading + Send + Sync>,
    reader: Arc<OnceCell<Arc<dyn AnswerReader>>>,
}

impl WeightsAtHand {
    /// Weights by their sha256 in hex, and how to load them.
    pub fn new(hash: String, load: impl Fn() -> Loading + Send + Sync + 'static) -> Self {
        Self { hash, load: Arc::new(load), reader: Arc::default() }
    }

    /// Loads them, if they are not. Where that fails it is tried again for the first answer.
    pub(super) async fn make_ready(&self) {
        let _ = self.reader.get_or_try_init(|| (self.load)()).await;
    }

    pub(super) async fn read(&self, answer: &PutAside) -> Result<Score, NotScored> {
        let nothing = || NotScored::NothingToRead("it commits to nothing".to_owned());
        let commitment = answer.commitment.as_ref().ok_or_else(nothing)?;
        let reader = self.reader.get_or_try_init(|| (self.load)()).await;
        let reader = reader.map_err(|error| NotScored::by(&error))?;
        let messages = [Message::user(&answer.prompt)];
        let read = reader.read(&messages, &commitment.tokens, READ_TOKENS).await;
        let read = read.map_err(|error| NotScored::by(&error))?;
        score(&answer.job, &answer.text, commitment, &read, answer.greedy)
            .map_err(|error| NotScored::NothingToRead(error.to_string()))
    }
}

impl std::fmt::Debug for WeightsAtHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeightsAtHand").field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// An answer that is to be read.
#[derive(Debug)]
pub(super) struct PutAside {
    pub ticket: Ticket,
    pub provider: String,
    /// What its provider claims to run.
    pub weights_hash: String,
    /// The job's event id: which positions its provider had to commit to follows from it.
    pub job: String,
    pub prompt: String,
    pub text: String,
    pub commitment: Option<Commitment>,
    /// Whether the job left the model free to take the likeliest token.
    pub greedy: bool,
}

/// Why there is no score.
#[derive(Debug)]
pub(super) enum NotScored {
    /// Nothing was committed to, or what cannot be held against the answer.
    NothingToRead(String),
    /// The reader on this machine does not work.
    NoReader(String),
}

impl NotScored {
    fn by(error: &ModelError) -> Self {
        match error {
            // Tokens that are none, or more than the weights can read.
            ModelError::Invalid(_) | ModelError::TooLong { .. } => Self::NothingToRead(error.to_string()),
            _ => Self::NoReader(error.to_string()),
        }
    }
}

/// A commitment as the verifier knows it.
pub(super) fn as_audited(answer: usize, sent: &AnswerCommitment) -> Commitment {
    let position = |at: &CommittedPosition| Position { position: at.position as usize, top: at.top.clone() };
    Commitment {
        answer,
        tokens: sent.tokens.clone(),
        positions: sent.positions.iter().map(position).collect(),
    }
}
