//! Draws the providers screen.

use egui::Ui;
use lucide_icons::Icon;

use super::record::Record;
use super::state::{Action, Providers, Reputation, Show, Watching};
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{lasting, plural, relays_missed};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, Order, Row, Table, Tone, Touched, Unit, badge_ui, card_ui, column_ui,
    copy_ui, empty_ui, figure_ui, heading, icon_ui, mark_ui, name, note_ui, one_line_ui, play_ui, scroll_ui,
    soft, tabs_ui, tariff_in_short, tariff_words, thousands, title_ui,
};
use frlm_client::local_swarm::Speaks;
use frlm_client::trial::Trial;

/// Room for the chosen provider below the table.
const DETAILS: f32 = 252.0;

/// Height of a line without buttons.
const LINE: f32 = 20.0;

/// Width of the widest word on where a relay stands, with its icon and ground.
const BADGE: f32 = 102.0;

/// Of the table of providers.
pub static COLUMNS: [Column; 9] = [
    Column::rest("Name"),
    Column::rest("Model"),
    Column::figures("Per 1k tokens", 148.0),
    Column::figures("Answer", 64.0),
    Column::figures("Fitness", 62.0),
    Column::figures("Fidelity", 64.0),
    Column::figures("Agreed", 62.0),
    Column::fixed("", 96.0),
    Column::figures("Spent", 84.0),
];

/// Which of them has the prices.
const PRICE: usize = 2;
/// Its width where there is less room.
const NARROW_PRICE: f32 = 116.0;

/// The cheapest stand first of themselves.
const OWN: Option<Order> = Some(Order::rising(PRICE));

/// In less width than this the last column is left to the details below the table.
const ROOMY: f32 = 820.0;

pub fn providers_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let providers = &state.providers;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        let subtitle = "The providers at your relays. Models are self-reported; agreement is measured.";
        title_ui(ui, "Providers", subtitle, |ui| {
            Button::new("Reconnect").icon(Icon::RefreshCw).show(ui, commands, Action::Again);
        });
        ui.add_space(space::M);
        watching_ui(ui, providers, commands);
        if matches!(providers.watching, Watching::Beginning | Watching::Failed(_)) {
            return;
        }
        ui.scope(|ui| relays_ui(ui, providers, state.swarm.relay()));
        if providers.watching == Watching::NoRelay && providers.listed().is_empty() {
            no_relay_ui(ui, &state.swarm, commands);
            return;
        }
        listed_ui(ui, state, commands);
    });
}

fn watching_ui(ui: &mut Ui, providers: &Providers, commands: &mut Commands) {
    match &providers.watching {
        Watching::Beginning => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the settings…")),
        Watching::Failed(why) => {
            let safe = format!("{why}. No relay was contacted.");
            Banner { tone: Tone::Bad, what: "The settings cannot be used", safe: &safe }.show(ui, |ui| {
                Button::new("Open Settings").icon(Icon::Settings).show(ui, commands, Screen::Settings);
            });
        }
        Watching::Unreachable(why) => {
            let why = relays_missed(why);
            let safe = format!("{why}. Nothing was sent and no sats moved. FRLM tries again every 5 s.");
            Banner { tone: Tone::Bad, what: "No relay can be reached", safe: &safe }.show(ui, |ui| {
                Button::new("Try again now").icon(Icon::RotateCcw).show(ui, commands, Action::Again);
                Button::new("Change the relays").icon(Icon::Settings).show(ui, commands, Screen::Settings);
            });
        }
        Watching::NoRelay | Watching::Connecting | Watching::On => {}
    }
}

/// Where each relay stands. While they reconnect, what they were before is not known to be so.
fn relays_ui(ui: &mut Ui, providers: &Providers, swarm: Option<&str>) {
    ui.spacing_mut().interact_size.y = LINE;
    let connecting = providers.watching == Watching::Connecting;
    for relay in &providers.relays {
        ui.horizontal(|ui| {
            let (tone, icon, word) = match (connecting, relay.online) {
                (true, _) => (Tone::Busy, Icon::LoaderCircle, "connecting"),
                (false, true) => (Tone::Good, Icon::CircleCheck, "online"),
                (false, false) => (Tone::Bad, Icon::CircleX, "offline"),
            };
            let badge = badge_ui(ui, tone, icon, word).rect;
            // Addresses stand below each other, whatever the word before them.
            ui.add_space((BADGE - badge.width()).max(0.0));
            ui.label(egui::RichText::new(&relay.address).monospace());
            if swarm == Some(relay.address.as_str()) {
                ui.label(soft(ui, "the local swarm, paid in"));
                play_ui(ui, Unit::Play);
            }
            if !relay.words.is_empty() && !connecting {
                // Of one that is not there, they may be the network's.
                let whose = if relay.online { "says: " } else { "" };
                one_line_ui(ui, soft(ui, &format!("{whose}{}", relay.words)));
            }
        });
    }
}

