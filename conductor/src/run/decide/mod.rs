//! After a stage of a run: proceed, retry or escalate (seeds/llm-reasoning-refactor.md; design.md,
//! section 7).
//!
//! ```text
//!   counts ─► rates ─► a model, if the user has one that can ─► decision ─► checks ─┬─► act ─► trace
//!   (gauge)      │                                                 invalid, or none │
//!                └───────────────► priors ─► code ──────────────────────────────────┘
//!
//!   proceed   the next stage begins
//!   retry     tighten: more answers, a stricter policy    widen: more time, everyone asked afresh
//!             rerun: the same again, elsewhere            investigate: audit first
//!   escalate  a person decides: the run ends with exit code 5 and says why
//! ```
//!
//! Stages: `verify`, now and then while answers come in; `collect`, when no subtask is open any more;
//! `synthesise`, over the finished answer. A retry stays within the budget and within limits
//! ([`crate::policy::DecisionPolicy`]). A retry that could change nothing is not made. No decision
//! allows what the user's quorum forbids.
//!
//! - [`gauge`]: the counts, and the rates made of them
//! - [`act`]: what a retry changes
//! - [`audit`]: accepted answers that are checked again
//! - [`model`]: the question to the user's own model

mod act;
mod audit;
pub(super) mod gauge;
mod model;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(super) use act::open_again;
use frlm_inference::{Dialect, LanguageModel};
use frlm_questions::answer::Decision;
use frlm_questions::reduce::final_check::Finding;
use frlm_scheduler::FailureReason;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::decisions::{
    self, DataSource, DecidedBy, Outcome, Priors, RetryReason, StageDecision, StepPriors, Verb,
};

pub(super) use self::audit::{Audits, judge_audit};
pub(super) use self::gauge::Gauge;
use self::gauge::{named, share};
use self::model::Asked;
use super::desks::JobDesk;
use super::engine::Engine;
use super::equipment::Equipment;
use super::journal::Journal;
use super::subtasks::{Progress, SubtaskRecord};
use super::work::Work;
use super::{RunError, RunSetup, finish};
use crate::policy::DecisionPolicy;
use crate::trace::{Decider, DecisionBasis, RunStage, TraceEvent};

/// What kind of data a run is about: by it the thresholds of its decisions are chosen.
const DATA_SOURCE: DataSource = DataSource::Real;
/// How often an answer in words is written again after the last look at it.
const MOST_CORRECTIONS: u32 = 1;
/// How many subtasks must have an answer before the first decision on the way; each further one takes twice as many.
const FIRST_CHECKPOINT: u64 = 16;

/// A decision after `verify`, `collect` or `synthesise`, with what it rests on.
#[derive(Debug)]
pub(super) struct Decided {
    stage: RunStage,
    outcome: Outcome,
    decision: StageDecision,
    by: DecidedBy,
}

/// What the run's decisions need to know.
#[derive(Debug)]
pub(super) struct DecisionDesk {
    priors: Priors,
    /// The user's own model, if it decides.
    pub model: Option<Arc<dyn LanguageModel>>,
    policy: DecisionPolicy,
    retries: HashMap<RunStage, u32>,
    /// How many subtasks must have their answer before the next decision on the way.
    next_checkpoint: u64,
    asked: Option<Asked>,
    /// Whether what was collected may be shown: then the answer is what is left to look at.
    collected: bool,
    /// A person has decided already that the run goes on with what is there.
    pub accepted_by_person: bool,
}

impl DecisionDesk {
    pub fn new(setup: &RunSetup, equipment: Equipment) -> Self {
        let policy = setup.policy.decisions;
        let shipped = Priors::shipped();
        let priors = match equipment.priors {
            Some(own) => shipped.overruled_by(own),
            None => shipped,
        };
        Self {
            priors,
            model: equipment.decider.filter(|model| model.info().dialect == Dialect::Json),
            policy,
            retries: HashMap::new(),
            next_checkpoint: FIRST_CHECKPOINT,
            asked: None,
            collected: false,
            accepted_by_person: equipment.accepted_by_person,
        }
    }

