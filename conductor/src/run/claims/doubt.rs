//! A reviewer is not heard any more: what rests on its word is decided once more. Pure.
//!
//! ```text
//!   claims of open readings ────► decided without it
//!   accepted claims of settled ─┬─ others bore them out ─► as they were
//!                               └─ it alone did ─────────► open again: reviewed by others, and settled once more
//!   gold made from such claims ─► thrown away
//! ```

use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::{Claim, Decision, decide};

use super::book::{Book, Given, Open, Reading, evidence};
use super::outcome::{ClaimOutcome, Person};
use crate::swarm::ProviderId;

/// Claims that may be decided once more; the oldest are let go.
const MOST_KEPT: usize = 20_000;

/// A reviewed claim of a settled reading.
#[derive(Debug)]
pub(super) struct Kept {
    pub reading: SubtaskId,
    pub reader: Person,
    pub claim: Claim,
    pub given: Vec<Given>,
    pub outcome: ClaimOutcome,
}

impl Book {
    /// Keeps the reviewed claims of a reading that is settled now.
    pub(super) fn keep(&mut self, id: SubtaskId, reading: &Reading) {
        // Nothing is built on a written answer: it is the last.
        for open in reading.claims.iter().filter(|open| reading.takes_gold && !open.given.is_empty()) {
            let Some(outcome) = open.outcome else { continue };
            self.kept.push(Kept {
                reading: id,
                reader: reading.reader.clone(),
                claim: open.claim.clone(),
                given: open.given.clone(),
                outcome,
            });
        }
        let too_many = self.kept.len().saturating_sub(MOST_KEPT);
        self.kept.drain(..too_many);
    }

    /// The verdicts of a reviewer weigh nothing any more. `reopens`: nothing was built on settled readings yet, so that they may
    /// be decided once more; how many claims of those are open again.
    pub fn doubt(&mut self, who: &ProviderId, reopens: bool) -> usize {
        self.examination.pool.distrust(who);
        let is_by = |given: &[Given]| given.iter().any(|given| given.reviewer.id == *who);
        for open in self.readings.values_mut().flat_map(|reading| &mut reading.claims) {
            if is_by(&open.given) {
                open.outcome = None;
            }
        }
        if !reopens {
            return 0;
        }
        let mut reopened = 0;
        for kept in std::mem::take(&mut self.kept) {
            let stands = !matches!(kept.outcome, ClaimOutcome::Accepted(_)) || !is_by(&kept.given) || {
                let evidence = evidence(&kept.reader, &kept.given, &self.records);
                matches!(decide(&evidence, &self.rules, &[]), Decision::Accepted { .. })
            };
            if stands {
                self.kept.push(kept);
            } else {
                reopened += usize::from(self.reopen(kept));
            }
        }
        reopened
    }

    fn reopen(&mut self, kept: Kept) -> bool {
        let Kept { reading, reader, claim, given, .. } = kept;
        let again = self.readings.entry(reading).or_insert_with(|| Reading::again(reader));
        // Else it is read once more from the start.
        if again.is_again {
            again.claims.push(Open { given, ..Open::new(claim) });
        }
        again.is_again
    }
}
