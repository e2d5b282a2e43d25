//! Answers of which the validator says nothing (docs/decisions/0054-answers-without-a-verdict.md).
//!
//! They are not used. Whoever gave one has done its part: it is paid, and nothing is held against it. Nor is it where
//! this machine itself looks at answers, under any policy, and takes its time.

use super::super::driver::Run;
use crate::scheduler::{AttemptFailure, AttemptId, ProviderIndex, SubtaskId, UNPROVEN_SLOTS};
use crate::swarm::{ProviderId, Ticket};
use crate::trace::TraceEvent;

/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 200;
/// Answers without a verdict, beyond as many as the validator confirmed, after which a provider is asked nothing more …
const MOST_UNJUDGED: u32 = 3;
/// … and after which it is not paid for more of them either: whoever can write answers that no validator can read
/// would live by it. As many as may be under way by then of a provider that was never judged.
const MOST_PAID_UNJUDGED: u32 = MOST_UNJUDGED + UNPROVEN_SLOTS;

/// What the validator said of a provider's answers in this run, in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    /// Answers that it confirmed.
    pub confirmed: u32,
    /// Answers of which it said nothing.
    pub nothing: u32,
}

impl Said {
    /// Of how many more answers it said nothing than it confirmed.
    fn excess(self) -> u32 {
        self.nothing.saturating_sub(self.confirmed)
    }
}

impl Run {
    /// Nobody says whether an answer is right: somebody else may be asked for another one.
    pub(super) fn no_verdict(&mut self, answer: Ticket, why: &str) {
        self.end_without_verdict(answer, why);
        let (id, attempt) = (SubtaskId(answer.subtask), self.scheduler_attempt(answer));
        self.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.began.elapsed());
    }

    /// Ends an answer of which nobody says whether it is right: its provider has done its part, and is paid. The
    /// validation that is out, if any.
    pub(in crate::run) fn end_without_verdict(&mut self, answer: Ticket, why: &str) -> Option<Ticket> {
        let (held, out) = self.validation.take(answer)?;
        let provider: ProviderId = held.replica.provider.as_str().into();
        let said = self.validation.said.entry(provider.clone()).or_default();
        said.nothing = said.nothing.saturating_add(1);
        let excess = said.excess();
        let paid = excess <= MOST_PAID_UNJUDGED;
        self.end_answered(answer, &held.replica.answer, paid);
        self.desk.gauge.unjudged();
        let why: String = why.chars().take(LONGEST_REASON).collect();
        if let Some(slot) = self.slots.get_mut(answer.subtask as usize) {
            slot.last_failure = Some(format!("no verdict about an answer: {why}").into());
        }
        self.journal.emit(TraceEvent::NoVerdict {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator: self.validation.validator().unwrap_or_default().to_owned(),
            provider: provider.to_string(),
            paid,
            why,
        });
        if excess >= MOST_UNJUDGED
            && self.scheduler.open() > 0
            && let Some(index) = self.peers.index(&provider)
        {
            self.ask_nothing_more(index, &provider);
        }
        out.filter(|out| self.sent.contains_key(out))
    }

    /// This machine never got round to an answer, which is not its provider's doing either. What it is worth is not known
    /// any more, and so it is not paid.
    pub(in crate::run) fn lost_here(&mut self, answer: Ticket) {
        let Some(sent) = self.sent.remove(&answer) else { return };
        self.ended.push((answer, None));
        self.desk.gauge.unjudged();
        let why = "this machine did not get round to it";
        if let Some(slot) = self.slots.get_mut(answer.subtask as usize) {
            slot.last_failure = Some(format!("no verdict about an answer: {why}").into());
        }
        self.journal.emit(TraceEvent::NoVerdict {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator: String::new(),
            provider: sent.provider.id.to_string(),
            paid: false,
            why: why.to_owned(),
        });
    }

    /// A provider whose answers nobody judges would work for nothing: it is asked nothing more in this run, and
    /// nothing of that is kept.
    fn ask_nothing_more(&mut self, index: ProviderIndex, provider: &ProviderId) {
        if self.peers.is_left_out(provider) {
            return;
        }
        self.peers.leave_out(provider);
        self.scheduler.remove_provider(index, self.began.elapsed());
        let words = format!(
            "the validator says nothing of the answers of {provider}, which is asked nothing more in this run; that \
             is not held against it"
        );
        self.decide("verify", "retry", &words);
    }

    /// The run is over: what still waits for its verdict gets none.
    pub(in crate::run) fn end_validation(&mut self) {
        let waiting: Vec<Ticket> = self.validation.held.keys().copied().collect();
        for answer in waiting {
            self.end_without_verdict(answer, "the run was over before it came");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_how_many_more_answers_nothing_was_said_counts_what_was_confirmed() {
        let said = |confirmed, nothing| Said { confirmed, nothing }.excess();
        assert_eq!((said(0, 3), said(2, 3), said(5, 3)), (3, 1, 0));
    }
}
