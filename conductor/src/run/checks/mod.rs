//! Checks of answers that need a model or a program. They run beside the loop, in one pool, and no round of the loop waits for them.
//!
//! ```text
//!   answer ─► program of the asker's ─► methods of the level ─► replica ─► verdict
//!   answer by weights at hand ─► prefill audit
//! ```
//!
//! - [`judge`]: the user's own model, examined for each duty, with as many requests at once as it takes
//! - [`program`]: the check that the asker wrote
//! - [`validation`]: the methods that a verification level asks for
//! - [`prefill`]: the prefill audit: answers read with the weights that their providers claim

mod judge;
pub mod prefill;
mod program;
mod validation;

use std::sync::Arc;
use std::time::Duration;

use frlm_verifier::VerificationPolicy;

use self::judge::{Duty, OwnJudge};
use self::prefill::{PrefillAudits, Read};
use self::program::{Sandbox, as_asked, run_check};
use self::validation::{AnswerValidation, Judged, Objection, case, has_opinion, objection};
use super::RunSetup;
use super::beside::Beside;
use super::claims;
use super::equipment::Equipment;
use super::follows::Follows;
use super::work::Work;
use crate::trace::{RunStage, TraceEvent};

pub(super) use self::judge::Silence;
pub(super) use self::program::Answered;
pub(super) use self::validation::{is_prose, miscalculated};

/// What is checked beside the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Whether an answer passes the program of the asker's.
    Program,
    /// Whether it passes the methods of its level.
    Level,
    /// Whether the weights that its provider claims wrote it.
    Prefill,
    /// Whether the user's own model may review claims.
    OwnReviewer,
}

/// What a check came to.
#[derive(Debug)]
pub(super) enum Checked {
    Programmed(Answered, Result<(), String>),
    Judged(Judged),
    Read(Read),
    OwnExamined(Result<(), Silence>),
}

/// The checks of a run: what they need, and what is before them.
pub(super) struct Checks {
    pub out: Beside<Check, Checked>,
    judge: OwnJudge,
    sandbox: Sandbox,
    /// The asker's program, if the policy names one.
    program: Option<Arc<str>>,
    pub validation: AnswerValidation,
    pub prefill: PrefillAudits,
}

impl Checks {
    pub fn new(setup: &mut RunSetup, equipment: &mut Equipment) -> Self {
        let judge = equipment.judge.take().map(OwnJudge::of);
        if let Some(judge) = &judge {
            setup.policy.own_reviews = judge.has(Duty::Review) && setup.candidates.fallback.is_some();
        }
        let policy = &setup.policy.verification;
        let program = match policy {
            VerificationPolicy::Checked { check } => Some(Arc::clone(check)),
            _ => None,
        };
        Self {
            out: Beside::default(),
            judge: judge.unwrap_or_default(),
            sandbox: Sandbox { runner: equipment.sandbox.take(), ..Sandbox::default() },
            program,
            validation: AnswerValidation::default(),
            prefill: PrefillAudits::under(policy, equipment.weights.take()),
        }
    }

    /// Whether anything is checked that may still change what a stage would find.
    pub fn may_change_a_stage(&self) -> bool {
        self.out.any(Check::Prefill)
    }

    /// Examines the user's own model as a reviewer of claims; `false` if it cannot be one.
    pub fn examine_own_reviewer(&mut self, timeout: Duration) -> bool {
        let Some(judging) = self.judge.in_duty(Duty::Review) else { return false };
        self.out.begin(Check::OwnReviewer, async move {
            Checked::OwnExamined(judging.ready(timeout).await.map(drop))
        });
        true
    }
}

impl Checks {
    /// Puts an answer before the asker's check, if there is one.
    pub fn check(&mut self, work: &mut Work, answered: Answered) -> Option<Follows> {
        let record = work.subtasks.of(answered.ticket.subtask)?;
        let question = work.setup.question_of(record.task());
        let check = self.program.as_deref();
        // What the question means is no answer to it.
        let asked =
            check.and_then(|check| as_asked(&answered.replica.answer, record.task(), question, check));
        let Some((answer, task)) = asked else {
            return self.validate_by_level(work, answered);
        };
        let sandbox = self.sandbox.clone();
        self.out.begin(Check::Program, async move {
            let verdict = run_check(answer, task, sandbox).await;
            Checked::Programmed(answered, verdict)
        });
        None
    }

