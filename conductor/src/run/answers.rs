//! Answers from their arrival to their end: checked by code, by models and by others, then accepted, rejected or paid without a
//! verdict.
//!
//! ```text
//!  result ─► code reads it ─► checks beside the loop ─► counts ─┬─ compared with others ─► judged ─► accepted
//!                 │                   │                         ├─ its claims reviewed ─► settled ─► accepted
//!                 └─ objects ─────────┴─► the attempt fails     └─ a validator is asked ─► judged
//! ```
//!
//! A part that finds something returns what follows ([`Follows`]), and [`AnswerDesk::follow`] carries it out. Answers are judged in
//! [`verdict`], claims reviewed in [`reviews`].

mod reviews;
mod verdict;

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::JobAnswer;
use frlm_verifier::validation::ground_truth::KnownAnswers;
use frlm_verifier::{Replica, Report, VerificationPolicy, satisfies};
use nostr::EventId;

use super::RunSetup;
use super::checks::{self, Answered, Check, Checked, Checks, PendingReplica, Silence};
use super::claims::ClaimDesk;
use super::equipment::Equipment;
use super::follows::Follows;
use super::journal::Journal;
use super::learner;
use super::peers::Noted;
use super::provider_scoring::Experience;
use super::recheck::Rechecks;
use super::score::{AnswerMetadata, Verdicts};
use super::subtasks::Progress;
use super::validate::Validation;
use super::validate::unjudged::{MOST_PAID_UNJUDGED, MOST_UNJUDGED};
use super::work::Work;
use crate::plan::{Outcome, ReadBack, Skill, Task, TaskError};
use crate::scheduler::{AttemptFailure, AttemptId, Capacity, FailureReason, SubtaskId};
use crate::swarm::{ProviderId, ProviderInfo, Shown, Ticket};
use crate::trace::TraceEvent;

/// What becomes of answers.
pub(super) struct AnswerDesk {
    /// Answers that are checked beside the loop.
    pub checks: Checks,
    /// Answers in words, and the claims that they are made of.
    pub claims: ClaimDesk,
    /// Answers that wait for the policy's validator.
    pub validation: Validation,
    /// Accepted answers that others are asked for, too.
    pub rechecks: Rechecks,
    /// What providers have to be told of their answers.
    pub verdicts: Verdicts,
    /// What the user knows to be true.
    pub known: Option<Arc<dyn KnownAnswers>>,
}

impl AnswerDesk {
    pub fn new(setup: &mut RunSetup, equipment: &mut Equipment) -> Self {
        Self {
            checks: Checks::new(setup, equipment),
            claims: ClaimDesk::new(equipment.claims.take(), equipment.reads_afresh),
            validation: Validation::under(&setup.policy.verification),
            rechecks: Rechecks::default(),
            verdicts: Verdicts::default(),
            known: equipment.known_answers.take(),
        }
    }

    pub fn on_provider(&mut self, work: &mut Work, info: ProviderInfo, last_resort: bool) {
        let event = TraceEvent::ProviderSeen {
            provider: info.id.to_string(),
            name: info.name.clone(),
            model: info.model.name.clone(),
            price_msats_per_1k: info.tariff.dearest_per_1k().0,
        };
        if self.validation.is_validator(&info.id) && !info.trusted {
            // It judges the others' work and does none of its own.
            if work.providers.peers.is_trusted_reviewer(&info.id) {
                work.admit_reviewer(info.clone());
            }
            if self.validation.seen(info) {
                work.journal.emit(event);
            }
            return;
        }
        work.providers.trust.meet(&work.setup, &mut work.providers.peers, &work.subtasks, &info);
        work.providers.peers.does_all_work(&info.id);
        let (id, speed) = (info.id.clone(), info.speed);
        if let Some(desk) = &mut work.route {
            desk.venues.meet(&info);
        }
        if let Some(Noted { index, capacity, worth_recording }) = work.providers.peers.upsert(info) {
            work.scheduler.providers.upsert(index, Capacity { last_resort, ..capacity });
            work.providers.pace_announced(&mut work.scheduler, &id, speed);
            work.providers.record_offer(&mut work.scheduler, &work.subtasks, index, capacity);
            if worth_recording {
                work.journal.emit(event);
            }
        }
    }

