//! Things that go wrong: each says what happened and what is safe, and its button helps.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use frlm_client::view::Ending;
#[cfg(target_os = "linux")]
use frlm_client::view::RunView;
#[cfg(target_os = "linux")]
use frlm_conductor::store::Store;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::ask::{self, Previewed, Reading, Venue};
use crate::desktop::screens::{Screen, earn, providers};
use crate::desktop::state::State;

const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(60);

fn has_answer(state: &State) -> bool {
    state.answered().is_some()
}

fn failed_with(code: u8) -> impl Fn(&State) -> bool {
    move |state| {
        matches!(&state.run.view.ending, Some(Ending::Failed { exit_code, .. }) if *exit_code == code)
            && state.run.can_go_on()
    }
}

#[test]
fn an_absent_relay_is_named_and_the_question_waits_for_it() {
    let mut swarm = Swarm::start(0, QUICK, 0);
    swarm.lose_relay();
    let mut live = Live::with_settings(&swarm.settings());
    live.fill_in(40);
    live.until("the relay is missed", |state| {
        matches!(&state.ask.previewed, Previewed::Known { unreachable: Some(_), .. })
    });
    live.window().get_by_label("No relay can be reached");
    live.click("Ask the swarm");
    live.until("the run is refused", |state| state.ask.refused.is_some());
    live.window().get_by_label("The run did not start");
    assert!(live.state().run.id.is_empty(), "nothing was sent");
    swarm.bring_relay_back();
    assert!((0..20).any(|_| {
        live.click("Refresh");
        live.until("a look, one of several", |state| matches!(state.ask.previewed, Previewed::Known { .. }));
        matches!(live.state().ask.previewed, Previewed::Known { unreachable: None, .. })
    }));
    live.window().get_by_label("No providers online");
}

#[test]
fn a_starting_run_is_cancelled_without_waiting_for_a_silent_relay() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut live = Live::with_settings(&format!("relays = [\"ws://{}\"]\n", silent.local_addr().unwrap()));
    live.fill_in(40);
    live.perform(&Command::Ask(ask::Action::Start));
    live.click("Stop");
    live.until("nothing is started any more", |state| !state.ask.starting);
    let state = live.state();
    let refused = &state.ask.refused;
    assert!(refused.as_ref().is_some_and(|why| why.contains("nothing was sent")), "{refused:?}");
    assert!(state.run.id.is_empty());
    // A late caller is not kept waiting.
    drop(silent);
}

#[test]
fn a_relay_lost_in_mid_run_costs_nothing_and_the_run_continues_later() {
    let mut swarm = Swarm::start(2, SLOW, 0);
    let mut live = Live::with_settings(&swarm.settings());
    live.fill_in(400);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("something is verified", |state| state.run.view.progress.verified() > 0);
    swarm.lose_relay();
    live.until("the relay is missed", |state| state.run.view.relays.iter().any(|relay| !relay.online));
    live.window().get_by_label("A relay is offline");
    live.click("Pause until it is back");
    live.until("the run is paused", |state| state.run.can_go_on());
    let verified = live.state().run.view.progress.verified();
    swarm.bring_relay_back();
    live.click("Resume");
    live.until("the answer is there", has_answer);
    let answer = live.state().answered().unwrap().clone();
    assert!(answer.answer.contains("80"), "{}", answer.answer);
    assert!(answer.subtasks.cached >= verified, "what was verified is not asked again");
}

#[test]
fn a_run_without_providers_says_so_and_a_retry_finds_new_ones() {
    let swarm = Swarm::start(0, QUICK, 0);
    let settings = swarm.settings() + "[ask]\ndiscovery = 1\n";
    let mut live = Live::with_settings(&settings);
    live.fill_in(40);
    live.until("nobody is there", |state| {
        matches!(&state.ask.previewed, Previewed::Known { providers, unreachable: None, .. } if providers.is_empty())
    });
    live.window().get_by_label("No providers online");
    live.click("Ask the swarm");
    live.until("the run fails", failed_with(4));
    live.window().get_by_label("No provider can be asked");
    live.window().get_by_label_contains("Nothing was verified, so nothing was paid");
    let address = swarm.address;
    let _more = Swarm::join(address, 2, QUICK);
    live.click("Try again");
    live.until("the answer is there", has_answer);
}

#[test]
fn a_cap_that_is_too_low_stops_before_anything_is_spent_and_can_be_raised() {
    let swarm = Swarm::start(2, QUICK, 2_000);
    let mut live = Live::with_settings(&swarm.settings());
    live.fill_in(40);
    live.until(
        "a price is quoted",
        |state| matches!(&state.ask.previewed, Previewed::Known { expected, .. } if *expected > 2),
    );
    let Previewed::Known { expected, .. } = live.state().ask.previewed else { panic!("a price was quoted") };
    // Half of what it will cost, and half of it again.
    live.perform(&Command::Ask(ask::Action::Budget(expected.div_ceil(2))));
    live.click("Ask the swarm");
    live.until("the run fails", failed_with(3));
    live.window().get_by_label("The budget is too low");
    assert_eq!(live.state().run.view.money.now().spent, 0);
    let raise = format!("Raise the budget and resume (to {} sats)", expected.div_ceil(2) * 2);
    live.click(&raise);
    live.until("the answer is there", has_answer);
    let budget = live.state().answered().unwrap().budget.clone();
    assert_eq!(budget.limit_sats, expected.div_ceil(2) * 2);
    let parts = budget.spent_sats + budget.reserved_sats + budget.pending_refund_sats + budget.available_sats;
    assert_eq!(budget.limit_sats, parts);
    assert_eq!(live.state().run.view.budget.limit_sats, budget.limit_sats, "as the record tells it");
}

