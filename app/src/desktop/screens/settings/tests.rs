use std::sync::Arc;

use egui::Theme;
use egui_kittest::kittest::Queryable as _;
use frlm_verifier::decisions::Priors;
use tracing::Level;

use super::form::{Field, Flag};
use super::state::{Action, Event, FromFile, Lines, Section, Settings};
use crate::desktop::engine::Event as AppEvent;
use crate::desktop::screens::load::Load;
use crate::desktop::screens::wallet::balance::{self, Holdings, Mint, WalletStatus};
use crate::desktop::screens::{Screen, wallet};
use crate::desktop::state::State;
use crate::desktop::testing::{HOME, click, pictures, press, sizes, window, window_sized};
use frlm_client::config::Config;
use frlm_client::doctor::Check;
use frlm_client::log_lines::Line;
use frlm_client::thresholds::{Data, Thresholds};

fn read() -> Settings {
    let text = "relays = ['wss://relay.example', 'ws://127.0.0.1:7777']\n[ask]\nbudget = 500\n";
    let config: Config = toml::from_str(text).unwrap();
    let (path, home) = (format!("{HOME}/config.toml"), HOME.to_owned());
    let mut settings = Settings::default();
    settings.apply(Event::Read(Load::Ready(Box::new(FromFile { config, path, home, identity: None }))));
    settings
}

fn at(section: Section, mut settings: Settings) -> State {
    settings.perform(&Action::Open(section));
    State { screen: Screen::Settings, settings, ..State::default() }
}

fn log() -> Vec<Arc<Line>> {
    let line = |at_ms, level, target: &str, text: &str| {
        Arc::new(Line { at_ms, level, target: target.to_owned(), text: text.to_owned() })
    };
    vec![
        line(1_800_000_000_000, Level::INFO, "frlm_relay", "connected  relay=wss://relay.example"),
        line(1_800_000_004_000, Level::WARN, "frlm_relay", "the relay is slow  relay=wss://relay.example"),
        line(1_800_000_009_000, Level::ERROR, "frlm_conductor", "cannot write to the run store: disk full"),
    ]
}

/// One stage is judged by bounds of the user's own.
fn with_thresholds() -> Settings {
    let own = r#"{"evaluation_thresholds":{"verify":{"real":{
        "dissent_rate":{"good_max":0.1,"warn_max":0.6,"retry":"tighten"}}}}}"#;
    let own = Some(Priors::parse(own).unwrap());
    let thresholds = Thresholds::new(own, format!("{HOME}/priors.json"));
    let mut settings = read();
    settings.apply(Event::Thresholds(Load::Ready(thresholds)));
    settings
}

/// Its wallet trusts one mint.
fn with_a_mint() -> State {
    let mint = Mint {
        url: "https://mint.example".to_owned(),
        available: 1_240,
        pending: 0,
        limit: Some(5_000),
        on_this_machine: false,
    };
    let status = WalletStatus::Open(Holdings { mints: vec![mint], ..Holdings::default() });
    let mut state = at(Section::Money, read());
    state.wallet.apply(wallet::Event::Balance(balance::Event::Status(Load::Ready(status))));
    state
}

#[test]
fn mints_stand_beside_the_limits_and_without_a_wallet_a_way_to_one() {
    let drawn = window(with_a_mint(), Theme::Light);
    drawn.get_by_label("Remove https://mint.example");
    drawn.get_by_label("Add the mint");
    let mut state = at(Section::Money, read());
    state.wallet.apply(wallet::Event::Balance(balance::Event::Status(Load::Ready(WalletStatus::None))));
    let mut drawn = window(state, Theme::Dark);
    // It may lie below what is in sight.
    press(&mut drawn, "Create a wallet");
    let state = drawn.state().state();
    assert_eq!((state.screen, state.wallet.tab), (Screen::Wallet, wallet::Tab::Balance));
}

#[test]
fn thresholds_say_where_they_come_from_and_a_file_of_ones_own_is_offered() {
    let drawn = window(at(Section::Thresholds, with_thresholds()), Theme::Light);
    drawn.get_by_label(
        "verify, dissent rate: compared answers that differ, up to 0.1, up to 0.6, tighten, your file",
    );
    assert!(drawn.query_by_label("Create my own file").is_none());
    let mut built_in = read();
    let path = format!("{HOME}/priors.json");
    built_in.apply(Event::Thresholds(Load::Ready(Thresholds::new(None, path))));
    let mut drawn = window(at(Section::Thresholds, built_in), Theme::Dark);
    drawn.get_by_label("Create my own file");
    click(&mut drawn, "Lab and gold");
    assert_eq!(drawn.state().state().settings.data, Data::Synthetic);
}

