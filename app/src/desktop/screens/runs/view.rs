//! Draws the runs screen.

use egui::Ui;
use frlm_client::conductor::store::RunState;
use frlm_client::export::Format;
use frlm_client::units::percent;
use lucide_icons::Icon;

use super::compare::facts;
use super::state::{Action, Details, Entry, Runs};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::load::Load;
use crate::desktop::screens::{Screen, run};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::words::{lasting, plural};
use crate::desktop::widgets::{
    Banner, Button, Cell, Column, FIELD_LABEL, Order, Row, Table, Tone, Touched, busy_ui, card_ui, column_ui,
    copy_ui, empty_ui, field_ui, figure_ui, heading, icon_ui, note_ui, one_line_ui, scroll_ui, soft, tabs_ui,
    title_ui,
};

/// Room for the chosen run below the table.
const DETAILS: f32 = 264.0;

/// Of the table of all runs.
pub const COLUMNS: [Column; 5] = [
    Column::times(words::STARTED, 86.0),
    Column::rest(words::QUESTION),
    Column::fixed(words::STATE, 106.0),
    Column::fixed(words::DOCUMENTS, 96.0),
    Column::figures(words::SPENT, 112.0),
];

/// The newest stand first of themselves.
const OWN: Option<Order> = Some(Order::falling(0));

pub fn runs_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let runs = &state.runs;
    column_ui(ui, size::CONTENT, |ui| {
        ui.add_space(space::XL);
        // Where they cannot be read, what is said about it has the button.
        let unread = matches!(runs.recorded, Load::Failed(_));
        title_ui(ui, words::TITLE, words::SUBTITLE, |ui| {
            if !unread && ui.add(Button::new(words::REFRESH).icon(Icon::RefreshCw)).clicked() {
                commands.push(Action::Reload);
            }
        });
        ui.add_space(space::M);
        match &runs.recorded {
            Load::Busy => busy_ui(ui, words::READING),
            Load::Failed(why) => {
                let banner = Banner { tone: Tone::Bad, what: words::UNREAD, safe: &words::unread(why) };
                banner.retry(ui, commands, words::TRY_AGAIN, Action::Reload);
            }
            Load::Ready(all) if all.is_empty() => {
                empty_ui(ui, Icon::History, words::NONE, words::NONE_THEN, |ui| {
                    Button::primary(words::ASK).icon(Icon::Send).show(ui, commands, Screen::Ask);
                });
            }
            Load::Ready(all) => match runs.compared() {
                Some(pair) => compared_ui(ui, runs, pair, commands),
                None => listed_ui(ui, runs, all.len(), commands),
            },
        }
    });
}

fn listed_ui(ui: &mut Ui, runs: &Runs, total: usize, commands: &mut Commands) {
    ui.horizontal(|ui| {
        let search = field_ui(ui, words::SEARCH, &runs.search, words::SEARCH_EXAMPLE, 340.0);
        commands.extend(search.map(Action::Search));
        ui.vertical(|ui| {
            ui.add_space(FIELD_LABEL);
            commands.extend(tabs_ui(ui, &words::SHOWN, runs.show).map(Action::Show));
        });
    });
    let listed = runs.listed();
    let is_all = listed.len() == total;
    let count = if is_all { plural(total, "run") } else { words::runs_of(listed.len(), total) };
    ui.label(soft(ui, &count));
    let height = (ui.available_height() - DETAILS - space::XL).max(120.0);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        ui.set_min_height(height);
        if listed.is_empty() {
            ui.label(soft(ui, words::NO_MATCH));
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
            Cell::text(entry.spent_sats.map_or(words::UNKNOWN.to_owned(), |sats| entry.unit.amount(sats))),
        ],
    }
}

/// How a run stands, as icon, colour and word.
pub fn state_mark(state: RunState) -> (Tone, Icon, &'static str) {
    match state {
        RunState::Done => (Tone::Good, Icon::CircleCheck, words::ANSWERED),
        RunState::Failed => (Tone::Bad, Icon::CircleX, words::FAILED),
        RunState::Interrupted => (Tone::Warn, Icon::CirclePause, words::PAUSED),
        RunState::Running => (Tone::Busy, Icon::Activity, words::UNFINISHED),
    }
}