#[test]
fn a_model_that_is_missing_is_named_and_the_way_to_another_one_is_open() {
    let mut live = Live::with_settings("[ask]\nmodel = \"/nowhere/model.gguf\"\n");
    live.fill_in(40);
    live.perform(&Command::Ask(ask::Action::Venue(Venue::OwnModel)));
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("the run is refused", |state| state.ask.refused.is_some());
    let why = live.state().ask.refused.clone().unwrap();
    assert!(why.contains("/nowhere/model.gguf"), "{why}");
    live.window().get_by_label("The run did not start");
    live.click("Choose a model");
    assert_eq!(live.state().screen, Screen::Models);
}

#[test]
fn a_missing_model_is_named_before_serving_and_nothing_is_announced() {
    let swarm = Swarm::start(0, QUICK, 0);
    let offer = "[provide]\nmodel = \"/nowhere/model.gguf\"\n";
    let mut live = Live::with_settings(&(swarm.settings() + offer));
    live.perform(&Command::Go(Screen::Earn));
    live.until("the offer is read", |state| state.earn.ready().is_ok());
    live.click("Go online");
    live.until("it does not serve", |state| matches!(state.earn.status, earn::Status::Failed(_)));
    live.window().get_by_label("Offline");
    live.window().get_by_label_contains("No job was taken");
    let earn::Status::Failed(why) = live.state().earn.status.clone() else { panic!("it failed") };
    assert!(why.contains("/nowhere/model.gguf"), "{why}");
    live.click("Open Models");
    assert_eq!(live.state().screen, Screen::Models);
}

#[test]
fn the_provider_list_names_an_absent_relay_and_fills_once_it_is_back() {
    let mut swarm = Swarm::start(0, QUICK, 0);
    swarm.lose_relay();
    let mut live = Live::with_settings(&swarm.settings());
    live.perform(&Command::Go(Screen::Providers));
    live.until("the relay is missed", |state| {
        matches!(state.providers.watching, providers::Watching::Unreachable(_))
    });
    live.window().get_by_label("No relay can be reached");
    live.window().get_by_label("offline");
    live.window().get_by_label("No provider can be seen");
    swarm.bring_relay_back();
    let _more = Swarm::join(swarm.address, 1, QUICK);
    live.press("Reconnect");
    live.until("they are seen", |state| state.providers.online() == 1 && state.providers.here.len() == 1);
}

#[test]
fn a_document_that_is_not_there_is_named_and_read_once_it_is() {
    let mut live = Live::with_settings("");
    let path = live.folder.path().join("late.log");
    live.perform(&Command::Go(Screen::Ask));
    live.perform(&Command::Ask(ask::Action::Add(vec![path.clone()])));
    let is_missed = |state: &State| matches!(state.ask.reading, Reading::Failed(_));
    live.until("it is missed", is_missed);
    live.window().get_by_label("These cannot be read");
    std::fs::write(&path, "order=1 status=failed\n").unwrap();
    live.click("Read them again");
    live.until("it is read", |state| matches!(state.ask.reading, Reading::Read { .. }));
    assert!(live.window().query_all_by_label_contains("1 document, 1 part").next().is_some());
}

/// Names the limit to the process that really runs the test below.
#[cfg(unix)]
const LIMITED: &str = "FRLM_TEST_DISK_IS_LIMITED";

/// No file of the process may grow beyond a limit: to the program that is a disk that fills up in
/// mid-run. The limit holds for a whole process, so this test starts itself in one of its own.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_keeps_verified_parts_and_says_what_to_free() {
    if std::env::var_os(LIMITED).is_some() {
        return fill_the_disk();
    }
    let name = "desktop::live::errors::a_full_disk_ends_the_run_keeps_verified_parts_and_says_what_to_free";
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -S -f 1600; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(LIMITED, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

#[cfg(unix)]
fn fill_the_disk() {
    let swarm = Swarm::start(2, QUICK, 0);
    let mut live = Live::with_settings(&(swarm.settings() + "[ask]\nfragment_lines = 2\n"));
    live.fill_in(2_000);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("the run fails", failed_with(1));
    let verified = live.state().run.view.progress.verified();
    assert!(verified > 0);
    live.window().get_by_label("The disk is full or cannot be written to");
    live.window().get_by_label_contains("verified parts are saved");
    live.window().get_by_label("Try again");
    #[cfg(target_os = "linux")]
    try_again_with_room(&mut live);
}

/// Frees the disk, and presses the button.
#[cfg(target_os = "linux")]
fn try_again_with_room(live: &mut Live) {
    let own = std::process::id().to_string();
    let freed = std::process::Command::new("prlimit").args(["--pid", &own, "--fsize=unlimited:"]).status();
    assert!(freed.expect("prlimit comes with the system").success());
    live.click("Try again");
    live.until_answered();
    let answer = live.state().answered().unwrap().clone();
    assert!(answer.answer.contains("400"), "{}", answer.answer);
    assert!(answer.subtasks.cached > 0, "what was recorded as verified is not asked again");
    let records = Store::open(&live.home().store()).unwrap().trace(&answer.run_id).unwrap().records;
    let view = &live.state().run.view;
    assert!(*view == RunView::of(&records), "what is shown is what is recorded");
}
