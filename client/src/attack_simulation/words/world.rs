//! The simulated world, and what the asker's home knows of it from one run to the next.
//!
//! What is true is kept beside what is known, for the report alone: no rule sees it.

use std::collections::HashMap;

use frlm_conductor::run::claims::outcome::Person;
use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::{ClaimRecord, ReaderStatus, Rules};

use super::documents::Part;
use super::people::{FAMILIES, Kind, Lie, Provider, Rates};
use super::run;
use super::tally::Tally;

/// What the asker chooses.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// When a claim is accepted; `None`: each that passes the code checks, and nobody is held to anything.
    pub rules: Option<Rules>,
    /// How often a newcomer is asked to read, as a multiple of how often somebody with a record is.
    pub newcomers_read: f64,
    /// Share of runs in which newcomers are among those who review.
    pub newcomers_review: f64,
    /// Whether reviewers of other families than those who have seen a claim come first.
    pub other_families_first: bool,
}

/// What the world is like.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// How good reviewers are.
    pub rates: Rates,
    /// Tokens of a part's prompt.
    pub tokens: usize,
    /// Facts in a part.
    pub facts: usize,
    /// Share of parts with a line that gives orders to its reader.
    pub injected: f64,
    /// Share of providers that lie, each on its own.
    pub liars: f64,
    /// How all of them lie; `None`: in every way.
    pub lie: Option<Lie>,
    /// Share of providers that collude.
    pub clique: f64,
    /// Share of providers that support everything as reviewers.
    pub stamps: f64,
    /// Whether liars tell only lies that are hard to see.
    pub lies_hard: bool,
}

impl Policy {
    /// As runs draw those who read and review.
    pub const fn as_runs(rules: Option<Rules>) -> Self {
        Self { rules, newcomers_read: 1.0, newcomers_review: 1.0, other_families_first: false }
    }
}

impl World {
    /// Eight facts in parts of 8,000 tokens, a tenth of which give orders to their reader; nobody lies.
    pub const fn honest(rates: Rates) -> Self {
        Self {
            rates,
            tokens: 8_000,
            facts: 8,
            injected: 0.1,
            liars: 0.0,
            lie: None,
            clique: 0.0,
            stamps: 0.0,
            lies_hard: false,
        }
    }
}

/// Providers that are here at a time.
pub const PROVIDERS: usize = 40;
/// A fifth of them are new at any time.
const NEW: usize = 8;
const PARTS: usize = 144;
/// The topic on which the clique lies.
pub const CLIQUES_TOPIC: usize = 0;

/// The world, and the home.
pub struct State<'a> {
    pub world: &'a World,
    pub policy: &'a Policy,
    pub draws: Draws,
    pub parts: Vec<Part>,
    pub providers: Vec<Provider>,
    /// What earlier runs knew of readers and reviewers.
    pub home: HashMap<String, ClaimRecord>,
    pub tally: Tally,
    born: usize,
}

/// Runs the world until so many claims were stated after the warm-up.
pub fn simulate(world: &World, policy: &Policy, warm_up: usize, claims: usize, seed: u64) -> Tally {
    let mut draws = Draws::new(seed, "world of words");
    let parts = (0..PARTS).map(|_| Part::write(&mut draws, world)).collect();
    let mut state = State {
        world,
        policy,
        draws,
        parts,
        providers: Vec::new(),
        home: HashMap::new(),
        tally: Tally::default(),
        born: 0,
    };
    for _ in 0..PROVIDERS {
        state.add_provider();
    }
    while state.tally.stated() < warm_up {
        state.run();
    }
    let liars = state.providers.iter().filter(|provider| provider.kind != Kind::Honest).count();
    state.tally.forget_warm_up(liars);
    while state.tally.stated() < claims {
        state.run();
    }
    state.tally
}

impl State<'_> {
    fn run(&mut self) {
        self.renew();
        run::run(self);
    }

    fn add_provider(&mut self) {
        let draw = self.draws.share();
        let World { liars, clique, stamps, .. } = *self.world;
        let kind = if draw < liars / 2.0 {
            Kind::Liar
        } else if draw < liars {
            Kind::Contrary
        } else if draw < liars + clique {
            Kind::Clique
        } else if draw < liars + clique + stamps {
            Kind::Stamp
        } else {
            Kind::Honest
        };
        let family = self.born % FAMILIES.len();
        let id = format!("provider {}", self.born).into();
        let person = Person { id, family: FAMILIES[family].to_owned() };
        self.providers.push(Provider { person, family, kind, reviewed: 0, is_found: false });
        self.tally.liars[0] += usize::from(kind != Kind::Honest);
        self.born += 1;
    }

    /// Somebody new comes for each provider that is asked no more, and for each newcomer that has made a name.
    fn renew(&mut self) {
        let home = &self.home;
        let is_gone = |provider: &Provider| {
            home.get(&*provider.person.id)
                .is_some_and(|record| record.reads_falsely() || record.reviews_blindly())
        };
        self.providers.retain(|provider| !is_gone(provider));
        while self.newcomers() < NEW || self.providers.len() < PROVIDERS {
            if self.providers.len() >= PROVIDERS {
                let oldest = (0..self.providers.len()).find(|&at| !self.is_new(at)).unwrap_or_default();
                let gone = self.providers.remove(oldest);
                self.home.remove(&*gone.person.id);
            }
            self.add_provider();
        }
    }

    /// Providers without a record.
    pub fn newcomers(&self) -> usize {
        (0..self.providers.len()).filter(|&at| self.is_new(at)).count()
    }

    /// Whether a provider has no record as a reader.
    pub fn is_new(&self, at: usize) -> bool {
        let record = self.home.get(&*self.providers[at].person.id);
        record.is_none_or(|record| record.reader().status() != ReaderStatus::Cleared)
    }
}
