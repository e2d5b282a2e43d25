//! Recorded runs are exported, compared and deleted by their buttons.

use egui_kittest::kittest::Queryable as _;
use frlm_conductor::store::Store;
use frlm_conductor::trace::TraceRecord;

use super::bench::Live;
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::run::samples::Recipe;
use crate::desktop::screens::runs::Action;

const FIRST: &str = "5e1f0c9a7b3d2468";
const SECOND: &str = "a2c40c9a7b3d2468";

/// The screen with two runs, the first of which is chosen and read.
fn two_runs() -> Live {
    let mut live = Live::with_settings("");
    live.record(FIRST, "How many orders have status failed?", Recipe::done(41));
    live.record(SECOND, "How many orders were shipped?", Recipe::done(3));
    live.perform(&Command::Go(Screen::Runs));
    live.until("both are listed", |state| state.runs.listed().len() == 2);
    live.perform(&Command::Runs(Action::Choose(FIRST.to_owned())));
    live.until("what happened is read", |state| state.runs.details(FIRST).ready().is_some());
    live
}

#[test]
fn a_run_is_exported_in_both_formats_by_its_buttons() {
    let mut live = two_runs();
    let written = |live: &mut Live, button: &str, ending: &str| {
        live.press(button);
        live.until("it is written", |state| {
            state.runs.exported.as_ref().is_some_and(|path| path.ends_with(ending))
        });
        let path = live.state().runs.exported.clone().unwrap();
        live.window().get_by_label(&format!("Written to {path}"));
        std::fs::read_to_string(path).unwrap()
    };
    let lines = written(&mut live, "Export JSON lines", ".jsonl");
    let read: Vec<TraceRecord> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(read == Recipe::done(41), "every event, as it was");
    let trace = written(&mut live, "Export for Perfetto", ".perfetto.json");
    let trace: serde_json::Value = serde_json::from_str(&trace).unwrap();
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.len() > 41));
}

#[test]
fn two_runs_are_read_and_compared_by_a_button_and_a_row() {
    let mut live = two_runs();
    live.press("Compare with another");
    let window = live.window();
    window.get_by_label_contains("How many orders were shipped?").click_accesskit();
    live.until("both are read", |state| {
        state.runs.compared().is_some() && state.runs.details(SECOND).ready().is_some()
    });
    live.window().get_by_label("Two runs side by side");
    live.window().get_by_label("Verified, 41 of 41, 3 of 3, differs");
    live.press("Back to all runs");
    assert!(live.state().runs.compared().is_none());
}

#[test]
fn a_run_is_deleted_by_its_buttons_and_what_may_still_repeat_it_is_named() {
    let mut live = two_runs();
    live.press("Export JSON lines");
    live.until("it is written", |state| state.runs.exported.is_some());
    live.press("Delete");
    live.press("Delete the run");
    live.until("it is gone", |state| state.runs.listed().len() == 1 && state.runs.find(FIRST).is_none());
    live.until("what stays is named", |state| {
        state.notices.iter().any(|notice| notice.then.contains(&format!("run-{FIRST}.jsonl")))
    });
    let store = Store::open(&live.home().store()).unwrap();
    assert!(store.find(FIRST).is_err() && store.find(SECOND).is_ok());
}
