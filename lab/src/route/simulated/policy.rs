//! Ways of routing that are compared: two that learn, three that need not, and two references.

use std::collections::BTreeSet;

use frlm_conductor::route::Terms;
use frlm_learning::routing::space::Space;
use frlm_learning::routing::{
    Accounted, Availability, Decision, LoadSettings, Mode, RoleId, Router, TaskType, VenueId, adjusted,
};
use frlm_learning::routing::{Learner, RewardSettings};
use frlm_scheduler::ProviderIndex;
use rand::Rng as _;
use rand::rngs::SmallRng;

use super::super::constraints::{Needs, Offer, RoleSet};
use super::super::providers::Providers;
use super::world::{Provider, ROLE_NAMES, SLOTS, TYPE_NAMES, VENUE_NAMES, World};

/// A way of routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// The source document's learner and reward, and the product's choice of a provider.
    QTable,
    /// Its rival for the same reward, and the product's choice of a provider.
    Linear,
    /// The source document's learner for the reward that weighs cost more.
    ThriftyQTable,
    /// Its rival for the reward that weighs cost more.
    ThriftyLinear,
    /// The one that has least to do, whatever its role.
    LeastLoaded,
    /// One after the other.
    RoundRobin,
    /// Anybody.
    Random,
    /// The product's choice of a provider at any role and venue with room: what it does without learning.
    ChoiceAlone,
    /// Least loaded among the role that suits best: knows beforehand what the learners must find out.
    Matched,
}

impl Policy {
    /// All, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::QTable,
        Self::Linear,
        Self::ThriftyQTable,
        Self::ThriftyLinear,
        Self::LeastLoaded,
        Self::RoundRobin,
        Self::Random,
        Self::ChoiceAlone,
        Self::Matched,
    ];

    /// For tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::QTable => "q-table",
            Self::Linear => "linucb",
            Self::ThriftyQTable => "q-table, thrifty",
            Self::ThriftyLinear => "linucb, thrifty",
            Self::LeastLoaded => "least-loaded",
            Self::RoundRobin => "round robin",
            Self::Random => "random",
            Self::ChoiceAlone => "reference: choice without learning",
            Self::Matched => "reference: told the best role, least-loaded",
        }
    }
}

/// What a job of the simulation is routed by.
#[derive(Debug, Clone)]
pub struct Sent {
    /// To whom.
    pub provider: usize,
    learned: Option<(Decision, Accounted)>,
}

/// The cost that counts as full: what the dearest endpoint asks.
const FULL_COST_MSATS: u64 = 12_000;
/// Learners try things out in the first of so many parts of a run.
const TRAINING_PART: usize = 10;

/// A way of routing at work.
pub struct Dispatcher {
    policy: Policy,
    room: Room,
    router: Router,
    /// Per venue, by the provider's place in the world.
    venues: Vec<Providers>,
    /// Per action: providers with room.
    open: Vec<usize>,
    reward: RewardSettings,
    /// Sum and count of judged qualities.
    judged: Vec<(f64, u32)>,
    seen: usize,
    training: usize,
    lot: SmallRng,
}

