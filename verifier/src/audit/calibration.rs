//! How far an honest provider's commitments lie from what an auditor reads, and a sequential test over them.
//!
//! Scores of honest answers have a mean and a deviation. After n audited answers the provider's mean may lie
//! above that by `bound · deviation / √n`; `bound` is the one that the allowed share of honest providers ever
//! passes within [`Calibration::answers`] answers, found over trials and not from a normal law. One answer that
//! is far off is enough that way, and many that are a little off are, too.

use serde::{Deserialize, Serialize};

/// Thresholds, as they are shipped: measured by `frlm-lab audit`.
const SHIPPED: &str = include_str!("../../priors/audit.json");
/// How many times further than the measured bound a provider may be apart before a run accuses it. The bound is one
/// that some honest trials pass, was measured on one kind of processor, and a run's accusation is for good: this lies
/// far above the lab's honest trials and far below its liars (docs/decisions/0018-the-prefill-audit.md).
pub const SLACK_IN_RUNS: f64 = 30.0;
/// Engines that compute the same in the same order differ by rounding alone; a deviation below it is chance.
const LEAST_DEVIATION_NATS: f64 = 1e-6;

/// What an honest provider of one engine and quantisation is believed up to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Mean score of honest answers, in nats.
    pub mean_nats: f64,
    /// Their standard deviation, in nats.
    pub deviation_nats: f64,
    /// How many deviations of the mean are too many.
    pub bound: f64,
    /// Audited answers after which a provider counts as what it claims to be.
    pub answers: usize,
}

/// What audits of a provider's answers amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditVerdict {
    /// Too few answers were audited.
    Open {
        /// How many more it takes.
        missing: usize,
    },
    /// As far apart as one engine is from itself.
    TheClaimedModel,
    /// Further apart than that.
    AnotherModel,
}

impl Calibration {
    /// From trials, each the scores of one honest provider's audited answers in their order: the share
    /// `false_alarms` of them is accused at some time. `None` if there are too few to tell such a share, or
    /// they are of different lengths.
    pub fn of(trials: &[Vec<f64>], false_alarms: f64) -> Option<Self> {
        let answers = trials.first()?.len();
        let most = trials.len() as f64 * false_alarms;
        let allowed = (1_u32..).zip(trials).take_while(|(count, _)| f64::from(*count) <= most).count();
        if allowed == 0 || answers == 0 || trials.iter().any(|trial| trial.len() != answers) {
            return None;
        }
        let count = (trials.len() * answers) as f64;
        let mean_nats = trials.iter().flatten().sum::<f64>() / count;
        let variance = trials.iter().flatten().map(|score| (score - mean_nats).powi(2)).sum::<f64>() / count;
        let deviation_nats = variance.sqrt().max(LEAST_DEVIATION_NATS);
        let unbounded = Self { mean_nats, deviation_nats, bound: f64::INFINITY, answers };
        let mut peaks: Vec<f64> = trials.iter().filter_map(|trial| unbounded.peak(trial)).collect();
        peaks.sort_unstable_by(|a, b| b.total_cmp(a));
        // So many lie above it.
        let bound = *peaks.get(allowed)?;
        bound.is_finite().then_some(Self { bound, ..unbounded })
    }

    /// The same with the bound by which runs accuse.
    #[must_use]
    pub fn in_runs(self) -> Self {
        Self { bound: self.bound * SLACK_IN_RUNS, ..self }
    }

    /// How many deviations the mean of the first answers, the first two, … lay above that of honest ones, at
    /// most. `None` without scores.
    pub fn peak(&self, scores: &[f64]) -> Option<f64> {
        let mut sum = 0.0;
        let after = scores.iter().take(self.answers).zip(1_u32..).map(|(score, count)| {
            sum += score;
            let count = f64::from(count);
            (sum / count - self.mean_nats) * count.sqrt() / self.deviation_nats
        });
        after.reduce(f64::max)
    }

    /// After which answer a provider is accused, from 1.
    pub fn accused_after(&self, scores: &[f64]) -> Option<usize> {
        (1..=scores.len().min(self.answers)).find(|count| {
            // The last prefix alone can be the one that passes: the others were looked at before.
            self.peak(&scores[..*count]).is_some_and(|peak| peak > self.bound)
        })
    }

    /// What the audits so far say; those after the first [`Calibration::answers`] say nothing more.
    pub fn verdict(&self, scores: &[f64]) -> AuditVerdict {
        if self.accused_after(scores).is_some() {
            AuditVerdict::AnotherModel
        } else if scores.len() < self.answers {
            AuditVerdict::Open { missing: self.answers - scores.len() }
        } else {
            AuditVerdict::TheClaimedModel
        }
    }
}

/// Calibrations by the weights that are claimed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrations {
    /// One for each engine and kind of weights that was measured.
    pub calibrations: Vec<Calibrated>,
}

/// A calibration and what it is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    /// The engine that wrote and read.
    pub engine: String,
    /// The weights' number format.
    pub quantisation: String,
    /// sha256 over the weights, hex.
    pub weights_hash: String,
    /// How far apart is too far.
    pub calibration: Calibration,
}

