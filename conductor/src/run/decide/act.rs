//! What a retry changes, by its reason. Each function says what it changed, or why it could not.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::plan::{CombineTask, Subtask, Task};
use frlm_scheduler::{Scheduler, SubtaskId};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::decisions::{RetryReason, StageDecision};

use super::super::finish;
use super::super::subtasks::{Progress, Tries};
use super::audit::audit;
use super::{DecisionDesk, LostTo};
use crate::run::desks::JobDesk;
use crate::run::engine::Engine;
use crate::run::subtasks::Subtasks;
use crate::run::work::Work;
use crate::trace::RunStage;

/// How much longer an attempt may take after a retry that widens, where nothing that can be used is suggested, and at
/// most: a model may suggest anything.
const MORE_TIME: f64 = 2.0;
const MOST_TIME: f64 = 4.0;
/// The name of that among the suggested values.
const TIMEOUT_FACTOR: &str = "patience_factor";

/// Subtasks without an answer for which such a retry could change something.
fn worth_another_try(subtasks: &Subtasks, scheduler: &Scheduler, reason: RetryReason) -> Vec<SubtaskId> {
    (0..)
        .map(SubtaskId)
        .zip(subtasks.iter())
        .filter(|(id, record)| match (record.lost_to(), reason) {
            (Some(LostTo::Dissent), RetryReason::Tighten) => scheduler.could_ask(*id),
            (None, _) | (Some(_), RetryReason::Tighten) => false,
            // A provider that was too slow may be in time now.
            (Some(LostTo::Time), RetryReason::Widen) => scheduler.anybody_for(*id),
            (Some(_), _) => scheduler.could_ask(*id),
        })
        .map(|(id, _)| id)
        .collect()
}

/// Has everyone asked afresh for a subtask that was given up.
pub(in crate::run) fn open_again(subtasks: &mut Subtasks, scheduler: &mut Scheduler, id: SubtaskId) -> bool {
    let Some(record) = subtasks.of_mut(id) else { return false };
    // Without a plan the question is under way as it is.
    if !matches!(record.state, Progress::GaveUp(_)) || matches!(record.task(), Task::Plan(_)) {
        return false;
    }
    record.state = Progress::Open;
    **record = Tries { lesson: record.lesson, ..Tries::default() };
    scheduler.entries.ask_again(id);
    true
}

impl DecisionDesk {
    /// Tries again with something changed: what it was, or why nothing could be.
    pub(super) fn retry(
        &self,
        engine: &mut Engine,
        jobs: &JobDesk,
        stage: RunStage,
        reason: RetryReason,
        decision: &StageDecision,
    ) -> Result<String, String> {
        let factor = timeout_factor(decision);
        self.may_retry(stage)?;
        if stage == RunStage::Synthesise {
            return write_again(&mut engine.work, jobs);
        }
        if reason == RetryReason::Investigate {
            return audit(engine);
        }
        if stage == RunStage::Verify {
            return match reason {
                RetryReason::Tighten => tighten(&mut engine.work),
                RetryReason::Widen => widen(&mut engine.work, factor),
                RetryReason::Rerun | RetryReason::Investigate => go_elsewhere(&mut engine.work),
            };
        }
        let lost = worth_another_try(&engine.work.subtasks, &engine.work.scheduler, reason);
        let lost = engine.work.affordable(lost, jobs.money.left)?;
        let change = match reason {
            RetryReason::Tighten => tighten(&mut engine.work).or_else(|why| {
                // Made stricter on the way: what was lost before that was never held to it.
                let now = engine.work.setup.policy.verification.to_string();
                if now == engine.work.report.policy_name {
                    Err(why)
                } else {
                    Ok(format!("verified by {now}"))
                }
            }),
            RetryReason::Widen => widen(&mut engine.work, factor),
            RetryReason::Rerun | RetryReason::Investigate => {
                // One that cannot be carried out leaves the order of the queue: who failed comes last.
                Ok(go_elsewhere(&mut engine.work)
                    .unwrap_or_else(|_| "those who failed are asked last".to_owned()))
            }
        };
        let change = change?;
        for id in &lost {
            open_again(&mut engine.work.subtasks, &mut engine.work.scheduler, *id);
        }
        Ok(format!("{} parts are asked again: {change}", lost.len()))
    }
}

