//! A table that draws only the rows in sight. A row is chosen with a click, Enter or Space, and so is the column by
//! which rows are sorted, by its head; Tab leads through the heads into the table, and the keys of a list
//! ([`super::list_ui`]) through all of its rows.

use egui::accesskit::SortDirection;
use egui::{
    Align2, CornerRadius, IdSalt, Rect, Response, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind,
    TextStyle, TextWrapMode, Ui, WidgetInfo, WidgetText, pos2, vec2,
};
use lucide_icons::Icon;

use super::{List, Order, Sorted, Tone, choosing_list_ui, edge, focus_ring, ground, icon_before, words};
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// Height of the line with the columns' names.
const HEAD: f32 = 26.0;
/// Room of an icon before a cell's text.
const ICON: f32 = 22.0;

/// Size of the arrow at the head of the sorted column, and its room.
const ARROW: f32 = 12.0;
const ARROW_ROOM: f32 = 14.0;

/// A column. Columns without a width of their own share what is left.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    title: &'a str,
    width: f32,
    kind: Kind,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    Figures,
    Times,
}

impl<'a> Column<'a> {
    /// As wide as there is room.
    pub const fn rest(title: &'a str) -> Self {
        Self { title, width: 0.0, kind: Kind::Words }
    }

    /// Of a fixed width.
    pub const fn fixed(title: &'a str, width: f32) -> Self {
        Self { title, width, kind: Kind::Words }
    }

    /// Of a fixed width, for figures: they end at the same edge.
    pub const fn figures(title: &'a str, width: f32) -> Self {
        Self { title, width, kind: Kind::Figures }
    }

    /// Of a fixed width, for times that have passed.
    pub const fn times(title: &'a str, width: f32) -> Self {
        Self { title, width, kind: Kind::Times }
    }

    /// Its name; empty: it is for marks.
    pub const fn title(self) -> &'a str {
        self.title
    }

    fn is_right(self) -> bool {
        self.kind == Kind::Figures
    }

    /// How it is sorted first: what is largest or newest stands first, and words stand in the order of the alphabet.
    fn first(self, column: usize) -> Order {
        Order { column, falls: self.kind != Kind::Words }
    }

    /// An order by it, in words.
    fn told(self, order: Order) -> &'static str {
        match (self.kind, order.falls) {
            (Kind::Words, false) => "A to Z",
            (Kind::Words, true) => "Z to A",
            (Kind::Figures, false) => "smallest first",
            (Kind::Figures, true) => "largest first",
            (Kind::Times, false) => "oldest first",
            (Kind::Times, true) => "newest first",
        }
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

    /// The same with more to say of it under the pointer.
    pub fn telling(self, about: impl Into<String>) -> Self {
        Self { about: Some(about.into()), ..self }
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

/// What the user did to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// Chose a row.
    Row(usize),
    /// Chose an order; `None`: the one that the rows have of themselves.
    Sort(Option<Order>),
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    name: &'a str,
    columns: &'a [Column<'a>],
    /// How its rows are sorted, and by which column they stand of themselves.
    sorted: Option<(&'a Sorted, Option<Order>)>,
    /// What is chosen.
    chosen: Option<IdSalt>,
    is_read_only: bool,
}

