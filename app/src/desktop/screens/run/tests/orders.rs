//! What the user can have a run do.

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::trace::TraceEvent;
use frlm_scheduler::{AttemptId, SubtaskId};

use super::super::messages::{Action, Event};
use super::super::samples::{Recipe, shown};
use super::super::state::{Run, Stage};
use super::{on_screen, then};
use crate::desktop::command::Command;
use crate::desktop::testing::{click, window};
use crate::desktop::widgets::Unit;

#[test]
fn a_live_run_can_be_paused_once() {
    let mut window = window(on_screen(shown(Recipe::busy(41), true)), Theme::Light);
    click(&mut window, "Pause");
    assert_eq!(window.state().state().run.stage, Stage::Pausing);
    assert!(!Command::Run(Action::Pause).is_available(window.state().state()));
}

#[test]
fn a_run_that_ran_out_of_sats_offers_a_higher_budget() {
    let mut window = window(on_screen(shown(Recipe::over_budget(41), false)), Theme::Light);
    let again = window.query_by_label("Ask the open parts again");
    assert!(again.is_none(), "with that budget it would stop again");
    click(&mut window, "Raise the budget and resume (to 250 sats)");
    assert_eq!(window.state().state().run.stage, Stage::Resuming);
}

#[test]
fn a_running_runs_budget_can_be_raised_and_invalid_budgets_are_refused() {
    let mut window = window(on_screen(shown(Recipe::busy(41), true)), Theme::Light);
    click(&mut window, "Raise the budget");
    for (typed, why) in [
        ("900", "it is 1,000 sats now and can only rise"),
        ("much", "the budget is a whole number of sats"),
        ("9999999999999999", "that is more sats than exist"),
    ] {
        window.state_mut().state_mut().run.perform(&Action::TypeBudget(typed.to_owned()));
        window.run_ok();
        window.get_by_label(why);
        click(&mut window, "Raise");
        assert_eq!(window.state().state().run.raising, None, "{typed}");
    }
    click(&mut window, "× 5");
    click(&mut window, "Raise to 5,000 sats");
    let run = &window.state().state().run;
    assert_eq!(
        (run.raising, run.budget_typed.as_deref(), run.view.budget.limit_sats),
        (Some(5_000), None, 1_000)
    );
    assert!(!Command::Run(Action::RaiseBudget(9_000)).is_available(window.state().state()), "one at a time");
    let record = then(Recipe::busy(41), TraceEvent::BudgetRaised { limit_sats: 5_000 }).pop().unwrap();
    let run = &mut window.state_mut().state_mut().run;
    run.fold(&record);
    assert_eq!((run.raising, run.view.budget.limit_sats), (None, 5_000));
    // Before it was raised, it was lower.
    let moment = record.at_ms - 1;
    run.perform(&Action::Scrub(Some(moment)));
    assert_eq!(run.view.budget.at(run.moment()), 1_000);
}

#[test]
fn keys_pressed_in_a_dialogue_do_nothing_to_the_run_behind_it() {
    let mut run = shown(Recipe::busy(41), true);
    run.perform(&Action::Scrub(Some(20)));
    run.perform(&Action::AskBudget(true));
    let mut window = window(on_screen(run), Theme::Light);
    window.key_press(egui::Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Live, "it is not paused");
    window.key_press(egui::Key::Escape);
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.budget_typed.as_deref(), run.cursor), (None, Some(20)), "only the dialogue is closed");
    window.key_press(egui::Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Pausing);
}

#[test]
fn a_paused_run_resumes_with_the_budget_that_is_typed() {
    let mut window = window(on_screen(shown(Recipe::busy(41), false)), Theme::Dark);
    click(&mut window, "Raise the budget");
    click(&mut window, "Resume with 2,000 sats");
    let run = &window.state().state().run;
    assert_eq!((run.stage, run.budget_typed.as_deref()), (Stage::Resuming, None));
}

