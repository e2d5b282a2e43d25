//! At the end of a run: what it showed of the swarm, and of the way in which its question was taken apart.

use frlm_learning::planning::account::{Noted, Served};
use frlm_learning::planning::decompose::{Action, Dependencies, Phrasing};
use frlm_learning::planning::domain::Domain;
use frlm_learning::planning::hints::HintRecord;
use frlm_learning::planning::performance::Work;
use frlm_learning::planning::reward::Outcome;
use frlm_learning::planning::satisfaction::Behaviour;
use frlm_learning::planning::strategies::Decided;
use frlm_questions::answer::Answer;
use frlm_questions::plan::Task;

use super::Planning;
use super::phrase::phrased;
use crate::run::RunError;
use crate::run::subtasks::{Progress, SubtaskRecord};
use crate::trace::{RunStage, TraceEvent};

/// Evaluates what served the run, and keeps what that teaches. What was stopped, could not be paid or could not be
/// asked at all says nothing of either.
pub(in crate::run) async fn record_service(
    run: &mut Planning<'_>,
    ended: &Result<Answer, RunError>,
    providers: usize,
) {
    let answer = match ended {
        Ok(answer) => Some(answer),
        Err(RunError::Unverified(_) | RunError::Escalated { .. }) => None,
        Err(_) => return,
    };
    if run.steps.is_empty() {
        // Code answered by itself.
        return;
    }
    let served = served(run, answer, providers);
    let appraisal = match run.learner.advisor.clone() {
        None => None,
        Some(advisor) => {
            let (news, work) = (served.clone(), work(run));
            let added = tokio::task::spawn_blocking(move || advisor.add_work(&news, &work)).await;
            let noted = match added {
                Ok(Ok(noted)) => Ok(noted),
                Ok(Err(error)) => Err(error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match &noted {
                Err(why) => {
                    run.journal.notice(RunStage::Learn, &format!("what this run showed is not kept: {why}"));
                }
                Ok(Noted { decided: Some(Decided { loser, why, .. }), .. }) => {
                    let domain = served.domain;
                    let retired = format!("\"{loser}\" is retired for {domain}, {why}");
                    run.journal.notice(RunStage::Learn, &retired);
                }
                Ok(Noted { decided: None, .. }) => {}
            }
            noted.ok().map(|noted| noted.appraisal)
        }
    };
    let kept = appraisal.is_some();
    // By itself, a run is measured as the first of all.
    let appraisal = appraisal.unwrap_or_else(|| served.appraised_alone());
    run.journal.emit(TraceEvent::Evaluated {
        appraisal: Box::new(appraisal),
        outcome: served.outcome,
        hints: served.hints,
        kept,
    });
}

/// How it worked. One that went on has measured only the end of it.
fn work(run: &Planning<'_>) -> Work {
    let went_on = run.setup.known.next_seq > 0;
    Work { secs: (!went_on).then(|| run.learner.watch.secs()), pattern: run.learner.pattern }
}

fn served(run: &Planning<'_>, answer: Option<&Answer>, providers: usize) -> Served {
    let steps = run.steps;
    let mut hints = HintRecord::default();
    for step in steps {
        hints.join(step.hint_record(run.subtasks));
    }
    let success = mean(steps.iter().map(|step| verified(step.subtasks(run.subtasks))));
    let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    // Where a planner found that a question in words takes no steps, nothing was arranged.
    let is_idle = run.setup.plan.steps().is_none()
        && run.subtasks.iter().any(|record| matches!(record.task(), Task::Plan(_)));
    let chosen = run.learner.chosen.as_ref().filter(|_| !is_idle);
    // Where nobody chose, all that can be asked is asked at once, in the words of the question.
    let by_default = Action {
        steps: count,
        phrasing: Phrasing::General,
        dependencies: Dependencies::Dag,
        ..Action::STATIC
    };
    Served {
        run_id: run.setup.id.clone(),
        question: run.setup.question.clone(),
        domain: Domain::of(&run.setup.documents.names),
        action: chosen.map_or(by_default, |chosen| chosen.action),
        chosen: chosen.map(|chosen| chosen.episode),
        test: chosen.and_then(|chosen| chosen.test),
        explored: chosen.is_some_and(|chosen| chosen.explored),
        hints,
        phrased: phrased(run, answer.map_or(0.0, coherence)),
        correctness: mean(run.subtasks.iter().map(correctness)),
        subtasks: u32::try_from(run.subtasks.len()).unwrap_or(u32::MAX),
        providers: u32::try_from(providers).unwrap_or(u32::MAX),
        moment: run.learner.moment(),
        answered: answer.is_some(),
        outcome: Outcome {
            success,
            // Nobody has seen the answer yet.
            satisfaction: Behaviour::default().satisfaction(),
            latency_secs: run.journal.now().as_secs_f64(),
            simplicity: mean(steps.iter().map(|step| step.weighed.simplicity.score)),
            coherence: answer.map_or(0.0, coherence),
            steps: count,
            complex: !run.learner.direct && (run.setup.compound.is_some() || steps.len() > 1),
        },
    }
}

/// How far the verifier believes a subtask's answer: by the share of answers that agreed.
fn correctness(record: &SubtaskRecord) -> f64 {
    match &record.state {
        Progress::Accepted(accepted) => accepted.agreement,
        Progress::Open | Progress::GaveUp(_) => 0.0,
    }
}

/// The share of a step's subtasks with an accepted answer.
fn verified(subtasks: &[SubtaskRecord]) -> f64 {
    mean(subtasks.iter().map(|record| f64::from(u8::from(matches!(record.state, Progress::Accepted(_))))))
}

/// How well the parts fit together: of what tier 4 looked up, the share that it found nothing wrong with.
fn coherence(answer: &Answer) -> f64 {
    let Some(check) = &answer.verification.final_check else { return 1.0 };
    let (claims, wrong) = (check.claims as f64, check.findings.len() as f64);
    if wrong > 0.0 { claims / (claims + wrong) } else { 1.0 }
}

/// Of nothing, 0.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_nothing_is_nothing() {
        assert!(mean([].into_iter()).abs() < 1e-9);
        assert!((mean([0.5, 1.0].into_iter()) - 0.75).abs() < 1e-9);
    }
}