impl<'a> Table<'a> {
    /// A table whose rows can be chosen.
    pub const fn new(name: &'a str, columns: &'a [Column<'a>]) -> Self {
        Self { name, columns, sorted: None, chosen: None, is_read_only: false }
    }

    /// Its rows stand in this order, and the columns' heads change it. `own` is the column by which they stand of
    /// themselves, if it is one.
    pub const fn sorted(self, sorted: &'a Sorted, own: Option<Order>) -> Self {
        Self { sorted: Some((sorted, own)), ..self }
    }

    /// The row of what has this name is the chosen one: it comes into sight once it is.
    pub fn choosing(self, chosen: Option<&str>) -> Self {
        Self { chosen: chosen.map(IdSalt::new), ..self }
    }

    /// Nothing comes of choosing a row: the focus moves through them, to be read, and nothing else.
    pub const fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Draws it, at most `height` high; `row` is asked for the rows in sight, by their places in their own order.
    /// Returns what was just done to it; a row has its place in that order, too.
    pub fn show(self, ui: &mut Ui, height: f32, count: usize, row: impl Fn(usize) -> Row) -> Option<Touched> {
        let spans = spans(self.columns, ui.available_width() - ui.spacing().scroll.bar_width - space::S);
        let mut touched = self.head_ui(ui, &spans);
        let area = ScrollArea::vertical().auto_shrink([false, true]);
        let between = ui.spacing().item_spacing.y;
        let area = area.max_height((height - HEAD - between).max(size::ROW));
        ui.spacing_mut().item_spacing.y = 0.0;
        let place = |position| self.sorted.map_or(position, |(sorted, _)| sorted.row(position));
        let chosen = || (0..count).find(|position| row(place(*position)).chosen);
        let rows = (size::ROW, count);
        choosing_list_ui(ui, self.name, area, rows, (self.chosen, chosen), |ui, visible, list| {
            for position in visible {
                let place = place(position);
                if self.row_ui(ui, (list, position), &spans, &row(place)) {
                    touched = Some(Touched::Row(place));
                }
            }
        });
        ui.spacing_mut().item_spacing.y = space::S;
        touched
    }

    /// The columns' names; the order that was just chosen by one of them.
    fn head_ui(self, ui: &mut Ui, spans: &[(f32, f32)]) -> Option<Touched> {
        let colours = tokens(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
        response.widget_info(|| {
            let titles: Vec<&str> = self.columns.iter().map(|column| column.title).collect();
            WidgetInfo::labeled(Role::Label, true, format!("Columns: {}", titles.join(", ")))
        });
        let mut chosen = None;
        for (at, (column, (left, width))) in self.columns.iter().zip(spans).enumerate() {
            let place = Rect::from_min_size(rect.min + vec2(*left, 0.0), vec2(*width, HEAD - 2.0));
            // A column without a name is for marks.
            let sorted = self.sorted.filter(|_| !column.title.is_empty());
            let Some((sorted, own)) = sorted else {
                title_ui(ui, place, *column, None, false);
                continue;
            };
            let now = sorted.chosen().or(own).filter(|order| order.column == at);
            let response = head_of(ui, place, (self.name, at), *column, now);
            title_ui(ui, place, *column, now, response.hovered());
            if response.clicked() {
                chosen = Some(Touched::Sort(Order::after(column.first(at), sorted.chosen(), own)));
            }
        }
        ui.painter().hline(rect.x_range(), rect.bottom() - 1.0, Stroke::new(1.0, colours.line));
        chosen
    }

    /// Draws a row; `true` if it was just chosen.
    fn row_ui(self, ui: &mut Ui, (list, position): (List, usize), spans: &[(f32, f32)], row: &Row) -> bool {
        let colours = tokens(ui);
        let sense = if self.is_read_only { Sense::focusable_noninteractive() } else { Sense::click() };
        let (rect, response) = list.row(ui, position, size::ROW, sense);
        let whole = || {
            let cells = row.cells.iter().map(|cell| cell.words.as_str());
            cells.filter(|words| !words.is_empty()).collect::<Vec<&str>>().join(", ")
        };
        response.widget_info(|| {
            if self.is_read_only {
                WidgetInfo::labeled(Role::Row, true, whole())
            } else {
                WidgetInfo::selected(Role::Row, true, row.chosen, whole())
            }
        });
        if !ui.is_rect_visible(rect) {
            return response.clicked();
        }
        let fill = ground(colours, row.chosen, response.hovered() && !self.is_read_only);
        let line = edge(colours, row.chosen);
        ui.painter().rect(rect, CornerRadius::same(5), fill, line, StrokeKind::Inside);
        focus_ring(ui.painter(), &response, rect, 5, colours);
        let (mut cut, mut about) = (false, None);
        let pointer = response.hover_pos();
        for ((column, (left, width)), cell) in self.columns.iter().zip(spans).zip(&row.cells) {
            let place =
                Rect::from_min_size(pos2(rect.left() + left, rect.top()), vec2(*width, rect.height()));
            cut |= cell_ui(ui, place, column.is_right(), cell);
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
}

/// Left edge and width of each column.
fn spans(columns: &[Column<'_>], width: f32) -> Vec<(f32, f32)> {
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

/// What sorts by a column: its head.
fn head_of(
    ui: &Ui,
    place: Rect,
    (table, at): (&str, usize),
    column: Column<'_>,
    now: Option<Order>,
) -> Response {
    let response = ui.interact(place, ui.scope_id().with(("head", table, at)), Sense::click());
    response.widget_info(|| {
        let words = match now {
            None => format!("Sort by {}", column.title),
            Some(order) => format!("Sort by {}, now {}", column.title, column.told(order)),
        };
        WidgetInfo::labeled(Role::ColumnHeader, true, words)
    });
    if let Some(order) = now {
        let direction = if order.falls { SortDirection::Descending } else { SortDirection::Ascending };
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_sort_direction(direction));
    }
    focus_ring(ui.painter(), &response, place, 5, tokens(ui));
    response
}

/// Paints a column's name, marked if the rows stand by it.
fn title_ui(ui: &Ui, place: Rect, column: Column<'_>, now: Option<Order>, lit: bool) {
    let colours = tokens(ui);
    let ink = if now.is_some() || lit { colours.text } else { colours.text_soft };
    let (align, at) = if column.is_right() {
        (Align2::RIGHT_CENTER, place.right_center() - vec2(space::M, 1.0))
    } else {
        (Align2::LEFT_CENTER, place.left_center() - vec2(0.0, 1.0))
    };
    let title = ui.painter().text(at, align, column.title, fonts::medium(text::SMALL), ink);
    if let Some(order) = now {
        let icon = if order.falls { Icon::ArrowDown } else { Icon::ArrowUp };
        let left = if column.is_right() { title.left() - ARROW_ROOM } else { title.right() + space::XS };
        icon_before(ui.painter(), pos2(left, at.y), icon, ARROW, colours.accent);
    }
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
