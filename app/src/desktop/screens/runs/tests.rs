use egui::Theme;
use egui::accesskit::SortDirection;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use frlm_conductor::store::RunState;

use super::state::{Action, Details, Entry, Event, Runs};
use crate::desktop::app::Desktop;
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, sizes, window};
use crate::desktop::widgets::{Order, Unit};

const NOW_MS: u64 = 1_800_000_000_000;

fn entry(id: &str, question: &str, state: RunState, spent: Option<u64>, minutes: u64) -> Entry {
    Entry {
        id: id.to_owned(),
        started_at_ms: NOW_MS - minutes * 60_000,
        question: question.to_owned(),
        state,
        documents: vec!["orders.log".to_owned()],
        venue: "wss://relay.example".to_owned(),
        policy: "redundancy:3/2".to_owned(),
        unit: Unit::Sats,
        budget_sats: 1_000,
        spent_sats: spent,
    }
}

fn details(answer: &str, spent_sats: u64) -> Details {
    Details {
        answer: answer.to_owned(),
        answered: true,
        confidence: Some(0.93),
        coverage: Some(1.0),
        agreement: Some(0.98),
        verified: 41,
        subtasks: 41,
        dissents: 2,
        providers: vec!["amber-fox".to_owned(), "slate-heron".to_owned()],
        lasted_ms: 8_123,
        events: 1_204,
        spent_sats,
        damage: None,
    }
}

fn listed() -> Runs {
    let mut runs = Runs::default();
    let list = vec![
        entry("a1", "How many orders have status failed?", RunState::Done, Some(240), 4),
        entry("b2", "Which customer returned the most items, and why?", RunState::Interrupted, Some(96), 75),
        entry("c3", "What is the total of all refunds in March?", RunState::Failed, Some(0), 190),
        entry("d4", "How many orders have status failed?", RunState::Done, Some(311), 1_500),
        entry("e5", "List the errors of the payment service", RunState::Running, None, 4_400),
    ];
    runs.apply(Event::Listed { runs: Load::Ready(list), now_ms: NOW_MS });
    runs
}

fn screen(runs: Runs) -> State {
    State { screen: Screen::Runs, runs, ..State::default() }
}

fn chosen() -> Runs {
    let mut runs = listed();
    runs.perform(&Action::Choose("a1".to_owned()));
    let details = Load::Ready(details("113 orders have status failed.", 240));
    runs.apply(Event::Details { id: "a1".to_owned(), details });
    runs
}

#[test]
fn every_state_has_its_picture() {
    pictures("runs_loading", &screen(Runs::default()));
    let mut empty = Runs::default();
    empty.apply(Event::Listed { runs: Load::Ready(Vec::new()), now_ms: NOW_MS });
    pictures("runs_empty", &screen(empty));
    let failed = Load::Failed(
        "cannot open the run store /home/ada/.local/share/frlm/runs.db: disk I/O error".to_owned(),
    );
    let mut broken = Runs::default();
    broken.apply(Event::Listed { runs: failed, now_ms: NOW_MS });
    pictures("runs_error", &screen(broken.clone()));
    let drawn = window(screen(broken), Theme::Light);
    assert!(drawn.query_by_label("Try again").is_some() && drawn.query_by_label("Refresh").is_none());
    pictures("runs_chosen", &screen(chosen()));
    let mut deleting = chosen();
    deleting.perform(&Action::AskDelete(true));
    pictures("runs_delete", &screen(deleting));
    let mut compared = chosen();
    compared.perform(&Action::WantSecond(true));
    compared.perform(&Action::Choose("d4".to_owned()));
    let other = Load::Ready(details("112 orders have status failed.", 311));
    compared.apply(Event::Details { id: "d4".to_owned(), details: other });
    pictures("runs_compared", &screen(compared));
    sizes("runs_chosen", &screen(chosen()));
}

/// A run whose record has a hole.
fn damaged() -> Runs {
    let mut runs = listed();
    runs.perform(&Action::Choose("a1".to_owned()));
    let mut partly = details("113 orders have status failed.", 240);
    partly.damage = Some("event 120 is missing".to_owned());
    runs.apply(Event::Details { id: "a1".to_owned(), details: Load::Ready(partly) });
    runs
}

/// A run whose record cannot be read at all.
fn unreadable() -> Runs {
    let mut runs = listed();
    runs.perform(&Action::Choose("a1".to_owned()));
    let why = "cannot read the run store /home/ada/.local/share/frlm/runs.db: disk I/O error".to_owned();
    runs.apply(Event::Details { id: "a1".to_owned(), details: Load::Failed(why) });
    runs
}

