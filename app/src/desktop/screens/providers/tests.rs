use std::collections::HashMap;

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use frlm_conductor::swarm::Tariff;
use frlm_wallet::{Msats, Sats};

use super::past_jobs::PastJobs;
use super::state::{Action, Choices, Event, Offer, Providers, Relay, Reputation, Show, Watching};
use crate::desktop::app::Desktop;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, sizes, window, window_sized};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::Unit;
use frlm_client::trial::Trial;

fn offer(key: &str, name: &str, model: &str, price_msats_per_1k: u64) -> Offer {
    Offer {
        key: key.repeat(32),
        name: name.to_owned(),
        model: model.to_owned(),
        weights_hash: Some("5f".repeat(32)),
        records_only: model == "frlm-records",
        context_tokens: 32_768,
        workers: 4,
        tariff: Tariff::per_1k(Msats(price_msats_per_1k)),
    }
}

fn relays() -> Vec<Relay> {
    let relay = |address: &str, online, words: &str| Relay {
        address: address.to_owned(),
        online,
        words: words.to_owned(),
    };
    vec![
        relay("wss://relay.example", true, ""),
        relay("wss://other.example", false, "restricted: ask the operator for an invitation"),
    ]
}

fn watching() -> Providers {
    let mut providers = Providers::default();
    providers.apply(Event::Watching(Watching::On));
    providers.apply(Event::Relays(relays()));
    providers
}

fn filled() -> Providers {
    let mut providers = watching();
    providers.apply(Event::Here(vec![
        offer("a1", "amber-fox", "qwen3-8b", 2_000),
        offer("b2", "slate-heron", "qwen3-8b", 1_500),
        offer("c3", "birch-otter", "frlm-records", 0),
    ]));
    let past = |name: &str, agreed, dissented| PastJobs {
        unit: Unit::Sats,
        name: name.to_owned(),
        asked: agreed + dissented + 3,
        agreed,
        dissented,
        answered: agreed + dissented,
        answering_ms: (agreed + dissented) * 1_340,
        spent_sats: agreed * 4,
    };
    let past_jobs = HashMap::from([
        ("a1".repeat(32), past("amber-fox", 214, 3)),
        ("d4".repeat(32), past("gone-goose", 12, 9)),
    ]);
    providers.apply(Event::PastJobs(Load::Ready(past_jobs)));
    let reputation = |status, share| Reputation {
        status,
        fidelity: Some(share),
        kinds: vec![("extract".to_owned(), share), ("read".to_owned(), 0.998)],
        score: None,
        biases: Vec::new(),
    };
    let reputations = HashMap::from([
        ("a1".repeat(32), reputation("known", 0.992)),
        ("e5".repeat(32), reputation("lied", 0.31)),
    ]);
    providers.apply(Event::Reputations(reputations));
    let blocked = ["d4".repeat(32)].into();
    providers.apply(Event::Choices(Choices { blocked, preferred: ["b2".repeat(32)].into() }));
    providers
}

const WRONG: &str = "8.0% of 100 checked answers wrong";

/// The first of them is chosen, and something else is known of it.
fn chosen(change: impl FnOnce(&mut Reputation)) -> Providers {
    let mut providers = filled();
    providers.perform(&Action::Choose("a1".repeat(32)));
    let mut reputations = providers.reputations.clone();
    change(reputations.get_mut(&"a1".repeat(32)).unwrap());
    providers.apply(Event::Reputations(reputations));
    providers
}

fn screen(providers: Providers) -> State {
    State { screen: Screen::Providers, providers, ..State::default() }
}

#[test]
fn every_state_has_its_picture() {
    let mut unnamed = Providers::default();
    unnamed.apply(Event::Watching(Watching::NoRelay));
    pictures("providers_no_relay", &screen(unnamed));
    pictures("providers_nobody", &screen(watching()));
    let mut down = Providers::default();
    let relay = |words: &str| Relay {
        address: "wss://relay.example".to_owned(),
        online: false,
        words: words.to_owned(),
    };
    down.apply(Event::Relays(vec![relay("connection refused")]));
    let why = "no relay could be reached: wss://relay.example (connection refused)".to_owned();
    down.apply(Event::Watching(Watching::Unreachable(why)));
    pictures("providers_error", &screen(down));
    let mut connecting = Providers::default();
    connecting.apply(Event::Relays(relays()));
    connecting.apply(Event::Watching(Watching::Connecting));
    pictures("providers_connecting", &screen(connecting));
    let mut busy = filled();
    busy.perform(&Action::Show(Show::Known));
    busy.perform(&Action::Choose("a1".repeat(32)));
    pictures("providers_busy", &screen(busy));
    let mut chosen = filled();
    chosen.perform(&Action::Choose("a1".repeat(32)));
    let said = "ready".to_owned();
    let trial = Trial::Answered { took_ms: 840, said, right: true, tokens: 21 };
    chosen.apply(Event::Trial { key: "a1".repeat(32), trial });
    sizes("providers_tested", &screen(chosen));
}

