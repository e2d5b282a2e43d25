//! How code read a question that it answered: in words and as SQL, for the user to check.

use egui::{RichText, Ui};
use frlm_client::conductor::answer::{Answer, Reading};
use frlm_client::protocol::{one_line, printable};
use frlm_client::units::plural;
use lucide_icons::Icon;

use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{
    Button, Tone, card_ui, copy_ui, figure_ui, heading, name, note_ui, small, soft,
};

pub fn reading_ui(ui: &mut Ui, answer: &Answer, reading: &Reading, commands: &mut Commands) {
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
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            ui.label(name("As SQL"));
            let copy = Button::quiet("Copy the SQL").icon_only(Icon::Copy);
            copy_ui(ui, copy, &answer.run_id, || reading.sql.clone());
        });
        ui.label(RichText::new(printable(&reading.sql)).monospace());
        ui.label(soft(ui, &format!("over the table in {}", one_line(&reading.file))));
        ui.add_space(space::XS);
        ui.label(small(ui, "If this is not what you meant, rephrase the question."));
        if ui.add(Button::new("See the run").icon(Icon::Activity)).clicked() {
            commands.push(Command::Go(Screen::Run));
        }
    });
}
