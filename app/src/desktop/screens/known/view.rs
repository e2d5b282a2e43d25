//! Draws the known answers.

use egui::{RichText, Ui, vec2};
use lucide_icons::Icon;

use super::state::{Action, Entry, Known, Listed, Outcome};
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::plural;
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, FIELD_LABEL, Row, Table, Tone, Touched, card_ui, empty_ui, field_ui,
    heading, mark_ui, name, small, soft, thousands,
};

/// Room below the table for one answer, and for the question whether it is to be forgotten.
const ENTRY: f32 = 340.0;
/// The table is never lower than this, however low the window is.
const LEAST_TABLE: f32 = 140.0;

const COLUMNS: [Column; 4] = [
    Column::rest("Question"),
    Column::fixed("Right answer", 150.0),
    Column::fixed("Kind", 94.0),
    Column::fixed("From", 220.0),
];
/// Where each comes from, with a run's whole name, and from which width on there is room for that.
const WIDE_FROM: Column = Column::fixed("From", 320.0);
const ROOMY: f32 = 900.0;

/// The tab.
pub fn known_ui(ui: &mut Ui, known: &Known, commands: &mut Commands) {
    match &known.listed {
        Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the known answers…")),
        Load::Failed(why) => {
            let safe = format!("{why}. Until it is repaired, answers are not compared with known ones.");
            Banner { tone: Tone::Bad, what: "The known answers cannot be read", safe: &safe }.show(
                ui,
                |ui| {
                    Button::new("Try again").icon(Icon::RotateCcw).show(ui, commands, Action::Reload);
                },
            );
        }
        Load::Ready(listed) if listed.all == 0 => nothing_ui(ui, commands),
        Load::Ready(listed) => {
            card_ui(ui, |ui| listed_ui(ui, known, listed, commands));
            ui.add_space(space::S);
            card_ui(ui, |ui| match known.entry() {
                Some(entry) => entry_ui(ui, entry, known.forgetting, commands),
                None => drop(ui.label(soft(ui, "Choose an answer to see all of it, or to forget it."))),
            });
        }
    }
}

fn nothing_ui(ui: &mut Ui, commands: &mut Commands) {
    empty_ui(
        ui,
        Icon::BadgeCheck,
        "No known answers yet",
        "Save an answer that you have checked (\"Save as verified\" on Answer), or import a file with one JSON \
         object per line: {\"question\":\u{a0}\"…\",\u{a0}\"answer\":\u{a0}\"…\"}. A run that answers such a \
         question differently says so. An answer never becomes known only because providers agree on it.",
        |ui| {
            Button::primary("Import a file").icon(Icon::FileUp).show(ui, commands, Action::Import);
            Button::new("Open Runs").icon(Icon::History).show(ui, commands, Screen::Runs);
        },
    );
}

fn listed_ui(ui: &mut Ui, known: &Known, listed: &Listed, commands: &mut Commands) {
    ui.horizontal(|ui| {
        commands
            .extend(field_ui(ui, "Search", &known.search, "words, in any order", 260.0).map(Action::Search));
        ui.vertical(|ui| {
            ui.add_space(FIELD_LABEL);
            ui.horizontal(|ui| {
                let hint = "JSON lines with question, answer and optional category; all of them or none";
                Button::new("Import a file").icon(Icon::FileUp).hint(hint).show(ui, commands, Action::Import);
                let hint = "all of them as JSON lines, for import elsewhere";
                let button = Button::new("Export to a file").icon(Icon::FileDown).hint(hint);
                button.show(ui, commands, Action::Export);
            });
        });
    });
    ui.label(small(ui, &in_words(known, listed)));
    // A few leave the room to the one that is chosen; what is looked for does not move it.
    let all = (listed.entries.len() as f32 + 1.0) * size::ROW + space::M;
    let height = (ui.available_height() - ENTRY).max(LEAST_TABLE).min(all);
    ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        let shown = known.shown();
        if shown.is_empty() {
            ui.label(soft(ui, "No known answer has all of these words."));
            return;
        }
        let row = |position: usize| row(&shown[position], known.chosen.as_deref());
        let mut columns = COLUMNS;
        if ui.available_width() >= ROOMY {
            columns[COLUMNS.len() - 1] = WIDE_FROM;
        }
        let table = Table::new("known answers", &columns).choosing(known.chosen.as_deref());
        if let Some(Touched::Row(position)) = table.show(ui, height, shown.len(), row) {
            commands.push(Action::Choose(shown[position].key.clone()));
        }
    });
}

/// How many are shown, and what came of the latest file.
fn in_words(known: &Known, listed: &Listed) -> String {
    let shown = thousands(known.shown().len() as u64);
    let mut parts = vec![format!("{shown} of {}", plural(listed.all, "answer"))];
    if listed.entries.len() < listed.all {
        parts.push(format!("the first {} are searched", thousands(listed.entries.len() as u64)));
    }
    match &known.outcome {
        None => {}
        Some(Outcome::Imported(added, before)) => {
            let (added, before) = (thousands(*added as u64), thousands(*before as u64));
            parts.push(format!("imported from the file: {added} new, {before} already known"));
        }
        Some(Outcome::Exported(path)) => parts.push(format!("all were exported to {path}")),
    }
    parts.join("; ")
}

fn row(entry: &Entry, chosen: Option<&str>) -> Row {
    Row {
        chosen: chosen == Some(entry.key.as_str()),
        cells: vec![
            Cell::text(&entry.question),
            Cell::text(&entry.answer),
            Cell::soft(&entry.category),
            Cell::soft(&entry.from),
        ],
    }
}

fn entry_ui(ui: &mut Ui, entry: &Entry, forgetting: bool, commands: &mut Commands) {
    ui.label(heading("A known answer"));
    ui.label(soft(ui, &entry.question));
    ui.label(name(&entry.answer));
    ui.label(RichText::new(format!("{}, {}", entry.category, entry.from)));
    ui.add_space(space::XS);
    let asked = ui.scope_id().with("asked");
    let was_asked = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default(asked), forgetting));
    if !forgetting {
        Button::danger("Forget").icon(Icon::Eraser).show(ui, commands, Action::AskForget(true));
        return;
    }
    let safe = "Later runs are not compared with it any more. Runs, answers and sats stay as they are.";
    let question = ui.scope(|ui| {
        Banner { tone: Tone::Warn, what: "Forget this answer?", safe }.show_last(ui, |ui| {
            let button = Button::danger("Forget it").icon(Icon::Eraser);
            button.show(ui, commands, Action::Forget(entry.key.clone()));
            Button::new("Keep it").show(ui, commands, Action::AskForget(false));
        });
    });
    // In a low window it lies below what is in sight.
    if !was_asked {
        question.response.scroll_to_me(None);
    }
}
