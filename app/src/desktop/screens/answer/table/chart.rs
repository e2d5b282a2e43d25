//! A series as bars, or as a line where its groups are stretches of time. The values stand beside it as a table.

use std::sync::Arc;

use egui::{CornerRadius, Galley, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use frlm_client::run::Series;
use frlm_client::units::thousands;

use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};

const HEIGHT: f32 = 236.0;
/// Room for the names of groups.
const BELOW: f32 = 22.0;
/// Size of names and figures.
const TINY: f32 = text::SMALL - 1.0;
/// The widest that a bar gets, and how much of its place it takes.
const WIDEST: f32 = 64.0;
const SHARE: f32 = 0.68;
/// Of so many points each has its dot.
const MOST_DOTS: usize = 60;
/// Lines across, at most.
const MOST_LINES: f64 = 5.0;

/// From where to where the figures go, and how far apart the lines across are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// From zero to round figures around all values.
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) =
            values.fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let spread = if high > low { high - low } else { 1.0 };
        let power = 10_f64.powf((spread / MOST_LINES).log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| spread / step <= MOST_LINES).unwrap_or(10.0 * power);
        let high = if high > low { high } else { 1.0 };
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a share of a frame")]
    fn height(self, frame: Rect, value: f64) -> f32 {
        frame.bottom() - ((value - self.low) / (self.high - self.low)) as f32 * frame.height()
    }

    fn lines(self) -> impl Iterator<Item = f64> {
        (0..)
            .map(move |at| self.low + f64::from(at) * self.step)
            .take_while(move |line| *line <= self.high + self.step / 2.0)
    }

    /// A figure at a line: `1,500`, `0.250`, `2.5 M`.
    fn told(self, value: f64) -> String {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole figure")]
        let grouped = |value: f64| thousands(value.abs().round() as u64);
        let sign = if value < 0.0 { "−" } else { "" };
        match self.high.abs().max(self.low.abs()) {
            most if most >= 1e9 => format!("{sign}{} bn", value.abs() / 1e9),
            most if most >= 1e6 => format!("{sign}{} M", value.abs() / 1e6),
            _ if self.step >= 1.0 && self.step.fract() == 0.0 => format!("{sign}{}", grouped(value)),
            _ => format!("{value:.*}", if self.step < 0.1 { 3 } else { 1 }),
        }
    }
}

/// Draws it, as wide as there is room.
pub fn chart_ui(ui: &mut Ui, series: &Series) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, in_words(series)));
    let colours = tokens(ui);
    let painter = ui.painter_at(rect.expand(2.0));
    let scale = Scale::around(series.points.iter().map(|point| point.value));
    let word = |text: &str| painter.layout_no_wrap(text.to_owned(), fonts::body(TINY), colours.text_soft);
    let figures: Vec<(f64, Arc<Galley>)> =
        scale.lines().map(|line| (line, word(&scale.told(line)))).collect();
    let left = figures.iter().map(|(_, figure)| figure.size().x).fold(0.0, f32::max) + space::S;
    let frame = Rect::from_min_max(rect.min + vec2(left, space::S), rect.max - vec2(0.0, BELOW));
    for (line, figure) in figures {
        let y = scale.height(frame, line);
        let ink = if line.abs() < scale.step / 2.0 { colours.outline } else { colours.line };
        painter.hline(frame.x_range(), y, Stroke::new(1.0, ink));
        let at = pos2(frame.left() - space::S - figure.size().x, y - figure.size().y / 2.0);
        painter.galley(at, figure, colours.text_soft);
    }
    let pitch = frame.width() / series.points.len() as f32;
    let middle = |at: usize| frame.left() + (at as f32 + 0.5) * pitch;
    let pointed = response.hover_pos().filter(|pointer| frame.x_range().contains(pointer.x)).map(|pointer| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the place of a group")]
        let at = ((pointer.x - frame.left()) / pitch).max(0.0) as usize;
        at.min(series.points.len() - 1)
    });
    let tops: Vec<Pos2> = (0..)
        .zip(&series.points)
        .map(|(at, point)| pos2(middle(at), scale.height(frame, point.value)))
        .collect();
    let strong = |at: usize| if pointed == Some(at) { colours.text } else { colours.accent };
    if series.is_time {
        painter.add(Shape::line(tops.clone(), Stroke::new(2.0, colours.accent)));
        for (at, top) in tops.iter().enumerate() {
            if tops.len() <= MOST_DOTS || pointed == Some(at) {
                painter.circle(*top, 3.5, strong(at), Stroke::new(1.5, colours.surface));
            }
        }
    } else {
        let half = (pitch * SHARE).min(WIDEST) / 2.0;
        let zero = scale.height(frame, 0.0);
        for (at, top) in tops.iter().enumerate() {
            let bar = Rect::from_two_pos(pos2(top.x - half, top.y), pos2(top.x + half, zero));
            painter.rect_filled(bar, CornerRadius::same(2), strong(at));
        }
    }
    let words: Vec<Arc<Galley>> = series.points.iter().map(|point| word(&point.name)).collect();
    let line = frame.bottom() + BELOW / 2.0 + 1.0;
    for (at, is_cut) in names_in_sight(&words, pitch, series.is_time) {
        let name = &words[at];
        if is_cut {
            let room = Rect::from_center_size(pos2(middle(at), line), vec2(pitch - space::XS, BELOW));
            let clipped = painter.with_clip_rect(room.intersect(rect));
            let at = pos2(room.left(), line - name.size().y / 2.0);
            clipped.galley(at, Arc::clone(name), colours.text_soft);
        } else {
            let most = (rect.right() - name.size().x).max(rect.left());
            let left = (middle(at) - name.size().x / 2.0).clamp(rect.left(), most);
            painter.galley(pos2(left, line - name.size().y / 2.0), Arc::clone(name), colours.text_soft);
        }
    }
    if let Some(point) = pointed.map(|at| &series.points[at]) {
        response.on_hover_text_at_pointer(format!("{}: {}", point.name, point.shown));
    }
}

