//! What swarm events do to a run: answers are checked, compared, accepted or turned down.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::{FeedbackStatus, JobAnswer, RefusalReason};
use frlm_verifier::fitness::AnswerVerdict;
use frlm_verifier::{Replica, Verdict, VerificationPolicy, satisfies, verify};
use frlm_wallet::prepay::BearerToken;
use frlm_wallet::{Msats, Sats};
use nostr::EventId;

use super::check::Answered;
use super::driver::{Run, Sent};
use super::market::Experience;
use super::meaning::Unplaced;
use super::money::{Paid, settled};
use super::pay_before::{Demand, Handover, PayOutcome};
use super::peers::Noted;
use super::score::Manner;
use super::slots::{Accepted, SlotState};
use super::strategies;
use super::{RunError, quote};
use crate::plan::{Outcome, ReadBack, Skill};
use crate::scheduler::{AttemptFailure, AttemptId, Capacity, GaveUp, SubtaskId};
use crate::swarm::{OutgoingJob, ProviderId, ProviderInfo, Shown, SwarmEvent, Ticket};
use crate::trace::TraceEvent;

/// Strays that are recorded.
const MOST_STRAYS: usize = 1_000;
/// Feedback events that are recorded per attempt, and characters of their words.
const MOST_FEEDBACK: u32 = 4;
const LONGEST_DETAIL: usize = 300;

