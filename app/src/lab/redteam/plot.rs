//! The cells as a picture: SVG, written by hand so that nothing is needed to read or make it.

use std::fmt::Write as _;

use super::swarm::Mix;
use super::table::{Measured, times_unverified};

/// The honest error rate that is plotted.
const ERROR_RATE: f64 = 0.01;
const PANEL: (f64, f64) = (360.0, 220.0);
const MARGIN: (f64, f64) = (56.0, 44.0);
const COLOURS: [&str; 4] = ["#7a7a7a", "#2b6cb0", "#b7791f", "#2f855a"];

/// One curve: what it is, and its points by share of liars.
struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Accuracy and cost by share of liars, one curve for each policy, at an honest error of one in a hundred.
pub fn svg(all: &[Measured]) -> String {
    let (width, height) = (2.0 * (PANEL.0 + MARGIN.0 + 24.0), 2.0 * (PANEL.1 + MARGIN.1 + 30.0) + 30.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{:.0}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">Simulated swarm of 50 providers, \
         honest error 1 %</text>\n",
        width / 2.0
    );
    for (row, mix) in Mix::ALL.into_iter().enumerate() {
        let title = match mix {
            Mix::Independent => "eleven kinds of liars",
            Mix::Clique => "clique, on its topic",
        };
        let top = 40.0 + row as f64 * (PANEL.1 + MARGIN.1 + 30.0);
        let right = curves(all, mix, |measured| measured.right() * 100.0);
        svg += &panel((MARGIN.0, top), &format!("accepted and right, %: {title}"), &right, (50.0, 100.0));
        let cost = curves(all, mix, |measured| times_unverified(measured, all));
        let left = 2.0 * MARGIN.0 + PANEL.0 + 24.0;
        svg += &panel((left, top), &format!("jobs against no verification: {title}"), &cost, (0.0, 4.0));
    }
    svg + "</svg>\n"
}

fn curves(all: &[Measured], mix: Mix, value: impl Fn(&Measured) -> f64) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for measured in all {
        if measured.cell.mix != mix || (measured.cell.error_rate - ERROR_RATE).abs() > 1e-9 {
            continue;
        }
        let (name, point) =
            (measured.cell.policy.to_string(), (measured.cell.share * 100.0, value(measured)));
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { name, points: vec![point] }),
        }
    }
    curves
}

fn panel((left, top): (f64, f64), title: &str, curves: &[Curve], (low, high): (f64, f64)) -> String {
    let x = |share: f64| left + PANEL.0 * share / 50.0;
    let y = |value: f64| top + PANEL.1 * (1.0 - (value.clamp(low, high) - low) / (high - low));
    let mut svg = format!(
        "<text x=\"{left:.0}\" y=\"{:.0}\">{title}</text>\n\
         <rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\" fill=\"none\" stroke=\"#999999\"/>\n",
        top - 6.0,
        PANEL.0,
        PANEL.1
    );
    for tick in 0..=5 {
        let (share, value) = (f64::from(tick) * 10.0, low + (high - low) * f64::from(tick) / 5.0);
        // Writing into a String cannot fail.
        let _ = write!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{share:.0}</text>\n\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{value:.1}</text>\n\
             <line x1=\"{left:.0}\" x2=\"{:.0}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#eeeeee\"/>\n",
            x(share),
            top + PANEL.1 + 16.0,
            left - 6.0,
            y(value) + 4.0,
            left + PANEL.0,
            y(value),
            y(value),
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">liars, %</text>",
        left + PANEL.0 / 2.0,
        top + PANEL.1 + 32.0
    );
    for (at, curve) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let points: Vec<String> =
            curve.points.iter().map(|(share, value)| format!("{:.1},{:.1}", x(*share), y(*value))).collect();
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{}</text>\n",
            points.join(" "),
            left + 10.0,
            top + PANEL.1 - 60.0 + 16.0 * at as f64,
            curve.name,
        );
    }
    svg
}
