//! What is to be found out about one answer: of what kind its task is, what it may rest on, and what code has found
//! already.

use std::time::Duration;

use frlm_questions::dialect::MapAnswer;
use frlm_questions::plan::{Outcome, Task};
use frlm_verifier::consensus::Judge;
use frlm_verifier::normalise::{ExpectedFormat, Normalised};
use frlm_verifier::request::{OriginalTask, TaskType, VerificationLevel, VerificationRequirements};
use frlm_verifier::validation::{
    Finding, Method, Tools, ValidationOutcome, aggregate, claims, validate_answer,
};
use frlm_verifier::value::Scalar;

use super::super::judge::{Judging, Silence};
use super::super::program::Sandbox;
use crate::run::gold;

/// What is validated, apart from the run.
pub(in crate::run::checks) struct Case {
    answer: String,
    task: OriginalTask,
    documents: Vec<String>,
    /// What code has found already.
    by_code: Vec<Finding>,
    level: VerificationLevel,
}

impl Case {
    pub(in crate::run::checks) fn wants_opinion(&self) -> bool {
        Method::strategies(self.task.task_type).contains(&Method::LlmValidation)
    }

    /// What is found, and whether the model gave its word where it was asked for it.
    pub(in crate::run::checks) async fn validate(
        self,
        assessor: Option<Judging>,
        sandbox: Sandbox,
        timeout: Duration,
    ) -> (ValidationOutcome, Option<Result<(), Silence>>) {
        let Self { answer, task, documents, by_code, level } = self;
        if answer.is_empty() {
            return (aggregate(by_code, level), None);
        }
        // Waiting takes no thread: the model may need one itself.
        let (assessor, word, permit) = match assessor {
            None => (None, None, None),
            Some(assessor) => match assessor.ready(timeout).await {
                Ok(turn) => (Some(assessor), Some(Ok(())), Some(turn)),
                Err(silence) => (None, Some(Err(silence)), None),
            },
        };
        let permit = match permit {
            Some(permit) => Some(permit),
            None => sandbox.room.acquire_owned().await.ok(),
        };
        let requirements =
            VerificationRequirements { verification_level: level, ..VerificationRequirements::default() };
        let handle = tokio::runtime::Handle::current();
        let judged = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
            let judge = assessor.as_ref().map(|assessor| assessor.model() as &dyn Judge);
            let tools = Tools { code: sandbox.runner.as_deref(), known: None, judge, documents: &documents };
            handle.block_on(async {
                let judging = validate_answer(&answer, &task, &requirements, tools);
                if let Ok(found) = tokio::time::timeout(timeout, judging).await {
                    return found;
                }
                // A model that takes too long says nothing. What code can tell still counts.
                let tools = Tools { judge: None, ..tools };
                validate_answer(&answer, &task, &requirements, tools).await
            })
        });
        // What was lost told nothing.
        let rest = judged.await.map_or_else(|_| Vec::new(), |found| found.findings);
        (aggregate(by_code.into_iter().chain(rest).collect(), level), word)
    }
}

/// The task as tier 2 sees it. What the answer may rest on is no part of it: it stands beside.
fn as_task(question: &str, answer: &str) -> OriginalTask {
    let given = Normalised::of(answer, ExpectedFormat::NumericalAnswer);
    let task_type = match TaskType::of_question(question) {
        // Only a number can be held against a calculation.
        TaskType::Calculation if !matches!(given.scalar(), Some(Scalar::Number(_))) => TaskType::FactualQa,
        asked => asked,
    };
    let expected_format = match task_type {
        TaskType::Calculation => ExpectedFormat::NumericalAnswer,
        TaskType::CodeGeneration => ExpectedFormat::Code,
        TaskType::FactualQa | TaskType::Extraction | TaskType::CreativeWriting => ExpectedFormat::Explanation,
    };
    OriginalTask {
        query: question.to_owned(),
        task_type,
        domain: "general".to_owned(),
        expected_format,
        ground_truth: None,
        rounding_allowed: None,
        check: None,
    }
}

/// Whether an answer is one in words, though it may say nothing: code cannot compare it with another.
pub(in crate::run) fn is_prose(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Mapped(MapAnswer::Words { .. }) | Outcome::Combined(_))
}

