//! Trials over audited answers: how often is whom accused?

use std::cmp::Ordering;
use std::fmt::Write as _;

use frlm_verifier::audit::Calibration;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

use crate::svg::{Axis, Body, Curve, Panel, page};

/// Trials of so many answers each, drawn without putting back.
pub fn draws(scores: &[f64], answers: usize, trials: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let answers = answers.min(scores.len());
    let draw =
        |rng: &mut ChaCha8Rng| sample(rng, scores.len(), answers).iter().map(|at| scores[at]).collect();
    (0..trials).map(|_| draw(rng)).collect()
}

/// What the audit makes of one writer.
pub struct Row {
    name: &'static str,
    /// Share of its answers that are word for word those of the claimed weights.
    agree: Option<f64>,
    /// Mean score, in nats.
    score: f64,
    /// Share of trials in which it is accused after so many answers or before, from 1.
    accused_by: Vec<f64>,
    /// The same within all answers, by the bound of runs.
    accused_in_runs: f64,
    /// How far above honest means each trial came, in deviations, for the curve.
    peaks: Vec<f64>,
}

impl Row {
    /// Judges the trials of a writer, of which there is at least one.
    pub fn of(
        name: &'static str,
        agree: Option<f64>,
        calibration: &Calibration,
        trials: &[Vec<f64>],
    ) -> Self {
        let after: Vec<Option<usize>> = trials.iter().map(|trial| calibration.accused_after(trial)).collect();
        let share = |answers: usize| {
            after.iter().filter(|after| after.is_some_and(|after| after <= answers)).count() as f64
                / trials.len() as f64
        };
        let in_runs = calibration.in_runs();
        let accused_in_runs = trials.iter().filter(|trial| in_runs.accused_after(trial).is_some()).count();
        let count = trials.iter().map(Vec::len).sum::<usize>();
        Self {
            name,
            agree,
            score: trials.iter().flatten().sum::<f64>() / count as f64,
            accused_by: (1..=calibration.answers).map(share).collect(),
            accused_in_runs: accused_in_runs as f64 / trials.len() as f64,
            peaks: trials.iter().filter_map(|trial| calibration.peak(trial)).collect(),
        }
    }

