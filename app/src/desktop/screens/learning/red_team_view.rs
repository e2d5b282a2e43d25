//! Draws how each verification policy fares in a simulated swarm with liars in it.

use egui::Ui;
use lucide_icons::Icon;

use super::charts::{Curve, curves_ui, legend_rows};
use super::grid::{figure_ui, grid, head_ui};
use super::state::Action;
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::load::Load;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::sentence;
use crate::desktop::widgets::{
    Banner, Button, Tone, card_ui, empty_ui, heading, mark_ui, name, small, soft, thousands,
};
use frlm_client::attack_simulation::{Against, ERROR_RATE, Line, Simulation};

/// The dearest policies ask for somewhat over four answers.
const MOST_JOBS: f64 = 5.0;
/// In less width than this columns stand closer together.
const ROOMY: f32 = 720.0;

/// The page.
pub fn red_team_ui(ui: &mut Ui, simulated: Option<&Load<Simulation>>, commands: &mut Commands) {
    match simulated {
        None => {
            let then = "Fifty providers that are not there, up to half of which lie, against every verification policy: \
                        what it accepts that is right, and what that costs. No wire, no model and no sat is involved; \
                        scheduling, comparison and trust are those of your runs. It takes all cores for some seconds.";
            empty_ui(ui, Icon::Swords, "How the policies fare against liars", then, |ui| {
                simulate_ui(ui, "Simulate a swarm", commands);
            });
        }
        Some(Load::Busy) => {
            drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Simulating a swarm for every policy…"));
        }
        Some(Load::Failed(why)) => {
            let safe = format!("{why}. Nothing but this page depends on it.");
            Banner { tone: Tone::Bad, what: "The swarm could not be simulated", safe: &safe }.show(
                ui,
                |ui| {
                    simulate_ui(ui, "Try again", commands);
                },
            );
        }
        Some(Load::Ready(glance)) => glance_ui(ui, glance, commands),
    }
}

fn simulate_ui(ui: &mut Ui, word: &str, commands: &mut Commands) {
    if ui.add(Button::primary(word).icon(Icon::Play)).clicked() {
        commands.push(Command::Learning(Action::Simulate));
    }
}

fn glance_ui(ui: &mut Ui, glance: &Simulation, commands: &mut Commands) {
    let about = format!(
        "SIMULATED: {} providers, {} parts for each figure, one world. An honest model errs in {:.0}% of its answers. Nobody \
         has a record at the beginning; cold start, spot checks and jobs that time out are in the cost. The laboratory (frlm-lab \
         redteam) has other error rates, more parts and several worlds.",
        glance.providers,
        thousands(glance.subtasks as u64),
        ERROR_RATE * 100.0
    );
    ui.label(soft(ui, &about));
    let policies = glance.against.iter().flat_map(|against| &against.lines).map(|line| line.policy.as_str());
    ui.label(soft(ui, &words::policies(policies)));
    ui.add_space(space::S);
    for against in &glance.against {
        against_ui(ui, against, &glance.shares);
        ui.add_space(space::S);
    }
    if ui.add(Button::new("Another world").icon(Icon::RefreshCw)).clicked() {
        commands.push(Command::Learning(Action::Simulate));
    }
}

fn against_ui(ui: &mut Ui, against: &Against, shares: &[f64]) {
    let most = shares.last().copied().unwrap_or_default() * 100.0;
    ui.label(heading(&format!("Against {}", against.whom)));
    let width = (ui.available_width() - space::S) / 2.0;
    let rows = legend_rows(ui, width, against.lines.iter().map(|line| line.policy.as_str()));
    let curves = |values: fn(&Line) -> &[f64]| -> Vec<Curve> {
        let lines = against.lines.iter();
        lines.map(|line| Curve { name: line.policy.clone(), values: values(line).to_vec() }).collect()
    };
    ui.columns(2, |columns| {
        let title = format!("Accepted and right, 0 to {most:.0}% liars");
        curves_ui(&mut columns[0], &title, rows, 1.0, &curves(|line| &line.right));
        let title = format!("Jobs against no verification, 0 to {most:.0}% liars");
        curves_ui(&mut columns[1], &title, rows, MOST_JOBS, &curves(|line| &line.jobs));
    });
    ui.add_space(space::XS);
    card_ui(ui, |ui| {
        let liars = shares.iter().map(|share| format!("{:.0}% liars", share * 100.0));
        let titles: Vec<String> = std::iter::once("Policy".to_owned()).chain(liars).collect();
        // In a small window the table is as wide as its card, and no wider.
        let between = if ui.available_width() < ROOMY { space::L } else { space::XL };
        grid(against.whom, titles.len()).spacing([between, space::S]).show(ui, |ui| {
            head_ui(ui, &titles.iter().map(String::as_str).collect::<Vec<_>>(), 1, 0);
            for line in &against.lines {
                let policy = ui.label(name(&line.policy));
                if let Some(about) = words::policy(&line.policy) {
                    policy.on_hover_text(sentence(about));
                }
                for (right, jobs) in line.right.iter().zip(&line.jobs) {
                    figure_ui(ui, format!("{:.1} · {jobs:.2}", right * 100.0));
                }
                ui.end_row();
            }
        });
        ui.label(small(
            ui,
            "Per cent accepted and right · jobs as a multiple of those without verification.",
        ));
    });
}
