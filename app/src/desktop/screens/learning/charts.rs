//! Panels: curves, bars and a map of values, drawn from tokens. Each says in words what it shows.

use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};
use crate::desktop::widgets::{card_ui, name};

/// Height of a panel's frame.
const HEIGHT: f32 = 132.0;
/// Room for the figures beside a frame.
const LEFT: f32 = 34.0;
/// Room for a name below a bar, and for one in the legend.
const BELOW: f32 = 18.0;
/// Points that are drawn of one curve; of more, each stands for several.
const MOST_POINTS: usize = 200;

/// One curve: what it is, and its values in order.
pub struct Curve {
    pub name: String,
    pub values: Vec<f64>,
}

/// Colours in order. Dashes differ too, so that colour is not the only mark.
fn ink(ui: &Ui, at: usize) -> (Color32, Option<(f32, f32)>) {
    let colours = tokens(ui);
    let inks = [colours.accent, colours.warn, colours.good, colours.busy, colours.bad];
    let dashes = [None, Some((6.0, 4.0)), Some((2.0, 3.0)), Some((10.0, 3.0)), Some((4.0, 2.0))];
    (inks[at % inks.len()], dashes[at % dashes.len()])
}

/// Curves over the decisions, from 0 to `top`.
pub fn curves_ui(ui: &mut Ui, title: &str, top: f64, curves: &[Curve]) {
    card_ui(ui, |ui| {
        ui.label(name(title));
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        response.widget_info(|| {
            let last: Vec<String> = curves
                .iter()
                .map(|curve| format!("{} {:.2}", curve.name, curve.values.last().copied().unwrap_or(0.0)))
                .collect();
            WidgetInfo::labeled(Role::Image, true, format!("{title}; at the end {}", last.join(", ")))
        });
        let painter = ui.painter_at(rect);
        let frame = frame(ui, &painter, rect, top, 0.0);
        for (at, curve) in curves.iter().enumerate() {
            let (colour, dash) = ink(ui, at);
            let points = points(&curve.values, frame, top);
            let stroke = Stroke::new(1.6, colour);
            painter.add(match dash {
                None => Shape::line(points, stroke),
                Some((dash, gap)) => Shape::Vec(Shape::dashed_line(&points, stroke, dash, gap)),
            });
        }
        legend_ui(ui, curves.iter().map(|curve| curve.name.as_str()));
    });
}

/// Means of neighbours where there are more values than can be told apart.
fn points(values: &[f64], frame: Rect, top: f64) -> Vec<Pos2> {
    let count = values.len().min(MOST_POINTS);
    (0..count)
        .map(|at| {
            let (first, end) = (at * values.len() / count, (at + 1) * values.len() / count);
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

fn legend_ui<'a>(ui: &mut Ui, names: impl Iterator<Item = &'a str>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::M, 0.0);
        for (at, word) in names.enumerate() {
            let (colour, dash) = ink(ui, at);
            let galley =
                ui.painter().layout_no_wrap(word.to_owned(), fonts::body(text::SMALL), tokens(ui).text);
            let (rect, response) =
                ui.allocate_exact_size(vec2(galley.size().x + 26.0, BELOW), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
            let painter = ui.painter();
            let line = [rect.left_center(), rect.left_center() + vec2(20.0, 0.0)];
            let stroke = Stroke::new(2.0, colour);
            painter.add(match dash {
                None => Shape::line_segment(line, stroke),
                Some((dash, gap)) => Shape::Vec(Shape::dashed_line(&line, stroke, dash, gap)),
            });
            painter.galley(rect.left_center() + vec2(26.0, -galley.size().y / 2.0), galley, tokens(ui).text);
        }
    });
}

