//! What audits of one provider came to, from run to run.

use serde::{Deserialize, Serialize};

use super::record::kept_after;
use super::sequential::SequentialTest;
use crate::audit::{AuditVerdict, Calibration};

/// Answers with nothing to read among those of an honest provider: engines break, texts lose a space.
const UNREADABLE_RATE: f64 = 0.01;
/// How sure one of them is against its provider: by itself it is no lie.
const UNREADABLE_WEIGHT: f64 = 0.5;

/// The audits of one provider since it claims the weights that it claims.
///
/// The sequential test is over so many answers; a provider that passed it starts over, so that one which swaps its
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
    /// Answers that were to be audited and came with nothing that could be, under whatever weights.
    pub nothing_to_read: u32,
    /// The running test of that: who hides more than an honest provider loses is put out as one that errs too often.
    pub hiding: SequentialTest,
}

impl AuditRecord {
    /// Whether nothing was audited.
    pub fn is_empty(&self) -> bool {
        self.scores_nats.is_empty() && self.passed == 0 && self.nothing_to_read == 0
    }

    /// Takes in the score of one more audited answer; what all of them amount to now.
    pub fn observe(
        &mut self,
        weights_hash: &str,
        score_nats: f64,
        calibration: &Calibration,
    ) -> AuditVerdict {
        if self.weights_hash != weights_hash {
            let Self { nothing_to_read, hiding, .. } = *self;
            *self =
                Self { weights_hash: weights_hash.to_owned(), nothing_to_read, hiding, ..Self::default() };
        }
        self.hiding.observe(true, 1.0, UNREADABLE_RATE);
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

    /// Lets what was hidden fade; what was read stays.
    pub fn decay(&mut self, days: f64) {
        self.hiding.fade(kept_after(days));
    }

    /// Takes in an answer that was to be audited and could not be; whether too many of them were like that.
    pub fn hid(&mut self) -> bool {
        self.nothing_to_read = self.nothing_to_read.saturating_add(1);
        self.hiding.observe(false, UNREADABLE_WEIGHT, UNREADABLE_RATE);
        self.hiding.is_lost()
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
    fn a_provider_that_passes_starts_afresh_and_a_later_model_swap_is_found() {
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
        record.nothing_to_read = 3;
        assert_eq!(record.observe("others", 0.0, &MEASURED), AuditVerdict::Open { missing: 19 });
        assert_eq!((record.weights_hash.as_str(), record.passed, record.nothing_to_read), ("others", 0, 3));
    }

    #[test]
    fn repeatedly_giving_nothing_to_audit_is_hiding_and_rare_gaps_are_not() {
        let mut record = AuditRecord::default();
        assert_eq!((1..=20).find(|_| record.hid()), Some(6));
        assert_eq!(record.nothing_to_read, 6);
        let mut record = AuditRecord::default();
        for _ in 0..100 {
            observed(&mut record, &[0.0; 19]);
            assert!(!record.hid());
        }
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
