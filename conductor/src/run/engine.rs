//! Answers from their arrival to their end: checked by code, by models and by others, then accepted, rejected or paid without a
//! verdict.
//!
//! ```text
//!  result ─► code reads it ─► checks beside the loop ─► counts ─┬─ compared with others ─► judged ─► accepted
//!                 │                   │                         ├─ its claims reviewed ─► settled ─► accepted
//!                 └─ objects ─────────┴─► the attempt fails     └─ a validator is asked ─► judged
//! ```
//!
//! A part that finds something returns what follows ([`Follows`]), and [`Engine::follow`] carries it out. Answers are judged in
//! [`verdict`], claims reviewed in [`reviews`].

mod reviews;
mod verdict;

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::JobAnswer;
use frlm_questions::plan::{Outcome, ReadBack, Skill, Task, TaskError};
use frlm_scheduler::{AttemptFailure, Capacity, FailureReason, ProviderIndex, SubtaskId};
use frlm_verifier::validation::ground_truth::KnownAnswers;
use frlm_verifier::{Replica, Report, VerificationPolicy, satisfies};
use frlm_wallet::Sats;
use nostr::EventId;

use super::RunSetup;
use super::checks::{self, Answered, Check, Checked, Checks, Silence};
use super::claims::ClaimDesk;
use super::dispatch::Dispatch;
use super::equipment::Equipment;
use super::follows::Follows;
use super::journal::Journal;
use super::peers::Noted;
use super::provider_scoring::fits;
use super::quote;
use super::recheck::{Rechecks, pays_for_recheck, still_to_ask};
use super::route::brief;
use super::score::{AnswerMetadata, Verdicts};
use super::subtasks::Progress;
use super::validate::Validation;
use super::work::Work;
use crate::swarm::{ProviderId, ProviderInfo, Shown, SwarmEvent, Ticket};
use crate::trace::{RunStage, TraceEvent};

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
}

/// What a run decides over: it waits for nothing, and holds no connection to the swarm, the ledger or a mint. The loop tells it
/// what has come, and carries out what it wants.
pub(super) struct Engine {
    pub work: Work,
    pub answers: AnswerDesk,
}

impl Engine {
    pub fn on_provider(&mut self, info: ProviderInfo, last_resort: bool) {
        let event = TraceEvent::ProviderSeen {
            provider: info.id.to_string(),
            name: info.name.clone(),
            model: info.model.name.clone(),
            price_msats_per_1k: info.tariff.dearest_per_1k().0,
        };
        let validation = &mut self.answers.validation;
        if validation.is_validator(&info.id) && !info.trusted {
            // It judges the others' work and does none of its own.
            if self.work.providers.peers.is_trusted_reviewer(&info.id) {
                self.work.admit_reviewer(info.clone());
            }
            if validation.seen(info) {
                self.work.journal.emit(event);
            }
            return;
        }
        let Work { setup, journal, scheduler, providers, subtasks, route, .. } = &mut self.work;
        providers.trust.meet(setup, &mut providers.peers, subtasks, &info);
        providers.peers.does_all_work(&info.id);
        let (id, speed) = (info.id.clone(), info.speed);
        if let Some(desk) = route {
            desk.venues.meet(&info);
        }
        if let Some(Noted { index, capacity, worth_recording }) = providers.peers.upsert(info) {
            scheduler.providers.upsert(index, Capacity { last_resort, ..capacity });
            providers.pace_announced(scheduler, &id, speed);
            providers.record_offer(scheduler, subtasks, index, capacity);
            if worth_recording {
                journal.emit(event);
            }
        }
    }

    /// Lets the user's own model step in; `false` if there is none or it may not.
    pub fn fall_back(&mut self, reason: &str, last_resort: bool) -> bool {
        let Work { setup, journal, scheduler, report, .. } = &mut self.work;
        let Some(info) = setup.candidates.fallback.clone() else { return false };
        if !std::mem::replace(&mut report.fallback_used, true) {
            let (reason, subtasks) = (reason.to_owned(), scheduler.entries.open());
            let words = format!("{reason}: your own model answers instead");
            journal.emit(TraceEvent::FallbackLocal { reason, subtasks });
            journal.notice(RunStage::Dispatch, &words);
            self.on_provider(info, last_resort);
        }
        true
    }

