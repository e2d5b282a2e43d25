//! Draws the runs screen.

use egui::Ui;
use frlm_client::conductor::store::RunState;
use frlm_client::units::percent;
use lucide_icons::Icon;

use super::compare::facts;
use super::state::{Action, Details, Entry, Format, Runs, Show};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::load::Load;
use crate::desktop::screens::{Screen, run};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{lasting, plural};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, FIELD_LABEL, Order, Row, Table, Tone, Touched, card_ui, column_ui, copy_ui,
    empty_ui, field_ui, figure_ui, heading, icon_ui, mark_ui, note_ui, one_line_ui, scroll_ui, soft, tabs_ui,
    thousands, title_ui,
};

/// Room for the chosen run below the table.
const DETAILS: f32 = 264.0;

/// Of the table of all runs.
pub const COLUMNS: [Column; 5] = [
    Column::times("Started", 86.0),
    Column::rest("Question"),
    Column::fixed("State", 106.0),
    Column::fixed("Documents", 96.0),
    Column::figures("Spent", 112.0),
];

/// The newest stand first of themselves.
const OWN: Option<Order> = Some(Order::falling(0));

pub fn runs_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let runs = &state.runs;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        // Where they cannot be read, what is said about it has the button.
        let unread = matches!(runs.recorded, Load::Failed(_));
        title_ui(ui, "Runs", "Every question asked on this machine, with all its events.", |ui| {
            if !unread && ui.add(Button::new("Refresh").icon(Icon::RefreshCw)).clicked() {
                commands.push(Action::Reload);
            }
        });
        ui.add_space(space::M);
        match &runs.recorded {
            Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading the recorded runs…")),
            Load::Failed(why) => failed_ui(ui, why, commands),
            Load::Ready(all) if all.is_empty() => nothing_ui(ui, commands),
            Load::Ready(all) => match runs.compared() {
                Some(pair) => compared_ui(ui, runs, pair, commands),
                None => listed_ui(ui, runs, all.len(), commands),
            },
        }
    });
}

fn failed_ui(ui: &mut Ui, why: &str, commands: &mut Commands) {
    let safe = format!("{why}. Nothing was changed, and the ledger is a file of its own.");
    Banner { tone: Tone::Bad, what: "The recorded runs cannot be read", safe: &safe }.show(ui, |ui| {
        Button::new("Try again").icon(Icon::RotateCcw).show(ui, commands, Action::Reload);
    });
}

fn nothing_ui(ui: &mut Ui, commands: &mut Commands) {
    empty_ui(
        ui,
        Icon::History,
        "No questions yet",
        "Every run is recorded, so that you can replay, compare and resume it.",
        |ui| {
            Button::primary("Ask a question").icon(Icon::Send).show(ui, commands, Screen::Ask);
        },
    );
}

fn listed_ui(ui: &mut Ui, runs: &Runs, total: usize, commands: &mut Commands) {
    ui.horizontal(|ui| {
        commands.extend(
            field_ui(ui, "Search", &runs.search, "words of the question, a document, an id", 340.0)
                .map(Action::Search),
        );
        ui.vertical(|ui| {
            ui.add_space(FIELD_LABEL);
            let tabs = [
                (Show::All, "All"),
                (Show::Answered, "Answered"),
                (Show::Open, "Resumable"),
                (Show::Failed, "Failed"),
            ];
            commands.extend(tabs_ui(ui, &tabs, runs.show).map(Action::Show));
        });
    });
    let listed = runs.listed();
    let words = if listed.len() == total {
        plural(total, "run")
    } else {
        format!("{} of {}", thousands(listed.len() as u64), plural(total, "run"))
    };
    ui.label(soft(ui, &words));
    let height = (ui.available_height() - DETAILS - space::XL).max(120.0);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        if listed.is_empty() {
            ui.label(soft(ui, "No run matches. Search for less, or show all."));
            return;
        }
        let row = |position: usize| {
            let entry = listed.get(position).and_then(|position| runs.entry(*position));
            entry.map_or(Row { chosen: false, cells: Vec::new() }, |entry| row(runs, entry))
        };
        let table = Table::new("runs", &COLUMNS).sorted(&runs.sorted, OWN).choosing(runs.chosen.as_deref());
        match table.show(ui, height, listed.len(), row) {
            Some(Touched::Row(position)) => {
                let entry = listed.get(position).and_then(|position| runs.entry(*position));
                commands.extend(entry.map(|entry| Command::Runs(Action::Choose(entry.id.clone()))));
            }
            Some(Touched::Sort(order)) => commands.push(Action::Sort(order)),
            None => {}
        }
    });
    ui.add_space(space::S);
    // In a small window there is more to say of one of them than there is room.
    scroll_ui(ui, "run", |ui| chosen_ui(ui, runs, commands));
}

