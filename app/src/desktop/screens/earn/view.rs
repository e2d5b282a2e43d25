//! Draws the earn screen.

use egui::Ui;
use lucide_icons::Icon;

use super::lists::lists_ui;
use super::offer::{background_ui, form_ui, in_words};
use super::state::{Action, Earn, PaymentSetup, Status};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{counted, told};
use crate::desktop::widgets::{
    Banner, Button, Tone, amount, badge_ui, card_ui, column_ui, copy_ui, figure_ui, heading, mark_ui, name,
    one_line_ui, point_ui, scroll_ui, small, soft, thousands, title_ui,
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
        let subtitle = "This machine answers other people's jobs with your model, under your limits.";
        title_ui(ui, "Earn", subtitle, |ui| switches_ui(ui, earn, commands));
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
            Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the settings…")),
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
    let mut push = |action| commands.push(Command::Earn(action));
    match &earn.status {
        Status::Off | Status::Failed(_) => {
            let ready = earn.ready();
            let mut button = Button::primary("Go online").icon(Icon::Radio).enabled(ready.is_ok());
            if let Err(why) = ready {
                button = button.hint(why);
            }
            if ui.add(button).clicked() {
                push(Action::Start);
            }
        }
        Status::Paused { .. } | Status::Yielding | Status::Resting { .. } => {
            if ui.add(Button::primary("Resume now").icon(Icon::Play)).clicked() {
                push(Action::Start);
            }
            if ui.add(Button::new("Go offline").icon(Icon::PowerOff)).clicked() {
                push(Action::Stop);
            }
        }
        Status::Starting => {
            ui.add(Button::primary("Going online…").icon(Icon::LoaderCircle).enabled(false));
        }
        Status::On { .. } => {
            let hint = "running jobs finish; waiting jobs are refused";
            if ui.add(Button::new("Go offline").icon(Icon::PowerOff).hint(hint)).clicked() {
                push(Action::Stop);
            }
            // From the right to the left: the shorter one stands first.
            let pauses = [(60, "Pause 1 h"), (15, "Pause 15 min")];
            for (minutes, word) in pauses {
                let hint = "while you need the machine; it resumes by itself";
                if ui.add(Button::new(word).icon(Icon::Pause).hint(hint)).clicked() {
                    push(Action::Pause(minutes));
                }
            }
        }
        Status::Stopping => {
            let hint = "drops running jobs and tells their askers";
            if ui.add(Button::danger("Stop at once").icon(Icon::OctagonX).hint(hint)).clicked() {
                push(Action::StopNow);
            }
        }
    }
}

fn status_ui(ui: &mut Ui, earn: &Earn, commands: &mut Commands) {
    match &earn.status {
        Status::Off => {}
        Status::Starting => starting_ui(ui, earn),
        Status::Stopping => {
            let safe = "Running jobs finish. Waiting jobs are refused, and their askers are told.";
            Banner { tone: Tone::Busy, what: "Going offline", safe }.show(ui, |_| {});
        }
        Status::Paused { minutes } => {
            let safe =
                format!("It goes online again by itself after {minutes} minutes, with the same offer.");
            Banner { tone: Tone::Warn, what: "Paused", safe: &safe }.show(ui, |_| {});
        }
        Status::Yielding => {
            let safe = "Other programs take more than a third of the processor. It goes online again by itself a \
                        minute after they have stopped, with the same offer.";
            Banner { tone: Tone::Warn, what: "Paused: the machine is busy", safe }.show(ui, |_| {});
        }
        Status::Resting { until } => {
            let safe = format!("It goes online again by itself at {until}, with the same offer.");
            Banner { tone: Tone::Warn, what: "Out of hours", safe: &safe }.show(ui, |_| {});
        }
        Status::Failed(why) => {
            let safe = format!("{why}. No job was taken.");
            Banner { tone: Tone::Bad, what: "Offline", safe: &safe }.show(ui, |ui| {
                if ui.add(Button::new("Change the relays").icon(Icon::Settings)).clicked() {
                    commands.push(Command::Go(Screen::Settings));
                }
                if ui.add(Button::new("Open Models").icon(Icon::Cpu)).clicked() {
                    commands.push(Command::Go(Screen::Models));
                }
            });
        }
        Status::On { key, model, at_once, .. } => on_ui(ui, earn, (key, model, *at_once)),
    }
}

/// What is about to be served, where the machine's own lines stand once it is.
fn starting_ui(ui: &mut Ui, earn: &Earn) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            badge_ui(ui, Tone::Busy, Icon::LoaderCircle, "going online");
            ui.label(name(&earn.form.name));
            one_line_ui(ui, soft(ui, &format!("{}, {}", earn.form.model.trim(), price_words(earn))));
        });
        ui.label(soft(ui, "Loading the model and connecting… A large model takes minutes the first time."));
    });
}

