use std::sync::Arc;

use egui::Theme;
use egui_kittest::kittest::Queryable as _;

use super::state::{Action, Entry, Event, Known, Listed, Outcome};
use crate::desktop::command::{Command, find};
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::{Screen, learning};
use crate::desktop::state::State;
use crate::desktop::testing::{pictures, press, sizes, window, window_sized};

fn entry(question: &str, answer: &str, from: &str) -> Arc<Entry> {
    let texts = [question, answer, "documents", from].map(str::to_owned);
    Arc::new(Entry::new(question.to_owned(), texts))
}

fn filled() -> Known {
    let entries = vec![
        entry(
            "How many orders have status failed? (orders.log)",
            "48",
            "checked by a person in run 5e1f0a77",
        ),
        entry("When was the Eiffel Tower completed?", "1889", "imported from facts.jsonl"),
        entry("What is the most expensive item? (shop.csv)", "a bicycle", "imported from shop.jsonl"),
    ];
    let mut known = Known::default();
    known.apply(Event::Listed(Load::Ready(Listed { all: entries.len(), entries })));
    known
}

fn screen(known: Known) -> State {
    let mut state = State { known, ..State::default() };
    state.perform(&Command::Known(Action::Open));
    state
}

#[test]
fn every_state_has_its_picture() {
    pictures("learning_known_loading", &screen(Known::default()));
    let mut empty = Known::default();
    empty.apply(Event::Listed(Load::Ready(Listed::default())));
    pictures("learning_known_empty", &screen(empty));
    let mut failed = Known::default();
    failed.apply(Event::Listed(Load::Failed(
        "/home/ada/.local/share/frlm/known.db: file is not a database".to_owned(),
    )));
    pictures("learning_known_error", &screen(failed));
    let mut chosen = filled();
    chosen.apply(Event::Done(Outcome::Imported(2, 1)));
    chosen.perform(&Action::Choose("When was the Eiffel Tower completed?".to_owned()));
    let drawn = window(screen(chosen.clone()), Theme::Light);
    drawn.get_by_label("3 of 3 answers; imported from the file: 2 new, 1 already known");
    pictures("learning_known", &screen(chosen.clone()));
    sizes("learning_known", &screen(chosen.clone()));
    chosen.perform(&Action::AskForget(true));
    pictures("learning_known_forget", &screen(chosen));
}

#[test]
fn the_palette_leads_to_the_known_answers() {
    let found = find("known", &State::default());
    assert_eq!(found[0].command, Command::Known(Action::Open));
    let state = screen(filled());
    assert_eq!((state.screen, state.learning.source), (Screen::Learning, learning::Source::Known));
}

#[test]
fn words_are_found_in_question_and_answer_in_any_order() {
    let mut known = filled();
    let found = |known: &Known| known.shown().iter().map(|entry| entry.answer.clone()).collect::<Vec<_>>();
    known.perform(&Action::Search("tower WHEN".to_owned()));
    assert_eq!(found(&known), ["1889"]);
    known.perform(&Action::Search("bicy".to_owned()));
    assert_eq!(found(&known), ["a bicycle"]);
    known.perform(&Action::Search("nobody".to_owned()));
    let drawn = window(screen(known.clone()), Theme::Light);
    drawn.get_by_label("No known answer has all of these words.");
    known.perform(&Action::Search(String::new()));
    assert_eq!(known.shown().len(), 3);
}

#[test]
fn an_answer_is_forgotten_only_when_the_user_says_so_twice() {
    let mut window = window(screen(filled()), Theme::Dark);
    window.get_by_label_contains("Eiffel Tower").click();
    window.run_ok();
    press(&mut window, "Forget");
    window.get_by_label("Forget this answer?");
    press(&mut window, "Keep it");
    assert!(!window.state().state().known.forgetting);
    press(&mut window, "Forget");
    press(&mut window, "Forget it");
    // The store is read again, and has it no more.
    let listed = Load::Ready(Listed::default());
    window.state_mut().state_mut().apply(AppEvent::Known(Event::Listed(listed)));
    window.run_ok();
    window.get_by_label("No known answers yet");
    assert!(window.state().state().known.entry().is_none());
}

#[test]
fn whether_an_answer_is_to_be_forgotten_is_asked_where_it_is_seen() {
    for (size, why) in [
        (egui::vec2(1_280.0, 800.0), "there is room for it"),
        (egui::vec2(900.0, 600.0), "the page goes to it"),
    ] {
        let mut window = window_sized(screen(filled()), Theme::Light, size, 1.0);
        window.get_by_label_contains("Eiffel Tower").click();
        window.run_ok();
        window.get_by_label("Forget").click_accesskit();
        for _ in 0..4 {
            // The page scrolls there within some frames.
            window.run_ok();
        }
        let button = window.get_by_label("Forget it").rect();
        assert!(button.top() > 0.0 && button.bottom() <= size.y, "{why}: {button:?}");
    }
}
