//! How code read a question that it answered, in words and with other readings, for the user to check.

use egui::Ui;
use frlm_client::conductor::answer::{Answer, Reading};
use frlm_client::protocol::{one_line, printable};
use frlm_client::units::plural;
use lucide_icons::Icon;

use super::table::{self, Behind};
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, Tone, card_ui, figure_ui, heading, note_ui, small};

pub fn reading_ui(ui: &mut Ui, answer: &Answer, reading: &Reading, behind: &Behind, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading("How it was read"));
        note_ui(ui, Tone::Good, Icon::HardDrive, "Computed by code on this machine; nobody was asked.");
        ui.add_space(space::XS);
        ui.label(printable(&reading.words));
        ui.add_space(space::S);
        ui.columns(2, |columns| {
            let confidence = format!("{:.0}%", answer.confidence * 100.0);
            figure_ui(&mut columns[0], "Confidence", &confidence, "that it is what you meant");
            let rows = usize::try_from(reading.rows).unwrap_or(usize::MAX);
            let left_out = match reading.left_out {
                0 => "none skipped".to_owned(),
                count => format!("{count} skipped"),
            };
            figure_ui(&mut columns[1], "Rests on", &plural(rows, "row"), &left_out);
        });
        for note in &reading.notes {
            note_ui(ui, Tone::Warn, Icon::TriangleAlert, &one_line(note));
        }
        table::readings_ui(ui, behind, commands);
        ui.add_space(space::S);
        ui.label(small(ui, "If this is not what you meant, rephrase the question."));
        ui.horizontal_wrapped(|ui| {
            table::show_sql_ui(ui, behind, commands);
            Button::new("See the run").icon(Icon::Activity).show(ui, commands, Screen::Run);
        });
    });
}
