//! What production mode knows and has done: learner and load, totals per venue, the latest requests.
//!
//! Everything is kept under names, not positions, so that an account outlives a change of venues or roles.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::routing::coordinator::{Coordinator as _, Learner, Situation};
use crate::routing::judge::Judgement;
use crate::routing::load::{LoadSettings, LoadState};
use crate::routing::reward::{RewardSettings, adjusted};
use crate::routing::router::{Accounted, Decision, Router};
use crate::routing::space::{Space, SpaceError};

/// One served request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Who asked: a caller of a service, or a run's id.
    pub caller: String,
    /// When it was decided, in seconds since whatever moment the owner counts from; runs take 1970.
    pub at_secs: f64,
    /// What sort of task it was.
    pub task_type: String,
    /// The load state at the moment of decision: `balanced`, `coder_hot`.
    pub load_state: String,
    /// Who did it.
    pub role: String,
    /// Where.
    pub venue: String,
    /// Chosen to learn something.
    pub explored: bool,
    /// What the learner thought it was worth.
    pub value: f64,
    /// What it was worth.
    pub judgement: Judgement,
    /// What it cost.
    pub cost_msats: u64,
    /// From decision to outcome.
    pub latency_secs: f64,
    /// Whether there was an answer.
    pub answered: bool,
    /// Reward before the load penalty.
    pub raw: f64,
    /// The load penalty at the moment of decision.
    pub penalty: f64,
    /// What was learned from, if anything was.
    pub adjusted: f64,
    /// Share of the window per role, in the order of the roles, when it was over.
    pub utilization: Vec<f64>,
    /// σ/μ of these shares.
    pub imbalance: f64,
}

/// A request with the decision behind it, so that another account can learn from it too.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    pub(super) decision: Decision,
    pub(super) accounted: Accounted,
    pub(super) entry: Entry,
}

/// How one venue does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VenueHealth {
    /// Its name.
    pub name: String,
    /// Requests with an answer.
    pub answered: u64,
    /// Requests without one.
    pub failed: u64,
    /// Failed over both, 0..=1.
    pub error_rate: f64,
    /// Mean quality of all requests, 0..=1; one without an answer counts 0.
    pub mean_quality: f64,
    /// Mean time to an answer.
    pub mean_latency_secs: f64,
    /// What it has cost.
    pub cost_msats: u64,
}

/// How things stand (section 2.6: `health()`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Health {
    /// Which learner routes.
    pub learner: &'static str,
    /// `balanced` or `coder_hot`.
    pub load_state: String,
    /// Share of the window per role.
    pub utilization: Vec<(String, f64)>,
    /// σ/μ of these shares.
    pub imbalance: f64,
    /// ε of the decisions made here; 0 where nothing is tried.
    pub epsilon: f64,
    /// Whether outcomes change what is known.
    pub online_learning: bool,
    /// Whether live requests try what is not known to be best.
    pub explore: bool,
    /// Requests with an answer.
    pub answered: u64,
    /// Requests without one.
    pub failed: u64,
    /// Requests beyond a caller's limit.
    pub refused: u64,
    /// Requests for which nobody could be asked.
    pub unroutable: u64,
    /// Failed over answered and failed, 0..=1.
    pub error_rate: f64,
    /// Venue by venue.
    pub venues: Vec<VenueHealth>,
    /// Answers that no judge and no check spoke about: 0.5 counted.
    pub unjudged: u64,
    /// Decisions that a person's rating of the run's answer speaks for, unchecked as their answers were.
    pub rated: u64,
    /// All of it together.
    pub cost_msats: u64,
    /// Assignments per role since the beginning.
    pub lifetime: Vec<(String, u64)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    answered: u64,
    failed: u64,
    cost_msats: u64,
    /// Sums over the requests.
    quality: f64,
    latency_secs: f64,
}

impl Tally {
    fn error_rate(self) -> f64 {
        self.failed as f64 / (self.answered + self.failed).max(1) as f64
    }
}

