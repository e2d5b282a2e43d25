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

mod account;
mod limit;
mod memory;

use std::time::Duration;

pub use account::{Account, Entry, Health, Served, VenueHealth};
pub use limit::{CallerLimit, MINUTE, OverLimit};
pub use memory::{MemoryError, News, RoutingMemory};
use serde::{Deserialize, Serialize};

use super::coordinator::Mode;
use super::judge::{Judge, Judgement};
use super::reward::{RewardSettings, adjusted};
use super::router::{Accounted, Availability, Decision, Hints, NoRoute, Router};
use super::space::Space;
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
    /// Whether live requests try what is not known to be best, as training does: what is tried teaches more
    /// and is worth less.
    pub explore: bool,
    /// Whether runs tell general models their role; otherwise every subtask is put as it is.
    pub tell_roles: bool,
    /// Requests that the log holds; older ones leave it.
    pub log_entries: usize,
    /// Scores, cost and time → reward.
    pub reward: RewardSettings,
}

impl Default for ProductionSettings {
    /// With the reward for which a sat buys most (docs/benchmarks.md, "Routing").
    fn default() -> Self {
        Self {
            per_minute: 60,
            online_learning: true,
            explore: false,
            tell_roles: true,
            log_entries: 1_000,
            reward: RewardSettings::thrifty(),
        }
    }
}

/// Why a request was not served.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The caller has had its share.
    #[error(transparent)]
    RateLimited(#[from] OverLimit),
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

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Whether there was an answer.
    pub answered: bool,
    /// What it cost.
    pub cost_msats: u64,
    /// From decision to outcome.
    pub latency_secs: f64,
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The answer, or why there is none.
    pub outcome: Result<Execution, String>,
    /// What was decided.
    pub decision: Decision,
    /// As in the log.
    pub entry: Entry,
}

/// Routes requests and learns from them.
#[derive(Debug)]
pub struct Production {
    settings: ProductionSettings,
    account: Account,
    callers: CallerLimit,
    /// What the account's file does not hold yet; `None` where there is no file.
    news: Option<News>,
    /// Requests that were assigned, for draws.
    assigned: u64,
}

impl Production {
    /// Goes on with what a router has learned; the account begins with it and is kept nowhere.
    pub fn new(router: Router, settings: ProductionSettings) -> Self {
        Self::over(Account::new(router), settings, None)
    }

    /// Goes on with an account that lies in a file: [`Production::take_news`] says what to add there.
    pub fn going_on(account: Account, settings: ProductionSettings) -> Self {
        Self::over(account, settings, Some(News::default()))
    }

    fn over(account: Account, settings: ProductionSettings, news: Option<News>) -> Self {
        Self { settings, account, callers: CallerLimit::default(), news, assigned: 0 }
    }

    /// Serves one request from beginning to end. `now`: since any one moment.
    pub async fn process(
        &mut self,
        caller: &str,
        task: &Task,
        now: Duration,
        workers: &dyn Workers,
        judge: Option<&Judge>,
    ) -> Result<Response, RequestError> {
        let begun = self.begin(caller, &task.task_type, None, now, workers)?;
        let (space, decision) = (self.space(), begun.decision.clone());
        let role = space.role_name(decision.role).to_owned();
        let venue = space.venue_name(decision.venue).to_owned();
        let outcome = workers.execute(task, &role, &venue).await.map_err(|error| error.to_string());
        let judgement = judgement(task, &role, &outcome, judge).await;
        let done = Outcome {
            answered: outcome.is_ok(),
            cost_msats: outcome.as_ref().map_or(0, |done| done.cost_msats),
            latency_secs: outcome.as_ref().map_or(0.0, |done| done.latency_secs),
        };
        let entry = self.finish(begun, done, judgement);
        Ok(Response { outcome, decision, entry })
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
        let available = workers.available(self.space());
        Ok(self.assign(caller, task_type, hints, now, &available)?)
    }