/// Has the answer written once more from the same notes, with what was wrong with it. Whatever the
/// reason is, a text can be changed in no other way.
fn write_again(work: &mut Work, jobs: &JobDesk) -> Result<String, String> {
    let Some(finished) = work.report.finished.as_ref().filter(|finished| finished.by_model) else {
        return Err("code wrote the answer and would write it again".to_owned());
    };
    let correction = finished.check.correction();
    let coverage = finish::seen(&work.setup, &work.subtasks);
    let answers = finish::mapped(&work.subtasks).into_iter().map(|(at, answer)| (at, answer.clone()));
    let task = CombineTask {
        question: work.setup.question.clone(),
        answers: answers.collect(),
        coverage,
        // The correction names those that the text did not.
        conflicts: String::new(),
        correction,
        manner: work.setup.asker.preferences.manner(),
        batch: work.subtasks.batch_of_the_answer(),
    };
    let subtask = Subtask::new(Task::Combine(Arc::new(task)));
    work.pays_for_text(&subtask, jobs.money.left)?;
    work.add_subtasks(vec![subtask], HashMap::new());
    Ok("it is written once more".to_owned())
}

/// More answers per subtask, and a stricter policy, from here on.
fn tighten(work: &mut Work) -> Result<String, String> {
    let policy = &work.setup.policy.verification;
    let stricter = policy.stricter().ok_or_else(|| format!("{policy} cannot be any stricter"))?;
    let here = work.scheduler.providers.here();
    let needed = match &stricter {
        // Fewer than it takes to outvote a dissenter would only fail more often.
        VerificationPolicy::Redundancy { replicas, .. } => *replicas as usize,
        other => other.first_replicas() as usize,
    };
    if here < needed {
        return Err(format!("{stricter} needs {needed} providers, and {here} are here"));
    }
    let change = format!("verified by {stricter} from here on");
    work.scheduler.entries.need(stricter.first_replicas(), stricter.most_replicas());
    work.providers.trust.trust_by(&stricter);
    work.setup.policy.verification = stricter;
    Ok(change)
}

/// More time for each attempt; providers that arrive meanwhile are asked too.
fn widen(work: &mut Work, factor: f64) -> Result<String, String> {
    let timeout = &mut work.setup.policy.timeout;
    let left = timeout.total.saturating_sub(work.now);
    let longer = Duration::try_from_secs_f64(timeout.per_query.as_secs_f64() * factor);
    let longer = longer.unwrap_or(Duration::MAX).min(left);
    if longer <= timeout.per_query || left < Duration::from_secs(1) {
        return Err("the run's time is nearly up".to_owned());
    }
    timeout.per_query = longer;
    // The next round says how long the way is.
    work.scheduler.set_attempt_timeout(longer, Duration::ZERO);
    Ok(format!("each attempt may take {} s", longer.as_secs()))
}

/// Leaves those out that fail more often than they answer, as long as enough others are here; what
/// they hold is asked elsewhere.
fn go_elsewhere(work: &mut Work) -> Result<String, String> {
    let failing: Vec<_> = work.gauge.failing().cloned().collect();
    let needed = work.setup.policy.verification.first_replicas() as usize;
    let mut left_out = 0;
    for id in failing {
        let trusted = work.providers.peers.index(&id).and_then(|index| work.providers.peers.info(index));
        if trusted.is_none_or(|info| info.trusted) || work.scheduler.providers.here() <= needed {
            continue;
        }
        work.providers.exclude(&mut work.scheduler, &id, work.now);
        left_out += 1;
    }
    match left_out {
        0 => Err("no provider that the run can do without fails more often than it answers".to_owned()),
        left_out => Ok(format!("{left_out} providers that keep failing are excluded")),
    }
}

