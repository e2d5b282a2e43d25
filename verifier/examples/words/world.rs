//! The simulated world with what the asker knows of it, and how a run goes. The asker decides by the modules of
//! `frlm_verifier::claims` alone and never sees what is true; that is kept beside it for the report.

use std::collections::BTreeMap;

use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::Pool;
use frlm_verifier::claims::{Claim, Confusion, Decision, Review, Rules, Standing};

use super::documents::Part;
use super::people::{FAMILIES, Kind, Provider, Rates, Truth};
use super::report::Tally;

/// What the asker chooses.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub rules: Rules,
    /// How often a newcomer is asked to read, as a multiple of how often somebody with a record is.
    pub newcomers_read: f64,
    /// Share of runs in which a newcomer is among those who may review.
    pub newcomers_review: f64,
    /// Share of parts that are read twice.
    pub read_twice: f64,
    /// Share of accepted claims that one more reviewer sees, so that reviewers are learned about.
    pub audited: f64,
    /// A part is read again if so many of its claims fell, and at least two.
    pub reads_again_at: f64,
}

/// The world that the policy is in.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub rates: Rates,
    pub tokens: usize,
    pub facts: usize,
    /// Shares of providers.
    pub liars: f64,
    pub clique: f64,
    pub stamps: f64,
    /// Whether liars tell only lies that are hard to see.
    pub lies_hard: bool,
}

const PROVIDERS: usize = 40;
/// A fifth of them are new at any time.
const NEW: usize = 8;
/// Parts of one question.
const RUN: usize = 12;
const PARTS: usize = 144;
/// The topic on which the clique lies.
pub const CLIQUES_TOPIC: usize = 0;

/// The world and the asker's knowledge.
pub struct State<'a> {
    pub world: &'a World,
    pub policy: &'a Policy,
    pub draws: Draws,
    pub parts: Vec<Part>,
    pub providers: Vec<Provider>,
    born: usize,
    pub family: [Confusion; 4],
    pub gold: Pool,
    pub gold_truth: BTreeMap<String, (Truth, usize)>,
    pub tally: Tally,
}

/// One claim of a run on its way.
pub struct Open {
    pub claim: Claim,
    pub truth: Truth,
    pub part: usize,
    pub reader: usize,
    /// Other readers that state it.
    pub others: Vec<usize>,
    pub reviews: Vec<(usize, Review)>,
    pub decision: Option<Decision>,
}

impl Open {
    pub fn is_accepted(&self) -> bool {
        matches!(self.decision, Some(Decision::Accepted { .. } | Decision::AcceptedOnRecord { .. }))
    }
}

/// Runs the world until so many claims were stated after the warm-up.
pub fn simulate(world: &World, policy: &Policy, warm_up: usize, claims: usize, seed: u64) -> Tally {
    let mut draws = Draws::new(seed, "world of words");
    let parts = (0..PARTS).map(|_| Part::write(&mut draws, world.tokens, world.facts)).collect();
    let assumed = Confusion::assumed(world.rates.pass, world.rates.catch(), 20.0);
    let mut state = State {
        world,
        policy,
        draws,
        parts,
        providers: Vec::new(),
        born: 0,
        family: [assumed; 4],
        gold: Pool::default(),
        gold_truth: BTreeMap::new(),
        tally: Tally::default(),
    };
    for _ in 0..PROVIDERS {
        state.add_provider();
    }
    while state.tally.stated() < warm_up {
        state.run();
    }
    state.tally.forget_warm_up();
    while state.tally.stated() < claims {
        state.run();
    }
    state.tally
}

impl State<'_> {
    fn add_provider(&mut self) {
        let draw = self.draws.share();
        let World { liars, clique, stamps, .. } = *self.world;
        let kind = if draw < liars {
            Kind::Liar
        } else if draw < liars + clique {
            Kind::Clique
        } else if draw < liars + clique + stamps {
            Kind::Stamp
        } else {
            Kind::Honest
        };
        let family = self.born % FAMILIES.len();
        self.providers.push(Provider::new(format!("provider {}", self.born), family, kind));
        self.born += 1;
    }

    /// Somebody new comes for each excluded provider and for each newcomer that has made a name.
    fn renew(&mut self) {
        let (mut kept, mut excluded) = (Vec::new(), [0, 0]);
        for provider in std::mem::take(&mut self.providers) {
            if provider.record.standing() == Standing::Excluded {
                excluded[usize::from(matches!(provider.kind, Kind::Honest | Kind::Stamp))] += 1;
            } else {
                kept.push(provider);
            }
        }
        self.tally.excluded[0] += excluded[0];
        self.tally.excluded[1] += excluded[1];
        self.providers = kept;
        while self.providers.iter().filter(|provider| provider.is_new()).count() < NEW
            || self.providers.len() < PROVIDERS
        {
            if self.providers.len() >= PROVIDERS {
                let oldest = self.providers.iter().position(|provider| !provider.is_new()).unwrap_or(0);
                self.providers.remove(oldest);
            }
            self.add_provider();
        }
    }

    /// One question over twelve parts.
    fn run(&mut self) {
        self.renew();
        let mut open = Vec::new();
        let mut parts: Vec<usize> = (0..self.parts.len()).collect();
        self.draws.shuffle(&mut parts);
        parts.truncate(RUN);
        for &part in &parts {
            self.tally.one_reading += self.parts[part].reading_tokens;
            self.tally.facts += self.parts[part].facts.len();
            self.read_part(part, &mut open);
        }
        self.review(&mut open);
        self.audit(&mut open);
        let again: Vec<usize> =
            parts.into_iter().filter(|&part| self.should_read_again(part, &open)).collect();
        let mut fresh = Vec::new();
        for part in again {
            self.read_again(part, &open, &mut fresh);
        }
        self.review(&mut fresh);
        open.extend(fresh);
        for claim in &mut open {
            let is_excluded = self.providers[claim.reader].record.standing() == Standing::Excluded;
            // What an excluded reader stated is believed no longer on its record.
            if is_excluded && matches!(claim.decision, Some(Decision::AcceptedOnRecord { .. })) {
                claim.decision = Some(Decision::Rejected { p_false: 1.0 });
            }
        }
        self.settle(&open);
    }
}
