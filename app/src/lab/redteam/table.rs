//! What the cells came to, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::cell::{Cell, Tally};
use super::swarm::Mix;

/// A cell with its outcome.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was simulated.
    pub cell: Cell,
    /// What came of it.
    pub tally: Tally,
}

impl Measured {
    /// Share of the subtasks that were accepted and right; against a clique, of those on its topic.
    pub fn right(&self) -> f64 {
        let (right, all) = match self.cell.mix {
            Mix::Independent => (self.tally.right, self.cell.subtasks),
            Mix::Clique => (self.tally.on_topic_right, self.tally.on_topic),
        };
        if all == 0 { 1.0 } else { right as f64 / all as f64 }
    }

    /// Jobs per subtask.
    pub fn cost(&self) -> f64 {
        self.tally.jobs as f64 / self.cell.subtasks.max(1) as f64
    }
}

/// Jobs as a multiple of those without verification in the same world.
pub fn times_unverified(measured: &Measured, all: &[Measured]) -> f64 {
    let same = |other: &&Measured| {
        let (a, b) = (&measured.cell, &other.cell);
        let rates = (a.share - b.share).abs() < 1e-9 && (a.error_rate - b.error_rate).abs() < 1e-9;
        rates && a.mix == b.mix && b.policy == frlm_verifier::VerificationPolicy::None
    };
    let floor = all.iter().find(same).map_or(1.0, Measured::cost);
    measured.cost() / floor
}

/// One Markdown table for each kind of adversaries: policies and error rates down, shares across.
pub fn tables(all: &[Measured]) -> String {
    let mut text = String::new();
    for mix in Mix::ALL {
        let cells: Vec<&Measured> = all.iter().filter(|measured| measured.cell.mix == mix).collect();
        let mut shares: Vec<f64> = cells.iter().map(|measured| measured.cell.share).collect();
        shares.sort_by(f64::total_cmp);
        shares.dedup();
        text += match mix {
            Mix::Independent => {
                "\nEleven kinds of liars, each on its own: subtasks accepted and right · jobs against no verification\n\n"
            }
            Mix::Clique => {
                "\nA clique that tells one lie on one topic of four: subtasks *on that topic* accepted and right · jobs against no verification\n\n"
            }
        };
        text += "| policy | honest error |";
        text.extend(shares.iter().map(|share| format!(" {:.0} % liars |", share * 100.0)));
        text += "\n| --- | --- |";
        text.extend(shares.iter().map(|_| " --- |"));
        text += "\n";
        let mut rows: Vec<(String, f64)> = cells
            .iter()
            .map(|measured| (measured.cell.policy.to_string(), measured.cell.error_rate))
            .collect();
        rows.dedup();
        for (policy, error_rate) in rows {
            // Writing into a String cannot fail.
            let _ = write!(text, "| {policy} | {:.0} % |", error_rate * 100.0);
            for share in &shares {
                let found = cells.iter().find(|measured| {
                    let cell = &measured.cell;
                    cell.policy.to_string() == policy
                        && (cell.error_rate - error_rate).abs() < 1e-9
                        && (cell.share - share).abs() < 1e-9
                });
                text += &found.map_or(" |".to_owned(), |measured| {
                    format!(" {:.2} % · {:.2} |", measured.right() * 100.0, times_unverified(measured, all))
                });
            }
            text += "\n";
        }
    }
    text + &detection(all)
}

/// Who was put out, under the adaptive policy: the other policies put nobody out.
fn detection(all: &[Measured]) -> String {
    let mut text = "\nAdaptive: keys of liars put out, lies of a key until then, honest providers out, wrong answers accepted, \
                    right ones rejected, spot checks\n\n\
                    | liars | honest error | share | put out | lies until then | honest out | wrong accepted | right rejected | spot checks |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for Measured { cell, tally } in all.iter().filter(|measured| measured.cell.policy.is_adaptive()) {
        let lies = tally.lies_until_out.map_or("–".to_owned(), |lies| format!("{lies:.1}"));
        let _ = writeln!(
            text,
            "| {} | {:.0} % | {:.0} % | {} of {} | {lies} | {} | {} | {} | {} |",
            cell.mix.name(),
            cell.error_rate * 100.0,
            cell.share * 100.0,
            tally.liars_out,
            tally.liars,
            tally.honest_out,
            tally.false_accepts,
            tally.false_rejects,
            tally.spot_checks,
        );
    }
    text
}

/// One cell in a file.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    policy: String,
    adversaries: &'static str,
    share: f64,
    honest_error_rate: f64,
    subtasks: usize,
    right: f64,
    jobs_per_subtask: f64,
    times_unverified: f64,
    #[serde(flatten)]
    tally: &'a Tally,
}

/// All cells, in the order in which they were asked for.
pub fn rows(all: &[Measured]) -> Vec<Row<'_>> {
    all.iter()
        .map(|measured| Row {
            policy: measured.cell.policy.to_string(),
            adversaries: measured.cell.mix.name(),
            share: measured.cell.share,
            honest_error_rate: measured.cell.error_rate,
            subtasks: measured.cell.subtasks,
            right: measured.right(),
            jobs_per_subtask: measured.cost(),
            times_unverified: times_unverified(measured, all),
            tally: &measured.tally,
        })
        .collect()
}
