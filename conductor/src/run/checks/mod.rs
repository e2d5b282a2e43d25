//! Checks of answers that need a model or a program. They run beside the loop, in one pool, and no round of the loop waits for them.
//!
//! ```text
//!   answer ─► program of the asker's ─► methods of the level ─► meaning ─► replica ─► verdict ─┬► accepted
//!                                                                                              └► split ─► arbitration
//!   answer by weights at hand ─► prefill audit
//! ```
//!
//! - [`judge`]: the user's own model, examined for each duty, with as many requests at once as it takes
//! - [`program`]: the check that the asker wrote
//! - [`validation`]: the methods that a verification level asks for
//! - [`meaning`]: whether answers in words say the same
//! - [`arbitrate`]: who is right where they contradict each other
//! - [`prefill`]: the prefill audit: answers read with the weights that their providers claim

mod arbitrate;
mod judge;
mod meaning;
pub mod prefill;
mod program;
mod validation;

use std::sync::Arc;
use std::time::Duration;

use frlm_verifier::VerificationPolicy;

use self::arbitrate::{Arbitrations, Ruled};
use self::judge::{Duty, OwnJudge};
use self::meaning::{MatchResult, SemanticMatcher};
use self::prefill::{PrefillAudits, Read};
use self::program::{Sandbox, as_asked, run_check};
use self::validation::{AnswerValidation, Judged};
use super::RunSetup;
use super::beside::Beside;
use super::driver::Run;
use super::equipment::Equipment;
use crate::scheduler::{AttemptFailure, AttemptId, SubtaskId};

pub(super) use self::judge::Silence;
pub(super) use self::meaning::PendingReplica;
pub(super) use self::program::Answered;
pub(super) use self::validation::miscalculated;

/// What is checked beside the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Whether an answer passes the program of the asker's.
    Program,
    /// Whether it passes the methods of its level.
    Level,
    /// Whether it says the same as others.
    Meaning,
    /// Which of several is right.
    Arbitration,
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
    Matched(MatchResult),
    Ruled(Ruled),
    Read(Read),
    OwnExamined(Result<(), Silence>),
}

/// The checks of a run: what they need, and what is before them.
pub(super) struct Checks {
    out: Beside<Check, Checked>,
    judge: OwnJudge,
    sandbox: Sandbox,
    /// The asker's program, if the policy names one.
    program: Option<Arc<str>>,
    pub validation: AnswerValidation,
    meanings: SemanticMatcher,
    pub arbitrations: Arbitrations,
    prefill: PrefillAudits,
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
            meanings: SemanticMatcher::default(),
            arbitrations: Arbitrations::default(),
            prefill: PrefillAudits::under(policy, equipment.weights.take()),
        }
    }

    /// What the next check came to, or which kind broke off; `None` if none is under way. Nothing is lost if this is dropped.
    pub async fn next(&mut self) -> Option<Result<Checked, Check>> {
        self.out.next().await
    }

    /// Whether anything is checked that may still change what a stage would find.
    pub fn may_change_a_stage(&self) -> bool {
        self.out.any(Check::Prefill) || self.arbitrations.any_out()
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

impl Run {
    /// Puts an answer before the asker's check, if there is one.
    pub(super) fn check(&mut self, answered: Answered) {
        let Some(record) = self.subtasks.of(SubtaskId(answered.ticket.subtask)) else { return };
        let question = self.setup.question_of(record.task());
        let check = self.answers.checks.program.as_deref();
        // What the question means is no answer to it.
        let asked =
            check.and_then(|check| as_asked(&answered.replica.answer, record.task(), question, check));
        let Some((answer, task)) = asked else {
            self.validate_by_level(answered);
            return;
        };
        let sandbox = self.answers.checks.sandbox.clone();
        self.answers.checks.out.begin(Check::Program, async move {
            let verdict = run_check(answer, task, sandbox).await;
            Checked::Programmed(answered, verdict)
        });
    }

    /// The check's word came.
    fn on_programmed(&mut self, answered: Answered, verdict: Result<(), String>) {
        let ticket = answered.ticket;
        if !self.scheduler.entries.is_out(SubtaskId(ticket.subtask), AttemptId(ticket.attempt)) {
            return;
        }
        match verdict {
            Ok(()) => self.validate_by_level(answered),
            Err(why) => self.attempt_failed(ticket, AttemptFailure::Failed, &why),
        }
    }

    /// A check has ended, or broke off.
    pub(super) fn on_checked(&mut self, checked: Result<Checked, Check>) {
        match checked {
            Ok(Checked::Programmed(answered, verdict)) => self.on_programmed(answered, verdict),
            Ok(Checked::Judged(judged)) => self.on_judged(judged),
            Ok(Checked::Matched(matched)) => self.on_matched(matched),
            Ok(Checked::Ruled(ruled)) => self.on_ruled(ruled),
            Ok(Checked::Read(read)) => self.on_read(read),
            Ok(Checked::OwnExamined(word)) => self.on_own_examined(word),
            Err(Check::OwnReviewer) => {
                self.on_own_examined(Err(Silence::Away("its examination was lost".to_owned())));
            }
            Err(Check::Meaning) => self.compare_by_words_from_now_on("a comparison was lost"),
            Err(Check::Arbitration) => self.arbitrate_no_more("a contest was lost"),
            // An attempt whose check is lost runs out of time; an audit that is lost says nothing.
            Err(Check::Program | Check::Level | Check::Prefill) => {}
        }
    }
}
