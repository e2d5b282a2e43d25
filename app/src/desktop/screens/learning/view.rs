//! Draws the learning screen.

use egui::{Grid, Ui};
use lucide_icons::Icon;

use super::charts::{Curve, bars_ui, curves_ui, heat_ui};
use super::picture::{Picture, Step};
use super::state::{Action, Learning, Source};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::{
    Banner, Button, Tone, card_ui, empty_ui, heading, mark_ui, name, screen_ui, small, soft, tabs_ui,
};

const SUBTITLE: &str =
    "Which role at which venue answers what best for a sat, as this machine has learned it.";

pub fn learning_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let learning = &state.learning;
    let push = &mut Commands::default();
    screen_ui(
        ui,
        "Learning",
        SUBTITLE,
        size::CONTENT,
        |ui| {
            if ui.add(Button::new("Look again").icon(Icon::RefreshCw)).clicked() {
                push.push(Command::Learning(Action::Reload));
            }
        },
        |ui| {
            let tabs = [(Source::Runs, "From your runs"), (Source::Training, "From the latest training")];
            if let Some(source) = tabs_ui(ui, &tabs, learning.source) {
                commands.push(Command::Learning(Action::Show(source)));
            }
            ui.add_space(space::S);
            match (&learning.stored, learning.picture()) {
                (Load::Busy, _) => {
                    drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading what was learned…"));
                }
                (Load::Failed(why), _) => failed_ui(ui, why, commands),
                (Load::Ready(_), None) => nothing_ui(ui, learning.source, commands),
                (Load::Ready(_), Some(picture)) => picture_ui(ui, picture, learning, commands),
            }
        },
    );
    for command in push.take() {
        commands.push(command);
    }
}

fn failed_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let safe = format!("{why}. Runs go on without this experience; no answer and no sat depends on it.");
    Banner { tone: Tone::Bad, what: "What was learned cannot be read", safe: &safe }.show(ui, |ui| {
        if ui.add(Button::new("Try again").icon(Icon::RotateCcw)).clicked() {
            commands.push(Command::Learning(Action::Reload));
        }
    });
}

fn nothing_ui(ui: &mut Ui, source: Source, commands: &mut Commands) {
    let (what, then) = match source {
        Source::Runs => (
            "No run has routed anything yet",
            "Each run decides where its parts are answered and learns from the verdict on every answer. Ask a \
             question, and what came of it is drawn here.",
        ),
        Source::Training => (
            "There was no training on this machine",
            "In a terminal: frlm lab learn route. It trains on 50 tasks with real inference on an embedded swarm, \
             and what it learned is drawn here.",
        ),
    };
    empty_ui(ui, Icon::GraduationCap, what, then, |ui| {
        if source == Source::Runs && ui.add(Button::primary("Ask a question").icon(Icon::Send)).clicked() {
            commands.push(Command::Go(Screen::Ask));
        }
    });
}

fn picture_ui(ui: &mut Ui, picture: &Picture, learning: &Learning, commands: &mut Commands) {
    ui.label(soft(ui, &picture.about));
    let now = format!(
        "Now {}, imbalance {:.2} (0 is even), ε {:.2}",
        picture.load_state, picture.imbalance, picture.exploration
    );
    ui.label(small(ui, &now));
    ui.add_space(space::S);
    panels_ui(ui, picture);
    ui.add_space(space::M);
    heat_card_ui(ui, picture, learning, commands);
    ui.add_space(space::M);
    policy_ui(ui, picture);
    ui.add_space(space::M);
    costs_ui(ui, picture);
}

