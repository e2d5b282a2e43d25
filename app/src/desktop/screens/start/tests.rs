use egui::accesskit::Role;
use egui::{OutputCommand, Theme};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use image::{Pixel as _, RgbaImage};

use super::view::COMMAND;
use crate::desktop::app::Desktop;
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::Screen;
use crate::desktop::state::{Machine, State};
use crate::desktop::testing::{click, compare, compare_with, pictures, sizes, window};
use frlm_client::local_swarm::Speaks;

fn on_a_small_machine() -> State {
    State {
        machine: Some(Machine {
            threads: 8,
            memory_mib: Some(12_345),
            embedded_model: true,
            ..Machine::default()
        }),
        ..State::default()
    }
}

fn with_swarm(providers: usize) -> State {
    let relay = "ws://127.0.0.1:40123".to_owned();
    State { swarm: LocalSwarm::On { relay, providers, speaks: Speaks::Embedded }, ..on_a_small_machine() }
}

#[test]
fn starting_the_swarm_says_so_at_once() {
    let mut window = window(on_a_small_machine(), Theme::Light);
    click(&mut window, "Start the local swarm");
    assert_eq!(window.state().state().swarm, LocalSwarm::Starting);
    window.get_by_label("Starting…");
}

#[test]
fn what_did_not_start_is_started_again_by_one_button() {
    let swarm = LocalSwarm::Failed("the embedded model is not in this build".to_owned());
    let mut window = window(State { swarm, ..on_a_small_machine() }, Theme::Light);
    assert!(window.query_by_label("Start the local swarm").is_none());
    click(&mut window, "Try again");
    assert_eq!(window.state().state().swarm, LocalSwarm::Starting);
}

#[test]
fn every_path_and_whatever_is_missing_leads_to_its_screen() {
    for (button, screen) in [
        ("Ask a question", Screen::Ask),
        ("Start earning", Screen::Earn),
        ("Add a relay", Screen::Settings),
        ("See what fits this machine", Screen::Models),
        ("Add a model", Screen::Models),
    ] {
        let mut window = window(on_a_small_machine(), Theme::Light);
        // What this machine can do is called as some of them are.
        window.get_by_role_and_label(Role::Button, button).click_accesskit();
        window.run_ok();
        assert_eq!(window.state().state().screen, screen, "{button}");
    }
    let mut window = window(with_swarm(3), Theme::Light);
    click(&mut window, "Try the sample document");
    let state = window.state().state();
    assert!(state.screen == Screen::Ask && !state.ask.question.is_empty());
}

#[test]
fn copying_the_command_says_so_until_another_screen_is_opened() {
    let mut window = window(on_a_small_machine(), Theme::Light);
    window.get_by_label("Copy a command").click_accesskit();
    window.step();
    let copied = OutputCommand::CopyText(COMMAND.to_owned());
    assert!(window.output().platform_output.commands.contains(&copied));
    window.run_ok();
    window.get_by_label("Copied");
    for screen in [egui::Key::Num2, egui::Key::Num1] {
        window.key_press_modifiers(egui::Modifiers::COMMAND, screen);
        window.run_ok();
    }
    window.get_by_label("Copy a command");
}

#[test]
fn every_state_has_its_picture() {
    pictures("start_looking", &State::default());
    pictures("start_fresh", &on_a_small_machine());
    pictures("start_swarm_on", &with_swarm(3));
    sizes("start_swarm_on", &with_swarm(3));
    let mut unusable = on_a_small_machine();
    if let Some(machine) = &mut unusable.machine {
        let why = "/home/ada/.local/share/frlm/config.toml is not usable: unknown field `bugdet`".to_owned();
        machine.problem = Some(why);
    }
    pictures("start_unusable", &unusable);
    let swarm = LocalSwarm::Failed("the embedded model is not in this build".to_owned());
    pictures("start_swarm_failed", &State { swarm, ..on_a_small_machine() });
}

/// The palette over the screen.
fn palette() -> Harness<'static, Desktop> {
    let mut window = window(on_a_small_machine(), Theme::Dark);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
    window.run_ok();
    window
}

#[test]
fn the_palette_has_its_picture() {
    compare([(palette(), "palette_dark".to_owned())]);
}

#[test]
fn the_palette_opens_with_its_keys_and_does_what_was_chosen() {
    let mut window = palette();
    window.get_by_label("Find a command");
    window.event(egui::Event::Text("start the".to_owned()));
    window.run_ok();
    window.key_press(egui::Key::Enter);
    window.run_ok();
    assert!(window.state().state().palette.is_none());
    assert_eq!(window.state().state().swarm, LocalSwarm::Starting);
}

#[test]
fn what_an_icon_tells_has_a_name() {
    let window = window(on_a_small_machine(), Theme::Light);
    window.get_by_label("not yet");
    assert_eq!(window.get_all_by_label("partly").count(), 2, "asking and serving, within limits");
    assert_eq!(window.get_all_by_label("open").count(), 3, "nothing of the checklist is done");
}

#[test]
fn nothing_jumps_aside_when_the_page_grows_longer_than_the_window() {
    let left = |state: State| window(state, Theme::Light).get_by_label("Copy a command").rect().left();
    assert!((left(State::default()) - left(on_a_small_machine())).abs() < 0.5);
}

#[test]
fn the_checklist_can_be_taken_away() {
    let mut window = window(on_a_small_machine(), Theme::Light);
    click(&mut window, "Dismiss the checklist");
    assert!(window.query_by_label("Setup").is_none());
}

#[test]
fn another_digit_and_another_shade_fail_the_comparison() {
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        // Then nothing fails.
        return;
    }
    let (folder, picture) = (tempfile::tempdir().unwrap(), "start_swarm_on_light");
    let kept = format!("tests/snapshots/desktop/{picture}.png");
    std::fs::copy(kept, folder.path().join(format!("{picture}.png"))).unwrap();
    let drawn = |providers| window(with_swarm(providers), Theme::Light).render().unwrap();
    let is_as_kept = |drawn: &RgbaImage| compare_with(folder.path(), picture, drawn).is_ok();
    let mut same = drawn(3);
    assert!(is_as_kept(&same));
    assert!(!is_as_kept(&drawn(4)), "a digit");
    for pixel in same.pixels_mut() {
        pixel.apply_without_alpha(|channel| channel.saturating_sub(3));
    }
    assert!(!is_as_kept(&same), "a shade");
}
