use std::time::Duration;

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use frlm_protocol::RefusalReason;
use frlm_provider::{ProviderEvent, ProviderStats};
use frlm_wallet::Sats;
use frlm_wallet::escrow::Earning;
use nostr::{EventId, PublicKey};

use super::form::{Field, Form};
use super::state::{Action, Earn, Event, Listed, PaymentSetup, Status};
use crate::desktop::app::Desktop;
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::engine::tray::Tray;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::testing::{click, pictures, press, sizes, window};

const RELAY: &str = "wss://relay.example";

fn form() -> Earn {
    let mut earn = Earn::default();
    let form = Form {
        name: "amber-fox".to_owned(),
        model: "/home/ada/Downloads/qwen3-4b-q4.gguf".to_owned(),
        price: "2".to_owned(),
        relays: vec![RELAY.to_owned()],
        ..Form::default()
    };
    earn.apply(Event::Form(Load::Ready(Box::new(form))));
    earn
}

/// The settings name nothing.
fn unnamed() -> Earn {
    let mut earn = Earn::default();
    earn.apply(Event::Form(Load::Ready(Box::default())));
    earn
}

fn online() -> Earn {
    let mut earn = form();
    earn.perform(&Action::Start);
    earn.apply(Event::Status(Status::On {
        key: "npub1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0jqscdwkg".to_owned(),
        model: "qwen3-4b-q4".to_owned(),
        at_once: 4,
        records_only: false,
        relays: vec![RELAY.to_owned()],
    }));
    earn.apply(Event::Stats(ProviderStats { relays_online: 1, ..ProviderStats::default() }));
    earn
}

fn at_work() -> Earn {
    let mut earn = online();
    let id = |number: u8| EventId::from_byte_array([number; 32]);
    let asker =
        PublicKey::from_hex("4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa").unwrap();
    let received = |number| ProviderEvent::JobReceived { job: id(number), asker, prompts: 16 };
    let duration = Duration::from_millis(2_140);
    let detail = "the queue is full; try again later".to_owned();
    earn.apply(Event::Provider(vec![
        received(1),
        ProviderEvent::Started { job: id(1) },
        ProviderEvent::Finished { job: id(1), tokens: 1_804, duration, confidence: None },
        ProviderEvent::Delivered { job: id(1) },
        ProviderEvent::Refused { job: id(7), reason: RefusalReason::Busy, detail },
        received(2),
        ProviderEvent::Started { job: id(2) },
        received(3),
    ]));
    earn.apply(Event::Stats(ProviderStats {
        received: 3,
        refused: 1,
        finished: 1,
        usage: frlm_inference::Usage { prompt_tokens: 1_620, completion_tokens: 184 },
        asked_msats: 4_000,
        queued: 1,
        running: 1,
        relays_online: 1,
        ..ProviderStats::default()
    }));
    earn
}

/// The pay for a job, which was so many minutes ago.
fn earning(job: u8, state: &str, price: u64, minutes: i64) -> Earning {
    Earning {
        job: EventId::from_byte_array([job; 32]).to_hex(),
        asker: "4f355bdcb7cc0af728ef3cceb9615d90".to_owned(),
        model: "qwen3-4b-q4".to_owned(),
        mint: "https://mint.example".to_owned(),
        state: state.to_owned(),
        price: Sats(price),
        received: if state == "redeemed" { Sats(price - 1) } else { Sats::ZERO },
        locktime: 1_000_600,
        at_unix_ms: 1_000_000_000 - minutes * 60_000,
    }
}

/// With a wallet, and pay in every state.
fn paid() -> Earn {
    let mut earn = at_work();
    earn.apply(Event::PaymentSetup(PaymentSetup::Open(vec!["https://mint.example".to_owned()])));
    let earnings = vec![
        earning(21, "lost", 7, 4_000),
        earning(22, "returned", 4, 90),
        earning(23, "released", 4, 3),
        earning(1, "redeemed", 4, 1),
        earning(2, "accepted", 4, 0),
        earning(3, "accepted", 4, 0),
    ];
    earn.apply(Event::Paid { earnings, now_secs: 1_000_000 });
    earn
}