fn no_relay_ui(ui: &mut Ui, swarm: &LocalSwarm, commands: &mut Commands) {
    empty_ui(
        ui,
        Icon::RadioTower,
        "No relay yet",
        "FRLM contacts only relays that you add. Add one in Settings: this machine's, a friend's, or a public \
         one. Or try everything on this machine.",
        |ui| {
            Button::primary("Add a relay").icon(Icon::Settings).show(ui, commands, Screen::Settings);
            swarm_button_ui(ui, swarm, commands);
        },
    );
}

fn swarm_button_ui(ui: &mut Ui, swarm: &LocalSwarm, commands: &mut Commands) {
    if swarm.can_start() && ui.add(Button::new("Start the local swarm").icon(Icon::Network)).clicked() {
        commands.push(Command::StartLocalSwarm(Speaks::Embedded));
    }
    if *swarm == LocalSwarm::Starting {
        ui.add(Button::new("Starting the local swarm…").icon(Icon::LoaderCircle).enabled(false));
    }
}

fn listed_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let providers = &state.providers;
    ui.add_space(space::S);
    ui.horizontal(|ui| {
        let here = providers.here.len();
        let connecting = providers.watching == Watching::Connecting;
        if connecting && providers.relays.is_empty() {
            // Once relays stand above, each of them says so itself.
            mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Connecting…");
        } else if !connecting && here > 0 {
            ui.label(name(&format!("{} here", plural(here, "provider"))));
            ui.label(soft(ui, &format!("at {}", plural(providers.online(), "relay"))));
        }
        let tabs = [(Show::Here, "Online"), (Show::Known, "All known")];
        commands.extend(tabs_ui(ui, &tabs, providers.show).map(Action::Show));
        if !providers.choices.preferred.is_empty() {
            let words = format!(
                "only {} will be asked",
                plural(providers.choices.preferred.len(), "preferred provider")
            );
            mark_ui(ui, Tone::Accent, Icon::Star, &words);
        }
    });
    let height = (ui.available_height() - DETAILS - space::XL).max(96.0);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        let listed = providers.listed();
        if listed.is_empty() {
            nobody_ui(ui, state, commands);
            return;
        }
        let row = |position: usize| row(providers, &listed[position]);
        let mut columns = COLUMNS;
        let shown = if ui.available_width() < ROOMY {
            // Names and models are told apart by all of their letters, prices by the first few.
            columns[PRICE] = Column::figures("Per 1k tokens", NARROW_PRICE);
            &columns[..COLUMNS.len() - 1]
        } else {
            &columns[..]
        };
        let table = Table::new("providers", shown)
            .sorted(&providers.sorted, OWN)
            .choosing(providers.chosen.as_deref());
        match table.show(ui, height, listed.len(), row) {
            Some(Touched::Row(position)) => {
                commands.push(Action::Choose(listed[position].clone()));
            }
            Some(Touched::Sort(order)) => commands.push(Action::Sort(order)),
            None => {}
        }
    });
    if !providers.listed().is_empty() {
        ui.add_space(space::S);
        // In a small window there is more to say of one of them than there is room.
        scroll_ui(ui, "provider", |ui| chosen_ui(ui, providers, commands));
    }
}

fn nobody_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    match state.providers.watching {
        Watching::Connecting => {
            ui.label(soft(ui, "Announcements arrive soon after connecting."));
            return;
        }
        // Nobody knows who announces there.
        Watching::Unreachable(_) => {
            let then = "Providers appear as soon as a relay can be reached. The local swarm has its own.";
            empty_ui(ui, Icon::Users, "No provider can be seen", then, |ui| {
                swarm_button_ui(ui, &state.swarm, commands);
            });
            return;
        }
        _ => {}
    }
    empty_ui(
        ui,
        Icon::Users,
        "No providers online",
        "No provider is online at these relays, so no question would be answered there and nothing would be \
         spent. Ask somebody to run \"frlm provide\" with one of these relays, start earning yourself, or try \
         the local swarm.",
        |ui| {
            Button::primary("Start earning").icon(Icon::HandCoins).show(ui, commands, Screen::Earn);
            swarm_button_ui(ui, &state.swarm, commands);
        },
    );
}

