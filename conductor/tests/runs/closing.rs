//! What a question asks of two answers that it asked for: nobody is asked it, and code tells it once both are verified.

use std::time::Duration;

use crate::common::{Asker, copy, engine, lie, orders, provider, relay};
use frlm_client::view::RunView;

const QUICK: Duration = Duration::from_millis(1);
/// Of orders 1 to 110 every fifth failed, and user5 has most of those: 4 of its 16.
const QUESTION: &str = "Which user has the most failed orders, how many orders of that user are failed, how many orders of that user are shipped, which of the two is larger, and what is the sum of the two?";

#[tokio::test(flavor = "multi_thread")]
async fn code_compares_and_adds_two_verified_figures_without_asking_anybody() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let _a = provider("a", &relay.url(), engine(copy, QUICK)).await;
    let _b = provider("b", &relay.url(), engine(copy, QUICK)).await;
    // Its lies would make another figure of each.
    let _liar = provider("liar", &relay.url(), engine(lie, QUICK)).await;
    let outcome =
        Asker { question: QUESTION, ..Asker::default() }.ask(&relay.url(), orders(110, 8), home.path()).await;
    let answer = outcome.result.as_ref().unwrap();
    let lines: Vec<&str> = answer.answer.lines().collect();
    assert_eq!(lines.len(), 5, "{}", answer.answer);
    assert!(lines[1].contains("[user5] 4 records match"), "{lines:?}");
    assert!(lines[2].contains("[user5] 12 records match"), "{lines:?}");
    assert_eq!(lines[3], "Which of the two is larger? Part 3 is larger, by 8.");
    assert_eq!(lines[4], "What is the sum of the two? 16.");
    assert!((answer.coverage - 1.0).abs() < 1e-9);
    // 14 fragments, each asked three times.
    assert_eq!(RunView::of(&outcome.trace).subtasks.len(), 3 * 14);
    let said = |words: &str| answer.decisions.iter().any(|decision| decision.reasoning.contains(words));
    assert!(said("what is asked of parts 2 and 3 together code tells"), "{:?}", answer.decisions);
}
