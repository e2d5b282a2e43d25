//! What a verdict means for those who answered: fitness, credits, and words for them (tier 2; seeds/verifier-block.md,
//! «Fitness Calculator»).
//!
//! Fitness and credits decide nothing here: whom to believe follows from records (`super::trust`), whom to ask from
//! what each promises (`super::market`). They are kept with the records and shown.

use std::time::Duration;

use frlm_protocol::JobAnswer;
use frlm_verifier::Replica;
use frlm_verifier::fitness::{AnswerVerdict, ReasoningQuality, evaluation, reasoning_quality};
use frlm_verifier::trust::Evidence;

use super::driver::Run;
use crate::plan::Outcome;
use crate::swarm::Ticket;

/// How an answer was given, as far as its verdict will be about that.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    pub latency: Duration,
    pub reasoning: ReasoningQuality,
}

impl Manner {
    /// Of several answers in one job the least explained counts.
    pub fn of(answers: &[JobAnswer], latency: Duration) -> Self {
        let quality = |answer: &JobAnswer| reasoning_quality(answer.reasoning.as_deref().unwrap_or_default());
        let least = answers.iter().map(quality).min_by_key(|quality| match quality {
            ReasoningQuality::Minimal => 0,
            ReasoningQuality::Good => 1,
            ReasoningQuality::Excellent => 2,
        });
        Self { latency, reasoning: least.unwrap_or(ReasoningQuality::Minimal) }
    }
}

impl Run {
    /// An answer got its verdict, before its job is ended. This machine's own models have no score.
    pub(super) fn score(&mut self, ticket: Ticket, replica: &Replica<Outcome>, agrees: bool) {
        let Some(sent) = self.sent.get(&ticket).filter(|_| !replica.trusted) else { return };
        let Some(Manner { latency, reasoning }) = &sent.manner else { return };
        let verdict = if agrees { AnswerVerdict::Correct } else { AnswerVerdict::Wrong };
        let evaluation = evaluation(verdict, *reasoning, latency.as_secs_f64(), replica.confidence);
        self.trust.scored(Evidence::Scored { provider: replica.provider.clone(), evaluation });
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
        let of = |answers: &[JobAnswer]| Manner::of(answers, Duration::ZERO).reasoning;
        assert_eq!(of(std::slice::from_ref(&steps)), ReasoningQuality::Excellent);
        assert_eq!(of(&[steps, answer(None)]), ReasoningQuality::Minimal);
        assert_eq!(of(&[]), ReasoningQuality::Minimal);
    }
}