/// Learner, load, totals and log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub(super) router: Router,
    venues: BTreeMap<String, Tally>,
    pub(super) refused: u64,
    pub(super) unroutable: u64,
    unjudged: u64,
    #[serde(default)]
    rated: u64,
    log: VecDeque<Entry>,
}

impl Account {
    /// An account of nothing yet, for a router.
    pub fn new(router: Router) -> Self {
        Self {
            router,
            venues: BTreeMap::new(),
            refused: 0,
            unroutable: 0,
            unjudged: 0,
            rated: 0,
            log: VecDeque::new(),
        }
    }

    /// An account of nothing yet, with the default learner.
    pub fn fresh(space: Space) -> Self {
        let learner = Learner::default_for(&space);
        Self::new(Router::new(space, learner, LoadSettings::default()))
    }

    /// The account with these names beside its own; what it knows is kept.
    pub fn joined(mut self, with: &Space) -> Result<Self, SpaceError> {
        self.router = self.router.joined(with)?;
        Ok(self)
    }

    /// What is known now.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// The latest requests, oldest first.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.log.iter()
    }

    /// Whether a file's parts fit each other.
    pub fn is_sound(&self) -> bool {
        self.router.is_sound()
    }

    /// Counts a request that was assigned by this account, and learns from it.
    pub(super) fn take_in(&mut self, served: &Served, learn: bool, most_entries: usize) {
        let Served { decision, accounted, entry } = served;
        if learn {
            self.router.learn(decision, *accounted, entry.adjusted, None);
        }
        let tally = self.venues.entry(entry.venue.clone()).or_default();
        *(if entry.answered { &mut tally.answered } else { &mut tally.failed }) += 1;
        tally.cost_msats = tally.cost_msats.saturating_add(entry.cost_msats);
        tally.quality += entry.judgement.quality;
        tally.latency_secs += if entry.answered { entry.latency_secs } else { 0.0 };
        self.unjudged += u64::from(entry.answered && entry.judgement.is_default());
        self.log.push_back(entry.clone());
        while self.log.len() > most_entries {
            self.log.pop_front();
        }
    }

    /// Counts a request that another account assigned, in the names of `from`, and learns from it.
    pub(super) fn replay(&mut self, served: &Served, from: &Space, learn: bool, most_entries: usize) {
        let Some(decision) = served.decision.translated(from, self.router.space()) else { return };
        // Its penalty was read where it was decided; here the assignment is only recorded.
        let next_load = self.router.account(decision.role).next_load;
        let accounted = Accounted { penalty: served.accounted.penalty, next_load };
        let mut entry = served.entry.clone();
        entry.utilization = self.router.tracker().utilization();
        entry.imbalance = self.router.tracker().imbalance();
        self.take_in(&Served { decision, accounted, entry }, learn, most_entries);
    }

    /// Has a person's rating of a run's answer, 0..=1, stand for the decisions of that run whose answers nobody
    /// checked, and learns from it, once; how many there were. Decisions that have left the log are past that.
    pub(super) fn rate(&mut self, run: &str, share: f64, reward: &RewardSettings, learn: bool) -> u64 {
        let mut decisions = 0;
        let mut log = std::mem::take(&mut self.log);
        for entry in &mut log {
            if entry.caller != run || !entry.answered || !entry.judgement.yields_to_rating() {
                continue;
            }
            decisions += 1;
            let before = std::mem::replace(&mut entry.judgement, Judgement::rated(share));
            self.unjudged -= u64::from(before.is_default()).min(self.unjudged);
            if let Some(tally) = self.venues.get_mut(&entry.venue) {
                tally.quality += entry.judgement.quality - before.quality;
            }
            entry.raw = reward.raw(entry.judgement.quality, entry.cost_msats, entry.latency_secs);
            entry.adjusted = adjusted(entry.raw, entry.penalty);
            if learn {
                self.learn_again(entry);
            }
        }
        self.log = log;
        self.rated += decisions;
        decisions
    }

    /// Learns from a logged decision as it stands now, in the situation in which it was made. Of the penalties of
    /// that moment the log holds the one that counts, its own role's.
    fn learn_again(&mut self, entry: &Entry) {
        let space = self.router.space();
        let (Some(task_type), Some(load)) =
            (space.task_type(&entry.task_type), space.load_state(&entry.load_state))
        else {
            return;
        };
        let (Some(role), Some(venue)) = (space.role(&entry.role), space.venue(&entry.venue)) else { return };
        let penalties =
            space.role_ids().map(|other| if other == role { entry.penalty } else { 0.0 }).collect();
        let decision = Decision {
            situation: Situation { task_type, load, penalties },
            action: space.action(role, venue),
            role,
            venue,
            explored: entry.explored,
            value: entry.value,
        };
        let accounted = Accounted { penalty: entry.penalty, next_load: self.router.tracker().load_state() };
        self.router.learn(&decision, accounted, entry.adjusted, None);
    }

    /// How things stand.
    pub fn health(&self, online_learning: bool, explore: bool) -> Health {
        let (space, tracker) = (self.router.space(), self.router.tracker());
        let all = self.venues.values().fold(Tally::default(), |sum, venue| Tally {
            answered: sum.answered + venue.answered,
            failed: sum.failed + venue.failed,
            cost_msats: sum.cost_msats.saturating_add(venue.cost_msats),
            ..sum
        });
        let of_roles = |values: Vec<f64>| space.roles().iter().cloned().zip(values).collect();
        Health {
            learner: self.router.learner().name(),
            load_state: space.load_name(tracker.load_state()),
            utilization: of_roles(tracker.utilization()),
            imbalance: tracker.imbalance(),
            epsilon: if explore { self.router.learner().exploration() } else { 0.0 },
            online_learning,
            explore,
            answered: all.answered,
            failed: all.failed,
            refused: self.refused,
            unroutable: self.unroutable,
            error_rate: all.error_rate(),
            venues: space.venues().iter().map(|name| self.venue(name)).collect(),
            unjudged: self.unjudged,
            rated: self.rated,
            cost_msats: all.cost_msats,
            lifetime: space.roles().iter().cloned().zip(tracker.lifetime().iter().copied()).collect(),
        }
    }

    fn venue(&self, name: &str) -> VenueHealth {
        let tally = self.venues.get(name).copied().unwrap_or_default();
        let all = (tally.answered + tally.failed).max(1) as f64;
        VenueHealth {
            name: name.to_owned(),
            answered: tally.answered,
            failed: tally.failed,
            error_rate: tally.error_rate(),
            mean_quality: tally.quality / all,
            mean_latency_secs: tally.latency_secs / tally.answered.max(1) as f64,
            cost_msats: tally.cost_msats,
        }
    }
}

impl Served {
    pub(super) fn new(
        space: &Space,
        decision: Decision,
        accounted: Accounted,
        fill: impl FnOnce(&mut Entry),
    ) -> Self {
        let load: LoadState = decision.situation.load;
        let mut entry = Entry {
            caller: String::new(),
            at_secs: 0.0,
            task_type: space.task_type_name(decision.situation.task_type).to_owned(),
            load_state: space.load_name(load),
            role: space.role_name(decision.role).to_owned(),
            venue: space.venue_name(decision.venue).to_owned(),
            explored: decision.explored,
            value: decision.value,
            judgement: Judgement::without_output(""),
            cost_msats: 0,
            latency_secs: 0.0,
            answered: false,
            raw: 0.0,
            penalty: accounted.penalty,
            adjusted: 0.0,
            utilization: Vec::new(),
            imbalance: 0.0,
        };
        fill(&mut entry);
        Self { decision, accounted, entry }
    }
}