#[test]
fn in_a_small_window_the_tabs_of_settings_never_move() {
    let mut changed = read();
    changed.perform(&Action::Type(Field::Quorum, "0.5".to_owned()));
    assert!(changed.is_changed());
    let shown = vec![
        at(Section::Relays, Settings::default()),
        at(Section::Relays, read()),
        at(Section::Asking, changed),
        at(Section::Appearance, read()),
    ];
    let top = |shown| {
        let drawn = window_sized(shown, Theme::Light, egui::vec2(960.0, 600.0), 1.0);
        drawn.get_by_label("Diagnostics").rect().top()
    };
    let tops: Vec<f32> = shown.into_iter().map(top).collect();
    assert!(tops.iter().all(|top| (top - tops[0]).abs() < 0.5), "{tops:?}");
}

#[test]
fn every_part_has_its_picture() {
    pictures("settings_loading", &at(Section::Relays, Settings::default()));
    pictures("settings_relays", &at(Section::Relays, read()));
    let mut asking = read();
    asking.perform(&Action::Type(Field::Quorum, "2".to_owned()));
    pictures("settings_asking", &at(Section::Asking, asking));
    pictures("settings_providing", &at(Section::Providing, read()));
    pictures("settings_money", &with_a_mint());
    let mut without = at(Section::Money, read());
    without.wallet.apply(wallet::Event::Balance(balance::Event::Status(Load::Ready(WalletStatus::None))));
    pictures("settings_no_wallet", &without);
    let thresholds = at(Section::Thresholds, with_thresholds());
    pictures("settings_thresholds", &thresholds);
    sizes("settings_thresholds", &thresholds);
    let mut unusable = read();
    let why = format!("{HOME}/priors.json is not usable: the bounds of dissent_rate are out of order");
    unusable.apply(Event::Thresholds(Load::Failed(why)));
    pictures("settings_thresholds_error", &at(Section::Thresholds, unusable));
    let mut known = read();
    if let Load::Ready(file) = &mut known.file {
        file.identity = Some("npub1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0jqscdwkg".to_owned());
    }
    pictures("settings_privacy", &at(Section::Privacy, known));
    pictures("settings_appearance", &at(Section::Appearance, read()));
    let mut checked = read();
    checked.perform(&Action::Diagnose);
    for (name, outcome) in [
        ("state", Ok(HOME)),
        ("ledger", Ok("all balances match")),
        (
            "relay wss://relay.example",
            Err(
                "no relay could be reached: wss://relay.example (connection refused). Is one running there? Check the \
                 address, or start one on this machine: frlm relay",
            ),
        ),
    ] {
        let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
        checked.apply(Event::Checked(Check { name: name.to_owned(), outcome }));
    }
    checked.apply(Event::AllChecked);
    let checked = at(Section::Diagnostics, checked);
    pictures("settings_diagnostics", &checked);
    let drawn = window(checked, Theme::Light);
    let left = |name: &str| drawn.get_by_label(name).rect().left();
    assert!((left("ledger") - left("relay wss://relay.example")).abs() < 0.5, "names stand in one column");
    let mut checking = read();
    checking.perform(&Action::Diagnose);
    checking.apply(Event::Checked(Check { name: "state".to_owned(), outcome: Ok(HOME.to_owned()) }));
    pictures("settings_checking", &at(Section::Diagnostics, checking));
    pictures("settings_logs_empty", &at(Section::Logs, read()));
    let mut logged = read();
    logged.apply(Event::Log(log()));
    pictures("settings_logs", &at(Section::Logs, logged));
    let mut failed = Settings::default();
    let why = format!("{HOME}/config.toml is not usable: unknown field `bugdet`");
    failed.apply(Event::Read(Load::Failed(why)));
    pictures("settings_error", &at(Section::Relays, failed));
    sizes("settings_relays", &at(Section::Relays, read()));
    sizes("settings_asking", &at(Section::Asking, read()));
    sizes("settings_providing", &at(Section::Providing, read()));
    sizes("settings_money", &with_a_mint());
}

#[test]
fn a_relay_is_added_only_if_it_is_an_address() {
    let mut window = window(at(Section::Relays, read()), Theme::Light);
    let typed = |text: &str| Action::Relay(text.to_owned());
    window.state_mut().state_mut().settings.perform(&typed("https://relay.example"));
    window.run_ok();
    click(&mut window, "Add");
    assert!(window.state().state().settings.relay_problem.is_some());
    window.state_mut().state_mut().settings.perform(&typed("wss://new.example"));
    window.run_ok();
    click(&mut window, "Add");
    window.get_by_label("Remove wss://new.example");
    click(&mut window, "Save");
    assert!(window.state().state().settings.saving);
    window.state_mut().state_mut().apply(AppEvent::Settings(Event::Saved(Ok(()))));
    window.run_ok();
    assert!(!window.state().state().settings.is_changed());
}

