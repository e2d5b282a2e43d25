//! In which words readers are asked a question that code cannot finish (function 2, `improve_question_phrasing`).

use frlm_inference::LanguageModel;
use frlm_learning::planning::phrasing::{Phrased, Template, phrasing_reward};
use frlm_learning::planning::simplicity::TaskType;
use frlm_learning::planning::steps::reading;
use frlm_questions::dialect::MapAnswer;
use frlm_questions::plan::{Outcome, Task};
use frlm_questions::question::rewrite::{NotPut, may_be_put, rewrite};
use frlm_questions::stage::RunStage;

use super::Planning;
use crate::run::RunError;
use crate::run::subtasks::{Progress, SubtaskRecord};

/// How readers are to be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Put {
    task_type: TaskType,
    template: Template,
    /// Whether they could be asked like that; otherwise they are asked as the question stands.
    stands: bool,
}

/// Has what was learned choose. A run that goes on with a plan asks as the question stands: what its readers were asked
/// before it was stopped is not known any more.
pub(in crate::run) async fn choose_words(run: &mut Planning<'_>) -> Result<(), RunError> {
    let is_read_by_code = run.setup.query.is_some()
        || run.setup.compound.is_some()
        // A program is answered what it asks.
        || run.setup.plan.program().is_some()
        || run.setup.plan.table().is_some();
    // Nobody who reads all of it is asked as the reader of a part.
    let has_parts = run.setup.fragments.len() > 1;
    if is_read_by_code || !has_parts || run.setup.known.planned || run.learner.damaged {
        return Ok(());
    }
    let Some(advisor) = run.learner.advisor.clone() else { return Ok(()) };
    let question = run.setup.question.clone();
    let task_type = reading(&question);
    // A model that did not answer before is left alone.
    let model = run.decisions.model.clone().filter(|_| !run.learner.model_silent && may_be_put(&question));
    let (asked, by_model) = (question.clone(), model.is_some());
    // Who answers in claims is told what a part is and how to put them ([`frlm_questions::dialect::claims`]).
    let framed = !run.setup.policy.verification.judges_answers_as_one();
    let chosen =
        tokio::task::spawn_blocking(move || advisor.phrasing(task_type, &asked, by_model, framed)).await;
    let why = match chosen {
        Ok(Ok(template)) => {
            let words = match (template.for_reader(&question), model) {
                (Some(words), _) => Ok(words),
                (None, Some(model)) => put_by(run, &*model, task_type).await?,
                (None, None) => Err("there is none".to_owned()),
            };
            run.learner.phrased = Some(Put { task_type, template, stands: words.is_ok() });
            put(run, template, words)
        }
        Ok(Err(error)) => format!("readers get the question unchanged: {error}"),
        Err(error) => format!("readers get the question unchanged: {error}"),
    };
    run.journal.notice(RunStage::Plan, &why);
    Ok(())
}

/// The question as a model of the user's own puts it, or why that does not count.
async fn put_by(
    run: &mut Planning<'_>,
    model: &dyn LanguageModel,
    task_type: TaskType,
) -> Result<Result<String, String>, RunError> {
    let (timeout, stop) = (run.timeout(), run.learner.stop.clone());
    let said = stop.run_until_cancelled(rewrite(model, &run.setup.question, task_type, timeout)).await;
    Ok(match said.ok_or_else(|| run.interrupted())? {
        Ok(words) => Ok(words),
        Err(NotPut::Silent(why)) => {
            run.learner.model_silent = true;
            Err(why)
        }
        Err(NotPut::Otherwise(why)) => Err(why),
    })
}

/// Has readers asked in these words, if there are any; in words what becomes of it.
fn put(run: &mut Planning<'_>, template: Template, words: Result<String, String>) -> String {
    let why = "by what questions of this kind came to before";
    match words {
        Ok(words) => {
            let way = match template {
                Template::Rewrite => format!("{}, \"{words}\"", template.name()),
                _ => template.name().to_owned(),
            };
            run.setup.plan.phrase(words);
            format!("if it takes words, readers are asked {way}: {why}")
        }
        Err(wrong) => {
            format!(
                "readers get the question unchanged; {why} they would be asked {}, but the model's version \
                 does not count: {wrong}",
                template.name()
            )
        }
    }
}

/// What the words in which readers were asked came to; `None` where nobody was asked in words. `coherence`: of the
/// answer that came of it.
pub(super) fn phrased(run: &Planning<'_>, coherence: f64) -> Option<Phrased> {
    // Readers of steps are asked in the planner's words.
    let by_template = !run.learner.direct && run.setup.plan.steps().is_none();
    let Put { task_type, template, stands } = run.learner.phrased.filter(|_| by_template)?;
    let read: Vec<&SubtaskRecord> = run.subtasks.iter().filter(|record| is_read(record)).collect();
    if read.is_empty() {
        return None;
    }
    let share = |sum: f64| sum / read.len() as f64;
    let accepted = |record: &&SubtaskRecord| match &record.state {
        Progress::Accepted(accepted) => Some((accepted.agreement, is_specific(&accepted.outcome))),
        Progress::Open | Progress::GaveUp(_) => None,
    };
    let answers: Vec<(f64, bool)> = read.iter().filter_map(accepted).collect();
    // Clear is what all understood alike, specific what says what it rests on.
    let clarity = share(answers.iter().map(|(agreement, _)| agreement).sum());
    let answerability = share(answers.len() as f64);
    let specificity = share(answers.iter().filter(|(_, specific)| *specific).count() as f64);
    // What could not be asked was worth nothing: else it would be tried for ever.
    let asked = phrasing_reward(clarity, answerability, specificity, coherence);
    let worth = if stands { asked } else { 0.0 };
    Some(Phrased { task_type, template, worth })
}

fn is_read(record: &SubtaskRecord) -> bool {
    matches!(record.task(), Task::Map { task, .. } if task.query.is_none())
}

/// Whether an answer names its lines, or says plainly that there is nothing.
fn is_specific(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, quotes }) => answer.is_empty() || !quotes.is_empty(),
        Outcome::Mapped(MapAnswer::Claims { .. }) => true,
        _ => false,
    }
}
