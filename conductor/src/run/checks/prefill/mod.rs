//! The prefill audit at work (tier 3; design.md, section 6; docs/decisions/0018-the-prefill-audit.md).
//!
//! ```text
//!  result ─► by weights that are at hand, and drawn by lot? ─► the answer goes its way, and a copy is put aside
//!                                                                   │
//!  trust ◄── another model: a proven lie ◄── score ◄── one pass of the claimed weights over prompt and answer
//! ```
//!
//! Reading takes milliseconds to seconds, so it is done beside the loop, and no answer waits for it but the last: a
//! run does not end before what was put aside is read, or its time is over. Where the lot fell on nothing, one answer
//! of all is read at the end, so that no run is too short to be looked at.

mod weights;

use frlm_protocol::JobAnswer;
use frlm_protocol::limits::MAX_PLAINTEXT_BYTES;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::audit::{Calibrations, Score, committed_answers};
use rand::Rng as _;
use tokio::task::JoinSet;

pub use self::weights::WeightsAtHand;
use self::weights::{NotScored, PutAside, as_audited};
use super::{Check, Checked};
use crate::run::attempts::Sent;
use crate::run::beside::Beside;
use crate::run::follows::Follows;
use crate::run::work::Work;
use crate::swarm::Ticket;
use crate::trace::{AuditFinding, RunStage, TraceEvent};

/// Answers that wait to be read, at most: where many answer faster than one reads, fewer of them are read.
const MOST_OUT: usize = 64;
/// Commitments that do not fit into the event beside the answers are left out: answers of more bytes than this may
/// leave no room for the largest two.
const ROOMY_BYTES: usize = MAX_PLAINTEXT_BYTES / 2;
/// What stands around the text of an answer in the event, with its confidence.
const AROUND_ANSWER_BYTES: usize = 64;

/// What reads answers, and what it has to.
#[derive(Debug, Default)]
pub(in crate::run) struct PrefillAudits {
    weights: Option<WeightsAtHand>,
    /// Whether any was.
    begun: bool,
    /// One of those that the lot did not fall on, each as likely as any other, as long as it fell on none.
    kept: Option<PutAside>,
    /// Of so many.
    passed_by: u32,
    /// The weights, on their way into memory.
    loading: JoinSet<()>,
}

impl PrefillAudits {
    /// With these weights. Those for which nobody measured how far apart honest answers are would accuse nobody: they read
    /// nothing.
    pub fn under(policy: &VerificationPolicy, weights: Option<WeightsAtHand>) -> Self {
        let is_measured = |weights: &WeightsAtHand| Calibrations::shipped().find(&weights.hash).is_some();
        let checks = !matches!(policy, VerificationPolicy::None);
        Self { weights: weights.filter(|weights| checks && is_measured(weights)), ..Self::default() }
    }

    /// Whether an answer that the lot did not fall on is to be kept in the place of the one that is.
    fn keeps(&mut self) -> bool {
        if self.begun {
            return false;
        }
        self.passed_by = self.passed_by.saturating_add(1);
        rand::rng().random_range(0..self.passed_by) == 0
    }

    /// Keeps an answer. It is read in the end, if no other is: the weights are loaded while others are still written, so
    /// that a short run does not wait for that.
    fn keep(&mut self, answer: PutAside) {
        self.kept = Some(answer);
        if let Some(weights) = self.weights.clone().filter(|_| self.loading.is_empty()) {
            self.loading.spawn(async move { weights.make_ready().await });
        }
    }
}

impl PrefillAudits {
    /// Nothing more comes: has one answer read if none was.
    pub fn read_one_at_least(&mut self, out: &mut Beside<Check, Checked>) {
        if let Some(answer) = self.kept.take().filter(|_| !self.begun) {
            self.read(answer, out);
        }
    }

    /// Gives up what is being read, and what was to be.
    pub fn give_up(&mut self, out: &mut Beside<Check, Checked>) {
        out.give_up(Check::Prefill);
        self.loading = JoinSet::new();
        self.kept = None;
    }

    /// Whether answers by these weights can be read, and there is room for one more.
    fn reads(&self, out: &Beside<Check, Checked>, weights_hash: &str) -> bool {
        out.count(Check::Prefill) < MOST_OUT
            && self.weights.as_ref().is_some_and(|weights| weights.hash == weights_hash)
    }

    fn read(&mut self, answer: PutAside, out: &mut Beside<Check, Checked>) {
        let Some(weights) = self.weights.clone() else { return };
        self.begun = true;
        self.kept = None;
        out.begin(Check::Prefill, async move {
            let found = weights.read(&answer).await;
            let PutAside { ticket, provider, weights_hash, .. } = answer;
            Checked::Read(Read { ticket, provider, weights_hash, found })
        });
    }