impl Dispatcher {
    /// For a world; `tasks` will come. Draws come from `lot`.
    pub fn new(policy: Policy, world: &World, lot: SmallRng) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let space = Space::new(names(&TYPE_NAMES), names(&ROLE_NAMES), names(&VENUE_NAMES))
            .expect("the names above are distinct");
        let learner = match policy {
            Policy::Linear | Policy::ThriftyLinear => Learner::linear(&space),
            _ => Learner::q_table(&space),
        };
        let weights = match policy {
            Policy::ThriftyQTable | Policy::ThriftyLinear => RewardSettings::thrifty(),
            _ => RewardSettings::default(),
        };
        let reward = RewardSettings { full_cost_msats: FULL_COST_MSATS, ..weights };
        let mut dispatcher = Self {
            policy,
            room: Room::new(policy, &world.providers),
            open: vec![0; space.actions()],
            router: Router::new(space, learner, LoadSettings::default()),
            venues: VENUE_NAMES.iter().map(|_| Providers::new(reward)).collect(),
            reward,
            judged: vec![(0.0, 0); world.providers.len()],
            seen: 0,
            training: world.tasks.len() / TRAINING_PART,
            lot,
        };
        for at in 0..world.providers.len() {
            dispatcher.came(at, &world.providers[at]);
        }
        dispatcher
    }

    /// A provider came or came back.
    pub fn came(&mut self, at: usize, provider: &Provider) {
        let offer = Offer {
            roles: RoleSet::of([role(provider)]),
            skills: 0,
            context_tokens: u32::MAX,
            // A job stands for 1,000 tokens.
            terms: Terms { price_msats_per_1k: provider.price_msats, slots: SLOTS },
            is_own_machine: false,
        };
        self.venues[provider.venue].upsert(index(at), offer);
        self.change_room(at, provider, |room| room.came(at));
    }

    /// A provider went away.
    pub fn went(&mut self, at: usize, provider: &Provider) {
        self.venues[provider.venue].remove(index(at));
        self.change_room(at, provider, |room| room.went(at));
    }

    /// Whether anybody has room.
    pub fn has_room(&self) -> bool {
        !self.room.is_empty()
    }

    /// Sends a task to somebody with room.
    pub fn send(&mut self, task_type: usize, world: &World) -> Option<Sent> {
        self.seen += 1;
        let sent = match self.policy {
            Policy::QTable | Policy::Linear | Policy::ThriftyQTable | Policy::ThriftyLinear => {
                self.learned(task_type)?
            }
            Policy::LeastLoaded => unlearned(self.room.least_loaded(None)?),
            Policy::Matched => {
                let matched = self.room.least_loaded(Some(task_type));
                unlearned(matched.or_else(|| self.room.least_loaded(None))?)
            }
            Policy::RoundRobin => unlearned(self.room.next()?),
            Policy::Random => unlearned(self.room.any(&mut self.lot)?),
            Policy::ChoiceAlone => {
                // Actions by how many providers have room there, so that none is favoured.
                let like = &world.providers[self.room.any(&mut self.lot)?];
                unlearned(self.chosen(role(like), venue(like))?)
            }
        };
        let provider = &world.providers[sent.provider];
        self.venues[provider.venue].sent(index(sent.provider));
        self.change_room(sent.provider, provider, |room| room.took(sent.provider));
        Some(sent)
    }

    /// A job came back: with the judged quality and its cost, or without an answer.
    pub fn done(&mut self, sent: &Sent, world: &World, outcome: Option<(f64, u64)>, latency_secs: f64) {
        let provider = &world.providers[sent.provider];
        let venue = &mut self.venues[provider.venue];
        let at = index(sent.provider);
        match outcome {
            Some((quality, _)) => {
                venue.answered(at, latency_secs);
                let (sum, count) = &mut self.judged[sent.provider];
                *sum += quality;
                *count += 1;
                // One imagined answer of middling quality, so that the first one does not decide all.
                venue.set_fidelity(at, (*sum + 0.5) / f64::from(*count + 1));
            }
            None => venue.failed(at),
        }
        self.change_room(sent.provider, provider, |room| room.gave_back(sent.provider));
        if let Some((decision, accounted)) = &sent.learned {
            let raw = outcome.map_or(0.0, |(quality, cost)| self.reward.raw(quality, cost, latency_secs));
            let reward = adjusted(raw, accounted.penalty);
            let types = u16::try_from(TYPE_NAMES.len()).unwrap_or(u16::MAX);
            let next = self.trains().then(|| TaskType(self.lot.random_range(0..types)));
            self.router.learn(decision, *accounted, reward, next);
            if self.trains() {
                self.router.end_iteration();
            }
        }
    }

    fn trains(&self) -> bool {
        self.seen <= self.training
    }

    fn learned(&mut self, task_type: usize) -> Option<Sent> {
        let task_type = TaskType(u16::try_from(task_type).ok()?);
        let space = self.router.space();
        let mut available = Availability::all(space);
        for action in space.action_ids() {
            if self.open[action.0 as usize] == 0 {
                let (role, venue) = space.parts(action);
                available.close(space, role, venue);
            }
        }
        let mode = if self.trains() { Mode::Explore } else { Mode::Greedy };
        let decision = self.router.decide(task_type, &available, None, mode, &mut self.lot).ok()?;
        let provider = self.chosen(decision.role, decision.venue)?;
        let accounted = self.router.account(decision.role);
        Some(Sent { provider, learned: Some((decision, accounted)) })
    }

    fn chosen(&mut self, role: RoleId, venue: VenueId) -> Option<usize> {
        let needs =
            Needs { role: Some(role), skills: 0, tokens: 1_000, most_msats: u64::MAX, private: false };
        let venue = self.venues.get(usize::from(venue.0))?;
        venue.pick(&needs, |_| true, &mut self.lot).ok().map(|picked| picked.0 as usize)
    }

    /// Changes who has room, and keeps count per action.
    fn change_room(&mut self, at: usize, provider: &Provider, change: impl FnOnce(&mut Room)) {
        let action = self.router.space().action(role(provider), venue(provider)).0 as usize;
        let before = self.room.is_free(at);
        change(&mut self.room);
        match (before, self.room.is_free(at)) {
            (false, true) => self.open[action] += 1,
            (true, false) => self.open[action] -= 1,
            _ => {}
        }
    }
}