    /// The model's word on what it was asked, or code's where that does not count. `None` while nothing
    /// is asked.
    pub async fn decided(&mut self) -> Option<Decided> {
        let answer = self.asked.as_mut()?.answer().await;
        let Asked { stage, outcome, .. } = self.asked.take()?;
        if let Err(why) = &answer {
            tracing::info!(stage = stage.name(), %why, "the model did not decide; code does");
        }
        Some(self.by(stage, outcome, answer.ok().as_deref()))
    }

    fn by(&self, stage: RunStage, outcome: Outcome, answer: Option<&str>) -> Decided {
        let suggestions = self.priors.suggestions(stage.name());
        let (decision, by) = decisions::decide(&outcome, &self.thresholds(stage), &suggestions, answer);
        Decided { stage, outcome, decision, by }
    }

    fn thresholds(&self, stage: RunStage) -> StepPriors {
        self.priors.of(stage.name(), DATA_SOURCE).cloned().unwrap_or_default()
    }
}

impl DecisionDesk {
    /// Puts a stage up for decision: at once where code decides, later where a model is asked.
    pub(super) fn put_up(&mut self, work: &mut Work, stage: RunStage) -> Result<Option<Decided>, RunError> {
        let outcome = match stage {
            RunStage::Collect => Self::collected(work),
            RunStage::Synthesise => Self::synthesised(work)?,
            _ => {
                self.next_checkpoint = self.next_checkpoint.saturating_mul(2).max(1);
                let recent = work.gauge.take_recent();
                outcome_of(stage, recent.metrics(), recent.rates())
            }
        };
        let Some(model) = self.model.clone() else {
            return Ok(Some(self.by(stage, outcome, None)));
        };
        let priors = (&self.thresholds(stage), &self.priors.suggestions(stage.name()));
        self.asked = Some(Asked::begin(stage, outcome, priors, model, self.policy.timeout));
        Ok(None)
    }

    /// Whether a stage may be done again, or why not.
    fn may_retry(&self, stage: RunStage) -> Result<(), String> {
        let retries = self.retries.get(&stage).copied().unwrap_or(0);
        let most = match stage {
            RunStage::Synthesise => MOST_CORRECTIONS,
            _ => self.policy.most_retries,
        };
        if retries >= most {
            return Err(format!("it was retried {retries} times, which is as often as is allowed"));
        }
        Ok(())
    }

    /// The answer as it would be shown now, and what is wrong with it (tier 4).
    fn synthesised(work: &mut Work) -> Result<Outcome, RunError> {
        let finished = finish::Finished::of(&work.setup, &work.subtasks)?;
        let check = &finished.check;
        work.journal.emit(TraceEvent::FinalCheck {
            passed: check.passed(),
            parts: check.parts,
            claims: check.claims,
            findings: check.in_words(),
        });
        let count = |wanted: fn(&Finding) -> bool| check.count(wanted) as u64;
        let (parts, claims) = (check.parts as u64, check.claims as u64);
        let unused = count(|finding| matches!(finding, Finding::Unused { .. }));
        let contradictions = count(|finding| matches!(finding, Finding::Contradiction { .. }));
        let unsupported = count(|finding| {
            matches!(finding, Finding::Unsupported(_) | Finding::Unsourced(_) | Finding::Forged { .. })
        });
        let malformed =
            count(|finding| matches!(finding, Finding::Malformed(_) | Finding::Unexplained { .. }));
        let metrics = named([
            ("answers_to_use", parts as f64),
            ("answers_unused", unused as f64),
            ("claims_looked_up", claims as f64),
            ("claims_unsupported", unsupported as f64),
        ]);
        let rates = named([
            ("contradiction_rate", share(contradictions, parts)),
            ("malformed_rate", share(malformed.min(1), 1)),
            ("unsupported_rate", share(unsupported, claims)),
            ("unused_rate", share(unused, parts)),
        ]);
        work.report.finished = Some(finished);
        Ok(outcome_of(RunStage::Synthesise, metrics, rates))
    }

