//! Panels of curves, bars and heat maps as SVG, written by hand so that nothing is needed to read or
//! make them.

use std::fmt::Write as _;

/// Width and height of a panel's frame.
const PANEL: (f64, f64) = (360.0, 220.0);
/// Room to the left of a frame and below it.
const MARGIN: (f64, f64) = (64.0, 44.0);
/// Room between panels, and above the first row.
const GAP: (f64, f64) = (24.0, 30.0);
const HEAD: f64 = 40.0;
/// Colours of curves and bars in order; the names beside them say the same.
const COLOURS: [&str; 9] =
    ["#2b6cb0", "#2f855a", "#b7791f", "#7a7a7a", "#9b2c2c", "#6b46c1", "#00798c", "#444444", "#c05299"];

/// One curve.
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Around it: x, lowest and highest. Empty: no band.
    pub band: Vec<(f64, f64, f64)>,
}

impl Curve {
    /// A curve without a band.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, band: Vec::new() }
    }
}

/// A range with what is written along it.
pub struct Axis {
    /// Lowest and highest value.
    pub range: (f64, f64),
    /// Where a word stands, and which.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Five steps with so many digits behind the point. A range without extent becomes one of 1.
    pub fn stepped(low: f64, high: f64, digits: usize) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        let at = |tick: i32| low + (high - low) * f64::from(tick) / 5.0;
        Self {
            range: (low, high),
            ticks: (0..=5).map(|tick| (at(tick), format!("{:.digits$}", at(tick)))).collect(),
        }
    }

    /// From 0 to a little above the highest of these.
    pub fn up_to(values: impl IntoIterator<Item = f64>, digits: usize) -> Self {
        let most = values.into_iter().filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self::stepped(0.0, most * 1.05, digits)
    }

    /// Where a value stands, 0..=1; what is no number stands at the bottom.
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let value = if value.is_finite() { value } else { low };
        (value.clamp(low, high) - low) / (high - low)
    }
}

/// What a panel shows.
pub enum Body {
    /// Curves over an axis.
    Curves {
        /// Below.
        x: Axis,
        /// What the axis below means.
        x_label: String,
        /// To the left.
        y: Axis,
        /// In the order of the legend.
        curves: Vec<Curve>,
    },
    /// Named bars; a line across where a value is to be compared with it.
    Bars {
        /// Names and values.
        bars: Vec<(String, f64)>,
        /// To the left.
        y: Axis,
        /// A value to compare with.
        line: Option<f64>,
    },
    /// Named rows and columns; darker is more.
    Heat {
        /// Names of the rows.
        rows: Vec<String>,
        /// Names of the columns.
        columns: Vec<String>,
        /// Row by row; `None` was never seen.
        cells: Vec<Option<f64>>,
    },
}

/// A titled frame.
pub struct Panel {
    /// Above it.
    pub title: String,
    /// In it.
    pub body: Body,
}

/// Height of a name in the legend of a page.
const LEGEND_ROW: f64 = 16.0;

/// A page of panels, so many in a row. Where all show the same curves, the legend stands once, below them.
pub fn page(title: &str, in_a_row: usize, panels: &[Panel]) -> String {
    let in_a_row = in_a_row.max(1);
    let step = (PANEL.0 + MARGIN.0 + GAP.0, PANEL.1 + MARGIN.1 + GAP.1);
    let rows = panels.len().div_ceil(in_a_row);
    let columns = in_a_row.min(panels.len()).max(1);
    let width = columns as f64 * step.0 + GAP.0;
    let shared = shared_legend(panels);
    let below = HEAD + rows as f64 * step.1;
    let height = below + shared.len().div_ceil(columns) as f64 * LEGEND_ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{:.0}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        width / 2.0,
        escaped(title)
    );
    for (at, panel) in panels.iter().enumerate() {
        let left = MARGIN.0 + (at % in_a_row) as f64 * step.0;
        let top = HEAD + (at / in_a_row) as f64 * step.1;
        panel.draw(&mut svg, left, top, shared.is_empty());
    }
    for (at, name) in shared.iter().enumerate() {
        let left = MARGIN.0 + (at % columns) as f64 * step.0;
        let top = below + (at / columns) as f64 * LEGEND_ROW;
        text(&mut svg, (left, top), "start", name, COLOURS[at % COLOURS.len()]);
    }
    svg + "</svg>\n"
}

