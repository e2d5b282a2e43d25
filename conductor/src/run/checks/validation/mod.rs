//! Whether answers are right, by methods that go by the kind of task (tier 2; seeds/verifier-block.md, "Answer
//! Validator", `strategies`, `verification_level`; docs/decisions/0037-verification-levels.md).
//!
//! ```text
//!   answer, its quotes and values found in the text ─► its calculations, by code ─┬ wrong ──► the attempt failed
//!        (every level)                                  (every level)              └ else
//!   standard ──────────────────────────────────────────────────────────────────────► compared with the others
//!   high, critical ─► known by code? its values in the text? a model's opinion? ─┬ passed ─► compared
//!        (beside the loop; its attempt is still out for the scheduler)            ├ wrong ──► the attempt failed
//!                                                                                 └ nothing could tell:
//!                                                        high ─► compared; critical ─► not used, and paid
//! ```
//!
//! - [`mod@case`]: what is to be found out about an answer, and how
//! - [`mod@objection`]: why one does not pass
//! - [`audit`]: whether a model of the user's bears out what nobody with a record said

mod audit;
mod case;
mod objection;

use std::collections::HashMap;

use frlm_verifier::validation::ValidationOutcome;

pub(super) use self::audit::{Audit, NotBorneOut};
pub(in crate::run) use self::case::miscalculated;
use self::case::{Case, case};
use self::objection::{Objection, objection};
use super::judge::{Duty, Silence};
use super::program::Answered;
use super::{Check, Checked};
use crate::plan::Outcome;
use crate::run::claims;
use crate::run::driver::Run;
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId};
use crate::trace::TraceEvent;

/// What the methods have found.
#[derive(Default)]
pub(in crate::run) struct AnswerValidation {
    /// Equal answers to a subtask are judged once.
    found: HashMap<(u32, String), ValidationOutcome>,
    /// Whether the run has said that the model reads parts only.
    told_of_parts: bool,
}

/// An answer that was judged.
#[derive(Debug)]
pub(in crate::run) struct Judged {
    answered: Answered,
    found: ValidationOutcome,
    /// Whether the model that was to have an opinion gave its word; `None` where none was to.
    word: Option<Result<(), Silence>>,
    /// Whether it holds for other answers of the same words: not where the model was only slow, or away.
    lasting: bool,
}

impl AnswerValidation {
    /// How right an answer was found to be, where it was judged and something could tell.
    pub fn correctness(&self, id: SubtaskId, outcome: &Outcome) -> Option<f64> {
        if self.found.is_empty() {
            return None;
        }
        self.found.get(&(id.0, outcome.agreement_key()))?.correctness
    }
}

/// Whether a model has said what it thinks of an answer, or of a part of it.
fn has_opinion(found: &ValidationOutcome) -> bool {
    found.findings.iter().any(|finding| finding.assessment.is_some())
}

impl Run {
    /// Takes an answer that passed the checks of its text to the methods of its level; else it counts.
    pub(in crate::run) fn validate_by_level(&mut self, answered: Answered) {
        let level = self.setup.policy.level;
        let Some(record) = self.subtasks.of(SubtaskId(answered.ticket.subtask)) else { return };
        // The level counts claim by claim there.
        if claims::settles(&self.setup.policy, record.task()) {
            self.count(answered);
            return;
        }
        let Some(case) =
            case(record.task(), &answered.replica.answer, self.setup.question_of(record.task()), level)
        else {
            self.count(answered);
            return;
        };
        let known = (answered.ticket.subtask, answered.replica.answer.agreement_key());
        if let Some(found) = self.answers.checks.validation.found.get(&known).cloned() {
            self.on_judged(Judged { answered, found, word: None, lasting: true });
            return;
        }
        let assessor = self.answers.checks.judge.in_duty(Duty::Assess).filter(|_| case.wants_opinion());
        let (sandbox, timeout) = (self.answers.checks.sandbox.clone(), self.setup.policy.decisions.timeout);
        self.answers.checks.out.begin(Check::Level, async move {
            let (found, word) = case.validate(assessor, sandbox, timeout).await;
            let lasting = match &word {
                None => true,
                Some(Ok(())) => has_opinion(&found),
                Some(Err(silence)) => !matches!(silence, Silence::Away(_)),
            };
            Checked::Judged(Judged { answered, found, word, lasting })
        });
    }

    /// An answer was judged by the methods of its level.
    pub(in crate::run) fn on_judged(&mut self, judged: Judged) {
        let Judged { answered, found, word, lasting } = judged;
        let ticket = answered.ticket;
        if let Some(why) = word.and_then(|word| self.answers.checks.judge.note(word))
            && self.answers.checks.judge.relieve(Duty::Assess)
        {
            let words = format!("your model has no opinion of answers from here on: {why}");
            self.journal.decide("verify", "proceed", &words);
        }
        if !self.scheduler.entries.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            return;
        }
        let unread = found.unread();
        if let Some(unread) = unread
            && !std::mem::replace(&mut self.answers.checks.validation.told_of_parts, true)
        {
            let words = format!(
                "the context of your model is too small for some answers or their texts. It judges them on a \
                 part, the first one {unread}, and cannot confirm them; a model with more context could"
            );
            self.journal.decide("verify", "proceed", &words);
        }
        self.journal.emit(TraceEvent::Validated {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            method: found.primary_method,
            correctness: found.correctness,
            passed: found.verification_passed,
            methods: found.findings.iter().map(|finding| finding.method).collect(),
            unread,
        });
        let key = answered.replica.answer.agreement_key();
        let objection = objection(&found, self.setup.policy.level);
        let is_told = found.verification_passed == Some(true);
        if lasting {
            self.answers.checks.validation.found.insert((ticket.subtask, key), found);
        }
        match objection {
            None => {
                if is_told {
                    self.answers.validation.was_told_right(&answered.replica);
                }
                self.count(answered);
            }
            Some(Objection { why, is_found_wrong: true }) => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            }
            Some(Objection { why, is_found_wrong: false }) => {
                self.came_back(&answered);
                self.no_word(ticket, &answered.replica, &why);
            }
        }
    }
}