fn row(providers: &Providers, key: &str) -> Row {
    let offer = providers.here.get(key);
    let record = providers.record(key);
    let dash = || "–".to_owned();
    let status = if providers.choices.blocked.contains(key) {
        Cell::mark(Tone::Bad, Icon::Ban, "blocked")
    } else if providers.choices.preferred.contains(key) {
        Cell::mark(Tone::Accent, Icon::Star, "preferred")
    } else if let Some(why) = distrusted(providers.reputations.get(key)) {
        Cell::mark(Tone::Bad, Icon::ShieldX, why)
    } else if providers.reputations.get(key).is_some_and(|reputation| !reputation.biases.is_empty()) {
        Cell::mark(Tone::Warn, Icon::TriangleAlert, "stands out")
    } else if offer.is_none() {
        Cell::soft("offline")
    } else {
        Cell::text("")
    };
    Row {
        chosen: providers.chosen.as_deref() == Some(key),
        cells: vec![
            Cell::text(providers.name(key)),
            Cell::text(offer.map_or_else(dash, |offer| offer.model.clone())),
            Cell::text(offer.map_or_else(dash, |offer| tariff_in_short(&offer.tariff))),
            Cell::text(record.and_then(Record::mean_ms).map_or_else(dash, lasting)),
            Cell::text(fitness(providers.reputations.get(key))),
            Cell::text(fidelity(providers.reputations.get(key))),
            Cell::text(agreement(record)),
            status,
            Cell::text(record.map_or_else(dash, |record| record.unit.amount(record.spent_sats))),
        ],
    }
}

/// What came of its answers here, where it has earned a score.
fn fitness(reputation: Option<&Reputation>) -> String {
    let score = reputation.and_then(|reputation| reputation.score);
    score.map_or("–".to_owned(), |(fitness, _)| format!("{fitness:.2}"))
}

/// Its fidelity in the kind of work in which it is trusted least.
fn fidelity(reputation: Option<&Reputation>) -> String {
    let share = reputation.and_then(|reputation| reputation.fidelity);
    share.map_or("–".to_owned(), |share| format!("{:.1}%", share * 100.0))
}

/// Why it is not asked any more, if it is not.
fn distrusted(reputation: Option<&Reputation>) -> Option<&'static str> {
    reputation.map(|reputation| reputation.status).filter(|status| ["lied", "excluded"].contains(status))
}

fn agreement(record: Option<&Record>) -> String {
    record
        .and_then(Record::agreement)
        .map_or("–".to_owned(), |agreement| format!("{:.0}%", agreement * 100.0))
}

fn chosen_ui(ui: &mut Ui, providers: &Providers, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.set_min_height(DETAILS - 2.0 * space::L - space::XL);
        let Some(key) = &providers.chosen else {
            ui.label(soft(ui, "Choose a provider to see its record, to prefer it or to block it."));
            return;
        };
        ui.horizontal(|ui| {
            ui.label(heading(&providers.name(key)));
            if let Some((fitness, credits)) = providers.reputations.get(key).and_then(|reputation| reputation.score) {
                let words = format!("fitness {fitness:.2}, {} credits", thousands(credits));
                let hint = "Right, fast and well explained answers raise fitness. It is a score, not sats, and \
                            does not decide who is asked";
                ui.label(soft(ui, &words)).on_hover_text(hint);
            }
            copy_ui(ui, Button::quiet("Copy the key").icon_only(Icon::Copy), key, || key.clone());
            one_line_ui(ui, egui::RichText::new(key).monospace());
        });
        if let Some(offer) = providers.here.get(key) {
            let does =
                if offer.records_only { "copies fields out of records" } else { "follows instructions" };
            let weights = match &offer.weights_hash {
                Some(hash) => format!("weights {}…", crate::desktop::widgets::words::short(hash)),
                None => "weights not named".to_owned(),
            };
            let words = format!(
                "Claims to run {} ({weights}), which {does}, {} at once in {} tokens of context. Asks: {}.",
                offer.model,
                thousands(u64::from(offer.workers)),
                thousands(offer.context_tokens),
                tariff_words(Unit::Sats, &offer.tariff)
            );
            ui.label(soft(ui, &words));
        } else {
            ui.label(soft(ui, "It is offline at your relays now."));
        }
        ui.scope(|ui| biases_ui(ui, providers.reputations.get(key)));
        ui.add_space(space::XS);
        match (&providers.records, providers.record(key)) {
            (Load::Busy, _) => {
                drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the recorded runs…"));
            }
            (Load::Failed(why), _) => {
                let words = format!("Its record cannot be read: {why}. \"Reconnect\" reads it again.");
                note_ui(ui, Tone::Bad, Icon::CircleX, &words);
            }
            (Load::Ready(_), None) => drop(ui.label(soft(ui, "None of your recorded runs asked it."))),
            (Load::Ready(_), Some(record)) => record_ui(ui, record, providers.reputations.get(key)),
        }
        choices_ui(ui, providers, key, commands);
    });
}

