//! Draws the earn screen.

use egui::Ui;
use lucide_icons::Icon;

use super::lists::lists_ui;
use super::offer::{background_ui, form_ui};
use super::state::{Action, Earn, PaymentSetup, Status};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{plural, told};
use crate::desktop::widgets::{
    Banner, Button, Tone, amount, badge_ui, busy_ui, card_ui, column_ui, copy_ui, figure_ui, heading,
    mark_ui, name, one_line_ui, point_ui, scroll_ui, small, soft, thousands, title_ui,
};
use frlm_client::earnings_report::EarningState;
use frlm_client::local_swarm::Speaks;
use frlm_client::provider_pay::Sum;

/// Height of a line without buttons.
const LINE: f32 = 22.0;
/// The list of jobs is never lower than this.
const LEAST_LIST: f32 = 268.0;

pub fn earn_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let earn = &state.earn;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        title_ui(ui, words::TITLE, words::SUBTITLE, |ui| switches_ui(ui, earn, commands));
        ui.add_space(space::M);
        let room = ui.available_height();
        scroll_ui(ui, "earn", |ui| {
            content_ui(ui, state, commands);
            // The list takes what is left, and on a small screen scrolls with the rest.
            let height = (room - ui.min_rect().height() - space::XL).max(LEAST_LIST);
            lists_ui(ui, earn, height, commands);
            ui.add_space(space::L);
        });
    });
}

/// Everything above the list.
fn content_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let earn = &state.earn;
    status_ui(ui, earn, commands);
    if earn.can_start() {
        match &earn.settings {
            Load::Busy => busy_ui(ui, words::READING_SETTINGS),
            Load::Failed(why) => unusable_ui(ui, why, commands),
            Load::Ready(()) => {
                if earn.form.relays.is_empty() {
                    no_relay_ui(ui, state, commands);
                }
                form_ui(ui, earn, commands);
            }
        }
        background_ui(ui, state, commands);
    } else if matches!(earn.status, Status::On { .. } | Status::Stopping) {
        figures_ui(ui, earn);
        background_ui(ui, state, commands);
        why_ui(ui, earn);
    }
    ui.add_space(space::S);
    pay_ui(ui, earn);
}

fn switches_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    match &earn.status {
        Status::Off | Status::Failed(_) => {
            let button = Button::primary(words::GO_ONLINE).icon(Icon::Radio).ready(earn.ready());
            button.show(ui, commands, Action::Start);
        }
        Status::Paused { .. } | Status::Yielding | Status::Resting { .. } => {
            Button::primary(words::RESUME).icon(Icon::Play).show(ui, commands, Action::Start);
            Button::new(words::GO_OFFLINE).icon(Icon::PowerOff).show(ui, commands, Action::Stop);
        }
        Status::Starting => {
            ui.add(Button::primary(words::GOING_ONLINE).icon(Icon::LoaderCircle).enabled(false));
        }
        Status::On { .. } => {
            let button = Button::new(words::GO_OFFLINE).icon(Icon::PowerOff).hint(words::GO_OFFLINE_HINT);
            button.show(ui, commands, Action::Stop);
            // From the right to the left: the shorter one stands first.
            for (minutes, word) in [(60, words::PAUSE_HOUR), (15, words::PAUSE_QUARTER)] {
                let button = Button::new(word).icon(Icon::Pause).hint(words::PAUSE_HINT);
                button.show(ui, commands, Action::Pause(minutes));
            }
        }
        Status::Stopping => {
            let button = Button::danger(words::STOP_NOW).icon(Icon::OctagonX).hint(words::STOP_NOW_HINT);
            button.show(ui, commands, Action::StopNow);
        }
    }
}

fn status_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    match &earn.status {
        Status::Off => {}
        Status::Starting => starting_ui(ui, earn),
        Status::Stopping => {
            let (what, safe) = (words::STOPPING, words::STOPPING_SAFE);
            Banner { tone: Tone::Busy, what, safe }.show(ui, |_| {});
        }
        Status::Paused { minutes } => {
            let safe = words::paused(*minutes);
            Banner { tone: Tone::Warn, what: words::PAUSED, safe: &safe }.show(ui, |_| {});
        }
        Status::Yielding => {
            Banner { tone: Tone::Warn, what: words::BUSY, safe: words::BUSY_SAFE }.show(ui, |_| {});
        }
        Status::Resting { until } => {
            let safe = words::out_of_hours(until);
            Banner { tone: Tone::Warn, what: words::OUT_OF_HOURS, safe: &safe }.show(ui, |_| {});
        }
        Status::Failed(why) => {
            let safe = words::no_job_taken(why);
            Banner { tone: Tone::Bad, what: words::OFFLINE, safe: &safe }.show(ui, |ui| {
                Button::new(words::CHANGE_RELAYS).icon(Icon::Settings).show(ui, commands, Screen::Settings);
                Button::new(words::OPEN_MODELS).icon(Icon::Cpu).show(ui, commands, Screen::Models);
            });
        }
        Status::On { key, model, at_once, .. } => on_ui(ui, earn, (key, model, *at_once)),
    }
}

/// What is about to be served, where the machine's own lines stand once it is.
fn starting_ui(ui: &mut Ui, earn: &Earn) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            badge_ui(ui, Tone::Busy, Icon::LoaderCircle, words::STARTING);
            ui.label(name(&earn.form.name));
            one_line_ui(ui, soft(ui, &words::starting(earn.form.model.trim(), &price_words(earn))));
        });
        ui.label(soft(ui, words::LOADING));
    });
}

