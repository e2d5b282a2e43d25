//! Draws the rows of the table, what the query found, and the SQL.

use std::cell::RefCell;
use std::collections::BTreeSet;

use egui::{Key, Margin, Modifiers, TextEdit, Ui, vec2};
use frlm_client::protocol::{one_line, printable};
use frlm_client::questions::answer::{Answer, Reading};
use frlm_client::run::{Found, RowOrder, Which};
use frlm_client::units::plural;
use lucide_icons::Icon;

use super::chart::chart_ui;
use super::state::{self, Action, Behind, Sheet};
use crate::desktop::command::Commands;
use crate::desktop::screens::answer::words;
use crate::desktop::screens::load::Load;
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::widgets::words::sentence;
use crate::desktop::widgets::{
    Button, Cell, Column, Order, Row, Sorted, Table, Tone, Touched, busy_ui, card_ui, checkbox_ui, copy_ui,
    heading, hint, name, note_ui, soft, thousands, two_columns_ui,
};

/// Rows that are in sight at once.
const ROWS_OF_FILE: usize = 11;
const ROWS_OF_FOUND: usize = 8;
/// Width of the column that says where a row stands, and the least of another one.
const PLACE: f32 = 104.0;
const NARROWEST: f32 = 112.0;
/// The longest SQL and filter.
const LONGEST_SQL: usize = 20_000;
const LONGEST_FILTER: usize = 200;

/// The table of the file, the cited rows marked.
pub fn file_ui(ui: &mut Ui, behind: &Behind, reading: &Reading, commands: &mut Commands) {
    let file = one_line(&reading.file);
    card_ui(ui, |ui| match &behind.opened {
        None => commands.push(Action::Open),
        Some(Load::Busy) => busy_ui(ui, &words::reading_table(&file)),
        Some(Load::Failed(why)) => {
            ui.label(heading(&words::rows_of(&file)));
            note_ui(ui, Tone::Warn, Icon::TriangleAlert, &words::no_table(why));
        }
        Some(Load::Ready(opened)) => {
            let sheet = &behind.file;
            head_ui(
                ui,
                &words::rows_of(&file),
                (Which::File, sheet),
                opened.rows,
                commands,
                |ui, commands| {
                    let is_only = sheet.wanted.lines.is_some();
                    if !opened.cited.is_empty()
                        && let Some(only) = checkbox_ui(ui, &words::only_cited(opened.cited.len()), is_only)
                    {
                        commands.push(Action::OnlyCited(only));
                    }
                },
            );
            let cited: BTreeSet<u32> = opened.cited.iter().copied().collect();
            rows_ui(ui, Which::File, sheet, ROWS_OF_FILE, Some(&cited), commands);
        }
    });
}

/// What the query found, beside a chart of it and its SQL.
pub fn found_ui(ui: &mut Ui, behind: &Behind, answer: &Answer, reading: &Reading, commands: &mut Commands) {
    let (Some(found), Some(opened)) = (&behind.result, behind.open()) else { return };
    card_ui(ui, |ui| {
        let title = if behind.is_own { words::RESULT_OF_SQL } else { words::RESULT };
        let beside = behind.sql.is_some() || found.series.is_some();
        let mut right = Commands::default();
        let result = |ui: &mut Ui, commands: &mut Commands| {
            let sheet = &behind.found;
            head_ui(ui, title, (Which::Found, sheet), found.rows as u64, commands, |_, _| {});
            if found.is_cut {
                note_ui(ui, Tone::Warn, Icon::TriangleAlert, words::CUT);
            }
            rows_ui(ui, Which::Found, sheet, ROWS_OF_FOUND, None, commands);
        };
        if !beside {
            result(ui, commands);
            return;
        }
        two_columns_ui(
            ui,
            0.55,
            |ui| {
                if let Some(sql) = &behind.sql {
                    sql_ui(ui, sql, behind, (answer, reading), commands);
                    if opened.is_joined {
                        note_ui(ui, Tone::Warn, Icon::TriangleAlert, words::JOINED);
                    }
                }
                series_ui(ui, found, behind.sql.is_some());
            },
            |ui| result(ui, &mut right),
        );
        commands.extend(right.take());
    });
}

fn series_ui(ui: &mut Ui, found: &Found, is_below: bool) {
    let Some(series) = &found.series else { return };
    if is_below {
        ui.add_space(space::M);
    }
    let title = words::series(&printable(&series.measure), &printable(&series.group));
    ui.label(heading(&sentence(&title)));
    chart_ui(ui, series);
}