    /// Routes a request that needs no admission, the user's own, and notes the assignment.
    pub fn assign(
        &mut self,
        caller: &str,
        task_type: &str,
        hints: Option<&Hints>,
        now: Duration,
        available: &Availability,
    ) -> Result<Begun, NoRoute> {
        let mode = if self.settings.explore { Mode::Explore } else { Mode::Greedy };
        // Greedy decisions draw nothing, whatever the stream.
        let mut rng = stream(now.as_secs(), self.assigned, Purpose::Action);
        self.assigned += 1;
        let router = &mut self.account.router;
        let decided = router
            .task_type(task_type)
            .and_then(|task_type| router.decide(task_type, available, hints, mode, &mut rng));
        let decision = match decided {
            Ok(decision) => decision,
            Err(error) => {
                self.account.unroutable += 1;
                if let Some(news) = &mut self.news {
                    news.unroutable += 1;
                }
                return Err(error);
            }
        };
        let accounted = router.account(decision.role);
        Ok(Begun { decision, accounted, caller: caller.to_owned(), at: now })
    }

    /// What would be decided now, for people and for those who can wait; nothing is noted.
    pub fn preview(
        &self,
        task_type: &str,
        hints: Option<&Hints>,
        available: &Availability,
    ) -> Result<Decision, NoRoute> {
        let (router, mut rng) = (&self.account.router, stream(0, 0, Purpose::Action));
        let task_type = router.task_type(task_type)?;
        router.decide(task_type, available, hints, Mode::Greedy, &mut rng)
    }

    /// Learns from what came of a request, if that is switched on, and logs it.
    pub fn finish(&mut self, begun: Begun, outcome: Outcome, judgement: Judgement) -> Entry {
        let Begun { decision, accounted, caller, at } = begun;
        let raw = if outcome.answered {
            self.settings.reward.raw(judgement.quality, outcome.cost_msats, outcome.latency_secs)
        } else {
            0.0
        };
        let tracker = self.account.router.tracker();
        let (utilization, imbalance) = (tracker.utilization(), tracker.imbalance());
        let served = Served::new(self.account.router.space(), decision, accounted, |entry| {
            entry.caller = caller;
            entry.at_secs = at.as_secs_f64();
            entry.judgement = judgement;
            (entry.answered, entry.cost_msats) = (outcome.answered, outcome.cost_msats);
            entry.latency_secs = outcome.latency_secs;
            (entry.raw, entry.adjusted) = (raw, adjusted(raw, accounted.penalty));
            (entry.utilization, entry.imbalance) = (utilization, imbalance);
        });
        self.account.take_in(&served, self.settings.online_learning, self.settings.log_entries);
        let entry = served.entry.clone();
        if let Some(news) = &mut self.news {
            news.served.push(served);
        }
        entry
    }

    /// How things stand.
    pub fn health(&self) -> Health {
        self.account.health(self.settings.online_learning, self.settings.explore)
    }

    /// The latest requests, oldest first.
    pub fn log(&self) -> impl Iterator<Item = &Entry> {
        self.account.log()
    }

    /// What is known and was done.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// What is known now.
    pub fn router(&self) -> &Router {
        self.account.router()
    }

    /// The names it decides among.
    pub fn space(&self) -> &Space {
        self.account.router.space()
    }

    /// How it behaves.
    pub fn settings(&self) -> &ProductionSettings {
        &self.settings
    }

    /// Requests that the account's file does not hold yet.
    pub fn unwritten(&self) -> usize {
        self.news.as_ref().map_or(0, News::len)
    }

    /// What the account's file does not hold yet; it counts as written from now on.
    pub fn take_news(&mut self) -> News {
        self.news.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn admit(&mut self, caller: &str, now: Duration) -> Result<(), RequestError> {
        self.callers.admit(caller, self.settings.per_minute, now).map_err(|over| {
            self.account.refused += 1;
            if let Some(news) = &mut self.news {
                news.refused += 1;
            }
            over.into()
        })
    }
}

#[cfg(test)]
mod tests;
