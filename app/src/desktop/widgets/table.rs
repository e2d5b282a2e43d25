//! A table that draws only the rows in sight. A row is chosen with a click, Enter or Space; Tab leads
//! into the table, and the keys of a list ([`super::list_ui`]) through all of its rows.

use egui::{
    Align2, CornerRadius, Rect, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, TextStyle,
    TextWrapMode, Ui, WidgetInfo, WidgetText, pos2, vec2,
};
use lucide_icons::Icon;

use super::{List, Tone, icon_before, list_ui, words};
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// Height of the line with the columns' names.
const HEAD: f32 = 26.0;
/// Room of an icon before a cell's text.
const ICON: f32 = 22.0;

/// A column. Columns without a width of their own share what is left.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    title: &'static str,
    width: f32,
    right: bool,
}

impl Column {
    /// As wide as there is room.
    pub const fn rest(title: &'static str) -> Self {
        Self { title, width: 0.0, right: false }
    }

    /// Of a fixed width.
    pub const fn fixed(title: &'static str, width: f32) -> Self {
        Self { title, width, right: false }
    }

    /// Of a fixed width, for figures: they end at the same edge.
    pub const fn figures(title: &'static str, width: f32) -> Self {
        Self { title, width, right: true }
    }
}

/// What stands in a cell.
#[derive(Debug, Clone)]
pub struct Cell {
    words: String,
    mark: Option<(Tone, Icon)>,
    look: CellLook,
    /// What there is to say beside it, while the pointer is over it.
    about: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellLook {
    Plain,
    Soft,
    Mono,
}

impl Cell {
    /// Running text.
    pub fn text(words: impl Into<String>) -> Self {
        Self { words: words.into(), mark: None, look: CellLook::Plain, about: None }
    }

    /// An explanation.
    pub fn soft(words: impl Into<String>) -> Self {
        Self { look: CellLook::Soft, ..Self::text(words) }
    }

    /// An id or a line of a log.
    pub fn mono(words: impl Into<String>) -> Self {
        Self { look: CellLook::Mono, ..Self::text(words) }
    }

    /// How long ago something was, both in Unix milliseconds; the moment itself is told under the pointer.
    pub fn ago(now_ms: u64, then_ms: u64) -> Self {
        Self { about: Some(words::moment(then_ms)), ..Self::soft(words::ago(now_ms, then_ms)) }
    }

    /// How something stands: icon, word and colour.
    pub fn mark(tone: Tone, icon: Icon, words: impl Into<String>) -> Self {
        Self { mark: Some((tone, icon)), ..Self::text(words) }
    }
}

/// One row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Whether it is the chosen one.
    pub chosen: bool,
    /// One per column.
    pub cells: Vec<Cell>,
}

/// The table, at most `height` high; `row` is asked for the rows in sight. Returns the row that was
/// just chosen.
pub fn table_ui(
    ui: &mut Ui,
    name: &str,
    columns: &[Column],
    height: f32,
    count: usize,
    row: impl Fn(usize) -> Row,
) -> Option<usize> {
    let spans = spans(columns, ui.available_width() - ui.spacing().scroll.bar_width - space::S);
    head_ui(ui, columns, &spans);
    let mut clicked = None;
    let area = ScrollArea::vertical().auto_shrink([false, true]);
    let area = area.max_height((height - HEAD).max(size::ROW));
    ui.spacing_mut().item_spacing.y = 0.0;
    list_ui(ui, name, area, (size::ROW, count), |ui, visible, list| {
        for position in visible {
            if row_ui(ui, (list, position), columns, &spans, &row(position)) {
                clicked = Some(position);
            }
        }
    });
    ui.spacing_mut().item_spacing.y = space::S;
    clicked
}

/// Left edge and width of each column.
fn spans(columns: &[Column], width: f32) -> Vec<(f32, f32)> {
    let fixed: f32 = columns.iter().map(|column| column.width).sum();
    let sharing = columns.iter().filter(|column| column.width == 0.0).count().max(1);
    let share = ((width - fixed - 2.0 * space::S) / sharing as f32).max(80.0);
    let mut left = space::S;
    columns
        .iter()
        .map(|column| {
            let width = if column.width == 0.0 { share } else { column.width };
            let span = (left, width);
            left += width;
            span
        })
        .collect()
}

