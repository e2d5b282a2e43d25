//! Attempts that brought no answer, and subtasks that nobody is left to ask.

use std::time::Duration;

use frlm_inference::Usage;

use super::millis;
use crate::plan::Skill;
use crate::run::driver::Run;
use crate::run::journal::Journal;
use crate::run::learner;
use crate::run::provider_scoring::Experience;
use crate::run::subtasks::Progress;
use crate::scheduler::{AttemptFailure, AttemptId, FailureReason, SubtaskId};
use crate::swarm::Ticket;
use crate::trace::TraceEvent;

/// Records that a job came back, after how long, and with what: a summary of its answer and what its provider reports, or why
/// there is none.
pub(in crate::run) fn returned(
    journal: &mut Journal,
    ticket: Ticket,
    after: Duration,
    came: Result<(String, Usage), &str>,
) {
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

impl Run {
    pub(in crate::run) fn attempt_failed(&mut self, ticket: Ticket, failure: AttemptFailure, why: &str) {
        if self.answers.validation.is_validation(ticket) {
            let is_busy = matches!(failure, AttemptFailure::Busy | AttemptFailure::BusyFor(_));
            self.validation_failed(ticket, is_busy, why);
            return;
        }
        self.answers.claims.forget_reading(ticket);
        let Some(sent) = self.attempts.sent.remove(&ticket) else { return };
        let now = self.began.elapsed();
        returned(&mut self.journal, ticket, now.saturating_sub(sent.at), Err(why));
        self.attempts.ended.push((ticket, None));
        match failure {
            AttemptFailure::Failed => {
                self.decisions.gauge.failed(&sent.provider.id);
                self.providers.record_experience(&mut self.scheduler, &sent.provider.id, Experience::Failed);
            }
            AttemptFailure::TooLate => {
                self.decisions.gauge.timed_out();
                self.providers.record_experience(&mut self.scheduler, &sent.provider.id, Experience::Refused);
            }
            AttemptFailure::Busy | AttemptFailure::BusyFor(_) => {
                self.providers.record_experience(&mut self.scheduler, &sent.provider.id, Experience::Refused);
            }
            AttemptFailure::Unpaid => self.decisions.gauge.unpaid(),
            // An answer without a verdict has come: the `validate::unjudged` module ends it.
            AttemptFailure::Unfit | AttemptFailure::NotSent | AttemptFailure::NoVerdict => {}
        }
        if let Some(record) = self.subtasks.of_mut(SubtaskId(ticket.subtask)) {
            let has_failed = matches!(failure, AttemptFailure::Failed | AttemptFailure::Unpaid);
            record.failures = record.failures.saturating_add(u16::from(has_failed));
            record.timeouts = record.timeouts.saturating_add(u16::from(failure == AttemptFailure::TooLate));
            record.last_failure = Some(why.chars().take(200).collect());
        }
        let attempt = AttemptId(ticket.attempt);
        self.scheduler.failed(SubtaskId(ticket.subtask), attempt, failure, now);
        learner::plan_no_more(&mut self.subtasks, &mut self.scheduler, SubtaskId(ticket.subtask));
    }

    pub(in crate::run) fn on_gave_up(&mut self, id: SubtaskId, why: FailureReason) {
        if self.answers.claims.went_without(&mut self.subtasks, id, why) || self.planner_gave_up(id, why) {
            return;
        }
        if self.decisions.audits.gave_up(id) {
            // Its answer stands as it was accepted.
            return;
        }
        if self.stands_on_spare(id)
            || self.stands_after_recheck(id)
            || self.answers.arbitrate(&self.setup, &self.subtasks, id, why)
        {
            return;
        }
        self.gave_up(id, why);
    }

    /// Nobody else is asked, and nobody knows better.
    pub(in crate::run) fn gave_up(&mut self, id: SubtaskId, why: FailureReason) {
        self.answers.rechecks.lost(id);
        if let Some(report) = self.answers.checks.arbitrations.take_split(id) {
            self.decisions.tell_split(&mut self.journal, id, report);
        }
        self.journal.emit(TraceEvent::GaveUp { subtask: id, why });
        self.attempts.end_unpaid(&self.subtasks, id);
        let routing = self.routing(self.began.elapsed());
        if routing.is_some_and(|(desk, mut at)| desk.try_another_venue(&mut at, id, why)) {
            return;
        }
        let skill = self.subtasks.of(id).map_or(0, |record| record.subtask.skill() as u8);
        let own = self.setup.candidates.fallback.as_ref().map_or(0, |own| Skill::of_dialect(own.dialect));
        let first_time =
            self.subtasks.of_mut(id).is_some_and(|record| !std::mem::replace(&mut record.fell_back, true));
        let hopeless =
            matches!(why, FailureReason::OutOfTime | FailureReason::OverBudget | FailureReason::Cancelled);
        let may_fall_back = first_time && own & skill == skill && !hopeless;
        let reason = format!("subtask {} got no accepted answer from the swarm", id.0);
        if may_fall_back && self.fall_back(&reason, true) {
            self.scheduler.entries.reopen(id);
            if let Some(record) = self.subtasks.of_mut(id) {
                record.replicas.clear();
            }
        } else if let Some(record) = self.subtasks.of_mut(id) {
            record.state = Progress::GaveUp(why);
        }
    }
}
