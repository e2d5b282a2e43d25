//! Panels of curves, bars and heat maps as SVG, written by hand so that nothing is needed to read or
//! make them.

mod draw;

use draw::{Frame, escaped, text};

/// Width of a panel's frame, unless its columns need more, and its height.
const PANEL: (f64, f64) = (360.0, 220.0);
/// Room to the left of a frame and below it.
const MARGIN: (f64, f64) = (64.0, 44.0);
/// Room between panels, and above the first row.
const GAP: (f64, f64) = (24.0, 30.0);
const HEAD: f64 = 56.0;
/// About the width of a letter.
const LETTER: f64 = 6.8;
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
        /// The value that is darkest: the same for maps that are compared.
        most: f64,
    },
}

/// A titled frame.
pub struct Panel {
    /// Above it.
    pub title: String,
    /// In it.
    pub body: Body,
}

/// Height of a row of a legend, and the room between two of its names.
const LEGEND_ROW: f64 = 16.0;
const LEGEND_GAP: f64 = 14.0;

/// A page of panels, so many in a row. The legend never lies over curves: where all panels show the same ones, it
/// stands once, below them; else each panel has its own below its axis.
pub fn page(title: &str, in_a_row: usize, panels: &[Panel]) -> String {
    let in_a_row = in_a_row.max(1);
    let wide = panels.iter().map(Panel::least_width).fold(PANEL.0, f64::max);
    let shared = shared_legend(panels);
    let legends: Vec<Vec<(f64, usize)>> = panels
        .iter()
        .map(|panel| if shared.is_empty() { places(&names_of(panel), wide) } else { Vec::new() })
        .collect();
    let legend_rows = legends.iter().map(|places| rows_of(places)).max().unwrap_or(0);
    let step = (wide + MARGIN.0 + GAP.0, PANEL.1 + MARGIN.1 + legend_rows as f64 * LEGEND_ROW + GAP.1);
    let rows = panels.len().div_ceil(in_a_row);
    let columns = in_a_row.min(panels.len()).max(1);
    let width = (columns as f64 * step.0 + GAP.0).max(title.chars().count() as f64 * LETTER * 1.2);
    let below = HEAD + rows as f64 * step.1;
    let shared_places = places(&shared, width - MARGIN.0 - GAP.0);
    let height = below + rows_of(&shared_places) as f64 * LEGEND_ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{:.0}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        width / 2.0,
        escaped(title)
    );
    for ((at, panel), legend) in panels.iter().enumerate().zip(&legends) {
        let left = MARGIN.0 + (at % in_a_row) as f64 * step.0;
        let top = HEAD + (at / in_a_row) as f64 * step.1;
        panel.draw(&mut svg, Frame { left, top, width: wide });
        legend_at(&mut svg, (left, top + PANEL.1 + MARGIN.1 + 4.0), &names_of(panel), legend);
    }
    legend_at(&mut svg, (MARGIN.0, below), &shared, &shared_places);
    svg + "</svg>\n"
}

/// Where the names of a legend stand that is so wide: from its left edge, and in which row.
fn places(names: &[&str], room: f64) -> Vec<(f64, usize)> {
    let (mut left, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for name in names {
        let wide = name.chars().count() as f64 * LETTER;
        if left > 0.0 && left + wide > room {
            (left, row) = (0.0, row + 1);
        }
        places.push((left, row));
        left += wide + LEGEND_GAP;
    }
    places
}

fn rows_of(places: &[(f64, usize)]) -> usize {
    places.last().map_or(0, |(_, row)| row + 1)
}

fn legend_at(svg: &mut String, (left, top): (f64, f64), names: &[&str], places: &[(f64, usize)]) {
    for ((at, name), (x, row)) in names.iter().enumerate().zip(places) {
        let place = (left + x, top + *row as f64 * LEGEND_ROW);
        text(svg, place, "start", name, COLOURS[at % COLOURS.len()]);
    }
}

/// The names of the curves that all of several panels show, some perhaps only the first of them; none if the
/// panels differ in anything else: then a colour would mean one thing here and another there.
fn shared_legend(panels: &[Panel]) -> Vec<&str> {
    let longest = panels.iter().map(names_of).max_by_key(Vec::len).unwrap_or_default();
    let same = |panel| {
        let names = names_of(panel);
        !names.is_empty() && longest.starts_with(&names)
    };
    if panels.len() > 1 && panels.iter().all(same) { longest } else { Vec::new() }
}

fn names_of(panel: &Panel) -> Vec<&str> {
    match &panel.body {
        Body::Curves { curves, .. } => curves.iter().map(|curve| curve.name.as_str()).collect(),
        Body::Bars { .. } | Body::Heat { .. } => Vec::new(),
    }
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
                    most: 2.0,
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
        let mut longer = panel("adaptive");
        if let Body::Curves { curves, .. } = &mut longer.body {
            curves.push(Curve::new("none", vec![(0.0, 0.5)]));
        }
        assert_eq!(times(&[longer, panel("adaptive")]), 1, "the second shows the first of the same curves");
    }

    #[test]
    fn no_word_of_a_legend_lies_over_a_panel_and_none_over_another() {
        let names =
            ["copier", "planner", "comparer", "chooser", "a name that takes a row of its own, nearly"];
        let panel = |names: &[&str]| Panel {
            title: "curves".to_owned(),
            body: Body::Curves {
                x: Axis::stepped(0.0, 1.0, 1),
                x_label: "x".to_owned(),
                y: Axis::stepped(0.0, 1.0, 1),
                curves: names.iter().map(|name| Curve::new(*name, vec![(0.0, 1.0)])).collect(),
            },
        };
        let svg = page("a page", 1, &[panel(&names), panel(&["raw"]), panel(&names[1..])]);
        let number = |line: &str, name: &str| -> f64 {
            line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let frames: Vec<(f64, f64)> = svg
            .lines()
            .filter(|line| line.starts_with("<rect") && line.contains("fill=\"none\""))
            .map(|line| (number(line, "y"), number(line, "y") + number(line, "height")))
            .collect();
        assert_eq!(frames.len(), 3);
        let words: Vec<(f64, f64, f64)> = svg
            .lines()
            .filter(|line| {
                line.starts_with("<text") && names.iter().any(|name| line.contains(&format!(">{name}<")))
            })
            .map(|line| {
                let word = line.split('>').nth(1).unwrap().split('<').next().unwrap();
                (number(line, "x"), number(line, "y"), word.chars().count() as f64 * LETTER)
            })
            .collect();
        assert_eq!(words.len(), names.len() * 2 - 1);
        for (at, (x, y, wide)) in words.iter().enumerate() {
            // Letters stand some ten points high on their line.
            assert!(frames.iter().all(|(top, bottom)| *y < *top || *y - 10.0 > *bottom), "{y} in {frames:?}");
            for (other_x, other_y, other_wide) in &words[at + 1..] {
                let apart = x + wide <= *other_x || other_x + other_wide <= *x || (y - other_y).abs() > 12.0;
                assert!(apart, "{:?} over {:?}", words[at], (other_x, other_y));
            }
        }
    }

    #[test]
    fn values_outside_an_axis_stay_in_the_frame() {
        let axis = Axis::stepped(50.0, 100.0, 0);
        assert!((axis.share(20.0)).abs() < 1e-9 && (axis.share(300.0) - 1.0).abs() < 1e-9);
        assert_eq!(axis.ticks.first().map(|(_, word)| word.as_str()), Some("50"));
    }
}
