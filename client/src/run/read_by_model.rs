//! A question over a table that code is not sure of, read by a model of the user's own, or by a provider.
//!
//! ```text
//!   prepare: code is not sure ─► Unsure ─► launch: the own model writes a query ─► code runs it: that is the answer
//!                                   │         ├─ stopped meanwhile: no run begins
//!                                   │         └─ no query that can be used, or none in time ─┐
//!                                   └─ no own model ─────────────────────────────────────────┴─► the run asks a provider
//! ```
//!
//! The model is told the columns of the table and some of their values, and writes no answer. The record of the run holds what it wrote: a
//! run that goes on computes the same and asks no model (docs/decisions/0122-the-users-model-reads-what-code-is-not-sure-of.md,
//! docs/decisions/0123-a-provider-writes-the-query.md).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frlm_inference::{Dialect, LanguageModel};
use frlm_protocol::one_line;
use frlm_questions::ingest::{Document, Fragment};
use frlm_questions::plan::{Computed, Meaning, Queried, QueriedTable, QueryTask};
use frlm_questions::question::own_model;
use frlm_tables::query::PlannedReply;
use frlm_tables::{Answer, PlannerPrompt, Table};
use frlm_util::text::shortened;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::Prepared;
use super::by_code::{ByCode, first_line};
use super::document_tables::InDocument;
use super::follow_up::nothing_sent;
use super::readings::{may_also_mean, of_answer};
use crate::failure::Failure;

/// How long the own model may think about the question.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Tokens of a query.
const MOST_TOKENS: usize = 1_000;

/// Characters of what is wrong with a query.
const LONGEST_REASON: usize = 200;

/// A reader, in the notes of an answer.
const OWN_MODEL: &str = "your own model";

/// A question over a table, of which code alone is not sure.
#[derive(Debug)]
pub(super) struct Unsure {
    question: Arc<TableQuestion>,
    /// Whether a model of the user's own is asked first.
    pub for_own_model: bool,
    /// Why there is no run, unless the model reads the question.
    or_else: Option<Failure>,
}

/// A question, and the one table that it is asked of.
#[derive(Debug)]
pub(super) struct TableQuestion {
    document: Document,
    /// One thread at a time may use a table, and several may look at what is prepared.
    table: Mutex<Table>,
    text: String,
    /// What a model is told: the columns of a long table take a while.
    prompt: PlannerPrompt,
}

impl Unsure {
    pub fn of(source: InDocument<'_>, question: &str, for_own_model: bool, or_else: Option<Failure>) -> Self {
        let InDocument { document, table } = source;
        let (prompt, text) = (table.planner_prompt(question), question.to_owned());
        let question = TableQuestion { document: document.clone(), table: Mutex::new(table), text, prompt };
        Self { question: Arc::new(question), for_own_model, or_else }
    }

    /// Whether there is no run, unless the model reads the question.
    pub fn is_all_there_is(&self) -> bool {
        self.or_else.is_some()
    }

    /// The same where without the model nobody can be asked.
    pub fn or_fail(&mut self, failure: Failure) {
        self.or_else = Some(failure);
    }

    /// The only part of a long document about which nobody but the model is asked.
    pub fn part_of_kept_text(&self) -> Option<Vec<Fragment>> {
        let document = &self.question.document;
        (self.is_all_there_is() && document.text.is_kept()).then(|| first_line(document))
    }

    /// The answer by the query in the reply of the user's own model; the error says why there is none.
    pub fn read(&self, reply: &str) -> Result<ByCode, String> {
        self.question.read(reply, None, OWN_MODEL)
    }

    /// What a provider is asked where nobody else reads the question. The answer is cited from these fragments.
    pub fn for_planner(&self, fragments: Vec<Arc<Fragment>>) -> QueryTask {
        let PlannerPrompt { system, user, schema } = self.question.prompt.clone();
        let of_table = fragments.iter().filter(|fragment| fragment.document == self.question.document.id);
        let of_table = of_table.cloned().collect();
        let table = Arc::new(ByPlanner { question: Arc::clone(&self.question), fragments });
        QueryTask::new(&self.question.text, (system, user, schema), table, of_table)
    }
}