/// What an answer says in words, if it says anything in words.
fn in_words(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Mapped(MapAnswer::Words { answer, .. }) | Outcome::Combined(answer) => {
            Some(answer.as_str()).filter(|words| !words.trim().is_empty())
        }
        Outcome::Mapped(MapAnswer::Records { .. } | MapAnswer::Claims { .. })
        | Outcome::Compiled(_)
        | Outcome::Planned(_)
        | Outcome::Queried(_)
        | Outcome::Reviewed(_) => None,
    }
}

/// A finding of code that no model is asked for.
fn by_code(method: Method, is_right: bool, detail: &str) -> Finding {
    let correctness = Some(if is_right { 1.0 } else { 0.0 });
    Finding { method, correctness, detail: detail.to_owned(), assessment: None }
}

/// What an answer to a task may rest on: the fragment, or the verified notes and their quotes.
fn documents(task: &Task) -> Vec<&str> {
    match task {
        Task::Compile(_) | Task::Plan(_) | Task::Review(_) => Vec::new(),
        Task::Map { fragment, .. } | Task::Reread { fragment, .. } => vec![&*fragment.text],
        Task::Combine(task) => task.answers.iter().flat_map(|(_, answer)| noted(answer)).collect(),
    }
}

fn noted(answer: &MapAnswer) -> Vec<&str> {
    match answer {
        MapAnswer::Words { answer, quotes } => {
            let quotes = quotes.iter().map(|found| found.quote.as_str());
            std::iter::once(answer.as_str()).chain(quotes).collect()
        }
        MapAnswer::Claims { claims } => claims.iter().flat_map(noted).collect(),
        MapAnswer::Records { .. } => Vec::new(),
    }
}

/// The calculation in an answer that does not come to what it says: fend does it again, within bounds, and what the
/// documents themselves miscalculate is theirs. At every level, before anybody's agreement counts.
pub(in crate::run) fn miscalculated(task: &Task, outcome: &Outcome) -> Option<String> {
    claims::miscalculated(in_words(outcome)?, &documents(task)).map(|wrong| wrong.to_string())
}