/// The names that stand below their groups, and whether each is cut off: as many as stand beside each other. A name of a
/// group tells nothing of the next, so that all of them stand there while there is some room for each.
fn names_in_sight(names: &[Arc<Galley>], pitch: f32, is_time: bool) -> Vec<(usize, bool)> {
    /// What still tells something of a name, in points.
    const LEAST: f32 = 48.0;

    let widest = names.iter().map(|name| name.size().x).fold(1.0, f32::max);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of groups")]
    let every = ((widest + space::M) / pitch).ceil().max(1.0) as usize;
    let is_cut = every > 1 && !is_time && pitch >= LEAST;
    let shown = names.iter().enumerate().step_by(if is_cut { 1 } else { every });
    shown.map(|(at, name)| (at, is_cut && name.size().x > pitch - space::XS)).collect()
}

/// What is seen, for those who do not see it: the table beside holds every value.
fn in_words(series: &Series) -> String {
    let by =
        |one: &&frlm_client::run::Point, other: &&frlm_client::run::Point| one.value.total_cmp(&other.value);
    let (low, high) = (series.points.iter().min_by(by), series.points.iter().max_by(by));
    let told = |point: Option<&frlm_client::run::Point>| {
        point.map_or(String::new(), |point| format!("{} ({})", point.shown, point.name))
    };
    let kind = if series.is_time { "Line chart" } else { "Bar chart" };
    let count = thousands(series.points.len() as u64);
    let (measure, group) = (&series.measure, &series.group);
    format!("{kind}: {measure} per {group}, {count} values from {} to {}", told(low), told(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_begins_at_zero_and_ends_at_round_figures() {
        for (values, low, high, step) in [
            (&[3.0, 12.5, 7.25][..], 0.0, 12.5, 2.5),
            (&[0.02, 0.13], 0.0, 0.15, 0.05),
            (&[1_040.0, 4_310.0], 0.0, 5_000.0, 1_000.0),
            (&[-30.0, 55.0], -40.0, 60.0, 20.0),
            (&[0.0, 0.0], 0.0, 1.0, 0.2),
        ] {
            let scale = Scale::around(values.iter().copied());
            let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
            let is_so = close(scale.low, low) && close(scale.high, high) && close(scale.step, step);
            assert!(is_so, "{values:?}: {scale:?}");
            assert!(scale.lines().count() <= 7, "{values:?}");
        }
    }

    #[test]
    fn figures_beside_the_lines_are_short_and_differ() {
        for (most, told) in [(4_310.0, "1,000"), (0.13, "0.050"), (2_500_000.0, "0.5 M"), (9e9, "2 bn")] {
            let scale = Scale::around([0.0, most].into_iter());
            let figures: Vec<String> = scale.lines().map(|line| scale.told(line)).collect();
            assert_eq!(figures[1], told, "{figures:?}");
            let mut different = figures.clone();
            different.dedup();
            assert_eq!(different, figures);
        }
    }
}
