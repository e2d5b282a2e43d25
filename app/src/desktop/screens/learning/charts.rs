//! Panels: curves, bars and a map of values, drawn from tokens. Each says in words what it shows.

use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{card_ui, name};

/// Inside a card, on each side.
const CARD_MARGIN: u8 = 16;
/// Height of a panel's frame.
const HEIGHT: f32 = 120.0;
/// Room for the figures beside a frame.
const LEFT: f32 = 34.0;
/// Room for a name below a bar, and for one in the legend.
const BELOW: f32 = 18.0;
/// Points that are drawn of one curve; of more, each is the mean of several.
const MOST_POINTS: usize = 60;
/// Length of a stroke in a legend, and the room around it.
const STROKE: f32 = 14.0;
const GAP: f32 = 6.0;

/// How many values stand behind a point of a curve.
pub fn values_per_point(values: usize) -> usize {
    values.div_ceil(MOST_POINTS).max(1)
}

/// Rows that these names take in the legend of a panel of this width.
pub fn legend_rows<'a>(ui: &Ui, width: f32, names: impl Iterator<Item = &'a str>) -> usize {
    // The card has a line on each side.
    let places = places(ui, width - 2.0 * (f32::from(CARD_MARGIN) + 1.0), names);
    places.last().map_or(1, |(_, row)| row + 1)
}

/// Where the entries of a legend stand: from its left edge, and in which row.
fn places<'a>(ui: &Ui, room: f32, names: impl Iterator<Item = &'a str>) -> Vec<(f32, usize)> {
    let (mut left, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for name in names {
        let font = fonts::body(text::SMALL);
        let word = ui.painter().layout_no_wrap(name.to_owned(), font, tokens(ui).text).size().x;
        if left > 0.0 && left + STROKE + GAP + word > room {
            (left, row) = (0.0, row + 1);
        }
        places.push((left, row));
        left += STROKE + GAP + word + space::S;
    }
    places
}

/// What stands below a panel: `rows` of strokes and words, the same for all, so that their cards are alike.
fn below_ui(ui: &mut Ui, rows: usize, entries: &[(&str, Option<Ink>)]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), BELOW * rows as f32), Sense::hover());
    let places = places(ui, rect.width(), entries.iter().map(|(word, _)| *word));
    for ((word, stroke), (left, row)) in entries.iter().zip(places) {
        entry_ui(ui, rect.min + vec2(left, BELOW * row as f32), word, *stroke);
    }
}

