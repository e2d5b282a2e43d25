use egui::{Event, HoveredFile, Key, Modifiers, Theme};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use crate::desktop::app::Desktop;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::run::{Stage, samples};
use crate::desktop::screens::{Screen, earn, run, settings};
use crate::desktop::state::State;
use crate::desktop::testing::{click, compare, pictures, small_picture, window};
use crate::desktop::widgets::Tone;

fn leaving() -> State {
    let under_way = [
        "1 run: paused until you resume; verified parts are saved",
        "this machine earns: running jobs finish; waiting jobs are refused",
    ];
    State { leaving: under_way.map(str::to_owned).into(), ..State::default() }
}

fn noticed() -> State {
    let mut state = State::default();
    let then = "/home/ada/.local/share/frlm/exports/answer.md".to_owned();
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
    compare([(window, "palette_light".to_owned())]);
}

#[test]
fn overlays_of_all_screens_have_pictures_in_the_smallest_window() {
    small_picture("quit", &leaving(), |_| {});
    small_picture("notices", &noticed(), |_| {});
    small_picture("palette", &State::default(), |window| {
        window.key_press_modifiers(Modifiers::COMMAND, Key::K);
    });
    let mut run = samples::shown(samples::Recipe::busy(41), true);
    run.perform(&run::Action::AskBudget(true));
    small_picture("run_cap", &State { screen: Screen::Run, run, ..State::default() }, |_| {});
}

#[test]
fn staying_takes_the_question_away() {
    let mut window = window(leaving(), Theme::Dark);
    window.get_by_label("This machine earns: running jobs finish; waiting jobs are refused");
    click(&mut window, "Keep going");
    assert!(window.state().state().leaving.is_empty());
}

#[test]
fn a_notice_says_what_it_means_and_stays_until_it_is_dismissed() {
    let mut state = noticed();
    state.notices.remove(0);
    let mut window = window(state, Theme::Light);
    window.get_by_label("problem");
    click(&mut window, "Dismiss");
    assert!(window.state().state().notices.is_empty());
}

#[test]
fn a_notice_is_dismissed_beside_its_title() {
    let mut state = noticed();
    state.notices.truncate(1);
    let title = state.notices[0].what.clone();
    let window = window(state, Theme::Light);
    let middle = |label: &str| window.get_by_label(label).rect().center().y;
    assert!((middle("Dismiss") - middle(&title)).abs() < 1.5);
}

#[test]
fn what_hangs_over_the_window_is_told_what_dropping_it_does() {
    compare([(Theme::Light, "drop_light"), (Theme::Dark, "drop_dark")].map(|(theme, name)| {
        let mut window = window(State::default(), theme);
        window.input_mut().hovered_files.push(HoveredFile::default());
        window.run_ok();
        (window, name.to_owned())
    }));
}

#[test]
fn what_no_command_is_called_is_said_to_be_none() {
    let mut window = window(State::default(), Theme::Light);
    window.key_press_modifiers(Modifiers::COMMAND, Key::K);
    window.run_ok();
    window.event(Event::Text("xyzzy".to_owned()));
    window.run_ok();
    window.get_by_label("No such command.");
    window.key_press(Key::Enter);
    window.run_ok();
    assert!(window.state().state().palette.is_some(), "there is nothing that Enter could do");
}

/// Does what the palette calls so.
fn by_palette(window: &mut Harness<'_, Desktop>, title: &str) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::K);
    window.run_ok();
    window.event(Event::Text(title.to_owned()));
    window.run_ok();
    window.key_press(Key::Enter);
    window.run_ok();
}

#[test]
fn what_the_palette_does_is_done_on_the_screen_where_it_can_be_seen() {
    let mut window = window(State::default(), Theme::Light);
    by_palette(&mut window, "run the health check");
    let state = window.state().state();
    assert!(state.screen == Screen::Settings && state.settings.checking);
    by_palette(&mut window, "settings: logs");
    window.get_by_label("Search the log");
    // It lacks a relay, which is what that screen says once the settings are read.
    window.state_mut().state_mut().earn.apply(earn::Event::Form(Load::Ready(Box::default())));
    by_palette(&mut window, "go online");
    assert_eq!(window.state().state().screen, Screen::Earn);
    window.get_by_label("No relay yet");
}

#[test]
fn the_palette_and_its_keys_make_everything_bigger_and_smaller() {
    let mut window = window(State::default(), Theme::Light);
    by_palette(&mut window, "bigger");
    by_palette(&mut window, "zoom in");
    assert!((window.ctx.zoom_factor() - 1.2).abs() < 1e-3, "{}", window.ctx.zoom_factor());
    by_palette(&mut window, "smaller");
    assert!((window.ctx.zoom_factor() - 1.1).abs() < 1e-3, "{}", window.ctx.zoom_factor());
    by_palette(&mut window, "100%");
    assert!((window.ctx.zoom_factor() - 1.0).abs() < 1e-3, "{}", window.ctx.zoom_factor());
    // One press is one step, although two listen for it.
    window.key_press_modifiers(Modifiers::COMMAND, Key::Minus);
    window.run_ok();
    assert!((window.ctx.zoom_factor() - 0.9).abs() < 1e-3, "{}", window.ctx.zoom_factor());
}

#[test]
fn keys_alone_do_nothing_on_a_screen_where_that_could_not_be_seen() {
    let run = samples::shown(samples::Recipe::busy(3), true);
    let mut window = window(State { run, ..State::default() }, Theme::Light);
    window.key_press(Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Live);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    window.run_ok();
    window.key_press(Key::Space);
    window.run_ok();
    assert_eq!(window.state().state().run.stage, Stage::Pausing);
}

#[test]
fn quitting_with_unsaved_settings_asks_first() {
    let mut state = State::default();
    state.settings.perform(&settings::Action::Set(settings::Flag::Local, true));
    let mut window = window(state, Theme::Light);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Q);
    window.run_ok();
    window.get_by_label("Quit while something is under way?");
    window.get_by_label_contains("are not saved");
    click(&mut window, "Keep going");
    assert!(window.state().state().settings.is_changed());
}

#[test]
fn the_screens_after_the_ninth_have_keys_too() {
    let mut window = window(State::default(), Theme::Light);
    for (key, screen) in [(Key::L, Screen::Learning), (Key::Comma, Screen::Settings)] {
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.run_ok();
        assert_eq!(window.state().state().screen, screen);
    }
}

#[test]
fn the_checklist_comes_back_and_all_notices_go_when_they_are_told_to() {
    let mut window = window(State { checklist_dismissed: true, ..noticed() }, Theme::Light);
    by_palette(&mut window, "dismiss all");
    by_palette(&mut window, "setup");
    let state = window.state().state();
    assert!(state.notices.is_empty() && !state.checklist_dismissed);
}
