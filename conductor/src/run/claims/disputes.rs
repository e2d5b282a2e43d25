//! Claims whose reviews contradict each other, by everything that the run has seen. Pure.
//!
//! ```text
//!   one supports, one rejects ─► judged together with all other claims ─┬─ who rejects stands alone ─► accepted
//!                                                                        └─ nobody can tell ─────────► left out
//!   left out before ─► judged again with each reading that is settled ─► accepted after all
//!   who rejects what everybody else bears out, again and again ─────────► is not heard any more
//! ```

use std::collections::{BTreeMap, BTreeSet};

use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::joint::{Case, Judged, judge, p_false};
use frlm_verifier::claims::{Observation, ReaderStatus};

use super::book::{Book, Given, Open, is_rejected_by_trusted};
use super::outcome::{Before, ClaimOutcome, Person, Settled, TOLERATED};
use super::records::Records;
use super::rules::is_strict;
use crate::swarm::ProviderId;

/// Claims that are judged together: the latest ones.
const MOST_JUDGED: usize = 2_000;
/// How likely somebody lies of whom nothing is known: three of ten (docs/claims.md, section 6).
const LIES: f64 = 0.3;
/// The same of somebody who has a good record, and of somebody who was found out.
const LIES_OF_KNOWN: f64 = 0.02;
const LIES_OF_FOUND: f64 = 0.98;
/// From when on somebody is not heard any more, after so many rejections of what others bear out.
const SURELY: f64 = 0.95;
const FEWEST_CONTRADICTIONS: usize = 3;
/// A reader of so many claims that two reviewers reject each is not trusted as a reviewer either.
const FEWEST_REFUTED: usize = 2;

/// Everybody in the run, and how likely each lies.
#[derive(Debug, Default)]
pub(super) struct Together {
    people: BTreeMap<ProviderId, usize>,
    lies: Vec<f64>,
    /// For each, how often it rejects what another reviewer supports, and whose claims those are.
    contradicts: Vec<(usize, BTreeSet<usize>)>,
    /// For each, how many of its own claims two reviewers reject, and nobody supports.
    refuted: Vec<usize>,
}

impl Together {
    /// What a claim comes to whose reviews contradict each other: it stands where the only one who rejects it is a liar rather
    /// than not. Two who reject it may be right whatever else they said.
    pub fn settles(&self, reader: &Person, given: &[Given]) -> Option<ClaimOutcome> {
        let case = self.case(&reader.id, given).filter(Case::is_contested)?;
        let mut against = case.reviews.iter().filter(|(_, rejects)| *rejects);
        let (Some(&(only, _)), None) = (against.next(), against.next()) else { return None };
        let p_false = p_false(&case, &self.lies);
        let lies = self.lies.get(only).copied().unwrap_or_default();
        let often = self.contradicts.get(only).map_or(0, |(times, _)| *times) >= FEWEST_CONTRADICTIONS;
        let is_liar = lies > 0.5
            && (self.stands_alone(only) || self.refuted[only] >= FEWEST_REFUTED || (often && lies >= SURELY));
        (is_liar && p_false <= TOLERATED).then_some(ClaimOutcome::Accepted(p_false))
    }

    /// Whether somebody contradicts more than one other, and more than once or twice.
    fn stands_alone(&self, who: usize) -> bool {
        let known = self.contradicts.get(who);
        known.is_some_and(|(times, readers)| *times >= FEWEST_CONTRADICTIONS && readers.len() > 1)
    }

    fn case(&self, reader: &ProviderId, given: &[Given]) -> Option<Case> {
        let reviews = given
            .iter()
            .map(|given| Some((*self.people.get(&given.reviewer.id)?, given.verdict.rejects())))
            .collect::<Option<_>>()?;
        Some(Case { reader: *self.people.get(reader)?, reviews })
    }
}

/// Whether reviews contradict each other.
pub(super) fn is_contested(given: &[Given]) -> bool {
    let rejections = given.iter().filter(|given| given.verdict.rejects()).count();
    rejections > 0 && rejections < given.len()
}

impl Book {
    /// Judges all claims of the run together.
    pub(super) fn together(&self) -> Together {
        self.judged().0
    }