/// How many times as long an attempt may take from now on, as far as the decision says so within reason.
fn timeout_factor(decision: &StageDecision) -> f64 {
    let suggested =
        decision.suggested_params.as_ref().and_then(|params| params.get(TIMEOUT_FACTOR)?.as_f64());
    suggested.filter(|factor| *factor > 1.0).map_or(MORE_TIME, |factor| factor.min(MOST_TIME))
}

#[cfg(test)]
mod tests {
    use frlm_questions::plan::FragmentMap;
    use frlm_questions::question::FieldHints;
    use frlm_scheduler::SchedulerConfig;
    use frlm_verifier::decisions::{DataSource, Outcome, Priors, by_code};
    use frlm_wallet::Sats;
    use serde_json::json;

    use super::*;
    use crate::policy::FrlmPolicy;
    use crate::run::journal::Journal;
    use crate::run::provider_desk::ProviderDesk;
    use crate::run::{Equipment, RunSetup};
    use crate::swarm::ProviderInfo;

    #[test]
    fn a_wider_retry_takes_the_suggested_timeout_within_reason() {
        let priors = Priors::shipped();
        let rates = [("timeout_rate", 0.5)].map(|(name, rate)| (name.to_owned(), rate)).into();
        let outcome = Outcome {
            step: "verify".to_owned(),
            data_source: DataSource::Real,
            metrics: std::collections::BTreeMap::new(),
            rates,
        };
        let mut thresholds = priors.of("verify", DataSource::Real).unwrap().clone();
        thresholds.retain(|name, _| name == "timeout_rate");
        let mut decision = by_code(&outcome, &thresholds, &priors.suggestions("verify"));
        assert_eq!(decision.retry_reason, Some(RetryReason::Widen));
        let shipped = decision.suggested_params.clone().expect("the shipped priors suggest something");
        assert_eq!(shipped[TIMEOUT_FACTOR], json!(2.0));
        let mut factor = |suggested: serde_json::Value| {
            decision.suggested_params = Some([(TIMEOUT_FACTOR.to_owned(), suggested)].into());
            timeout_factor(&decision)
        };
        let near = |left: f64, right: f64| assert!((left - right).abs() < 1e-9, "{left}, not {right}");
        near(factor(json!(3)), 3.0);
        near(factor(json!(1e9)), MOST_TIME);
        for useless in [json!(0.5), json!(1), json!(-2), json!("long"), json!(null)] {
            near(factor(useless), MORE_TIME);
        }
        decision.suggested_params = None;
        near(timeout_factor(&decision), MORE_TIME);
    }

    #[test]
    fn who_keeps_failing_is_excluded_as_long_as_enough_others_are_here() {
        let plan = FragmentMap::new("When?", None, FieldHints::default(), Vec::new(), true);
        let policy = FrlmPolicy { verification: VerificationPolicy::None, ..FrlmPolicy::default() };
        let setup = RunSetup::new("run", "When?", Vec::new(), Box::new(plan), policy);
        let providers = ProviderDesk::new(&setup, &mut Equipment::default());
        let journal = Journal::new("run", None, None, 0, Duration::ZERO);
        let scheduler = Scheduler::new(SchedulerConfig::default());
        let mut work = Work::new(setup, journal, scheduler, providers, None);
        for id in ["a", "b", "c"] {
            let noted = work.providers.peers.upsert(ProviderInfo::foreign(id.into(), Sats(1))).unwrap();
            work.scheduler.providers.upsert(noted.index, noted.capacity);
            work.gauge.failed(&id.into());
        }
        let changed = go_elsewhere(&mut work);
        assert_eq!(changed, Ok("2 providers that keep failing are excluded".to_owned()));
        assert!(go_elsewhere(&mut work).unwrap_err().contains("can do without"), "one must stay");
        let left = ["a", "b", "c"].map(|id| work.providers.peers.may_be_asked(&id.into()));
        assert_eq!(left.into_iter().filter(|asked| *asked).count(), 1);
    }
}
