//! What is known of one domain, and of each way to take its questions apart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Episode;
use crate::planning::decompose::{Action, Strategy};
use crate::planning::reward::Outcome;
use crate::planning::strategies::Moments;

/// One way to take questions of a domain apart.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StrategyRecord {
    /// Questions that ended with an answer.
    pub answered: u64,
    /// Rewards of all its questions.
    pub rewards: Moments,
}

/// A domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DomainRecord {
    /// Questions that ended with an answer.
    pub answered: u64,
    /// Rewards of all its questions.
    pub rewards: Moments,
    /// Share of their steps that were answered.
    pub success: Moments,
    /// How content the user was, as far as that is known.
    pub satisfaction: Moments,
    /// By name.
    pub strategies: BTreeMap<String, StrategyRecord>,
    /// Seconds for each subtask.
    pace: Moments,
}

/// A strategy's name: what runs distinguish of an action.
pub fn strategy_name(action: &Action) -> String {
    Strategy::of(action).to_string()
}

impl DomainRecord {
    /// Questions so far.
    pub fn questions(&self) -> u64 {
        self.rewards.count
    }

    /// Seconds that a subtask takes by what is known; `None` before the first.
    pub(super) fn expected_pace(&self) -> Option<f64> {
        (self.pace.count > 0).then_some(self.pace.mean)
    }

    /// A run took so many seconds for each subtask.
    pub(super) fn took(&mut self, pace: f64) {
        self.pace.push(pace);
    }

    /// One that was taken in took so many in the end.
    pub(super) fn took_instead(&mut self, before: f64, pace: f64) {
        self.pace.replace(before, pace);
    }

    /// Counts a question.
    pub(super) fn begin(&mut self, action: Action, answered: bool, reward: f64, outcome: &Outcome) {
        self.answered += u64::from(answered);
        self.rewards.push(reward);
        self.success.push(outcome.success);
        self.satisfaction.push(outcome.satisfaction.share());
        let strategy = self.strategies.entry(strategy_name(&action)).or_default();
        strategy.answered += u64::from(answered);
        strategy.rewards.push(reward);
    }

    /// Something else came of a question that was counted.
    pub(super) fn change(&mut self, before: &Episode, outcome: &Outcome, reward: f64, answered: bool) {
        let recount = |count: &mut u64| {
            *count = (*count + u64::from(answered)).saturating_sub(u64::from(before.answered));
        };
        recount(&mut self.answered);
        self.rewards.replace(before.reward, reward);
        self.success.replace(before.outcome.success, outcome.success);
        self.satisfaction.replace(before.outcome.satisfaction.share(), outcome.satisfaction.share());
        let strategy = self.strategies.entry(strategy_name(&before.action)).or_default();
        recount(&mut strategy.answered);
        strategy.rewards.replace(before.reward, reward);
    }
}