    fn judged(&self) -> (Together, Vec<Case>, Judged) {
        let kept = self.kept.iter().map(|kept| (&kept.reader.id, kept.given.as_slice()));
        let open = self.readings.values().flat_map(|reading| {
            let reviewed = reading.claims.iter().filter(|open| !open.given.is_empty());
            reviewed.map(|open: &Open| (&reading.reader.id, open.given.as_slice()))
        });
        let all: Vec<(&ProviderId, &[Given])> = kept.chain(open).collect();
        let all = &all[all.len().saturating_sub(MOST_JUDGED)..];
        let mut together = Together::default();
        for (reader, given) in all {
            for id in given.iter().map(|given| &given.reviewer.id).chain([*reader]) {
                let next = together.people.len();
                together.people.entry(id.clone()).or_insert(next);
            }
        }
        let mut before = vec![LIES; together.people.len()];
        for (id, &at) in &together.people {
            before[at] = lies_before(&self.records, id);
        }
        let cases: Vec<Case> =
            all.iter().filter_map(|(reader, given)| together.case(reader, given)).collect();
        let judged = judge(&cases, &before);
        together.lies.clone_from(&judged.lies);
        together.contradicts = vec![(0, BTreeSet::new()); together.people.len()];
        together.refuted = vec![0; together.people.len()];
        for case in cases.iter().filter(|case| case.reviews.len() > 1) {
            if case.reviews.iter().all(|(_, rejects)| *rejects) {
                together.refuted[case.reader] += 1;
            }
        }
        for case in cases.iter().filter(|case| case.is_contested()) {
            for (who, _) in case.reviews.iter().filter(|(_, rejects)| *rejects) {
                let (times, readers) = &mut together.contradicts[*who];
                *times += 1;
                readers.insert(case.reader);
            }
        }
        (together, cases, judged)
    }

    /// Accepts what was left out and can be told by now, and finds those who contradict everybody. Nothing is built on settled
    /// readings yet.
    pub fn settle_disputes(&mut self) -> Vec<Settled> {
        // Where votes decide, or somebody's word, that has decided.
        let is_strict = is_strict(&self.rules);
        let is_disputed = |outcome: ClaimOutcome, given: &[Given]| {
            let is_open = outcome == ClaimOutcome::Undecided && is_contested(given);
            is_open && !is_strict && !is_rejected_by_trusted(given)
        };
        let open = self.readings.values().flat_map(|reading| &reading.claims);
        if !self.kept.iter().any(|kept| is_contested(&kept.given))
            && !open.into_iter().any(|open| is_contested(&open.given))
        {
            return Vec::new();
        }
        let (together, cases, judged) = self.judged();
        self.distrust_loners(&together, &cases, &judged);
        let mut again: BTreeMap<SubtaskId, Settled> = BTreeMap::new();
        for kept in self.kept.iter_mut().filter(|kept| is_disputed(kept.outcome, &kept.given)) {
            let Some(outcome) = together.settles(&kept.reader, &kept.given) else {
                continue;
            };
            kept.outcome = outcome;
            if let ClaimOutcome::Accepted(p_false) = outcome {
                self.records.observe(&kept.reader.id, Observation::Claim { p_false });
                for given in &kept.given {
                    let seen = Observation::Review { p_false, verdict: given.verdict };
                    self.records.observe(&given.reviewer.id, seen);
                }
            }
            let settled = again.entry(kept.reading).or_insert_with(|| Settled {
                reading: kept.reading,
                reader: kept.reader.id.clone(),
                claims: Vec::new(),
                fallen: 0,
                prior: 0.0,
                again: Some(Before::Undecided),
            });
            settled.claims.push((kept.claim.clone(), outcome));
        }
        again.into_values().collect()
    }

    /// Hears those no more who reject, again and again, what everybody else bears out.
    fn distrust_loners(&mut self, together: &Together, cases: &[Case], judged: &Judged) {
        for (id, &at) in &together.people {
            let contradicts = |(case, p_false): &(&Case, &f64)| {
                **p_false <= TOLERATED && case.is_contested() && case.reviews.contains(&(at, true))
            };
            let times = cases.iter().zip(&judged.p_false).filter(contradicts).count();
            if judged.lies[at] >= SURELY && times >= FEWEST_CONTRADICTIONS && together.stands_alone(at) {
                self.records.distrust(id, times);
            }
        }
    }
}

fn lies_before(records: &Records, id: &ProviderId) -> f64 {
    if !records.is_heard(id) {
        LIES_OF_FOUND
    } else if records.of(id).reader().status() == ReaderStatus::Cleared {
        LIES_OF_KNOWN
    } else {
        LIES
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#[path = "disputes_tests.rs"]
mod tests;
