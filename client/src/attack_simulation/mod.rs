//! A SIMULATED swarm of fifty providers in which some lie: every verification policy against shares of liars.
//!
//! Only transport and inference are replaced: replies come from [`world`] and [`adversary`] instead of a wire
//! and a model. Which provider is asked, when an answer counts, and what a reputation learns is the product's code:
//! `frlm_scheduler`, `frlm_verifier::{normalise, consensus, verdict, trust}`.
//!
//! - [`simulate`]: one world, small enough to be simulated while a person waits; of records, or of [`words`]
//! - [`world`]: subtasks, honest models, what the wire shows
//! - [`adversary`]: who lies, and how
//! - [`swarm`]: the providers
//! - [`cell`]: one policy against one share of liars; [`measured`]: what came of it
//! - [`parallel`]: all cells on all cores

pub mod adversary;
pub mod cell;
pub mod measured;
pub mod parallel;
pub mod swarm;
#[cfg(test)]
mod tests;
pub mod words;
pub mod world;

use crate::units::thousands;
use cell::Cell;
use frlm_verifier::{AdaptiveConfig, VerificationPolicy};
use measured::{Measured, times_unverified};
use swarm::{Mix, PROVIDERS};

/// Shares of liars among the providers.
pub const SHARES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
/// The honest models' error rate.
const ERROR_RATE: f64 = 0.01;
/// Subtasks of a cell: enough to tell policies apart, and some seconds on all cores.
const SUBTASKS: usize = 2_000;

/// Claims of a cell of words, for the same reason.
const CLAIMS: usize = 1_500;

/// What the simulated providers answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// One value for each part: answers are compared.
    #[default]
    Records,
    /// Claims: others review them.
    Words,
}

impl Answers {
    /// What a simulation is going to show.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Records => {
                "Fifty providers that are not there, up to half of which lie, against every verification policy: what it accepts that is \
                 right, and what that costs. No wire, no model and no sat is involved; scheduling, comparison and trust are those of \
                 your runs. It takes all cores for some seconds."
            }
            Self::Words => {
                "Forty providers that are not there read contracts, minutes and reports that code has written, and review each other's \
                 claims; up to half of them lie. No wire, no model and no sat is involved; code checks, reviews, gold, records and pay \
                 are those of your runs. It takes all cores for some seconds."
            }
        }
    }

    /// How a policy decides; nothing of one that is not known here.
    pub fn about_policy(self, name: &str) -> &'static str {
        match (self, name.split(':').next().unwrap_or(name)) {
            (Self::Records, "none") => "one answer is asked for and trusted",
            (Self::Words, "none") => {
                "each part is read once, and claims that pass the checks by code are \
                                      accepted"
            }
            (_, "objective") => "an answer of the right form is accepted: here an amount of the right size",
            (_, "validated") => {
                "a trusted provider does the task again: here an honest one, which errs like the others"
            }
            (Self::Records, "redundancy") => "5/3: five providers are asked and three must agree",
            (Self::Words, "redundancy") => {
                "5/3: three of a claim's reader and reviewers, five in all, must support it"
            }
            (Self::Records, "adaptive") => {
                "more providers are asked until an answer is verified by their records"
            }
            (Self::Words, "adaptive") => {
                "more reviews are asked until a claim is verified by the records of reader and reviewers"
            }
            _ => "",
        }
    }
}

/// One policy, by share of liars.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub policy: String,
    /// How it decides.
    pub about: &'static str,
    /// What came out by each measure; not a number where there is nothing to be measured.
    pub values: [Vec<f64>; 2],
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// In words.
    pub name: &'static str,
    /// Where its axis ends.
    pub top: f64,
    /// Whether it is a share, 0..=1, and else a multiple.
    pub is_share: bool,
}

impl Measure {
    /// What is measured, with its unit.
    pub fn in_words(self) -> String {
        let unit = if self.is_share { ", per cent" } else { "" };
        format!("{}{unit}", self.name)
    }

    /// A value by it.
    pub fn shown(self, value: f64) -> String {
        if value.is_nan() {
            "–".to_owned()
        } else if self.is_share {
            format!("{:.1}", value * 100.0)
        } else {
            format!("{value:.2}")
        }
    }
}

