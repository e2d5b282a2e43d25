//! Lanes, the strip and the timeline, by pointer and keys.

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::trace::TraceEvent;
use frlm_scheduler::{AttemptId, SubtaskId};

use super::super::messages::{Action, Event};
use super::super::samples::{Recipe, shown};
use super::super::state::{Grouping, Side};
use super::{on_screen, then};
use crate::desktop::testing::{click, window};
use crate::desktop::widgets::Unit;

#[test]
fn choosing_a_lane_shows_who_was_asked() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    click(&mut window, "lines 65–80 of orders.log: verified, 3 attempts");
    assert_eq!(window.state().state().run.side, Side::Lane);
    window.get_by_label("disagreed");
}

#[test]
fn another_run_is_looked_at_in_the_same_way_but_without_a_lane() {
    let mut run = shown(Recipe::done(3), false);
    run.perform(&Action::Group(Grouping::Provider));
    run.perform(&Action::Lane(1));
    run.apply(Event::Opened { id: "other".to_owned(), live: false, unit: Unit::Sats });
    assert_eq!((run.grouping, run.side, run.lane), (Grouping::Provider, Side::Decisions, None));
    run.perform(&Action::Beside(Side::Events));
    run.apply(Event::Opened { id: "third".to_owned(), live: false, unit: Unit::Sats });
    assert_eq!(run.side, Side::Events);
}

#[test]
fn keys_lead_from_the_first_lane_to_the_last_and_enter_chooses_it() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    let first = "lines 1–16 of orders.log: verified, 2 attempts";
    window.get_by_label(first).focus();
    window.run_ok();
    window.key_press(egui::Key::End);
    window.run_ok();
    assert!(window.query_by_label(first).is_none(), "only lanes in sight are drawn");
    window.key_press(egui::Key::Enter);
    window.run_ok();
    assert_eq!(window.state().state().run.lane, Some(40));
}

#[test]
fn a_part_shows_its_providers_job_even_after_the_next_sats_are_reserved() {
    let mut records = Recipe::busy(3);
    let (subtask, provider) = (SubtaskId(3), "f00d".to_owned());
    for attempt in [0, 1] {
        let attempt = AttemptId(attempt);
        records = then(records, TraceEvent::BudgetReserve { subtask, attempt, sats: 2 });
    }
    let submit = TraceEvent::SubQuerySubmit {
        subtask,
        attempt: AttemptId(0),
        provider: provider.clone(),
        hedge: false,
    };
    let run = shown(then(records, submit), true);
    let position = run.view.providers.iter().position(|each| each.key == provider).unwrap();
    assert_eq!(run.by_provider[position], [(3, 0)]);
}

#[test]
fn arrows_lead_through_the_strip_and_enter_chooses_a_lane() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Documents: 41 of 41 parts verified").focus();
    window.run_ok();
    for _ in 0..3 {
        window.key_press(egui::Key::ArrowRight);
        window.run_ok();
    }
    window.get_by_label("Documents: 41 of 41 parts verified, at lines 49–64 of orders.log: verified");
    window.key_press(egui::Key::ArrowLeft);
    window.run_ok();
    window.key_press(egui::Key::Enter);
    window.run_ok();
    assert_eq!(window.state().state().run.lane, Some(2));
}

#[test]
fn hovering_one_part_and_focusing_another_lets_the_window_come_to_rest() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Documents: 41 of 41 parts verified").focus();
    window.run_ok();
    window.get_by_label_contains("Documents: 41 of 41 parts verified").hover();
    for _ in 0..4 {
        // Its words appear beside the pointer.
        window.run_ok();
    }
    assert!(window.run_ok().is_some(), "nothing changes any more, and yet it is drawn again and again");
}

#[test]
fn arrows_move_the_timeline_and_leave_the_focus_where_it_is() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    window.get_by_label("Timeline").focus();
    window.run_ok();
    for _ in 0..3 {
        window.key_press(egui::Key::ArrowLeft);
        window.run_ok();
    }
    let run = &window.state().state().run;
    let step = run.view.at_ms / 100;
    assert_eq!(run.cursor, Some(run.view.at_ms - 3 * step));
    assert!(window.get_by_label("Timeline").is_focused());
}

#[test]
fn choosing_a_provider_shows_what_it_was_asked_for_and_leads_to_the_parts() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Group(Grouping::Provider));
    run.perform(&Action::Lane(3));
    let name = run.view.providers.name_of(&run.view.providers[1]);
    let (subtask, _) = *run.by_provider[1].last().unwrap();
    let label = run.view.subtasks[subtask as usize].label.clone();
    let mut window = window(on_screen(run), Theme::Light);
    let row = format!("{name}: ");
    window.get_by_label_contains(&row).click();
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.side, run.provider, run.lane), (Side::Lane, Some(1), None));
    window.get_by_label("Copy the provider's key");
    let part = label.split(" of ").next().unwrap();
    window.get_all_by_label(part).next().unwrap().click_accesskit();
    window.run_ok();
    let run = &window.state().state().run;
    assert_eq!((run.provider, run.lane), (None, Some(subtask)));
}

#[test]
fn a_part_chosen_elsewhere_scrolls_into_view_and_the_next_moves_nothing() {
    let mut window = window(on_screen(shown(Recipe::done(41), false)), Theme::Light);
    let first = "lines 1–16 of orders.log: verified, 2 attempts";
    let far = "lines 481–496 of orders.log: verified, 2 attempts";
    assert!(window.query_by_label(first).is_some() && window.query_by_label(far).is_none());
    window.state_mut().state_mut().run.perform(&Action::Lane(30));
    window.run_ok();
    assert!(window.query_by_label(first).is_none());
    let top = window.get_by_label(far).rect().top();
    window.state_mut().state_mut().run.perform(&Action::Lane(31));
    window.run_ok();
    assert!((window.get_by_label(far).rect().top() - top).abs() < 0.5);
}

#[test]
fn an_event_about_a_part_names_it_as_its_lane_does() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Beside(Side::Events));
    let drawn = window(on_screen(run), Theme::Light);
    assert!(drawn.query_all_by_label_contains("Sats reserved lines 1–16").next().is_some());
}

#[test]
fn a_providers_name_that_is_cut_is_whole_under_the_pointer() {
    let long = "a provider whose name is longer than the lane has room for";
    let seen = TraceEvent::ProviderSeen {
        provider: "5e".repeat(32),
        name: long.to_owned(),
        model: "frlm-records".to_owned(),
        price_msats_per_1k: 0,
    };
    let mut run = shown(then(Recipe::busy(3), seen), true);
    run.perform(&Action::Group(Grouping::Provider));
    let mut window = window(on_screen(run), Theme::Light);
    assert!(window.query_by_label(long).is_none());
    let row = format!("{long}: ");
    window.get_by_label_contains(&row).hover();
    for _ in 0..4 {
        // Its words appear beside the pointer.
        window.run_ok();
    }
    window.get_by_label(long);
}
