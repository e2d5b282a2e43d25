//! Recorded runs as the window opens them: the same as live, and as far as they can be read.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use frlm_client::view::RunView;
use frlm_conductor::store::Store;
use frlm_conductor::trace::TraceRecord;
use proptest::prelude::*;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::run::samples::Recipe;
use crate::desktop::screens::run::{Action, Event, Run, Stage};
use crate::desktop::screens::{Screen, ask};
use crate::desktop::widgets::Unit;

fn record_of(live: &Live, id: &str) -> Vec<TraceRecord> {
    Store::open(&live.home().store()).unwrap().trace(id).unwrap().records
}

/// What is on screen of a run, without what says whether it runs.
fn shown(records: &[TraceRecord], cuts: &[usize], id: &str) -> Run {
    let mut run = Run::default();
    run.apply(Event::Opened { id: id.to_owned(), live: false, unit: Unit::Sats });
    let mut rest = records;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (batch, after) = rest.split_at((*cut).min(rest.len()));
        run.apply(Event::Records { id: id.to_owned(), records: batch.to_vec() });
        rest = after;
    }
    run.apply(Event::Loaded { id: id.to_owned(), damage: None });
    run
}

#[test]
fn a_run_looks_the_same_live_opened_again_and_in_any_batches() {
    let swarm = Swarm::start(3, Duration::from_millis(5), 0);
    let mut live = Live::with_settings(&(swarm.settings() + "[ask]\nfragment_lines = 4\n"));
    live.fill_in(120);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until_answered();
    let as_it_ran = live.state().run.clone();
    let id = as_it_ran.id.clone();
    live.open_again();
    assert_eq!(live.state().run, as_it_ran);
    let records = record_of(&live, &id);
    assert!(records.len() > 100, "{}", records.len());
    proptest!(ProptestConfig::with_cases(32), |(cuts in prop::collection::vec(1..97_usize, 1..30))| {
        prop_assert_eq!(&shown(&records, &cuts, &id), &as_it_ran);
    });
}

#[test]
fn a_running_run_that_is_opened_again_is_followed_to_its_end() {
    let swarm = Swarm::start(3, Duration::from_millis(40), 0);
    let mut live = Live::with_settings(&(swarm.settings() + "[ask]\nfragment_lines = 4\n"));
    live.fill_in(240);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("something was answered", |state| {
        state
            .run
            .view
            .subtasks
            .iter()
            .flat_map(|lane| &lane.attempts)
            .any(|attempt| attempt.ended_ms.is_some())
    });
    let id = live.state().run.id.clone();
    live.perform(&Command::Run(Action::Scrub(Some(0))));
    live.until("a moment is shown", |state| state.run.cursor.is_some());
    live.perform(&Command::Run(Action::Open(id.clone())));
    live.until("it was opened again", |state| state.run.cursor.is_none());
    live.until_answered();
    let records = record_of(&live, &id);
    assert_eq!(live.state().run, shown(&records, &[97], &id));
}

/// Writes a run with its trace as it would lie on disk after damage.
fn damaged(live: &Live, damage: impl FnOnce(&mut Vec<TraceRecord>)) {
    let mut records = Recipe::done(41);
    damage(&mut records);
    live.record("5e1f0c9a7b3d2468", "q", records);
}

fn open(live: &mut Live) {
    live.perform(&Command::Go(Screen::Run));
    live.perform(&Command::Run(Action::Open("5e1f0c9a7b3d2468".to_owned())));
    live.until("it was read", |state| state.run.stage == Stage::Recorded && state.run.is_some());
}

#[test]
fn a_trace_with_a_hole_opens_up_to_the_hole_with_a_banner() {
    let mut live = Live::with_settings("");
    damaged(&live, |records| drop(records.remove(120)));
    open(&mut live);
    assert_eq!(live.state().run.view, RunView::of(&Recipe::done(41)[..120]));
    assert_eq!(live.state().run.damage.as_deref(), Some("event 120 is missing"));
    live.window().get_by_label("The record of this run is damaged");
    live.window().get_by_label_contains("no sats are lost");
}

#[test]
fn a_trace_that_ends_early_opens_as_a_run_that_can_go_on() {
    let mut live = Live::with_settings("");
    damaged(&live, |records| records.truncate(200));
    open(&mut live);
    assert_eq!(live.state().run.view, RunView::of(&Recipe::done(41)[..200]));
    assert!(live.state().run.can_go_on());
    live.window().get_by_label("Resume");
}

#[test]
fn a_trace_with_unreadable_bytes_opens_up_to_them_with_a_banner() {
    let mut live = Live::with_settings("");
    damaged(&live, |_| {});
    let connection = rusqlite::Connection::open(live.home().store()).unwrap();
    connection.execute("UPDATE trace SET body = substr(body, 1, 20) WHERE seq = 77", []).unwrap();
    drop(connection);
    open(&mut live);
    assert_eq!(live.state().run.view, RunView::of(&Recipe::done(41)[..77]));
    let damage = live.state().run.damage.clone().unwrap();
    assert!(damage.starts_with("event 77 is not readable"), "{damage}");
    live.window().get_by_label("The record of this run is damaged");
}