impl Run {
    pub(super) fn on_event(&mut self, event: SwarmEvent) {
        match event {
            SwarmEvent::ProviderSeen(info) => self.on_provider(info, false),
            SwarmEvent::ProviderLoad { provider, queue_length } => self.on_load(&provider, queue_length),
            SwarmEvent::ProviderGone(id) => {
                if self.validation.is_validator(&id) {
                    self.validation.gone();
                }
                if let Some(index) = self.peers.index(&id) {
                    self.scheduler.remove_provider(index, self.began.elapsed());
                    self.peers.gone(&id);
                    self.journal.emit(TraceEvent::ProviderGone { provider: id.to_string() });
                }
            }
            SwarmEvent::Sent { ticket, reference } => self.journal.emit(TraceEvent::SubQuerySent {
                subtask: SubtaskId(ticket.subtask),
                attempt: AttemptId(ticket.attempt),
                job: reference,
            }),
            SwarmEvent::SendFailed { ticket, reason } => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            SwarmEvent::Feedback { ticket, status, reason, detail } => {
                self.on_feedback(ticket, status, reason, detail);
            }
            SwarmEvent::PaymentRequired { ticket, amount, invoice } => {
                self.on_demand(ticket, amount, invoice);
            }
            SwarmEvent::Result { ticket, answers, usage, reference, job, .. } => {
                self.on_result(ticket, &answers, usage, reference, &job);
            }
            SwarmEvent::Attested { ticket, verdict, usage } => self.on_attested(ticket, verdict, usage),
            SwarmEvent::Returned { ticket, payload } => self.money.on_returned(ticket, payload),
            SwarmEvent::Told { ticket } => self.money.on_told(ticket),
            SwarmEvent::Stray { what } => self.stray(what),
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
        if self.validation.is_validator(&info.id) && !info.trusted {
            // It judges the others' work and does none of its own.
            if self.validation.seen(info) {
                self.journal.emit(event);
            }
            return;
        }
        self.meet(&info);
        if let Some(desk) = &mut self.route {
            desk.venues.meet(&info);
        }
        if let Some(Noted { index, capacity, worth_recording }) = self.peers.upsert(info) {
            self.scheduler.upsert_provider(index, Capacity { last_resort, ..capacity });
            self.appraise_offer(index, capacity);
            if worth_recording {
                self.journal.emit(event);
            }
        }
    }

    /// Notes what does not count. Anyone who sees the run's key can send more of it than a journal
    /// should hold, so only the first are recorded.
    fn stray(&mut self, what: String) {
        self.strays += 1;
        if self.strays <= MOST_STRAYS {
            self.journal.emit(TraceEvent::Stray { what });
        }
    }

    fn on_feedback(
        &mut self,
        ticket: Ticket,
        status: FeedbackStatus,
        reason: Option<RefusalReason>,
        detail: Option<String>,
    ) {
        if !self.sent.contains_key(&ticket) {
            return;
        }
        let failure = failure_by(status, reason).map(|failure| {
            // It takes the job if that is paid for in another way.
            let otherwise = self.tab_refused(ticket, reason) || self.gift_refused(ticket, reason);
            if otherwise { AttemptFailure::Busy } else { failure }
        });
        match failure {
            Some(failure) => {
                let words = detail.unwrap_or_else(|| format!("{status:?}"));
                self.attempt_failed(ticket, failure, &words);
            }
            None => self.note_feedback(ticket, status, detail),
        }
    }

    fn on_demand(&mut self, ticket: Ticket, stated: Option<Msats>, invoice: String) {
        let Some(sent) = self.sent.get(&ticket) else { return };
        let Some(bid) = sent.provider.flat_price else { return };
        let demand = Demand { ticket, provider: sent.provider.id.clone(), bid, stated, invoice };
        self.note_feedback(ticket, FeedbackStatus::PaymentRequired, None);
        if let Err(reason) = self.money.demand(demand) {
            self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
        }
    }

    /// A payment before work has ended, one way or the other; the token that is to be given to its provider, if it is
    /// paid by one.
    pub(super) fn on_paid_before(&mut self, paid: Paid) -> Option<Handover> {
        let Paid { ticket, provider, amount, outcome } = paid;
        match outcome {
            PayOutcome::Paid { sats, fees } => self.paid_unescrowed(ticket, &provider, amount, (sats, fees)),
            PayOutcome::Made { sats, fees, token } => {
                return Some(Handover { ticket, provider, amount, sats, fees, token });
            }
            PayOutcome::Unpaid(reason) => {
                // Whoever is refused once would be refused again: the others get its work.
                self.leave_out(&provider, &reason);
                self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            // It may have its pay, and may answer.
            PayOutcome::Unclear(reason) => {
                let reason =
                    format!("{provider} may have been paid, unescrowed; it counts as spent: {reason}");
                self.decide("dispatch", "escalate", &reason);
            }
        }
        None
    }

    fn paid_unescrowed(
        &mut self,
        ticket: Ticket,
        provider: &ProviderId,
        reserved: Sats,
        (sats, fees): (Sats, Sats),
    ) {
        self.journal.emit(TraceEvent::PaidUnescrowed {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            provider: provider.to_string(),
            sats: sats.0,
            fees_sats: fees.0,
        });
        self.journal.emit(settled(ticket, reserved, sats.saturating_add(fees)));
    }

    /// Sends the job of a provider that is paid by token once more, with the token. Whose attempt is over is not given
    /// it: it stays here, among the wallet's tokens that nobody has taken.
    pub(super) async fn give_token(&mut self, handover: Handover) -> Result<(), RunError> {
        let Handover { ticket, provider, amount, sats, fees, token } = handover;
        let Some(job) = self.with_token(ticket, &token) else {
            self.money.before.kept_back(ticket);
            return Ok(());
        };
        if !self.money.give(ticket).await? {
            let reason = "its token could not be given to it and stays here: frlm wallet tokens --take-back";
            self.attempt_failed(ticket, AttemptFailure::Failed, reason);
            return Ok(());
        }
        self.paid_unescrowed(ticket, &provider, amount, (sats, fees));
        self.send_with_token(job).await
    }

    fn with_token(&self, ticket: Ticket, token: &BearerToken) -> Option<OutgoingJob> {
        let sent = self.sent.get(&ticket)?;
        Some(OutgoingJob {
            ticket,
            provider: sent.provider.id.clone(),
            prompt: Arc::clone(&sent.prompt),
            bid: quote::in_msats(sent.provider.flat_price.unwrap_or(Sats::ZERO)),
            payment: Some(token.reveal().to_owned()),
            foreign: true,
            patience_secs: self.patience_secs(),
            shown: None,
        })
    }

    fn leave_out(&mut self, provider: &str, reason: &str) {
        if let Some(index) = self.peers.index(provider) {
            self.scheduler.remove_provider(index, self.began.elapsed());
            self.peers.leave_out(&provider.into());
            self.decide("dispatch", "retry", &format!("{provider} is not paid and left out: {reason}"));
        }
    }

    fn note_feedback(&mut self, ticket: Ticket, status: FeedbackStatus, detail: Option<String>) {
        let Some(sent) = self.sent.get_mut(&ticket) else { return };
        sent.feedback += 1;
        if sent.feedback == 1 && status == FeedbackStatus::Processing {
            self.brain.heard_after(self.began.elapsed().saturating_sub(sent.at));
        }
        if sent.feedback > MOST_FEEDBACK {
            return;
        }
        self.journal.emit(TraceEvent::SubQueryFeedback {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            status: format!("{status:?}").to_lowercase(),
            detail: detail.map(|detail| detail.chars().take(LONGEST_DETAIL).collect()),
        });
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
        if !self.scheduler.is_out(SubtaskId(ticket.subtask), self.scheduler_attempt(ticket)) {
            self.stray(format!(
                "a result for attempt {} of subtask {} came too late",
                ticket.attempt, ticket.subtask
            ));
            return;
        }
        let Some(sent) = self.sent.get(&ticket) else { return };
        let Some(slot) = self.slots.get_mut(ticket.subtask as usize) else { return };
        let texts: Vec<String> = answers.iter().map(|answer| answer.text.clone()).collect();
        let stated: Vec<Option<f64>> = answers.iter().map(|answer| answer.confidence).collect();
        let read = slot.subtask.read(sent.provider.dialect, &texts, &stated);
        let miscalculated =
            read.as_ref().ok().and_then(|read| strategies::miscalculated(slot.task(), &read.outcome));
        let failed_check = (read.is_err() || miscalculated.is_some()).then(|| sent.provider.clone());
        let read = read.map_err(|error| error.to_string()).and_then(|read| {
            if let Some(wrong) = miscalculated {
                return Err(format!("it miscalculates: {wrong}"));
            }
            Ok(ReadBack { outcome: objective(&self.setup.policy.verification, read.outcome)?, ..read })
        });
        let ReadBack { outcome, confidence, doubtful } = match read {
            Ok(read) => read,
            Err(why) => {
                if let Some(provider) = failed_check {
                    self.saw_failed_check(SubtaskId(ticket.subtask), &provider);
                }
                self.attempt_failed(ticket, AttemptFailure::Failed, &why);
                return;
            }
        };
        slot.doubtful |= doubtful;
        let replica = Replica {
            provider: sent.provider.id.to_string(),
            key: outcome.agreement_key(),
            trusted: sent.provider.trusted,
            confidence,
            attested: None,
            answer: outcome,
        };
        let latency = self.began.elapsed().saturating_sub(sent.at);
        if let Some(sent) = self.sent.get_mut(&ticket) {
            // Foreign providers would not know what to make of a verdict.
            let told = EventId::from_hex(job).ok().filter(|_| sent.provider.flat_price.is_none());
            sent.manner = Some(Manner::of(told, answers, latency));
        }
        self.put_aside(ticket, job, answers, &replica);
        let attempt = self.scheduler_attempt(ticket);
        self.scheduler.came_in(SubtaskId(ticket.subtask), attempt);
        self.check(Answered { ticket, replica, texts, reference, usage, latency });
    }

    /// Takes an answer that passed every check of its own for the comparison.
    pub(super) fn count(&mut self, answered: Answered) {
        self.came_back(&answered);
        let Answered { ticket, replica, texts, reference, .. } = answered;
        let Some(sent) = self.sent.get(&ticket) else { return };
        let task = (Arc::clone(&sent.prompt), sent.provider.dialect);
        let wants_attestation = self.validation.validator().is_some() && !sent.provider.trusted;
        if wants_attestation {
            self.hold(ticket, replica, Shown { result: reference, answers: texts }, task);
            return;
        }
        self.place(Unplaced { ticket, replica });
    }

    /// Records that an answer came to which no check of its own objects.
    pub(super) fn came_back(&mut self, answered: &Answered) {
        let Answered { ticket, replica, usage, latency, .. } = answered;
        let Some(sent) = self.sent.get(ticket) else { return };
        let (provider, prompt) = (sent.provider.id.clone(), Arc::clone(&sent.prompt));
        self.desk.gauge.returned(&provider, *latency);
        let Usage { prompt_tokens, completion_tokens } = self.report(*usage, &prompt);
        self.journal.emit(TraceEvent::SubQueryReturn {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            ok: true,
            summary: replica.answer.summary(),
            tokens: prompt_tokens.saturating_add(completion_tokens),
            completion_tokens,
            duration_ms: millis(*latency),
        });
        self.appraise(&provider, Experience::Answered(*latency));
    }

    /// Compares a subtask's replicas after one was added.
    pub(super) fn judge(&mut self, ticket: Ticket) {
        let id = SubtaskId(ticket.subtask);
        if self.desk.audits.is_out(id) {
            self.judge_audit(ticket);
            return;
        }
        let now = self.began.elapsed();
        let attempt = self.scheduler_attempt(ticket);
        let Some(slot) = self.slots.get_mut(ticket.subtask as usize) else { return };
        let replicas: Vec<Replica<Outcome>> =
            slot.replicas.iter().map(|(_, replica)| replica.clone()).collect();
        if self.setup.policy.verification.is_adaptive() || self.second_looks.is_out(id) {
            self.judge_by_trust(ticket, &replicas);
            return;
        }
        self.appraise_agreement(&replicas);
        match verify(&self.setup.policy.verification, &replicas) {
            Verdict::Open { missing } => self.scheduler.answered(id, attempt, Some(missing), now),
            Verdict::Split(report) => {
                self.split(id, report);
                self.scheduler.answered(id, attempt, None, now);
            }
            Verdict::Accepted(verified) => {
                let (outcome, report) = verified.into_parts();
                match report.agreeing.first() {
                    Some(provider) if self.is_drawn_for_another_look(id, &replicas, &report) => {
                        self.second_looks.draw(id, provider.clone());
                    }
                    // What is looked at again teaches more when that has ended.
                    _ => self.learn_from(id, &replicas, &report),
                }
                self.accept(id, outcome, report);
                self.scheduler.answered(id, attempt, Some(0), now);
            }
        }
    }

    /// All replicas are in and none of their answers is accepted.
    pub(super) fn turn_down(&mut self, id: SubtaskId, report: frlm_verifier::Report) {
        self.tell_split(id, report);
        let unpaid: Vec<Ticket> = self.replica_tickets(id);
        self.ended.extend(unpaid.into_iter().map(|ticket| (ticket, None)));
    }

    fn tell_split(&mut self, id: SubtaskId, report: frlm_verifier::Report) {
        let answers = report.agreeing.len() + report.dissenting.len();
        self.desk.gauge.compared(answers, answers);
        self.journal.emit(TraceEvent::Verify {
            subtask: id,
            passed: false,
            agreement: report.agreement,
            agreeing: report.agreeing,
            dissenting: report.dissenting,
        });
    }

    pub(super) fn accept(&mut self, id: SubtaskId, outcome: Outcome, report: frlm_verifier::Report) {
        let Some(slot) = self.slots.get_mut(id.0 as usize) else { return };
        let answers = std::mem::take(&mut slot.replicas);
        let replicas = u32::try_from(answers.len()).unwrap_or(u32::MAX);
        let outcome = self.meanings.best_words(id.0, &answers, &report).unwrap_or(outcome);
        let local =
            answers.iter().any(|(_, replica)| replica.trusted && report.agreeing.contains(&replica.provider));
        let key = slot.subtask.key();
        if !self.second_looks.ended(id) {
            self.desk.gauge.accepted(slot.first_price);
        }
        self.desk.gauge.compared(answers.len(), report.dissenting.len());
        slot.state = SlotState::Accepted(Accepted {
            outcome: outcome.clone(),
            agreement: report.agreement,
            confidence: report.reported_confidence,
            replicas,
            local,
            cached: false,
        });
        let kind = slot.task().kind();
        let mut paid = Sats::ZERO;
        let compared = self.is_compared(&answers);
        // Who was accepted alone, and was looked at again.
        let mut first = self.second_looks.take_first(id);
        let mut scored = Vec::new();
        for (attempt, replica) in &answers {
            let ticket = Ticket { subtask: id.0, attempt: attempt.0 };
            // Only the agreeing set is paid (design.md, section 1).
            let agrees = report.agreeing.contains(&replica.provider);
            let manner = self.sent.get(&ticket).and_then(|sent| sent.manner.clone());
            if let Some(manner) = &manner {
                self.second_looks.keep_first(id, ticket, manner);
            }
            let manner = manner.or_else(|| Some(first.take_if(|(whose, _)| *whose == ticket)?.1));
            let verdict = match (agrees, self.arbitrations.is_settled(id)) {
                (true, _) => AnswerVerdict::Correct,
                // Whom an arbiter did not choose is not proven wrong (seed-arithmetic.md, scenario 2).
                (false, true) => AnswerVerdict::NotChosen,
                (false, false) => AnswerVerdict::Wrong,
            };
            scored.extend(self.score(replica, manner, verdict, compared));
            paid = paid.saturating_add(self.end_answered(ticket, &replica.answer, agrees));
        }
        let quality = self.strategies.correctness(id, &outcome).unwrap_or(report.agreement);
        if compared {
            self.clusters.take(kind, quality, report.agreement, &scored);
        }
        self.routed_well(id, &outcome, &report, &answers, paid);
        self.journal.emit(TraceEvent::Verify {
            subtask: id,
            passed: true,
            agreement: report.agreement,
            agreeing: report.agreeing,
            dissenting: report.dissenting,
        });
        self.journal.emit(TraceEvent::Verified {
            subtask: id,
            key,
            outcome,
            agreement: report.agreement,
            confidence: report.reported_confidence,
            replicas,
            local,
        });
        self.fresh.push(id);
    }

    /// Ends the job of an answer: paid by its length, or not at all.
    pub(super) fn end_answered(&mut self, ticket: Ticket, answer: &Outcome, earned: bool) -> Sats {
        let cost = self.sent.remove(&ticket).filter(|_| earned).map(|sent| {
            let written = || serde_json::to_string(answer).map_or(0, |text| text.len() / 4);
            quote::actual(&sent.prompt, written, sent.provider.tariff)
        });
        self.ended.push((ticket, cost));
        cost.unwrap_or_default()
    }

    /// Records that a job came back without an answer.
    pub(super) fn returned_nothing(&mut self, ticket: Ticket, sent: &Sent, why: &str) {
        self.journal.emit(TraceEvent::SubQueryReturn {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            ok: false,
            summary: why.chars().take(300).collect(),
            tokens: 0,
            completion_tokens: 0,
            duration_ms: millis(self.began.elapsed().saturating_sub(sent.at)),
        });
    }

    pub(super) fn attempt_failed(&mut self, ticket: Ticket, failure: AttemptFailure, why: &str) {
        if self.is_validation(ticket) {
            self.validation_failed(ticket, failure == AttemptFailure::Busy, why);
            return;
        }
        let Some(sent) = self.sent.remove(&ticket) else { return };
        let now = self.began.elapsed();
        self.returned_nothing(ticket, &sent, why);
        self.ended.push((ticket, None));
        match failure {
            AttemptFailure::Failed => {
                self.desk.gauge.failed(&sent.provider.id);
                self.appraise(&sent.provider.id, Experience::Failed);
            }
            AttemptFailure::TooLate => {
                self.desk.gauge.timed_out();
                self.appraise(&sent.provider.id, Experience::Refused);
            }
            AttemptFailure::Busy => self.appraise(&sent.provider.id, Experience::Refused),
            AttemptFailure::Unpaid => self.desk.gauge.unpaid(),
            // An answer without a verdict has come: the `validate::unjudged` module ends it.
            AttemptFailure::Unfit | AttemptFailure::NotSent | AttemptFailure::NoVerdict => {}
        }
        if let Some(slot) = self.slots.get_mut(ticket.subtask as usize) {
            let has_failed = matches!(failure, AttemptFailure::Failed | AttemptFailure::Unpaid);
            slot.failures = slot.failures.saturating_add(u16::from(has_failed));
            slot.timeouts = slot.timeouts.saturating_add(u16::from(failure == AttemptFailure::TooLate));
            slot.last_failure = Some(why.chars().take(200).collect());
        }
        let attempt = self.scheduler_attempt(ticket);
        self.scheduler.failed(SubtaskId(ticket.subtask), attempt, failure, now);
    }

    pub(super) fn on_gave_up(&mut self, id: SubtaskId, why: GaveUp) {
        if self.desk.audits.gave_up(id) {
            // Its answer stands as it was accepted.
            return;
        }
        if self.stands_after_second_look(id) || self.arbitrate(id, why) {
            return;
        }
        self.gave_up(id, why);
    }

    /// Nobody else is asked, and nobody knows better.
    pub(super) fn gave_up(&mut self, id: SubtaskId, why: GaveUp) {
        self.second_looks.lost(id);
        if let Some(report) = self.arbitrations.take_split(id) {
            self.tell_split(id, report);
        }
        self.journal.emit(TraceEvent::GaveUp { subtask: id, why });
        let unpaid = self.replica_tickets(id);
        self.ended.extend(unpaid.into_iter().map(|ticket| (ticket, None)));
        if self.route_elsewhere(id, why) {
            return;
        }
        let skill = self.slots.get(id.0 as usize).map_or(0, |slot| slot.subtask.skill() as u8);
        let own = self.setup.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
        let first_time = self
            .slots
            .get_mut(id.0 as usize)
            .is_some_and(|slot| !std::mem::replace(&mut slot.fell_back, true));
        let hopeless = matches!(why, GaveUp::OutOfTime | GaveUp::OverBudget | GaveUp::CalledOff);
        let may_fall_back = first_time && own & skill == skill && !hopeless;
        let reason = format!("subtask {} got no accepted answer from the swarm", id.0);
        if may_fall_back && self.fall_back(&reason, true) {
            self.scheduler.reopen(id);
            if let Some(slot) = self.slots.get_mut(id.0 as usize) {
                slot.replicas.clear();
            }
        } else if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            slot.state = SlotState::GaveUp(why);
        }
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

/// What a provider's word means for the attempt; `None`: it is still at work.
fn failure_by(status: FeedbackStatus, reason: Option<RefusalReason>) -> Option<AttemptFailure> {
    match (status, reason) {
        (FeedbackStatus::Error, Some(RefusalReason::Busy | RefusalReason::RateLimited)) => {
            Some(AttemptFailure::Busy)
        }
        (FeedbackStatus::Error, Some(RefusalReason::TooLate)) => Some(AttemptFailure::TooLate),
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
    fn a_job_that_would_come_too_late_was_lost_to_time_and_one_without_room_may_be_tried_again() {
        let error = |reason| failure_by(FeedbackStatus::Error, reason);
        assert_eq!(error(Some(RefusalReason::TooLate)), Some(AttemptFailure::TooLate));
        assert_eq!(error(Some(RefusalReason::Busy)), Some(AttemptFailure::Busy));
        assert_eq!(error(Some(RefusalReason::EngineFailed)), Some(AttemptFailure::Failed));
        assert_eq!(error(None), Some(AttemptFailure::Failed));
        assert_eq!(failure_by(FeedbackStatus::Processing, None), None);
    }
}