    pub fn on_result(
        &mut self,
        ticket: Ticket,
        answers: &[JobAnswer],
        usage: Usage,
        reference: String,
        job: &str,
    ) {
        // The scheduler may have ended the attempt in this very round, before the cancellation went out.
        let Work { setup, journal, scheduler, providers, subtasks, attempts, now, .. } = &mut self.work;
        let id = ticket.subtask;
        if !scheduler.entries.is_out(id, ticket.attempt) {
            let what = format!("a result for attempt {} of subtask {} came too late", ticket.attempt.0, id.0);
            providers.heard.stray(journal, what);
            return;
        }
        let Some(sent) = attempts.sent.get_mut(&ticket) else { return };
        let Some(record) = subtasks.of_mut(id) else { return };
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
            Ok(ReadBack { outcome: objective(&setup.policy.verification, read.outcome)?, ..read })
        });
        let ReadBack { outcome, confidence, doubtful } = match read {
            Ok(read) => read,
            Err(why) => {
                let trust = &mut providers.trust;
                let follows =
                    failed_check.and_then(|provider| trust.saw_failed_check(subtasks, id, &provider));
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
        let latency = now.saturating_sub(sent.at);
        if takes_words {
            providers.pace_seen(scheduler, sent, answers, *now);
        }
        // Foreign providers would not know what to make of a verdict.
        let told = EventId::from_hex(job).ok().filter(|_| sent.provider.flat_price.is_none());
        sent.metadata = Some(AnswerMetadata::of(told, answers, latency));
        let is_drawn = || providers.trust.is_drawn_for_audit(subtasks, ticket, &replica);
        let Checks { out, prefill, .. } = &mut self.answers.checks;
        prefill.put_aside(out, sent, (ticket, job), answers, is_drawn);
        scheduler.came_in(id, ticket.attempt);
        for follows in providers.trust.saw_passed_check(subtasks, id) {
            self.apply(follows);
        }
        let answered = Answered { ticket, replica, texts, reference, usage, latency };
        let follows = self.answers.checks.check(&mut self.work, answered);
        self.follow(follows);
    }

    /// Something came from the swarm.
    pub fn on_event(&mut self, event: SwarmEvent) {
        let Work { journal, scheduler, providers, now, .. } = &mut self.work;
        match event {
            SwarmEvent::ProviderSeen(info) => self.on_provider(info, false),
            SwarmEvent::ProviderLoad { provider, queue_length } => {
                providers.on_load(scheduler, &provider, queue_length);
            }
            SwarmEvent::ProviderGone(id) => {
                if self.answers.validation.is_validator(&id) {
                    self.answers.validation.here = None;
                }
                if let Some(index) = providers.peers.index(&id) {
                    scheduler.remove_provider(index, *now);
                    if providers.peers.gone(&id) {
                        journal.emit(TraceEvent::ProviderGone { provider: id.to_string() });
                    }
                }
            }
            SwarmEvent::Sent { ticket, reference } => journal.emit(TraceEvent::SubQuerySent {
                subtask: ticket.subtask,
                attempt: ticket.attempt,
                job: reference,
            }),
            SwarmEvent::SendFailed { ticket, reason } => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &reason);
            }
            SwarmEvent::Result { ticket, answers, usage, reference, job, .. } => {
                self.on_result(ticket, &answers, usage, reference, &job);
            }
            SwarmEvent::Attested { ticket, verdict, usage } => self.on_attested(ticket, verdict, usage),
            SwarmEvent::Stray { what } => providers.heard.stray(journal, what),
            SwarmEvent::Looking(looking) => providers.heard.looking = looking,
            SwarmEvent::RelaySays { relay, words } => {
                if let Some(complaint) = providers.heard.complaint(&relay, &words) {
                    journal.notice(RunStage::Discover, complaint);
                }
            }
            SwarmEvent::Unusable(why) => providers.heard.cannot_ask(journal, &why),
            SwarmEvent::ClockOff(off) => {
                tracing::warn!("{off}");
                journal.notice(RunStage::Discover, &off);
            }
            SwarmEvent::RelayOnline(relay) => journal.emit(TraceEvent::RelayOnline { relay }),
            SwarmEvent::RelayOffline { relay, reason } => {
                journal.emit(TraceEvent::RelayOffline { relay, reason });
            }
            // Who pays takes these.
            SwarmEvent::Feedback { .. }
            | SwarmEvent::PaymentRequired { .. }
            | SwarmEvent::Returned { .. }
            | SwarmEvent::Told { .. } => {}
        }
    }

    /// The job for an attempt; `None` where its provider has gone, or cannot do it.
    pub fn dispatch(
        &mut self,
        ticket: Ticket,
        provider: ProviderIndex,
        hedge: bool,
        left: Sats,
    ) -> Option<Dispatch> {
        let (subtask, attempt) = (ticket.subtask, ticket.attempt);
        let Work { setup, scheduler, providers, subtasks, route, now, .. } = &mut self.work;
        let provider = providers.peers.info(provider).cloned()?;
        let review = self.answers.claims.review_prompt(subtasks, subtask, attempt, &provider);
        let record = subtasks.of_mut(subtask)?;
        let mut prompt = review.unwrap_or_else(|| record.subtask.prompt(provider.dialect));
        if let Some(desk) = route {
            desk.send(subtask);
        }
        brief(&setup.policy, record, provider.dialect, &mut prompt);
        let prompt = Arc::new(prompt);
        if let Err(why) = fits(&prompt, &provider) {
            // Nothing was sent, and another provider is asked.
            record.last_failure = Some(why.into());
            scheduler.failed(subtask, attempt, AttemptFailure::Unfit, *now);
            return None;
        }
        let price = quote::price(&prompt, &provider);
        subtasks.note_price(subtask, price);
        if !hedge && !provider.trusted {
            self.recheck_at_once(subtask, &provider.id, price, left);
        }
        Some(Dispatch { ticket, provider, prompt, price, hedge, shown: None, due: None })
    }

    /// Asks others for what one provider is asked, if its answer may be enough and tier 3 will have it rechecked. Towards the end, where
    /// no more subtasks wait than jobs are out, a recheck takes no time of its own then.
    fn recheck_at_once(&mut self, id: SubtaskId, provider: &ProviderId, price: Sats, left: Sats) {
        let Work { setup, scheduler, providers, subtasks, attempts, .. } = &mut self.work;
        let is_open = subtasks.of(id).is_some_and(|record| matches!(record.state, Progress::Open));
        if !is_open
            || !setup.policy.verification.is_adaptive()
            || scheduler.entries.untouched() > attempts.sent.len()
            || !pays_for_recheck(left.0, price, still_to_ask(subtasks, setup, scheduler))
        {
            return;
        }
        let question = providers.trust.question(subtasks, id);
        if question.is_some_and(|question| providers.trust.assessor.will_recheck(&question, provider)) {
            scheduler.entries.ask_others_too(id);
        }
    }

    /// An attempt is not wanted any more: the jobs that are called off for that.
    pub fn cancel(&mut self, ticket: Ticket) -> Vec<Ticket> {
        let (subtask, attempt) = (ticket.subtask, ticket.attempt);
        if self.answers.validation.holds(ticket) && !self.work.subtasks.is_accepted(subtask) {
            let why = "the subtask had ended before it came";
            return self.end_without_verdict(ticket, why).into_iter().collect();
        }
        self.answers.claims.forget_reading(ticket);
        let work = &mut self.work;
        let mut off = Vec::from_iter(self.answers.validation.forget_validation(&mut work.attempts, ticket));
        if let Some(sent) = work.attempts.sent.get(&ticket) {
            let provider = sent.provider.id.clone();
            work.journal.emit(TraceEvent::SubQueryCancel { subtask, attempt });
            off.push(ticket);
            if work.scheduler.entries.has_straggled(subtask, attempt)
                && work.providers.heard.fails_always(&provider)
            {
                work.leave_out(&provider, "answers no job", "others were quicker each time");
            }
        }
        off
    }

    /// Whether an attempt that is out of time has its answer, which this machine has not judged in all that time.
    pub fn never_got_round_to(&self, ticket: Ticket) -> bool {
        let (subtask, attempt) = (ticket.subtask, ticket.attempt);
        !self.answers.validation.holds(ticket)
            && self.work.scheduler.entries.is_without_verdict(subtask, attempt)
    }

    /// An attempt is out of time: the job that is called off for that.
    pub fn timed_out(&mut self, ticket: Ticket) -> Option<Ticket> {
        if self.answers.validation.holds(ticket) {
            let why = "it did not come in the time that there is for a verdict";
            return self.end_without_verdict(ticket, why);
        }
        let (subtask, attempt) = (ticket.subtask, ticket.attempt);
        let work = &mut self.work;
        work.journal.emit(TraceEvent::SubQueryTimeout { subtask, attempt });
        work.gauge.timed_out();
        if let Some(record) = work.subtasks.of_mut(subtask) {
            record.timeouts = record.timeouts.saturating_add(1);
        }
        if let Some(sent) = work.attempts.sent.get(&ticket) {
            work.providers.saw_timeout(&mut work.scheduler, sent);
        }
        Some(ticket)
    }

    /// A check has ended, or broke off.
    pub fn on_checked(&mut self, checked: Result<Checked, Check>) {
        let (work, checks) = (&mut self.work, &mut self.answers.checks);
        let follows = match checked {
            Ok(Checked::Programmed(answered, verdict)) => checks.on_programmed(work, answered, verdict),
            Ok(Checked::Judged(judged)) => checks.on_judged(work, judged),
            Ok(Checked::Read(read)) => checks.prefill.on_read(work, read),
            Ok(Checked::OwnExamined(said)) => return self.on_own_examined(said),
            Err(Check::OwnReviewer) => {
                return self.on_own_examined(Err(Silence::Away("its examination was lost".to_owned())));
            }
            // An attempt whose check is lost runs out of time; an audit that is lost says nothing.
            Err(Check::Program | Check::Level | Check::Prefill) => return,
        };
        self.follow(follows);
    }

    /// Does what follows, in this order.
    pub fn follow(&mut self, follows: impl IntoIterator<Item = Follows>) {
        for next in follows {
            match next {
                Follows::Counts(answered) => self.count(answered),
                Follows::FoundRight(answered) => {
                    self.answers.validation.was_told_right(&answered.replica);
                    self.count(answered);
                }
                Follows::Failed { ticket, why } => {
                    self.attempt_failed(ticket, AttemptFailure::Failed, &why);
                }
                Follows::Unjudged { ticket, replica, why } => self.no_word(ticket, &replica, &why),
                Follows::Settled { ticket, replica, confidence, agreement, earned } => {
                    self.settle(ticket, replica, (confidence, agreement), earned);
                }
                Follows::Seen(consequence) => self.apply(consequence),
            }
        }
    }

    /// An answer in words is accepted as far as its claims stand. The pair: its confidence, and the share of its claims that nobody
    /// disputed.
    fn settle(
        &mut self,
        ticket: Ticket,
        replica: Replica<Outcome>,
        (confidence, agreement): (Option<f64>, f64),
        earned: bool,
    ) {
        let id = ticket.subtask;
        let provider = vec![replica.provider.clone()];
        let (agreeing, dissenting) = if earned { (provider, Vec::new()) } else { (Vec::new(), provider) };
        let report = Report { agreeing, dissenting, agreement, reported_confidence: confidence };
        let outcome = replica.answer.clone();
        let Some(record) = self.work.subtasks.of_mut(id) else { return };
        record.replicas.push((ticket.attempt, replica));
        self.accept(id, outcome, report);
        let attempt = ticket.attempt;
        self.work.scheduler.answered(id, attempt, Some(0), self.work.now);
    }

    /// Takes an answer that passed every check of its own for the comparison.
    pub fn count(&mut self, answered: Answered) {
        self.work.came_back(&answered);
        let Some(answered) = self.take_in_words(answered) else { return };
        let Answered { ticket, replica, texts, reference, .. } = answered;
        let Some(sent) = self.work.attempts.sent.get(&ticket) else { return };
        let task = (Arc::clone(&sent.prompt), sent.provider.dialect);
        let wants_attestation = self.answers.validation.validator().is_some() && !sent.provider.trusted;
        if wants_attestation {
            let (shown, now) = (Shown { result: reference, answers: texts }, self.work.now);
            let can = self.answers.validation.hold(ticket, replica, shown, task, now);
            self.work.scheduler.awaits_word(ticket.subtask, ticket.attempt, now);
            if !can {
                self.no_verdict(ticket, "the validator's model cannot do what this provider was asked to do");
            }
            return;
        }
        // Its check may have ended after the scheduler ended its attempt.
        if !self.work.scheduler.entries.is_out(ticket.subtask, ticket.attempt) {
            return;
        }
        let Some(record) = self.work.subtasks.of_mut(ticket.subtask) else { return };
        record.replicas.push((ticket.attempt, replica));
        self.judge(ticket);
    }

    pub fn on_gave_up(&mut self, id: SubtaskId, why: FailureReason) {
        if self.answers.claims.went_without(&mut self.work.subtasks, id, why) {
            return;
        }
        if self.work.audits.gave_up(id) {
            // Its answer stands as it was accepted.
            return;
        }
        if self.stands_on_spare(id) || self.answers.rechecks.stands_after_recheck(&mut self.work, id) {
            return;
        }
        // A trusted provider's answer may only have waited for its recheck.
        let by_trust = self.work.setup.policy.verification.is_adaptive() && why != FailureReason::Cancelled;
        if by_trust && self.judge_by_trust(id, None) {
            return;
        }
        self.gave_up(id, why);
    }

    /// Nobody else is asked, and nobody knows better.
    pub fn gave_up(&mut self, id: SubtaskId, why: FailureReason) {
        self.answers.rechecks.lost(id);
        self.work.journal.emit(TraceEvent::GaveUp { subtask: id, why });
        self.work.attempts.end_unpaid(&self.work.subtasks, id);
        let routing = self.work.routing(self.work.now);
        if routing.is_some_and(|(desk, mut at)| desk.try_another_venue(&mut at, id, why)) {
            return;
        }
        let skill = self.work.subtasks.of(id).map_or(0, |record| record.subtask.skill() as u8);
        let own =
            self.work.setup.candidates.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
        let first_time = self
            .work
            .subtasks
            .of_mut(id)
            .is_some_and(|record| !std::mem::replace(&mut record.fell_back, true));
        let hopeless =
            matches!(why, FailureReason::OutOfTime | FailureReason::OverBudget | FailureReason::Cancelled);
        let may_fall_back = first_time && own & skill == skill && !hopeless;
        let reason = format!("subtask {} got no accepted answer from the swarm", id.0);
        if may_fall_back && self.fall_back(&reason, true) {
            self.work.scheduler.entries.reopen(id);
            if let Some(record) = self.work.subtasks.of_mut(id) {
                record.replicas.clear();
            }
        } else if let Some(record) = self.work.subtasks.of_mut(id) {
            record.state = Progress::GaveUp(why);
        }
    }

    /// Whether anything is looked at beside the loop that may still change what a stage would find.
    pub fn reviewing(&self) -> bool {
        self.answers.checks.may_change_a_stage() || self.work.setup.plan.is_thinking()
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
        subtask: ticket.subtask,
        attempt: ticket.attempt,
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
