//! What swarm events do to a run: answers are checked here, then compared and accepted or rejected (`verdict`);
//! attempts fail (`failed`), and some providers are paid before they work (`paid_before`).

pub(in crate::run) mod failed;
mod paid_before;
mod verdict;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::{FeedbackStatus, JobAnswer, RefusalReason};
use frlm_verifier::{Replica, VerificationPolicy, satisfies};
use nostr::EventId;

pub(super) use paid_before::Handed;

use super::checks;
use super::checks::Answered;
use super::driver::Run;
use super::peers::Noted;
use super::score::AnswerMetadata;
use crate::plan::{Outcome, ReadBack, Task, TaskError};
use crate::scheduler::{AttemptFailure, AttemptId, Capacity, SubtaskId};
use crate::swarm::{ProviderInfo, SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// The longest time for which a provider gets no job because it asked for that.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
impl Run {
    pub(super) fn on_event(&mut self, event: SwarmEvent) {
        match event {
            SwarmEvent::ProviderSeen(info) => self.on_provider(info, false),
            SwarmEvent::ProviderLoad { provider, queue_length } => {
                self.providers.on_load(&mut self.scheduler, &provider, queue_length);
            }
            SwarmEvent::ProviderGone(id) => {
                if self.answers.validation.is_validator(&id) {
                    self.answers.validation.gone();
                }
                if let Some(index) = self.providers.peers.index(&id) {
                    self.scheduler.remove_provider(index, self.began.elapsed());
                    if self.providers.peers.gone(&id) {
                        self.journal.emit(TraceEvent::ProviderGone { provider: id.to_string() });
                    }
                }
            }
            SwarmEvent::Sent { ticket, reference } => {
                if let Some(sent) = self.attempts.sent.get(&ticket) {
                    self.learner.heard_after(self.began.elapsed().saturating_sub(sent.at));
                }
                self.journal.emit(TraceEvent::SubQuerySent {
                    subtask: SubtaskId(ticket.subtask),
                    attempt: AttemptId(ticket.attempt),
                    job: reference,
                });
            }
            SwarmEvent::SendFailed { ticket, reason } => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            SwarmEvent::Feedback { ticket, status, reason, detail, retry_after_secs } => {
                self.on_feedback(ticket, (status, reason, retry_after_secs), detail);
            }
            SwarmEvent::PaymentRequired { ticket, amount, invoice } => {
                self.on_demand(ticket, amount, invoice);
            }
            SwarmEvent::Result { ticket, answers, usage, reference, job, .. } => {
                self.on_result(ticket, &answers, usage, reference, &job);
            }
            SwarmEvent::Attested { ticket, verdict, usage } => self.on_attested(ticket, verdict, usage),
            SwarmEvent::Returned { ticket, payload } => self.money.on_returned(ticket, payload),
            SwarmEvent::Told { ticket } => self.money.after.on_told(ticket),
            SwarmEvent::Stray { what } => self.providers.heard.stray(&mut self.journal, what),
            SwarmEvent::Looking(looking) => self.providers.heard.looking = looking,
            SwarmEvent::RelaySays { relay, words } => {
                if let Some(complaint) = self.providers.heard.complaint(&relay, &words).map(str::to_owned) {
                    self.journal.decide("discover", "proceed", &complaint);
                }
            }
            SwarmEvent::Unusable(why) => self.providers.heard.cannot_ask(&mut self.journal, &why),
            SwarmEvent::ClockOff(off) => {
                tracing::warn!("{off}");
                self.journal.decide("discover", "proceed", &off.to_string());
            }
            SwarmEvent::RelayOnline(relay) => self.journal.emit(TraceEvent::RelayOnline { relay }),
            SwarmEvent::RelayOffline { relay, reason } => {
                self.journal.emit(TraceEvent::RelayOffline { relay, reason });
            }
        }
    }

    pub(super) fn on_provider(&mut self, info: ProviderInfo, last_resort: bool) {
        let event = TraceEvent::ProviderSeen {
            provider: info.id.to_string(),
            name: info.name.clone(),
            model: info.model.name.clone(),
            price_msats_per_1k: info.tariff.dearest_per_1k().0,
        };
        if self.answers.validation.is_validator(&info.id) && !info.trusted {
            // It judges the others' work and does none of its own.
            if self.providers.peers.is_trusted_reviewer(&info.id) {
                self.admit_reviewer(info.clone());
            }
            if self.answers.validation.seen(info) {
                self.journal.emit(event);
            }
            return;
        }
        self.providers.trust.meet(&self.setup, &mut self.providers.peers, &self.subtasks, &info);
        self.providers.peers.does_all_work(&info.id);
        let (id, speed) = (info.id.clone(), info.speed);
        if let Some(desk) = &mut self.route {
            desk.venues.meet(&info);
        }
        if let Some(Noted { index, capacity, worth_recording }) = self.providers.peers.upsert(info) {
            self.scheduler.providers.upsert(index, Capacity { last_resort, ..capacity });
            self.providers.pace_announced(&mut self.scheduler, &id, speed);
            self.providers.record_offer(&mut self.scheduler, &self.subtasks, index, capacity);
            if worth_recording {
                self.journal.emit(event);
            }
        }
    }

    fn on_feedback(
        &mut self,
        ticket: Ticket,
        (status, reason, retry_after_secs): (FeedbackStatus, Option<RefusalReason>, Option<u32>),
        detail: Option<String>,
    ) {
        if !self.attempts.sent.contains_key(&ticket) {
            return;
        }
        let wait = retry_after_secs.map(|secs| spread(secs, &self.setup.id, ticket));
        let failure = failure_by(status, reason, wait).map(|failure| {
            // It takes the job if that is paid for in another way.
            let otherwise = self.price_refused(ticket, reason);
            if otherwise { AttemptFailure::Busy } else { failure }
        });
        match failure {
            Some(failure) => {
                let words = detail.unwrap_or_else(|| format!("{status:?}"));
                let provider = self.attempts.sent.get(&ticket).map(|sent| sent.provider.id.clone());
                self.attempt_failed(ticket, failure, &words);
                let provider = provider.filter(|_| failure == AttemptFailure::Failed);
                if let Some(provider) =
                    provider.filter(|provider| self.providers.heard.fails_always(provider))
                {
                    self.leave_out(&provider, "gives up every job that it is sent", &words);
                }
            }
            None => self.attempts.note_feedback(&mut self.journal, ticket, status, detail),
        }
    }

    fn on_result(
        &mut self,
        ticket: Ticket,
        answers: &[JobAnswer],
        usage: Usage,
        reference: String,
        job: &str,
    ) {
        self.money.before.answered(ticket);
        // The scheduler may have ended the attempt in this very round, before the cancellation went out.
        if !self.scheduler.entries.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            self.providers.heard.stray(
                &mut self.journal,
                format!(
                    "a result for attempt {} of subtask {} came too late",
                    ticket.attempt, ticket.subtask
                ),
            );
            return;
        }
        let Some(sent) = self.attempts.sent.get(&ticket) else { return };
        let Some(record) = self.subtasks.of_mut(SubtaskId(ticket.subtask)) else { return };
        let texts: Vec<String> = answers.iter().map(|answer| answer.text.clone()).collect();
        let stated: Vec<Option<f64>> = answers.iter().map(|answer| answer.confidence).collect();
        // A review has verdicts on gold, too.
        let review = self.answers.claims.shown_in(ticket);
        let asked = review.as_ref().unwrap_or(&record.subtask);
        let read = asked.read(sent.provider.dialect, &texts, &stated);
        record.lesson = read.as_ref().err().and_then(TaskError::lesson).or(record.lesson);
        let miscalculated =
            read.as_ref().ok().and_then(|read| checks::miscalculated(record.task(), &read.outcome));
        // A plan that is not in the question's words may still be an honest one.
        let is_wrong = read.is_err() && !matches!(record.task(), Task::Plan(_)) || miscalculated.is_some();
        let failed_check = is_wrong.then(|| sent.provider.clone());
        let read = read.map_err(|error| error.to_string()).and_then(|read| {
            if let Some(wrong) = miscalculated {
                return Err(format!("it miscalculates: {wrong}"));
            }
            Ok(ReadBack { outcome: objective(&self.setup.policy.verification, read.outcome)?, ..read })
        });
        let ReadBack { outcome, confidence, doubtful } = match read {
            Ok(read) => read,
            Err(why) => {
                let follows = failed_check.and_then(|provider| {
                    let id = SubtaskId(ticket.subtask);
                    self.providers.trust.saw_failed_check(&self.subtasks, id, &provider)
                });
                if let Some(follows) = follows {
                    self.apply(follows);
                }
                self.attempt_failed(ticket, AttemptFailure::Failed, &why);
                return;
            }
        };
        record.doubtful |= doubtful;
        let takes_words = record.subtask.skill().takes_words();
        let replica = Replica {
            provider: sent.provider.id.to_string(),
            key: outcome.agreement_key(),
            trusted: sent.provider.trusted,
            confidence,
            attested: None,
            answer: outcome,
        };
        let latency = self.began.elapsed().saturating_sub(sent.at);
        if takes_words {
            self.providers.pace_seen(&mut self.scheduler, sent, answers, self.began.elapsed());
        }
        if let Some(sent) = self.attempts.sent.get_mut(&ticket) {
            // Foreign providers would not know what to make of a verdict.
            let told = EventId::from_hex(job).ok().filter(|_| sent.provider.flat_price.is_none());
            sent.metadata = Some(AnswerMetadata::of(told, answers, latency));
        }
        if let Some(sent) = self.attempts.sent.get(&ticket) {
            let trust = &self.providers.trust;
            let is_drawn = || trust.is_drawn_for_audit(&self.subtasks, ticket, &replica);
            self.answers.checks.put_aside(sent, (ticket, job), answers, is_drawn);
        }
        let attempt = AttemptId(ticket.attempt);
        self.scheduler.came_in(SubtaskId(ticket.subtask), attempt);
        for follows in self.providers.trust.saw_passed_check(&self.subtasks, SubtaskId(ticket.subtask)) {
            self.apply(follows);
        }
        self.check(Answered { ticket, replica, texts, reference, usage, latency });
    }
}

