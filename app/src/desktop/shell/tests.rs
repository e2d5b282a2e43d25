use egui::{HoveredFile, Theme};
use egui_kittest::kittest::Queryable as _;

use crate::desktop::state::State;
use crate::desktop::testing::{pictures, window};
use crate::desktop::widgets::Tone;

fn leaving() -> State {
    let under_way = [
        "a run: it is paused, what is verified stays, and it can go on later",
        "this machine serves: running jobs finish, those that wait are refused",
    ];
    State { leaving: under_way.map(str::to_owned).into(), ..State::default() }
}

fn noticed() -> State {
    let mut state = State::default();
    let then = "/home/ada/answer.md".to_owned();
    state.notice(Tone::Good, "The answer was saved".to_owned(), then);
    let then = "The disk is full. Nothing was changed; make room and try again.".to_owned();
    state.notice(Tone::Bad, "The answer was not saved".to_owned(), then);
    state
}

#[test]
fn what_stands_over_every_screen_has_its_picture() {
    pictures("quit", &leaving());
    pictures("notices", &noticed());
    // Dark, it is drawn where the palette is used.
    let mut window = window(State::default(), Theme::Light);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_ok();
    window.snapshot("palette_light");
}

#[test]
fn staying_takes_the_question_away() {
    let mut window = window(leaving(), Theme::Dark);
    window.get_by_label("Keep going").click();
    window.run_ok();
    assert!(window.state().state().leaving.is_empty());
}

#[test]
fn a_notice_says_what_it_means_and_stays_until_it_is_dismissed() {
    let mut state = noticed();
    state.notices.remove(0);
    let mut window = window(state, Theme::Light);
    window.get_by_label("problem");
    window.get_by_label("Dismiss").click();
    window.run_ok();
    assert!(window.state().state().notices.is_empty());
}

#[test]
fn what_hangs_over_the_window_is_told_what_dropping_it_does() {
    for (theme, name) in [(Theme::Light, "drop_light"), (Theme::Dark, "drop_dark")] {
        let mut window = window(State::default(), theme);
        window.input_mut().hovered_files.push(HoveredFile::default());
        window.run_ok();
        window.snapshot(name);
    }
}
