//! A simulated world of claims: readers, liars, reviewers that err, collude or rubber-stamp, under the policy of
//! `frlm_verifier::claims`.
//!
//! `cargo run --release -p frlm-verifier --example words -- [--seeds N] [--claims N] [--quick] [--reviewers 14B] [--rows 'liars,2k']`
//!
//! Everything here is simulated, and says so: documents are written by code from facts that it knows, readers and reviewers
//! are random draws at assumed rates, not models. What is real are the code checks, merging, posteriors, records and gold, and
//! the prompts whose length is counted.

mod contracts;
mod documents;
mod incidents;
mod learn;
mod minutes;
mod people;
mod reading;
mod report;
mod reviewing;
mod templates;
mod world;

use frlm_verifier::claims::Rules;
use people::Rates;
use report::{Column, Target};
use world::{Policy, World, simulate};

const LARGE: Rates = Rates { pass: 0.97, catch_easy: 0.95, catch_hard: 0.95 };
const SMALL: Rates = Rates { pass: 0.92, catch_easy: 0.95, catch_hard: 0.35 };

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|number| number.parse().ok()).unwrap_or(usual)
    };
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let (seeds, claims) = (
        number("--seeds", if quick { 3 } else { 10 }),
        number("--claims", if quick { 3_000 } else { 10_000 }),
    );
    let warm_up = claims / 5;

    println!(
        "SIMULATED: documents written by code, readers and reviewers drawn at assumed rates. No model was asked."
    );
    println!(
        "{claims} claims after {warm_up} of warm-up, median of {seeds} seeds; tokens of the product's own prompts and of answers,"
    );
    println!(
        "counted as the product counts them, as a multiple of one honest reading of every part without any check.\n"
    );
    let text = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let (reviewers, rows) = (text("--reviewers"), text("--rows"));
    for (name, rates) in [
        ("Reviewers of 14B and more, as assumed: pass 97 % of true, catch 95 % of false claims", LARGE),
        (
            "Reviewers as published for 7B: pass 92 % of true, catch 95 % of easy and 35 % of hard false claims",
            SMALL,
        ),
    ] {
        if reviewers.is_some_and(|wanted| !name.contains(wanted)) {
            continue;
        }
        println!("{name}\n{}", report::head());
        for (row, world, targets) in worlds(rates) {
            if rows.is_some_and(|rows| !rows.split(',').any(|wanted| row.contains(wanted))) {
                continue;
            }
            let policy = policy();
            let tallies = run(&world, &policy, warm_up, claims, seeds);
            println!("{}{}", report::row(row, &tallies), report::against(targets, &tallies));
            println!("{}", report::more(&tallies));
        }
        println!();
    }
}

/// The rows, each with the targets of the project where it has any.
fn worlds(rates: Rates) -> Vec<(&'static str, World, &'static [Target])> {
    const NO_LIARS: &[Target] = &[
        Target::at_least(Column::TrueKept, 97.0),
        Target::at_most(Column::FalseAccepted, 0.5),
        Target::at_least(Column::FactsFound, 1.0),
        Target::at_most(Column::Tokens, 1.5),
    ];
    const LIARS: &[Target] =
        &[Target::at_most(Column::FalseAccepted, 1.0), Target::at_most(Column::Tokens, 2.0)];
    const CLIQUE: &[Target] = &[Target::at_most(Column::FalseOnTopic, 3.0)];
    let usual =
        World { rates, tokens: 8_000, facts: 8, liars: 0.0, clique: 0.0, stamps: 0.0, lies_hard: false };
    vec![
        ("no liars, 8k tokens a part", usual, NO_LIARS),
        ("30 % liars", World { liars: 0.3, ..usual }, LIARS),
        ("30 % liars, hard lies only", World { liars: 0.3, lies_hard: true, ..usual }, &[]),
        ("a clique of 30 %", World { clique: 0.3, ..usual }, CLIQUE),
        ("10 % rubber stamps", World { stamps: 0.1, ..usual }, &[]),
        ("no liars, 2k", World { tokens: 2_000, ..usual }, &[]),
        ("30 % liars, 2k", World { tokens: 2_000, liars: 0.3, ..usual }, &[]),
        ("no liars, 24k", World { tokens: 24_000, ..usual }, &[]),
        ("30 % liars, 24k", World { tokens: 24_000, liars: 0.3, ..usual }, &[]),
        ("no liars, 8k, three times the facts", World { facts: 24, ..usual }, &[]),
        ("30 % liars, 8k, three times the facts", World { facts: 24, liars: 0.3, ..usual }, &[]),
    ]
}

/// The policy, the same in every world: it does not know which one it is in.
fn policy() -> Policy {
    Policy {
        rules: Rules { accept_at: 0.005, most_reviews: 7, trusts_records: false },
        newcomers_read: 0.5,
        newcomers_review: 0.3,
        read_twice: 0.08,
        audited: 0.05,
        reads_again_at: 0.3,
    }
}

/// All seeds, on two threads.
fn run(world: &World, policy: &Policy, warm_up: usize, claims: usize, seeds: usize) -> Vec<report::Tally> {
    let of = |from: usize| -> Vec<report::Tally> {
        (from..seeds)
            .step_by(2)
            .map(|seed| simulate(world, policy, warm_up, claims, seed as u64 + 1))
            .collect()
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| of(1));
        let mut tallies = of(0);
        tallies.extend(other.join().unwrap_or_default());
        tallies
    })
}
