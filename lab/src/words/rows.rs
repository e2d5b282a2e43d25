//! The worlds that are simulated, by how good reviewers are, and the policies that they are put under.

use frlm_client::attack_simulation::words::{Figure, Lie, Policy, Rates, World};
use frlm_conductor::run::claims::rules::RULES;
use frlm_verifier::claims::{Rules, Votes};

use super::report::Target;

/// A world under a policy.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub world: World,
    pub targets: &'static [Target],
    pub reviewers: &'static Reviewers,
    pub policy: &'static NamedPolicy,
}

/// How good reviewers are, in words.
#[derive(Debug)]
pub struct Reviewers {
    pub words: &'static str,
    pub rates: Rates,
}

/// A policy, in words.
#[derive(Debug)]
pub struct NamedPolicy {
    pub words: &'static str,
    pub policy: Policy,
}

const REVIEWERS: [Reviewers; 2] = [
    Reviewers {
        words: "Reviewers of 14B and more, as assumed: they pass 97 % of true and catch 95 % of false claims",
        rates: Rates::OF_14B,
    },
    Reviewers {
        words: "Reviewers as published for 7B: they pass 92 % of true claims, and catch 95 % of easy and 35 % of hard false ones",
        rates: Rates::OF_7B,
    },
];

const POLICIES: [NamedPolicy; 5] = [
    NamedPolicy { words: "as runs do it", policy: Policy::as_runs(Some(RULES)) },
    NamedPolicy {
        words: "the best policy found",
        policy: Policy {
            rules: Some(Rules { most_reviews: 5, ..RULES }),
            newcomers_read: 0.5,
            newcomers_review: 0.3,
            other_families_first: true,
        },
    },
    NamedPolicy {
        words: "more than one reviewer for every claim: the same at P(false) ≤ 0.2 %, by seven reviews at most",
        policy: Policy {
            rules: Some(Rules { accept_at: 0.002, most_reviews: 7, ..RULES }),
            newcomers_read: 0.5,
            newcomers_review: 0.3,
            other_families_first: true,
        },
    },
    NamedPolicy {
        words: "redundancy:3/2, by which two of a claim's reader and reviewers must support it",
        policy: by_votes(3, 2),
    },
    NamedPolicy { words: "redundancy:5/3, by which three of them must", policy: by_votes(5, 3) },
];

const fn by_votes(of: usize, agree: usize) -> Policy {
    Policy::as_runs(Some(Rules { most_reviews: of - 1, votes: Some(Votes { of, agree }), ..RULES }))
}

const NO_LIARS: &[Target] = &[
    Target::at_least(Figure::TrueAccepted, 0.97),
    Target::at_most(Figure::FalseAmongAccepted, 0.005),
    Target::at_least(Figure::FactsFound, 1.0),
    Target::at_most(Figure::Tokens, 1.5),
];
const LIARS: &[Target] =
    &[Target::at_most(Figure::FalseAmongAccepted, 0.01), Target::at_most(Figure::Tokens, 2.0)];
const STAMPS: &[Target] = &[Target::at_most(Figure::ReviewsOfAStamp, 50.0)];
const CLIQUE: &[Target] = &[Target::at_most(Figure::FalseOnTopic, 0.03)];

/// All rows: policy by policy, reviewers by reviewers. Policies that runs do not have are shown where there is something to reach.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, policy) in POLICIES.iter().enumerate() {
        for reviewers in &REVIEWERS {
            let row = |(name, world, targets)| Row { name, world, targets, reviewers, policy };
            let all = worlds(reviewers.rates).into_iter().map(row);
            rows.extend(all.filter(|row| at == 0 || !row.targets.is_empty()));
        }
    }
    rows
}

fn worlds(rates: Rates) -> Vec<(&'static str, World, &'static [Target])> {
    let honest = World::honest(rates);
    let lying = World { liars: 0.3, ..honest };
    let mut worlds = vec![
        ("no liars", honest, NO_LIARS),
        ("30 % liars", lying, LIARS),
        ("30 % liars with hard lies only", World { lies_hard: true, ..lying }, &[]),
        ("a clique of 30 %", World { clique: 0.3, ..honest }, CLIQUE),
        ("10 % rubber stamps", World { stamps: 0.1, ..honest }, STAMPS),
        ("no liars, parts of 2k", World { tokens: 2_000, ..honest }, &[]),
        ("30 % liars, parts of 2k", World { tokens: 2_000, ..lying }, &[]),
        ("no liars, parts of 24k", World { tokens: 24_000, ..honest }, &[]),
        ("30 % liars, parts of 24k", World { tokens: 24_000, ..lying }, &[]),
    ];
    worlds.extend(Lie::ALL.map(|lie| {
        let name = match lie {
            Lie::OnARealQuote => "30 % liars: false claims on real quotes",
            Lie::InventedFigure => "30 % liars: invented figures",
            Lie::Omission => "30 % liars: key facts left out",
            Lie::Copied => "30 % liars: others' answers copied",
            Lie::Obedience => "30 % liars: they obey the document, of which half the parts give orders",
        };
        let injected = if lie == Lie::Obedience { 0.5 } else { honest.injected };
        (name, World { lie: Some(lie), injected, ..lying }, &[] as &[Target])
    }));
    worlds
}

impl Row {
    /// The heading that it stands under.
    pub fn section(&self) -> String {
        format!("{}; {}", self.reviewers.words, self.policy.words)
    }

    /// Its name and that heading.
    pub fn whole_name(&self) -> String {
        format!("{}: {}", self.section(), self.name)
    }

    /// Whether each of these texts stands in its name or heading.
    pub fn is_wanted(&self, only: &[String]) -> bool {
        only.iter().all(|text| self.whole_name().contains(text))
    }
}
