//! Draws how each verification policy fares in a simulated swarm with liars in it.

use egui::Ui;
use lucide_icons::Icon;

use super::charts::{Curve, curves_ui, legend_rows};
use super::grid::{figure_ui, grid, head_ui};
use super::state::{Action, Source};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::load::Load;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::sentence;
use crate::desktop::widgets::{
    Banner, Button, Tone, busy_ui, card_ui, empty_ui, heading, name, small, soft, tabs_ui,
};
use frlm_client::attack_simulation::{Against, Answers, Measure, Simulation};

/// In less width than this columns stand closer together.
const ROOMY: f32 = 720.0;

/// The page.
pub fn red_team_ui(ui: &mut Ui, of: Answers, simulated: Option<&Load<Simulation>>, commands: &mut Commands) {
    let tabs = [(Answers::Records, words::RECORDS), (Answers::Words, words::WORDS)];
    let typed = tabs_ui(ui, &tabs, of);
    commands.extend(typed.map(|of| Action::Show(Source::RedTeam(of))));
    ui.add_space(space::S);
    match simulated {
        None => empty_ui(ui, Icon::Swords, words::BY_POLICY, of.in_words(), |ui| {
            simulate_ui(ui, of, words::SIMULATE, commands);
        }),
        Some(Load::Busy) => busy_ui(ui, words::SIMULATING),
        Some(Load::Failed(why)) => {
            let (what, safe) = (words::NOT_SIMULATED, words::not_simulated(why));
            let banner = Banner { tone: Tone::Bad, what, safe: &safe };
            banner.show(ui, |ui| simulate_ui(ui, of, words::TRY_AGAIN, commands));
        }
        Some(Load::Ready(simulation)) => simulation_ui(ui, of, simulation, commands),
    }
}

fn simulate_ui(ui: &mut Ui, of: Answers, word: &str, commands: &mut Commands) {
    Button::primary(word).icon(Icon::Play).show(ui, commands, Action::Simulate(of));
}

fn simulation_ui(ui: &mut Ui, of: Answers, simulation: &Simulation, commands: &mut Commands) {
    ui.label(soft(ui, &simulation.about));
    ui.label(soft(ui, &simulation.against.first().map_or(String::new(), Against::policies_in_words)));
    ui.add_space(space::S);
    for against in &simulation.against {
        against_ui(ui, against, &simulation.shares);
        ui.add_space(space::S);
    }
    Button::new(words::NEW_SIMULATION).icon(Icon::RefreshCw).show(ui, commands, Action::Simulate(of));
}

fn against_ui(ui: &mut Ui, against: &Against, shares: &[f64]) {
    let most = shares.last().copied().unwrap_or_default() * 100.0;
    ui.label(heading(&words::against(against.whom)));
    let width = (ui.available_width() - space::S) / 2.0;
    let rows = legend_rows(ui, width, against.lines.iter().map(|line| line.policy.as_str()));
    ui.columns(2, |columns| {
        for (at, (column, measure)) in columns.iter_mut().zip(&against.measures).enumerate() {
            let title = words::measured(measure.name, most);
            let lines = against.lines.iter().map(|line| Curve {
                name: line.policy.clone(),
                // Where there was nothing to be measured a curve stands at nothing.
                values: line.values[at].iter().map(|value| value.max(0.0)).collect(),
            });
            curves_ui(column, &title, rows, measure.top, &lines.collect::<Vec<_>>());
        }
    });
    ui.add_space(space::XS);
    card_ui(ui, |ui| {
        let liars = shares.iter().map(|share| words::liars(*share));
        let titles: Vec<String> = std::iter::once(words::ONE_POLICY.to_owned()).chain(liars).collect();
        // In a small window the table is as wide as its card, and no wider.
        let between = if ui.available_width() < ROOMY { space::L } else { space::XL };
        grid(against.whom, titles.len()).spacing([between, space::S]).show(ui, |ui| {
            head_ui(ui, &titles.iter().map(String::as_str).collect::<Vec<_>>(), 1, 0);
            for line in &against.lines {
                ui.label(name(&line.policy)).on_hover_text(sentence(line.about));
                let ([one, other], [first, second]) = (against.measures, &line.values);
                for (first, second) in first.iter().zip(second) {
                    figure_ui(ui, format!("{} · {}", one.shown(*first), other.shown(*second)));
                }
                ui.end_row();
            }
        });
        let said = against.measures.map(Measure::in_words).join(" · ");
        ui.label(small(ui, &format!("{said}.")));
    });
}
