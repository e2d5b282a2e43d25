//! Draws the log: its newest lines, only those in sight.

use egui::Ui;
use lucide_icons::Icon;
use tracing::Level;

use super::state::{Action, Lines, Settings};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Cell, Column, FIELD_LABEL, Row, Table, Tone, card_ui, field_ui, soft, tabs_ui,
};
use frlm_client::log_lines::{Line, MOST_LINES};

const COLUMNS: [Column; 4] = [
    Column::fixed(words::TIME, 100.0),
    Column::fixed(words::LEVEL, 100.0),
    Column::fixed(words::FROM, 200.0),
    Column::rest(words::WHAT),
];

pub fn logs_ui(ui: &mut Ui, settings: &Settings, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.horizontal(|ui| {
            let hint = words::SEARCH_LOG_HINT;
            let search = field_ui(ui, words::SEARCH_LOG, &settings.search, hint, 280.0);
            commands.extend(search.map(Action::SearchLog));
            ui.vertical(|ui| {
                ui.add_space(FIELD_LABEL);
                let tabs = [(Lines::All, words::ALL), (Lines::Warnings, words::WARNINGS)];
                commands.extend(tabs_ui(ui, &tabs, settings.lines).map(Action::Show));
            });
        });
        let count = words::log_lines(settings.shown().len(), settings.kept(), MOST_LINES);
        ui.label(soft(ui, &count));
        let height = (ui.available_height() - space::XXL).max(160.0);
        ui.set_min_height(height);
        if settings.shown().is_empty() {
            ui.label(soft(ui, words::NO_LINES));
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
        Level::ERROR => (Tone::Bad, Icon::CircleX, words::ERROR),
        Level::WARN => (Tone::Warn, Icon::TriangleAlert, words::WARNING),
        Level::INFO => (Tone::Plain, Icon::Info, words::INFO),
        Level::DEBUG | Level::TRACE => (Tone::Plain, Icon::Circle, words::DETAIL),
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