/// A stroke as it is drawn, and what it stands for.
fn entry_ui(ui: &Ui, at: Pos2, word: &str, stroke: Option<Ink>) {
    let colours = tokens(ui);
    let inset = if stroke.is_some() { STROKE + GAP } else { 0.0 };
    let ink = if stroke.is_some() { colours.text } else { colours.text_soft };
    let galley = ui.painter().layout_no_wrap(word.to_owned(), fonts::body(text::SMALL), ink);
    let rect = Rect::from_min_size(at, vec2(inset + galley.size().x, BELOW));
    let response = ui.interact(rect, ui.scope_id().with((word, "legend")), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    if let Some((colour, dash)) = stroke {
        let line = [rect.left_center(), rect.left_center() + vec2(STROKE, 0.0)];
        ui.painter().add(stroked(&line, Stroke::new(2.0, colour), dash));
    }
    ui.painter().galley(rect.left_center() + vec2(inset, -galley.size().y / 2.0), galley, ink);
}

/// A colour, and how long dashes and gaps are.
type Ink = (Color32, Option<(f32, f32)>);

/// One curve: what it is, and its values in order.
pub struct Curve {
    pub name: String,
    pub values: Vec<f64>,
}

/// Colours in order. Dashes differ too, so that colour is not the only mark.
fn ink(ui: &Ui, at: usize) -> Ink {
    let colours = tokens(ui);
    let inks = [colours.accent, colours.warn, colours.good, colours.busy, colours.bad, colours.text_soft];
    let dashes =
        [None, Some((6.0, 4.0)), Some((2.0, 3.0)), Some((10.0, 3.0)), Some((4.0, 2.0)), Some((1.0, 4.0))];
    (inks[at % inks.len()], dashes[at % dashes.len()])
}

/// Curves over the decisions, from 0 to `top`, over a legend of so many rows.
pub fn curves_ui(ui: &mut Ui, title: &str, rows: usize, top: f64, curves: &[Curve]) {
    card_ui(ui, |ui| {
        ui.label(name(title));
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        response.widget_info(|| {
            let last: Vec<String> = curves
                .iter()
                .map(|curve| format!("{} {:.2}", curve.name, curve.values.last().copied().unwrap_or(0.0)))
                .collect();
            WidgetInfo::labeled(Role::Image, true, format!("{title}; last value {}", last.join(", ")))
        });
        let painter = ui.painter_at(rect);
        let frame = frame(ui, &painter, rect, top, 0.0);
        for (at, curve) in curves.iter().enumerate() {
            let (colour, dash) = ink(ui, at);
            painter.add(stroked(&points(&curve.values, frame, top), Stroke::new(1.6, colour), dash));
        }
        let entries: Vec<_> =
            curves.iter().enumerate().map(|(at, curve)| (curve.name.as_str(), Some(ink(ui, at)))).collect();
        below_ui(ui, rows, &entries);
    });
}

/// Means of neighbours where there are more values than can be told apart.
fn points(values: &[f64], frame: Rect, top: f64) -> Vec<Pos2> {
    let each = values_per_point(values.len());
    let count = values.len().div_ceil(each);
    (0..count)
        .map(|at| {
            let (first, end) = (at * each, ((at + 1) * each).min(values.len()));
            let mean = values[first..end].iter().sum::<f64>() / (end - first).max(1) as f64;
            let x = if count > 1 { at as f32 / (count - 1) as f32 } else { 0.5 };
            pos2(frame.left() + x * frame.width(), height(frame, mean, top))
        })
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a share of a frame")]
fn height(frame: Rect, value: f64, top: f64) -> f32 {
    let share = if top > 0.0 { (value / top).clamp(0.0, 1.0) } else { 0.0 };
    frame.bottom() - share as f32 * frame.height()
}

/// Ground, three lines across and their figures; `below` is left for names.
fn frame(ui: &Ui, painter: &Painter, rect: Rect, top: f64, below: f32) -> Rect {
    let colours = tokens(ui);
    let frame = Rect::from_min_max(rect.min + vec2(LEFT, 8.0), rect.max - vec2(2.0, 8.0 + below));
    for share in [0.0, 0.5, 1.0] {
        let y = height(frame, share * top, top);
        painter.hline(frame.x_range(), y, Stroke::new(1.0, colours.line));
        let at = pos2(frame.left() - 6.0, y);
        let figure = format!("{:.2}", share * top);
        painter.text(at, Align2::RIGHT_CENTER, figure, fonts::body(text::SMALL - 1.5), colours.text_soft);
    }
    frame
}

fn stroked(points: &[Pos2], stroke: Stroke, dash: Option<(f32, f32)>) -> Shape {
    match dash {
        None => Shape::line(points.to_vec(), stroke),
        Some((dash, gap)) => Shape::Vec(Shape::dashed_line(points, stroke, dash, gap)),
    }
}

/// What stands below bars.
#[derive(Debug, Clone, Copy)]
pub enum Below<'a> {
    /// A value to compare them with, drawn across, and what it is.
    Line(f64, &'a str),
    /// What they are.
    Words(&'a str),
}

/// Named bars from 0 to 1, over so many rows of words.
pub fn bars_ui(ui: &mut Ui, title: &str, rows: usize, bars: &[(String, Option<f64>)], below: Below<'_>) {
    card_ui(ui, |ui| {
        ui.label(name(title));
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        response.widget_info(|| {
            let words: Vec<String> =
                bars.iter().map(|(name, value)| format!("{name} {}", figure(*value))).collect();
            WidgetInfo::labeled(Role::Image, true, format!("{title}: {}", words.join(", ")))
        });
        let painter = ui.painter_at(rect);
        let frame = frame(ui, &painter, rect, 1.0, BELOW);
        let step = frame.width() / bars.len().max(1) as f32;
        let line = match below {
            Below::Line(value, _) => Some(height(frame, value, 1.0)),
            Below::Words(_) => None,
        };
        for (at, (word, value)) in bars.iter().enumerate() {
            let room = Rect::from_min_max(
                pos2(frame.left() + at as f32 * step, frame.top()),
                pos2(frame.left() + (at as f32 + 1.0) * step, rect.bottom()),
            );
            bar(ui, &painter, frame, room, word, *value, line);
        }
        match below {
            Below::Line(value, about) => {
                let y = height(frame, value, 1.0);
                let across = [pos2(frame.left(), y), pos2(frame.right(), y)];
                let stroke = Stroke::new(1.5, tokens(ui).warn);
                painter.add(Shape::Vec(Shape::dashed_line(&across, stroke, 5.0, 4.0)));
                let warn = (tokens(ui).warn, Some((5.0, 4.0)));
                below_ui(ui, rows, &[(&format!("{about} {value:.2}"), Some(warn))]);
            }
            Below::Words(about) => below_ui(ui, rows, &[(about, None)]),
        }
    });
}

/// One bar, its figure above it and its name below; `line` is drawn across at this height.
fn bar(
    ui: &Ui,
    painter: &Painter,
    frame: Rect,
    room: Rect,
    word: &str,
    value: Option<f64>,
    line: Option<f32>,
) {
    let colours = tokens(ui);
    let top = height(frame, value.unwrap_or(0.0), 1.0);
    let margin = 0.18 * room.width();
    let bar =
        Rect::from_min_max(pos2(room.left() + margin, top), pos2(room.right() - margin, frame.bottom()));
    painter.rect_filled(bar, CornerRadius::same(2), colours.accent.gamma_multiply(0.75));
    let tiny = fonts::body(text::SMALL - 1.5);
    // A full bar has no room above it.
    let is_inside = top < frame.top() + BELOW;
    let ink = if is_inside { colours.on_accent } else { colours.text };
    let said = painter.layout_no_wrap(figure(value), tiny.clone(), ink);
    let at = figure_top(top, said.size().y, is_inside, line);
    painter.galley(pos2(bar.center().x - said.size().x / 2.0, at), said, ink);
    let clipped = painter.with_clip_rect(room.expand2(vec2(-1.0, 0.0)));
    let at = pos2(bar.center().x, frame.bottom() + 4.0);
    clipped.text(at, Align2::CENTER_TOP, word, tiny, colours.text_soft);
}

/// Where a figure of this height begins: above the end of its bar, or below it in the bar, and beyond a line that would
/// go through it.
fn figure_top(end: f32, tall: f32, is_inside: bool, line: Option<f32>) -> f32 {
    let beyond = |end: f32| if is_inside { end + 2.0 } else { end - 2.0 - tall };
    let top = beyond(end);
    match line {
        Some(line) if (top - 2.0..=top + tall + 2.0).contains(&line) => beyond(line),
        _ => top,
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}

/// Height of a row of values, and of the names above them.
const ROW: f32 = 26.0;
const HEAD: f32 = 22.0;
/// Room for the names of rows, and the least for a column.
const NAMES: f32 = 92.0;
const NARROWEST: f32 = 84.0;

/// Values by row and column; the more, the darker, and each says its figure. Columns that do not fit beside each
/// other go on below.
pub fn heat_ui(ui: &mut Ui, title: &str, rows: &[String], columns: &[String], cells: &[Option<f64>]) {
    let room = ui.available_width() - NAMES;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of columns")]
    let beside = ((room / NARROWEST) as usize).max(1);
    let blocks = columns.len().div_ceil(beside).max(1);
    let in_block = columns.len().div_ceil(blocks).max(1);
    let tall = HEAD + ROW * rows.len() as f32;
    let size = vec2(ui.available_width(), tall * blocks as f32);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let known = cells.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
        let words = known.max_by(|(_, left), (_, right)| left.total_cmp(right)).map(|(at, value)| {
            format!("{} for {} {value:.2}", columns[at % columns.len()], rows[at / columns.len()])
        });
        WidgetInfo::labeled(Role::Image, true, format!("{title}: highest is {}", words.unwrap_or_default()))
    });
    let painter = ui.painter_at(rect);
    let colours = tokens(ui);
    let tiny = fonts::body(text::SMALL - 1.5);
    let width = (rect.width() - NAMES) / in_block as f32;
    for (at, word) in columns.iter().enumerate() {
        let (block, place) = (at / in_block, at % in_block);
        let head = pos2(rect.left() + NAMES + place as f32 * width, rect.top() + block as f32 * tall);
        let room = Rect::from_min_size(head, vec2(width - 4.0, HEAD));
        let clipped = painter.with_clip_rect(room);
        let ink = colours.text_soft;
        clipped.text(room.left_center() + vec2(3.0, 0.0), Align2::LEFT_CENTER, word, tiny.clone(), ink);
        for row in 0..rows.len() {
            let value = cells.get(row * columns.len() + at).copied().flatten();
            let top = head.y + HEAD + row as f32 * ROW;
            let cell = Rect::from_min_size(pos2(head.x, top), vec2(width - 2.0, ROW - 2.0));
            let fill = match value {
                None => colours.sunken,
                #[expect(clippy::cast_possible_truncation, reason = "a share")]
                Some(value) => colours.accent.gamma_multiply(0.08 + 0.42 * value.clamp(0.0, 1.0) as f32),
            };
            painter.rect_filled(cell, CornerRadius::same(2), fill);
            painter.text(cell.center(), Align2::CENTER_CENTER, figure(value), tiny.clone(), colours.text);
        }
    }
    for block in 0..blocks {
        for (row, word) in rows.iter().enumerate() {
            // The gap below a row belongs to it.
            let middle = rect.top() + block as f32 * tall + HEAD + (row as f32 + 0.5) * ROW - 1.0;
            let at = pos2(rect.left(), middle);
            painter.text(at, Align2::LEFT_CENTER, word, fonts::body(text::SMALL), colours.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_stands_by_the_end_of_its_bar_and_no_line_goes_through_it() {
        for (is_inside, line, expected) in [
            (false, None, 86.0),
            // A line through the bar, or far above the figure, moves nothing.
            (false, Some(110.0), 86.0),
            (false, Some(98.0), 84.0),
            (false, Some(86.0), 72.0),
            (false, Some(80.0), 86.0),
            (true, None, 102.0),
            (true, Some(99.0), 102.0),
            (true, Some(102.0), 104.0),
            (true, Some(114.0), 116.0),
            (true, Some(120.0), 102.0),
        ] {
            let top = figure_top(100.0, 12.0, is_inside, line);
            assert!((top - expected).abs() < 1e-3, "{top} for {line:?}, in the bar: {is_inside}");
        }
    }
}