    /// The check's word came.
    pub fn on_programmed(
        &mut self,
        work: &mut Work,
        answered: Answered,
        verdict: Result<(), String>,
    ) -> Option<Follows> {
        let ticket = answered.ticket;
        if !work.scheduler.entries.is_out(ticket.subtask, ticket.attempt) {
            return None;
        }
        match verdict {
            Ok(()) => self.validate_by_level(work, answered),
            Err(why) => Some(Follows::Failed { ticket, why }),
        }
    }

    /// Takes an answer that passed the checks of its text to the methods of its level; else it counts.
    pub fn validate_by_level(&mut self, work: &mut Work, answered: Answered) -> Option<Follows> {
        let level = work.setup.policy.level;
        let record = work.subtasks.of(answered.ticket.subtask)?;
        // The level counts claim by claim there.
        if claims::settles(&work.setup.policy, record.task()) {
            return Some(Follows::Counts(answered));
        }
        let Some(case) =
            case(record.task(), &answered.replica.answer, work.setup.question_of(record.task()), level)
        else {
            return Some(Follows::Counts(answered));
        };
        let known = (answered.ticket.subtask, answered.replica.answer.agreement_key());
        if let Some(found) = self.validation.found.get(&known).cloned() {
            return self.on_judged(work, Judged { answered, found, word: None, lasting: true });
        }
        let assessor = self.judge.in_duty(Duty::Assess).filter(|_| case.wants_opinion());
        let (sandbox, timeout) = (self.sandbox.clone(), work.setup.policy.decisions.timeout);
        self.out.begin(Check::Level, async move {
            let (found, said) = case.validate(assessor, sandbox, timeout).await;
            let lasting = match &said {
                None => true,
                Some(Ok(())) => has_opinion(&found),
                Some(Err(silence)) => !matches!(silence, Silence::Away(_)),
            };
            Checked::Judged(Judged { answered, found, word: said, lasting })
        });
        None
    }

    /// An answer was judged by the methods of its level.
    pub fn on_judged(&mut self, work: &mut Work, judged: Judged) -> Option<Follows> {
        let Judged { answered, found, word, lasting } = judged;
        let ticket = answered.ticket;
        if let Some(why) = word.and_then(|word| self.judge.note(word))
            && self.judge.relieve(Duty::Assess)
        {
            let words = format!("your model has no opinion of answers from here on: {why}");
            work.journal.notice(RunStage::Verify, &words);
        }
        if !work.scheduler.entries.is_out(ticket.subtask, ticket.attempt) {
            return None;
        }
        let unread = found.unread();
        if let Some(unread) = unread
            && !std::mem::replace(&mut self.validation.told_of_parts, true)
        {
            let words = format!(
                "the context of your model is too small for some answers or their texts. It judges them on a \
                 part, the first one {unread}, and cannot confirm them; a model with more context could"
            );
            work.journal.notice(RunStage::Verify, &words);
        }
        work.journal.emit(TraceEvent::Validated {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            method: found.primary_method,
            correctness: found.correctness,
            passed: found.verification_passed,
            methods: found.findings.iter().map(|finding| finding.method).collect(),
            unread,
        });
        let key = answered.replica.answer.agreement_key();
        let objection = objection(&found, work.setup.policy.level);
        let is_told = found.verification_passed == Some(true);
        if lasting {
            self.validation.found.insert((ticket.subtask, key), found);
        }
        match objection {
            None if is_told => Some(Follows::FoundRight(answered)),
            None => Some(Follows::Counts(answered)),
            Some(Objection { why, is_found_wrong: true }) => Some(Follows::Failed { ticket, why }),
            Some(Objection { why, is_found_wrong: false }) => {
                work.came_back(&answered);
                Some(Follows::Unjudged { ticket, replica: answered.replica, why })
            }
        }
    }
}
