//! Questions in words that take several steps, over a real relay: a planner takes them apart, what one step finds is put into
//! the next, and the answer cites each. Where nobody has a plan that counts they are asked as they are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::answer::Answer;
use frlm_questions::ingest::{self, Document, DocumentId, Fragment, SplitOptions};
use frlm_questions::stage::RunStage;

use crate::common::{Asker, Outcome, relay};
use frlm_conductor::run::resume::Known;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, LanguageModel};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::Sats;
use nostr::{Keys, RelayUrl};
use serde_json::json;

const QUESTION: &str = "Who signed the contract that replaced the lease of 2019?";
const STEPS: [&str; 3] =
    ["Which lease was made in 2019?", "Which contract replaced the lease {1}?", "Who signed {2}?"];

/// A document, and what a reader has to be asked for to see that its line answers. Only the first names the year.
const DOCUMENTS: [(&str, &str, &[&str]); 3] = [
    ("lease.txt", "The lease of 3 May 2019 has the number L-17.", &["2019"]),
    ("amendment.txt", "The agreement of 1 June 2021 replaces the lease L-17.", &["L-17"]),
    ("minutes.txt", "Anna Weber signed the agreement of 1 June 2021.", &["signed"]),
];

/// What a provider says as planner.
#[derive(Clone, Copy)]
enum Plan {
    Of(&'static [&'static str]),
    Nonsense,
}

/// What it writes of the notes.
#[derive(Clone, Copy, PartialEq)]
enum Writes {
    All,
    /// The last note alone.
    Last,
}

fn fragments() -> Vec<Arc<Fragment>> {
    let documents: Vec<Document> = (0..)
        .zip(DOCUMENTS)
        .map(|(id, (name, line, _))| {
            let text = format!("Paper of the archive\n\n{line}\n\nThe paper has one page.\n");
            Document { id: DocumentId(id), ..Document::of_text(name, text) }
        })
        .collect();
    let options = SplitOptions { max_tokens: 4_000, max_records: 16 };
    ingest::split(&documents, options).into_iter().map(Arc::new).collect()
}

/// A model that reads, reviews and writes truly.
fn model(name: &str, plan: Plan, writes: Writes) -> Arc<dyn LanguageModel> {
    let answer = move |prompt: &str| {
        if prompt.starts_with("You prepare a question") {
            return match plan {
                Plan::Of(steps) => json!({ "questions": steps }).to_string(),
                Plan::Nonsense => "I would ask around.".to_owned(),
            };
        }
        if prompt.starts_with("You read one part") {
            let question = prompt.lines().rev().find(|line| line.starts_with("Question: ")).unwrap();
            let claims = prompt.lines().filter_map(|line| {
                let (number, text) = line.split_once("| ")?;
                let number: u32 = number.parse().ok()?;
                let (.., asked) = DOCUMENTS.iter().find(|(_, line, _)| *line == text)?;
                let is_asked = asked.iter().any(|word| question.contains(word));
                is_asked.then(|| json!({"lines": [[number, number]], "claim": text}))
            });
            return json!({ "claims": claims.collect::<Vec<_>>() }).to_string();
        }
        if prompt.starts_with("You check claims") {
            let claims = prompt.lines().filter(|line| line.starts_with("Claim "));
            let verdicts = claims.map(|claim| {
                let is_true =
                    DOCUMENTS.iter().any(|(_, line, _)| claim.trim_end_matches('"').ends_with(line));
                if is_true { "supported" } else { "contradicted" }
            });
            return json!({ "verdicts": verdicts.collect::<Vec<_>>() }).to_string();
        }
        assert!(prompt.contains("took notes for the question"), "{prompt}");
        assert!(prompt.contains(QUESTION), "the answer is written to the question as it was asked: {prompt}");
        let notes = prompt.lines().filter_map(|line| {
            let (number, note) = line.strip_prefix('[')?.split_once("] ")?;
            Some(format!("{} [{number}].", note.trim_end_matches('.')))
        });
        let notes: Vec<String> = notes.collect();
        let from = if writes == Writes::Last { notes.len() - 1 } else { 0 };
        notes[from..].join(" ")
    };
    let model = ScriptedModel::new(name, answer);
    Arc::new(model.with_latency(Duration::from_millis(1)).with_dialect(Dialect::Json))
}

