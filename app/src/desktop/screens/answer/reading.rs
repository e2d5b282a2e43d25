//! How code read a question that it answered, in words and with other readings, for the user to check.

use egui::Ui;
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::answer::{Answer, Method, Reading};
use frlm_client::units::plural;
use lucide_icons::Icon;

use super::table::{self, Behind};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{Button, Tone, card_ui, figure_ui, heading, note_ui, small};

pub fn reading_ui(ui: &mut Ui, answer: &Answer, reading: &Reading, behind: &Behind, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.label(heading(words::READING));
        let by = if answer.method == Method::Code { words::BY_CODE } else { words::READ_BY_PROVIDER };
        note_ui(ui, Tone::Good, Icon::HardDrive, by);
        ui.add_space(space::XS);
        ui.label(printable(&reading.words));
        ui.add_space(space::S);
        ui.columns(2, |columns| {
            let confidence = words::share(answer.confidence);
            figure_ui(&mut columns[0], words::CONFIDENCE, &confidence, words::AS_MEANT);
            let rows = usize::try_from(reading.rows).unwrap_or(usize::MAX);
            let skipped = match reading.left_out {
                0 => words::NONE_SKIPPED.to_owned(),
                count => words::skipped(count),
            };
            figure_ui(&mut columns[1], words::BASED_ON, &plural(rows, "row"), &skipped);
        });
        for note in &reading.notes {
            note_ui(ui, Tone::Warn, Icon::TriangleAlert, &one_line(note));
        }
        table::readings_ui(ui, behind, commands);
        ui.add_space(space::S);
        ui.label(small(ui, words::REPHRASE));
        ui.horizontal_wrapped(|ui| {
            table::show_sql_ui(ui, behind, commands);
            Button::new(words::SEE_RUN).icon(Icon::Activity).show(ui, commands, Screen::Run);
        });
    });
}
