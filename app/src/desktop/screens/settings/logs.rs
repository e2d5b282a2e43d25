//! Draws the log: its newest lines, only those in sight.

use egui::Ui;
use lucide_icons::Icon;
use tracing::Level;

use super::state::{Action, Lines, Settings};
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Cell, Column, FIELD_LABEL, Row, Table, Tone, card_ui, field_ui, soft, tabs_ui, thousands,
};
use frlm_client::log_lines::{Line, MOST_LINES};

const COLUMNS: [Column; 4] = [
    Column::fixed("Time, UTC", 100.0),
    Column::fixed("Level", 100.0),
    Column::fixed("From", 200.0),
    Column::rest("What"),
];

pub fn logs_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            commands.extend(
                field_ui(ui, "Search the log", &settings.search, "a word", 280.0).map(Action::SearchLog),
            );
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                let tabs = [(Lines::All, "All"), (Lines::Warnings, "Warnings and errors")];
                commands.extend(tabs_ui(ui, &tabs, settings.lines).map(Action::Show));
            });
        });
        let words = format!(
            "{} of {} lines; the newest {} are kept, in memory only. The log has addresses and keys of peers, \
             but no documents and no secrets.",
            thousands(settings.shown().len() as u64),
            thousands(settings.kept() as u64),
            thousands(MOST_LINES as u64)
        );
        ui.label(soft(ui, &words));
        let height = (ui.available_height() - space::XXL).max(160.0);
        ui.set_min_height(height);
        if settings.shown().is_empty() {
            ui.label(soft(ui, "Nothing to show."));
            return;
        }
        let row = |position: usize| {
            let cells = settings.shown().get(position).map_or_else(Vec::new, |line| cells(line));
            Row { chosen: false, cells }
        };
        Table::new("log", &COLUMNS).read_only().show(ui, height, settings.shown().len(), row);
    });
}

fn cells(line: &Line) -> Vec<Cell> {
    let (tone, icon, word) = match line.level {
        Level::ERROR => (Tone::Bad, Icon::CircleX, "error"),
        Level::WARN => (Tone::Warn, Icon::TriangleAlert, "warning"),
        Level::INFO => (Tone::Plain, Icon::Info, "info"),
        Level::DEBUG | Level::TRACE => (Tone::Plain, Icon::Circle, "detail"),
    };
    vec![
        Cell::mono(time_of_day(line.at_ms)),
        Cell::mark(tone, icon, word),
        Cell::soft(&line.target),
        Cell::mono(&line.text),
    ]
}

/// Hours, minutes and seconds of a day that has no leap second.
fn time_of_day(at_ms: u64) -> String {
    let seconds = at_ms / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_time_of_a_line_is_its_time_of_day() {
        assert_eq!(super::time_of_day(1_800_000_000_000), "08:00:00");
    }
}
