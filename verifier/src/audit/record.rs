//! What audits of one provider came to, from run to run.

use serde::{Deserialize, Serialize};

use super::calibration::{AuditVerdict, Calibration};

/// The audits of one provider since it claims the weights that it claims.
///
/// The sequential test is over so many answers; a provider that passed it begins anew, so that one which swaps its
/// model later is found as well.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditRecord {
    /// The weights that it claims, sha256 as hex.
    pub weights_hash: String,
    /// Scores in nats of the answers that were audited since the test last began, in their order.
    pub scores_nats: Vec<f64>,
    /// How often it passed the whole test.
    pub passed: u32,
}

impl AuditRecord {
    /// Whether nothing was audited.
    pub fn is_empty(&self) -> bool {
        self.scores_nats.is_empty() && self.passed == 0
    }

    /// Takes in the score of one more audited answer; what all of them amount to now.
    pub fn observe(
        &mut self,
        weights_hash: &str,
        score_nats: f64,
        calibration: &Calibration,
    ) -> AuditVerdict {
        if self.weights_hash != weights_hash {
            *self = Self { weights_hash: weights_hash.to_owned(), ..Self::default() };
        }
        // Who is accused stays so: no further score counts.
        if score_nats.is_finite() && self.scores_nats.len() < calibration.answers {
            self.scores_nats.push(score_nats);
        }
        let verdict = calibration.verdict(&self.scores_nats);
        if verdict == AuditVerdict::TheClaimedModel {
            self.scores_nats.clear();
            self.passed = self.passed.saturating_add(1);
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MEASURED: Calibration =
        Calibration { mean_nats: 0.000_04, deviation_nats: 0.000_05, bound: 50.0, answers: 20 };

    fn observed(record: &mut AuditRecord, scores: &[f64]) -> Option<AuditVerdict> {
        scores.iter().fold(None, |_, score| Some(record.observe("weights", *score, &MEASURED)))
    }

    #[test]
    fn who_passes_the_test_begins_anew_and_is_found_when_it_swaps_its_model_later() {
        let mut record = AuditRecord::default();
        assert!(record.is_empty());
        assert_eq!(observed(&mut record, &[0.0; 19]), Some(AuditVerdict::Open { missing: 1 }));
        assert_eq!(observed(&mut record, &[0.0]), Some(AuditVerdict::TheClaimedModel));
        assert_eq!((record.passed, record.scores_nats.len()), (1, 0));
        assert_eq!(observed(&mut record, &[0.05]), Some(AuditVerdict::AnotherModel));
        assert!(!record.is_empty());
    }

    #[test]
    fn other_weights_are_other_audits() {
        let mut record = AuditRecord::default();
        observed(&mut record, &[0.0; 19]);
        assert_eq!(record.observe("others", 0.0, &MEASURED), AuditVerdict::Open { missing: 19 });
        assert_eq!((record.weights_hash.as_str(), record.passed), ("others", 0));
    }

    #[test]
    fn a_score_that_is_no_number_says_nothing() {
        let mut record = AuditRecord::default();
        assert_eq!(observed(&mut record, &[f64::NAN; 30]), Some(AuditVerdict::Open { missing: 20 }));
        assert!(record.is_empty());
    }

    proptest! {
        #[test]
        fn who_is_apart_as_an_engine_is_from_itself_is_never_accused(
            scores in proptest::collection::vec(0.0_f64..0.000_5, 1..200),
        ) {
            let mut record = AuditRecord::default();
            for score in scores {
                prop_assert_ne!(record.observe("weights", score, &MEASURED), AuditVerdict::AnotherModel);
                prop_assert!(record.scores_nats.len() < MEASURED.answers);
            }
        }
    }
}
