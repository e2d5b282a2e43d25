//! Whether answers are right, by methods that go by the kind of task (tier 2; seeds/verifier-block.md, «Answer
//! Validator», `strategies`, `verification_level`; docs/decisions/0037-verification-levels.md).
//!
//! ```text
//!   answer, its quotes and values found in the text ─► its calculations, by code ─┬ wrong ──► the attempt failed
//!        (every level)                                  (every level)              └ else
//!   standard ──────────────────────────────────────────────────────────────────────► compared with the others
//!   high, critical ─► known by code? its values in the text? a model's opinion? ─┬ passed ─► compared
//!        (beside the loop; its attempt is still out for the scheduler)            └ else ───► the attempt failed
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_verifier::consensus::{Judge, ModelJudge, exam};
use frlm_verifier::normalise::{ExpectedFormat, Normalised};
use frlm_verifier::request::{OriginalTask, TaskType, VerificationLevel, VerificationRequirements};
use frlm_verifier::validation::program::CodeRunner;
use frlm_verifier::validation::{
    Finding, Method, Tools, ValidationOutcome, aggregate, claims, validate_answer,
};
use frlm_verifier::value::Scalar;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::check::{Answered, one_per_core};
use super::driver::Run;
use super::fit::{Fit, NotFit, examined};
use super::gold;
use super::meaning::in_words;
use crate::dialect::MapAnswer;
use crate::plan::{Outcome, Task};
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

/// What is validated, apart from the run.
struct Case {
    answer: String,
    task: OriginalTask,
    documents: Vec<String>,
    /// What code has found already.
    by_code: Vec<Finding>,
    level: VerificationLevel,
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

/// Whether a model has said what it thinks of an answer.
fn has_opinion(found: &ValidationOutcome) -> bool {
    let by_model =
        |finding: &Finding| finding.method == Method::LlmValidation && finding.correctness.is_some();
    found.findings.iter().any(by_model)
}

impl Case {
    fn wants_opinion(&self) -> bool {
        Method::strategies(self.task.task_type).contains(&Method::LlmValidation)
    }