fn sql_ui(
    ui: &mut Ui,
    sql: &str,
    behind: &Behind,
    (answer, reading): (&Answer, &Reading),
    commands: &mut Commands,
) {
    let label = ui.label(heading(words::SQL));
    let mut typed = sql.to_owned();
    let field = ui.add(
        TextEdit::multiline(&mut typed)
            .id_salt("sql")
            .font(fonts::mono(text::MONO))
            .desired_rows(4)
            .desired_width(f32::INFINITY)
            .char_limit(LONGEST_SQL)
            .margin(Margin::symmetric(12, 10)),
    );
    let has_focus = field.has_focus();
    if field.labelled_by(label.id).changed() {
        commands.push(Action::Sql(typed));
    }
    let is_running = behind.running.is_some();
    ui.horizontal_wrapped(|ui| {
        let word = if is_running { words::RUNNING } else { words::RUN_SQL };
        let run = Button::primary(word).icon(Icon::Play).enabled(!is_running && !sql.trim().is_empty());
        let keyed = has_focus && ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        if (ui.add(run.hint(words::RUN_SQL_HINT)).clicked() || keyed) && !is_running {
            commands.push(Action::Run);
        }
        let is_changed = behind.is_own || sql != reading.sql;
        let restore = Button::new(words::RESTORE).icon(Icon::RotateCcw).enabled(is_changed && !is_running);
        restore.hint(words::RESTORE_HINT).show(ui, commands, Action::Restore);
        let copy = Button::quiet(words::COPY_SQL).icon_only(Icon::Copy);
        copy_ui(ui, copy, &answer.run_id, || sql.to_owned());
        Button::quiet(words::HIDE_SQL).icon_only(Icon::X).show(ui, commands, Action::ShowSql(false));
    });
    if let Some(why) = &behind.refused {
        note_ui(ui, Tone::Bad, Icon::CircleX, &words::not_run(why));
    }
}

/// What the rows are, how many, a field that filters them, and the button that saves them.
fn head_ui(
    ui: &mut Ui,
    title: &str,
    (which, sheet): (Which, &Sheet),
    all: u64,
    commands: &mut Commands,
    more: impl FnOnce(&mut Ui, &mut Commands),
) {
    let count = match &sheet.rows {
        Load::Busy => "…".to_owned(),
        Load::Failed(why) => why.clone(),
        Load::Ready(rows) if rows.len() as u64 == all => plural(rows.len(), "row"),
        Load::Ready(rows) => words::rows(rows.len(), all),
    };
    ui.label(heading(title));
    ui.horizontal_wrapped(|ui| {
        let mut text = sheet.wanted.text.clone();
        let name = if which == Which::File { words::FILTER_ROWS } else { words::FILTER_RESULT };
        let field = TextEdit::singleline(&mut text)
            .hint_text(hint(words::FILTER_EXAMPLE))
            .desired_width((ui.available_width() * 0.4).clamp(140.0, 260.0))
            .char_limit(LONGEST_FILTER)
            .margin(Margin::symmetric(10, 8));
        if ui.add(field).accessible_name(name).changed() {
            commands.push(Action::Filter(which, text));
        }
        ui.label(soft(ui, &count));
        more(ui, commands);
        let save = Button::new(words::SAVE_CSV).icon(Icon::Download).enabled(sheet.count() > 0);
        save.show(ui, commands, Action::Export(which));
        columns_ui(ui, which, sheet, commands);
    });
}

/// How many columns stand beside each other.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of columns")]
fn beside(ui: &Ui) -> usize {
    (((ui.max_rect().width() - PLACE - space::L) / NARROWEST) as usize).max(1)
}

/// Leads through more columns than stand beside each other.
fn columns_ui(ui: &mut Ui, which: Which, sheet: &Sheet, commands: &mut Commands) {
    let (all, beside) = (sheet.columns.len(), beside(ui));
    if all <= beside {
        return;
    }
    let first = sheet.first_column.min(all - 1);
    let end = (first + beside).min(all);
    let earlier = Button::quiet(words::EARLIER_COLUMNS).icon_only(Icon::ChevronLeft).enabled(first > 0);
    earlier.show(ui, commands, Action::Columns(which, first.saturating_sub(beside)));
    ui.label(soft(ui, &words::columns(first + 1, end, all)));
    let later = Button::quiet(words::LATER_COLUMNS).icon_only(Icon::ChevronRight).enabled(end < all);
    later.show(ui, commands, Action::Columns(which, end));
}

