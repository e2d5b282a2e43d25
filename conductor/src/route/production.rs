//! Production mode (seeds/load-balanced-rl-workflow.md, sections 2.6, 3.5 and 9.2): a limit per caller,
//! greedy load-aware routing, learning that can be switched off, a log, and how things stand.
//!
//! ```text
//!   begin ─► limit? ─► decide (ε = 0) ─► account (penalty, then recorded) ─► … the work … ─► finish
//!     │ exceeded                                                                               │
//!     └─► refused, with when to come again                     learn (if switched on), log ◄───┘
//! ```
//!
//! Between [`Production::begin`] and [`Production::finish`] nothing is held, so that many requests can be
//! in flight; with one at a time the numbers are the source document's.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::coordinator::{Coordinator as _, Mode};
use super::judge::{Judge, Judgement};
use super::reward::{RewardSettings, adjusted};
use super::router::{Accounted, Decision, Hints, NoRoute, Router};
use super::tasks::Task;
use super::workers::{Execution, Workers, judgement};
use crate::seeded::{Purpose, stream};

/// How production behaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProductionSettings {
    /// Requests of one caller in any 60 seconds. The source document names no figure.
    pub per_minute: usize,
    /// Whether outcomes change what is known.
    pub online_learning: bool,
    /// Requests that the log holds; older ones leave it.
    pub log_entries: usize,
    /// Scores, cost and time → reward.
    pub reward: RewardSettings,
}

impl Default for ProductionSettings {
    /// With the reward for which a sat buys most (docs/benchmarks.md, «Routing»).
    fn default() -> Self {
        Self { per_minute: 60, online_learning: true, log_entries: 1_000, reward: RewardSettings::thrifty() }
    }
}

/// Why a request was not served.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The caller has had its share.
    #[error(
        "rate limit exceeded: {per_minute} requests a minute; nothing was sent or spent, come again in \
         {} s", .again_in.as_secs() + 1
    )]
    RateLimited {
        /// Requests in 60 seconds.
        per_minute: usize,
        /// When there is room again.
        again_in: Duration,
    },
    /// Nobody can be asked.
    #[error(transparent)]
    NoRoute(#[from] NoRoute),
}

/// A request that is under way.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a request that is begun must be finished, or nothing is learned from it"]
pub struct Begun {
    /// Who does it, where, and why.
    pub decision: Decision,
    accounted: Accounted,
    caller: String,
    at: Duration,
}

/// One served request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Who asked.
    pub caller: String,
    /// When, since the service began.
    pub at_secs: f64,
    /// Who did it, where, and why.
    pub decision: Decision,
    /// What that was worth.
    pub judgement: Judgement,
    /// What it cost.
    pub cost_msats: u64,
    /// Whether there was an answer.
    pub answered: bool,
    /// Reward before the load penalty.
    pub raw: f64,
    /// The load penalty at the moment of decision.
    pub penalty: f64,
    /// What was learned from, if anything was.
    pub adjusted: f64,
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The answer, or why there is none.
    pub outcome: Result<Execution, String>,
    /// As in the log.
    pub entry: Entry,
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
    /// ε of the decisions made here: always 0.
    pub epsilon: f64,
    /// Whether outcomes change what is known.
    pub online_learning: bool,
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
    /// The same per venue.
    pub venue_error_rates: Vec<(String, f64)>,
    /// Answers that no judge and no check spoke about: 0.5 counted.
    pub unjudged: u64,
    /// All of it together.
    pub cost_msats: u64,
    /// Assignments per role since the beginning.
    pub lifetime: Vec<(String, u64)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    answered: u64,
    failed: u64,
}

impl Totals {
    fn error_rate(self) -> f64 {
        self.failed as f64 / (self.answered + self.failed).max(1) as f64
    }
}

/// Routes requests and learns from them.
#[derive(Debug)]
pub struct Production {
    settings: ProductionSettings,
    router: Router,
    /// When each caller's requests of the last minute came.
    callers: HashMap<String, VecDeque<Duration>>,
    log: VecDeque<Entry>,
    venues: Vec<Totals>,
    refused: u64,
    unroutable: u64,
    unjudged: u64,
    cost_msats: u64,
}

const MINUTE: Duration = Duration::from_mins(1);
/// Callers that are remembered before those without a request in the last minute are forgotten.
const MOST_CALLERS: usize = 10_000;

impl Production {
    /// Goes on with what a router has learned.
    pub fn new(router: Router, settings: ProductionSettings) -> Self {
        let venues = vec![Totals::default(); router.space().venues().len()];
        Self {
            settings,
            router,
            callers: HashMap::new(),
            log: VecDeque::new(),
            venues,
            refused: 0,
            unroutable: 0,
            unjudged: 0,
            cost_msats: 0,
        }
    }

