//! Draws the start screen.

use egui::{RichText, Ui};
use lucide_icons::Icon;

use super::checklist::{Item, checklist};
use crate::desktop::command::{Command, Commands};
use crate::desktop::engine::swarm::LocalSwarm;
use crate::desktop::state::{Machine, State};
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{
    Banner, Button, Tone, card_ui, figure_ui, heading, name, screen_ui, soft, thousands,
};
use crate::local_swarm::CAVEAT;

pub fn start_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    screen_ui(
        ui,
        "Ask documents that are too long to read",
        "A swarm of other people's GPUs reads them for you. You set the most it may cost, and every claim \
         in the answer leads to the line it came from.",
        size::CONTENT,
        |_| {},
        |ui| {
            try_ui(ui, &state.swarm, commands);
            ui.add_space(space::L);
            machine_ui(ui, state.machine.as_ref());
            ui.add_space(space::L);
            checklist_ui(ui, &checklist(state));
        },
    );
}

fn try_ui(ui: &mut Ui, swarm: &LocalSwarm, commands: &mut Commands) {
    if let LocalSwarm::Failed(why) = swarm {
        Banner {
            tone: Tone::Bad,
            what: "The local swarm did not start",
            safe: &format!("{why}. Nothing left this machine."),
        }
        .show(ui, |ui| {
            if ui.add(Button::new("Try again").icon(Icon::RotateCcw)).clicked() {
                commands.push(Command::StartLocalSwarm);
            }
        });
    }
    card_ui(ui, |ui| {
        ui.label(heading("Try it now on a local swarm"));
        ui.label(soft(
            ui,
            &format!("A relay and three providers, all on this machine: {CAVEAT}. It costs nothing."),
        ));
        ui.add_space(space::S);
        match swarm {
            LocalSwarm::Off | LocalSwarm::Failed(_) => {
                if ui.add(Button::primary("Start the local swarm").icon(Icon::Network)).clicked() {
                    commands.push(Command::StartLocalSwarm);
                }
            }
            LocalSwarm::Starting => {
                ui.add(Button::primary("Starting…").icon(Icon::LoaderCircle).enabled(false));
            }
            LocalSwarm::On { relay, providers } => {
                ui.label(name(&format!("{providers} providers listen at {relay}")));
                if ui.add(Button::new("Stop the local swarm").icon(Icon::PowerOff)).clicked() {
                    commands.push(Command::StopLocalSwarm);
                }
            }
        }
    });
}

fn machine_ui(ui: &mut Ui, machine: Option<&Machine>) {
    card_ui(ui, |ui| {
        ui.label(heading("This machine"));
        ui.add_space(space::S);
        let Some(machine) = machine else {
            ui.label(soft(ui, "Looking…"));
            return;
        };
        ui.columns(3, |columns| {
            let memory = machine
                .memory_mib
                .map_or("unknown".to_owned(), |mib| format!("{:.1} GiB", mib as f64 / 1_024.0));
            let threads = thousands(machine.threads as u64);
            figure_ui(&mut columns[0], "Processor threads", &threads, "for models without a GPU");
            figure_ui(&mut columns[1], "Free memory", &memory, "a model must fit into it");
            let (model, about) = match (&machine.model, machine.embedded_model) {
                (Some(model), _) => (model.as_str(), "your own, from the settings"),
                (None, true) => ("frlm-records", "built in: copies fields of records, nothing else"),
                (None, false) => ("none", "add one in Models"),
            };
            figure_ui(&mut columns[2], "Model", model, about);
        });
    });
}

fn checklist_ui(ui: &mut Ui, items: &[Item]) {
    if items.is_empty() || items.iter().all(|item| item.done) {
        return;
    }
    card_ui(ui, |ui| {
        ui.label(heading("To set up"));
        ui.add_space(space::S);
        for item in items {
            ui.horizontal(|ui| {
                let colours = tokens(ui);
                let (icon, ink, word) = if item.done {
                    (Icon::CircleCheck, colours.good, "done")
                } else {
                    (Icon::Circle, colours.text_soft, "open")
                };
                ui.label(RichText::new(char::from(icon)).font(fonts::icons(18.0)).color(ink))
                    .on_hover_text(word);
                ui.label(name(item.what));
                ui.label(soft(ui, &item.how));
            });
        }
    });
}