/// In one line; what is more is in the tooltip.
fn biases_ui(ui: &mut Ui, reputation: Option<&Reputation>) {
    let biases = reputation.map_or(&[][..], |reputation| reputation.biases.as_slice());
    let Some(first) = biases.first() else { return };
    let words = match biases.len() {
        1 => first.clone(),
        all => format!("{first}; and {} more", all - 1),
    };
    ui.spacing_mut().interact_size.y = LINE;
    ui.horizontal(|ui| {
        icon_ui(ui, Tone::Warn, Icon::TriangleAlert, "stands out");
        one_line_ui(ui, words).on_hover_text(biases.join("\n"));
    });
}

fn record_ui(ui: &mut Ui, record: &Record, reputation: Option<&Reputation>) {
    ui.columns(5, |columns| {
        figure_ui(&mut columns[0], "Jobs", &thousands(record.asked), "in the recorded runs");
        let words = format!("{} agreed, {} not", record.agreed, record.dissented);
        figure_ui(&mut columns[1], "Agreement", &agreement(Some(record)), &words);
        let known = reputation.map_or("newcomer", |reputation| reputation.status);
        let about = format!("{known}; weakest kind");
        let kinds = reputation.iter().flat_map(|reputation| &reputation.kinds);
        let kinds: Vec<String> = kinds.map(|(kind, share)| format!("{kind} {:.1}%", share * 100.0)).collect();
        let hint = format!("Fidelity by kind of work: {}", kinds.join(", "));
        let figure = &mut columns[2];
        figure
            .scope(|ui| figure_ui(ui, "Fidelity", &fidelity(reputation), &about))
            .response
            .on_hover_text(hint);
        let mean = record.mean_ms().map_or("–".to_owned(), lasting);
        figure_ui(&mut columns[3], "Mean answer", &mean, "from job to result");
        figure_ui(&mut columns[4], "Spent", &record.unit.amount(record.spent_sats), "on its answers");
    });
    ui.add_space(space::S);
}

fn choices_ui(ui: &mut Ui, providers: &Providers, key: &str, commands: &mut Commands) {
    let blocked = providers.choices.blocked.contains(key);
    let preferred = providers.choices.preferred.contains(key);
    ui.horizontal(|ui| {
        let hint = "sends one made-up record under a fresh key and pays nothing";
        let trial = providers.trials.get(key);
        let word = if trial == Some(&Trial::Busy) { "Testing…" } else { "Test" };
        let button = Button::new(word).icon(Icon::Activity).enabled(providers.can_try(key));
        button.hint(hint).show(ui, commands, Action::Try(key.to_owned()));
        let (word, icon) =
            if preferred { ("Stop preferring", Icon::StarOff) } else { ("Prefer", Icon::Star) };
        let button =
            Button::new(word).icon(icon).hint("if you prefer any providers, your runs ask only those");
        button.show(ui, commands, Action::Prefer(key.to_owned(), !preferred));
        let hint = "your runs never ask a blocked provider";
        let button = if blocked {
            Button::new("Unblock").icon(Icon::Undo2)
        } else {
            Button::danger("Block").icon(Icon::Ban).hint(hint)
        };
        button.show(ui, commands, Action::Block(key.to_owned(), !blocked));
        if let Some(trial) = trial {
            trial_ui(ui, trial);
        }
    });
}

fn trial_ui(ui: &mut Ui, trial: &Trial) {
    let (tone, icon, words) = match trial {
        Trial::Busy => (Tone::Busy, Icon::LoaderCircle, "a small job was sent".to_owned()),
        Trial::Answered { took_ms, said, right: true, .. } => {
            (Tone::Good, Icon::CircleCheck, format!("right, after {}: \"{said}\"", lasting(*took_ms)))
        }
        Trial::Answered { took_ms, said, .. } => {
            (Tone::Warn, Icon::TriangleAlert, format!("wrong, after {}: \"{said}\"", lasting(*took_ms)))
        }
        Trial::WantsPay { took_ms, .. } => {
            let words =
                format!("online after {}; works only for pay, and a test pays nothing", lasting(*took_ms));
            (Tone::Plain, Icon::Coins, words)
        }
        Trial::Refused { took_ms, said } => {
            (Tone::Warn, Icon::Ban, format!("refused after {}: {said}", lasting(*took_ms)))
        }
        Trial::Failed(why) => (Tone::Bad, Icon::CircleX, why.clone()),
    };
    let (ink, _) = tone.colours(ui);
    icon_ui(ui, tone, icon, tone.word());
    one_line_ui(ui, egui::RichText::new(&words).color(ink));
}