    /// Lets the user's own model step in; `false` if there is none or it may not.
    pub fn fall_back(&mut self, work: &mut Work, reason: &str, last_resort: bool) -> bool {
        let Some(info) = work.setup.candidates.fallback.clone() else { return false };
        if !work.setup.policy.allow_local_fallback {
            return false;
        }
        if !std::mem::replace(&mut work.report.fallback_used, true) {
            work.journal.emit(TraceEvent::FallbackLocal {
                reason: reason.to_owned(),
                subtasks: work.scheduler.entries.open(),
            });
            work.journal.decide("dispatch", "retry", &format!("{reason}: your own model answers instead"));
            self.on_provider(work, info, last_resort);
        }
        true
    }

    pub fn on_result(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        answers: &[JobAnswer],
        usage: Usage,
        reference: String,
        job: &str,
    ) {
        // The scheduler may have ended the attempt in this very round, before the cancellation went out.
        if !work.scheduler.entries.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            work.providers.heard.stray(
                &mut work.journal,
                format!(
                    "a result for attempt {} of subtask {} came too late",
                    ticket.attempt, ticket.subtask
                ),
            );
            return;
        }
        let Some(sent) = work.attempts.sent.get(&ticket) else { return };
        let Some(record) = work.subtasks.of_mut(SubtaskId(ticket.subtask)) else { return };
        let texts: Vec<String> = answers.iter().map(|answer| answer.text.clone()).collect();
        let stated: Vec<Option<f64>> = answers.iter().map(|answer| answer.confidence).collect();
        // A review has verdicts on gold, too.
        let review = self.claims.shown_in(ticket);
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
            Ok(ReadBack { outcome: objective(&work.setup.policy.verification, read.outcome)?, ..read })
        });
        let ReadBack { outcome, confidence, doubtful } = match read {
            Ok(read) => read,
            Err(why) => {
                let follows = failed_check.and_then(|provider| {
                    let id = SubtaskId(ticket.subtask);
                    work.providers.trust.saw_failed_check(&work.subtasks, id, &provider)
                });
                if let Some(follows) = follows {
                    self.apply(work, follows);
                }
                self.attempt_failed(work, ticket, AttemptFailure::Failed, &why);
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
        let latency = work.began.elapsed().saturating_sub(sent.at);
        if takes_words {
            work.providers.pace_seen(&mut work.scheduler, sent, answers, work.began.elapsed());
        }
        if let Some(sent) = work.attempts.sent.get_mut(&ticket) {
            // Foreign providers would not know what to make of a verdict.
            let told = EventId::from_hex(job).ok().filter(|_| sent.provider.flat_price.is_none());
            sent.metadata = Some(AnswerMetadata::of(told, answers, latency));
        }
        if let Some(sent) = work.attempts.sent.get(&ticket) {
            let trust = &work.providers.trust;
            let is_drawn = || trust.is_drawn_for_audit(&work.subtasks, ticket, &replica);
            self.checks.prefill.put_aside(&mut self.checks.out, sent, (ticket, job), answers, is_drawn);
        }
        let attempt = AttemptId(ticket.attempt);
        work.scheduler.came_in(SubtaskId(ticket.subtask), attempt);
        for follows in work.providers.trust.saw_passed_check(&work.subtasks, SubtaskId(ticket.subtask)) {
            self.apply(work, follows);
        }
        let answered = Answered { ticket, replica, texts, reference, usage, latency };
        let follows = self.checks.check(work, &mut self.validation, answered);
        self.follow(work, follows);
    }

    /// A check has ended, or broke off.
    pub fn on_checked(&mut self, work: &mut Work, checked: Result<Checked, Check>) {
        let validation = &mut self.validation;
        let follows: Vec<Follows> = match checked {
            Ok(Checked::Programmed(answered, verdict)) => {
                self.checks.on_programmed(work, validation, answered, verdict).into_iter().collect()
            }
            Ok(Checked::Judged(judged)) => {
                self.checks.on_judged(work, validation, judged).into_iter().collect()
            }
            Ok(Checked::Matched(matched)) => self.checks.on_matched(work, matched),
            Ok(Checked::Ruled(ruled)) => self.checks.on_ruled(work, ruled),
            Ok(Checked::Read(read)) => self.checks.prefill.on_read(work, read).into_iter().collect(),
            Ok(Checked::OwnExamined(said)) => return self.on_own_examined(work, said),
            Err(Check::OwnReviewer) => {
                return self.on_own_examined(work, Err(Silence::Away("its examination was lost".to_owned())));
            }
            Err(Check::Meaning) => self.checks.compare_by_words_from_now_on(work, "a comparison was lost"),
            Err(Check::Arbitration) => self.checks.arbitrate_no_more(work, "a contest was lost"),
            // An attempt whose check is lost runs out of time; an audit that is lost says nothing.
            Err(Check::Program | Check::Level | Check::Prefill) => Vec::new(),
        };
        self.follow(work, follows);
    }

    /// Does what follows, in this order.
    pub fn follow(&mut self, work: &mut Work, follows: impl IntoIterator<Item = Follows>) {
        for next in follows {
            match next {
                Follows::Counts(answered) => self.count(work, answered),
                Follows::Compared(answer) => {
                    if let Some(ticket) = self.checks.place(work, answer) {
                        self.judge(work, ticket);
                    }
                }
                Follows::Judged(ticket) => self.judge(work, ticket),
                Follows::Failed { ticket, why } => {
                    self.attempt_failed(work, ticket, AttemptFailure::Failed, &why);
                }
                Follows::Unjudged { ticket, replica, why } => self.no_word(work, ticket, &replica, &why),
                Follows::Settled { ticket, replica, confidence, agreement, earned } => {
                    self.settle(work, ticket, replica, (confidence, agreement), earned);
                }
                Follows::Accepted { id, outcome, report } => self.accept(work, id, outcome, report),
                Follows::GaveUp { id, why } => self.gave_up(work, id, why),
                Follows::Seen(consequence) => self.apply(work, consequence),
                Follows::ByWordsAlone { why } => {
                    let follows = self.checks.compare_by_words_from_now_on(work, &why);
                    self.follow(work, follows);
                }
                Follows::NoArbiter { why } => self.arbitrate_no_more(work, &why),
            }
        }
    }

    /// Nobody arbitrates any more: what is before the arbiter is given up.
    pub fn arbitrate_no_more(&mut self, work: &mut Work, why: &str) {
        let follows = self.checks.arbitrate_no_more(work, why);
        self.follow(work, follows);
    }

    /// An answer in words is accepted as far as its claims stand. The pair: its confidence, and the share of its claims that nobody
    /// disputed.
    fn settle(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        replica: Replica<Outcome>,
        (confidence, agreement): (Option<f64>, f64),
        earned: bool,
    ) {
        let id = SubtaskId(ticket.subtask);
        let provider = vec![replica.provider.clone()];
        let (agreeing, dissenting) = if earned { (provider, Vec::new()) } else { (Vec::new(), provider) };
        let report = Report { agreeing, dissenting, agreement, reported_confidence: confidence };
        let outcome = replica.answer.clone();
        let Some(record) = work.subtasks.of_mut(id) else { return };
        record.replicas.push((AttemptId(ticket.attempt), replica));
        self.accept(work, id, outcome, report);
        let attempt = AttemptId(ticket.attempt);
        work.scheduler.answered(id, attempt, Some(0), work.began.elapsed());
    }

    /// Takes an answer that passed every check of its own for the comparison.
    pub fn count(&mut self, work: &mut Work, answered: Answered) {
        work.came_back(&answered);
        let Some(answered) = self.take_in_words(work, answered) else { return };
        let Answered { ticket, replica, texts, reference, .. } = answered;
        let Some(sent) = work.attempts.sent.get(&ticket) else { return };
        let task = (Arc::clone(&sent.prompt), sent.provider.dialect);
        let wants_attestation = self.validation.validator().is_some() && !sent.provider.trusted;
        if wants_attestation {
            let (shown, now) = (Shown { result: reference, answers: texts }, work.began.elapsed());
            let can = self.validation.hold(ticket, replica, shown, task, now);
            work.scheduler.awaits_word(SubtaskId(ticket.subtask), AttemptId(ticket.attempt), now);
            if !can {
                self.no_verdict(
                    work,
                    ticket,
                    "the validator's model cannot do what this provider was asked to do",
                );
            }
            return;
        }
        self.follow(work, [Follows::Compared(PendingReplica { ticket, replica })]);
    }

    pub fn attempt_failed(&mut self, work: &mut Work, ticket: Ticket, failure: AttemptFailure, why: &str) {
        if self.validation.is_validation(ticket) {
            let is_busy = matches!(failure, AttemptFailure::Busy | AttemptFailure::BusyFor(_));
            self.validation_failed(work, ticket, is_busy, why);
            return;
        }
        self.claims.forget_reading(ticket);
        let Some(sent) = work.attempts.sent.remove(&ticket) else { return };
        let now = work.began.elapsed();
        returned(&mut work.journal, ticket, now.saturating_sub(sent.at), Err(why));
        work.attempts.ended.push((ticket, None));
        match failure {
            AttemptFailure::Failed => {
                work.gauge.failed(&sent.provider.id);
                work.providers.record_experience(&mut work.scheduler, &sent.provider.id, Experience::Failed);
            }
            AttemptFailure::TooLate => {
                work.gauge.timed_out();
                work.providers.record_experience(&mut work.scheduler, &sent.provider.id, Experience::Refused);
            }
            AttemptFailure::Busy | AttemptFailure::BusyFor(_) => {
                work.providers.record_experience(&mut work.scheduler, &sent.provider.id, Experience::Refused);
            }
            AttemptFailure::Unpaid => work.gauge.unpaid(),
            // An answer without a verdict has come: the `validate::unjudged` module ends it.
            AttemptFailure::Unfit | AttemptFailure::NotSent | AttemptFailure::NoVerdict => {}
        }
        if let Some(record) = work.subtasks.of_mut(SubtaskId(ticket.subtask)) {
            let has_failed = matches!(failure, AttemptFailure::Failed | AttemptFailure::Unpaid);
            record.failures = record.failures.saturating_add(u16::from(has_failed));
            record.timeouts = record.timeouts.saturating_add(u16::from(failure == AttemptFailure::TooLate));
            record.last_failure = Some(why.chars().take(200).collect());
        }
        let attempt = AttemptId(ticket.attempt);
        work.scheduler.failed(SubtaskId(ticket.subtask), attempt, failure, now);
        learner::plan_no_more(&mut work.subtasks, &mut work.scheduler, SubtaskId(ticket.subtask));
    }

    /// A validation gave no verdict, perhaps for want of room at the validator: once more, or the answer has none.
    pub fn validation_failed(&mut self, work: &mut Work, ticket: Ticket, no_room: bool, why: &str) {
        let Some(answer) = self.validation.validated(ticket) else { return };
        if let Some(sent) = work.attempts.sent.remove(&ticket) {
            let after = work.began.elapsed().saturating_sub(sent.at);
            returned(&mut work.journal, ticket, after, Err(why));
        }
        work.attempts.ended.push((ticket, None));
        if self.validation.tries_again(answer, ticket, no_room, work.began.elapsed()) == Some(false) {
            self.no_verdict(work, answer, why);
        }
    }

    /// Nobody says whether an answer is right: somebody else may be asked for another one.
    pub fn no_verdict(&mut self, work: &mut Work, answer: Ticket, why: &str) {
        self.end_without_verdict(work, answer, why);
        let (id, attempt) = (SubtaskId(answer.subtask), AttemptId(answer.attempt));
        work.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, work.began.elapsed());
    }

    /// An answer whose own checks are over gets no verdict: no method at hand can tell whether it is right, at a level where that is
    /// not enough, or nobody whose verdict it needs has seen its claims. Somebody else may be asked for another one. That is
    /// not its provider's doing.
    pub fn no_word(&mut self, work: &mut Work, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let (id, attempt) = (SubtaskId(answer.subtask), AttemptId(answer.attempt));
        work.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, work.began.elapsed());
        self.left_unjudged(work, answer, replica, why);
    }

    /// Ends an answer of which nobody says whether it is right: its provider has done its part, and is paid. The
    /// validation that is out, if any.
    pub fn end_without_verdict(&mut self, work: &mut Work, answer: Ticket, why: &str) -> Option<Ticket> {
        let (held, out) = self.validation.take(answer)?;
        self.left_unjudged(work, answer, &held.replica, why);
        out.filter(|out| work.attempts.sent.contains_key(out))
    }

    /// Pays for an answer that nobody judged, as far as that goes, and says so.
    fn left_unjudged(&mut self, work: &mut Work, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let provider: ProviderId = replica.provider.as_str().into();
        let excess = self.validation.say_nothing(&provider);
        let paid = excess <= MOST_PAID_UNJUDGED;
        work.attempts.end_answered(answer, &replica.answer, paid);
        let validator = self.validation.validator().unwrap_or_default().to_owned();
        work.tell_unjudged(answer, validator, &provider, paid, why);
        // The user's own machine is nobody who could live by it.
        if excess >= MOST_UNJUDGED
            && !replica.trusted
            && work.scheduler.entries.open() > 0
            && work.providers.peers.index(&provider).is_some()
        {
            work.ask_nothing_more(&provider, self.validation.validator().is_some());
        }
    }

    pub fn on_gave_up(&mut self, work: &mut Work, id: SubtaskId, why: FailureReason) {
        if self.claims.went_without(&mut work.subtasks, id, why) {
            return;
        }
        if work.audits.gave_up(id) {
            // Its answer stands as it was accepted.
            return;
        }
        if self.stands_on_spare(work, id)
            || self.rechecks.stands_after_recheck(work, &mut self.checks, id)
            || self.checks.arbitrate(work, &self.validation, id, why)
        {
            return;
        }
        self.gave_up(work, id, why);
    }

    /// Nobody else is asked, and nobody knows better.
    pub fn gave_up(&mut self, work: &mut Work, id: SubtaskId, why: FailureReason) {
        self.rechecks.lost(id);
        if let Some(report) = self.checks.arbitrations.take_split(id) {
            work.tell_split(id, report);
        }
        work.journal.emit(TraceEvent::GaveUp { subtask: id, why });
        work.attempts.end_unpaid(&work.subtasks, id);
        let routing = work.routing(work.began.elapsed());
        if routing.is_some_and(|(desk, mut at)| desk.try_another_venue(&mut at, id, why)) {
            return;
        }
        let skill = work.subtasks.of(id).map_or(0, |record| record.subtask.skill() as u8);
        let own = work.setup.candidates.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
        let first_time =
            work.subtasks.of_mut(id).is_some_and(|record| !std::mem::replace(&mut record.fell_back, true));
        let hopeless =
            matches!(why, FailureReason::OutOfTime | FailureReason::OverBudget | FailureReason::Cancelled);
        let may_fall_back = first_time && own & skill == skill && !hopeless;
        let reason = format!("subtask {} got no accepted answer from the swarm", id.0);
        if may_fall_back && self.fall_back(work, &reason, true) {
            work.scheduler.entries.reopen(id);
            if let Some(record) = work.subtasks.of_mut(id) {
                record.replicas.clear();
            }
        } else if let Some(record) = work.subtasks.of_mut(id) {
            record.state = Progress::GaveUp(why);
        }
    }

    /// Whether anything is looked at beside the loop that may still change what a stage would find.
    pub fn reviewing(&self, work: &Work) -> bool {
        self.checks.may_change_a_stage() || work.setup.plan.is_thinking()
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

/// Records that a job came back, after how long, and with what: a summary of its answer and what its provider reports, or why
/// there is none.
pub fn returned(journal: &mut Journal, ticket: Ticket, after: Duration, came: Result<(String, Usage), &str>) {
    let ok = came.is_ok();
    let nothing = |why: &str| (why.chars().take(300).collect(), Usage::default());
    let (summary, Usage { prompt_tokens, completion_tokens }) = came.unwrap_or_else(nothing);
    journal.emit(TraceEvent::SubQueryReturn {
        subtask: SubtaskId(ticket.subtask),
        attempt: AttemptId(ticket.attempt),
        ok,
        summary,
        tokens: prompt_tokens.saturating_add(completion_tokens),
        completion_tokens,
        duration_ms: millis(after),
    });
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
