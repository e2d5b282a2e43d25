//! Questions over a table that code is not sure of, read by providers over a real relay.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frlm_conductor::trace::TraceEvent;
use frlm_inference::Dialect;
use frlm_inference::scripted::ScriptedModel;
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_questions::answer::{Answer, Method};
use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::Keys;
use serde_json::json;

use super::{By, OpenTable, ResumeOptions, RunService, RunSpec};
use crate::documents::Documents;
use crate::failure::{Failure, code};
use crate::home::Home;

const FIXTURES: &str =
    "Home,Away,HG,AG,Attendance\nEden,Tarn,2,1,400\nTarn,Eden,0,3,1000\nEden,Shap,1,1,500\n";
/// Code takes the column `Away` for the team, and is not sure of it.
const QUESTION: &str = "Which team had the highest attendance?";
const OF_HOME: &str =
    r#"{"select":["Home","Attendance"],"order_by":[{"output":1,"descending":true}],"limit":1}"#;

/// A reader's claims about the comments.
fn complaints(prompt: &str) -> String {
    let claims = prompt.lines().filter_map(|line| {
        let (number, text) = line.split_once("| ")?;
        let number: u32 = number.trim().parse().ok()?;
        let is_one = ["late", "rain", "fence"].iter().any(|word| text.contains(word));
        let claim = format!("The record of {} is a complaint about delivery.", text.split(',').next()?);
        is_one.then(|| json!({ "lines": [[number, number]], "claim": claim }))
    });
    json!({ "claims": claims.collect::<Vec<_>>() }).to_string()
}

/// A relay with providers, and a home whose user asks there.
struct Place {
    _folder: tempfile::TempDir,
    home: Home,
    spec: RunSpec,
    relay: EmbeddedRelay,
    providers: Vec<ProviderHandle>,
    /// What the providers were asked for beside queries.
    read: Arc<Mutex<Vec<String>>>,
    queries: Arc<AtomicUsize>,
}

/// What a run came to, and what it recorded.
struct Ran {
    id: String,
    answer: Result<Answer, Failure>,
    events: Vec<TraceEvent>,
}

impl Ran {
    fn says(&self, words: &str) -> bool {
        self.events
            .iter()
            .any(|event| matches!(event, TraceEvent::Notice { says, .. } if says.contains(words)))
    }
}