fn row(runs: &Runs, entry: &Entry) -> Row {
    let (tone, icon, word) = state_mark(entry.state);
    Row {
        chosen: runs.chosen.as_ref() == Some(&entry.id),
        cells: vec![
            Cell::ago(runs.now_ms, entry.started_at_ms),
            Cell::text(&entry.question),
            Cell::mark(tone, icon, word),
            Cell::soft(entry.documents.join(", ")),
            Cell::text(entry.spent_sats.map_or("–".to_owned(), |sats| entry.unit.amount(sats))),
        ],
    }
}

/// How a run stands, as icon, colour and word.
pub fn state_mark(state: RunState) -> (Tone, Icon, &'static str) {
    match state {
        RunState::Done => (Tone::Good, Icon::CircleCheck, "answered"),
        RunState::Failed => (Tone::Bad, Icon::CircleX, "failed"),
        RunState::Interrupted => (Tone::Warn, Icon::CirclePause, "paused"),
        RunState::Running => (Tone::Busy, Icon::Activity, "not ended"),
    }
}

fn chosen_ui(ui: &mut Ui, runs: &Runs, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.set_min_height(DETAILS - 2.0 * space::L - space::XL);
        let Some(entry) = runs.chosen() else {
            ui.label(soft(
                ui,
                "Choose a run to see its answer, replay it, compare it, export it or delete it.",
            ));
            return;
        };
        one_line_ui(ui, heading(&entry.question));
        match runs.details(&entry.id) {
            Load::Busy => drop(mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading what happened…")),
            Load::Failed(why) => {
                let safe = format!("{why}. Nothing was changed, and its cost is in the ledger.");
                Banner { tone: Tone::Bad, what: "What happened cannot be read", safe: &safe }.show(
                    ui,
                    |ui| {
                        let button = Button::new("Try again").icon(Icon::RotateCcw);
                        button.show(ui, commands, Action::Choose(entry.id.clone()));
                    },
                );
            }
            // The question takes the figures' place.
            Load::Ready(_) if runs.deleting || runs.wants_second => {}
            Load::Ready(details) => details_ui(ui, entry, details),
        }
        ui.add_space(space::XS);
        if runs.deleting {
            delete_ui(ui, entry, commands);
        } else if runs.wants_second {
            Banner { tone: Tone::Accent, what: "Choose the run to compare with in the table", safe: "" }
                .show(ui, |ui| {
                    Button::new("Cancel").icon(Icon::X).show(ui, commands, Action::WantSecond(false));
                });
        } else {
            buttons_ui(ui, entry, commands);
            if let Some(path) = &runs.exported {
                exported_ui(ui, path);
            }
        }
    });
}

/// Where the file is, to be found or handed on.
fn exported_ui(ui: &mut Ui, path: &str) {
    ui.horizontal(|ui| {
        icon_ui(ui, Tone::Good, Icon::CircleCheck, "written");
        let copy = Button::quiet("Copy the path").icon_only(Icon::Copy);
        copy_ui(ui, copy, path, || path.to_owned());
        one_line_ui(ui, format!("Written to {path}"));
    });
}

fn details_ui(ui: &mut Ui, entry: &Entry, details: &Details) {
    let answer =
        if details.answered { egui::RichText::new(&details.answer) } else { soft(ui, &details.answer) };
    one_line_ui(ui, answer);
    if let Some(damage) = &details.damage {
        let words = format!("The record is damaged: {damage}. It is shown as far as it goes.");
        note_ui(ui, Tone::Warn, Icon::TriangleAlert, &words);
    }
    ui.add_space(space::XS);
    ui.columns(5, |columns| {
        let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
        let verified =
            format!("{} of {}", thousands(details.verified as u64), thousands(details.subtasks as u64));
        figure_ui(&mut columns[0], "Verified", &verified, "parts");
        figure_ui(&mut columns[1], "Coverage", &share(details.coverage), "of the documents");
        figure_ui(&mut columns[2], "Confidence", &share(details.confidence), "of the answer");
        let spent = entry.unit.amount(entry.spent_sats.unwrap_or(details.spent_sats));
        let budget = entry.unit.amount(entry.budget_sats);
        figure_ui(&mut columns[3], "Spent", &spent, &format!("of {budget}"));
        let events = plural(usize::try_from(details.events).unwrap_or(usize::MAX), "event");
        figure_ui(&mut columns[4], "Took", &lasting(details.lasted_ms), &events);
    });
    ui.add_space(space::S);
}