#[test]
fn a_damaged_run_has_its_picture_and_says_what_is_safe() {
    pictures("runs_damaged", &screen(damaged()));
    pictures("runs_unreadable", &screen(unreadable()));
    let drawn = window(screen(damaged()), Theme::Light);
    let words = "The record is damaged: event 120 is missing. It is shown as far as it goes.";
    assert!(drawn.query_all_by_label_contains(words).next().is_some());
    let mut window = window(screen(unreadable()), Theme::Dark);
    window.get_by_label_contains("its cost is in the ledger");
    click(&mut window, "Try again");
    let runs = &window.state().state().runs;
    assert_eq!((runs.chosen.as_deref(), runs.details("a1")), (Some("a1"), &Load::Busy));
}

#[test]
fn searching_and_filtering_narrow_the_table() {
    let mut runs = listed();
    runs.perform(&Action::Search("FAILED orders".to_owned()));
    assert_eq!(runs.listed(), [0, 3]);
    runs.perform(&Action::Search(String::new()));
    runs.perform(&Action::Show(super::state::Show::Open));
    assert_eq!(runs.listed(), [1, 4]);
}

#[test]
fn the_table_is_searched_and_filtered_by_the_names_of_its_fields() {
    let mut window = window(screen(listed()), Theme::Light);
    click(&mut window, "Resumable");
    window.get_by_label("2 of 5 runs");
    window.get_by_label("Search").focus();
    window.run_ok();
    window.get_by_label("Search").type_text("payment");
    window.run_ok();
    window.get_by_label("1 of 5 runs");
    window.get_by_label_contains("errors of the payment service");
    window.get_by_label("Search").type_text(" nowhere");
    window.run_ok();
    window.get_by_label("No run matches. Search for less, or show all.");
}

#[test]
fn a_row_is_chosen_by_click_and_deleted_only_after_a_question() {
    let mut window = window(screen(listed()), Theme::Light);
    window.get_by_label_contains("Which customer returned").click();
    window.run_ok();
    assert_eq!(window.state().state().runs.chosen.as_deref(), Some("b2"));
    click(&mut window, "Delete");
    window.get_by_label("Delete this run?");
    click(&mut window, "Cancel");
    assert!(!window.state().state().runs.deleting);
    window
        .state_mut()
        .state_mut()
        .apply(crate::desktop::engine::Event::Runs(Event::Deleted("b2".to_owned())));
    assert_eq!(window.state().state().runs.listed().len(), 4);
}

#[test]
fn two_runs_are_compared_fact_by_fact() {
    let mut window = window(screen(chosen()), Theme::Dark);
    click(&mut window, "Compare with another");
    window.get_by_label_contains("311 sats").click();
    window.run_ok();
    let other = Load::Ready(details("112 orders have status failed.", 311));
    let event = Event::Details { id: "d4".to_owned(), details: other };
    window.state_mut().state_mut().apply(crate::desktop::engine::Event::Runs(event));
    window.run_ok();
    window.get_by_label_contains(
        "Answer, 113 orders have status failed., 112 orders have status failed., differs",
    );
    window
        .get_by_label("Verification, Two must agree (redundancy:3/2), Two must agree (redundancy:3/2), same");
    click(&mut window, "Back to all runs");
    assert!(window.state().state().runs.compared().is_none());
}

#[test]
fn a_run_is_opened_or_replayed_on_the_run_screen() {
    for (button, plays) in [("Open", false), ("Replay", true)] {
        let mut window = window(screen(chosen()), Theme::Light);
        click(&mut window, button);
        let state = window.state().state();
        assert_eq!((state.screen, state.run.plays_when_read), (Screen::Run, plays), "{button}");
    }
}

#[test]
fn a_new_choice_forgets_the_question_about_deleting() {
    let mut state = screen(chosen());
    state.perform(&Command::Runs(Action::AskDelete(true)));
    state.perform(&Command::Runs(Action::Choose("c3".to_owned())));
    assert!(!state.runs.deleting);
}

