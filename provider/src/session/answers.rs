//! What askers get: results, refusals, and what they say of results afterwards.

use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::limits::DEFAULT_JOB_LIFETIME_SECS;
use frlm_protocol::{Audience, Feedback, ReceivedJob, RefusalReason, kinds, verdict};
use nostr::{Event, EventId, Timestamp};

use super::{Effect, Outcome, Running, Session, StopReason};
use crate::admission::Refusal;
use crate::events::ProviderEvent;
use crate::queue::Rank;
use crate::results::SentResult;

/// Results repeated to a relay that comes back: those this young, and at most so many.
const REPEATED_FOR_SECS: u64 = 120;
const MAX_REPEATED: usize = 256;
/// A result is wanted this long at most, whatever its job says: until then it is sent to relays that do not take it.
const WANTED_FOR_SECS: u64 = 24 * 3_600;
/// An asker that was told something so recently does not wait for its first word.
pub(super) const TOLD_FOR_SECS: u64 = 10;

impl Session {
    /// A result of ours that a relay still had from before the start.
    pub(crate) fn remember_result(&mut self, event: Event) {
        // A relay may answer with anything, such as somebody else's result for a job of ours.
        if event.kind != kinds::JOB_RESULT || event.pubkey != self.keys.public_key() {
            return;
        }
        let Some(job) = event.tags.event_ids().next().copied() else { return };
        let wanted_until =
            Timestamp::from_secs(event.created_at.as_secs().saturating_add(DEFAULT_JOB_LIFETIME_SECS));
        self.done.insert(job, SentResult::new(event, wanted_until));
    }

    /// Recent results again, for a relay that was away: it may have lost its memory.
    pub(crate) fn repeat_results(&self, now: Timestamp) -> Vec<Effect> {
        self.done
            .newest()
            .take(MAX_REPEATED)
            .filter(|(_, result)| result.wanted_until > now)
            .filter(|(_, result)| {
                result.event.created_at.as_secs().saturating_add(REPEATED_FOR_SECS) > now.as_secs()
            })
            .map(|(job, result)| Effect::Deliver {
                job,
                event: result.event.clone(),
                until: result.wanted_until,
            })
            .collect()
    }

    pub(super) fn settle(
        &mut self,
        id: EventId,
        running: &Running,
        outcome: Outcome,
        now: Timestamp,
    ) -> Vec<Effect> {
        match (running.stop, outcome) {
            // Taken back in the last moment: the asker has stopped waiting, so the answer is dropped.
            (Some(StopReason::Cancelled), _) => self.confirm_cancellation(&running.job),
            (_, Outcome::Answered(answered)) => {
                self.speed.measured(each(answered.engine_time, running.prompts));
                self.waiting.caused(running.job.asker, running.work, answered.usage.total());
                self.remember_payers(answered.payer);
                if let Some(took) = answered.took {
                    self.tokens.took(took);
                }
                self.stats.finished += 1;
                self.stats.usage += answered.usage;
                self.stats.asked_msats = self.stats.asked_msats.saturating_add(answered.amount_msats);
                let expires_at = running.job.request.expires_at;
                let wanted_until =
                    expires_at.unwrap_or(now + DEFAULT_JOB_LIFETIME_SECS).min(now + WANTED_FOR_SECS);
                let event = answered.event;
                self.done.insert(id, SentResult::new(event.clone(), wanted_until));
                let finished = ProviderEvent::Finished {
                    job: id,
                    tokens: answered.usage.total(),
                    duration: answered.duration,
                    confidence: answered.confidence,
                };
                vec![Effect::Deliver { job: id, event, until: wanted_until }, Effect::Tell(finished)]
            }
            (_, Outcome::Failed(refusal, detail)) => {
                if refusal.reason == RefusalReason::TooLate {
                    let secs = now.as_secs().saturating_sub(running.since.as_secs());
                    self.speed.ran_late(each(Duration::from_secs(secs), running.prompts));
                }
                let mut effects = self.fail(&running.job, &refusal, detail);
                if running.rank == Rank::Paying {
                    // What it brought may be no pay.
                    effects.push(Effect::Prefer(running.job.asker, false));
                }
                effects
            }
            (None, Outcome::Waits(ticket, refusal)) => self.park(*ticket, &refusal, now),
            (Some(StopReason::ShuttingDown), Outcome::Waits(..)) | (_, Outcome::Stopped) => {
                let refusal = shutting_down();
                let detail = refusal.detail.clone();
                self.fail(&running.job, &refusal, detail)
            }
        }
    }