impl TableQuestion {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer by the query in a reply of this reader; the error says why there is none. It is never sure: nobody has said that the
    /// query means the question. `meant`: the lines of records that readers were asked for.
    fn read(&self, reply: &str, meant: Option<&BTreeSet<u32>>, reader: &str) -> Result<ByCode, String> {
        let table = &*self.table();
        let answer = match meant {
            Some(meant) => table.ask_planned_where(reply, meant),
            None => table.ask_planned(reply),
        };
        let mut answered = match answer {
            Answer::Unique(answered) => answered,
            Answer::Refused(refusal) => return Err(refusal.why),
            Answer::Ambiguous(_) | Answer::Asked(_) => {
                return Err("its query has no single meaning".to_owned());
            }
        };
        answered.notes.insert(0, format!("{reader} read the question"));
        let alone = table.ask(&self.text);
        // Two readers who find nothing may have looked for different things.
        if let Answer::Unique(own) = &alone
            && own.outcome.rows == answered.outcome.rows
            && answered.outcome.matched > 0
        {
            answered.confidence = answered.confidence.max(own.confidence);
            answered.notes.push("code alone finds the same".to_owned());
        }
        let rows = answered.outcome.rows.clone();
        let others = of_answer(table, alone, &self.text).filter(|own| own.outcome.rows != rows);
        answered.notes.extend(others.map(|own| may_also_mean(&own)));
        Ok(ByCode::of(&self.document, answered))
    }
}

/// What readers must tell before the query in a reply can be run.
pub(super) fn meaning_of(table: &Table, reply: &str) -> Option<Meaning> {
    let PlannedReply::Query { meaning, .. } = table.read_planned(reply) else { return None };
    meaning.map(|meaning| Meaning { column: meaning.column, says: meaning.says })
}

/// A question over a table, for a provider to write as a query.
#[derive(Debug)]
struct ByPlanner {
    question: Arc<TableQuestion>,
    fragments: Vec<Arc<Fragment>>,
}

impl QueriedTable for ByPlanner {
    fn check(&self, reply: &str) -> Result<Queried, String> {
        match self.question.table().read_planned(reply) {
            PlannedReply::Query { query, .. } => Ok(Queried::Query(query)),
            PlannedReply::Refused(why) => Ok(Queried::Refused(why)),
            // It may repeat words of the reply.
            PlannedReply::Unreadable(why) => Err(shortened(&one_line(&why), LONGEST_REASON)),
        }
    }

    fn meaning(&self, reply: &str) -> Option<Meaning> {
        meaning_of(&self.question.table(), reply)
    }

    fn compute(&self, reply: &str, meant: &BTreeSet<u32>) -> Result<Computed, String> {
        Ok(self.question.read(reply, Some(meant), "a provider")?.computed(&self.fragments))
    }
}

