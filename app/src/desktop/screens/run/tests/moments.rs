//! Earlier moments, and replays.

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::trace::TraceEvent;
use frlm_scheduler::{AttemptId, SubtaskId};

use super::super::events;
use super::super::messages::{Action, Event};
use super::super::samples::{Recipe, shown};
use super::super::state::{Filter, Run};
use super::{on_screen, then};
use crate::desktop::testing::{click, window};
use crate::desktop::widgets::Unit;

#[test]
fn the_cursor_shows_an_earlier_moment_and_escape_comes_back() {
    let mut run = shown(Recipe::done(41), false);
    run.perform(&Action::Scrub(Some(run.view.at_ms / 2)));
    let half = run.view.progress.verified_at(run.moment());
    assert!(half > 5 && half < 40, "{half}");
    run.perform(&Action::Show(Filter::Open));
    assert!(run.shown_lanes().unwrap().len() > 5);
    let mut window = window(on_screen(run), Theme::Light);
    window.key_press(egui::Key::Escape);
    window.run_ok();
    assert_eq!(window.state().state().run.cursor, None);
}

#[test]
fn a_recorded_run_plays_pauses_and_speeds_up_and_is_labelled() {
    let mut window = window(on_screen(shown(Recipe::done(400), false)), Theme::Light);
    window.get_by_label("answered");
    window.get_by_label("Replay").click();
    window.step();
    window.step();
    let shown = window.state().state().run.cursor.expect("it is played");
    window.step();
    assert!(window.state().state().run.cursor > Some(shown), "time passes");
    window.get_by_label("replay");
    assert!(window.query_by_label("answered").is_none(), "not yet, at this moment");
    click(&mut window, "Pause replay");
    let held = window.state().state().run.cursor;
    window.get_by_label("replay, paused");
    click(&mut window, "Speed 1×");
    window.get_by_label("Speed 4×");
    assert!(held.is_some());
    assert_eq!(window.state().state().run.cursor, held);
    click(&mut window, "Back to now");
    window.get_by_label("answered");
    assert_eq!(window.state().state().run.replay, None);
}

#[test]
fn at_an_earlier_moment_nothing_is_said_of_what_came_after_it() {
    let mut run = shown(Recipe::left_to_a_person(41), false);
    assert_eq!(run.gave_up(), 3);
    // The last answer of the fifth lane had not come, and nothing was compared.
    let lane = run.view.subtasks[4].clone();
    let last = lane.attempts.iter().filter_map(|attempt| attempt.ended_ms).max().unwrap();
    run.perform(&Action::Lane(4));
    run.perform(&Action::Scrub(Some(last - 1)));
    assert_eq!(run.gave_up(), 0);
    let stood: Vec<_> = lane.attempts.iter().filter_map(|attempt| run.as_it_stood(attempt)).collect();
    assert!(stood.iter().any(|attempt| attempt.ending.is_none() && attempt.summary.is_empty()));
    let mut disputed = run.clone();
    disputed.perform(&Action::Show(Filter::Disputed));
    assert!(!disputed.shown_lanes().unwrap().contains(&4), "nobody knew yet that it would be");
    disputed.perform(&Action::Scrub(None));
    assert!(disputed.shown_lanes().unwrap().contains(&4));
    let drawn = window(on_screen(run.clone()), Theme::Light);
    assert!(drawn.query_by_label("disputed").is_none());
    assert!(drawn.query_all_by_label_contains("· 3 unanswered").next().is_none());
    run.perform(&Action::Scrub(None));
    let stood = lane.attempts.iter().filter_map(|attempt| run.as_it_stood(attempt)).count();
    assert_eq!(stood, lane.attempts.len());
    let drawn = window(on_screen(run), Theme::Light);
    drawn.get_by_label("disputed");
    assert!(drawn.query_all_by_label_contains("· 3 unanswered").next().is_some());
}

#[test]
fn a_run_that_is_opened_for_it_is_played_once_it_is_read() {
    let mut run = Run::default();
    run.perform(&Action::Replay("5e1f".to_owned()));
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    run.apply(Event::Records { id: "5e1f".to_owned(), records: Recipe::done(3) });
    assert!(!run.is_playing());
    run.apply(Event::Loaded { id: "5e1f".to_owned(), damage: None });
    assert!(run.is_playing());
    run.perform(&Action::Open("5e1f".to_owned()));
    run.apply(Event::Opened { id: "5e1f".to_owned(), live: false, unit: Unit::Sats });
    run.apply(Event::Loaded { id: "5e1f".to_owned(), damage: None });
    assert!(!run.is_playing());
}

#[test]
fn what_is_owed_stands_apart_from_what_is_paid() {
    let busy = shown(Recipe::busy(41), true);
    let spent = busy.view.money.now().spent;
    let drawn = window(on_screen(busy), Theme::Light);
    assert!(drawn.query_by_label("owed 0").is_none(), "nothing is owed");
    let owed = TraceEvent::Owed { subtask: SubtaskId(24), attempt: AttemptId(0), sats: 4 };
    let drawn = window(on_screen(shown(then(Recipe::busy(41), owed), true)), Theme::Light);
    drawn.get_by_label(&format!("paid {spent}"));
    drawn.get_by_label("owed 4");
    drawn.get_by_label(&format!("{} of 1,000 sats", spent + 4));
}

#[test]
fn the_look_at_the_whole_answer_is_a_tier_of_its_own_from_its_moment_on() {
    let mut run = shown(Recipe::done(41), false);
    let whole = "final check passed";
    assert!(window(on_screen(run.clone()), Theme::Light).query_by_label(whole).is_some());
    let last = run.events.iter().rev().find(|event| events::of(event.kind).0 == "Final check");
    let at_ms = last.unwrap().at_ms;
    run.perform(&Action::Scrub(Some(at_ms - 1)));
    assert!(window(on_screen(run), Theme::Light).query_by_label(whole).is_none(), "it comes last");
    let findings = vec!["note 2 is not used".to_owned()];
    let doubted = TraceEvent::FinalCheck { passed: false, parts: 3, claims: 9, findings };
    let drawn = window(on_screen(shown(then(Recipe::busy(41), doubted), true)), Theme::Light);
    drawn.get_by_label("final check failed");
}