    /// How far above honest means the furthest trial came, in deviations.
    pub fn furthest(&self) -> f64 {
        self.peaks.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The same for the trial that came least far.
    fn least(&self) -> f64 {
        self.peaks.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn accused(&self) -> f64 {
        self.accused_by.last().copied().unwrap_or_default()
    }

    /// The area under its curve: how often a trial of it lies further off than an honest one.
    fn area(&self, honest: &Self) -> f64 {
        let won = |other: &f64, peak: &f64| match peak.total_cmp(other) {
            Ordering::Less => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.0,
        };
        let wins =
            self.peaks.iter().map(|other| honest.peaks.iter().map(|peak| won(other, peak)).sum::<f64>());
        wins.sum::<f64>() / (self.peaks.len() as f64 * honest.peaks.len() as f64)
    }

    /// How many of its trials lie above all but the allowed share of the honest ones of the same run.
    fn at_allowed(&self, honest: &Self, allowed: f64) -> f64 {
        let mut peaks = honest.peaks.clone();
        peaks.sort_unstable_by(|a, b| b.total_cmp(a));
        let most = peaks.len() as f64 * allowed;
        // So many honest ones may lie above it.
        let threshold =
            (1_u32..).zip(&peaks).find(|(count, _)| f64::from(*count) > most).map(|(_, peak)| *peak);
        let above = self.peaks.iter().filter(|peak| threshold.is_some_and(|threshold| **peak > threshold));
        above.count() as f64 / self.peaks.len() as f64
    }

    /// The fewest answers by which at least 99 % of its trials accuse it.
    fn enough(&self) -> Option<usize> {
        self.accused_by.iter().position(|accused| *accused >= 0.99).map(|at| at + 1)
    }
}

/// As it is printed; the first row is the honest one.
pub fn table(rows: &[Row]) -> String {
    let Some(honest) = rows.first() else { return String::new() };
    let mut text = format!(
        "{:<42} {:>10} {:>11} {:>9} {:>9} {:>8} {:>11} {:>7} {:>12}\n",
        "written by",
        "same words",
        "mean nats",
        "accused",
        "in runs",
        "least σ",
        "at 1 % ROC",
        "area",
        "99 % within"
    );
    for row in rows {
        let agree = row.agree.map_or_else(|| "–".to_owned(), |agree| format!("{:.1} %", agree * 100.0));
        let (area, at_allowed, enough) = if std::ptr::eq(row, honest) {
            ("–".to_owned(), "–".to_owned(), "–".to_owned())
        } else {
            (
                format!("{:.4}", row.area(honest)),
                format!("{:.1} %", row.at_allowed(honest, super::FALSE_ALARMS) * 100.0),
                row.enough().map_or_else(|| format!("> {}", row.accused_by.len()), |count| count.to_string()),
            )
        };
        let _ = writeln!(
            text,
            "{:<42} {agree:>10} {:>11.6} {:>7.1} % {:>7.1} % {:>8.1} {at_allowed:>11} {area:>7} {enough:>12}",
            row.name,
            row.score,
            row.accused() * 100.0,
            row.accused_in_runs * 100.0,
            row.least()
        );
    }
    text
}

/// The curves: accused liars over accused honest providers, and over audited answers.
pub fn plot(rows: &[Row]) -> String {
    let Some(honest) = rows.first() else { return String::new() };
    let share = || Axis::stepped(0.0, 1.0, 1);
    let roc = rows.iter().map(|row| Curve::new(row.name, curve(&honest.peaks, &row.peaks))).collect();
    let by_answers = rows
        .iter()
        .map(|row| {
            let points = (1..).zip(&row.accused_by).map(|(answers, accused)| (f64::from(answers), *accused));
            Curve::new(row.name, points.collect())
        })
        .collect();
    let answers = honest.accused_by.len() as f64;
    let panel = |title: &str, x: Axis, x_label: &str, curves: Vec<Curve>| Panel {
        title: title.to_owned(),
        body: Body::Curves { x, x_label: x_label.to_owned(), y: share(), curves },
    };
    page(
        "Prefill audit: share of trials accused",
        2,
        &[
            panel("Over honest providers accused", share(), "share of honest trials accused", roc),
            panel("At the calibrated bound", Axis::stepped(0.0, answers, 0), "audited answers", by_answers),
        ],
    )
}

/// For every bound the share of honest trials above it, and of the other's.
fn curve(honest: &[f64], other: &[f64]) -> Vec<(f64, f64)> {
    let mut bounds: Vec<f64> = honest.to_vec();
    bounds.sort_unstable_by(|a, b| b.total_cmp(a));
    let above = |values: &[f64], bound: f64| {
        values.iter().filter(|value| **value > bound).count() as f64 / values.len() as f64
    };
    let points = bounds.iter().map(|bound| (above(honest, *bound), above(other, *bound)));
    corners(points.chain([(1.0, 1.0)]))
}

/// Without the points on a straight line between two others: thousands of trials make few corners.
fn corners(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if let [.., (from_x, from_y), (last_x, last_y)] = *kept.as_slice()
            && ((last_x - from_x) * (y - from_y) - (last_y - from_y) * (x - from_x)).abs() < 1e-12
        {
            kept.pop();
        }
        kept.push((x, y));
    }
    kept
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn who_is_clearly_apart_is_accused_and_who_is_not_is_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let noise: Vec<f64> = (0..400).map(|at| f64::from(at % 20) / 1_000.0).collect();
        let calibration = Calibration::of(&draws(&noise, 20, 1_000, &mut rng), 0.01).unwrap();
        let honest = Row::of("honest", None, &calibration, &draws(&noise, 20, 1_000, &mut rng));
        assert!(honest.accused() < 0.03, "{}", honest.accused());
        assert!(honest.accused_in_runs.abs() < 1e-9, "{}", honest.accused_in_runs);
        assert!((calibration.bound..calibration.in_runs().bound).contains(&honest.furthest()));
        let far: Vec<f64> = noise.iter().map(|value| value + 0.05).collect();
        let liar = Row::of("liar", Some(0.9), &calibration, &draws(&far, 20, 1_000, &mut rng));
        assert!((liar.accused() - 1.0).abs() < 1e-9, "{}", liar.accused());
        assert!(liar.enough().is_some_and(|answers| answers <= 3), "{:?}", liar.enough());
        assert!((liar.area(&honest) - 1.0).abs() < 1e-9);
        assert!((liar.at_allowed(&honest, 0.01) - 1.0).abs() < 1e-9);
        assert!((honest.area(&honest) - 0.5).abs() < 1e-9);
        let rows = [honest, liar];
        let page = table(&rows);
        assert!(page.contains("liar") && page.contains("100.0 %"), "{page}");
        let picture = plot(&rows);
        assert_eq!(picture.matches("<polyline").count(), 4, "both in both panels: {picture}");
        assert!(picture.contains("audited answers") && picture.len() < 20_000, "{} bytes", picture.len());
    }

    #[test]
    fn the_curve_rises_at_once_for_distinct_scores_and_evenly_for_equal_ones() {
        let honest: Vec<f64> = (0..100).map(f64::from).collect();
        let apart: Vec<f64> = honest.iter().map(|peak| peak + 1_000.0).collect();
        assert_eq!(curve(&honest, &apart), [(0.0, 1.0), (1.0, 1.0)]);
        assert_eq!(curve(&honest, &honest), [(0.0, 0.0), (1.0, 1.0)]);
        let half: Vec<f64> = honest.iter().map(|peak| if *peak < 50.0 { -1.0 } else { 200.0 }).collect();
        assert_eq!(curve(&honest, &half), [(0.0, 0.5), (0.99, 0.5), (1.0, 1.0)]);
    }
}
