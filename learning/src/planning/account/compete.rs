//! Ways to take questions apart compete by domain: what each episode says of that (seeds/super-llm-block.md,
//! `meta_learning`; docs/decisions/0039-ways-that-compete.md).
//!
//! Where nobody chose, nothing is compared: a question that cannot be asked in several ways says nothing of them.

use std::collections::BTreeMap;

use super::{Episode, LearnerAccount};
use crate::planning::decompose::{Field, Strategy};
use crate::planning::domain::Domain;
use crate::planning::strategies::{Contest, ContestError, Decided, FEWEST_SAMPLES, Sample};

impl LearnerAccount {
    /// The ways that compete, by domain.
    pub fn contests(&self) -> &BTreeMap<Domain, Contest> {
        &self.contests
    }

    /// Takes a retired way into use again.
    pub fn bring_back(&mut self, domain: Domain, strategy: Strategy) -> Result<(), ContestError> {
        self.contests.get_mut(&domain).ok_or(ContestError::NotRetired(strategy))?.bring_back(strategy)
    }

    /// An account of the time before ways competed: those that were chosen then are in use, and a test that begins with
    /// that has no samples yet. Nor did bounds come first.
    pub(super) fn of_version_1(mut self) -> Self {
        self.phrasings = self.phrasings.before_bounds_came_first();
        let chosen: Vec<(Domain, Sample)> = self.episodes.iter().filter_map(sample).collect();
        for (domain, sample) in chosen {
            self.contests.entry(domain).or_default().note(Sample { test: None, ..sample });
        }
        self
    }

    /// What may be chosen in a domain.
    pub(super) fn field(&self, domain: Domain) -> Field {
        self.contests.get(&domain).map(Contest::field).unwrap_or_default()
    }

    /// A new episode.
    pub(super) fn compete(&mut self, episode: &Episode) -> Option<Decided> {
        let (domain, sample) = sample(episode)?;
        self.contests.entry(domain).or_default().note(sample)
    }

    /// An episode turned out to be worth something else than before.
    pub(super) fn compete_again(&mut self, at: usize, before: f64) -> Option<Decided> {
        let (domain, sample) = sample(self.episodes.get(at)?)?;
        self.contests.get_mut(&domain)?.replace(sample, before)
    }

    /// The policy has forgotten what it learned, because it holds no longer: no more does what was found by tests.
    pub(super) fn restart_contests(&mut self) {
        for contest in self.contests.values_mut() {
            contest.begin_again();
        }
    }

    /// The test that runs in a domain, for people; `None` where there is none.
    pub(super) fn test_in_words(&self, domain: Domain) -> Option<(u64, String)> {
        let test = self.contests.get(&domain)?.test()?;
        let so_far = |count: u64| format!("{count} of {FEWEST_SAMPLES} samples");
        Some((
            test.number,
            format!(
                "an even coin decided between \"{}\" ({}) and \"{}\" ({}), which are tested against each other here",
                test.champion.strategy,
                so_far(test.champion.trial.count),
                test.challenger.strategy,
                so_far(test.challenger.trial.count),
            ),
        ))
    }
}

/// What an episode says of its way; nothing where nobody chose.
fn sample(episode: &Episode) -> Option<(Domain, Sample)> {
    episode.chosen?;
    let strategy = Strategy::of(&episode.action);
    Some((episode.domain, Sample { strategy, test: episode.test, reward: episode.reward }))
}