#[test]
fn relays_stand_in_columns_and_a_reconnecting_one_is_not_called_online() {
    let mut providers = filled();
    let drawn = window(screen(providers.clone()), Theme::Light);
    let left = |address: &str| drawn.get_by_label(address).rect().left();
    assert!((left("wss://relay.example") - left("wss://other.example")).abs() < 0.5);
    providers.perform(&Action::Again);
    let drawn = window(screen(providers.clone()), Theme::Light);
    assert!(drawn.query_by_label("online").is_none() && drawn.query_by_label("offline").is_none());
    assert_eq!(drawn.query_all_by_label("connecting").count(), 2);
    assert!(drawn.query_by_label("Connecting…").is_none());
    providers.apply(Event::Relays(Vec::new()));
    let drawn = window(screen(providers), Theme::Light);
    assert!(drawn.query_by_label("Connecting…").is_some());
}

#[test]
fn what_is_not_known_of_a_provider_is_told_from_what_is_being_read() {
    let mut providers = chosen(|_| {});
    let why = "cannot read the run store /home/ada/.local/share/frlm/runs.db: disk I/O error".to_owned();
    for (past_jobs, said) in [
        (Load::Busy, "Reading the recorded runs…"),
        (Load::Failed(why), "Its record cannot be read: cannot read the run store"),
        (Load::Ready(HashMap::new()), "None of your recorded runs asked it."),
    ] {
        providers.apply(Event::PastJobs(past_jobs));
        let drawn = window(screen(providers.clone()), Theme::Light);
        assert!(drawn.query_all_by_label_contains(said).next().is_some(), "{said}");
    }
}

#[test]
fn the_cheapest_come_first_and_the_known_are_listed_when_asked_for() {
    let mut providers = filled();
    let names = |providers: &Providers| -> Vec<String> {
        providers.listed().iter().map(|key| providers.name(key)).collect()
    };
    assert_eq!(names(&providers), ["birch-otter", "slate-heron", "amber-fox"]);
    providers.apply(Event::Gone(vec!["a1".repeat(32)]));
    assert_eq!(names(&providers), ["birch-otter", "slate-heron"]);
    providers.perform(&Action::Show(Show::Known));
    assert_eq!(names(&providers), ["birch-otter", "slate-heron", "amber-fox", "gone-goose"]);
}

#[test]
fn nobody_here_says_so_and_offers_to_serve() {
    let mut window = window(screen(watching()), Theme::Light);
    window.get_by_label("No providers online");
    click(&mut window, "Start earning");
    assert_eq!(window.state().state().screen, Screen::Earn);
}

#[test]
fn while_no_relay_can_be_reached_nobody_is_said_to_be_missing() {
    let mut down = Providers::default();
    down.apply(Event::Watching(Watching::Unreachable("no relay could be reached".to_owned())));
    let window = window(screen(down), Theme::Light);
    window.get_by_label("No relay can be reached");
    window.get_by_label("No provider can be seen");
    assert!(window.query_by_label("No providers online").is_none());
    assert!(window.query_by_label("Start earning").is_none());
    window.get_by_label("Start the local swarm");
}

#[test]
fn a_chosen_provider_can_be_unpreferred_and_blocked() {
    let mut window = window(screen(filled()), Theme::Dark);
    window.get_by_label_contains("slate-heron, qwen3-8b").click();
    window.run_ok();
    window.get_by_label("Stop preferring");
    window.get_by_label("Block");
    window.get_by_label("None of your recorded runs asked it.");
}

#[test]
fn fitness_and_credits_are_told_of_whom_has_earned_some() {
    let providers = chosen(|reputation| reputation.score = Some((0.874, 4_120)));
    let window = window(screen(providers), Theme::Light);
    window.get_by_label_contains("fitness 0.87, 4,120 credits");
}