    /// Puts a copy of an answer aside to be read, if it is one for that and the lot falls on it. The pair: its attempt, and the
    /// event of its job.
    pub fn put_aside(
        &mut self,
        out: &mut Beside<Check, Checked>,
        sent: &Sent,
        (ticket, job): (Ticket, &str),
        answers: &[JobAnswer],
        is_drawn: impl FnOnce() -> bool,
    ) {
        let Some(claimed) = sent.provider.model.weights_hash.as_ref().filter(|_| !sent.provider.trusted)
        else {
            return;
        };
        if !self.reads(out, claimed) {
            return;
        }
        let drawn = is_drawn();
        if !drawn && !self.keeps() {
            return;
        }
        // One of those that all of them choose.
        let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
        let chosen = committed_answers(job, &texts);
        if chosen.is_empty() {
            return;
        }
        let index = chosen[rand::rng().random_range(0..chosen.len())];
        let prompt = sent.prompt.texts().into_iter().nth(index);
        let (Some(prompt), Some(answer)) = (prompt, answers.get(index)) else { return };
        let commitment = answer.commitment.as_ref().map(|commitment| as_audited(index, commitment));
        if commitment.is_none() && is_excused(answer, &texts) {
            return;
        }
        let answer = PutAside {
            ticket,
            provider: sent.provider.id.to_string(),
            weights_hash: claimed.clone(),
            job: job.to_owned(),
            prompt,
            text: answer.text.clone(),
            commitment,
            greedy: sent.prompt.constraint.is_none(),
        };
        if drawn {
            self.read(answer, out);
        } else {
            self.keep(answer);
        }
    }
}

/// An answer that was read.
#[derive(Debug)]
pub(in crate::run) struct Read {
    ticket: Ticket,
    provider: String,
    weights_hash: String,
    found: Result<Score, NotScored>,
}

impl PrefillAudits {
    /// An answer was read.
    pub(in crate::run) fn on_read(&mut self, work: &mut Work, read: Read) -> Option<Follows> {
        let Read { ticket, provider, weights_hash, found } = read;
        let (finding, apart_nats, seen) = match found {
            Ok(score) => {
                let nats = score.total();
                let (follows, fits) = work.providers.trust.saw_audit(&provider, weights_hash, nats);
                let finding = if fits { AuditFinding::Fits } else { AuditFinding::AnotherModel };
                (finding, Some(nats), Some(follows))
            }
            Err(NotScored::NothingToRead(why)) => {
                let id = ticket.subtask;
                let trust = &mut work.providers.trust;
                (
                    AuditFinding::Unreadable(why),
                    None,
                    trust.saw_nothing_to_read(&work.subtasks, id, &provider),
                )
            }
            Err(NotScored::NoReader(why)) => {
                if self.weights.take().is_some() {
                    let words = format!("no answer is read by the weights that its provider claims: {why}");
                    work.journal.notice(RunStage::Verify, &words);
                }
                return None;
            }
        };
        work.journal.emit(TraceEvent::Audited {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            provider,
            finding,
            apart_nats,
        });
        seen.map(Follows::Seen)
    }
}

/// Whether an honest provider may have committed to nothing: where there is no word to commit to, or no room for it.
/// Space around an answer takes none that it needs.
fn is_excused(answer: &JobAnswer, texts: &[&str]) -> bool {
    let taken: usize = texts.iter().map(|text| text.trim().len() + AROUND_ANSWER_BYTES).sum();
    answer.text.trim().is_empty() || taken > ROOMY_BYTES
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use frlm_inference::ModelError;

    use super::*;

    fn answered(text: &str) -> JobAnswer {
        JobAnswer { text: text.to_owned(), ..JobAnswer::default() }
    }

    #[test]
    fn an_answer_without_words_or_context_room_is_excused_from_the_audit() {
        let long = "x".repeat(ROOMY_BYTES);
        assert!(!is_excused(&answered("42"), &["42"]));
        assert!(is_excused(&answered(" \n"), &[" \n"]));
        assert!(is_excused(&answered("42"), &["42", &long]));
        assert!(is_excused(&answered("42"), &["42"; 500]), "there are as many confidences");
        let padded = format!("42{}", "\n".repeat(2 * ROOMY_BYTES));
        assert!(!is_excused(&answered(&padded), &[&padded]), "line breaks buy no excuse");
    }

    #[tokio::test]
    async fn the_weights_are_loaded_once_while_other_answers_are_written() {
        let loads = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&loads);
        let weights = WeightsAtHand::new("ab".repeat(32), move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Err(ModelError::Failed("they are not here".to_owned())) })
        });
        let answer = || PutAside {
            ticket: Ticket::at(0, 0),
            provider: String::new(),
            weights_hash: String::new(),
            job: String::new(),
            prompt: String::new(),
            text: String::new(),
            commitment: None,
            greedy: true,
        };
        let mut audits = PrefillAudits { weights: Some(weights), ..PrefillAudits::default() };
        audits.keep(answer());
        audits.keep(answer());
        while audits.loading.join_next().await.is_some() {}
        assert_eq!(loads.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn each_unsampled_answer_is_equally_likely_to_be_kept_for_an_audit() {
        let mut last_kept = [0_u32; 4];
        for _ in 0..4_000 {
            let mut audits = PrefillAudits::default();
            let mut last = 0;
            for at in 0..4 {
                last = if audits.keeps() { at } else { last };
            }
            last_kept[last] += 1;
        }
        assert!(last_kept.iter().all(|kept| (850..1_150).contains(kept)), "{last_kept:?}");
        let mut audits = PrefillAudits { begun: true, ..PrefillAudits::default() };
        assert!((0..100).all(|_| !audits.keeps()));
    }
}