fn chosen_ui(ui: &mut Ui, runs: &Runs, commands: &mut Commands) {
    card_ui(ui, |ui| {
        ui.set_min_height(DETAILS - 2.0 * space::L - space::XL);
        let Some(entry) = runs.chosen() else {
            ui.label(soft(ui, words::CHOOSE));
            return;
        };
        one_line_ui(ui, heading(&entry.question));
        match runs.details(&entry.id) {
            Load::Busy => busy_ui(ui, words::READING_RUN),
            Load::Failed(why) => {
                let banner =
                    Banner { tone: Tone::Bad, what: words::RUN_UNREAD, safe: &words::run_unread(why) };
                banner.retry(ui, commands, words::TRY_AGAIN, Action::Choose(entry.id.clone()));
            }
            // The question takes the figures' place.
            Load::Ready(_) if runs.deleting || runs.wants_second => {}
            Load::Ready(details) => details_ui(ui, entry, details),
        }
        ui.add_space(space::XS);
        if runs.deleting {
            delete_ui(ui, entry, commands);
        } else if runs.wants_second {
            Banner { tone: Tone::Accent, what: words::CHOOSE_SECOND, safe: "" }.show(ui, |ui| {
                Button::new(words::CANCEL).icon(Icon::X).show(ui, commands, Action::WantSecond(false));
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
        icon_ui(ui, Tone::Good, Icon::CircleCheck, words::WRITTEN);
        let copy = Button::quiet(words::COPY_PATH).icon_only(Icon::Copy);
        copy_ui(ui, copy, path, || path.to_owned());
        one_line_ui(ui, words::written_to(path));
    });
}

fn details_ui(ui: &mut Ui, entry: &Entry, details: &Details) {
    let answer =
        if details.answered { egui::RichText::new(&details.answer) } else { soft(ui, &details.answer) };
    one_line_ui(ui, answer);
    if let Some(damage) = &details.damage {
        note_ui(ui, Tone::Warn, Icon::TriangleAlert, &words::damaged(damage));
    }
    ui.add_space(space::XS);
    ui.columns(5, |columns| {
        let share = |share: Option<f64>| share.map_or(words::UNKNOWN.to_owned(), percent);
        let verified = words::parts(details.verified, details.subtasks);
        figure_ui(&mut columns[0], words::VERIFIED, &verified, words::VERIFIED_ABOUT);
        figure_ui(&mut columns[1], words::COVERAGE, &share(details.coverage), words::COVERAGE_ABOUT);
        figure_ui(&mut columns[2], words::CONFIDENCE, &share(details.confidence), words::CONFIDENCE_ABOUT);
        let spent = entry.unit.amount(entry.spent_sats.unwrap_or(details.spent_sats));
        let budget = words::of_budget(&entry.unit.amount(entry.budget_sats));
        figure_ui(&mut columns[3], words::SPENT, &spent, &budget);
        let events = plural(usize::try_from(details.events).unwrap_or(usize::MAX), "event");
        figure_ui(&mut columns[4], words::TOOK, &lasting(details.lasted_ms), &events);
    });
    ui.add_space(space::S);
}

fn buttons_ui(ui: &mut Ui, entry: &Entry, commands: &mut Commands) {
    let id = || entry.id.clone();
    ui.horizontal_wrapped(|ui| {
        let ended = matches!(entry.state, RunState::Done | RunState::Failed);
        let (word, icon, hint) = if ended {
            (words::OPEN, Icon::Activity, words::OPEN_HINT)
        } else {
            (words::OPEN_TO_RESUME, Icon::Play, words::OPEN_TO_RESUME_HINT)
        };
        if ui.add(Button::primary(word).icon(icon).hint(hint)).clicked() {
            commands.push(run::Action::Open(id()));
            commands.push(Screen::Run);
        }
        let replay = Button::new(words::REPLAY).icon(Icon::CirclePlay).hint(words::REPLAY_HINT);
        if ui.add(replay).clicked() {
            commands.push(run::Action::Replay(id()));
            commands.push(Screen::Run);
        }
        let button = Button::new(words::COMPARE).icon(Icon::Columns2);
        button.show(ui, commands, Action::WantSecond(true));
        let lines = Button::new(words::EXPORT_LINES).icon(Icon::FileJson).hint(words::EXPORT_LINES_HINT);
        lines.show(ui, commands, Action::Export(id(), Format::JsonLines));
        let trace = Button::new(words::EXPORT_PERFETTO).icon(Icon::ChartGantt);
        let trace = trace.hint(words::EXPORT_PERFETTO_HINT);
        trace.show(ui, commands, Action::Export(id(), Format::Perfetto));
        Button::danger(words::DELETE).icon(Icon::Trash2).show(ui, commands, Action::AskDelete(true));
    });
}

fn delete_ui(ui: &mut Ui, entry: &Entry, commands: &mut Commands) {
    let (what, safe) = (words::DELETE_SURE, words::DELETE_SAFE);
    Banner { tone: Tone::Bad, what, safe }.show(ui, |ui| {
        let button = Button::danger(words::DELETE_RUN).icon(Icon::Trash2);
        button.show(ui, commands, Action::Delete(entry.id.clone()));
        Button::new(words::CANCEL).show(ui, commands, Action::AskDelete(false));
    });
}

fn compared_ui(ui: &mut Ui, runs: &Runs, (first, second): (&Entry, &Entry), commands: &mut Commands) {
    ui.horizontal(|ui| {
        ui.label(heading(words::COMPARED));
        Button::new(words::BACK).icon(Icon::ArrowLeft).show(ui, commands, Action::EndComparison);
    });
    let (one, other) = match (runs.details(&first.id), runs.details(&second.id)) {
        (Load::Ready(one), Load::Ready(other)) => (one, other),
        (Load::Failed(why), _) | (_, Load::Failed(why)) => {
            Banner { tone: Tone::Bad, what: words::ONE_UNREAD, safe: why }.show(ui, |_| {});
            return;
        }
        _ => return busy_ui(ui, words::READING_RUN),
    };
    let facts = facts((first, one), (second, other));
    let columns = [
        Column::fixed("", 120.0),
        Column::rest(words::FIRST),
        Column::rest(words::SECOND),
        Column::fixed("", 110.0),
    ];
    card_ui(ui, |ui| {
        let height = ui.available_height() - space::XL;
        let row = |position: usize| {
            let fact = &facts[position];
            let verdict = if fact.differs() {
                Cell::mark(Tone::Warn, Icon::Diff, words::DIFFERS)
            } else {
                Cell::mark(Tone::Plain, Icon::Equal, words::SAME)
            };
            let cells =
                vec![Cell::soft(fact.name), Cell::text(&fact.first), Cell::text(&fact.second), verdict];
            Row { chosen: false, cells }
        };
        Table::new("comparison", &columns).read_only().show(ui, height, facts.len(), row);
    });
}