fn rows_ui(
    ui: &mut Ui,
    which: Which,
    sheet: &Sheet,
    most: usize,
    cited: Option<&BTreeSet<u32>>,
    commands: &mut Commands,
) {
    // The line of a row of the file stands before its cells.
    let before = usize::from(cited.is_some());
    let (first, beside) = (sheet.first_column, beside(ui));
    let mut columns: Vec<Column<'_>> = cited.map(|_| Column::fixed(words::LINE, PLACE)).into_iter().collect();
    columns.extend(sheet.columns.iter().skip(first).take(beside).map(|column| {
        if column.is_number { Column::figures(&column.name, 0.0) } else { Column::rest(&column.name) }
    }));
    let own = cited.map(|_| Order::rising(0));
    let RowOrder { column, falls } = sheet.wanted.order;
    let mut sorted = Sorted::default();
    let place = match column {
        Some(column) => column.checked_sub(first).map(|at| at + before),
        None => cited.map(|_| 0),
    };
    sorted.choose(place.map(|column| Order { column, falls }).filter(|order| Some(*order) != own));
    let lacking = RefCell::new(BTreeSet::new());
    let row = |position: usize| {
        let Some(row) = sheet.row(position) else {
            lacking.borrow_mut().insert(position / state::PAGE);
            return Row { chosen: false, cells: vec![Cell::soft("…")] };
        };
        let is_cited = cited.is_some_and(|cited| cited.contains(&row.line));
        let line = thousands(u64::from(row.line));
        let place = if is_cited {
            Cell::mark(Tone::Accent, Icon::Quote, words::cited(&line))
        } else {
            Cell::soft(line)
        };
        let cells = row.cells.iter().skip(first).take(beside).map(|cell| Cell::text(cell.as_str()));
        let cells = std::iter::once(place).take(before).chain(cells).collect();
        Row { chosen: is_cited, cells }
    };
    let count = sheet.count();
    if matches!(sheet.rows, Load::Ready(_)) && count == 0 {
        ui.label(soft(ui, words::NO_ROW));
        return;
    }
    let height = size::ROW * (count.min(most) as f32 + 1.0) + space::S;
    let name = if cited.is_some() { "rows of the file" } else { "rows of the result" };
    let table = Table::new(name, &columns).sorted(&sorted, own).read_only();
    // As high as that, however little of the page is left: the page scrolls, too.
    let room = vec2(ui.available_width(), height);
    let touched = ui.allocate_ui(room, |ui| table.show(ui, height, count, row)).inner;
    if let Some(Touched::Sort(order)) = touched {
        let order = order.map_or_else(RowOrder::default, |order| RowOrder {
            column: order.column.checked_sub(before).map(|column| column + first),
            falls: order.falls,
        });
        commands.push(Action::Order(which, order));
    }
    for page in lacking.into_inner() {
        if sheet.lacks(page) {
            commands.push(Action::Page(which, page));
        }
    }
}

/// The button that shows the query as SQL.
pub fn show_sql_ui(ui: &mut Ui, behind: &Behind, commands: &mut Commands) {
    let is_open = behind.open().is_some();
    let button = Button::new(words::SHOW_SQL).icon(Icon::CodeXml).enabled(is_open && behind.sql.is_none());
    button.show(ui, commands, Action::ShowSql(true));
}

/// Other ways to read the question, each with what it comes to.
pub fn readings_ui(ui: &mut Ui, behind: &Behind, commands: &mut Commands) {
    let others = behind.open().map_or(&[][..], |opened| &opened.readings);
    if others.is_empty() {
        return;
    }
    ui.add_space(space::S);
    ui.label(name(words::OTHERWISE));
    for (position, other) in others.iter().enumerate() {
        ui.label(printable(&other.words));
        let result: String = one_line(&other.text).chars().take(80).collect();
        ui.horizontal_wrapped(|ui| {
            let button = Button::new(words::ASK_THIS_WAY).icon(Icon::CornerDownRight);
            if ui.push_id(position, |ui| ui.add(button)).inner.clicked() {
                commands.push(Action::AskBy(position));
            }
            ui.label(words::found_in(&one_line(&other.choice.file), &result));
        });
    }
}
