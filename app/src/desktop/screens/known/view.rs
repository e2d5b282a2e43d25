//! Draws the known answers.

use egui::{RichText, Ui, vec2};
use lucide_icons::Icon;

use super::state::{Action, Entry, Known, Listed, Outcome};
use super::words;
use crate::desktop::command::Commands;
use crate::desktop::screens::Screen;
use crate::desktop::screens::load::Load;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, FIELD_LABEL, Row, Table, Tone, Touched, busy_ui, card_ui, empty_ui,
    field_ui, headed_ui, name, small, soft,
};

/// Room below the table for one answer, and for the question whether it is to be forgotten.
const ENTRY: f32 = 340.0;
/// The table is never lower than this, however low the window is.
const LEAST_TABLE: f32 = 140.0;

const COLUMNS: [Column; 4] = [
    Column::rest(words::QUESTION),
    Column::fixed(words::RIGHT_ANSWER, 150.0),
    Column::fixed(words::KIND, 94.0),
    Column::fixed(words::FROM, 220.0),
];
/// Where each comes from, with a run's whole name, and from which width on there is room for that.
const WIDE_FROM: Column = Column::fixed(words::FROM, 320.0);
const ROOMY: f32 = 900.0;

/// The tab.
pub fn known_ui(ui: &mut Ui, known: &Known, commands: &mut Commands) {
    match &known.listed {
        Load::Busy => busy_ui(ui, words::READING),
        Load::Failed(why) => {
            let banner = Banner { tone: Tone::Bad, what: words::UNREAD, safe: &words::unread(why) };
            banner.retry(ui, commands, words::TRY_AGAIN, Action::Reload);
        }
        Load::Ready(listed) if listed.all == 0 => nothing_ui(ui, commands),
        Load::Ready(listed) => {
            card_ui(ui, |ui| listed_ui(ui, known, listed, commands));
            ui.add_space(space::S);
            card_ui(ui, |ui| match known.entry() {
                Some(entry) => entry_ui(ui, entry, known.forgetting, commands),
                None => drop(ui.label(soft(ui, words::CHOOSE))),
            });
        }
    }
}

fn nothing_ui(ui: &mut Ui, commands: &mut Commands) {
    empty_ui(ui, Icon::BadgeCheck, words::NONE, words::NONE_THEN, |ui| {
        Button::primary(words::IMPORT).icon(Icon::FileUp).show(ui, commands, Action::Import);
        Button::new(words::OPEN_RUNS).icon(Icon::History).show(ui, commands, Screen::Runs);
    });
}

fn listed_ui(ui: &mut Ui, known: &Known, listed: &Listed, commands: &mut Commands) {
    ui.horizontal(|ui| {
        let search = field_ui(ui, words::SEARCH, &known.search, words::SEARCH_EXAMPLE, 260.0);
        commands.extend(search.map(Action::Search));
        ui.vertical(|ui| {
            ui.add_space(FIELD_LABEL);
            ui.horizontal(|ui| {
                let import = Button::new(words::IMPORT).icon(Icon::FileUp).hint(words::IMPORT_HINT);
                import.show(ui, commands, Action::Import);
                let export = Button::new(words::EXPORT).icon(Icon::FileDown).hint(words::EXPORT_HINT);
                export.show(ui, commands, Action::Export);
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
            ui.label(soft(ui, words::NO_MATCH));
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
    let mut parts = vec![words::shown_of(known.shown().len(), listed.all)];
    if listed.entries.len() < listed.all {
        parts.push(words::searched(listed.entries.len()));
    }
    match &known.outcome {
        None => {}
        Some(Outcome::Imported(added, before)) => parts.push(words::imported(*added, *before)),
        Some(Outcome::Exported(path)) => parts.push(words::exported(path)),
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
    headed_ui(ui, words::ENTRY, &entry.question);
    ui.label(name(&entry.answer));
    ui.label(RichText::new(format!("{}, {}", entry.category, entry.from)));
    ui.add_space(space::XS);
    let asked = ui.scope_id().with("asked");
    let was_asked = ui.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default(asked), forgetting));
    if !forgetting {
        Button::danger(words::FORGET).icon(Icon::Eraser).show(ui, commands, Action::AskForget(true));
        return;
    }
    let (what, safe) = (words::FORGET_SURE, words::FORGET_SAFE);
    let question = ui.scope(|ui| {
        Banner { tone: Tone::Warn, what, safe }.show_last(ui, |ui| {
            let button = Button::danger(words::FORGET_IT).icon(Icon::Eraser);
            button.show(ui, commands, Action::Forget(entry.key.clone()));
            Button::new(words::KEEP_IT).show(ui, commands, Action::AskForget(false));
        });
    });
    // In a low window it lies below what is in sight.
    if !was_asked {
        question.response.scroll_to_me(None);
    }
}