/// An offer to work first, and a job that was.
fn owed() -> Earn {
    let mut earn = form();
    earn.apply(Event::PaymentSetup(PaymentSetup::Open(vec!["https://mint.example".to_owned()])));
    earn.perform(&Action::Type(Field::PayAfter, "3".to_owned()));
    let earnings = vec![earning(1, "redeemed", 4, 0), earning(2, "owed", 4, 0)];
    earn.apply(Event::Paid { earnings, now_secs: 1_000_000 });
    earn.perform(&Action::List(Listed::Pay));
    earn
}

#[test]
fn what_may_be_owed_is_part_of_the_offer_and_says_what_can_be_lost() {
    pictures("earn_owed", &screen(owed()));
    sizes("earn_owed", &screen(owed()));
    let window = window(screen(owed()), Theme::Light);
    window.get_by_label_contains("3 jobs per asker, 24");
    window.get_by_label("Paid after the verdict or through escrow at https://mint.example");
    window.get_by_label_contains("owed for work done, due within 10 min");
    assert_eq!(owed().form.limits().unwrap().prices.pay_after, 3);
    let mut free = owed();
    free.perform(&Action::Type(Field::Price, "0".to_owned()));
    assert_eq!(free.ready(), Err("name a price first: without a price nobody can owe you anything"));
}

#[test]
fn all_price_settings_show_on_demand_or_when_already_set() {
    let mut window = window(screen(form()), Theme::Light);
    assert!(window.query_by_label("Minimum per job, in sats").is_none());
    click(&mut window, "More about the price");
    window.get_by_label("Minimum per job, in sats");
    click(&mut window, "One price is enough");
    assert!(window.query_by_label("Minimum per job, in sats").is_none());
    for (field, text) in
        [(Field::Written, "6"), (Field::Minimum, "1"), (Field::Surge, "150"), (Field::Free, "3")]
    {
        let typed = Action::Type(field, text.to_owned());
        window.state_mut().state_mut().earn.perform(&typed);
    }
    window.run_ok();
    window.get_by_label("Minimum per job, in sats");
    window.get_by_label(
        "Announced: 2 sats per 1,000 tokens read and 6 written, at least 1 a job, 150% of that from 16 jobs on, \
         3 jobs per key and 24 for all free each day.",
    );
    let offer = window.state().state().earn.form.limits().unwrap().prices.offer();
    assert_eq!((offer.written_msats_per_1k, offer.least_msats), (Some(6_000), 1_000));
    assert_eq!(offer.free_jobs_per_day, 3);
}

#[test]
fn prices_that_cannot_be_meant_cannot_be_announced() {
    for (field, text, why) in [
        (Field::Surge, "50", "at least 100 percent"),
        (Field::Surge, "much", "in percent"),
        (Field::SurgeFrom, "0", "at least 1 job"),
        (Field::Written, "dear", "tokens written"),
        (Field::Minimum, "-1", "the minimum per job"),
        (Field::Free, "all", "the number of free jobs"),
    ] {
        let mut earn = form();
        earn.perform(&Action::Type(field, text.to_owned()));
        let refused = earn.ready().unwrap_err();
        assert!(refused.contains(why), "{refused}");
        assert!(earn.form.says_more_of_prices(), "what is wrong stands where it can be seen: {refused}");
    }
    let mut free = form();
    free.perform(&Action::Type(Field::Price, "0".to_owned()));
    free.perform(&Action::Type(Field::Free, "2".to_owned()));
    assert!(free.ready().unwrap_err().contains("every job is free"));
    free.perform(&Action::Type(Field::Minimum, "1".to_owned()));
    assert_eq!(free.ready(), Ok(()), "a least is a price");
}