    /// Serves one request from beginning to end. `now`: since the service began.
    pub async fn process(
        &mut self,
        caller: &str,
        task: &Task,
        now: Duration,
        workers: &dyn Workers,
        judge: Option<&Judge>,
    ) -> Result<Response, RequestError> {
        let begun = self.begin(caller, &task.task_type, None, now, workers)?;
        let space = self.router.space();
        let role = space.role_name(begun.decision.role).to_owned();
        let venue = space.venue_name(begun.decision.venue).to_owned();
        let outcome = workers.execute(task, &role, &venue).await.map_err(|error| error.to_string());
        let judgement = judgement(task, &role, &outcome, judge).await;
        let entry = self.finish(begun, &outcome, judgement);
        Ok(Response { outcome, entry })
    }

    /// Admits and routes a request, and notes the assignment.
    pub fn begin(
        &mut self,
        caller: &str,
        task_type: &str,
        hints: Option<&Hints>,
        now: Duration,
        workers: &dyn Workers,
    ) -> Result<Begun, RequestError> {
        self.admit(caller, now)?;
        let available = workers.available(self.router.space());
        // ε is 0: nothing is drawn, whatever the stream.
        let mut rng = stream(0, 0, Purpose::Action);
        let decided = self
            .router
            .task_type(task_type)
            .and_then(|task_type| self.router.decide(task_type, &available, hints, Mode::Greedy, &mut rng));
        let decision = decided.inspect_err(|_| self.unroutable += 1)?;
        let accounted = self.router.account(decision.role);
        Ok(Begun { decision, accounted, caller: caller.to_owned(), at: now })
    }

    /// Learns from what came of a request, if that is switched on, and logs it.
    pub fn finish(
        &mut self,
        begun: Begun,
        outcome: &Result<Execution, String>,
        judgement: Judgement,
    ) -> Entry {
        let Begun { decision, accounted, caller, at } = begun;
        let (raw, cost_msats) = match outcome {
            Ok(done) => (
                self.settings.reward.raw(judgement.quality, done.cost_msats, done.latency_secs),
                done.cost_msats,
            ),
            Err(_) => (0.0, 0),
        };
        let adjusted = adjusted(raw, accounted.penalty);
        if self.settings.online_learning {
            self.router.learn(&decision, accounted, adjusted, None);
        }
        if let Some(totals) = self.venues.get_mut(usize::from(decision.venue.0)) {
            match outcome {
                Ok(_) => totals.answered += 1,
                Err(_) => totals.failed += 1,
            }
        }
        self.unjudged += u64::from(judgement.is_default());
        self.cost_msats = self.cost_msats.saturating_add(cost_msats);
        let entry = Entry {
            caller,
            at_secs: at.as_secs_f64(),
            decision,
            judgement,
            cost_msats,
            answered: outcome.is_ok(),
            raw,
            penalty: accounted.penalty,
            adjusted,
        };
        self.log.push_back(entry.clone());
        while self.log.len() > self.settings.log_entries {
            self.log.pop_front();
        }
        entry
    }

    /// How things stand.
    pub fn health(&self) -> Health {
        let (space, tracker) = (self.router.space(), self.router.tracker());
        let all = self.venues.iter().fold(Totals::default(), |sum, venue| Totals {
            answered: sum.answered + venue.answered,
            failed: sum.failed + venue.failed,
        });
        Health {
            learner: self.router.learner().name(),
            load_state: space.load_name(tracker.load_state()),
            utilization: space.roles().iter().cloned().zip(tracker.utilization()).collect(),
            imbalance: tracker.imbalance(),
            epsilon: 0.0,
            online_learning: self.settings.online_learning,
            answered: all.answered,
            failed: all.failed,
            refused: self.refused,
            unroutable: self.unroutable,
            error_rate: all.error_rate(),
            venue_error_rates: space
                .venues()
                .iter()
                .cloned()
                .zip(self.venues.iter().map(|venue| venue.error_rate()))
                .collect(),
            unjudged: self.unjudged,
            cost_msats: self.cost_msats,
            lifetime: space.roles().iter().cloned().zip(tracker.lifetime().iter().copied()).collect(),
        }
    }

    /// The latest requests, oldest first.
    pub fn log(&self) -> impl Iterator<Item = &Entry> {
        self.log.iter()
    }

    /// What is known now.
    pub fn router(&self) -> &Router {
        &self.router
    }

    fn admit(&mut self, caller: &str, now: Duration) -> Result<(), RequestError> {
        let recent = |at: &Duration| now.saturating_sub(*at) < MINUTE;
        if self.callers.len() >= MOST_CALLERS && !self.callers.contains_key(caller) {
            self.callers.retain(|_, times| times.back().is_some_and(recent));
        }
        let times = self.callers.entry(caller.to_owned()).or_default();
        while times.front().is_some_and(|at| !recent(at)) {
            times.pop_front();
        }
        if times.len() >= self.settings.per_minute {
            self.refused += 1;
            let again_in =
                times.front().map_or(MINUTE, |first| MINUTE.saturating_sub(now.saturating_sub(*first)));
            return Err(RequestError::RateLimited { per_minute: self.settings.per_minute, again_in });
        }
        times.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
#[path = "production_tests.rs"]
mod tests;