/// All policies against one kind of adversaries, by two measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    /// Who they are.
    pub whom: &'static str,
    /// What is measured.
    pub measures: [Measure; 2],
    /// Policy by policy.
    pub lines: Vec<Line>,
}

impl Against {
    /// How the policies decide, each kind of them once.
    pub fn policies_in_words(&self) -> String {
        let mut said: Vec<String> = Vec::new();
        for line in &self.lines {
            let words = format!("{}: {}", line.policy.split(':').next().unwrap_or_default(), line.about);
            if !said.contains(&words) {
                said.push(words);
            }
        }
        format!("{}.", said.join("; "))
    }
}

/// What came of one world.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// What was simulated, and that it was.
    pub about: String,
    /// Shares of liars, 0..=1.
    pub shares: Vec<f64>,
    /// By kind of adversaries.
    pub against: Vec<Against>,
}

/// Simulates a world in which so little happens that a person waits for it, on all cores. Blocks.
pub fn simulate(answers: Answers, seed: u64) -> anyhow::Result<Simulation> {
    match answers {
        Answers::Records => of_records(SUBTASKS, seed),
        Answers::Words => words::by_policy(CLAIMS, seed),
    }
}

/// The dearest policies ask for somewhat over four answers.
const OF_RECORDS: [Measure; 2] = [
    Measure { name: "Accepted and right", top: 1.0, is_share: true },
    Measure { name: "Jobs, relative to no verification", top: 5.0, is_share: false },
];

fn of_records(subtasks: usize, seed: u64) -> anyhow::Result<Simulation> {
    let mut cells = Vec::new();
    for mix in Mix::ALL {
        for policy in policies() {
            let cell =
                |share| Cell { policy: policy.clone(), mix, share, error_rate: ERROR_RATE, subtasks, seed };
            cells.extend(SHARES.map(cell));
        }
    }
    let measured = measure(&cells)?;
    let line = |of_policy: &[Measured]| {
        let policy = of_policy[0].cell.policy.to_string();
        let right = of_policy.iter().map(Measured::right).collect();
        let jobs = of_policy.iter().map(|cell| times_unverified(cell, &measured)).collect();
        Line { about: Answers::Records.about_policy(&policy), policy, values: [right, jobs] }
    };
    let of_mix = measured.chunks(measured.len() / Mix::ALL.len());
    let against = Mix::ALL.into_iter().zip(of_mix).map(|(mix, cells)| Against {
        whom: match mix {
            Mix::Independent => "eleven kinds of liars, each on its own",
            Mix::Clique => "a clique with one lie, on its topic",
        },
        measures: OF_RECORDS,
        lines: cells.chunks(SHARES.len()).map(line).collect(),
    });
    let about = format!(
        "SIMULATED: {PROVIDERS} providers, {} parts for each figure, one world. An honest model errs in {:.0}% of its answers. Nobody \
         has a record at the beginning; cold start, spot checks and jobs that time out are in the cost. The laboratory (frlm-lab \
         redteam) has other error rates, more parts and several worlds.",
        thousands(subtasks as u64),
        ERROR_RATE * 100.0
    );
    Ok(Simulation { about, shares: SHARES.to_vec(), against: against.collect() })
}

/// The policies that are compared.
pub fn policies() -> [VerificationPolicy; 6] {
    // All that a schema can say of these answers: that they are amounts, and of what size.
    let schema = serde_json::json!({"type": "number", "minimum": 1, "maximum": 100_000});
    [
        VerificationPolicy::None,
        VerificationPolicy::Objective { schema },
        VerificationPolicy::Validated { validator: "honest".to_owned() },
        VerificationPolicy::Redundancy { replicas: 3, agree: 2 },
        VerificationPolicy::Redundancy { replicas: 5, agree: 3 },
        VerificationPolicy::Adaptive(AdaptiveConfig::default()),
    ]
}

/// Runs the cells, each on one core, and returns them in order.
pub fn measure(cells: &[Cell]) -> anyhow::Result<Vec<Measured>> {
    parallel::over(cells, |cell| Measured { cell: cell.clone(), tally: cell::run(cell) })
}