/// The same with a mint at which a price can be paid.
fn with_mint(mut earn: Earn) -> Earn {
    earn.apply(Event::PaymentSetup(PaymentSetup::Open(vec!["https://mint.example".to_owned()])));
    earn
}

fn screen(earn: Earn) -> State {
    State { screen: Screen::Earn, earn, ..State::default() }
}

#[test]
fn every_state_has_its_picture() {
    pictures("earn_loading", &screen(Earn::default()));
    pictures("earn_unusable", &screen(unusable()));
    pictures("earn_no_relay", &screen(unnamed()));
    pictures("earn_offer", &screen(with_mint(form())));
    let mut starting = with_mint(form());
    starting.perform(&Action::Start);
    pictures("earn_starting", &screen(starting));
    let mut stopping = at_work();
    stopping.perform(&Action::Stop);
    pictures("earn_stopping", &screen(stopping));
    pictures("earn_waiting", &screen(online()));
    pictures("earn_busy", &screen(at_work()));
    let mut priced = form();
    for (field, text) in [(Field::Written, "6"), (Field::Surge, "150"), (Field::Free, "3")] {
        priced.perform(&Action::Type(field, text.to_owned()));
    }
    pictures("earn_prices", &screen(priced));
    let mut failed = with_mint(form());
    failed.perform(&Action::Start);
    let why = "no relay could be reached: wss://relay.example (connection refused)".to_owned();
    failed.apply(Event::Status(Status::Failed(why)));
    pictures("earn_error", &screen(failed));
    let mut yielding = with_mint(online());
    yielding.perform(&Action::Yields(true));
    yielding.apply(Event::Status(Status::Yielding));
    pictures("earn_yielding", &screen(yielding));
    let mut resting = with_mint(online());
    resting.perform(&Action::ByHours(true));
    resting.apply(Event::Place(Some(60)));
    resting.apply(Event::Status(Status::Resting { until: "22:00".to_owned() }));
    pictures("earn_resting", &screen(resting));
    pictures("earn_paid", &screen(paid()));
    let mut listed = paid();
    listed.perform(&Action::List(Listed::Pay));
    let there = State { background: true, tray: Tray::There, ..screen(listed) };
    pictures("earn_pay", &there);
    sizes("earn_paid", &screen(paid()));
}

/// The settings file holds what is none.
fn unusable() -> Earn {
    let mut earn = Earn::default();
    let why = "/home/ada/.local/share/frlm/config.toml is not usable: unknown field `bugdet`".to_owned();
    earn.apply(Event::Form(Load::Failed(why)));
    earn
}

#[test]
fn unusable_settings_are_not_taken_for_none_and_nothing_is_offered() {
    for (earn, said) in
        [(Earn::default(), "Reading the settings…"), (unusable(), "The settings cannot be used")]
    {
        assert!(earn.ready().is_err());
        let drawn = window(screen(earn), Theme::Light);
        drawn.get_by_label(said);
        let has = |label: &str| drawn.query_by_label(label).is_some();
        assert!(!has("No relay yet") && !has("The offer"));
    }
    let mut window = window(screen(unusable()), Theme::Dark);
    window.get_by_label_contains("unknown field `bugdet`");
    click(&mut window, "Open Settings");
    assert_eq!(window.state().state().screen, Screen::Settings);
}

#[test]
fn what_serves_can_be_paused_for_a_while() {
    for button in ["Pause 15 min", "Pause 1 h"] {
        let mut window = window(screen(at_work()), Theme::Light);
        click(&mut window, button);
        let status = &window.state().state().earn.status;
        assert_eq!(*status, Status::Stopping, "{button}: running jobs finish first");
    }
}

#[test]
fn an_offer_is_not_said_to_be_announced_before_this_machine_is_online() {
    let mut failed = form();
    failed.perform(&Action::Start);
    failed.apply(Event::Status(Status::Failed("No relay could be reached".to_owned())));
    for earn in [form(), failed] {
        let window = window(screen(earn), Theme::Light);
        window.get_by_label_contains("Announced at wss://relay.example while online.");
    }
}