impl Calibrations {
    /// Those that are shipped.
    pub fn shipped() -> Self {
        // A test reads the file.
        serde_json::from_str(SHIPPED).unwrap_or(Self { calibrations: Vec::new() })
    }

    /// For the weights that a provider claims; `None` if nobody measured them: then nobody is judged by them.
    pub fn find(&self, weights_hash: &str) -> Option<Calibration> {
        self.calibrations
            .iter()
            .find(|known| known.weights_hash == weights_hash)
            .map(|known| known.calibration)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Trials of twenty scores between 0 and 1, evenly spread and shuffled by a multiplier.
    fn honest(trials: usize) -> Vec<Vec<f64>> {
        let score = |at: usize| ((at * 7_919) % 1_009) as f64 / 1_009.0;
        (0..trials).map(|trial| (0..20).map(|answer| score(trial * 20 + answer)).collect()).collect()
    }

    #[test]
    fn the_bound_lets_the_allowed_share_of_honest_providers_pass_it() {
        let trials = honest(1_000);
        let calibration = Calibration::of(&trials, 0.01).unwrap();
        let accused = trials.iter().filter(|trial| calibration.accused_after(trial).is_some()).count();
        assert_eq!(accused, 10);
        assert_eq!(calibration.answers, 20);
        assert!((calibration.mean_nats - 0.5).abs() < 0.01, "{calibration:?}");
        assert_eq!(Calibration::of(&trials[..99], 0.01), None, "99 cannot tell one in a hundred");
        assert_eq!(Calibration::of(&[vec![], vec![]], 0.5), None);
    }

    #[test]
    fn one_answer_far_off_is_enough_and_many_a_little_off_are() {
        let calibration = Calibration::of(&honest(1_000), 0.01).unwrap();
        assert_eq!(calibration.verdict(&[]), AuditVerdict::Open { missing: 20 });
        assert_eq!(calibration.verdict(&[0.4; 5]), AuditVerdict::Open { missing: 15 });
        assert_eq!(calibration.verdict(&[0.4; 20]), AuditVerdict::TheClaimedModel);
        assert_eq!(calibration.accused_after(&[5.0]), Some(1));
        let after = calibration.accused_after(&[0.9; 20]).unwrap();
        assert!((2..20).contains(&after), "{after}");
        assert_eq!(calibration.verdict(&[0.9; 20]), AuditVerdict::AnotherModel);
        // What was accused once stays accused.
        let mut later_good = vec![5.0];
        later_good.extend([0.0; 30]);
        assert_eq!(calibration.verdict(&later_good), AuditVerdict::AnotherModel);
    }

    #[test]
    fn a_run_accuses_nobody_below_the_measured_bound_and_clears_exact_ones() {
        let trials = honest(1_000);
        let calibration = Calibration::of(&trials, 0.01).unwrap();
        let accused = |calibration: &Calibration| {
            trials.iter().filter(|trial| calibration.accused_after(trial).is_some()).count()
        };
        assert_eq!((accused(&calibration), accused(&calibration.in_runs())), (10, 0));
        for known in Calibrations::shipped().calibrations {
            let calibration = known.calibration.in_runs();
            // Who computes the same in the same order is never apart.
            assert_eq!(calibration.verdict(&[0.0; 20]), AuditVerdict::TheClaimedModel);
            // The least of the lab's liars by its mean (docs/benchmarks.md): the same weights in 8 bits.
            assert_eq!(calibration.accused_after(&[0.05]), Some(1));
        }
    }

    #[test]
    fn engines_that_never_differ_still_leave_room_for_rounding() {
        let calibration = Calibration::of(&vec![vec![0.0; 20]; 100], 0.01).unwrap();
        assert!((calibration.deviation_nats - LEAST_DEVIATION_NATS).abs() < 1e-12);
        assert_eq!(calibration.verdict(&[0.01]), AuditVerdict::AnotherModel);
    }

    #[test]
    fn the_shipped_file_is_read_and_knows_what_it_was_measured_for() {
        let shipped: Calibrations = serde_json::from_str(SHIPPED).unwrap();
        assert_eq!(shipped, Calibrations::shipped());
        for known in &shipped.calibrations {
            let Calibration { deviation_nats, bound, answers, .. } = known.calibration;
            assert!(deviation_nats > 0.0 && bound > 0.0 && answers == 20, "{known:?}");
            assert_eq!(shipped.find(&known.weights_hash), Some(known.calibration));
        }
        assert_eq!(shipped.find("of nobody"), None);
    }

    proptest! {
        #[test]
        fn a_higher_score_never_clears_anybody(
            scores in proptest::collection::vec(0.0_f64..2.0, 1..25),
            at in 0_usize..25,
            more in 0.0_f64..2.0,
        ) {
            let calibration = Calibration::of(&honest(200), 0.01).unwrap();
            let mut worse = scores.clone();
            let at = at % worse.len();
            worse[at] += more;
            if calibration.verdict(&scores) == AuditVerdict::AnotherModel {
                prop_assert_eq!(calibration.verdict(&worse), AuditVerdict::AnotherModel);
            }
        }
    }
}