#[test]
fn a_run_left_to_a_person_offers_the_verified_parts_and_a_retry() {
    for button in ["Answer from the verified parts", "Ask the open parts again"] {
        let mut window = window(on_screen(shown(Recipe::left_to_a_person(41), false)), Theme::Light);
        window.get_by_label("The run needs your decision");
        assert!(window.query_by_label_contains("frlm runs resume").is_none(), "no word of the command line");
        window.get_by_label_contains(
            "The contradicted rate (audits that contradict what was accepted) is 0.25",
        );
        assert_eq!(window.get_all_by_label(button).count(), 1, "it is offered in one place");
        click(&mut window, button);
        assert_eq!(window.state().state().run.stage, Stage::Resuming, "{button}");
    }
    let mut none = shown(Recipe::left_to_a_person(3), false);
    assert!(none.awaits_person().is_some() && !none.can_be_accepted(), "nothing is verified");
    none.stage = Stage::Live;
    assert!(none.awaits_person().is_none());
}

#[test]
fn a_refusal_that_comes_late_is_not_taken_for_that_of_another_run() {
    let mut run = shown(Recipe::busy(41), true);
    let refused = |id: &str| Event::NotResumed { id: id.to_owned(), why: "the mint is away".to_owned() };
    run.apply(refused("another"));
    assert_eq!((run.stage, run.refused.as_deref()), (Stage::Live, None));
    let id = run.id.clone();
    run.apply(refused(&id));
    assert_eq!((run.stage, run.refused.as_deref()), (Stage::Recorded, Some("the mint is away")));
}

#[test]
fn a_run_that_is_about_to_go_on_says_so_and_not_what_stopped_it() {
    let mut window = window(on_screen(shown(Recipe::over_budget(41), false)), Theme::Light);
    window.get_by_label("The budget is too low");
    window.get_by_label("failed");
    click(&mut window, "Raise the budget and resume (to 250 sats)");
    window.get_by_label("resuming");
    window.get_by_label("Resuming");
    assert!(window.query_by_label("The budget is too low").is_none());
}

#[test]
fn what_is_not_read_yet_is_not_said_to_be_nothing() {
    let mut run = Run::default();
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    let said = |run: &Run| {
        let drawn = window(on_screen(run.clone()), Theme::Light);
        ["0 of 0 sats", "0 of 0 parts verified"].map(|words| drawn.query_by_label(words).is_some())
    };
    assert_eq!(said(&run), [false, false]);
    run.stage = Stage::Recorded;
    assert_eq!(said(&run), [true, true]);
}

#[test]
fn where_there_are_no_lanes_it_is_said_why() {
    let mut run = Run::default();
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    let why = |run: &Run| {
        let drawn = window(on_screen(run.clone()), Theme::Light);
        ["Reading the record…", "The plan is being made.", "It stopped before there was a plan."]
            .map(|words| drawn.query_by_label(words).is_some())
    };
    assert_eq!(why(&run), [true, false, false]);
    run.stage = Stage::Live;
    assert_eq!(why(&run), [false, true, false]);
    run.stage = Stage::Recorded;
    assert_eq!(why(&run), [false, false, true]);
}

#[test]
fn a_run_that_paid_for_unjudged_answers_does_not_claim_it_paid_nothing() {
    let said = |spent_sats: u64| {
        let begun = Recipe::done(41).into_iter().take(1).collect();
        let (subtask, attempt) = (SubtaskId(0), AttemptId(0));
        let settled =
            TraceEvent::BudgetSettle { subtask, attempt, spent_sats, refunded_sats: 4 - spent_sats };
        let failed = TraceEvent::RunFailed { error: "no verdict".to_owned(), exit_code: 5 };
        let run = shown(then(then(begun, settled), failed), false);
        let drawn = window(on_screen(run), Theme::Light);
        ["so nothing was paid", "Payments are listed with the attempts"]
            .map(|words| drawn.query_all_by_label_contains(words).next().is_some())
    };
    assert_eq!(said(0), [true, false]);
    assert_eq!(said(3), [false, true]);
}
