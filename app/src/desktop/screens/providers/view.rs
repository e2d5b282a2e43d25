//! Draws the providers screen.

use egui::Ui;
use lucide_icons::Icon;

use super::past_jobs::PastJobs;
use super::state::{Action, Providers, Reputation, Watching};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{lasting, relays_missed};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, Order, Row, Table, Tone, Touched, Unit, badge_ui, busy_ui, card_ui,
    column_ui, copy_ui, empty_ui, figure_ui, heading, icon_ui, mark_ui, name, note_ui, one_line_ui, play_ui,
    scroll_ui, soft, tabs_ui, tariff_in_short, thousands, title_ui,
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
    Column::rest(words::NAME),
    Column::rest(words::MODEL),
    Column::figures(words::PRICE, 148.0),
    Column::figures(words::ANSWER, 64.0),
    Column::figures(words::FITNESS, 62.0),
    Column::figures(words::FIDELITY, 64.0),
    Column::figures(words::AGREED, 62.0),
    Column::fixed(words::STATUS, 96.0),
    Column::figures(words::SPENT, 84.0),
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
        title_ui(ui, words::TITLE, words::SUBTITLE, |ui| {
            Button::new(words::RECONNECT).icon(Icon::RefreshCw).show(ui, commands, Action::Again);
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
        Watching::Beginning => busy_ui(ui, words::READING_SETTINGS),
        Watching::Failed(why) => {
            let safe = words::settings_unusable(why);
            Banner { tone: Tone::Bad, what: words::SETTINGS_UNUSABLE, safe: &safe }.show(ui, |ui| {
                Button::new(words::OPEN_SETTINGS).icon(Icon::Settings).show(ui, commands, Screen::Settings);
            });
        }
        Watching::Unreachable(why) => {
            let safe = words::unreachable(relays_missed(why));
            Banner { tone: Tone::Bad, what: words::UNREACHABLE, safe: &safe }.show(ui, |ui| {
                Button::new(words::TRY_NOW).icon(Icon::RotateCcw).show(ui, commands, Action::Again);
                Button::new(words::CHANGE_RELAYS).icon(Icon::Settings).show(ui, commands, Screen::Settings);
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
                (true, _) => (Tone::Busy, Icon::LoaderCircle, words::IS_CONNECTING),
                (false, true) => (Tone::Good, Icon::CircleCheck, words::ONLINE),
                (false, false) => (Tone::Bad, Icon::CircleX, words::OFFLINE),
            };
            let badge = badge_ui(ui, tone, icon, word).rect;
            // Addresses stand below each other, whatever the word before them.
            ui.add_space((BADGE - badge.width()).max(0.0));
            ui.label(egui::RichText::new(&relay.address).monospace());
            if swarm == Some(relay.address.as_str()) {
                ui.label(soft(ui, words::LOCAL_SWARM));
                play_ui(ui, Unit::Play);
            }
            if !relay.words.is_empty() && !connecting {
                // Of one that is not there, they may be the network's.
                let said = if relay.online { words::says(&relay.words) } else { relay.words.clone() };
                one_line_ui(ui, soft(ui, &said));
            }
        });
    }
}

fn no_relay_ui(ui: &mut Ui, swarm: &LocalSwarm, commands: &mut Commands) {
    empty_ui(ui, Icon::RadioTower, words::NO_RELAY, words::NO_RELAY_THEN, |ui| {
        Button::primary(words::ADD_RELAY).icon(Icon::Settings).show(ui, commands, Screen::Settings);
        swarm_button_ui(ui, swarm, commands);
    });
}

fn swarm_button_ui(ui: &mut Ui, swarm: &LocalSwarm, commands: &mut Commands) {
    if swarm.can_start() && ui.add(Button::new(words::START_SWARM).icon(Icon::Network)).clicked() {
        commands.push(Command::StartLocalSwarm(Speaks::Embedded));
    }
    if *swarm == LocalSwarm::Starting {
        ui.add(Button::new(words::STARTING_SWARM).icon(Icon::LoaderCircle).enabled(false));
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
            busy_ui(ui, words::CONNECTING);
        } else if !connecting && here > 0 {
            ui.label(name(&words::online(here)));
            ui.label(soft(ui, &words::at_relays(providers.online())));
        }
        commands.extend(tabs_ui(ui, &words::SHOWN, providers.show).map(Action::Show));
        if !providers.choices.preferred.is_empty() {
            let only = words::only_preferred(providers.choices.preferred.len());
            mark_ui(ui, Tone::Accent, Icon::Star, &only);
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
            columns[PRICE] = Column::figures(words::PRICE, NARROW_PRICE);
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
        Watching::Connecting => drop(ui.label(soft(ui, words::SOON))),
        // Nobody knows who announces there.
        Watching::Unreachable(_) => {
            empty_ui(ui, Icon::Users, words::NONE_SEEN, words::NONE_SEEN_THEN, |ui| {
                swarm_button_ui(ui, &state.swarm, commands);
            });
        }
        Watching::Beginning | Watching::NoRelay | Watching::On | Watching::Failed(_) => {
            empty_ui(ui, Icon::Users, words::NONE_ONLINE, words::NONE_ONLINE_THEN, |ui| {
                Button::primary(words::START_EARNING).icon(Icon::HandCoins).show(ui, commands, Screen::Earn);
                swarm_button_ui(ui, &state.swarm, commands);
            });
        }
    }
}