/// What a job costs, as the line under the title says it.
fn price_words(earn: &Earn) -> String {
    match earn.form.limits() {
        Ok(limits) if limits.prices.is_paid() => in_words(&limits.prices),
        _ => "for free".to_owned(),
    }
}

fn on_ui(ui: &mut Ui, earn: &Earn, (key, model, at_once): (&str, &str, u64)) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            badge_ui(ui, Tone::Good, Icon::Radio, "online");
            ui.label(name(&earn.form.name));
            let words = format!("serves {model}, {} at once, {}", thousands(at_once), price_words(earn));
            ui.label(soft(ui, &words));
        });
        ui.horizontal(|ui| {
            ui.label(small(ui, "Key"));
            copy_ui(ui, Button::quiet("Copy the key").icon_only(Icon::Copy), key, || key.to_owned());
            one_line_ui(ui, egui::RichText::new(key).monospace());
        });
        // These lines hold no buttons.
        ui.spacing_mut().interact_size.y = LINE;
        for relay in &earn.relays {
            ui.horizontal(|ui| {
                let (tone, icon, word) = if relay.online {
                    (Tone::Good, Icon::CircleCheck, "online")
                } else {
                    (Tone::Warn, Icon::CircleX, "offline")
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
    let safe = format!("{why}. No relay was contacted, and no job was taken.");
    Banner { tone: Tone::Bad, what: "The settings cannot be used", safe: &safe }.show(ui, |ui| {
        if ui.add(Button::new("Open Settings").icon(Icon::Settings)).clicked() {
            commands.push(Command::Go(Screen::Settings));
        }
        if ui.add(Button::new("Read them again").icon(Icon::RotateCcw)).clicked() {
            commands.push(Command::Refresh);
        }
    });
}

fn no_relay_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let safe = "Jobs come through a relay. FRLM contacts only relays that you add.";
    Banner { tone: Tone::Warn, what: "No relay yet", safe }.show(ui, |ui| {
        if ui.add(Button::new("Add a relay").icon(Icon::Settings)).clicked() {
            commands.push(Command::Go(Screen::Settings));
        }
        if state.swarm.can_start()
            && ui.add(Button::new("Start the local swarm").icon(Icon::Network)).clicked()
        {
            commands.push(Command::StartLocalSwarm(Speaks::Embedded));
        }
    });
}

fn figures_ui(ui: &mut Ui, earn: &Earn) {
    let stats = &earn.stats;
    card_ui(ui, |ui| {
        ui.columns(5, |columns| {
            let about = format!("{} tokens", thousands(stats.usage.total()));
            figure_ui(&mut columns[0], "Answered", &thousands(stats.finished), &about);
            let about = format!("{} waiting, {} running", stats.queued, stats.running);
            figure_ui(
                &mut columns[1],
                "Under way",
                &thousands((stats.queued + stats.running) as u64),
                &about,
            );
            let about = if stats.refused == 0 { "none so far" } else { "reasons below" };
            figure_ui(&mut columns[2], "Refused", &thousands(stats.refused), about);
            let about = format!("{} cancelled", thousands(stats.cancelled));
            figure_ui(&mut columns[3], "Failed", &thousands(stats.failed), &about);
            figure_ui(
                &mut columns[4],
                "Price of answers",
                &amount(stats.asked_msats / 1_000),
                if matches!(earn.payment_setup, PaymentSetup::Open(_)) {
                    "paid if they are accepted"
                } else {
                    "no wallet to be paid into"
                },
            );
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
        let owed = (owed.jobs > 0).then_some(("Owed", owed, "work done before pay"));
        let parts: Vec<(&str, Sum, &str)> =
            std::iter::once(("Earned", pay.sum(EarningState::Earned), "in the wallet, after fees"))
                .chain(owed)
                .chain([
                    ("Pending", pay.pending(), "locked for this machine"),
                    ("Returned", pay.sum(EarningState::GivenBack), "not needed or not accepted"),
                    ("Withheld", pay.sum(EarningState::Withheld), "never decided by the asker"),
                ])
                .collect();
        ui.columns(parts.len(), |columns| {
            for (column, (label, sum, about)) in columns.iter_mut().zip(parts) {
                let jobs = counted(usize::try_from(sum.jobs).unwrap_or(usize::MAX), "job");
                figure_ui(column, label, &amount(sum.sats), &format!("{jobs}, {about}"));
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
        ui.label(heading("Why there are no jobs"));
        for reason in reasons.iter().take(8) {
            let words = soft(ui, &told(reason));
            point_ui(ui, words);
        }
    });
}