impl Place {
    /// With a provider for each reply to a request for a query.
    async fn with(replies: &[&'static str], dialect: Dialect) -> Self {
        Self::over(QUESTION, FIXTURES, replies, dialect).await
    }

    async fn over(question: &str, text: &str, replies: &[&'static str], dialect: Dialect) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let file = folder.path().join("fixtures.csv");
        std::fs::write(&file, text).unwrap();
        let relay =
            EmbeddedRelay::start(EmbeddedRelayConfig::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let (read, queries) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let mut providers = Vec::new();
        for &reply in replies {
            let (read, queries) = (Arc::clone(&read), Arc::clone(&queries));
            let model = ScriptedModel::new("reader", move |prompt| {
                if prompt.starts_with("You turn a question") {
                    queries.fetch_add(1, Ordering::SeqCst);
                    return reply.to_owned();
                }
                if prompt.starts_with("You check claims") {
                    let count = prompt.lines().filter(|line| line.starts_with("Claim ")).count();
                    return json!({ "verdicts": vec!["supported"; count] }).to_string();
                }
                read.lock().unwrap().push(prompt.to_owned());
                if prompt.starts_with("You read one part of a document for") {
                    return complaints(prompt);
                }
                // A field of a record, as a model that copies fields says it.
                "500".to_owned()
            });
            let model = Arc::new(model.with_dialect(dialect));
            let config = ProviderConfig { price_msats_per_1k: 1_000, ..ProviderConfig::default() };
            let at = [relay.url()];
            providers.push(Provider::start(config, Keys::generate(), &at, model).await.unwrap());
        }
        let spec = RunSpec {
            by: Some(By::Auto),
            relays: vec![relay.url().to_string()],
            discovery: Some(1),
            ..RunSpec::over(question.to_owned(), vec![file])
        };
        Self { _folder: folder, home, spec, relay, providers, read, queries }
    }

    async fn runs(&self) -> RunService {
        RunService::open(&self.home).await.unwrap()
    }

    async fn ask(&self) -> Ran {
        let runs = self.runs().await;
        let run = runs.start(&self.spec).await.unwrap();
        let (id, answer) = (run.id, run.done.await);
        runs.store().flush(&id).await.unwrap();
        let records = runs.store().trace(&id).unwrap().records;
        Ran { id, answer, events: records.into_iter().map(|record| record.event).collect() }
    }

    async fn end(self) {
        for provider in self.providers {
            provider.shutdown().immediate.cancel();
            provider.stopped().await;
        }
        self.relay.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_writes_the_query_and_code_runs_it() {
    let place = Place::with(&[OF_HOME], Dialect::Json).await;
    let ran = place.ask().await;
    let answer = ran.answer.as_ref().unwrap();
    assert!(answer.answer.starts_with("Tarn: 1000 ("), "{}", answer.answer);
    assert_eq!((answer.method, answer.subtasks.total, answer.subtasks.verified), (Method::Direct, 1, 1));
    assert!((answer.coverage - 1.0).abs() < 1e-9 && (answer.confidence - 0.7).abs() < 1e-9, "{answer:#?}");
    assert!(answer.budget.spent_sats > 0 && answer.citations[0].lines == [3, 3], "{answer:#?}");
    let reading = answer.reading.as_ref().unwrap();
    assert_eq!(reading.notes[0], "a provider read the question");
    let others: Vec<&String> = reading.notes.iter().filter(|note| note.contains("may also mean")).collect();
    assert!(others.len() == 1 && others[0].ends_with("Eden: 1000"), "{:?}", reading.notes);
    assert!(ran.says("a provider read the question as:"));
    assert!(place.read.lock().unwrap().is_empty(), "no part was read");

    // The window opens the table by the same reading, and offers that of code.
    let documents = Documents::of(&place.home);
    let (_, opened) = OpenTable::open(&documents, &place.home, answer, reading).unwrap();
    let offered: Vec<&str> = opened.readings.iter().map(|other| other.text.as_str()).collect();
    assert_eq!(offered, ["Eden: 1000"]);

    let resumed = place.runs().await.resume(&ran.id, ResumeOptions::default()).await.unwrap();
    let again = resumed.handle.done.await.unwrap();
    assert_eq!((&again.answer, &again.reading), (&answer.answer, &answer.reading));
    assert_eq!(place.queries.load(Ordering::SeqCst), 1, "nobody is asked a second time");
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_tell_what_texts_mean_and_code_counts_by_the_other_columns() {
    let comments = "id,region,comment\n1,North,The parcel came three weeks late\n2,South,Lovely colours\n\
        3,North,Nobody rang and the box was left in the rain\n4,South,The driver threw it over the fence\n5,North,Too small for me\n";
    let query = r#"{"select":["region",{"function":"count"}],"group_by":["region"],"where":{"means":{"column":"comment","says":"a complaint about delivery"}}}"#;
    let question = "How many complaints about delivery are there per region?";
    let place = Place::over(question, comments, &[query; 3], Dialect::Json).await;
    let ran = place.ask().await;
    let answer = ran.answer.as_ref().unwrap();
    assert!(answer.answer.contains("North: 2") && answer.answer.contains("South: 1"), "{}", answer.answer);
    let reading = answer.reading.as_ref().unwrap();
    assert!(reading.words.contains("comment means \"a complaint about delivery\""), "{}", reading.words);
    assert!(ran.says("the query asks where comment means \"a complaint about delivery\": readers tell"));
    let claims = answer.verification.claims.unwrap();
    assert!(claims.accepted == 3 && claims.not_reviewed == 0, "{claims:?}");
    assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.confidence < frlm_tables::SURE, "{answer:#?}");

    let documents = Documents::of(&place.home);
    let (_, opened) = OpenTable::open(&documents, &place.home, answer, reading).unwrap();
    assert_eq!(opened.found.rows, 2);
    let asked = place.read.lock().unwrap().len();
    let resumed = place.runs().await.resume(&ran.id, ResumeOptions::default()).await.unwrap();
    let again = resumed.handle.done.await.unwrap();
    assert_eq!((&again.answer, &again.reading), (&answer.answer, &answer.reading));
    assert_eq!(place.read.lock().unwrap().len(), asked);
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_is_none_is_unpaid_and_another_provider_is_asked() {
    let place = Place::with(&[r#"{"select":["town"]}"#, OF_HOME], Dialect::Json).await;
    let (mut was_rejected, mut spent) = (false, BTreeSet::new());
    // Each of the two may be asked first: within a few runs both were.
    for _ in 0..8 {
        let ran = place.ask().await;
        let answer = ran.answer.as_ref().unwrap();
        assert!(answer.answer.starts_with("Tarn: 1000 ("), "{}", answer.answer);
        spent.insert(answer.budget.spent_sats);
        was_rejected |= ran.events.iter().any(|event| {
            matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. } if summary.contains("no column is called town"))
        });
    }
    assert!(was_rejected && spent.len() == 1, "one query is paid: {spent:?}");
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_writes_a_query_the_parts_are_asked() {
    let place = Place::with(&["I would look at the table."; 3], Dialect::Json).await;
    let ran = place.ask().await;
    assert!(ran.says("no provider wrote a query that code can run"), "{:?}", ran.events);
    assert_eq!(place.queries.load(Ordering::SeqCst), 2);
    assert!(!place.read.lock().unwrap().is_empty());
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_table_does_not_tell_the_parts_are_asked() {
    let place = Place::with(&[r#"{"refuse":"no column names a team"}"#], Dialect::Json).await;
    let ran = place.ask().await;
    assert!(
        ran.says("a planner finds that the table does not tell (no column names a team)"),
        "{:?}",
        ran.events
    );
    assert!(!place.read.lock().unwrap().is_empty());
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_that_only_copy_fields_are_asked_no_query() {
    let place = Place::with(&[OF_HOME; 2], Dialect::Records).await;
    let ran = place.ask().await;
    assert!(ran.says("no provider wrote a query that code can run"), "{:?}", ran.events);
    assert_eq!(place.queries.load(Ordering::SeqCst), 0);
    assert!(!place.read.lock().unwrap().is_empty());
    place.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_query_may_stop() {
    let place = Place::with(&[], Dialect::Json).await;
    let runs = place.runs().await;
    let spec = RunSpec { discovery: Some(60), ..place.spec.clone() };
    let run = runs.start(&spec).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    run.control.cancel();
    assert_eq!(run.done.await.unwrap_err().code, code::INTERRUPTED);
    place.end().await;
}
