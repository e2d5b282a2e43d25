//! What the tiers of verification had let through at any moment of the run.

use frlm_client::view::{RunView, TierView};

use super::posterior::Posteriors;

/// How many answers a tier let through. Small: there are several of these for every part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tier {
    /// Passed.
    pub passed: u32,
    /// Turned down.
    pub failed: u32,
}

impl From<TierView> for Tier {
    fn from(view: TierView) -> Self {
        Self { passed: count(view.passed), failed: count(view.failed) }
    }
}

/// The tiers from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tiers {
    /// Milliseconds since the run began.
    at_ms: u64,
    /// Single answers.
    pub alone: Tier,
    /// Comparisons of replicas.
    pub compared: Tier,
    /// What comparing cost beyond a single answer, in sats.
    pub compared_sats: u64,
    /// Answers that were judged by the methods of the verification level.
    pub judged: Tier,
    /// Answers that nobody agreed on, and that a model of the user's settled.
    pub arbitrated: Tier,
    /// Answers that the weights which their providers claim have read.
    pub audited: Tier,
    /// Looks at the whole answer.
    pub whole: Tier,
    /// Answers that were likely enough to be right.
    pub accepted: u32,
    /// Times another provider was asked because nobody was.
    pub asked_on: u32,
    /// The least fidelity of an accepted answer, 0..=1.
    pub weakest: Option<f32>,
}

impl Tiers {
    /// As they stand.
    #[expect(clippy::cast_possible_truncation, reason = "a probability is shown with three digits")]
    pub fn now(view: &RunView, posteriors: &Posteriors) -> Self {
        Self {
            at_ms: view.at_ms,
            alone: view.checks.alone.into(),
            compared: view.checks.compared.into(),
            compared_sats: view.checks.compared.cost_sats,
            judged: view.checks.judged.into(),
            arbitrated: view.checks.arbitrated.into(),
            audited: view.checks.audited.into(),
            whole: view.checks.whole.into(),
            accepted: count(posteriors.accepted),
            asked_on: count(posteriors.asked_on),
            weakest: posteriors.weakest.map(|weakest| weakest.fidelity as f32),
        }
    }
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// All of them, one per moment at which something changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TierCurve(Vec<Tiers>);

impl TierCurve {
    /// Takes note of how they stand now, if that is news.
    pub fn note(&mut self, now: Tiers) {
        match self.0.last_mut() {
            Some(last) if last.at_ms == now.at_ms => *last = now,
            Some(last) if Tiers { at_ms: now.at_ms, ..*last } == now => {}
            _ => self.0.push(now),
        }
    }

    /// How they stood `at_ms` into the run.
    pub fn at(&self, at_ms: u64) -> Tiers {
        let after = self.0.partition_point(|tiers| tiers.at_ms <= at_ms);
        after.checked_sub(1).map(|last| self.0[last]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Recipe, shown};
    use super::super::state::Run;
    use super::*;

    #[test]
    fn any_moment_can_be_shown_without_folding_again() {
        let records = Recipe::adaptive(41);
        let whole = shown(records.clone(), false);
        let mut folded = Run::default();
        for pair in records.windows(2) {
            folded.fold(&pair[0]);
            if pair[0].at_ms < pair[1].at_ms {
                let (was, is) = (whole.tiers.at(pair[0].at_ms), Tiers::now(&folded.view, &folded.posteriors));
                assert_eq!(Tiers { at_ms: 0, ..was }, Tiers { at_ms: 0, ..is }, "at {} ms", pair[0].at_ms);
            }
        }
        assert!(whole.tiers.at(u64::MAX).accepted > whole.tiers.at(whole.view.at_ms / 2).accepted);
    }
}
