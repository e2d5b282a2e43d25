//! The runs as a picture: one panel per figure, one curve per way of routing, the band around it.

use super::policy::Policy;
use super::table::{Figure, Measured, band, sizes};
use crate::svg::{Axis, Body, Curve, Panel, page};

/// Figures by the number of providers, on a scale of its logarithm.
pub fn svg(all: &[Measured]) -> String {
    let panels: Vec<Panel> = Figure::ALL.into_iter().map(|figure| panel(all, figure)).collect();
    page("Routing in a simulated swarm: median and band over ten worlds, mean of ten mixes", 2, &panels)
}

fn panel(all: &[Measured], figure: Figure) -> Panel {
    let sizes = sizes(all);
    let place = |providers: usize| (providers as f64).log10();
    let curves: Vec<Curve> = Policy::ALL
        .into_iter()
        .map(|policy| {
            let bands = sizes.iter().map(|size| (place(*size), band(all, *size, policy, figure, None)));
            let bands: Vec<_> = bands.collect();
            Curve {
                name: policy.name().to_owned(),
                points: bands.iter().map(|(x, band)| (*x, band.median)).collect(),
                band: bands.iter().map(|(x, band)| (*x, band.low, band.high)).collect(),
            }
        })
        .collect();
    let ends = |pick: fn(f64, f64) -> f64, from: f64| sizes.iter().map(|size| place(*size)).fold(from, pick);
    let x = Axis {
        range: (ends(f64::min, f64::INFINITY) - 0.1, ends(f64::max, f64::NEG_INFINITY) + 0.1),
        ticks: sizes.iter().map(|size| (place(*size), size.to_string())).collect(),
    };
    let highest = curves.iter().flat_map(|curve| curve.band.iter().map(|(_, _, high)| *high));
    let y = Axis::up_to(highest, if figure == Figure::Throughput { 0 } else { 2 });
    Panel {
        title: figure.name().to_owned(),
        body: Body::Curves { x, x_label: "providers".to_owned(), y, curves },
    }
}
