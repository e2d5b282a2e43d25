//! Whether answers are right, by methods that go by the kind of task (tier 2; seeds/verifier-block.md, «Answer
//! Validator», `strategies`, `verification_level`; docs/decisions/0037-verification-levels.md).
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
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::{ModelJudge, exam};
use frlm_verifier::validation::ValidationOutcome;
use frlm_verifier::validation::program::CodeRunner;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub(super) use self::audit::{Audit, NotBorneOut};
pub(super) use self::case::miscalculated;
use self::case::{Case, case};
use self::objection::{Objection, objection};
use super::check::{Answered, one_per_core};
use super::driver::Run;
use super::fit::{Fit, NotFit, examined};
use crate::plan::Outcome;
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId};
use crate::trace::TraceEvent;

/// Examinations in a row for which the model may be away before it is left alone for the rest of the run.
const MOST_AWAY: u32 = 3;

/// The methods at hand, and the answers that are before them.
pub(super) struct Strategies {
    assessor: Option<Assessor>,
    runner: Option<Arc<dyn CodeRunner>>,
    /// As many at once without a model as there are cores.
    room: Arc<Semaphore>,
    /// What was found of an answer: equal answers to a subtask are judged once.
    found: HashMap<(u32, String), ValidationOutcome>,
    away: u32,
    /// Whether the run has said that the model reads parts only.
    told_of_parts: bool,
    out: JoinSet<Judged>,
}

impl Default for Strategies {
    fn default() -> Self {
        Self {
            assessor: None,
            runner: None,
            room: one_per_core(),
            found: HashMap::new(),
            away: 0,
            told_of_parts: false,
            out: JoinSet::new(),
        }
    }
}

#[derive(Clone)]
struct Assessor {
    judge: Arc<ModelJudge>,
    /// Whether it may assess; known from the first opinion on.
    fit: Arc<Fit>,
    room: Arc<Semaphore>,
}

/// An answer that was judged.
#[derive(Debug)]
pub(super) struct Judged {
    answered: Answered,
    found: ValidationOutcome,
    /// Why no model's opinion is among it, where one was to be.
    unfit: Option<NotFit>,
    /// Whether it holds for other answers of the same words: not where the model was only slow, or away.
    lasting: bool,
}

impl Strategies {
    pub fn run_in(&mut self, runner: Arc<dyn CodeRunner>) {
        self.runner = Some(runner);
    }

    /// Whether an answer is being judged.
    pub fn any_out(&self) -> bool {
        !self.out.is_empty()
    }

    /// The next answer that was judged.
    pub async fn next(&mut self) -> Option<Judged> {
        // One that was lost with its task runs out of time.
        self.out.join_next().await?.ok()
    }

    /// How right an answer was found to be, where it was judged and something could tell.
    pub fn correctness(&self, id: SubtaskId, outcome: &Outcome) -> Option<f64> {
        if self.found.is_empty() {
            return None;
        }
        self.found.get(&(id.0, outcome.agreement_key()))?.correctness
    }

    fn begin(&mut self, answered: Answered, case: Case, patience: Duration) {
        let (assessor, runner, room) = (self.assessor.clone(), self.runner.clone(), Arc::clone(&self.room));
        self.out.spawn(async move {
            let (mut judge, mut unfit) = (None, None);
            if let Some(assessor) = assessor.filter(|_| case.wants_opinion()) {
                let fit = examined(&assessor.fit, exam::examine_assessor(&*assessor.judge), patience).await;
                match fit {
                    Ok(()) => judge = Some(assessor),
                    Err(why) => unfit = Some(why),
                }
            }
            let asked = judge.is_some();
            let found = case.validate(judge, runner, &room, patience).await;
            let lasting = !matches!(unfit, Some(NotFit::Away(_))) && (!asked || has_opinion(&found));
            Judged { answered, found, unfit, lasting }
        });
    }

    /// Notes whether the model could be examined; why it is not asked any more, once that is so.
    fn note(&mut self, unfit: Option<NotFit>) -> Option<String> {
        match unfit {
            None => None,
            Some(NotFit::Unfit(why)) => Some(why),
            Some(NotFit::Away(why)) => {
                self.away += 1;
                (self.away >= MOST_AWAY).then_some(why)
            }
        }
    }
}

/// Whether a model has said what it thinks of an answer, or of a part of it.
fn has_opinion(found: &ValidationOutcome) -> bool {
    found.findings.iter().any(|finding| finding.assessment.is_some())
}

impl Run {
    /// Has this model judge answers where the level asks for an opinion. One that only copies fields cannot.
    #[must_use]
    pub fn assessed_by(mut self, model: Arc<dyn LanguageModel>) -> Self {
        if model.info().dialect == Dialect::Json {
            let room = Arc::new(Semaphore::new(model.info().in_flight.max(1)));
            let judge = Arc::new(ModelJudge::new(model));
            self.strategies.assessor = Some(Assessor { judge, fit: Arc::default(), room });
        }
        self
    }

    /// Takes an answer that passed the checks of its text to the methods of its level; else it counts.
    pub(super) fn validate_by_level(&mut self, answered: Answered) {
        let level = self.setup.policy.level;
        let Some(slot) = self.slots.get(answered.ticket.subtask as usize) else { return };
        let Some(case) =
            case(slot.task(), &answered.replica.answer, self.setup.question_of(slot.task()), level)
        else {
            self.count(answered);
            return;
        };
        let known = (answered.ticket.subtask, answered.replica.answer.agreement_key());
        if let Some(found) = self.strategies.found.get(&known).cloned() {
            self.on_judged(Judged { answered, found, unfit: None, lasting: true });
            return;
        }
        self.strategies.begin(answered, case, self.setup.policy.decisions.patience);
    }

    /// An answer was judged by the methods of its level.
    pub(super) fn on_judged(&mut self, judged: Judged) {
        let Judged { answered, found, unfit, lasting } = judged;
        let ticket = answered.ticket;
        if let Some(why) = self.strategies.note(unfit)
            && self.strategies.assessor.take().is_some()
        {
            let words = format!("your model has no opinion of answers from here on: {why}");
            self.decide("verify", "proceed", &words);
        }
        if !self.scheduler.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            return;
        }
        let unread = found.unread();
        if let Some(unread) = unread
            && !std::mem::replace(&mut self.strategies.told_of_parts, true)
        {
            let words = format!(
                "your model has too little context for some answers or their texts and judges them on a part, the \
                 first one {unread}: it can call none of them right; a model that reads more at a time could"
            );
            self.decide("verify", "proceed", &words);
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
            self.strategies.found.insert((ticket.subtask, key), found);
        }
        match objection {
            None => {
                if is_told {
                    self.was_told_right(&answered.replica);
                }
                self.count(answered);
            }
            Some(Objection { why, is_found_wrong: true }) => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            }
            Some(Objection { why, is_found_wrong: false }) => self.nothing_could_tell(&answered, &why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_away_is_forgiven_twice_and_one_that_is_unfit_never() {
        let mut strategies = Strategies::default();
        let away = || Some(NotFit::Away("no answer within 60 s".to_owned()));
        assert_eq!(
            (strategies.note(away()), strategies.note(away()), strategies.note(None)),
            (None, None, None)
        );
        assert!(strategies.note(away()).is_some_and(|why| why.contains("60 s")));
        let unfit = Some(NotFit::Unfit("it passed a wrong answer".to_owned()));
        assert!(Strategies::default().note(unfit).is_some());
    }
}