fn head_ui(ui: &mut Ui, columns: &[Column], spans: &[(f32, f32)]) {
    let colours = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
    response.widget_info(|| {
        let titles: Vec<&str> = columns.iter().map(|column| column.title).collect();
        WidgetInfo::labeled(Role::Label, true, format!("Columns: {}", titles.join(", ")))
    });
    let painter = ui.painter();
    for (column, (left, width)) in columns.iter().zip(spans) {
        let (align, x) = if column.right {
            (Align2::RIGHT_CENTER, left + width - space::M)
        } else {
            (Align2::LEFT_CENTER, *left)
        };
        let at = pos2(rect.left() + x, rect.center().y - 2.0);
        painter.text(at, align, column.title, fonts::medium(text::SMALL), colours.text_soft);
    }
    painter.hline(rect.x_range(), rect.bottom() - 1.0, Stroke::new(1.0, colours.line));
}

fn row_ui(
    ui: &mut Ui,
    (list, position): (List, usize),
    columns: &[Column],
    spans: &[(f32, f32)],
    row: &Row,
) -> bool {
    let colours = tokens(ui);
    let (rect, response) = list.row(ui, position, size::ROW, Sense::click());
    let whole = || {
        let cells = row.cells.iter().map(|cell| cell.words.as_str());
        cells.filter(|words| !words.is_empty()).collect::<Vec<&str>>().join(", ")
    };
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, row.chosen, whole()));
    if !ui.is_rect_visible(rect) {
        return response.clicked();
    }
    let fill = match (row.chosen, response.hovered()) {
        (true, _) => colours.accent_soft,
        (false, true) => colours.sunken,
        (false, false) => CLEAR,
    };
    ui.painter().rect_filled(rect, CornerRadius::same(5), fill);
    if response.has_focus() {
        let ring = Stroke::new(2.0, colours.accent);
        ui.painter().rect_stroke(rect, CornerRadius::same(5), ring, StrokeKind::Inside);
    }
    let (mut cut, mut about) = (false, None);
    let pointer = response.hover_pos();
    for ((column, (left, width)), cell) in columns.iter().zip(spans).zip(&row.cells) {
        let place = Rect::from_min_size(pos2(rect.left() + left, rect.top()), vec2(*width, rect.height()));
        cut |= cell_ui(ui, place, column.right, cell);
        if pointer.is_some_and(|pointer| place.contains(pointer)) {
            about = cell.about.as_ref();
        }
    }
    let clicked = response.clicked();
    let told = if cut { response.on_hover_text(whole()) } else { response };
    if let Some(about) = about {
        told.on_hover_text(about);
    }
    clicked
}

/// Paints a cell; `true` if its text did not fit.
fn cell_ui(ui: &Ui, place: Rect, right: bool, cell: &Cell) -> bool {
    let colours = tokens(ui);
    let ink = match (cell.mark, cell.look) {
        (Some((tone, _)), _) => tone.colours(ui).0,
        (None, CellLook::Soft) => colours.text_soft,
        (None, _) => colours.text,
    };
    let font = if cell.look == CellLook::Mono { fonts::mono(text::MONO) } else { fonts::body(text::BODY) };
    let inset = if cell.mark.is_some() { ICON } else { 0.0 };
    if let Some((_, icon)) = cell.mark {
        let at = place.left_center();
        icon_before(ui.painter(), at, icon, 15.0, ink);
    }
    let room = place.width() - inset - space::M;
    let words = WidgetText::from(RichText::new(&cell.words).font(font));
    let galley = words.into_galley(ui, Some(TextWrapMode::Truncate), room, TextStyle::Body);
    let left = if right { place.right() - space::M - galley.size().x } else { place.left() + inset };
    let cut = galley.elided;
    ui.painter().galley_with_override_text_color(
        pos2(left, place.center().y - galley.size().y / 2.0),
        galley,
        ink,
    );
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_width_share_what_is_left() {
        let columns = [Column::rest("a"), Column::fixed("b", 100.0), Column::rest("c")];
        let spans = spans(&columns, 500.0 + 2.0 * space::S);
        assert_eq!(spans, [(space::S, 200.0), (space::S + 200.0, 100.0), (space::S + 300.0, 200.0)]);
    }
}
