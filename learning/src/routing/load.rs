//! Who was busy lately, and what that costs (seeds/load-balanced-rl-workflow.md, section 8).
//!
//! A sliding window of recent assignments drives load state and penalty; lifetime counts are for
//! reports only. The penalty of a step is read *before* the step is recorded, so that it reflects the
//! state at decision time (section 2.3).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::space::RoleId;

/// The tracker's numbers (section 8.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoadSettings {
    /// Assignments that are remembered.
    pub window: usize,
    /// A role is hot above this many fair shares.
    pub hot_threshold: f64,
    /// Penalty per fair share in excess of one.
    pub penalty_weight: f64,
    /// Never more than this.
    pub max_penalty: f64,
    /// With fewer assignments than this nobody is hot (section 8.3).
    pub min_records: usize,
}

impl Default for LoadSettings {
    fn default() -> Self {
        Self { window: 8, hot_threshold: 1.5, penalty_weight: 0.15, max_penalty: 0.20, min_records: 3 }
    }
}

impl LoadSettings {
    /// The same numbers in range: a window holds at least one assignment, and no number is negative
    /// or not a number.
    fn in_range(self) -> Self {
        let default = Self::default();
        let number = |value: f64, or: f64| if value.is_finite() { value.max(0.0) } else { or };
        Self {
            window: self.window.clamp(1, LONGEST_WINDOW),
            hot_threshold: number(self.hot_threshold, default.hot_threshold),
            penalty_weight: number(self.penalty_weight, default.penalty_weight),
            max_penalty: number(self.max_penalty, default.max_penalty).min(1.0),
            min_records: self.min_records,
        }
    }
}

const LONGEST_WINDOW: usize = 1 << 20;

/// The discrete load state (section 8.3): at most one role is hot, the busiest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadState {
    /// Nobody has much more than a fair share.
    Balanced,
    /// This role has.
    Hot(RoleId),
}

impl LoadState {
    /// 0 for balanced, then one per role.
    pub fn index(self) -> usize {
        match self {
            Self::Balanced => 0,
            Self::Hot(role) => usize::from(role.0) + 1,
        }
    }
}

/// Recent and lifetime assignments per role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct LoadTracker {
    settings: LoadSettings,
    recent: VecDeque<RoleId>,
    /// Per role, how often it stands in `recent`.
    in_window: Vec<usize>,
    lifetime: Vec<u64>,
}

/// What a file keeps; the counts of the window follow from it.
#[derive(Serialize, Deserialize)]
struct Saved {
    settings: LoadSettings,
    recent: Vec<RoleId>,
    lifetime: Vec<u64>,
}

impl From<Saved> for LoadTracker {
    fn from(saved: Saved) -> Self {
        let mut tracker = Self::new(saved.lifetime.len(), saved.settings);
        for role in saved.recent {
            tracker.record(role);
        }
        tracker.lifetime = saved.lifetime;
        tracker
    }
}

impl From<LoadTracker> for Saved {
    fn from(tracker: LoadTracker) -> Self {
        Self { settings: tracker.settings, recent: tracker.recent.into(), lifetime: tracker.lifetime }
    }
}

impl LoadTracker {
    /// A tracker without assignments for this many roles.
    pub fn new(roles: usize, settings: LoadSettings) -> Self {
        let settings = settings.in_range();
        Self { settings, recent: VecDeque::new(), in_window: vec![0; roles], lifetime: vec![0; roles] }
    }

    /// Notes an assignment; the oldest one leaves a full window. A role that the tracker does not know
    /// changes nothing.
    pub fn record(&mut self, role: RoleId) {
        let at = usize::from(role.0);
        if at >= self.in_window.len() {
            return;
        }
        if self.recent.len() == self.settings.window
            && let Some(oldest) = self.recent.pop_front()
        {
            self.in_window[usize::from(oldest.0)] -= 1;
        }
        self.recent.push_back(role);
        self.in_window[at] += 1;
        self.lifetime[at] += 1;
    }

    /// Share of the window per role, each 0..=1; all 0 before the first assignment.
    pub fn utilization(&self) -> Vec<f64> {
        let total = self.recent.len().max(1) as f64;
        self.in_window.iter().map(|count| *count as f64 / total).collect()
    }

    /// Which role is hot, if any (section 8.3). Of equally busy roles the first in order counts.
    pub fn load_state(&self) -> LoadState {
        if self.recent.len() < self.settings.min_records {
            return LoadState::Balanced;
        }
        let mut busiest = 0;
        for (role, count) in self.in_window.iter().enumerate() {
            if *count > self.in_window[busiest] {
                busiest = role;
            }
        }
        match u16::try_from(busiest) {
            Ok(role) if self.fair_shares(busiest) > self.settings.hot_threshold => {
                LoadState::Hot(RoleId(role))
            }
            _ => LoadState::Balanced,
        }
    }

    /// What an assignment to this role costs now (section 8.4): `min(excess × 0.15, 0.20)`.
    pub fn penalty(&self, role: RoleId) -> f64 {
        let excess = (self.fair_shares(usize::from(role.0)) - 1.0).max(0.0);
        (excess * self.settings.penalty_weight).min(self.settings.max_penalty)
    }

    /// The penalty of every role.
    pub fn penalties(&self) -> Vec<f64> {
        (0..u16::try_from(self.in_window.len()).unwrap_or(u16::MAX))
            .map(|role| self.penalty(RoleId(role)))
            .collect()
    }

    /// Coefficient of variation of the utilisations, σ/μ with the population's σ (section 8.6;
    /// seed-arithmetic: the printed example has another σ).
    pub fn imbalance(&self) -> f64 {
        if self.recent.is_empty() {
            return 0.0;
        }
        coefficient_of_variation(&self.utilization())
    }

    /// Assignments per role since the beginning.
    pub fn lifetime(&self) -> &[u64] {
        &self.lifetime
    }

    /// The window, oldest first.
    pub fn recent(&self) -> impl Iterator<Item = RoleId> + '_ {
        self.recent.iter().copied()
    }

    /// The numbers it works with.
    pub fn settings(&self) -> LoadSettings {
        self.settings
    }

    /// How many roles it knows.
    pub fn roles(&self) -> usize {
        self.in_window.len()
    }

    /// Utilisation in fair shares: 1 is exactly fair. Multiplied before it is divided, so that
    /// 3 of 8 among four roles is 1.5 to the last bit, and not hot.
    fn fair_shares(&self, role: usize) -> f64 {
        let count = self.in_window.get(role).copied().unwrap_or(0);
        (count * self.in_window.len()) as f64 / self.recent.len().max(1) as f64
    }
}

/// σ/μ of non-negative values with the population's σ; 0 if all are 0.
pub fn coefficient_of_variation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    if mean <= 0.0 {
        return 0.0;
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    variance.sqrt() / mean
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