fn row(providers: &Providers, key: &str) -> Row {
    let offer = providers.here.get(key);
    let past = providers.past_jobs(key);
    let dash = || words::UNKNOWN.to_owned();
    let status = match status(providers, key) {
        (tone, Some(icon), word) => Cell::mark(tone, icon, word),
        (_, None, word) => Cell::soft(word),
    };
    Row {
        chosen: providers.chosen.as_deref() == Some(key),
        cells: vec![
            Cell::text(providers.name(key)),
            Cell::text(offer.map_or_else(dash, |offer| offer.model.clone())),
            Cell::text(offer.map_or_else(dash, |offer| tariff_in_short(&offer.tariff))),
            Cell::text(past.and_then(PastJobs::mean_ms).map_or_else(dash, lasting)),
            Cell::text(fitness(providers.reputations.get(key))),
            Cell::text(fidelity(providers.reputations.get(key))),
            Cell::text(agreement(past)),
            status,
            Cell::text(past.map_or_else(dash, |past| past.unit.amount(past.spent_sats))),
        ],
    }
}

/// How a provider stands beside whether it is online.
pub fn status(providers: &Providers, key: &str) -> (Tone, Option<Icon>, &'static str) {
    let reputation = providers.reputations.get(key);
    if providers.choices.blocked.contains(key) {
        (Tone::Bad, Some(Icon::Ban), words::BLOCKED)
    } else if providers.choices.preferred.contains(key) {
        (Tone::Accent, Some(Icon::Star), words::PREFERRED)
    } else if let Some(why) = distrusted(reputation) {
        (Tone::Bad, Some(Icon::ShieldX), why)
    } else if reputation.is_some_and(|reputation| !reputation.biases.is_empty()) {
        (Tone::Warn, Some(Icon::TriangleAlert), words::BIASED)
    } else {
        (Tone::Plain, None, if providers.here.contains_key(key) { "" } else { words::OFFLINE })
    }
}

/// What came of its answers here, where it has earned a score.
fn fitness(reputation: Option<&Reputation>) -> String {
    let score = reputation.and_then(|reputation| reputation.score);
    score.map_or(words::UNKNOWN.to_owned(), |(fitness, _)| format!("{fitness:.2}"))
}

/// Its fidelity in the kind of work in which it is trusted least.
fn fidelity(reputation: Option<&Reputation>) -> String {
    let share = reputation.and_then(|reputation| reputation.fidelity);
    share.map_or(words::UNKNOWN.to_owned(), |share| format!("{:.1}%", share * 100.0))
}

/// Why it is not asked any more, if it is not.
fn distrusted(reputation: Option<&Reputation>) -> Option<&'static str> {
    reputation.map(|reputation| reputation.status).filter(|status| ["lied", "excluded"].contains(status))
}

fn agreement(past: Option<&PastJobs>) -> String {
    let share = past.and_then(PastJobs::agreement);
    share.map_or(words::UNKNOWN.to_owned(), |share| format!("{:.0}%", share * 100.0))
}

fn chosen_ui(ui: &mut Ui, providers: &Providers, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.set_min_height(DETAILS - 2.0 * space::L - space::XL);
        let Some(key) = &providers.chosen else {
            ui.label(soft(ui, words::CHOOSE));
            return;
        };
        ui.horizontal(|ui| {
            ui.label(heading(&providers.name(key)));
            if let Some((fitness, credits)) =
                providers.reputations.get(key).and_then(|reputation| reputation.score)
            {
                ui.label(soft(ui, &words::score(fitness, credits))).on_hover_text(words::SCORE_HINT);
            }
            copy_ui(ui, Button::quiet(words::COPY_KEY).icon_only(Icon::Copy), key, || key.clone());
            one_line_ui(ui, egui::RichText::new(key).monospace());
        });
        if let Some(offer) = providers.here.get(key) {
            let does = if offer.records_only { words::COPIES_FIELDS } else { words::FOLLOWS };
            let weights = offer.weights_hash.as_deref().map(words::weights);
            let weights = weights.unwrap_or_else(|| words::NO_WEIGHTS.to_owned());
            ui.label(soft(ui, &words::claims(offer, does, &weights)));
        } else {
            ui.label(soft(ui, words::IS_OFFLINE));
        }
        ui.scope(|ui| biases_ui(ui, providers.reputations.get(key)));
        ui.add_space(space::XS);
        match (&providers.past_jobs, providers.past_jobs(key)) {
            (Load::Busy, _) => busy_ui(ui, words::READING_RUNS),
            (Load::Failed(why), _) => drop(note_ui(ui, Tone::Bad, Icon::CircleX, &words::unread(why))),
            (Load::Ready(_), None) => drop(ui.label(soft(ui, words::NEVER_ASKED))),
            (Load::Ready(_), Some(past)) => past_jobs_ui(ui, past, providers.reputations.get(key)),
        }
        choices_ui(ui, providers, key, commands);
    });
}