#[test]
fn escape_takes_back_what_is_asked_and_then_the_comparison() {
    let mut window = window(screen(chosen()), Theme::Light);
    for (button, asked) in [("Delete", "Delete this run?"), ("Compare with another", "Cancel")] {
        click(&mut window, button);
        window.get_by_label(asked);
        window.key_press(egui::Key::Escape);
        window.run_ok();
        assert!(window.query_by_label(asked).is_none(), "{asked}");
    }
    let runs = &mut window.state_mut().state_mut().runs;
    runs.perform(&Action::WantSecond(true));
    runs.perform(&Action::Choose("d4".to_owned()));
    window.run_ok();
    window.get_by_label("Two runs side by side");
    window.key_press(egui::Key::Escape);
    window.run_ok();
    assert!(window.state().state().runs.compared().is_none());
}

#[test]
fn how_long_ago_a_run_began_says_under_the_pointer_when_that_was() {
    let mut window = window(screen(listed()), Theme::Light);
    let row = window.get_by_label_contains("Which customer returned").rect();
    let when = "2027-01-15, 06:45 UTC";
    for (from_left, told) in [(300.0, false), (30.0, true)] {
        window.hover_at(row.left_center() + egui::vec2(from_left, 0.0));
        for _ in 0..4 {
            // Its words appear beside the pointer.
            window.run_ok();
        }
        assert_eq!(window.query_by_label(when).is_some(), told, "{from_left} points from the left");
    }
}

#[test]
fn the_path_of_an_export_can_be_copied() {
    let mut runs = chosen();
    runs.apply(Event::Exported("/home/ada/.local/share/frlm/exports/run-a1.jsonl".to_owned()));
    let mut window = window(screen(runs), Theme::Light);
    window.get_by_label("Written to /home/ada/.local/share/frlm/exports/run-a1.jsonl");
    click(&mut window, "Copy the path");
    window.get_by_label("Copied");
}

/// Whether the rows stand in this order from above, each named by some of its words.
fn stand(window: &Harness<'_, Desktop>, rows: &[&str]) -> bool {
    let tops: Vec<f32> = rows.iter().map(|words| window.get_by_label_contains(words).rect().top()).collect();
    tops.is_sorted_by(|one, next| one < next)
}

#[test]
fn heads_sort_the_table_by_pointer_and_by_keys_and_say_how_it_stands() {
    let mut window = window(screen(listed()), Theme::Light);
    window.get_by_label("Sort by Started, now newest first");
    click(&mut window, "Sort by Spent");
    // What is not known stands below.
    let (dear, cheap, unknown) = ("311 sats", "all refunds in March", "errors of the payment service");
    assert!(stand(&window, &[dear, "240 sats", "96 sats", cheap, unknown]));
    // A row that is chosen is the one that was pressed, wherever it stands.
    window.get_by_label_contains("311 sats").click();
    window.run_ok();
    assert_eq!(window.state().state().runs.chosen.as_deref(), Some("d4"));
    let head = window.get_by_label("Sort by Spent, now largest first");
    assert_eq!(head.accesskit_node().sort_direction(), Some(SortDirection::Descending));
    head.focus();
    window.run_ok();
    window.key_press(egui::Key::Enter);
    window.run_ok();
    window.get_by_label("Sort by Spent, now smallest first");
    assert!(stand(&window, &[cheap, "96 sats", "240 sats", dear, unknown]));
    click(&mut window, "Sort by Spent, now smallest first");
    window.get_by_label("Sort by Started, now newest first");
    assert!(stand(&window, &["240 sats", "96 sats", cheap, dear, unknown]));
}

#[test]
fn a_search_keeps_the_order_and_what_comes_later_is_put_into_it() {
    let mut runs = listed();
    runs.perform(&Action::Sort(Some(Order::rising(1))));
    let questions = |runs: &Runs| -> Vec<String> {
        let places = (0..runs.listed().len()).map(|position| runs.listed()[runs.sorted.row(position)]);
        places.map(|place| runs.entry(place).unwrap().question.clone()).collect()
    };
    assert!(questions(&runs)[0].starts_with("How many") && questions(&runs)[4].starts_with("Which"));
    runs.perform(&Action::Search("errors".to_owned()));
    assert_eq!(questions(&runs), ["List the errors of the payment service"]);
    runs.perform(&Action::Search(String::new()));
    let list = vec![
        entry("f6", "Zebras, how many?", RunState::Done, Some(1), 1),
        entry("a1", "Are there errors?", RunState::Done, Some(240), 4),
    ];
    runs.apply(Event::Listed { runs: Load::Ready(list), now_ms: NOW_MS });
    assert_eq!(questions(&runs), ["Are there errors?", "Zebras, how many?"]);
}