/// Under an objective policy a fragment's checked answer, as JSON, must satisfy the user's schema:
/// `{"kind":"records","matches":[…]}` or `{"kind":"words","answer":"…","quotes":[…]}`.
fn objective(policy: &VerificationPolicy, outcome: Outcome) -> Result<Outcome, String> {
    if let (VerificationPolicy::Objective { schema }, Outcome::Mapped(answer)) = (policy, &outcome) {
        let json = serde_json::to_string(answer).map_err(|error| error.to_string())?;
        satisfies(schema, &json).map_err(|error| error.to_string())?;
    }
    Ok(outcome)
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How long a provider is left alone that said for how long: not all who were told the same come back at once. No word of a
/// stranger holds a run for more than a minute.
fn spread(secs: u32, run: &str, ticket: Ticket) -> Duration {
    let mut hasher = DefaultHasher::new();
    (run, ticket).hash(&mut hasher);
    let later = hasher.finish() % 500;
    Duration::from_secs(u64::from(secs)).min(LONGEST_WAIT).mul_f64(1.0 + later as f64 / 1_000.0)
}

/// What a provider's word means for the attempt; `None`: it is still at work. `wait`: it says when to come back.
fn failure_by(
    status: FeedbackStatus,
    reason: Option<RefusalReason>,
    wait: Option<Duration>,
) -> Option<AttemptFailure> {
    match (status, reason) {
        (FeedbackStatus::Error, Some(RefusalReason::Busy | RefusalReason::RateLimited)) => {
            Some(wait.map_or(AttemptFailure::Busy, AttemptFailure::BusyFor))
        }
        // It is what waits before it that makes it late, and nothing about the job.
        (FeedbackStatus::Error, Some(RefusalReason::TooLate)) => {
            Some(wait.map_or(AttemptFailure::TooLate, AttemptFailure::BusyFor))
        }
        (FeedbackStatus::Error | FeedbackStatus::PaymentRequired | FeedbackStatus::Cancelled, _) => {
            Some(AttemptFailure::Failed)
        }
        (FeedbackStatus::Processing | FeedbackStatus::Partial | FeedbackStatus::Success, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_declined_as_too_late_is_lost_to_time_and_a_full_one_is_retried() {
        let error = |reason| failure_by(FeedbackStatus::Error, reason, None);
        assert_eq!(error(Some(RefusalReason::TooLate)), Some(AttemptFailure::TooLate));
        assert_eq!(error(Some(RefusalReason::Busy)), Some(AttemptFailure::Busy));
        assert_eq!(error(Some(RefusalReason::EngineFailed)), Some(AttemptFailure::Failed));
        assert_eq!(error(None), Some(AttemptFailure::Failed));
        assert_eq!(failure_by(FeedbackStatus::Processing, None, None), None);
        let wait = Duration::from_secs(7);
        for reason in [RefusalReason::Busy, RefusalReason::RateLimited, RefusalReason::TooLate] {
            let told = failure_by(FeedbackStatus::Error, Some(reason), Some(wait));
            assert_eq!(told, Some(AttemptFailure::BusyFor(wait)));
        }
        let unfit = failure_by(FeedbackStatus::Error, Some(RefusalReason::TooLarge), Some(wait));
        assert_eq!(unfit, Some(AttemptFailure::Failed));
    }

    #[test]
    fn providers_told_the_same_delay_return_one_by_one_within_a_bound() {
        let waits: std::collections::BTreeSet<Duration> =
            (0..100).map(|subtask| spread(10, "run", Ticket { subtask, attempt: 0 })).collect();
        assert!(waits.len() > 50);
        let within = Duration::from_secs(10)..=Duration::from_secs(15);
        assert!(waits.iter().all(|wait| within.contains(wait)));
        assert!(spread(u32::MAX, "run", Ticket { subtask: 0, attempt: 0 }) <= LONGEST_WAIT * 2);
    }
}