/// In one line; what is more is in the tooltip.
fn biases_ui(ui: &mut Ui, reputation: Option<&Reputation>) {
    let biases = reputation.map_or(&[][..], |reputation| reputation.biases.as_slice());
    let Some(first) = biases.first() else { return };
    let told = match biases.len() {
        1 => first.clone(),
        all => words::more_biases(first, all - 1),
    };
    ui.spacing_mut().interact_size.y = LINE;
    ui.horizontal(|ui| {
        icon_ui(ui, Tone::Warn, Icon::TriangleAlert, words::BIASED);
        one_line_ui(ui, told).on_hover_text(biases.join("\n"));
    });
}

fn past_jobs_ui(ui: &mut Ui, past: &PastJobs, reputation: Option<&Reputation>) {
    ui.columns(5, |columns| {
        figure_ui(&mut columns[0], words::JOBS, &thousands(past.asked), words::JOBS_ABOUT);
        let agreed = agreement(Some(past));
        figure_ui(&mut columns[1], words::AGREEMENT, &agreed, &words::agreements(past));
        let about = words::fidelity_about(reputation.map_or(words::NEWCOMER, |reputation| reputation.status));
        let kinds = reputation.iter().flat_map(|reputation| &reputation.kinds);
        let kinds: Vec<String> = kinds.map(|(kind, share)| format!("{kind} {:.1}%", share * 100.0)).collect();
        let figure = columns[2].scope(|ui| figure_ui(ui, words::FIDELITY, &fidelity(reputation), &about));
        figure.response.on_hover_text(words::fidelity_hint(&kinds.join(", ")));
        let mean = past.mean_ms().map_or(words::UNKNOWN.to_owned(), lasting);
        figure_ui(&mut columns[3], words::MEAN, &mean, words::MEAN_ABOUT);
        let spent = past.unit.amount(past.spent_sats);
        figure_ui(&mut columns[4], words::SPENT, &spent, words::SPENT_ABOUT);
    });
    ui.add_space(space::S);
}

fn choices_ui(ui: &mut Ui, providers: &Providers, key: &str, commands: &mut Commands) {
    let blocked = providers.choices.blocked.contains(key);
    let preferred = providers.choices.preferred.contains(key);
    ui.horizontal(|ui| {
        let trial = providers.trials.get(key);
        let word = if trial == Some(&Trial::Busy) { words::TESTING } else { words::TEST };
        let button = Button::new(word).icon(Icon::Activity).enabled(providers.can_try(key));
        button.hint(words::TEST_HINT).show(ui, commands, Action::Try(key.to_owned()));
        let stop = (words::STOP_PREFERRING, Icon::StarOff);
        let (word, icon) = if preferred { stop } else { (words::PREFER, Icon::Star) };
        let button = Button::new(word).icon(icon).hint(words::PREFER_HINT);
        button.show(ui, commands, Action::Prefer(key.to_owned(), !preferred));
        let button = if blocked {
            Button::new(words::UNBLOCK).icon(Icon::Undo2)
        } else {
            Button::danger(words::BLOCK).icon(Icon::Ban).hint(words::BLOCK_HINT)
        };
        button.show(ui, commands, Action::Block(key.to_owned(), !blocked));
        if let Some(trial) = trial {
            trial_ui(ui, trial);
        }
    });
}

fn trial_ui(ui: &mut Ui, trial: &Trial) {
    let (tone, icon, told) = match trial {
        Trial::Busy => (Tone::Busy, Icon::LoaderCircle, words::TEST_SENT.to_owned()),
        Trial::Answered { took_ms, said, right: true, .. } => {
            (Tone::Good, Icon::CircleCheck, words::test_right(*took_ms, said))
        }
        Trial::Answered { took_ms, said, .. } => {
            (Tone::Warn, Icon::TriangleAlert, words::test_wrong(*took_ms, said))
        }
        Trial::WantsPay { took_ms, .. } => (Tone::Plain, Icon::Coins, words::test_paid(*took_ms)),
        Trial::Refused { took_ms, said } => (Tone::Warn, Icon::Ban, words::test_refused(*took_ms, said)),
        Trial::Failed(why) => (Tone::Bad, Icon::CircleX, why.clone()),
    };
    let (ink, _) = tone.colours(ui);
    icon_ui(ui, tone, icon, tone.word());
    one_line_ui(ui, egui::RichText::new(&told).color(ink));
}
