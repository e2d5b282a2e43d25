//! Draws what runs have taught about taking questions apart.

use egui::Ui;
use lucide_icons::Icon;

use super::charts::{Curve, curves_ui};
use super::grid::{figure_ui, grid, head_ui};
use super::state::{Action, Learning};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, card_ui, headed_ui, heading, name, small, soft, thousands};
use frlm_client::learned_plans::{EpisodeRow, Plans};
use frlm_client::strategies::{Row, Test};

/// What can be done about it stands first: which strategies there are, which are tested, and which were retired.
pub fn plans_ui(ui: &mut Ui, plans: &Plans, learning: &Learning, commands: &mut Commands) {
    card_ui(ui, |ui| {
        headed_ui(ui, words::PLANS, &plans.about);
        ui.add_space(space::XS);
        strategies_ui(ui, plans);
        tests_ui(ui, plans, learning, commands);
    });
    ui.add_space(space::S);
    let rewards = Curve { name: words::PLAN_REWARD.to_owned(), values: plans.rewards.clone() };
    curves_ui(ui, words::PLAN_REWARDS, 1, 1.0, &[rewards]);
    ui.add_space(space::S);
    card_ui(ui, |ui| {
        ui.label(heading(words::PLAN_RESULTS));
        for about in [&plans.sizes, &plans.history, &plans.hints, &plans.policy] {
            if !about.is_empty() {
                ui.label(soft(ui, about));
            }
        }
        ui.add_space(space::XS);
        domains_ui(ui, plans);
        ui.add_space(space::S);
        if !plans.phrasings.is_empty() {
            phrasings_ui(ui, plans);
            ui.add_space(space::S);
        }
        performance_ui(ui, words::COMPONENTS, &plans.components);
        performance_ui(ui, words::STAGES, &plans.phases);
        performance_ui(ui, words::SYNTHESES, &plans.syntheses);
        episodes_ui(ui, words::BEST, &plans.best);
        ui.add_space(space::XS);
        episodes_ui(ui, words::WORST, &plans.worst);
    });
}

fn domains_ui(ui: &mut Ui, plans: &Plans) {
    grid("plans by domain", words::DOMAINS.len()).show(ui, |ui| {
        head_ui(ui, &words::DOMAINS, 1, 0);
        for row in &plans.domains {
            ui.label(name(&row.domain));
            figure_ui(ui, thousands(row.questions));
            figure_ui(ui, thousands(row.answered));
            for figure in [row.reward, row.success, row.satisfaction] {
                figure_ui(ui, format!("{figure:.2}"));
            }
            ui.end_row();
        }
    });
}

fn performance_ui(ui: &mut Ui, title: &str, figures: &[(&str, String)]) {
    if figures.is_empty() {
        return;
    }
    ui.label(small(ui, title));
    grid(title, figures.len()).show(ui, |ui| {
        let names: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
        head_ui(ui, &names, 0, 0);
        for (_, figure) in figures {
            figure_ui(ui, figure);
        }
        ui.end_row();
    });
    ui.add_space(space::S);
}

fn strategies_ui(ui: &mut Ui, plans: &Plans) {
    grid("plans by strategy", words::STRATEGIES.len()).show(ui, |ui| {
        head_ui(ui, &words::STRATEGIES, 2, 1);
        for row in &plans.strategies {
            ui.label(name(&row.name));
            ui.label(row.domain.to_string());
            figure_ui(ui, thousands(row.questions));
            figure_ui(ui, thousands(row.answered));
            figure_ui(ui, format!("{:.2}", row.reward));
            ui.label(soft(ui, &row.test.in_words()));
            ui.end_row();
        }
    });
}

/// Why a strategy won, lost or is looked at; what lost can be used again.
fn tests_ui(ui: &mut Ui, plans: &Plans, learning: &Learning, commands: &mut Commands) {
    for row in &plans.strategies {
        let domain = row.domain.to_string();
        let said = match &row.test {
            Test::NotChosen | Test::InUse => continue,
            // Told by the one that is tested against it.
            Test::Running { .. } if !is_told(row, plans) => continue,
            Test::Running { against, .. } => words::tested(&row.name, &domain, &against.to_string()),
            Test::Won { against } => words::won(&row.name, &domain, &against.to_string()),
            Test::Retired { why, .. } => words::retired(&row.name, &domain, why),
        };
        ui.add_space(space::XS);
        ui.label(soft(ui, &said));
        if let Test::Retired { strategy, .. } = row.test {
            let button = Button::new(words::USE_AGAIN).icon(Icon::RotateCcw);
            let is_under_way = learning.bringing_back == Some((row.domain, strategy));
            button.enabled(!is_under_way).show(ui, commands, Action::BringBack(row.domain, strategy));
        }
    }
}

/// Of two that are tested against each other, the one that stands first in the table.
fn is_told(row: &Row, plans: &Plans) -> bool {
    let running = |other: &&Row| other.domain == row.domain && matches!(other.test, Test::Running { .. });
    plans.strategies.iter().find(running).is_some_and(|first| first.name == row.name)
}

fn phrasings_ui(ui: &mut Ui, plans: &Plans) {
    grid("plans by phrasing", words::PHRASINGS.len()).show(ui, |ui| {
        head_ui(ui, &words::PHRASINGS, 2, 0);
        for row in &plans.phrasings {
            ui.label(name(row.words));
            ui.label(&row.task_type);
            figure_ui(ui, thousands(row.questions));
            figure_ui(ui, format!("{:.2}", row.worth));
            ui.end_row();
        }
    });
}

fn episodes_ui(ui: &mut Ui, title: &str, episodes: &[EpisodeRow]) {
    ui.label(small(ui, title));
    for episode in episodes {
        ui.label(format!("{:.2}  {}", episode.reward, episode.question));
        ui.label(soft(ui, &episode.why));
    }
}