#[test]
fn nothing_can_be_saved_while_something_cannot_work() {
    let mut settings = read();
    settings.perform(&Action::Type(Field::Budget, "a lot".to_owned()));
    settings.perform(&Action::Save);
    assert!(!settings.saving && settings.draft.problem().unwrap().contains("whole number"));
    settings.perform(&Action::Reload);
    assert!(!settings.is_changed() && settings.draft.text(Field::Budget) == "500");
}

#[test]
fn what_is_asked_about_is_called_a_part_here_as_on_every_other_screen() {
    for section in [Section::Asking, Section::Money, Section::Privacy] {
        let drawn = window(at(section, read()), Theme::Light);
        for word in ["ragment", "subtask"] {
            assert!(drawn.query_all_by_label_contains(word).next().is_none(), "{word}");
        }
    }
}

#[test]
fn the_field_that_is_wrong_says_so_itself() {
    let mut asking = read();
    asking.perform(&Action::Type(Field::Quorum, "2".to_owned()));
    let window = window(at(Section::Asking, asking), Theme::Light);
    let problem = "Least share of verified parts for a partial answer: a number between 0 and 1";
    assert!(window.get_all_by_label(problem).count() > 1, "the banner says it, and so does the field");
}

#[test]
fn nothing_moves_once_the_file_is_read_and_save_follows_changes() {
    let top = |settings: Settings| {
        let drawn = window(at(Section::Relays, settings), Theme::Light);
        drawn.get_by_label("Asking").rect().top()
    };
    let (before, after) = (top(Settings::default()), top(read()));
    assert!((before - after).abs() < 1.0, "{before} and {after}");
    let drawn = window(at(Section::Appearance, read()), Theme::Light);
    assert!(drawn.query_by_label("Save").is_none());
    let mut changed = read();
    changed.perform(&Action::Type(Field::Budget, "750".to_owned()));
    let drawn = window(at(Section::Appearance, changed), Theme::Light);
    drawn.get_by_label("Save");
}

#[test]
fn the_log_is_searched_and_its_newest_line_comes_first() {
    let mut settings = read();
    settings.apply(Event::Log(log()));
    assert!(settings.shown()[0].text.contains("disk full"));
    settings.perform(&Action::Show(Lines::Warnings));
    assert_eq!(settings.shown().len(), 2);
    settings.perform(&Action::SearchLog("SLOW".to_owned()));
    assert_eq!(settings.shown().len(), 1);
}

#[test]
fn reading_the_file_again_keeps_what_is_being_typed() {
    let mut settings = read();
    settings.perform(&Action::Type(Field::Budget, "750".to_owned()));
    let Load::Ready(file) = settings.file.clone() else { panic!("it was read") };
    settings.apply(Event::Read(Load::Ready(file)));
    assert_eq!(settings.draft.text(Field::Budget), "750");
}

#[test]
fn in_a_small_window_all_of_a_part_can_be_reached() {
    let size = egui::vec2(900.0, 600.0);
    let mut window = window_sized(at(Section::Privacy, read()), Theme::Light, size, 1.0);
    assert!(window.get_by_label("exports").rect().bottom() > size.y, "it lies below what is in sight");
    window.key_press(egui::Key::End);
    window.run_ok();
    assert!(window.get_by_label("exports").rect().bottom() <= size.y);
}

#[test]
fn whether_an_own_key_vouches_for_runs_shows_at_identity_and_is_off() {
    let mut window = window(at(Section::Privacy, read()), Theme::Light);
    assert!(!window.state().state().settings.draft.flag(Flag::Certificate));
    click(&mut window, "Tell providers that I pay in escrow which runs are mine");
    let settings = &window.state().state().settings;
    assert!(settings.draft.flag(Flag::Certificate) && settings.is_changed());
}

#[test]
fn words_that_a_newcomer_does_not_know_are_explained_where_they_stand() {
    for (section, words) in [
        (Section::Asking, "the answer must pass the JSON schema or the Python check in this file"),
        (Section::Asking, "a provider that you trust, named by its public key"),
        (Section::Money, "Other NIP-90 providers"),
        (Section::Money, "FRLM_NWC is an environment variable"),
        (Section::Privacy, "the key that \"frlm serve --nostr\" answers whole questions under"),
        (Section::Privacy, "payments, remaining credit"),
    ] {
        let drawn = window(at(section, read()), Theme::Light);
        assert!(drawn.query_by_label_contains(words).is_some(), "{words}");
    }
}

#[test]
fn theme_and_size_are_chosen_by_their_names() {
    let mut window = window(at(Section::Appearance, read()), Theme::Light);
    for (word, zoom) in [("200%", 2.0), ("100%", 1.0)] {
        press(&mut window, word);
        assert!((window.ctx.zoom_factor() - zoom).abs() < 1e-3, "{}", window.ctx.zoom_factor());
    }
    click(&mut window, "Dark");
    assert_eq!(window.ctx.theme(), Theme::Dark);
}