/// The six panels of the source document and the load states, two in a row.
fn panels_ui(ui: &mut Ui, picture: &Picture) {
    let curve = |name: &str, value: &dyn Fn(&Step) -> f64| Curve {
        name: name.to_owned(),
        values: picture.steps.iter().map(value).collect(),
    };
    let named = |names: &[String], values: &[Option<f64>]| -> Vec<(String, Option<f64>)> {
        names.iter().cloned().zip(values.iter().copied()).collect()
    };
    ui.columns(2, |columns| {
        let reward = [curve("raw", &|step| step.raw), curve("adjusted", &|step| step.adjusted)];
        curves_ui(&mut columns[0], "1. Reward, raw and adjusted", 1.0, &reward);
        curves_ui(&mut columns[1], "2. Quality", 1.0, &[curve("quality", &|step| step.quality)]);
    });
    ui.add_space(space::S);
    ui.columns(2, |columns| {
        let shares: Vec<Option<f64>> = picture.shares.iter().copied().map(Some).collect();
        let fair = 1.0 / picture.roles.len().max(1) as f64;
        let bars = named(&picture.roles, &shares);
        bars_ui(&mut columns[0], "3. Share of all work", &bars, Some((fair, "fair share")));
        let bars = named(&picture.task_types, &picture.by_type);
        bars_ui(&mut columns[1], "4. Adjusted reward by task type", &bars, None);
    });
    ui.add_space(space::S);
    ui.columns(2, |columns| {
        let shares: Vec<Curve> = picture
            .roles
            .iter()
            .enumerate()
            .map(|(at, role)| curve(role, &move |step| step.utilization.get(at).copied().unwrap_or(0.0)))
            .collect();
        curves_ui(&mut columns[0], "5. Utilisation of the window", 1.0, &shares);
        let most = picture.steps.iter().map(|step| step.imbalance).fold(0.2, f64::max);
        let load = [curve("penalty", &|step| step.penalty), curve("imbalance", &|step| step.imbalance)];
        curves_ui(&mut columns[1], "6. Load penalty and imbalance", most, &load);
    });
    ui.add_space(space::S);
    let states: Vec<(String, Option<f64>)> =
        picture.load_states.iter().map(|(name, share)| (name.clone(), Some(*share))).collect();
    bars_ui(ui, "Load states that were met", &states, None);
}

fn heat_card_ui(ui: &mut Ui, picture: &Picture, learning: &Learning, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("What role and venue are worth"));
        ui.label(soft(ui, "By task type, in a load state; – was never tried there."));
        let tabs: Vec<(usize, &str)> =
            picture.heat.iter().enumerate().map(|(at, heat)| (at, heat.load_state.as_str())).collect();
        let chosen = learning.load_state.min(tabs.len().saturating_sub(1));
        if let Some(at) = tabs_ui(ui, &tabs, chosen) {
            commands.push(Command::Learning(Action::LoadState(at)));
        }
        if let Some(heat) = picture.heat.get(chosen) {
            let title = format!("Worth while {}", heat.load_state);
            heat_ui(ui, &title, &picture.task_types, &picture.actions, &heat.cells);
        }
    });
}

fn policy_ui(ui: &mut Ui, picture: &Picture) {
    card_ui(ui, |ui| {
        ui.label(heading("Policy, and where load shifts it"));
        Grid::new("policy").num_columns(4).spacing([space::XL, space::S]).show(ui, |ui| {
            for title in ["Task type", "While balanced", "Worth", "Elsewhere while"] {
                ui.label(small(ui, title));
            }
            ui.end_row();
            for row in &picture.policy {
                ui.label(name(&row.task_type));
                ui.label(&row.balanced);
                ui.label(format!("{:.2}", row.worth));
                let shifts: Vec<String> =
                    row.shifts.iter().map(|(load, action)| format!("{load}: {action}")).collect();
                let words =
                    if shifts.is_empty() { "nothing shifts it".to_owned() } else { shifts.join(", ") };
                ui.label(soft(ui, &words));
                ui.end_row();
            }
        });
    });
}

fn costs_ui(ui: &mut Ui, picture: &Picture) {
    card_ui(ui, |ui| {
        ui.label(heading("What it cost"));
        Grid::new("costs").num_columns(6).spacing([space::XL, space::S]).show(ui, |ui| {
            for title in ["Venue", "Decisions", "Without an answer", "Mean quality", "Mean time, s", "Sats"] {
                ui.label(small(ui, title));
            }
            ui.end_row();
            for row in &picture.costs {
                ui.label(name(&row.venue));
                ui.label(row.jobs.to_string());
                ui.label(row.failed.to_string());
                ui.label(format!("{:.2}", row.quality));
                ui.label(format!("{:.2}", row.latency_secs));
                ui.label(format!("{}.{:03}", row.msats / 1_000, row.msats % 1_000));
                ui.end_row();
            }
        });
    });
}
