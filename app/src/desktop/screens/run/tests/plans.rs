//! The plan and its steps.

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::trace::TraceEvent;
use frlm_verifier::fitness::{ClusterFeedback, ClusterQuality, Performance};

use super::super::messages::Action;
use super::super::samples::{Recipe, shown, weighed};
use super::{of_three_parts, on_screen, then};
use crate::desktop::testing::window;

#[test]
fn the_plan_shows_a_steps_simplicity_its_hint_and_whether_it_was_right() {
    let mut run =
        shown(then(Recipe::done(41), weighed(0, 41, "How many orders have status failed", None)), false);
    // Every ninth lane from the fifth on is disputed, and the policy asked two at least.
    let record = run.view.plan.steps[0].hint_record(&run.view.subtasks);
    assert_eq!((record.given(), record.follow_rate(), record.accuracy()), (41, Some(0.0), Some(36.0 / 41.0)));
    let drawn = window(on_screen(run.clone()), Theme::Light);
    for words in ["1. How many orders have status failed", "41 of 41 verified", "Simplicity 0.80", "% sure"] {
        assert!(drawn.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    run.perform(&Action::Lane(4));
    let drawn = window(on_screen(run), Theme::Light);
    assert!(drawn.query_all_by_label_contains("one provider is enough").next().is_some());
}

#[test]
fn the_plan_says_why_it_is_asked_like_that_and_in_the_end_what_was_good() {
    let drawn = window(on_screen(shown(of_three_parts(), false)), Theme::Light);
    for words in [
        "asked in waves, the next when all of one are answered, in exact words; at most 4 at a time",
        "Drawn by a policy that has learned 3 times",
        "Score of this strategy: 0.",
        "good: correct answers",
    ] {
        assert!(drawn.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
}

#[test]
fn providers_of_one_kind_of_task_are_summed_up_once_the_run_has_ended() {
    let quality = ClusterQuality { consensus_quality: 0.98, average_node_quality: 0.71, consistency: 0.93 };
    let feedback = ClusterFeedback {
        overall_performance: Performance::Good,
        cluster_quality: quality,
        recommendations: vec!["Prefer faster providers: most answers were slow".to_owned()],
    };
    let told = TraceEvent::Clustered { kind: "extract".to_owned(), sets: 41, feedback: Box::new(feedback) };
    let planned = then(Recipe::done(41), weighed(0, 41, "How many orders have status failed", None));
    let drawn = window(on_screen(shown(then(planned, told), false)), Theme::Light);
    assert!(drawn.query_all_by_label_contains("together at extract: good").next().is_some());
}
