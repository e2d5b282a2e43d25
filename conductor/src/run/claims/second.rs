//! Second readings: how much one reader leaves out (docs/claims.md, section 4). Pure.
//!
//! ```text
//!   reading settled ─┬─ drawn by lot, or second readers find much ─► due ─► somebody else reads ─┬─ known claims ─► as they were
//!                    └─ else: read once, until that is known                                     └─ new claims ───► reviewed
//!   second reading settled ─► both compared ─► how many facts one finds, and whether other parts are read twice, too
//! ```
//!
//! A second reading has its own subtask, claims, reviews and pay; the first one is settled by then, and stays so. What it adds
//! joins the claims of the part. Nobody is paid by what comes out.

use std::collections::{BTreeMap, BTreeSet};

use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::completeness::ReadTwice;
use frlm_verifier::claims::draws::Draws;
use frlm_verifier::claims::{Claim, Relation, merge};

use super::outcome::{ClaimOutcome, Person, Settled};
use crate::swarm::ProviderId;

/// Of so many parts one is read twice: what that costs, its reviews included, is a tenth of all tokens, and it makes up for what
/// reviews leave out (docs/benchmarks.md, "Claims in words").
pub const ONE_OF: usize = 12;
/// First readings that are kept in case that all parts are to be read twice; the oldest are let go.
const MOST_KEPT: usize = 2_500;

/// The parts of a run, as far as they are read once or twice.
#[derive(Debug)]
pub struct SecondReadings {
    seed: u64,
    /// Whether every part is read twice.
    all: bool,
    /// Parts that were read.
    read: usize,
    /// Their first readings, as long as somebody else may read them.
    firsts: BTreeMap<SubtaskId, First>,
    /// Parts that somebody else is to read.
    due: Vec<SubtaskId>,
    /// Which part a second reading is about.
    part_of: BTreeMap<SubtaskId, SubtaskId>,
    twice: ReadTwice,
}

/// The first reading of a part.
#[derive(Debug)]
struct First {
    reader: ProviderId,
    /// What of it stands.
    claims: Vec<(Claim, ClaimOutcome)>,
    /// Whether a second reading was due.
    was_due: bool,
}

