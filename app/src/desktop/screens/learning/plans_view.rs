//! Draws what runs have taught about taking questions apart.

use egui::{Grid, Ui};

use super::charts::{Curve, curves_ui};
use super::plans::{EpisodeRow, Plans};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{card_ui, heading, name, small, soft, thousands};

/// The card.
pub fn plans_ui(ui: &mut Ui, plans: &Plans) {
    curves_ui(
        ui,
        "What taking questions apart was worth",
        1,
        1.0,
        &[Curve { name: "reward, question by question".to_owned(), values: plans.rewards.clone() }],
    );
    ui.add_space(space::S);
    card_ui(ui, |ui| {
        ui.label(heading("How questions are taken apart, and how well that goes"));
        for words in [&plans.about, &plans.sizes, &plans.hints, &plans.policy] {
            ui.label(soft(ui, words));
        }
        ui.add_space(space::XS);
        domains_ui(ui, plans);
        ui.add_space(space::S);
        strategies_ui(ui, plans);
        ui.add_space(space::S);
        if !plans.phrasings.is_empty() {
            phrasings_ui(ui, plans);
            ui.add_space(space::S);
        }
        episodes_ui(ui, "Best", &plans.best);
        episodes_ui(ui, "Worst", &plans.worst);
    });
}

fn domains_ui(ui: &mut Ui, plans: &Plans) {
    Grid::new("plans by domain").num_columns(6).spacing([space::XL, space::S]).show(ui, |ui| {
        for title in ["Documents", "Questions", "Answered", "Mean reward", "Steps answered", "Satisfaction"] {
            ui.label(small(ui, title));
        }
        ui.end_row();
        for row in &plans.domains {
            ui.label(name(&row.domain));
            ui.label(thousands(row.questions));
            ui.label(thousands(row.answered));
            for figure in [row.reward, row.success, row.satisfaction] {
                ui.label(format!("{figure:.2}"));
            }
            ui.end_row();
        }
    });
}

fn strategies_ui(ui: &mut Ui, plans: &Plans) {
    Grid::new("plans by strategy").num_columns(5).spacing([space::XL, space::S]).show(ui, |ui| {
        for title in ["Strategy", "Documents", "Questions", "Answered", "Mean reward"] {
            ui.label(small(ui, title));
        }
        ui.end_row();
        for row in &plans.strategies {
            ui.label(name(&row.strategy));
            ui.label(&row.domain);
            ui.label(thousands(row.questions));
            ui.label(thousands(row.answered));
            ui.label(format!("{:.2}", row.reward));
            ui.end_row();
        }
    });
}

fn phrasings_ui(ui: &mut Ui, plans: &Plans) {
    Grid::new("plans by phrasing").num_columns(4).spacing([space::XL, space::S]).show(ui, |ui| {
        for title in ["Readers asked", "Kind of question", "Questions", "Mean worth"] {
            ui.label(small(ui, title));
        }
        ui.end_row();
        for row in &plans.phrasings {
            ui.label(name(row.words));
            ui.label(&row.task_type);
            ui.label(thousands(row.questions));
            ui.label(format!("{:.2}", row.worth));
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
