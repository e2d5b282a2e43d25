//! What the cells came to, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use frlm_client::attack_simulation::cell::Tally;
use frlm_client::attack_simulation::measured::{Measured, times_unverified};
use frlm_client::attack_simulation::swarm::Mix;

use crate::band::Band;

/// The worlds of each cell, together.
pub fn groups(all: &[Measured]) -> Vec<Vec<&Measured>> {
    let mut groups: Vec<Vec<&Measured>> = Vec::new();
    for measured in all {
        let same = |group: &&mut Vec<&Measured>| group[0].cell.is_like(&measured.cell);
        match groups.iter_mut().rev().find(same) {
            Some(group) => group.push(measured),
            None => groups.push(vec![measured]),
        }
    }
    groups
}

/// A share and its band over the worlds, in percent.
fn percent(group: &[&Measured]) -> String {
    let Band { median, low, high } =
        Band::over(group.iter().map(|measured| measured.right() * 100.0).collect());
    if group.len() > 1 { format!("{median:.2} % ({low:.2} to {high:.2})") } else { format!("{median:.2} %") }
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
        let groups = groups(all);
        for (policy, error_rate) in rows {
            // Writing into a String cannot fail.
            let _ = write!(text, "| {policy} | {:.0} % |", error_rate * 100.0);
            for share in &shares {
                let found = groups.iter().find(|group| {
                    let cell = &group[0].cell;
                    cell.mix == mix
                        && cell.policy.to_string() == policy
                        && (cell.error_rate - error_rate).abs() < 1e-9
                        && (cell.share - share).abs() < 1e-9
                });
                text += &found.map_or(" |".to_owned(), |group| {
                    let times = group.iter().map(|measured| times_unverified(measured, all)).collect();
                    format!(" {} · {:.2} |", percent(group), Band::over(times).median)
                });
            }
            text += "\n";
        }
    }
    text + &detection(all)
}

/// The excluded providers, under the adaptive policy: the other policies exclude none. Means over the worlds.
fn detection(all: &[Measured]) -> String {
    let mut text = "\nAdaptive: keys of liars put out, lies of a key until then, honest providers out, wrong answers accepted, \
                    right ones rejected, spot checks, gold tasks and wrong answers to them; means over the worlds\n\n\
                    | liars | honest error | share | put out | lies until then | honest out | wrong accepted | right rejected | spot checks | looked at again | gold |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for group in groups(all).iter().filter(|group| group[0].cell.policy.is_adaptive()) {
        let cell = &group[0].cell;
        let mean = |count: fn(&Tally) -> usize| {
            group.iter().map(|measured| count(&measured.tally) as f64).sum::<f64>() / group.len() as f64
        };
        let until: Vec<f64> = group.iter().filter_map(|measured| measured.tally.lies_until_out).collect();
        let lies = if until.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.1}", until.iter().sum::<f64>() / until.len() as f64)
        };
        let _ = writeln!(
            text,
            "| {} | {:.0} % | {:.0} % | {:.1} of {:.1} | {lies} | {:.1} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0}, {:.0} wrong |",
            cell.mix.name(),
            cell.error_rate * 100.0,
            cell.share * 100.0,
            mean(|tally| tally.liars_out),
            mean(|tally| tally.liars),
            mean(|tally| tally.honest_out),
            mean(|tally| tally.false_accepts),
            mean(|tally| tally.false_rejects),
            mean(|tally| tally.spot_checks),
            mean(|tally| tally.rechecks),
            mean(|tally| tally.gold_tasks),
            mean(|tally| tally.gold_failed),
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
    seed: u64,
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
            seed: measured.cell.seed,
            subtasks: measured.cell.subtasks,
            right: measured.right(),
            jobs_per_subtask: measured.cost(),
            times_unverified: times_unverified(measured, all),
            tally: &measured.tally,
        })
        .collect()
}