/// What is to be found out about an answer beyond its own text; `None` where its level asks for nothing more.
pub(in crate::run::checks) fn case(
    task: &Task,
    outcome: &Outcome,
    question: &str,
    level: VerificationLevel,
) -> Option<Case> {
    if level == VerificationLevel::Standard {
        return None;
    }
    let documents = documents(task);
    if let (Task::Map { task, fragment }, Outcome::Mapped(MapAnswer::Records { .. })) = (task, outcome) {
        let key = outcome.agreement_key();
        let known = gold::answer_by_code(task.query.as_ref()?, fragment);
        let known = known.map(|known| {
            let same = Outcome::Mapped(known).agreement_key() == key;
            by_code(Method::GroundTruth, same, "the records that code reads")
        });
        // Reading an answer back has looked every quote and every copied value up in its line.
        let copied = by_code(Method::CrossReference, true, "its quotes and values are in their lines");
        let mut task = as_task(question, "");
        task.task_type = TaskType::Extraction;
        let by_code = known.into_iter().chain([copied]).collect();
        return Some(Case { answer: String::new(), task, documents: Vec::new(), by_code, level });
    }
    let answer = in_words(outcome)?;
    let task = as_task(question, answer);
    let documents = documents.into_iter().map(str::to_owned).collect();
    Some(Case { answer: answer.to_owned(), task, documents, by_code: Vec::new(), level })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_questions::dialect::MapTask;
    use frlm_questions::dialect::claims::Form;
    use frlm_questions::ingest::{self, Document, SplitOptions};

    use super::super::super::judge::Duty;
    use super::super::has_opinion;
    use super::super::objection::objection;
    use super::*;
    use frlm_inference::scripted::ScriptedModel;

    fn asked(text: &str) -> Task {
        let document = Document::of_text("scale.txt", text);
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let fragment = ingest::split(&[document], options).remove(0);
        let task = MapTask {
            question: "What do both weigh?".to_owned(),
            query: None,
            manner: String::new(),
            form: Form::default(),
        };
        Task::Map { task: Arc::new(task), fragment: Arc::new(fragment) }
    }

    fn said(answer: &str) -> Outcome {
        Outcome::Mapped(MapAnswer::Words { answer: answer.to_owned(), quotes: Vec::new() })
    }

    #[test]
    fn a_wrong_calculation_with_units_counts_against_its_answer_alone() {
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        assert_eq!(miscalculated(&task, &said("12 kg + 5 kg = 17 kg")), None);
        let wrong = miscalculated(&task, &said("Both: 12 kg + 5 kg = 18 kg.")).unwrap();
        assert!(wrong.contains("12 kg + 5 kg") && wrong.contains("17000 g"), "{wrong}");
        let theirs = asked("The clerk: 12 kg + 5 kg = 18 kg\n");
        assert_eq!(miscalculated(&theirs, &said("12 kg + 5 kg = 18 kg, says the clerk")), None);
        assert_eq!(miscalculated(&task, &said(" ")), None);
    }

    #[test]
    fn the_standard_level_checks_quotes_and_sums_and_higher_ones_records() {
        let records = |matches| Outcome::Mapped(MapAnswer::Records { matches });
        let document = Document::of_text("orders.log", "order=1 status=failed\norder=2 status=shipped\n");
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let fragments = ingest::split(&[document], options);
        let question = "How many orders have status failed?";
        let query =
            frlm_questions::question::parse(question, &frlm_questions::question::field_hints(&fragments));
        assert!(query.is_some());
        let task =
            MapTask { question: question.to_owned(), query, manner: String::new(), form: Form::default() };
        let task = Task::Map { task: Arc::new(task), fragment: Arc::new(fragments[0].clone()) };
        let nothing = records(Vec::new());
        assert!(case(&task, &nothing, question, VerificationLevel::Standard).is_none());
        let case = case(&task, &nothing, question, VerificationLevel::High).unwrap();
        assert!(!case.wants_opinion(), "code reads records");
        let found = aggregate(case.by_code, VerificationLevel::High);
        assert_eq!((found.primary_method, found.verification_passed), (Method::GroundTruth, Some(false)));
        let why = objection(&found, VerificationLevel::High).unwrap().why;
        assert!(why.contains("level high: 0.00 by what is known"), "{why}");
    }

    #[test]
    fn silence_and_records_are_nothing_in_words() {
        assert_eq!(in_words(&said("The mill burnt.")), Some("The mill burnt."));
        assert_eq!(in_words(&said(" ")), None);
        assert_eq!(in_words(&Outcome::Mapped(MapAnswer::Records { matches: Vec::new() })), None);
    }

    #[test]
    fn a_task_is_judged_by_its_kind() {
        let task = as_task("Why was it closed?", "The wheel broke.");
        assert_eq!(
            (task.task_type, task.expected_format),
            (TaskType::FactualQa, ExpectedFormat::Explanation)
        );
        assert_eq!(task.query, "Why was it closed?");
        assert_eq!(as_task("Write a haiku about the mill", "Wheel").task_type, TaskType::CreativeWriting);
        assert_eq!(as_task("What is 15% of 240?", "36").task_type, TaskType::Calculation);
        assert_eq!(as_task("What is 15% of 240?", "nobody says it").task_type, TaskType::FactualQa);
    }

    #[tokio::test]
    async fn what_code_can_tell_counts_where_the_model_is_too_slow() {
        let model = ScriptedModel::new("slow", |_| String::new()).with_latency(Duration::from_hours(1));
        let slow = Judging::passed(Duty::Assess, Arc::new(model), 1);
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        let level = VerificationLevel::High;
        let case =
            case(&task, &said("Box one weighs 13 kg."), "What does the first box weigh?", level).unwrap();
        let (found, _) = case.validate(Some(slow), Sandbox::default(), Duration::from_millis(1)).await;
        assert_eq!((found.primary_method, found.verification_passed), (Method::CrossReference, Some(false)));
        assert!(!has_opinion(&found));
    }

    #[tokio::test]
    async fn without_a_model_the_critical_level_passes_only_what_the_text_states() {
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        for (answer, passes) in [("Box one weighs 12 kg.", true), ("Box one weighs 13 kg.", false)] {
            let level = VerificationLevel::Critical;
            let case = case(&task, &said(answer), "What does the first box weigh?", level).unwrap();
            let (found, _) = case.validate(None, Sandbox::default(), Duration::from_secs(20)).await;
            assert_eq!(
                (found.primary_method, found.verification_passed),
                (Method::CrossReference, Some(passes)),
                "{answer}"
            );
        }
    }
}
