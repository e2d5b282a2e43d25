//! Settings are written and everything is checked by their buttons.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::settings::{Action, Section};

#[test]
fn unusable_settings_are_named_where_needed_and_reread_once_repaired() {
    let mut live = Live::with_settings("relays = 7\n");
    live.until("they are looked at", |state| {
        state.machine.as_ref().is_some_and(|machine| machine.problem.is_some())
    });
    // The window begins with Start.
    live.window().get_by_label("The settings cannot be used");
    live.perform(&Command::Go(Screen::Earn));
    live.until("they are refused", |state| matches!(state.earn.settings, Load::Failed(_)));
    live.window().get_by_label("The settings cannot be used");
    std::fs::write(live.home().config_file(), "relays = [\"ws://127.0.0.1:7777\"]\n").unwrap();
    live.click("Read them again");
    live.until("they are read", |state| state.earn.form.relays == ["ws://127.0.0.1:7777"]);
    live.until("nothing is wrong with them any more", |state| {
        state.machine.as_ref().is_some_and(|machine| machine.problem.is_none())
    });
}

#[test]
fn a_relay_is_added_and_saved_and_its_check_reports_that_it_is_away() {
    let mut swarm = Swarm::start(0, Duration::ZERO, 0);
    swarm.lose_relay();
    let address = format!("ws://{}", swarm.address);
    let mut live = Live::with_settings("# mine\n");
    live.perform(&Command::Go(Screen::Settings));
    live.until("the file is read", |state| state.settings.file.ready().is_some());
    live.perform(&Command::Settings(Action::Relay(address.clone())));
    live.press("Add");
    live.press("Save");
    live.until("it is saved", |state| state.settings.outcome == Some(Ok(())));
    live.until("it counts", |state| {
        state.machine.as_ref().is_some_and(|machine| machine.relays == [address.as_str()])
    });
    let written = std::fs::read_to_string(live.home().config_file()).unwrap();
    assert!(written.starts_with("# mine\n") && written.contains(&address), "{written}");
    assert!(!live.state().settings.is_changed());

    live.perform(&Command::Settings(Action::Open(Section::Diagnostics)));
    live.press("Check now");
    live.until("everything is checked", |state| {
        !state.settings.checking && !state.settings.checks.is_empty()
    });
    let checks = live.state().settings.checks.clone();
    let outcome =
        |name: &str| checks.iter().find(|check| check.name.starts_with(name)).unwrap().outcome.clone();
    assert_eq!(outcome("ledger"), Ok("all balances match".to_owned()));
    let away = outcome("relay ").unwrap_err();
    assert!(away.contains(&address) && away.contains("frlm relay"), "{away}");
}