    /// What has come together.
    fn collected(work: &Work) -> Outcome {
        let Work { setup, subtasks, gauge, audits, .. } = work;
        let planned = subtasks.len() as u64;
        let mut lost: HashMap<LostTo, u64> = HashMap::new();
        for record in subtasks.iter() {
            if let Some(why) = record.lost_to() {
                *lost.entry(why).or_default() += 1;
            }
        }
        let lost = |why| lost.get(&why).copied().unwrap_or(0);
        let agreement: Vec<f64> = subtasks
            .iter()
            .filter_map(|record| match &record.state {
                Progress::Accepted(accepted) => Some(accepted.agreement),
                _ => None,
            })
            .collect();
        let verified = agreement.len() as u64;
        let agreement_rate =
            if verified == 0 { 0.0 } else { agreement.iter().sum::<f64>() / verified as f64 };
        let Audits { confirmed, contradicted, unsettled, .. } = *audits;
        // An audit takes the place of the suspicion that it was made for, and a validator's word on each
        // answer is one.
        let audited = confirmed + contradicted > 0
            || matches!(setup.policy.verification, VerificationPolicy::Validated { .. });
        let doubt_rate = if verified == 0 || audited { 0.0 } else { 1.0 - agreement_rate };
        let mut metrics = gauge.whole().metrics();
        metrics.extend(named([
            ("audits", (confirmed + contradicted + unsettled) as f64),
            ("subtasks_planned", planned as f64),
            ("subtasks_verified", verified as f64),
        ]));
        let mut rates = gauge.whole().rates();
        rates.extend(named([
            ("agreement_rate", agreement_rate),
            ("contradicted_rate", share(contradicted, confirmed + contradicted)),
            ("coverage_rate", share(verified, planned)),
            ("doubt_rate", doubt_rate),
            ("lost_to_dissent_rate", share(lost(LostTo::Dissent), planned)),
            ("lost_to_failure_rate", share(lost(LostTo::Failure), planned)),
            ("lost_to_time_rate", share(lost(LostTo::Time), planned)),
            ("unsettled_rate", share(unsettled, confirmed + contradicted + unsettled)),
        ]));
        outcome_of(RunStage::Collect, metrics, rates)
    }
}

fn outcome_of(stage: RunStage, metrics: BTreeMap<String, f64>, rates: BTreeMap<String, f64>) -> Outcome {
    Outcome { step: stage.name().to_owned(), data_source: DATA_SOURCE, metrics, rates }
}

/// Records a decision, and what was changed by it.
fn record(journal: &mut Journal, decided: &Decided, change: &str) {
    let Decided { stage, outcome, decision, by } = decided;
    let reasoning = if change.is_empty() {
        decision.reasoning.clone()
    } else {
        format!("{}; {change}", decision.reasoning)
    };
    let basis = DecisionBasis {
        by: match by {
            DecidedBy::Model => Decider::Model,
            DecidedBy::Code(None) => Decider::Code,
            DecidedBy::Code(Some(why)) => Decider::CodeAsModelFailed(why.to_string()),
        },
        retry_reason: decision.retry_reason,
        confidence: decision.confidence,
        signal: decision.primary_signal.clone(),
        data_source: outcome.data_source,
        metrics: outcome.metrics.clone(),
        rates: outcome.rates.clone(),
        suggested_params: decision.suggested_params.clone().unwrap_or_default(),
        warnings: decision.warnings.clone(),
    };
    let taken = Decision {
        stage: *stage,
        decision: decision.decision,
        reasoning,
        retry_reason: decision.retry_reason,
    };
    journal.record(taken, Some(basis));
}

impl DecisionDesk {
    /// The stage is over.
    fn pass(&mut self, work: &mut Work, jobs: &JobDesk, stage: RunStage) -> Result<bool, RunError> {
        match stage {
            RunStage::Collect => {
                // What its program cannot have it is told now: no retry has helped.
                if work.setup.plan.go_without() {
                    return Ok(false);
                }
                finish::may_be_shown(work, self.accepted_by_person, jobs.ports.swarm.is_none())?;
                self.collected = true;
                Ok(false)
            }
            RunStage::Synthesise => Ok(true),
            _ => Ok(false),
        }
    }

    /// A person decides, unless one has already. How much of the documents is enough is the one thing
    /// that the user says beforehand: by the quorum.
    fn escalate(
        &mut self,
        work: &mut Work,
        jobs: &JobDesk,
        decided: &Decided,
        why: &str,
    ) -> Result<bool, RunError> {
        let about_coverage = decided.decision.primary_signal.starts_with(LOST);
        if decided.stage == RunStage::Collect && about_coverage {
            return self.pass(work, jobs, decided.stage);
        }
        if self.accepted_by_person {
            work.journal.decide(decided.stage, Verb::Proceed, "a person accepted it");
            return self.pass(work, jobs, decided.stage);
        }
        let mut reason = decided.decision.reasoning.clone();
        if !why.is_empty() {
            reason = format!("{reason}; {why}");
        }
        Err(RunError::Escalated { stage: decided.stage, reason, run: work.setup.id.clone() })
    }

