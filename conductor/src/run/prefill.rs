//! The prefill audit at work (tier 3; design.md, section 6; docs/decisions/0018-the-prefill-audit.md).
//!
//! ```text
//!  result ─► by weights that are at hand, and drawn by lot? ─► the answer goes its way, and a copy is put aside
//!                                                                   │
//!  trust ◄── another model: a proven lie ◄── score ◄── one pass of the claimed weights over prompt and answer
//! ```
//!
//! Reading takes milliseconds to seconds, so it is done beside the loop, and no answer waits for it but the last: a
//! run does not end before what was put aside is read, or its time is over.

use std::sync::Arc;

use frlm_inference::{AnswerReader, Message, ModelError};
use frlm_protocol::{AnswerCommitment, CommittedPosition, JobAnswer};
use frlm_verifier::audit::score::READ_TOKENS;
use frlm_verifier::audit::{Calibrations, Commitment, Position, Score, committed_answers, score};
use frlm_verifier::{Replica, VerificationPolicy};
use futures::future::BoxFuture;
use rand::Rng as _;
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use super::driver::Run;
use crate::plan::Outcome;
use crate::scheduler::{AttemptId, SubtaskId};
use crate::swarm::Ticket;
use crate::trace::{AuditFinding, TraceEvent};

/// Answers that wait to be read, at most: where many answer faster than one reads, fewer of them are read.
const MOST_OUT: usize = 64;

type Loading = BoxFuture<'static, Result<Arc<dyn AnswerReader>, ModelError>>;

/// Weights that are at hand, to read answers by. They are loaded for the first of them; clones share them.
#[derive(Clone)]
pub struct WeightsAtHand {
    hash: String,
    load: Arc<dyn Fn() -> Loading + Send + Sync>,
    reader: Arc<OnceCell<Arc<dyn AnswerReader>>>,
}

impl WeightsAtHand {
    /// Weights by their sha256 in hex, and how to load them.
    pub fn new(hash: String, load: impl Fn() -> Loading + Send + Sync + 'static) -> Self {
        Self { hash, load: Arc::new(load), reader: Arc::default() }
    }

    async fn read(&self, answer: &PutAside) -> Result<Score, NotScored> {
        let reader = self.reader.get_or_try_init(|| (self.load)()).await;
        let reader = reader.map_err(|error| NotScored::by(&error))?;
        let messages = [Message::user(&answer.prompt)];
        let read = reader.read(&messages, &answer.commitment.tokens, READ_TOKENS).await;
        let read = read.map_err(|error| NotScored::by(&error))?;
        score(&answer.job, &answer.text, &answer.commitment, &read, answer.greedy)
            .map_err(|error| NotScored::Unreadable(error.to_string()))
    }
}

impl std::fmt::Debug for WeightsAtHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeightsAtHand").field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// An answer that is to be read.
#[derive(Debug)]
struct PutAside {
    ticket: Ticket,
    provider: String,
    /// What its provider claims to run.
    weights_hash: String,
    /// The job's event id: what its provider had to commit to follows from it.
    job: String,
    prompt: String,
    text: String,
    commitment: Commitment,
    /// Whether the job left the model free to take the likeliest token.
    greedy: bool,
}

/// Why there is no score.
#[derive(Debug)]
enum NotScored {
    /// What was committed to cannot be held against the answer.
    Unreadable(String),
    /// The reader on this machine does not work.
    NoReader(String),
}

impl NotScored {
    fn by(error: &ModelError) -> Self {
        match error {
            // Tokens that are none, or more than the weights can read.
            ModelError::Invalid(_) | ModelError::TooLong { .. } => Self::Unreadable(error.to_string()),
            _ => Self::NoReader(error.to_string()),
        }
    }
}

/// Answers that are being read.
#[derive(Debug, Default)]
pub(super) struct PrefillAudits {
    weights: Option<WeightsAtHand>,
    out: JoinSet<(PutAside, Result<Score, NotScored>)>,
}

impl PrefillAudits {
    /// Whether an answer is being read.
    pub fn any_out(&self) -> bool {
        !self.out.is_empty()
    }

    /// Gives up what is being read.
    pub fn give_up(&mut self) {
        self.out = JoinSet::new();
    }

