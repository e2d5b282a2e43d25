//! What a screen lists is read again when any process changes it on disk; a provider is tested
//! with a real job.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use frlm_conductor::store::{NewRun, Store};
use frlm_wallet::{Ledger, Sats};

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::providers::Action;
use frlm_client::trial::Trial;

fn new_run(id: &str) -> NewRun {
    NewRun {
        id: id.to_owned(),
        started_at_ms: 0,
        question: format!("the question of {id}"),
        request: serde_json::Value::Null,
        secret_key: "00".to_owned(),
    }
}

#[test]
fn a_run_that_another_process_records_appears_in_the_open_list() {
    let mut live = Live::with_settings("");
    let store = Store::open(&live.home().store()).unwrap();
    live.runtime.block_on(store.begin(new_run("first"))).unwrap();
    live.perform(&Command::Go(Screen::Runs));
    live.until("the list is there", |state| state.runs.recorded.ready().is_some_and(|runs| runs.len() == 1));
    live.runtime.block_on(store.begin(new_run("second"))).unwrap();
    live.until("the second run is there", |state| {
        state.runs.recorded.ready().is_some_and(|runs| runs.len() == 2)
    });
    live.window().get_by_label_contains("the question of second");
}

#[test]
fn a_limit_that_another_process_sets_appears_in_the_open_wallet() {
    let mut live = Live::with_settings("");
    let path = live.home().ledger();
    let ledger = live.runtime.block_on(Ledger::open(path)).unwrap();
    live.runtime.block_on(ledger.open_run("first", Sats(100))).unwrap();
    live.perform(&Command::Go(Screen::Wallet));
    live.until("the account is there", |state| state.wallet.total.limit == 100);
    live.runtime.block_on(ledger.open_run("second", Sats(50))).unwrap();
    live.until("both accounts are there", |state| state.wallet.total.limit == 150);
    assert!(matches!(live.state().wallet.accounts, Load::Ready(_)));
}

/// The app with the swarm's only provider chosen, and its key.
fn chosen(swarm: &Swarm) -> (Live, String) {
    let mut live = Live::with_settings(&swarm.settings());
    live.perform(&Command::Go(Screen::Providers));
    live.until("the provider is there", |state| state.providers.here.len() == 1);
    let key = live.state().providers.listed()[0].clone();
    live.perform(&Command::Providers(Action::Choose(key.clone())));
    (live, key)
}

/// The same, and the provider was tested.
fn tested(swarm: &Swarm) -> (Live, String) {
    let (mut live, key) = chosen(swarm);
    live.click("Test");
    live.until("it has answered", |state| {
        !matches!(state.providers.trials.get(&key), None | Some(Trial::Busy))
    });
    (live, key)
}

#[test]
fn a_provider_that_is_tested_shows_its_answer_and_how_long_it_took() {
    let swarm = Swarm::start(1, Duration::from_millis(30), 0);
    let (mut live, key) = tested(&swarm);
    let Some(Trial::Answered { took_ms, said, right, .. }) = live.state().providers.trials.get(&key).cloned()
    else {
        panic!("{:?}", live.state().providers.trials)
    };
    assert!(right && said == "ready", "{said}");
    assert!((30..10_000).contains(&took_ms), "{took_ms}");
    live.window().get_by_label_contains("\"ready\"");
}

#[test]
fn a_paid_only_provider_is_listed_but_a_test_pays_it_nothing() {
    let swarm = Swarm::start(1, Duration::from_millis(1), 5_000);
    let (mut live, key) = tested(&swarm);
    let trial = live.state().providers.trials[&key].clone();
    assert!(matches!(trial, Trial::WantsPay { .. }), "{trial:?}");
    assert_eq!(live.state().wallet.total.spent, 0);
}

#[test]
fn preferring_and_blocking_a_provider_is_kept_in_the_settings_file() {
    let swarm = Swarm::start(1, Duration::from_millis(1), 0);
    let (mut live, key) = chosen(&swarm);
    live.press("Prefer");
    live.until("it is preferred", |state| state.providers.choices.preferred.contains(&key));
    live.window().get_by_label("only 1 preferred provider will be asked");
    assert_eq!(live.home().config().unwrap().ask.providers, [key.as_str()]);
    live.press("Block");
    live.until("it is blocked", |state| {
        let choices = &state.providers.choices;
        choices.blocked.contains(&key) && choices.preferred.is_empty()
    });
    let asked = live.home().config().unwrap().ask;
    assert!(asked.blocked == [key.as_str()] && asked.providers.is_empty());
    live.press("Unblock");
    live.until("it may be asked again", |state| state.providers.choices.blocked.is_empty());
}