    /// Askers say what became of our answers. It is for people: nothing follows from it here.
    pub(super) fn receive_verdicts(&mut self, event: &Event) -> Vec<Effect> {
        let received = match verdict::from_event(event, &self.keys) {
            Ok(received) => received,
            Err(error) => return self.ignore(event.id, &error.to_string()),
        };
        let mut effects = Vec::new();
        let mut strange = 0_usize;
        for verdict in received.verdicts {
            if !self.done.judge(&verdict.job, &received.author) {
                strange += 1;
                continue;
            }
            *(if verdict.accepted { &mut self.stats.accepted } else { &mut self.stats.rejected }) += 1;
            effects.push(Effect::Tell(ProviderEvent::Judged { verdict }));
        }
        // Once for all of them: anybody can send many, and each would push other news out.
        if strange > 0 {
            let why =
                format!("{strange} verdicts about jobs that their author did not ask of us, or had judged");
            effects.extend(self.ignore(event.id, &why));
        }
        effects
    }

    /// Refuses a job before work. Nobody is told if that could make us talk without end, or if the
    /// job is no one's in particular: a refusal per provider would only be noise.
    pub(super) fn turn_away(
        &mut self,
        job: &Arc<ReceivedJob>,
        refusal: Refusal,
        now: Timestamp,
    ) -> Vec<Effect> {
        let is_told = self.words.has_taken(&job.asker, TOLD_FOR_SECS, now);
        let is_silent = job.audience == Audience::Open || self.words.take(job.asker, now).is_err();
        let mut effects = self.refuse(job, refusal);
        if is_silent {
            effects.retain(|effect| !matches!(effect, Effect::Say(..)));
        }
        repeated_if(is_told, effects)
    }

    /// Gives a job's place to another one. Its asker is told in any case: the job was taken.
    pub(super) fn displace(
        &mut self,
        job: &Arc<ReceivedJob>,
        refusal: Refusal,
        now: Timestamp,
    ) -> Vec<Effect> {
        let is_told = self.words.has_taken(&job.asker, TOLD_FOR_SECS, now);
        let _ = self.words.take(job.asker, now);
        repeated_if(is_told, self.refuse(job, refusal))
    }

    pub(super) fn refuse(&mut self, job: &Arc<ReceivedJob>, refusal: Refusal) -> Vec<Effect> {
        self.stats.refused += 1;
        let Refusal { reason, detail, retry_after_secs, pow_bits } = refusal;
        let feedback = Feedback { retry_after_secs, pow_bits, ..Feedback::refusal(reason, detail.clone()) };
        vec![
            Effect::Say(Arc::clone(job), feedback),
            Effect::Tell(ProviderEvent::Refused { job: job.id, reason, detail }),
        ]
    }

    pub(super) fn fail(&mut self, job: &Arc<ReceivedJob>, refusal: &Refusal, detail: String) -> Vec<Effect> {
        self.stats.failed += 1;
        vec![
            Effect::Say(Arc::clone(job), Feedback::refusal(refusal.reason, refusal.detail.clone())),
            Effect::Tell(ProviderEvent::Failed { job: job.id, reason: refusal.reason, detail }),
        ]
    }

    pub(super) fn ignore(&mut self, event: EventId, reason: &str) -> Vec<Effect> {
        self.stats.ignored += 1;
        vec![Effect::Tell(ProviderEvent::Ignored { event, reason: reason.to_owned() })]
    }
}

/// What is said to an asker that was told something a moment ago may be lost.
fn repeated_if(is_told: bool, effects: Vec<Effect>) -> Vec<Effect> {
    let repeated = |effect| match effect {
        Effect::Say(job, feedback) if is_told => Effect::Repeat(job, feedback),
        other => other,
    };
    effects.into_iter().map(repeated).collect()
}

/// What a prompt has of the time that so many took.
fn each(time: Duration, prompts: usize) -> Duration {
    time / u32::try_from(prompts).unwrap_or(u32::MAX).max(1)
}

pub(super) fn shutting_down() -> Refusal {
    Refusal::new(RefusalReason::ShuttingDown, "the provider is shutting down")
}
