//! Draws a panel into its frame.

use std::fmt::Write as _;

use super::{Axis, Body, COLOURS, Curve, LETTER, PANEL, Panel};

/// Where a panel stands, and how wide it is; all are equally high.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
}

impl Panel {
    /// The width that its columns need, so that no name lies over the next.
    pub(super) fn least_width(&self) -> f64 {
        let Body::Heat { columns, .. } = &self.body else { return 0.0 };
        let longest = columns.iter().flat_map(|column| two_lines(column)).map(wide).fold(0.0, f64::max);
        ROW_NAMES + columns.len() as f64 * (longest + LETTER)
    }

    pub(super) fn draw(&self, svg: &mut String, frame: Frame) {
        let Frame { left, top, width } = frame;
        text(svg, (left, top - 6.0), "start", &self.title, "#000000");
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\" fill=\"none\" stroke=\"#999999\"/>",
            width, PANEL.1
        );
        match &self.body {
            Body::Curves { x, x_label, y, curves } => {
                marks_left(svg, y, frame);
                for (value, word) in &x.ticks {
                    let at = left + width * x.share(*value);
                    text(svg, (at, top + PANEL.1 + 16.0), "middle", word, "#000000");
                }
                text(svg, (left + width / 2.0, top + PANEL.1 + 32.0), "middle", x_label, "#000000");
                let place = |(at, value): (f64, f64)| {
                    (left + width * x.share(at), top + PANEL.1 * (1.0 - y.share(value)))
                };
                draw_curves(svg, curves, place);
            }
            Body::Bars { bars, y, line } => {
                marks_left(svg, y, frame);
                draw_bars(svg, bars, y, frame);
                if let Some(line) = line {
                    let at = top + PANEL.1 * (1.0 - y.share(*line));
                    let _ = writeln!(
                        svg,
                        "<line x1=\"{left:.0}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#000000\" \
                         stroke-dasharray=\"4 3\"/>",
                        left + width
                    );
                }
            }
            Body::Heat { rows, columns, cells, most } => {
                draw_heat(svg, (rows, columns), cells, *most, frame);
            }
        }
    }
}

fn draw_curves(svg: &mut String, curves: &[Curve], place: impl Fn((f64, f64)) -> (f64, f64)) {
    let joined = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let points: Vec<String> = points
            .map(|point| {
                let (x, y) = place(point);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        points.join(" ")
    };
    for (at, curve) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        if !curve.band.is_empty() {
            let above = curve.band.iter().map(|(x, _, high)| (*x, *high));
            let below = curve.band.iter().rev().map(|(x, low, _)| (*x, *low));
            let outline = joined(&mut above.chain(below));
            let _ = writeln!(svg, "<polygon points=\"{outline}\" fill=\"{colour}\" fill-opacity=\"0.15\"/>");
        }
        let line = joined(&mut curve.points.iter().copied());
        let _ = writeln!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
    }
}

fn draw_bars(svg: &mut String, bars: &[(String, f64)], y: &Axis, frame: Frame) {
    let room = frame.width / bars.len().max(1) as f64;
    // Names that are wider than their bars' room stand on two lines in turn.
    let in_turn = bars.iter().any(|(name, _)| wide(name) > room);
    for (at, (name, value)) in bars.iter().enumerate() {
        let (x, height) = (frame.left + room * at as f64, PANEL.1 * y.share(*value));
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            x + room * 0.15,
            frame.top + PANEL.1 - height,
            room * 0.7,
            COLOURS[at % COLOURS.len()]
        );
        let down = if in_turn && at % 2 == 1 { 30.0 } else { 16.0 };
        text(svg, (x + room / 2.0, frame.top + PANEL.1 + down), "middle", name, "#000000");
    }
}

/// Room for the names of rows inside the frame.
const ROW_NAMES: f64 = 90.0;

fn draw_heat(
    svg: &mut String,
    (rows, columns): (&[String], &[String]),
    cells: &[Option<f64>],
    most: f64,
    Frame { left, top, width }: Frame,
) {
    let (wide, height) =
        ((width - ROW_NAMES) / columns.len().max(1) as f64, PANEL.1 / rows.len().max(1) as f64);
    for (at, row) in rows.iter().enumerate() {
        text(svg, (left + 6.0, top + height * (at as f64 + 0.5) + 4.0), "start", row, "#000000");
        for column in 0..columns.len() {
            let cell = cells.get(at * columns.len() + column).copied().flatten();
            let (x, y) = (left + ROW_NAMES + wide * column as f64, top + height * at as f64);
            let depth =
                cell.map_or(0.0, |value| if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 });
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{height:.1}\" fill=\"#2b6cb0\" \
                 fill-opacity=\"{depth:.2}\" stroke=\"#dddddd\"/>"
            );
            let word = cell.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
            let colour = if depth > 0.6 { "#ffffff" } else { "#000000" };
            text(svg, (x + wide / 2.0, y + height / 2.0 + 4.0), "middle", &word, colour);
        }
    }
    for (at, column) in columns.iter().enumerate() {
        let x = left + ROW_NAMES + wide * (at as f64 + 0.5);
        for (line, word) in (0_u8..).zip(two_lines(column)) {
            let y = top + PANEL.1 + 14.0 + 14.0 * f64::from(line);
            text(svg, (x, y), "middle", word, "#000000");
        }
    }
}

/// `coder@swarm` as `coder` over `@swarm`.
fn two_lines(name: &str) -> [&str; 2] {
    name.find('@').map_or([name, ""], |at| [&name[..at], &name[at..]])
}

/// About how wide a word stands.
fn wide(word: &str) -> f64 {
    word.chars().count() as f64 * LETTER
}

fn marks_left(svg: &mut String, y: &Axis, Frame { left, top, width }: Frame) {
    for (value, word) in &y.ticks {
        let at = top + PANEL.1 * (1.0 - y.share(*value));
        text(svg, (left - 6.0, at + 4.0), "end", word, "#000000");
        let _ = writeln!(
            svg,
            "<line x1=\"{left:.0}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#eeeeee\"/>",
            left + width
        );
    }
}

pub(super) fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str, colour: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
        escaped(words)
    );
}

pub(super) fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
