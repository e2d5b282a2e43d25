//! The brain in runs: steps are weighed, hints are given, and what became of them is told.

use std::time::Duration;

use crate::common::{Asker, copy, engine, lie, orders, provider, relay};
use frlm_conductor::brain::hints::Suggested;
use frlm_conductor::trace::TraceEvent;
use frlm_conductor::trace::view::RunView;

const QUICK: Duration = Duration::from_millis(1);

#[tokio::test(flavor = "multi_thread")]
async fn every_subtask_has_a_score_and_a_hint_and_a_dispute_makes_the_hint_wrong() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let outcome = Asker::default().ask(&relay.url(), orders(100, 4), home.path()).await;
    let weighed = outcome.count(|event| matches!(event, TraceEvent::Weighed { .. }));
    let view = RunView::of(&outcome.trace);
    assert!(outcome.result.unwrap().answer.starts_with("20 "));
    assert_eq!(
        (weighed, view.steps.len(), view.subtasks.len()),
        (1, 1, 25),
        "a map over fragments is one step"
    );
    let step = &view.steps[0];
    assert!((0..25).all(|subtask| view.step_of(subtask) == Some(step)));
    assert!((step.weighed.simplicity.score - 0.80).abs() < 1e-9);
    assert_eq!(step.weighed.hint.suggested, Suggested::One);
    // Two had to agree everywhere: the policy outranks the hint. Where nobody lied, one would have been enough.
    let fate = view.fate_of(step);
    let undisputed = view.subtasks.iter().filter(|lane| !lane.dissent).count();
    assert!(undisputed < 25, "the liar was never asked");
    assert_eq!((fate.given(), fate.follow_rate()), (25, Some(0.0)));
    assert_eq!(fate.accuracy(), Some(undisputed as f64 / 25.0));
}