#[test]
fn where_less_arrived_than_was_agreed_the_fee_stands_beside_it() {
    let mut earn = paid();
    earn.perform(&Action::List(Listed::Pay));
    let window = window(screen(earn), Theme::Light);
    window.get_by_label("1 job, in the wallet, after fees");
    window.get_by_label_contains("4 sats, 3 sats, earned; its mint kept 1 sat as a fee");
}

#[test]
fn an_offer_for_nothing_speaks_of_no_escrow_and_no_refusal_has_reasons() {
    let mut window = window(screen(unnamed()), Theme::Light);
    window.get_by_label("Without a price nothing is locked and nothing is owed.");
    assert!(window.query_by_label_contains("locked in escrow").is_none());
    *window.state_mut().state_mut() = screen(online());
    window.run_ok();
    window.get_by_label("none so far");
    assert!(window.query_by_label("reasons below").is_none());
    *window.state_mut().state_mut() = screen(at_work());
    window.run_ok();
    window.get_by_label("1 waiting, 1 running");
    window.get_by_label("reasons below");
}

#[test]
fn a_price_needs_a_mint_and_says_how_it_is_paid() {
    let mut earn = form();
    earn.apply(Event::PaymentSetup(PaymentSetup::NoMint));
    assert!(earn.ready().is_err());
    earn.apply(Event::PaymentSetup(PaymentSetup::NoWallet));
    let mut window = window(screen(earn.clone()), Theme::Light);
    window.get_by_label_contains("no sats move");
    click(&mut window, "Create a wallet");
    assert_eq!(window.state().state().screen, Screen::Wallet);
    earn.apply(Event::PaymentSetup(PaymentSetup::Open(vec!["https://mint.example".to_owned()])));
    *window.state_mut().state_mut() = screen(earn);
    window.run_ok();
    window.get_by_label("Paid through escrow at https://mint.example");
}

#[test]
fn where_the_desktop_has_no_tray_the_setting_says_so() {
    let tray = Tray::Missing("this desktop shows no tray icons".to_owned());
    let state = State { background: true, tray, ..screen(form()) };
    let window = window(state, Theme::Light);
    window.get_by_label(
        "this desktop shows no tray icons. When you close the window, FRLM asks and then quits.",
    );
}

#[test]
fn going_online_and_offline_says_what_happens_meanwhile() {
    let mut window = window(screen(form()), Theme::Light);
    click(&mut window, "Go online");
    assert_eq!(window.state().state().earn.status, Status::Starting);
    *window.state_mut().state_mut() = screen(at_work());
    window.run_ok();
    click(&mut window, "Go offline");
    window.get_by_label("Going offline");
    window.get_by_label("Stop at once");
    window.state_mut().state_mut().apply(AppEvent::Earn(Event::Status(Status::Off)));
    window.run_ok();
    window.get_by_label_contains("answered and delivered");
}

#[test]
fn an_offer_that_makes_no_sense_cannot_be_announced() {
    let mut window = window(screen(form()), Theme::Dark);
    let typed = Action::Type(Field::Price, "two".to_owned());
    window.state_mut().state_mut().earn.perform(&typed);
    window.run_ok();
    window.get_by_label("the price is a whole number of sats; 0 is free");
    click(&mut window, "Go online");
    assert_eq!(window.state().state().earn.status, Status::Off);
}

#[test]
fn why_there_are_no_jobs_is_told_from_what_is_known() {
    let earn = online();
    assert!(earn.why_no_jobs().iter().any(|reason| reason.contains("no job was sent")));
    assert!(earn.why_no_jobs().iter().any(|reason| reason.contains("cheapest")));
    assert!(at_work().why_no_jobs().is_empty());
    let mut gone = online();
    let offline = ProviderEvent::RelayOffline { relay: RELAY.to_owned(), reason: "closed".to_owned() };
    gone.apply(Event::Provider(vec![offline]));
    assert_eq!(gone.why_no_jobs()[0], "wss://relay.example is offline: closed");
}

