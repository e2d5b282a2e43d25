//! A **simulated** world of claims in words, under the rules of runs (docs/claims.md).
//!
//! Simulated: documents are written by code from facts that it knows, readers and reviewers are random draws at assumed rates, not
//! models. The product's own: code checks, merging, the book of claims with its reviews, gold, records, disputes and pay
//! (`frlm_conductor::run::claims`), and the prompts whose tokens are counted.
//!
//! - [`by_policy`]: one small world under every policy; [`simulate`]: one world under one
//! - `templates`, `contracts`, `minutes`, `incidents`: what documents are made of
//! - `documents`: parts with the facts that they state
//! - `people`: readers, liars, reviewers that err, collude or look at nothing
//! - `world`: who is there, and what the asker's home knows of them
//! - `run`: one question, by the product's book
//! - `tally`: what came of it

mod contracts;
mod documents;
mod incidents;
mod minutes;
mod people;
mod run;
mod tally;
mod templates;
#[cfg(test)]
mod tests;
mod world;

use frlm_conductor::run::claims::rules::rules;
use frlm_verifier::VerificationPolicy;
use frlm_verifier::request::VerificationLevel;

use super::{Against, Answers, Line, Measure, SHARES, Simulation, parallel};
use crate::units::thousands;

pub use people::{Lie, Rates};
pub use tally::{Figure, Paid, SOON, Tally};
pub use world::{Policy, World, simulate};

/// Tokens of a part: short ones cost more to check, and are simulated in less time.
const TOKENS: usize = 2_000;

/// What is drawn side by side of each policy, and under which words.
const SHOWN: [(&str, [(Measure, Figure); 2]); 2] = [
    (
        "liars: true claims that are accepted, and the cost",
        [
            (Measure { name: "True claims accepted", top: 1.0, is_share: true }, Figure::TrueAccepted),
            (Measure { name: "Tokens, relative to one reading", top: 5.0, is_share: false }, Figure::Tokens),
        ],
    ),
    (
        "liars: false claims that are accepted, and liars that are found",
        [
            (Measure { name: "False among accepted", top: 0.25, is_share: true }, Figure::FalseAmongAccepted),
            (Measure { name: "Liars found", top: 1.0, is_share: true }, Figure::LiarsFound),
        ],
    ),
];

/// The policies that decide claim by claim, and the one without reviews.
fn policies() -> [VerificationPolicy; 4] {
    [
        VerificationPolicy::None,
        VerificationPolicy::TWO_OF_THREE,
        VerificationPolicy::Redundancy { replicas: 5, agree: 3 },
        VerificationPolicy::DEFAULT,
    ]
}

/// Simulates a small world under every policy and share of liars, on all cores. Blocks.
pub fn by_policy(claims: usize, seed: u64) -> anyhow::Result<Simulation> {
    let policies = policies();
    let of_policy =
        |policy| SHARES.map(|share| (Policy::as_runs(rules(policy, VerificationLevel::Standard)), share));
    let cells: Vec<(Policy, f64)> = policies.iter().flat_map(of_policy).collect();
    let warm_up = claims / 5;
    let tallies = parallel::over(&cells, |(policy, liars)| {
        let world = World { tokens: TOKENS, liars: *liars, ..World::honest(Rates::OF_14B) };
        simulate(&world, policy, warm_up, claims, seed)
    })?;
    let line = |figures: [Figure; 2], policy: &VerificationPolicy, tallies: &[Tally]| {
        let policy = policy.to_string();
        let about = Answers::Words.about_policy(&policy);
        let values = figures.map(|figure| tallies.iter().map(|tally| tally.figure(figure)).collect());
        Line { policy, about, values }
    };
    let against = SHOWN.map(|(whom, shown)| {
        let of = policies.iter().zip(tallies.chunks(SHARES.len()));
        let lines = of.map(|(policy, tallies)| line(shown.map(|(_, figure)| figure), policy, tallies));
        Against { whom, measures: shown.map(|(measure, _)| measure), lines: lines.collect() }
    });
    let about = format!(
        "SIMULATED: {} providers of four model families, a fifth of them new, {} claims for each figure after {} of warm-up, one \
         world. Readers leave out a quarter of the facts and get 2% of their claims wrong; liars lie in half of theirs. Reviewers \
         pass 97% of true claims and catch 95% of false ones. The laboratory (frlm-lab words) has weaker reviewers, a clique, rubber \
         stamps, longer parts and several worlds.",
        world::PROVIDERS,
        thousands(claims as u64),
        thousands(warm_up as u64)
    );
    Ok(Simulation { about, shares: SHARES.to_vec(), against: against.into() })
}