/// Has the own model read a question that code is not sure of. Returns what became of it; `None` where no model was asked. It is an
/// error if nobody else can answer, or if the user cancels meanwhile.
pub(super) async fn read(
    prepared: &mut Prepared,
    model: Option<&dyn LanguageModel>,
    cancel: &CancellationToken,
) -> anyhow::Result<Option<String>> {
    let Some(mut unsure) = prepared.unsure.take_if(|unsure| unsure.for_own_model) else { return Ok(None) };
    let or_else = unsure.or_else.take();
    unsure.for_own_model = false;
    let question = Arc::clone(&unsure.question);
    // Where the model has no query, a provider may.
    prepared.unsure = or_else.is_none().then_some(unsure);
    // A model that copies fields writes no queries.
    let Some(model) = model.filter(|model| model.info().dialect == Dialect::Json) else {
        return or_else.map_or(Ok(None), |failure| Err(failure.into()));
    };
    notice!("code is not sure how the question is meant: your own model reads it");
    let PlannerPrompt { system, user, schema } = question.prompt.clone();
    // One message, since not every model takes instructions apart from it.
    let prompt = format!("{system}\n\n{user}");
    let timeout = TIMEOUT.min(prepared.policy.timeout.total);
    let asking = own_model::ask(model, prompt, schema, MOST_TOKENS, timeout);
    let reply = cancel.run_until_cancelled(asking).await.ok_or_else(nothing_sent)?;
    let file = one_line(&question.document.name).into_owned();
    let read = match reply {
        Ok(reply) => {
            let read = move || question.read(&reply, None, OWN_MODEL).map(|answer| (answer, reply));
            spawn_blocking(read).await?
        }
        Err(why) => Err(why),
    };
    match (read, or_else) {
        (Ok((answer, reply)), _) => {
            let words =
                format!("your own model read the question over {file} as: {}", one_line(answer.reading()));
            prepared.take_answer(&answer);
            prepared.unsure = None;
            prepared.request.read_by_model = Some(reply);
            Ok(Some(words))
        }
        (Err(why), None) => {
            Ok(Some(format!("your own model did not read the question over {file}: {}", one_line(&why))))
        }
        (Err(why), Some(Failure { code, message })) => {
            let words = format!("{message}\nYour own model was asked, too: {}", one_line(&why));
            Err(Failure::with_code(code, words).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use frlm_conductor::trace::TraceEvent;
    use frlm_inference::scripted::ScriptedModel;
    use frlm_questions::answer::{Answer as RunAnswer, Reading};
    use tokio::sync::Notify;

    use super::*;
    use crate::config::{By, Config};
    use crate::documents::Documents;
    use crate::failure::{code, render_error};
    use crate::home::Home;
    use crate::run::{
        NO_RELAY, OpenTable, Own, ReadingChoice, ResumeOptions, RunRequest, RunService, RunSpec, prepare,
    };

    const FIXTURES: &str =
        "Home,Away,HG,AG,Attendance\nEden,Tarn,2,1,400\nTarn,Eden,0,3,1000\nEden,Shap,1,1,500\n";
    /// Code takes the column `Away` for the team, and is not sure of it.
    const QUESTION: &str = "Which team had the highest attendance?";
    const OF_HOME: &str =
        r#"{"select":["Home","Attendance"],"order_by":[{"output":1,"descending":true}],"limit":1}"#;
    const OF_AWAY: &str =
        r#"{"select":["Away","Attendance"],"order_by":[{"output":1,"descending":true}],"limit":1}"#;
    /// Every word of it found a place, and one may mean something else.
    const READ_WHOLE: &str = "Overall Attendance?";
    const REFUSAL: &str = r#"{"refuse":"there is no column of ages"}"#;

    struct Place {
        _folder: tempfile::TempDir,
        home: Home,
        file: PathBuf,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let file = folder.path().join("fixtures.csv");
        std::fs::write(&file, FIXTURES).unwrap();
        Place { _folder: folder, home, file }
    }

    impl Place {
        fn spec(&self, by: By, question: &str) -> RunSpec {
            let model = Some("http://127.0.0.1:1/v1#own".to_owned());
            RunSpec { by: Some(by), model, ..RunSpec::over(question.to_owned(), vec![self.file.clone()]) }
        }

        fn prepared(&self, by: By, question: &str) -> anyhow::Result<Prepared> {
            prepare(
                RunRequest::from_spec(&self.spec(by, question), &Config::default())?,
                &Documents::default(),
            )
        }
    }

    /// A general model that always says this, and how often it was asked.
    fn model(says: &'static str) -> (ScriptedModel, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let model = ScriptedModel::new("own", move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            says.to_owned()
        });
        (model.with_dialect(Dialect::Json), asked)
    }

    /// What becomes of a question over the fixtures, where the own model says this.
    async fn read_by(
        by: By,
        question: &str,
        says: &'static str,
    ) -> anyhow::Result<(Prepared, Option<String>)> {
        let mut prepared = place().prepared(by, question)?;
        let (model, _) = model(says);
        let told = read(&mut prepared, Some(&model), &CancellationToken::new()).await?;
        Ok((prepared, told))
    }

    /// How sure code alone is, and what it says.
    fn alone(question: &str) -> (f64, String) {
        let Place { _folder, file, .. } = place();
        let spec = RunSpec { by: Some(By::Code), ..RunSpec::over(question.to_owned(), vec![file]) };
        let request = RunRequest::from_spec(&spec, &Config::default()).unwrap();
        let computed = prepare(request, &Documents::default()).unwrap().computed.unwrap();
        (computed.confidence, computed.text)
    }

    #[tokio::test]
    async fn the_own_models_query_is_taken_and_computed_again_without_it() {
        let place = place();
        let (model, asked) = model(OF_HOME);
        let runs = RunService::open(&place.home).await.unwrap();
        let with_model = runs.clone().with_models(Own::model(Arc::new(model)));
        // No relay is named, and nobody else could answer.
        let run = with_model.start(&place.spec(By::Auto, QUESTION)).await.unwrap();
        let (id, answer): (String, RunAnswer) = (run.id, run.done.await.unwrap());
        assert!(answer.answer.starts_with("Tarn: 1000 ("), "{}", answer.answer);
        assert_eq!((answer.subtasks.total, answer.budget.spent_sats), (0, 0));
        assert!((answer.confidence - 0.7).abs() < 1e-9, "{}", answer.confidence);
        let reading = answer.reading.as_ref().unwrap();
        assert_eq!(reading.notes[0], "your own model read the question");
        let others: Vec<&String> =
            reading.notes.iter().filter(|note| note.contains("may also mean")).collect();
        assert!(others.len() == 1 && others[0].ends_with("Eden: 1000"), "{:?}", reading.notes);
        runs.store().flush(&id).await.unwrap();
        let records = runs.store().trace(&id).unwrap().records;
        let is_said = |event: &TraceEvent| matches!(event, TraceEvent::Notice { says, .. } if says.contains("your own model read"));
        assert!(records.iter().any(|record| is_said(&record.event)));

        // The window opens the table by the same reading, and offers that of code.
        let documents = Documents::of(&place.home);
        let (_, opened) = OpenTable::open(&documents, &place.home, &answer, reading).unwrap();
        let offered: Vec<&str> = opened.readings.iter().map(|other| other.text.as_str()).collect();
        assert_eq!(offered, ["Eden: 1000"]);

        let resumed = runs.with_models(Own::default()).resume(&id, ResumeOptions::default()).await.unwrap();
        let again = resumed.handle.done.await.unwrap();
        assert_eq!((&again.answer, &again.reading), (&answer.answer, &answer.reading));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn where_code_and_the_own_model_find_the_same_it_is_said() {
        let (confidence, text) = alone(QUESTION);
        let (prepared, _) = read_by(By::Code, QUESTION, OF_AWAY).await.unwrap();
        let computed = prepared.computed.unwrap();
        assert_eq!(computed.text, text);
        assert!(computed.reading.notes.contains(&"code alone finds the same".to_owned()));
        assert!(confidence >= 0.7 && (computed.confidence - confidence).abs() < 1e-9, "{confidence}");
        let may_be = computed.reading.notes.iter().filter(|note| note.contains("may also mean"));
        assert_eq!(may_be.count(), 1, "{:?}", computed.reading.notes);
    }

    #[tokio::test]
    async fn two_readers_who_agree_are_as_sure_as_the_surer_one_and_never_sure() {
        let (confidence, _) = alone(READ_WHOLE);
        assert!(confidence > 0.7 && confidence < frlm_tables::SURE, "{confidence}");
        let reply = r#"{"select":[{"function":"sum","column":"Attendance"}]}"#;
        let (prepared, _) = read_by(By::Auto, READ_WHOLE, reply).await.unwrap();
        let computed = prepared.computed.unwrap();
        assert!((computed.confidence - confidence).abs() < 1e-9, "{}", computed.confidence);
        let other = r#"{"select":[{"function":"max","column":"Attendance"}]}"#;
        let (prepared, _) = read_by(By::Auto, READ_WHOLE, other).await.unwrap();
        assert!((prepared.computed.unwrap().confidence - 0.7).abs() < 1e-9);
    }

    #[test]
    fn the_own_model_is_not_asked_where_code_is_sure_or_the_swarm_was_chosen() {
        let place = place();
        let sure = place.prepared(By::Auto, "What is the total Attendance?").unwrap();
        assert!(sure.computed.is_some() && !sure.asks_own_model());
        let asks = |spec: RunSpec| {
            let spec = RunSpec { relays: vec!["ws://127.0.0.1:1".to_owned()], ..spec };
            let request = RunRequest::from_spec(&spec, &Config::default()).unwrap();
            prepare(request, &Documents::default()).unwrap().asks_own_model()
        };
        assert!(asks(place.spec(By::Auto, QUESTION)));
        assert!(!asks(place.spec(By::Swarm, QUESTION)));
        assert!(!asks(place.spec(By::Auto, "Why was the attendance so low?")));
        // The model inside the program only copies fields.
        let embedded = Some("embedded".to_owned());
        assert!(!asks(RunSpec { model: embedded, ..place.spec(By::Auto, QUESTION) }));
        assert!(!asks(RunSpec { model: None, ..place.spec(By::Auto, QUESTION) }));
        let unsure = place.prepared(By::Code, QUESTION).unwrap();
        assert!(unsure.asks_own_model());
        let Reading { file, sql, .. } = unsure.computed.unwrap().reading;
        let reading = Some(ReadingChoice { file, sql });
        assert!(!asks(RunSpec { reading, ..place.spec(By::Auto, QUESTION) }));
    }

    #[tokio::test]
    async fn without_a_query_of_the_own_model_it_is_as_without_a_model() {
        let (confidence, text) = alone(QUESTION);
        for (says, why) in [
            (REFUSAL, "there is no column of ages"),
            ("I do not know.", "no JSON object"),
            (r#"{"select":["town"]}"#, "no column is called town"),
        ] {
            let (prepared, told) = read_by(By::Code, QUESTION, says).await.unwrap();
            let told = told.unwrap();
            assert!(told.contains("did not read the question") && told.contains(why), "{told}");
            assert!(prepared.request.read_by_model.is_none());
            let computed = prepared.computed.unwrap();
            assert_eq!((computed.confidence, computed.text), (confidence, text.clone()));
        }
        let refused = read_by(By::Auto, QUESTION, REFUSAL).await.unwrap_err();
        let (words, exit) = render_error(&refused);
        assert!(words.starts_with(NO_RELAY) && words.contains("no column of ages") && exit == code::USAGE);
        let refused = read_by(By::Code, "How old are the referees?", REFUSAL).await.unwrap_err().to_string();
        assert!(refused.contains("Questions that work on fixtures.csv:"), "{refused}");
        assert!(refused.ends_with("there is no column of ages"), "{refused}");
    }

    #[tokio::test]
    async fn what_code_refuses_the_own_model_may_read() {
        let reply = r#"{"select":[{"function":"count_distinct","column":"Home"}]}"#;
        let (prepared, _) = read_by(By::Code, "How old are the referees?", reply).await.unwrap();
        let computed = prepared.computed.unwrap();
        assert_eq!(computed.value.as_deref(), Some("2"));
        assert!(!computed.reading.notes.iter().any(|note| note.contains("finds the same")));
    }

    #[tokio::test]
    async fn the_own_model_is_waited_for_as_long_as_the_run_may_take() {
        let place = place();
        let spec = RunSpec { timeout: Some(1), ..place.spec(By::Code, QUESTION) };
        let request = RunRequest::from_spec(&spec, &Config::default()).unwrap();
        let mut prepared = prepare(request, &Documents::default()).unwrap();
        let (model, _) = model(OF_HOME);
        let model = model.with_latency(Duration::from_hours(24));
        let told = read(&mut prepared, Some(&model), &CancellationToken::new()).await.unwrap().unwrap();
        assert!(told.ends_with("no answer within 1 s"), "{told}");
        assert!(prepared.computed.unwrap().text.starts_with("Eden: 1000"));
        assert_eq!(model.running(), 0, "it is let go");
    }

    #[tokio::test]
    async fn who_cancels_while_the_own_model_reads_the_question_waits_for_no_answer() {
        let mut prepared = place().prepared(By::Code, QUESTION).unwrap();
        let asked = Arc::new(Notify::new());
        let told = Arc::clone(&asked);
        let model = ScriptedModel::new("own", move |_| {
            told.notify_one();
            String::new()
        })
        .with_latency(Duration::from_hours(24))
        .with_dialect(Dialect::Json);
        let cancel = CancellationToken::new();
        let (read, ()) = tokio::join!(read(&mut prepared, Some(&model), &cancel), async {
            asked.notified().await;
            cancel.cancel();
        });
        let (words, exit) = render_error(&read.unwrap_err());
        assert!(exit == code::INTERRUPTED && words.contains("nothing was sent"), "{words}");
        assert_eq!(model.running(), 0, "it is let go");
    }

    #[tokio::test]
    async fn the_model_is_told_the_columns_and_one_that_copies_fields_is_not_asked() {
        let told = Arc::new(Mutex::new(String::new()));
        let hears = Arc::clone(&told);
        let model = ScriptedModel::new("own", move |prompt| {
            prompt.clone_into(&mut hears.lock().unwrap());
            OF_HOME.to_owned()
        });
        let cancel = CancellationToken::new();
        let mut prepared = place().prepared(By::Code, QUESTION).unwrap();
        assert!(read(&mut prepared, Some(&model), &cancel).await.unwrap().is_none(), "it copies fields");
        assert!(told.lock().unwrap().is_empty());
        let mut prepared = place().prepared(By::Code, QUESTION).unwrap();
        let model = model.with_dialect(Dialect::Json);
        read(&mut prepared, Some(&model), &cancel).await.unwrap();
        let prompt = told.lock().unwrap().clone();
        for said in ["You turn a question", "\"Home\": text; all values: \"Eden\", \"Tarn\"", QUESTION] {
            assert!(prompt.contains(said), "{said}: {prompt}");
        }
    }

    #[tokio::test]
    async fn of_a_long_text_only_the_lines_are_parts_that_the_models_query_cites() {
        let place = place();
        let documents = Documents::of(&place.home).holding(8);
        let question = "How old are the referees?";
        let request = RunRequest::from_spec(&place.spec(By::Code, question), &Config::default()).unwrap();
        let lines = |prepared: &Prepared| -> Vec<_> {
            prepared.fragments.iter().map(|part| part.span.lines.clone()).collect()
        };
        let mut prepared = prepare(request, &documents).unwrap();
        assert_eq!(lines(&prepared), [1..=1]);
        let reply = r#"{"select":["Away"],"where":{"compare":{"column":"Home","is":"=","value":"Eden"}}}"#;
        read(&mut prepared, Some(&model(reply).0), &CancellationToken::new()).await.unwrap();
        assert_eq!(lines(&prepared), [2..=2, 4..=4]);
        let read_once = prepared.computed.unwrap();
        let again = prepare(prepared.request, &documents).unwrap();
        assert_eq!(again.computed.as_ref(), Some(&read_once));
        assert!(lines(&again) == [2..=2, 4..=4] && !again.asks_own_model());
    }
}