/// What a job costs, as the line under the title says it.
fn price_words(earn: &Earn) -> String {
    match earn.form.limits() {
        Ok(limits) if limits.prices.is_paid() => limits.prices.in_words(),
        _ => words::FOR_FREE.to_owned(),
    }
}

fn on_ui(ui: &mut Ui, earn: &Earn, (key, model, at_once): (&str, &str, u64)) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            badge_ui(ui, Tone::Good, Icon::Radio, words::IS_ONLINE);
            ui.label(name(&earn.form.name));
            ui.label(soft(ui, &words::serves(model, at_once, &price_words(earn))));
        });
        ui.horizontal(|ui| {
            ui.label(small(ui, words::KEY));
            copy_ui(ui, Button::quiet(words::COPY_KEY).icon_only(Icon::Copy), key, || key.to_owned());
            one_line_ui(ui, egui::RichText::new(key).monospace());
        });
        // These lines hold no buttons.
        ui.spacing_mut().interact_size.y = LINE;
        for relay in &earn.relays {
            ui.horizontal(|ui| {
                let (tone, icon, word) = if relay.online {
                    (Tone::Good, Icon::CircleCheck, words::IS_ONLINE)
                } else {
                    (Tone::Warn, Icon::CircleX, words::IS_OFFLINE)
                };
                mark_ui(ui, tone, icon, word);
                ui.label(egui::RichText::new(&relay.address).monospace());
                if !relay.words.is_empty() {
                    one_line_ui(ui, soft(ui, &relay.words));
                }
            });
        }
    });
    ui.add_space(space::S);
}

/// What would be offered is not known.
fn unusable_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let safe = words::unusable(why);
    Banner { tone: Tone::Bad, what: words::SETTINGS_UNUSABLE, safe: &safe }.show(ui, |ui| {
        Button::new(words::OPEN_SETTINGS).icon(Icon::Settings).show(ui, commands, Screen::Settings);
        Button::new(words::READ_AGAIN).icon(Icon::RotateCcw).show(ui, commands, Command::Refresh);
    });
}

fn no_relay_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let (what, safe) = (words::NO_RELAY, words::NO_RELAY_SAFE);
    Banner { tone: Tone::Warn, what, safe }.show(ui, |ui| {
        Button::new(words::ADD_RELAY).icon(Icon::Settings).show(ui, commands, Screen::Settings);
        if state.swarm.can_start() {
            let button = Button::new(words::START_SWARM).icon(Icon::Network);
            button.show(ui, commands, Command::StartLocalSwarm(Speaks::Embedded));
        }
    });
}

fn figures_ui(ui: &mut Ui, earn: &Earn) {
    let stats = &earn.stats;
    card_ui(ui, |ui| {
        ui.columns(5, |columns| {
            let about = words::tokens(stats.usage.total());
            figure_ui(&mut columns[0], words::ANSWERED, &thousands(stats.finished), &about);
            let about = words::in_progress(stats.queued, stats.running);
            let jobs = thousands((stats.queued + stats.running) as u64);
            figure_ui(&mut columns[1], words::IN_PROGRESS, &jobs, &about);
            let about = if stats.refused == 0 { words::NONE_REFUSED } else { words::REASONS_BELOW };
            figure_ui(&mut columns[2], words::REFUSED, &thousands(stats.refused), about);
            let about = words::cancelled(stats.cancelled);
            figure_ui(&mut columns[3], words::FAILED, &thousands(stats.failed), &about);
            let has_wallet = matches!(earn.payment_setup, PaymentSetup::Open(_));
            let about = if has_wallet { words::PAID_IF_ACCEPTED } else { words::NO_WALLET_YET };
            let price = amount(stats.asked_msats / 1_000);
            figure_ui(&mut columns[4], words::PRICE_OF_ANSWERS, &price, about);
        });
    });
}

/// What was earned so far, on every day that this wallet knows of.
fn pay_ui(ui: &mut Ui, earn: &Earn) {
    let pay = &earn.pay;
    if pay.count() == 0 {
        return;
    }
    card_ui(ui, |ui| {
        let owed = pay.sum(EarningState::Owed);
        let owed = (owed.jobs > 0).then_some((words::OWED, owed, words::OWED_ABOUT));
        let parts: Vec<(&str, Sum, &str)> =
            std::iter::once((words::EARNED, pay.sum(EarningState::Earned), words::EARNED_ABOUT))
                .chain(owed)
                .chain([
                    (words::PENDING, pay.pending(), words::PENDING_ABOUT),
                    (words::RETURNED, pay.sum(EarningState::GivenBack), words::RETURNED_ABOUT),
                    (words::WITHHELD, pay.sum(EarningState::Withheld), words::WITHHELD_ABOUT),
                ])
                .collect();
        ui.columns(parts.len(), |columns| {
            for (column, (label, sum, about)) in columns.iter_mut().zip(parts) {
                let jobs = plural(usize::try_from(sum.jobs).unwrap_or(usize::MAX), "job");
                figure_ui(column, label, &amount(sum.sats), &words::jobs(&jobs, about));
            }
        });
    });
    ui.add_space(space::S);
}

fn why_ui(ui: &mut Ui, earn: &Earn) {
    let reasons = earn.why_no_jobs();
    if reasons.is_empty() {
        return;
    }
    ui.add_space(space::S);
    card_ui(ui, |ui| {
        ui.label(heading(words::WHY_NONE));
        for reason in reasons.iter().take(8) {
            let words = soft(ui, &told(reason));
            point_ui(ui, words);
        }
    });
}