#[test]
fn what_was_typed_is_not_overwritten_by_the_settings() {
    let mut earn = form();
    earn.perform(&Action::Type(Field::Name, "mine".to_owned()));
    let read = Form { relays: vec!["wss://new.example".to_owned()], ..Form::default() };
    earn.apply(Event::Form(Load::Ready(Box::new(read))));
    assert_eq!((earn.form.name.as_str(), earn.form.relays[0].as_str()), ("mine", "wss://new.example"));
}

#[test]
fn a_paused_machine_says_until_when_and_can_resume_or_go_offline() {
    let resting = Status::Resting { until: "22:00".to_owned() };
    let pauses = [
        (Status::Yielding, "Paused: the machine is busy", "a minute after they have stopped"),
        (resting, "Out of hours", "goes online again by itself at 22:00"),
        (Status::Paused { minutes: 1 }, "Paused", "after 1 minute, with"),
    ];
    for (paused, what, until) in pauses {
        for (button, status) in [("Resume now", Status::Starting), ("Go offline", Status::Off)] {
            let mut earn = online();
            earn.apply(Event::Status(paused.clone()));
            assert!(earn.is_paused() && earn.relays.is_empty());
            let mut window = window(screen(earn), Theme::Light);
            window.get_by_label(what);
            window.get_by_label_contains(until);
            click(&mut window, button);
            assert_eq!(window.state().state().earn.status, status);
        }
    }
}

#[test]
fn hours_of_the_offer_follow_the_local_clock_and_bad_ones_are_refused() {
    let mut earn = form();
    earn.apply(Event::Place(Some(60)));
    let mut window = window(screen(earn), Theme::Light);
    click(&mut window, "Serve at certain hours only");
    window.get_by_label("Every day from 22:00 to 7:00, by this machine's clock, UTC+01:00");
    let earn = &mut window.state_mut().state_mut().earn;
    assert!(earn.form.limits().unwrap().hours.is_some());
    earn.perform(&Action::Type(Field::To, "22".to_owned()));
    assert!(earn.ready().is_err());
    window.run_ok();
    window.get_by_label("the first and the last hour are the same; clear the checkbox to serve all day");
}

#[test]
fn yielding_to_others_is_part_of_the_offer() {
    let mut window = window(screen(form()), Theme::Light);
    click(&mut window, "Pause while other programs need this machine");
    assert!(window.state().state().earn.form.yields);
}

#[test]
fn jobs_and_pay_are_sorted_by_their_heads_and_their_rows_are_only_read() {
    let mut window = window(screen(paid()), Theme::Light);
    press(&mut window, "Sort by Tokens");
    let (worked, refused) = ("answered and delivered", "the queue is full");
    let top = |window: &Harness<'_, Desktop>, words: &str| window.get_by_label_contains(words).rect().top();
    assert!(top(&window, worked) < top(&window, refused), "only one has counted tokens");
    // A job that comes now stands where it belongs, below.
    let asker =
        PublicKey::from_hex("4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa").unwrap();
    let job = EventId::from_byte_array([9; 32]);
    let came = Event::Provider(vec![ProviderEvent::JobReceived { job, asker, prompts: 1 }]);
    window.state_mut().state_mut().earn.apply(came);
    window.run_ok();
    let new = "09090909, 4f355bdc";
    assert!(top(&window, worked) < top(&window, new));
    press(&mut window, "Sort by Tokens, now largest first");
    press(&mut window, "Sort by Tokens, now smallest first");
    assert!(top(&window, new) < top(&window, worked), "of itself the newest stands first");
    press(&mut window, "Sort by Tokens");
    press(&mut window, "Pay, all time");
    assert_eq!(window.state().state().earn.sorted.chosen(), None, "the other table has other columns");
    press(&mut window, "Sort by Agreed");
    assert!(top(&window, "withheld: the asker") < top(&window, "returned: cancelled"));
}
