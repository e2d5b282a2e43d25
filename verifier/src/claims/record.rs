//! What is known of one provider by its claims and its reviews, as it outlives a run.
//!
//! ```text
//!   run: claims settled, reviews, gold ─► observations ─► record now
//!                                             └─► the home's file: taken in by the record that it holds by then
//! ```
//!
//! A run keeps what it observed, and not only what that came to: two runs at the same time lose nothing of each other's.

use serde::{Deserialize, Serialize};

use super::reader::{ReaderRecord, ReaderStatus};
use super::reviewer::{Confusion, StampTest, Verdict};

/// One thing that was seen of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Observation {
    /// A claim of its own was settled by others.
    Claim {
        /// How likely the claim is false.
        p_false: f64,
    },
    /// It reviewed a claim that several reviewers settled.
    Review {
        /// How likely the claim is false.
        p_false: f64,
        /// What it said.
        verdict: Verdict,
    },
    /// It reviewed gold.
    Gold {
        /// Whether it should have rejected it.
        is_false: bool,
        /// How likely the gold is false: what it was made from was verified, and not proven.
        p_false: f64,
        /// What it said.
        verdict: Verdict,
    },
}

/// A provider's record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClaimRecord {
    reader: ReaderRecord,
    reviewer: Confusion,
    stamp: StampTest,
    gold_wrong: f64,
}

impl ClaimRecord {
    /// Takes in what was seen.
    pub fn observe(&mut self, seen: Observation) {
        match seen {
            Observation::Claim { p_false } => self.reader.observe(p_false),
            Observation::Review { p_false, verdict } => self.reviewer.observe(p_false, verdict),
            Observation::Gold { is_false, p_false, verdict } => {
                self.reviewer.observe(p_false, verdict);
                self.stamp.observe(is_false, verdict, &Confusion::unmeasured());
                self.gold_wrong += f64::from(u8::from(verdict.rejects() != is_false));
            }
        }
    }

    /// As a reader.
    pub fn reader(&self) -> &ReaderRecord {
        &self.reader
    }

    /// What its verdicts are worth: its own counts over those of a family that nobody has measured.
    pub fn confusion(&self) -> Confusion {
        self.reviewer.over(&Confusion::unmeasured())
    }

    /// The test of its verdicts on gold.
    pub fn stamp(&self) -> &StampTest {
        &self.stamp
    }

    /// Gold claims on which its verdict was wrong.
    pub fn gold_wrong(&self) -> f64 {
        self.gold_wrong
    }

    /// Whether its claims are no better than a liar's.
    pub fn reads_falsely(&self) -> bool {
        self.reader.status() == ReaderStatus::Excluded
    }

    /// Whether its verdicts do not depend on the claims.
    pub fn reviews_blindly(&self) -> bool {
        self.stamp.is_stamp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(is_false: bool, verdict: Verdict) -> Observation {
        Observation::Gold { is_false, p_false: if is_false { 1.0 } else { 0.03 }, verdict }
    }

    #[test]
    fn gold_exposes_a_reviewer_who_supports_all_and_lowers_its_weight() {
        let mut record = ClaimRecord::default();
        let mut weights = vec![record.confusion().information()];
        let mut shown = 0;
        while !record.reviews_blindly() {
            record.observe(gold(shown % 2 == 0, Verdict::Supported));
            weights.push(record.confusion().information());
            shown += 1;
        }
        assert!(shown <= 8, "{shown}");
        assert!(weights.last() < weights.first().map(|first| first / 2.0).as_ref(), "{weights:?}");
        assert!((record.gold_wrong() - f64::from(shown).div_euclid(2.0)).abs() < 1.01);
    }

    #[test]
    fn a_record_is_the_same_after_it_was_written_and_read() {
        let mut record = ClaimRecord::default();
        for at in 0..30 {
            record.observe(Observation::Claim { p_false: 0.02 });
            record.observe(Observation::Review { p_false: 0.02, verdict: Verdict::Supported });
            record.observe(gold(
                at % 2 == 0,
                if at % 2 == 0 { Verdict::NotStated } else { Verdict::Supported },
            ));
        }
        let text = serde_json::to_string(&record).unwrap();
        let read: ClaimRecord = serde_json::from_str(&text).unwrap();
        assert!((read.reader().p_false() - record.reader().p_false()).abs() < 1e-12);
        assert!(!read.reviews_blindly() && read.reader().status() == ReaderStatus::Cleared, "{text}");
        assert_eq!(serde_json::from_str::<ClaimRecord>("{}").unwrap(), ClaimRecord::default());
    }
}
