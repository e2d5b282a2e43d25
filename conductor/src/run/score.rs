//! What a verdict means for the providers: fitness, credits, and feedback for them (tier 2; seeds/verifier-block.md,
//! "Fitness Calculator").
//!
//! ```text
//!   accepted ─► evaluation ─┬─► fitness and credits, with the records
//!                           └─► verdict ─► with others of its provider ─► told (one event for many)
//! ```
//!
//! Fitness and credits decide nothing here: whom to believe follows from records (`super::trust`), whom to ask from what
//! is expected of each provider (`super::provider_scoring`). Fitness and credits are kept with the records and shown.

use std::collections::BTreeMap;
use std::time::Duration;

use frlm_protocol::{JobAnswer, Verdict, verdict};
use frlm_questions::plan::Outcome;
use frlm_verifier::Replica;
use frlm_verifier::fitness::{
    AnswerVerdict, Evaluation, ReasoningQuality, evaluation, node_feedback, reasoning_quality,
};
use frlm_verifier::trust::Evidence;
use nostr::EventId;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::desks::Ports;
use super::trust::TrustDesk;
use crate::swarm::ProviderId;

/// How many verdicts a provider is told together: an event for each would cost as much as the jobs.
const TOLD_AT_ONCE: usize = 32;

/// How long a run that is over waits for relays to take the last of them.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Verdicts on their way to the providers that they are about.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// Not told yet.
    waiting: BTreeMap<ProviderId, Vec<Verdict>>,
    out: JoinSet<()>,
}

/// The feedback on an answer that was accepted alone.
const NOT_COMPARED: &str = "Not compared.";

/// How an answer was given, as far as its verdict needs that.
#[derive(Debug, Clone)]
pub(super) struct AnswerMetadata {
    /// The job that the verdict names; `None` if its provider does not read verdicts, or was told already.
    pub job: Option<EventId>,
    pub latency: Duration,
    pub reasoning: ReasoningQuality,
}

impl AnswerMetadata {
    /// Of several answers in one job the least explained counts.
    pub fn of(job: Option<EventId>, answers: &[JobAnswer], latency: Duration) -> Self {
        let quality = |answer: &JobAnswer| reasoning_quality(answer.reasoning.as_deref().unwrap_or_default());
        let least = answers.iter().map(quality).min_by_key(|quality| match quality {
            ReasoningQuality::Minimal => 0,
            ReasoningQuality::Good => 1,
            ReasoningQuality::Excellent => 2,
        });
        Self { job, latency, reasoning: least.unwrap_or(ReasoningQuality::Minimal) }
    }
}

impl Verdicts {
    /// An answer got its verdict: how good it was, and its provider's fitness by now. This machine's own models have no score, and nothing follows from an answer that was
    /// not compared: else a provider that is taken at its word would earn by it.
    pub(super) fn score(
        &mut self,
        trust: &mut TrustDesk,
        replica: &Replica<Outcome>,
        metadata: Option<AnswerMetadata>,
        verdict: AnswerVerdict,
        compared: bool,
    ) -> Option<(Evaluation, f64)> {
        let AnswerMetadata { job, latency, reasoning } = metadata.filter(|_| !replica.trusted)?;
        let mut score = trust.score(&replica.provider);
        let (evaluated, change, credits, feedback) = if compared {
            let evaluation = evaluation(verdict, reasoning, latency.as_secs_f64(), replica.confidence);
            let (delta, credits) = score.take(&evaluation);
            trust.assessor.observe(Evidence::Scored { provider: replica.provider.clone(), evaluation });
            (Some(evaluation), delta.total(), credits, node_feedback(&evaluation))
        } else {
            (None, 0.0, 0, NOT_COMPARED)
        };
        let fitness = score.fitness;
        if let Some(job) = job {
            let (accepted, feedback) = (verdict.is_correct(), feedback.to_owned());
            let verdict = Verdict { job, accepted, fitness, change, credits, feedback };
            self.waiting.entry(replica.provider.as_str().into()).or_default().push(verdict);
        }
        evaluated.map(|evaluation| (evaluation, fitness))
    }

    /// Tells providers what became of their answers, beside the loop: those of whom enough has come together.
    pub(super) fn tell_verdicts(&mut self, ports: &Ports) {
        while self.out.try_join_next().is_some() {}
        self.tell_those_with(ports, TOLD_AT_ONCE);
    }

    /// Tells the rest of them; until when relays have a moment to take it.
    pub(super) fn tell_last_verdicts(&mut self, ports: &Ports) -> Instant {
        self.tell_those_with(ports, 1);
        Instant::now() + TIMEOUT
    }

    /// Waits until relays have them, or that moment has passed.
    pub(super) async fn await_verdicts(&mut self, until: Instant) {
        let out = &mut self.out;
        let told = async { while out.join_next().await.is_some() {} };
        if tokio::time::timeout_at(until, told).await.is_err() {
            tracing::debug!("some providers may not hear what became of their answers");
            out.abort_all();
        }
    }

    fn tell_those_with(&mut self, ports: &Ports, least: usize) {
        let Verdicts { waiting, out } = self;
        let due = waiting.iter().filter(|(_, verdicts)| verdicts.len() >= least);
        let due: Vec<ProviderId> = due.map(|(provider, _)| ProviderId::clone(provider)).collect();
        for provider in due {
            let verdicts = waiting.remove(&provider).unwrap_or_default();
            let Some(swarm) = ports.swarm.clone() else { continue };
            out.spawn(async move {
                for some in verdicts.chunks(verdict::MOST_VERDICTS) {
                    swarm.judge(&provider, some.to_vec()).await;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_explained_as_well_as_its_least_explained_answer() {
        let answer = |reasoning: Option<&str>| JobAnswer {
            reasoning: reasoning.map(str::to_owned),
            ..JobAnswer::default()
        };
        let steps = answer(Some("10000(1.05)^10 = 16288.95, minus 10000 = 6288.95"));
        let of = |answers: &[JobAnswer]| AnswerMetadata::of(None, answers, Duration::ZERO).reasoning;
        assert_eq!(of(std::slice::from_ref(&steps)), ReasoningQuality::Excellent);
        assert_eq!(of(&[steps, answer(None)]), ReasoningQuality::Minimal);
        assert_eq!(of(&[]), ReasoningQuality::Minimal);
    }
}