fn buttons_ui(ui: &mut Ui, entry: &Entry, commands: &mut Commands) {
    let id = || entry.id.clone();
    ui.horizontal_wrapped(|ui| {
        let ended = matches!(entry.state, RunState::Done | RunState::Failed);
        let (word, icon, hint) = if ended {
            ("Open", Icon::Activity, "its parts, its decisions and its answer")
        } else {
            let hint = "verified parts are not asked again; the run has a button \"Resume\"";
            ("Open to resume", Icon::Play, hint)
        };
        if ui.add(Button::primary(word).icon(icon).hint(hint)).clicked() {
            commands.push(run::Action::Open(id()));
            commands.push(Screen::Run);
        }
        let hint = "plays the run again, at a speed that you choose";
        if ui.add(Button::new("Replay").icon(Icon::CirclePlay).hint(hint)).clicked() {
            commands.push(run::Action::Replay(id()));
            commands.push(Screen::Run);
        }
        let button = Button::new("Compare with another").icon(Icon::Columns2);
        button.show(ui, commands, Action::WantSecond(true));
        let lines = Button::new("Export JSON lines").icon(Icon::FileJson).hint("one event per line");
        lines.show(ui, commands, Action::Export(id(), Format::JsonLines));
        let trace =
            Button::new("Export for Perfetto").icon(Icon::ChartGantt).hint("open it at ui.perfetto.dev");
        trace.show(ui, commands, Action::Export(id(), Format::Perfetto));
        Button::danger("Delete").icon(Icon::Trash2).show(ui, commands, Action::AskDelete(true));
    });
}

fn delete_ui(ui: &mut Ui, entry: &Entry, commands: &mut Commands) {
    let safe = "Its events and its answer cannot be restored. Its cost stays in the ledger.";
    Banner { tone: Tone::Bad, what: "Delete this run?", safe }.show(ui, |ui| {
        let button = Button::danger("Delete the run").icon(Icon::Trash2);
        button.show(ui, commands, Action::Delete(entry.id.clone()));
        Button::new("Cancel").show(ui, commands, Action::AskDelete(false));
    });
}

fn compared_ui(ui: &mut Ui, runs: &Runs, (first, second): (&Entry, &Entry), commands: &mut Commands) {
    ui.horizontal(|ui| {
        ui.label(heading("Two runs side by side"));
        Button::new("Back to all runs").icon(Icon::ArrowLeft).show(ui, commands, Action::EndComparison);
    });
    let (one, other) = match (runs.details(&first.id), runs.details(&second.id)) {
        (Load::Ready(one), Load::Ready(other)) => (one, other),
        (Load::Failed(why), _) | (_, Load::Failed(why)) => {
            Banner { tone: Tone::Bad, what: "One of them cannot be read", safe: why }.show(ui, |_| {});
            return;
        }
        _ => {
            mark_ui(ui, Tone::Busy, Icon::LoaderCircle, "Reading what happened…");
            return;
        }
    };
    let facts = facts((first, one), (second, other));
    let columns = [
        Column::fixed("", 120.0),
        Column::rest("First run"),
        Column::rest("Second run"),
        Column::fixed("", 110.0),
    ];
    card_ui(ui, |ui| {
        let height = ui.available_height() - space::XL;
        let row = |position: usize| {
            let fact = &facts[position];
            let verdict = if fact.differs() {
                Cell::mark(Tone::Warn, Icon::Diff, "differs")
            } else {
                Cell::mark(Tone::Plain, Icon::Equal, "same")
            };
            let cells =
                vec![Cell::soft(fact.name), Cell::text(&fact.first), Cell::text(&fact.second), verdict];
            Row { chosen: false, cells }
        };
        Table::new("comparison", &columns).read_only().show(ui, height, facts.len(), row);
    });
}
