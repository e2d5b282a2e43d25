//! Orders to a run that is under way, over a real relay.

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::stage::RunStage;
use frlm_scheduler::{FailureReason, SubtaskId};

use crate::common::{Asker, copy, engine, orders, provider, relay};
use async_trait::async_trait;
use frlm_client::view::{RunView, SubtaskState};
use frlm_conductor::policy::Quorum;
use frlm_conductor::run::control::RunCommand;
use frlm_conductor::trace::TraceEvent;
use frlm_inference::{Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use frlm_provider::{Provider, ProviderConfig, ProviderHandle};
use frlm_verifier::VerificationPolicy;
use frlm_wallet::{Key, Ledger, Sats};
use nostr::{Keys, RelayUrl};
use tokio::sync::Semaphore;

/// Slow enough that the last fragment's turn has not come when the first is verified.
const SLOW: Duration = Duration::from_millis(40);
/// The last of 30 fragments.
const LAST: SubtaskId = SubtaskId(29);

fn is_verified(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::Verified { .. })
}

fn was_cancelled(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::GaveUp { subtask: LAST, why: FailureReason::Cancelled })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_part_is_asked_of_nobody_and_the_answer_says_it_is_missing() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let mut asker = Asker::default();
    asker.policy.quorum = Quorum::Fraction(0.8);
    let mut going = asker.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    assert!(going.control.give(RunCommand::Cancel(LAST)));
    let outcome = going.end().await;
    assert_eq!(outcome.count(was_cancelled), 1);
    let jobs = |event: &TraceEvent| matches!(event, TraceEvent::SubQuerySubmit { subtask: LAST, .. });
    assert_eq!(outcome.count(jobs), 0);
    let answer = outcome.result.unwrap();
    assert!(answer.coverage < 1.0 && answer.answer.to_lowercase().contains("at least"), "{}", answer.answer);
    assert!(
        answer.decisions.iter().any(|decision| decision.stage == RunStage::Control),
        "{:?}",
        answer.decisions
    );
    let budget = answer.budget;
    assert_eq!(budget.reserved_sats + budget.pending_refund_sats, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_was_called_off_can_be_asked_again_in_the_same_run() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let mut going = Asker::default().start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    assert!(going.control.give(RunCommand::Cancel(LAST)));
    going.until(was_cancelled).await;
    assert!(going.control.give(RunCommand::AskAgain(LAST)));
    let outcome = going.end().await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    let view = RunView::of(&outcome.trace);
    let lane = &view.subtasks[LAST.0 as usize];
    assert_eq!((lane.state, lane.given_up.len(), view.progress.gave_up), (SubtaskState::Verified, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_to_a_run_that_is_over_are_turned_down() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::ZERO)).await;
    let going = Asker::default().start(&relay.url(), orders(8, 4), home.path()).await;
    let control = going.control.clone();
    going.end().await.result.unwrap();
    assert!(!control.give(RunCommand::AskAgain(SubtaskId(0))));
}

/// Answers as another model does, each time somebody opens its gate.
#[derive(Debug)]
struct Gated {
    model: Arc<dyn LanguageModel>,
    gate: Arc<Semaphore>,
}

#[async_trait]
impl LanguageModel for Gated {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let passed = self.gate.acquire().await.map_err(|error| ModelError::Failed(error.to_string()))?;
        passed.forget();
        self.model.stream(request).await
    }
}

/// A provider that asks a sat for a job and works when its gate is opened.
async fn gated_provider(name: &str, url: &RelayUrl, gate: &Arc<Semaphore>) -> ProviderHandle {
    let config =
        ProviderConfig { name: name.to_owned(), price_msats_per_1k: 10, ..ProviderConfig::default() };
    let model = Arc::new(Gated { model: engine(copy, Duration::ZERO), gate: Arc::clone(gate) });
    Provider::start(config, Keys::generate(), std::slice::from_ref(url), model).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_higher_cap_what_was_given_up_for_want_of_sats_is_asked_again() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let gate = Arc::new(Semaphore::new(0));
    let _a = gated_provider("a", &relay.url(), &gate).await;
    let keys = Keys::generate();
    let run = keys.public_key().to_hex();
    let mut asker = Asker { keys, ..Asker::default() };
    asker.policy.verification = VerificationPolicy::None;
    asker.policy.budget = Sats(40);
    // A fragment is a record, and a job a prompt: one permit is one answer.
    let mut going = asker.start(&relay.url(), orders(30, 1), home.path()).await;
    let is_out = |event: &TraceEvent| matches!(event, TraceEvent::SubQuerySubmit { .. });
    going.until(is_out).await;
    going.until(is_out).await;
    // Something else takes what is left of the cap, as fees or disputes do.
    let ledger = Ledger::open(home.path().join("ledger.db")).await.unwrap();
    let mut taken = None;
    for attempt in 0.. {
        let left = ledger.budget(run.as_str()).await.unwrap().available;
        taken = ledger.reserve(Key::new(run.as_str(), 900, attempt), left).await.ok();
        if taken.is_some() {
            break;
        }
    }
    gate.add_permits(1);
    going.until(|event| matches!(event, TraceEvent::GaveUp { why: FailureReason::OverBudget, .. })).await;
    assert!(going.control.give(RunCommand::RaiseBudget(Sats(500))));
    going.until(|event| matches!(event, TraceEvent::BudgetRaised { limit_sats: 500 })).await;
    gate.add_permits(10_000);
    let outcome = going.end().await;
    drop(taken);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("6 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    assert_eq!(answer.budget.limit_sats, 500);
    let view = RunView::of(&outcome.trace);
    assert_eq!((view.budget.limit_sats, view.progress.gave_up), (500, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cap_that_would_be_lower_stays_as_it_is_and_the_run_says_so() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let mut going = Asker::default().start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    assert!(going.control.give(RunCommand::RaiseBudget(Sats(1))));
    assert!(going.control.give(RunCommand::RaiseBudget(Sats(u64::MAX))));
    let outcome = going.end().await;
    assert_eq!(outcome.count(|event| matches!(event, TraceEvent::BudgetRaised { .. })), 0);
    let answer = outcome.result.unwrap();
    let kept = answer.decisions.iter().filter(|decision| decision.stage == RunStage::Control);
    assert_eq!(kept.filter(|decision| decision.reasoning.starts_with("the budget stays")).count(), 2);
}