    /// Whether answers by these weights can be read, and there is room for one more.
    fn takes(&self, weights_hash: &str) -> bool {
        self.out.len() < MOST_OUT && self.weights.as_ref().is_some_and(|weights| weights.hash == weights_hash)
    }

    fn begin(&mut self, answer: PutAside) {
        let Some(weights) = self.weights.clone() else { return };
        self.out.spawn(async move {
            let found = weights.read(&answer).await;
            (answer, found)
        });
    }

    /// The next answer that was read.
    pub async fn next(&mut self) -> Option<Read> {
        // One that was lost with its task says nothing.
        let (answer, found) = self.out.join_next().await?.ok()?;
        let PutAside { ticket, provider, weights_hash, .. } = answer;
        Some(Read { ticket, provider, weights_hash, found })
    }
}

/// An answer that was read.
#[derive(Debug)]
pub(super) struct Read {
    ticket: Ticket,
    provider: String,
    weights_hash: String,
    found: Result<Score, NotScored>,
}

impl Run {
    /// Has these weights read answers of providers that claim them, as many as tier 3 looks at. Weights for which
    /// nobody measured how far apart honest answers are would accuse nobody: they read nothing.
    #[must_use]
    pub fn auditing_by(mut self, weights: WeightsAtHand) -> Self {
        let measured = Calibrations::shipped().find(&weights.hash).is_some();
        let checks = !matches!(self.setup.policy.verification, VerificationPolicy::None);
        self.prefill.weights = Some(weights).filter(|_| measured && checks);
        self
    }

    /// Puts a copy of an answer aside to be read, if it is one for that and the lot falls on it.
    pub(super) fn put_aside(
        &mut self,
        ticket: Ticket,
        job: &str,
        answers: &[JobAnswer],
        replica: &Replica<Outcome>,
    ) {
        let Some(sent) = self.sent.get(&ticket).filter(|sent| !sent.provider.trusted) else { return };
        let Some(claimed) = &sent.provider.model.weights_hash else { return };
        if !self.prefill.takes(claimed) || !self.is_drawn_for_audit(ticket, replica) {
            return;
        }
        // One answer of those that the job chose: its provider cannot know which.
        let chosen = committed_answers(job, answers.len());
        if chosen.is_empty() {
            return;
        }
        let index = chosen[rand::rng().random_range(0..chosen.len())];
        let prompt = sent.prompt.texts().into_iter().nth(index);
        let (Some(prompt), Some(answer)) = (prompt, answers.get(index)) else { return };
        let Some(commitment) = &answer.commitment else { return };
        let answer = PutAside {
            ticket,
            provider: sent.provider.id.to_string(),
            weights_hash: claimed.clone(),
            job: job.to_owned(),
            prompt,
            text: answer.text.clone(),
            commitment: as_audited(index, commitment),
            greedy: sent.prompt.constraint.is_none(),
        };
        self.prefill.begin(answer);
    }

    /// An answer was read.
    pub(super) fn on_read(&mut self, read: Read) {
        let Read { ticket, provider, weights_hash, found } = read;
        let (finding, apart_nats) = match found {
            Ok(score) => {
                let nats = score.total();
                let fits = self.saw_audit(&provider, weights_hash, nats);
                (if fits { AuditFinding::Fits } else { AuditFinding::AnotherModel }, Some(nats))
            }
            Err(NotScored::Unreadable(why)) => (AuditFinding::Unreadable(why), None),
            Err(NotScored::NoReader(why)) => {
                if self.prefill.weights.take().is_some() {
                    let words = format!("no answer is read by the weights that its provider claims: {why}");
                    self.decide("verify", "proceed", &words);
                }
                return;
            }
        };
        self.journal.emit(TraceEvent::Audited {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            provider,
            finding,
            apart_nats,
        });
    }
}

/// A commitment as the verifier knows it.
fn as_audited(answer: usize, sent: &AnswerCommitment) -> Commitment {
    let position = |at: &CommittedPosition| Position { position: at.position as usize, top: at.top.clone() };
    Commitment {
        answer,
        tokens: sent.tokens.clone(),
        positions: sent.positions.iter().map(position).collect(),
    }
}