fn unlearned(provider: usize) -> Sent {
    Sent { provider, learned: None }
}

fn role(provider: &Provider) -> RoleId {
    RoleId(u16::try_from(provider.role).unwrap_or(u16::MAX))
}

fn venue(provider: &Provider) -> VenueId {
    VenueId(u16::try_from(provider.venue).unwrap_or(u16::MAX))
}

fn index(at: usize) -> ProviderIndex {
    ProviderIndex(u32::try_from(at).unwrap_or(u32::MAX))
}

/// Who has room, in the orders that the simple ways of routing need.
struct Room {
    /// Jobs held; `None`: away.
    held: Vec<Option<u32>>,
    /// Those with room, in no order, and where each stands there.
    free: Vec<usize>,
    place: Vec<Option<usize>>,
    /// (jobs, when it last changed, who), per role and for all; kept only where it is asked for.
    by_load: Option<Vec<BTreeSet<(u32, u64, usize)>>>,
    changed: Vec<u64>,
    changes: u64,
    cursor: usize,
    roles: Vec<usize>,
}

impl Room {
    fn new(policy: Policy, providers: &[Provider]) -> Self {
        let count = providers.len();
        let ordered = matches!(policy, Policy::LeastLoaded | Policy::Matched);
        Self {
            held: vec![None; count],
            free: Vec::new(),
            place: vec![None; count],
            by_load: ordered.then(|| vec![BTreeSet::new(); ROLE_NAMES.len()]),
            changed: vec![0; count],
            changes: 0,
            cursor: 0,
            roles: providers.iter().map(|provider| provider.role).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    fn is_free(&self, at: usize) -> bool {
        self.place[at].is_some()
    }

    fn came(&mut self, at: usize) {
        self.change(at, |_| Some(0));
    }

    fn went(&mut self, at: usize) {
        self.change(at, |_| None);
    }

    fn took(&mut self, at: usize) {
        self.change(at, |held| held.map(|held| held + 1));
    }

    fn gave_back(&mut self, at: usize) {
        self.change(at, |held| held.map(|held| held.saturating_sub(1)));
    }

    fn change(&mut self, at: usize, change: impl FnOnce(Option<u32>) -> Option<u32>) {
        if let (Some(sets), Some(held)) = (&mut self.by_load, self.held[at]) {
            sets[self.roles[at]].remove(&(held, self.changed[at], at));
        }
        self.changes += 1;
        self.changed[at] = self.changes;
        self.held[at] = change(self.held[at]);
        let has_room = self.held[at].is_some_and(|held| held < SLOTS);
        if let (Some(sets), Some(held), true) = (&mut self.by_load, self.held[at], has_room) {
            sets[self.roles[at]].insert((held, self.changes, at));
        }
        match (self.place[at], has_room) {
            (None, true) => {
                self.place[at] = Some(self.free.len());
                self.free.push(at);
            }
            (Some(place), false) => {
                self.free.swap_remove(place);
                self.place[at] = None;
                if let Some(moved) = self.free.get(place) {
                    self.place[*moved] = Some(place);
                }
            }
            _ => {}
        }
    }

    fn any(&self, lot: &mut SmallRng) -> Option<usize> {
        (!self.free.is_empty()).then(|| self.free[lot.random_range(0..self.free.len())])
    }

    /// The next one with room, round and round.
    fn next(&mut self) -> Option<usize> {
        let count = self.held.len();
        let found = (0..count).map(|step| (self.cursor + step) % count).find(|at| self.is_free(*at))?;
        self.cursor = (found + 1) % count;
        Some(found)
    }

    /// The one that has least to do, of these the one that has waited longest; of a role or of all.
    fn least_loaded(&self, role: Option<usize>) -> Option<usize> {
        let sets = self.by_load.as_ref()?;
        let firsts = sets.iter().enumerate().filter(|(at, _)| role.is_none_or(|role| role == *at));
        firsts.filter_map(|(_, set)| set.first()).min().map(|(_, _, at)| *at)
    }
}