    /// The stage whose decision is due now, if any.
    pub(super) fn stage_due(&mut self, engine: &mut Engine) -> Option<RunStage> {
        if engine.work.scheduler.entries.open() == 0 {
            let due = if self.collected { RunStage::Synthesise } else { RunStage::Collect };
            if self.asked.as_ref().is_some_and(|asked| asked.stage == due) {
                return None;
            }
            // What was to be decided on the way is overtaken.
            self.asked = None;
            engine.answers.checks.prefill.read_one_at_least(&mut engine.answers.checks.out);
            // What is being read may yet show that an accepted answer rests on a lie.
            return (!engine.reviewing()).then_some(due);
        }
        let due = self.asked.is_none() && engine.work.gauge.all_accepted() >= self.next_checkpoint;
        due.then_some(RunStage::Verify)
    }

    /// Does what was decided; `true` if the run has everything it will get.
    pub(super) fn conclude(
        &mut self,
        engine: &mut Engine,
        jobs: &JobDesk,
        decided: &Decided,
    ) -> Result<bool, RunError> {
        let stage = decided.stage;
        if stage != RunStage::Verify && engine.work.scheduler.entries.open() > 0 {
            // The user had a part asked again while a model thought about it.
            self.collected = false;
            return Ok(false);
        }
        let reason = decided.decision.retry_reason;
        match (decided.decision.decision, reason) {
            (Verb::Retry, Some(reason))
                if reason != RetryReason::Investigate && engine.work.setup.nobody_waits(stage) =>
            {
                record(&mut engine.work.journal, decided, "its program has ended, and reads nothing more");
                self.pass(&mut engine.work, jobs, stage)
            }
            (Verb::Retry, Some(reason)) => {
                match self.retry(engine, jobs, stage, reason, &decided.decision) {
                    Ok(change) => {
                        *self.retries.entry(stage).or_default() += 1;
                        record(&mut engine.work.journal, decided, &change);
                        Ok(false)
                    }
                    Err(why) => {
                        record(&mut engine.work.journal, decided, &why);
                        if reason == RetryReason::Investigate {
                            // What no audit settles a person decides (seed-arithmetic.md, "Decisions").
                            return self.escalate(&mut engine.work, jobs, decided, &why);
                        }
                        self.pass(&mut engine.work, jobs, stage)
                    }
                }
            }
            (Verb::Escalate, _) => {
                record(&mut engine.work.journal, decided, "");
                self.escalate(&mut engine.work, jobs, decided, "")
            }
            (Verb::Proceed | Verb::Retry, _) => {
                record(&mut engine.work.journal, decided, "");
                self.pass(&mut engine.work, jobs, stage)
            }
        }
    }
}

/// How the names of rates begin that say what was lost.
const LOST: &str = "lost_to_";

/// What a subtask without an answer was lost to, as far as a retry could help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LostTo {
    /// Those who answered said different things.
    Dissent,
    /// Attempts failed, or nobody was left to ask.
    Failure,
    /// Attempts were not answered in time.
    Time,
}

impl SubtaskRecord {
    /// `None` for a subtask that has its answer, that the user cancelled, that nobody could pay for, or about whose
    /// answers the one whose word counts gave none.
    pub(super) fn lost_to(&self) -> Option<LostTo> {
        let Progress::GaveUp(why) = self.state else { return None };
        if !self.is_missed() {
            return None;
        }
        let mut keys = self.replicas.iter().map(|(_, replica)| replica.key.as_str());
        let first = keys.next();
        let differ = keys.any(|key| Some(key) != first);
        match why {
            FailureReason::Cancelled | FailureReason::OverBudget | FailureReason::NoVerdict => None,
            FailureReason::Split => Some(LostTo::Dissent),
            _ if differ => Some(LostTo::Dissent),
            FailureReason::OutOfTime => Some(LostTo::Time),
            _ if self.timeouts > self.failures => Some(LostTo::Time),
            FailureReason::Exhausted | FailureReason::NobodyLeft => Some(LostTo::Failure),
        }
    }
}