    async fn validate(
        self,
        assessor: Option<Assessor>,
        runner: Option<Arc<dyn CodeRunner>>,
        room: &Arc<Semaphore>,
        patience: Duration,
    ) -> ValidationOutcome {
        let Self { answer, task, documents, by_code, level } = self;
        if answer.is_empty() {
            return aggregate(by_code, level);
        }
        let requirements =
            VerificationRequirements { verification_level: level, ..VerificationRequirements::default() };
        let handle = tokio::runtime::Handle::current();
        // Waiting takes no thread: the model may need one itself.
        let room = Arc::clone(assessor.as_ref().map_or(room, |assessor| &assessor.room));
        let permit = room.acquire_owned().await;
        let judged = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
            let judge = assessor.as_ref().map(|assessor| &*assessor.judge as &dyn Judge);
            let tools = Tools { code: runner.as_deref(), known: None, judge, documents: &documents };
            handle.block_on(async {
                let judging = validate_answer(&answer, &task, &requirements, tools);
                if let Ok(found) = tokio::time::timeout(patience, judging).await {
                    return found;
                }
                // A model that takes too long says nothing. What code can tell still counts.
                let tools = Tools { judge: None, ..tools };
                validate_answer(&answer, &task, &requirements, tools).await
            })
        });
        // What was lost told nothing.
        let rest = judged.await.map_or_else(|_| Vec::new(), |found| found.findings);
        aggregate(by_code.into_iter().chain(rest).collect(), level)
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

/// A finding of code that no model is asked for.
fn by_code(method: Method, is_right: bool, detail: &str) -> Finding {
    let correctness = Some(if is_right { 1.0 } else { 0.0 });
    Finding { method, correctness, detail: detail.to_owned(), assessment: None }
}

/// What an answer to a task may rest on: the fragment, or the verified notes and their quotes.
fn documents(task: &Task) -> Vec<&str> {
    match task {
        Task::Compile(_) => Vec::new(),
        Task::Map { fragment, .. } => vec![&*fragment.text],
        Task::Combine(task) => task.answers.iter().flat_map(|(_, answer)| noted(answer)).collect(),
    }
}

fn noted(answer: &MapAnswer) -> Vec<&str> {
    match answer {
        MapAnswer::Words { answer, quotes } => {
            let quotes = quotes.iter().map(|found| found.quote.as_str());
            std::iter::once(answer.as_str()).chain(quotes).collect()
        }
        MapAnswer::Records { .. } => Vec::new(),
    }
}

/// The calculation in an answer that does not come to what it says: fend does it again, within bounds, and what the
/// documents themselves miscalculate is theirs. At every level, before anybody's agreement counts.
pub(super) fn miscalculated(task: &Task, outcome: &Outcome) -> Option<String> {
    claims::miscalculated(in_words(outcome)?, &documents(task)).map(|wrong| wrong.to_string())
}

/// What is to be found out about an answer beyond its own text; `None` where its level asks for nothing more.
fn case(task: &Task, outcome: &Outcome, question: &str, level: VerificationLevel) -> Option<Case> {
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
        let copied = by_code(Method::CrossReference, true, "its quotes and values stand in their lines");
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

/// Why an answer does not pass at its level; `None` if it does, or if nothing could tell and that is enough.
fn objection(found: &ValidationOutcome, level: VerificationLevel) -> Option<String> {
    if found.verification_passed != Some(false) {
        return None;
    }
    let fails = |finding: &&Finding| {
        finding.correctness.is_some_and(|correctness| correctness < finding.method.threshold())
    };
    let why = found.findings.iter().find(fails).map_or_else(
        || "nothing could tell whether it is right; a model of yours could (--model)".to_owned(),
        |finding| {
            format!(
                "{:.2} by {}: {}",
                finding.correctness.unwrap_or(0.0),
                name(finding.method),
                finding.detail
            )
        },
    );
    Some(format!("it does not pass at the level {level}: {why}"))
}

/// The method in words.
fn name(method: Method) -> &'static str {
    match method {
        Method::ProgrammaticExecution => "code",
        Method::GroundTruth => "what is known",
        Method::LlmValidation => "your model",
        Method::CrossReference => "the text",
        Method::None => "nothing",
    }
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
        let Some(case) = case(slot.task(), &answered.replica.answer, &self.setup.question, level) else {
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
        if !self.scheduler.is_out(SubtaskId(ticket.subtask), self.scheduler_attempt(ticket)) {
            return;
        }
        self.journal.emit(TraceEvent::Validated {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            method: found.primary_method,
            correctness: found.correctness,
            passed: found.verification_passed,
            methods: found.findings.iter().map(|finding| finding.method).collect(),
        });
        let key = answered.replica.answer.agreement_key();
        let objection = objection(&found, self.setup.policy.level);
        if lasting {
            self.strategies.found.insert((ticket.subtask, key), found);
        }
        match objection {
            None => self.count(answered),
            Some(why) => self.attempt_failed(ticket, AttemptFailure::Failed, &why),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frlm_inference::scripted::ScriptedModel;

    use super::*;
    use crate::dialect::MapTask;
    use crate::ingest::{self, Document, SplitOptions};

    fn asked(text: &str) -> Task {
        let document = Document::of_text("scale.txt", text);
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let fragment = ingest::split(&[document], options).remove(0);
        let task = MapTask { question: "What do both weigh?".to_owned(), query: None, manner: String::new() };
        Task::Map { task: Arc::new(task), fragment: Arc::new(fragment) }
    }

    fn said(answer: &str) -> Outcome {
        Outcome::Mapped(MapAnswer::Words { answer: answer.to_owned(), quotes: Vec::new() })
    }

    #[test]
    fn a_calculation_with_units_that_does_not_come_to_what_is_said_is_an_error_of_the_answer_alone() {
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        assert_eq!(miscalculated(&task, &said("12 kg + 5 kg = 17 kg")), None);
        let wrong = miscalculated(&task, &said("Both: 12 kg + 5 kg = 18 kg.")).unwrap();
        assert!(wrong.contains("12 kg + 5 kg") && wrong.contains("17000 g"), "{wrong}");
        let theirs = asked("The clerk: 12 kg + 5 kg = 18 kg\n");
        assert_eq!(miscalculated(&theirs, &said("12 kg + 5 kg = 18 kg, says the clerk")), None);
        assert_eq!(miscalculated(&task, &said(" ")), None);
    }

    #[test]
    fn at_the_standard_level_quotes_and_calculations_are_enough_and_above_it_records_are_held_against_code() {
        let records = |matches| Outcome::Mapped(MapAnswer::Records { matches });
        let document = Document::of_text("orders.log", "order=1 status=failed\norder=2 status=shipped\n");
        let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
        let fragments = ingest::split(&[document], options);
        let question = "How many orders have status failed?";
        let query = crate::question::parse(question, &crate::question::field_hints(&fragments));
        assert!(query.is_some());
        let task = MapTask { question: question.to_owned(), query, manner: String::new() };
        let task = Task::Map { task: Arc::new(task), fragment: Arc::new(fragments[0].clone()) };
        let nothing = records(Vec::new());
        assert!(case(&task, &nothing, question, VerificationLevel::Standard).is_none());
        let case = case(&task, &nothing, question, VerificationLevel::High).unwrap();
        assert!(!case.wants_opinion(), "code reads records");
        let found = aggregate(case.by_code, VerificationLevel::High);
        assert_eq!((found.primary_method, found.verification_passed), (Method::GroundTruth, Some(false)));
        let why = objection(&found, VerificationLevel::High).unwrap();
        assert!(why.contains("level high: 0.00 by what is known"), "{why}");
    }

    #[test]
    fn what_nothing_can_tell_passes_at_the_high_level_and_not_at_the_critical_one() {
        let silent = |level| objection(&aggregate(Vec::new(), level), level);
        assert_eq!(silent(VerificationLevel::High), None);
        assert!(silent(VerificationLevel::Critical).is_some_and(|why| why.contains("--model")));
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
        let judge = Arc::new(ModelJudge::new(Arc::new(model)));
        let slow = Assessor { judge, fit: Arc::default(), room: one_per_core() };
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        let level = VerificationLevel::High;
        let case =
            case(&task, &said("Box one weighs 13 kg."), "What does the first box weigh?", level).unwrap();
        let found = case.validate(Some(slow), None, &one_per_core(), Duration::from_millis(1)).await;
        assert_eq!((found.primary_method, found.verification_passed), (Method::CrossReference, Some(false)));
        assert!(!has_opinion(&found));
    }

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

    #[tokio::test]
    async fn without_a_model_the_critical_level_passes_what_stands_in_the_text_and_nothing_else() {
        let task = asked("box one: 12 kg\nbox two: 5 kg\n");
        for (answer, passes) in [("Box one weighs 12 kg.", true), ("Box one weighs 13 kg.", false)] {
            let level = VerificationLevel::Critical;
            let case = case(&task, &said(answer), "What does the first box weigh?", level).unwrap();
            let found = case.validate(None, None, &one_per_core(), Duration::from_secs(20)).await;
            assert_eq!(
                (found.primary_method, found.verification_passed),
                (Method::CrossReference, Some(passes)),
                "{answer}"
            );
        }
    }
}