impl SecondReadings {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            all: false,
            read: 0,
            firsts: BTreeMap::new(),
            due: Vec::new(),
            part_of: BTreeMap::new(),
            twice: ReadTwice::default(),
        }
    }

    /// What names the reading of a part, by any reader.
    pub fn part_of(&self, reading: SubtaskId) -> SubtaskId {
        self.part_of.get(&reading).copied().unwrap_or(reading)
    }

    /// A part was read. Somebody else may read it, too, unless its first reader is not believed, or others have not seen all that was
    /// claimed.
    pub fn read_once(&mut self, settled: &Settled) {
        if !settled.is_earned() || !settled.is_wholly_reviewed() {
            return;
        }
        let was_due = self.all || self.is_drawn() || self.twice.is_worth_asking();
        if was_due {
            self.due.push(settled.reading);
        }
        let claims = settled.upheld().cloned().collect();
        let first = First { reader: settled.reader.clone(), claims, was_due };
        self.read += 1;
        self.firsts.insert(settled.reading, first);
        if self.firsts.len() > MOST_KEPT
            && let Some(oldest) = self.firsts.iter().find(|(_, first)| !first.was_due).map(|(id, _)| *id)
        {
            self.firsts.remove(&oldest);
        }
    }

    /// Whether somebody else reads every part, too.
    pub fn read_all_twice(&mut self, all: bool) {
        self.all = all;
    }

    /// Parts that somebody else is to read now; each is told once.
    pub fn due(&mut self) -> Vec<SubtaskId> {
        std::mem::take(&mut self.due)
    }

    /// Who may not read a part for the second time: who has read it, and who `knows` claims of it from reviews unless nobody
    /// else is here. `None` where nobody is left.
    pub(super) fn not_again(
        &self,
        part: SubtaskId,
        knows: Option<&BTreeSet<ProviderId>>,
        here: &[Person],
    ) -> Option<BTreeSet<ProviderId>> {
        let reader = &self.firsts.get(&part)?.reader;
        let mut not: BTreeSet<ProviderId> = knows.into_iter().flatten().cloned().collect();
        not.insert(reader.clone());
        if here.iter().all(|person| not.contains(&person.id)) {
            not.retain(|id| id == reader);
        }
        here.iter().any(|person| !not.contains(&person.id)).then_some(not)
    }

    /// Somebody else is asked to read a part.
    pub fn note(&mut self, second: SubtaskId, part: SubtaskId) {
        self.part_of.insert(second, part);
    }

    /// A second reading is settled; what it adds. It counts for the estimate if more of it stands than fell.
    pub fn compare(&mut self, second: &Settled) -> Settled {
        let mut added = second.clone();
        let part = self.part_of(second.reading);
        let Some(first) = self.firsts.remove(&part) else { return added };
        added.claims.retain(|(claim, _)| first.known(claim).is_none());
        if !second.is_earned() {
            return added;
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let upheld: Vec<&Claim> = second.upheld().map(|(claim, _)| claim).collect();
        let shared = first.pairs(&upheld);
        let was_worth = self.twice.is_worth_asking();
        self.twice.observe(count(first.claims.len()), count(upheld.len()), count(shared));
        if !was_worth && self.twice.is_worth_asking() {
            for (part, first) in self.firsts.iter_mut().filter(|(_, first)| !first.was_due) {
                first.was_due = true;
                self.due.push(*part);
            }
        }
        added
    }

    /// What parts that two have read say of how much one reading finds.
    pub fn read_twice(&self) -> ReadTwice {
        self.twice
    }

    /// What became of a fact before that a second reader states.
    pub(super) fn known(&self, second: SubtaskId, claim: &Claim) -> Option<ClaimOutcome> {
        let first = self.firsts.get(self.part_of.get(&second)?)?;
        first.known(claim)
    }

    /// Whether the next reading that is settled is drawn: one of each twelve, in an order that nobody else knows.
    fn is_drawn(&self) -> bool {
        let (block, at) = (self.read / ONE_OF, self.read % ONE_OF);
        Draws::new(self.seed, &format!("second reading {block}")).below(ONE_OF) == at
    }
}

impl First {
    /// What became of the claim that states the same in like words.
    fn known(&self, claim: &Claim) -> Option<ClaimOutcome> {
        let states_it = |(known, _): &&(Claim, ClaimOutcome)| {
            known.overlaps(claim) && merge::compare(known, claim) == Relation::Same
        };
        self.claims.iter().find(states_it).map(|(_, outcome)| *outcome)
    }

    /// How many facts both have: claims are paired, each with one at most, that rest on a line in common and do not conflict. Words
    /// would tell too little: people say one fact in other words.
    fn pairs(&self, others: &[&Claim]) -> usize {
        let fits = |(known, _): &(Claim, ClaimOutcome), other: &Claim| {
            known.overlaps(other) && !matches!(merge::compare(known, other), Relation::Conflict(_))
        };
        let may_pair: Vec<Vec<usize>> = others
            .iter()
            .map(|other| (0..self.claims.len()).filter(|&at| fits(&self.claims[at], other)).collect())
            .collect();
        let mut paired = vec![None; self.claims.len()];
        (0..others.len()).filter(|&other| pair(other, &may_pair, &mut paired, &mut BTreeSet::new())).count()
    }
}

/// Finds a partner for one claim, for which others may have to take another one.
fn pair(
    one: usize,
    may_pair: &[Vec<usize>],
    paired: &mut [Option<usize>],
    tried: &mut BTreeSet<usize>,
) -> bool {
    may_pair[one].iter().any(|&at| {
        let is_free = tried.insert(at) && paired[at].is_none_or(|other| pair(other, may_pair, paired, tried));
        if is_free {
            paired[at] = Some(one);
        }
        is_free
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#[path = "second_tests.rs"]
mod tests;