async fn swarm(url: &RelayUrl, plan: Plan, writes: Writes) -> Vec<ProviderHandle> {
    let mut providers = Vec::new();
    for name in ["alpha", "beta", "gamma"] {
        let config =
            ProviderConfig { name: name.to_owned(), price_msats_per_1k: 1_000, ..ProviderConfig::default() };
        let model = model(name, plan, writes);
        providers
            .push(Provider::start(config, Keys::generate(), std::slice::from_ref(url), model).await.unwrap());
    }
    providers
}

fn asker() -> Asker {
    let mut asker =
        Asker { question: QUESTION, enough: 3, takes_steps: true, skips_compiling: true, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    asker.discovery = Duration::from_secs(1);
    asker
}

async fn ask(plan: Plan, writes: Writes, asker: Asker) -> Outcome {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _swarm = swarm(&relay.url(), plan, writes).await;
    asker.ask(&relay.url(), fragments(), home.path()).await
}

fn cited(answer: &Answer) -> BTreeSet<&str> {
    answer.citations.iter().map(|citation| citation.file.as_str()).collect()
}

/// How many parts were read, each once for each question.
fn readings(outcome: &Outcome) -> usize {
    let planned = |event: &TraceEvent| match event {
        TraceEvent::Plan { subtasks } => {
            subtasks.iter().filter(|subtask| subtask.key.starts_with("map:")).count()
        }
        _ => 0,
    };
    outcome.trace.iter().map(|record| planned(&record.event)).sum()
}

fn decided(answer: &Answer, words: &str) -> bool {
    answer
        .decisions
        .iter()
        .any(|decision| decision.stage == RunStage::Plan && decision.reasoning.contains(words))
}

/// What it came to was asked as it is: the contract between the two is nobody's to find.
fn is_as_before(outcome: &Outcome) {
    let answer = outcome.result.as_ref().unwrap();
    assert_eq!(readings(outcome), 3);
    assert_eq!(cited(answer), BTreeSet::from(["lease.txt", "minutes.txt"]));
    assert!(!answer.answer.contains("asked in steps"), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_step_is_asked_with_what_the_one_before_found_and_is_cited() {
    let outcome = ask(Plan::Of(&STEPS), Writes::All, asker()).await;
    let asked: Vec<String> = outcome
        .trace
        .iter()
        .filter_map(|record| match &record.event {
            TraceEvent::Weighed { text, part: Some(_), .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    let second = "Which contract replaced the lease {1}? For {1} this was found: The lease of 3 May 2019 has the number L-17.";
    assert_eq!((asked.len(), asked[1].as_str()), (3, second));
    assert!(asked[2].contains("The agreement of 1 June 2021 replaces the lease L-17."), "{asked:?}");
    assert_eq!(readings(&outcome), 9);
    let answer = outcome.result.unwrap();
    assert_eq!(cited(&answer), DOCUMENTS.map(|(name, ..)| name).into());
    assert!(
        answer.answer.contains("Anna Weber signed")
            && answer.answer.ends_with("{1}? [2]\n3. Who signed {2}? [3]"),
        "{}",
        answer.answer
    );
    assert!((answer.coverage - 1.0).abs() < 1e-9 && answer.confidence > 0.8, "{answer:#?}");
    assert!(decided(&answer, "the question takes 3 steps"), "{:?}", answer.decisions);
    let report = answer.verification.claims.unwrap();
    assert!(report.accepted >= 3 && report.not_reviewed == 0, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_leaves_a_step_out_is_followed_by_a_citation_of_it() {
    let answer = ask(Plan::Of(&STEPS), Writes::Last, asker()).await.result.unwrap();
    assert!(!answer.answer.starts_with("The lease of 3 May"), "{}", answer.answer);
    assert_eq!(cited(&answer), DOCUMENTS.map(|(name, ..)| name).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_asks_something_else_is_unpaid_and_the_question_goes_as_is() {
    let lie = ["Which lease was made in 2019?", "Which contract replaced the lease {1}?"];
    let lie: &'static [&'static str] = Box::leak(Box::new(lie));
    let outcome = ask(Plan::Of(lie), Writes::All, asker()).await;
    is_as_before(&outcome);
    let plan = |key: &str| key == "plan";
    let verified = outcome.count(|event| matches!(event, TraceEvent::Verified { key, .. } if plan(key)));
    let rejected = outcome.count(|event| {
        matches!(event, TraceEvent::SubQueryReturn { ok: false, summary, .. } if summary.contains("no question of the plan asks for"))
    });
    assert!(verified == 0 && rejected > 0, "{rejected}");
    assert!(decided(&outcome.result.unwrap(), "the question is asked as it is"));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_plans_the_question_is_asked_as_it_is() {
    let outcome = ask(Plan::Nonsense, Writes::All, asker()).await;
    is_as_before(&outcome);
    assert!(decided(&outcome.result.unwrap(), "no provider has a plan that counts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_may_say_that_the_question_is_asked_as_it_is() {
    let outcome = ask(Plan::Of(&[]), Writes::All, asker()).await;
    is_as_before(&outcome);
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::Verified { key, .. } if key == "plan")), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simple_question_costs_no_planner() {
    let asker = Asker { question: "Which lease was made in 2019?", ..asker() };
    let outcome = ask(Plan::Nonsense, Writes::All, asker).await;
    assert_eq!(
        outcome.count(|event| matches!(event, TraceEvent::Plan { subtasks } if subtasks[0].key == "plan")),
        0
    );
    assert_eq!(cited(&outcome.result.unwrap()), BTreeSet::from(["lease.txt"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_that_the_budget_does_not_pay_for_are_not_begun() {
    let quoted = |outcome: &Outcome| {
        outcome.trace.iter().find_map(|record| match record.event {
            TraceEvent::Quoted { expected_sats, .. } => Some(expected_sats),
            _ => None,
        })
    };
    let free = ask(Plan::Of(&STEPS), Writes::All, asker()).await;
    let once = quoted(&free).unwrap();
    let mut asker = asker();
    // Enough for a plan and each part once, as usual, and not for each part three times.
    asker.policy.budget = Sats(once * 2);
    let outcome = ask(Plan::Of(&STEPS), Writes::All, asker).await;
    is_as_before(&outcome);
    let answer = outcome.result.unwrap();
    assert!(
        answer.budget.spent_sats <= once * 2 && decided(&answer, "are left of the budget"),
        "{answer:#?}"
    );
    let all = free.result.unwrap().budget.spent_sats;
    assert!(all > answer.budget.spent_sats, "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_model_plans_where_there_is_one() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _swarm = swarm(&relay.url(), Plan::Nonsense, Writes::All).await;
    let asker = Asker { decider: Some(model("own", Plan::Of(&STEPS), Writes::All)), ..asker() };
    let outcome = asker.ask(&relay.url(), fragments(), home.path()).await;
    let apart =
        outcome.count(|event| matches!(event, TraceEvent::TakenApart { parts, .. } if parts.len() == 3));
    assert_eq!((apart, readings(&outcome)), (1, 9));
    assert_eq!(cited(&outcome.result.unwrap()), DOCUMENTS.map(|(name, ..)| name).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_goes_on_keeps_to_its_steps_and_asks_nothing_twice() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let swarm = swarm(&relay.url(), Plan::Of(&STEPS), Writes::All).await;
    let first = asker().ask(&relay.url(), fragments(), home.path()).await;
    let known = Known::from_trace(&first.trace);
    assert_eq!(known.taken_apart, Some(STEPS.map(str::to_owned).to_vec()));
    drop(swarm);
    let again = Asker { known, ..asker() };
    let (home, _swarm) =
        (tempfile::tempdir().unwrap(), self::swarm(&relay.url(), Plan::Nonsense, Writes::All).await);
    let outcome = again.ask(&relay.url(), fragments(), home.path()).await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::SubQuerySubmit { .. })), 0);
    assert_eq!(outcome.result.unwrap().answer, first.result.unwrap().answer);
}
