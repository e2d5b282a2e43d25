//! Orders to a run that is under way, over a real relay.

use std::time::Duration;

use crate::common::{Asker, copy, engine, orders, provider, relay};
use frlm_conductor::policy::Quorum;
use frlm_conductor::run::control::Order;
use frlm_conductor::scheduler::{GaveUp, SubtaskId};
use frlm_conductor::trace::TraceEvent;
use frlm_conductor::trace::view::{RunView, SubtaskState};

/// Slow enough that the last fragment's turn has not come when the first is verified.
const SLOW: Duration = Duration::from_millis(40);
/// The last of 30 fragments.
const LAST: SubtaskId = SubtaskId(29);

fn is_verified(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::Verified { .. })
}

fn was_called_off(event: &TraceEvent) -> bool {
    matches!(event, TraceEvent::GaveUp { subtask: LAST, why: GaveUp::CalledOff })
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_for_a_part_that_was_called_off_and_the_answer_says_that_it_is_missing() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, SLOW)).await;
    let _b = provider("b", &relay.url(), engine(copy, SLOW)).await;
    let mut asker = Asker::default();
    asker.policy.quorum.quorum = Quorum::Fraction(0.8);
    asker.policy.quorum.allow_partial = true;
    let mut going = asker.start(&relay.url(), orders(120, 4), home.path()).await;
    going.until(is_verified).await;
    assert!(going.control.give(Order::CallOff(LAST)));
    let outcome = going.end().await;
    assert_eq!(outcome.count(was_called_off), 1);
    let jobs = |event: &TraceEvent| matches!(event, TraceEvent::SubQuerySubmit { subtask: LAST, .. });
    assert_eq!(outcome.count(jobs), 0);
    let answer = outcome.result.unwrap();
    assert!(answer.coverage < 1.0 && answer.answer.to_lowercase().contains("at least"), "{}", answer.answer);
    assert!(answer.decisions.iter().any(|decision| decision.stage == "control"), "{:?}", answer.decisions);
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
    assert!(going.control.give(Order::CallOff(LAST)));
    going.until(was_called_off).await;
    assert!(going.control.give(Order::AskAgain(LAST)));
    let outcome = going.end().await;
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("24 "), "{}", answer.answer);
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    let view = RunView::of(&outcome.trace);
    let lane = &view.subtasks[LAST.0 as usize];
    assert_eq!((lane.state, lane.given_up.len(), view.gave_up), (SubtaskState::Verified, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_to_a_run_that_is_over_are_turned_down() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, Duration::ZERO)).await;
    let _b = provider("b", &relay.url(), engine(copy, Duration::ZERO)).await;
    let going = Asker::default().start(&relay.url(), orders(8, 4), home.path()).await;
    let control = going.control.clone();
    going.end().await.result.unwrap();
    assert!(!control.give(Order::AskAgain(SubtaskId(0))));
}