/// Named bars from 0 to 1, and a line across at a value to compare them with.
pub fn bars_ui(ui: &mut Ui, title: &str, bars: &[(String, Option<f64>)], line: Option<(f64, &str)>) {
    card_ui(ui, |ui| {
        ui.label(name(title));
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + BELOW), Sense::hover());
        response.widget_info(|| {
            let words: Vec<String> =
                bars.iter().map(|(name, value)| format!("{name} {}", figure(*value))).collect();
            WidgetInfo::labeled(Role::Image, true, format!("{title}: {}", words.join(", ")))
        });
        let painter = ui.painter_at(rect);
        let frame = frame(ui, &painter, rect, 1.0, BELOW);
        let colours = tokens(ui);
        let step = frame.width() / bars.len().max(1) as f32;
        for (at, (word, value)) in bars.iter().enumerate() {
            let left = frame.left() + (at as f32 + 0.18) * step;
            let top = height(frame, value.unwrap_or(0.0), 1.0);
            let bar = Rect::from_min_max(pos2(left, top), pos2(left + 0.64 * step, frame.bottom()));
            painter.rect_filled(bar, CornerRadius::same(2), colours.accent.gamma_multiply(0.75));
            let middle = bar.center().x;
            let small = fonts::body(text::SMALL - 1.5);
            painter.text(
                pos2(middle, top - 2.0),
                Align2::CENTER_BOTTOM,
                figure(*value),
                small.clone(),
                colours.text,
            );
            let clipped = painter.with_clip_rect(Rect::from_min_max(
                pos2(frame.left() + at as f32 * step + 1.0, frame.bottom()),
                pos2(frame.left() + (at as f32 + 1.0) * step - 1.0, rect.bottom()),
            ));
            clipped.text(
                pos2(middle, frame.bottom() + 4.0),
                Align2::CENTER_TOP,
                word,
                small,
                colours.text_soft,
            );
        }
        if let Some((value, _)) = line {
            let y = height(frame, value, 1.0);
            let across = [pos2(frame.left(), y), pos2(frame.right(), y)];
            let dashes = Shape::dashed_line(&across, Stroke::new(1.5, colours.warn), 5.0, 4.0);
            painter.add(Shape::Vec(dashes));
        }
        let about = line.map_or(String::new(), |(value, about)| format!("– – {about} {value:.2}"));
        ui.label(crate::desktop::widgets::small(ui, &about));
    });
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}

/// Values by row and column; the more, the darker, and each says its figure.
pub fn heat_ui(ui: &mut Ui, title: &str, rows: &[String], columns: &[String], cells: &[Option<f64>]) {
    const ROW: f32 = 26.0;
    const NAMES: f32 = 92.0;
    const HEAD: f32 = 22.0;
    let colours = tokens(ui);
    let size = vec2(ui.available_width(), HEAD + ROW * rows.len() as f32);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let best = cells.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
        let words = best.max_by(|(_, left), (_, right)| left.total_cmp(right)).map(|(at, value)| {
            format!("{} for {} {value:.2}", columns[at % columns.len()], rows[at / columns.len().max(1)])
        });
        WidgetInfo::labeled(Role::Image, true, format!("{title}: most is {}", words.unwrap_or_default()))
    });
    let painter = ui.painter_at(rect);
    let small = fonts::body(text::SMALL - 1.5);
    let width = (rect.width() - NAMES) / columns.len().max(1) as f32;
    for (at, word) in columns.iter().enumerate() {
        let left = rect.left() + NAMES + at as f32 * width;
        let room = Rect::from_min_max(pos2(left, rect.top()), pos2(left + width - 2.0, rect.top() + HEAD));
        let clipped = painter.with_clip_rect(room);
        clipped.text(
            room.left_center() + vec2(3.0, 0.0),
            Align2::LEFT_CENTER,
            word,
            small.clone(),
            colours.text_soft,
        );
    }
    for (row, word) in rows.iter().enumerate() {
        let top = rect.top() + HEAD + row as f32 * ROW;
        let at = pos2(rect.left(), top + ROW / 2.0);
        painter.text(at, Align2::LEFT_CENTER, word, fonts::body(text::SMALL), colours.text);
        for column in 0..columns.len() {
            let value = cells.get(row * columns.len() + column).copied().flatten();
            let left = rect.left() + NAMES + column as f32 * width;
            let cell = Rect::from_min_size(pos2(left, top), vec2(width - 2.0, ROW - 2.0));
            let fill = match value {
                None => colours.sunken,
                #[expect(clippy::cast_possible_truncation, reason = "a share")]
                Some(value) => colours.accent.gamma_multiply(0.08 + 0.42 * value.clamp(0.0, 1.0) as f32),
            };
            painter.rect_filled(cell, CornerRadius::same(2), fill);
            painter.text(cell.center(), Align2::CENTER_CENTER, figure(value), small.clone(), colours.text);
        }
    }
}
