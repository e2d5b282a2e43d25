//! Gold in reviews: claims whose verdict is known, among those whose verdict is asked for (docs/claims.md, section 3). Pure.
//!
//! ```text
//!   claims accepted, claims rejected ─► gold ─► pool ─► one for a reviewer who knows nothing of it
//!                                                          │
//!   claims of a review ────────────────────────────────────┴─► sheet, in an order drawn by lot ─► verdicts, told apart
//! ```
//!
//! Each attempt of a review has a sheet of its own, because gold suits one reviewer and serves once.

use std::collections::{BTreeSet, HashMap};

use frlm_questions::dialect::gold::{self, Wanted};
use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::gold::{Gold, Pool};
use frlm_verifier::claims::{Claim, ClaimRecord, Text};

use super::outcome::ClaimOutcome;

/// Gold claims that wait; a run that makes more of them has enough.
const MOST_WAITING: usize = 256;

/// True gold beyond the false: many a claim has nothing that code could change.
const MOST_MORE_TRUE: u32 = 2;

/// What a reviewer is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A claim of the review, by its place there.
    Claim(usize),
    /// Gold.
    Gold(Gold),
}

/// A review's attempt.
pub type Attempt = (SubtaskId, u32);

/// The gold of a run, and what is out.
#[derive(Debug)]
pub(super) struct Examination {
    pub(super) pool: Pool,
    draws: Draws,
    /// True ones and false ones that were made: as many of each.
    made: [u32; 2],
    /// How likely each is false.
    p_false: HashMap<String, f64>,
    sheets: HashMap<Attempt, Vec<Item>>,
}

impl Examination {
    pub fn new(seed: u64) -> Self {
        let (pool, draws) = (Pool::default(), Draws::new(seed, "examination"));
        Self { pool, draws, made: [0, 0], p_false: HashMap::new(), sheets: HashMap::new() }
    }

    /// What is wanted next; `None` if there is enough.
    fn wants(&self) -> Option<Wanted> {
        let [of_true, of_false] = self.made;
        let wanted = if of_false > of_true {
            Wanted::True
        } else if of_true < of_false + MOST_MORE_TRUE {
            Wanted::FalseOrTrue
        } else {
            Wanted::False
        };
        (self.pool.len() < MOST_WAITING).then_some(wanted)
    }

    /// Makes gold of claims that are settled, each changed or as it is; the names of what was made.
    pub(super) fn make(
        &mut self,
        settled: &[(Claim, ClaimOutcome)],
        text: &Text,
        known_to: &BTreeSet<String>,
    ) -> Vec<String> {
        let mut made = Vec::new();
        for (claim, outcome) in settled {
            let Some(wanted) = self.wants() else { break };
            let (gold, p_false) = match outcome {
                ClaimOutcome::Accepted(p_false) => {
                    (gold::of_true(claim, text, wanted, self.draws.bits()), *p_false)
                }
                ClaimOutcome::Rejected => (gold::found_false(claim, text, self.draws.bits()), 1.0),
                ClaimOutcome::NotReviewed(_) | ClaimOutcome::Undecided | ClaimOutcome::Unjudged => continue,
            };
            let Some(gold) = gold else { continue };
            // What was changed is false, whatever it was made from.
            let p_false = if gold.change.is_false() { 1.0 } else { p_false };
            made.extend(self.offer(gold, p_false, known_to.clone()));
        }
        made
    }

    /// Takes gold, and gives its name unless it was known. `known_to`: those that have read or reviewed what it was made from.
    pub fn offer(&mut self, gold: Gold, p_false: f64, known_to: BTreeSet<String>) -> Option<String> {
        let (id, is_false) = (gold.id.clone(), gold.change.is_false());
        if self.pool.len() >= MOST_WAITING || !self.pool.add(gold, known_to) {
            return None;
        }
        self.made[usize::from(is_false)] += 1;
        self.p_false.insert(id.clone(), p_false);
        Some(id)
    }

    /// Gold for the next review of a reviewer, if it is to have any.
    pub fn draw(&mut self, reviewer: &str, record: &ClaimRecord) -> Option<Gold> {
        if !self.pool.has_for(reviewer) || !self.draws.chance(record.stamp().gold_in_review()) {
            return None;
        }
        let is_false = self.draws.chance(record.stamp().next_is_false());
        let gold = self.pool.take(is_false, reviewer, &mut self.draws);
        gold.or_else(|| self.pool.take(!is_false, reviewer, &mut self.draws))
    }

    /// Writes a sheet down. `shuffled`: in an order drawn by lot, which says nothing of what is gold.
    pub fn write(&mut self, attempt: Attempt, mut items: Vec<Item>, shuffled: bool) -> Vec<Item> {
        if shuffled {
            self.draws.shuffle(&mut items);
        }
        self.sheets.insert(attempt, items.clone());
        items
    }

    /// Takes a sheet back; `None` if nobody wrote it.
    pub fn take(&mut self, attempt: Attempt) -> Option<Vec<Item>> {
        self.sheets.remove(&attempt)
    }

    /// Takes gold back that has a verdict: whether it is false, and how likely, because what it was made from was verified and not
    /// proven; `None` if it was taken back before.
    pub fn grade(&mut self, gold: &Gold) -> Option<(bool, f64)> {
        let is_false = self.pool.settle(&gold.id)?.change.is_false();
        let p_false = self.p_false.remove(&gold.id).unwrap_or_else(|| f64::from(u8::from(is_false)));
        Some((is_false, p_false))
    }
}

#[cfg(test)]
#[path = "examination_tests.rs"]
mod tests;
