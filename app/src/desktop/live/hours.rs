//! When this machine serves, over a real relay: at certain hours only, by its own clock, and not while it is paused.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::engine::clock::Clock;
use crate::desktop::screens::Screen;
use crate::desktop::screens::earn::{Action, Field, Status};
use frlm_client::testing_endpoint::Endpoint;

/// A relay, and the window with an offer that was read for it.
fn offering() -> (Swarm, Live) {
    let swarm = Swarm::start(0, Duration::ZERO, 0);
    let model = Endpoint::that_says(r#"{"matches":[]}"#).model();
    let mut live = Live::with_settings(&format!("{}[provide]\nmodel = \"{model}\"\n", swarm.settings()));
    live.perform(&Command::Go(Screen::Earn));
    live.until("the offer is read", |state| !state.earn.form.relays.is_empty());
    (swarm, live)
}

#[test]
fn out_of_its_hours_this_machine_waits_and_serves_once_it_is_told_to() {
    let (swarm, mut live) = offering();
    // An hour that does not come while this test runs, whatever the time.
    let hour = swarm.runtime.block_on(async { Clock::default().minute_of_day().await }) / 60;
    for (field, later) in [(Field::From, 2), (Field::To, 3)] {
        let typed = ((hour + later) % 24).to_string();
        live.perform(&Command::Earn(Action::Type(field, typed)));
    }
    live.perform(&Command::Earn(Action::ByHours(true)));
    live.click("Go online");
    live.until("it waits for its hours", |state| matches!(state.earn.status, Status::Resting { .. }));
    live.window().get_by_label("Out of hours");
    assert!(live.state().earn.stats.relays_online == 0, "nobody was told of an offer");
    live.click("Resume now");
    live.until("it serves", |state| state.earn.is_on());
    live.perform(&Command::Earn(Action::StopNow));
    live.until("it has stopped", |state| state.earn.status == Status::Off);
}

#[test]
fn what_is_paused_by_its_button_goes_on_by_another() {
    let (_swarm, mut live) = offering();
    live.click("Go online");
    live.until("it serves", |state| state.earn.is_on());
    live.click("Pause 15 min");
    live.until("it is paused", |state| state.earn.status == Status::Paused { minutes: 15 });
    live.window().get_by_label("Paused");
    live.window().get_by_label_contains("online again by itself after 15 minutes");
    live.click("Resume now");
    live.until("it serves again", |state| state.earn.is_on());
    live.perform(&Command::Earn(Action::StopNow));
    live.until("it has stopped", |state| state.earn.status == Status::Off);
}