#[test]
fn errors_that_are_more_than_chance_are_marked_and_told() {
    let providers = chosen(|reputation| reputation.biases = vec![WRONG.to_owned()]);
    let window = window(screen(providers), Theme::Light);
    window.get_by_label_contains(WRONG);
}

#[test]
fn in_a_small_window_the_row_of_the_chosen_provider_is_in_sight() {
    let providers = chosen(|_| {});
    let window = window_sized(screen(providers), Theme::Light, egui::vec2(960.0, 600.0), 1.0);
    let row = window.get_by_label_contains("amber-fox, qwen3-8b").rect();
    let below = window.get_by_label("amber-fox").rect();
    // Between them are the end of the table and the margin of the card.
    assert!(below.top() - row.bottom() >= space::L, "{row:?} above {below:?}");
}

#[test]
fn in_a_small_window_the_keyboard_reaches_the_chosen_providers_buttons() {
    let providers = chosen(|reputation| reputation.biases = vec![WRONG.to_owned()]);
    let size = egui::vec2(900.0, 600.0);
    let mut window = window_sized(screen(providers), Theme::Light, size, 1.0);
    window.get_by_label("Block").focus();
    window.run_ok();
    let button = window.get_by_label("Block").rect();
    assert!(button.top() > 0.0 && button.bottom() <= size.y, "{button:?}");
}

#[test]
fn a_price_per_job_alone_neither_looks_free_nor_comes_first() {
    let mut providers = filled();
    let mut greedy = offer("f6", "gilt-magpie", "qwen3-8b", 0);
    greedy.tariff = Tariff { least: Sats(40), ..Tariff::FREE };
    providers.apply(Event::Here(vec![greedy]));
    assert_eq!(providers.name(providers.listed().last().unwrap()), "gilt-magpie");
    providers.perform(&Action::Choose("f6".repeat(32)));
    let window = window(screen(providers), Theme::Light);
    window.get_by_label_contains("gilt-magpie, qwen3-8b, min 40 sats");
    window.get_by_label_contains("Asks: at least 40 sats a job.");
}

#[test]
fn fitness_stands_in_the_table() {
    let providers = chosen(|reputation| reputation.score = Some((0.874, 4_120)));
    let window = window(screen(providers), Theme::Light);
    window.get_by_label_contains("amber-fox, qwen3-8b, 2 sats, 1.3 s, 0.87, 99.2%");
}

#[test]
fn the_key_of_the_chosen_provider_can_be_copied() {
    let providers = chosen(|_| {});
    let mut window = window(screen(providers), Theme::Light);
    click(&mut window, "Copy the key");
    window.get_by_label("Copied");
}

#[test]
fn the_table_sorts_by_record_and_selects_the_pressed_row() {
    let mut window = window(screen(filled()), Theme::Light);
    window.get_by_label("Sort by Per 1k tokens, now smallest first");
    click(&mut window, "Sort by Agreed");
    let providers = &window.state().state().providers;
    let first = &providers.listed()[providers.sorted.row(0)];
    assert_eq!(providers.name(first), "amber-fox", "the others were never compared");
    let top = |window: &Harness<'_, Desktop>, name: &str| {
        let row = format!("{name}, ");
        window.get_by_label_contains(&row).rect().top()
    };
    assert!(top(&window, "amber-fox") < top(&window, "birch-otter"));
    window.get_by_label_contains("birch-otter, ").click();
    window.run_ok();
    assert_eq!(window.state().state().providers.chosen, Some("c3".repeat(32)));
    // A provider that comes later is put into the order.
    click(&mut window, "Sort by Name");
    let late = Event::Here(vec![offer("e5", "aspen-wren", "qwen3-8b", 9_000)]);
    window.state_mut().state_mut().providers.apply(late);
    window.run_ok();
    assert!(top(&window, "amber-fox") < top(&window, "aspen-wren"));
    assert!(top(&window, "aspen-wren") < top(&window, "birch-otter"));
}

#[test]
fn lines_that_hold_no_buttons_stand_close_together() {
    let window = window(screen(watching()), Theme::Light);
    let top = |address: &str| window.get_by_label(address).rect().top();
    let apart = top("wss://other.example") - top("wss://relay.example");
    assert!((20.0..34.0).contains(&apart), "{apart}");
}
