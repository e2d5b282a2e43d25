//! The cells as a picture.

use super::table::groups;
use crate::band::Band;
use crate::svg::{Axis, Body, Curve, Panel, page};
use frlm_client::attack_simulation::measured::{Measured, times_unverified};
use frlm_client::attack_simulation::swarm::Mix;

/// The honest error rate that is plotted.
const ERROR_RATE: f64 = 0.01;

/// Accuracy and cost by share of liars, one curve for each policy, at an honest error of one in a hundred.
pub fn svg(all: &[Measured]) -> String {
    let mut panels = Vec::new();
    for mix in Mix::ALL {
        let of = match mix {
            Mix::Independent => "eleven kinds of liars",
            Mix::Clique => "clique, on its topic",
        };
        let right = curves(all, mix, |measured| measured.right() * 100.0);
        panels.push(panel(format!("accepted and right, %: {of}"), Axis::stepped(50.0, 100.0, 1), right));
        let cost = curves(all, mix, |measured| times_unverified(measured, all));
        panels.push(panel(format!("jobs against no verification: {of}"), Axis::stepped(0.0, 5.0, 1), cost));
    }
    page("Simulated swarm of 50 providers, honest error 1 %", 2, &panels)
}

fn panel(title: String, y: Axis, curves: Vec<Curve>) -> Panel {
    let x = Axis::stepped(0.0, 50.0, 0);
    Panel { title, body: Body::Curves { x, x_label: "liars, %".to_owned(), y, curves } }
}

fn curves(all: &[Measured], mix: Mix, value: impl Fn(&Measured) -> f64) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for group in groups(all) {
        let cell = &group[0].cell;
        if cell.mix != mix || (cell.error_rate - ERROR_RATE).abs() > 1e-9 {
            continue;
        }
        let Band { median, low, high } = Band::over(group.iter().copied().map(&value).collect());
        let (name, x) = (cell.policy.to_string(), cell.share * 100.0);
        let at = curves.iter().position(|curve| curve.name == name).unwrap_or_else(|| {
            curves.push(Curve::new(name, Vec::new()));
            curves.len() - 1
        });
        curves[at].points.push((x, median));
        curves[at].band.push((x, low, high));
    }
    curves
}