/// The names of the curves that all of several panels show; none if they differ.
fn shared_legend(panels: &[Panel]) -> Vec<&str> {
    let names = |panel| curves_of(panel).map(|curve| curve.name.as_str()).collect::<Vec<_>>();
    match panels {
        [first, others @ ..] if !others.is_empty() && others.iter().all(|it| names(it) == names(first)) => {
            curves_of(first).map(|curve| curve.name.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

fn curves_of(panel: &Panel) -> std::slice::Iter<'_, Curve> {
    match &panel.body {
        Body::Curves { curves, .. } => curves.iter(),
        Body::Bars { .. } | Body::Heat { .. } => [].iter(),
    }
}

impl Panel {
    fn draw(&self, svg: &mut String, left: f64, top: f64, legend: bool) {
        text(svg, (left, top - 6.0), "start", &self.title, "#000000");
        // Writing into a String cannot fail, here and below.
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\" fill=\"none\" stroke=\"#999999\"/>",
            PANEL.0, PANEL.1
        );
        match &self.body {
            Body::Curves { x, x_label, y, curves } => {
                marks_left(svg, y, left, top);
                for (value, word) in &x.ticks {
                    let at = left + PANEL.0 * x.share(*value);
                    text(svg, (at, top + PANEL.1 + 16.0), "middle", word, "#000000");
                }
                text(svg, (left + PANEL.0 / 2.0, top + PANEL.1 + 32.0), "middle", x_label, "#000000");
                let place = |(at, value): (f64, f64)| {
                    (left + PANEL.0 * x.share(at), top + PANEL.1 * (1.0 - y.share(value)))
                };
                draw_curves(svg, curves, place);
                if legend {
                    draw_legend(svg, curves, (left, top));
                }
            }
            Body::Bars { bars, y, line } => {
                marks_left(svg, y, left, top);
                draw_bars(svg, bars, y, (left, top));
                if let Some(line) = line {
                    let at = top + PANEL.1 * (1.0 - y.share(*line));
                    let _ = writeln!(
                        svg,
                        "<line x1=\"{left:.0}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#000000\" \
                         stroke-dasharray=\"4 3\"/>",
                        left + PANEL.0
                    );
                }
            }
            Body::Heat { rows, columns, cells } => draw_heat(svg, rows, columns, cells, (left, top)),
        }
    }
}

fn draw_legend(svg: &mut String, curves: &[Curve], (left, top): (f64, f64)) {
    for (at, curve) in curves.iter().enumerate() {
        let first = top + PANEL.1 - 14.0 * (curves.len() - at) as f64 + 6.0;
        text(svg, (left + 10.0, first), "start", &curve.name, COLOURS[at % COLOURS.len()]);
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

fn draw_bars(svg: &mut String, bars: &[(String, f64)], y: &Axis, (left, top): (f64, f64)) {
    let width = PANEL.0 / bars.len().max(1) as f64;
    for (at, (name, value)) in bars.iter().enumerate() {
        let (x, height) = (left + width * at as f64, PANEL.1 * y.share(*value));
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            x + width * 0.15,
            top + PANEL.1 - height,
            width * 0.7,
            COLOURS[at % COLOURS.len()]
        );
        text(svg, (x + width / 2.0, top + PANEL.1 + 16.0), "middle", name, "#000000");
    }
}

/// Room for the names of rows inside the frame.
const ROW_NAMES: f64 = 90.0;

fn draw_heat(
    svg: &mut String,
    rows: &[String],
    columns: &[String],
    cells: &[Option<f64>],
    (left, top): (f64, f64),
) {
    let (width, height) =
        ((PANEL.0 - ROW_NAMES) / columns.len().max(1) as f64, PANEL.1 / rows.len().max(1) as f64);
    let most = cells.iter().flatten().copied().fold(0.0, f64::max);
    for (at, row) in rows.iter().enumerate() {
        text(svg, (left + 6.0, top + height * (at as f64 + 0.5) + 4.0), "start", row, "#000000");
        for column in 0..columns.len() {
            let cell = cells.get(at * columns.len() + column).copied().flatten();
            let (x, y) = (left + ROW_NAMES + width * column as f64, top + height * at as f64);
            let depth =
                cell.map_or(0.0, |value| if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 });
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#2b6cb0\" \
                 fill-opacity=\"{depth:.2}\" stroke=\"#dddddd\"/>"
            );
            let word = cell.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
            let colour = if depth > 0.6 { "#ffffff" } else { "#000000" };
            text(svg, (x + width / 2.0, y + height / 2.0 + 4.0), "middle", &word, colour);
        }
    }
    for (at, column) in columns.iter().enumerate() {
        let place =
            (left + ROW_NAMES + width * (at as f64 + 0.5), top + PANEL.1 + 14.0 + 12.0 * (at % 2) as f64);
        text(svg, place, "middle", column, "#000000");
    }
}

fn marks_left(svg: &mut String, y: &Axis, left: f64, top: f64) {
    for (value, word) in &y.ticks {
        let at = top + PANEL.1 * (1.0 - y.share(*value));
        text(svg, (left - 6.0, at + 4.0), "end", word, "#000000");
        let _ = writeln!(
            svg,
            "<line x1=\"{left:.0}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#eeeeee\"/>",
            left + PANEL.0
        );
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str, colour: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
        escaped(words)
    );
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_bars_and_heat_maps_stand_on_one_page() {
        let mut curve = Curve::new("a < b", vec![(0.0, 1.0), (1.0, 2.0)]);
        curve.band = vec![(0.0, 0.5, 1.5), (1.0, 1.5, 2.5)];
        let panels = [
            Panel {
                title: "curves".to_owned(),
                body: Body::Curves {
                    x: Axis::stepped(0.0, 1.0, 1),
                    x_label: "x".to_owned(),
                    y: Axis::up_to([2.5], 1),
                    curves: vec![curve],
                },
            },
            Panel {
                title: "bars".to_owned(),
                body: Body::Bars {
                    bars: vec![("one".to_owned(), 1.0), ("two".to_owned(), f64::NAN)],
                    y: Axis::up_to([], 1),
                    line: Some(0.25),
                },
            },
            Panel {
                title: "heat".to_owned(),
                body: Body::Heat {
                    rows: vec!["r".to_owned()],
                    columns: vec!["c".to_owned(), "d".to_owned()],
                    cells: vec![Some(2.0), None],
                },
            },
        ];
        let svg = page("a page", 2, &panels);
        assert_eq!(svg.matches("<polyline").count(), 1);
        assert_eq!(svg.matches("<polygon").count(), 1);
        assert!(svg.contains("a &lt; b") && svg.contains(">2.00<") && svg.contains(">–<"));
    }

    #[test]
    fn panels_that_show_the_same_curves_share_a_legend() {
        let panel = |name: &str| Panel {
            title: "curves".to_owned(),
            body: Body::Curves {
                x: Axis::stepped(0.0, 1.0, 1),
                x_label: "x".to_owned(),
                y: Axis::stepped(0.0, 1.0, 1),
                curves: vec![Curve::new(name, vec![(0.0, 1.0), (1.0, 0.5)])],
            },
        };
        let times = |panels: &[Panel]| page("a page", 2, panels).matches(">adaptive<").count();
        assert_eq!(times(&[panel("adaptive"), panel("adaptive")]), 1);
        assert_eq!(times(&[panel("adaptive"), panel("none"), panel("adaptive")]), 2);
        assert_eq!(times(&[panel("adaptive")]), 1);
    }

    #[test]
    fn values_outside_an_axis_stay_in_the_frame() {
        let axis = Axis::stepped(50.0, 100.0, 0);
        assert!((axis.share(20.0)).abs() < 1e-9 && (axis.share(300.0) - 1.0).abs() < 1e-9);
        assert_eq!(axis.ticks.first().map(|(_, word)| word.as_str()), Some("50"));
    }
}
