//! Answers of which the validator says nothing (docs/decisions/0054-answers-without-a-verdict.md), or, at the level
//! `critical`, of which nothing can tell whether they are right (docs/decisions/0060-what-nothing-can-tell-is-paid.md).
//!
//! They are not used. The provider of such an answer has done its part: it is paid, and nothing is held against it. Under any
//! policy, no provider is blamed either for the time that this machine itself takes to judge answers.

use frlm_verifier::Replica;

use super::super::driver::Run;
use crate::plan::Outcome;
use crate::run::validate::Validation;
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId, UNPROVEN_SLOTS};
use crate::swarm::{ProviderId, Ticket};
use crate::trace::TraceEvent;

/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 200;
/// Answers without a verdict, beyond as many as were found right, after which a provider is asked nothing more …
const MOST_UNJUDGED: u32 = 3;
/// … and after which it is not paid for more of them either: a provider could write answers that nobody can judge
/// would live by it. As many as may be under way by then of a provider that was never judged.
const MOST_PAID_UNJUDGED: u32 = MOST_UNJUDGED + UNPROVEN_SLOTS;

/// What was said of a provider's answers in this run by whom, or what, was to judge them, in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VerdictCount {
    /// Answers that were found right.
    pub confirmed: u32,
    /// Answers of which nothing was said.
    pub nothing: u32,
}

impl VerdictCount {
    /// Of how many more answers nothing was said than were found right.
    fn excess(self) -> u32 {
        self.nothing.saturating_sub(self.confirmed)
    }
}

impl Validation {
    /// An answer passed as right by the methods of its level, where no validator has the last word.
    pub(in crate::run) fn was_told_right(&mut self, replica: &Replica<Outcome>) {
        if self.validator().is_none() {
            self.said.entry(replica.provider.as_str().into()).or_default().confirmed += 1;
        }
    }
}

impl Run {
    /// Nobody says whether an answer is right: somebody else may be asked for another one.
    pub(in crate::run) fn no_verdict(&mut self, answer: Ticket, why: &str) {
        self.end_without_verdict(answer, why);
        let (id, attempt) = (SubtaskId(answer.subtask), AttemptId(answer.attempt));
        self.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.began.elapsed());
    }

    /// Ends an answer of which nobody says whether it is right: its provider has done its part, and is paid. The
    /// validation that is out, if any.
    pub(in crate::run) fn end_without_verdict(&mut self, answer: Ticket, why: &str) -> Option<Ticket> {
        let (held, out) = self.answers.validation.take(answer)?;
        self.left_unjudged(answer, &held.replica, why);
        out.filter(|out| self.attempts.sent.contains_key(out))
    }

    /// An answer whose own checks are over gets no verdict: no method at hand can tell whether it is right, at a level where that is
    /// not enough, or nobody whose verdict it needs has seen its claims. Somebody else may be asked for another one. That is
    /// not its provider's doing.
    pub(in crate::run) fn no_word(&mut self, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let (id, attempt) = (SubtaskId(answer.subtask), AttemptId(answer.attempt));
        self.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.began.elapsed());
        self.left_unjudged(answer, replica, why);
    }

    /// Pays for an answer that nobody judged, as far as that goes, and says so.
    fn left_unjudged(&mut self, answer: Ticket, replica: &Replica<Outcome>, why: &str) {
        let provider: ProviderId = replica.provider.as_str().into();
        let said = self.answers.validation.said.entry(provider.clone()).or_default();
        said.nothing = said.nothing.saturating_add(1);
        let excess = said.excess();
        let paid = excess <= MOST_PAID_UNJUDGED;
        self.attempts.end_answered(answer, &replica.answer, paid);
        let validator = self.answers.validation.validator().unwrap_or_default().to_owned();
        self.tell_unjudged(answer, validator, &provider, paid, why);
        // The user's own machine is nobody who could live by it.
        if excess >= MOST_UNJUDGED
            && !replica.trusted
            && self.scheduler.entries.open() > 0
            && self.providers.peers.index(&provider).is_some()
        {
            self.ask_nothing_more(&provider);
        }
    }

    /// This machine never got round to an answer, which is not its provider's doing either. What it is worth is not known
    /// any more, and so it is not paid.
    pub(in crate::run) fn lost_here(&mut self, answer: Ticket) {
        let Some(sent) = self.attempts.sent.remove(&answer) else { return };
        self.money.cancelled(answer);
        self.attempts.ended.push((answer, None));
        let why = "this machine did not get round to it";
        self.tell_unjudged(answer, String::new(), &sent.provider.id, false, why);
    }

    /// Records that an answer got no verdict. `validator`: who was to give it, if anybody.
    fn tell_unjudged(
        &mut self,
        answer: Ticket,
        validator: String,
        provider: &ProviderId,
        paid: bool,
        why: &str,
    ) {
        self.decisions.gauge.unjudged();
        let why: String = why.chars().take(LONGEST_REASON).collect();
        if let Some(record) = self.subtasks.of_mut(SubtaskId(answer.subtask)) {
            record.last_failure = Some(format!("no verdict about an answer: {why}").into());
        }
        self.journal.emit(TraceEvent::NoVerdict {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator,
            provider: provider.to_string(),
            paid,
            why,
        });
    }

    /// A provider whose answers nobody judges would work for nothing: it is asked nothing more in this run, and
    /// nothing of that is kept.
    fn ask_nothing_more(&mut self, provider: &ProviderId) {
        if self.providers.peers.is_excluded(provider) {
            return;
        }
        self.providers.exclude(&mut self.scheduler, provider, self.began.elapsed());
        let found = match self.answers.validation.validator() {
            Some(_) => format!("the validator says nothing of the answers of {provider}"),
            None => format!(
                "nothing can tell whether the answers of {provider} are right (your own model could: --model; or ask \
                 for less: --level high)"
            ),
        };
        let words = format!("{found}; it is not asked again in this run, and its record is unchanged");
        self.journal.decide("verify", "retry", &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_how_many_more_answers_nothing_was_said_counts_what_was_confirmed() {
        let said = |confirmed, nothing| VerdictCount { confirmed, nothing }.excess();
        assert_eq!((said(0, 3), said(2, 3), said(5, 3)), (3, 1, 0));
    }
}
