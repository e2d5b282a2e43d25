//! What readers claimed, what reviewers said of it, and what follows: pure, and time plays no part.
//!
//! ```text
//!   reading ─► claims ─► wanted reviews ─► sheet: claims and gold ─► verdicts ─► claim: accepted | rejected | left out
//!                 ▲             │                                       │ gold: record      │
//!                 │             └─ nobody to ask ─► not reviewed        ▼                   ▼ all of them
//!                 │                            found to be blind ─► its verdicts weigh     reading settled ─► gold
//!                 └───────────────────────────────────────────────── nothing any more
//! ```
//!
//! A reviewer is never the reader, and sees a claim once. A verdict's weight follows from its reviewer's record when the claim
//! is decided, not when the verdict came. The caller is told of readers whose claims are false too often, and of reviewers
//! whose verdicts do not depend on the claims, and asks them no more (docs/claims.md). Gold claims belong to [`Examination`].
//! Their verdicts change records only; a review with a wrong one fails, and its verdicts on other claims do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::posterior::{Undecided, may_review};
use frlm_verifier::claims::prompt::MOST_REVIEWED;
use frlm_verifier::claims::{
    Candidate, Claim, ClaimRecord, Decision, Evidence, Observation, ReaderStatus, Review, Rules, Text,
    Verdict, decide,
};

use super::disputes::is_contested;
use super::doubt::Kept;
use super::examination::{Attempt, Examination, Item};
use super::outcome::{Before, ClaimId, ClaimOutcome, Person, Settled, Wanted, outcome};
use super::records::Records;
use super::rules::is_strict;
use super::second::SecondReadings;
use crate::swarm::ProviderId;

/// The share of false claims that code finds: 2 of 15 (docs/claims.md, section 1).
const CODE_CATCHES: f64 = 0.13;
/// How far a claim that code rejected counts as a false one: honest readers name a line too few, or a title that stands
/// elsewhere, and who lies runs the same checks before it answers.
const FELL: f64 = 0.3;
/// P(false) of what the user's own model claims: that of an honest reader.
const OWN_FALSE: f64 = 0.05;

/// A verdict that was given on a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub reviewer: Person,
    pub verdict: Verdict,
    /// Whether its reviewer had no record then.
    pub is_newcomer: bool,
    /// Whether the user trusts its reviewer.
    pub is_trusted: bool,
}

#[derive(Debug)]
pub(super) struct Open {
    pub claim: Claim,
    pub given: Vec<Given>,
    /// Whether a review of it is out.
    pub is_out: bool,
    /// Whether nobody is left who would review it.
    pub is_alone: bool,
    pub outcome: Option<ClaimOutcome>,
}

#[derive(Debug)]
pub(super) struct Reading {
    pub reader: Person,
    pub claims: Vec<Open>,
    pub fallen: usize,
    /// Whether gold among its claims would look like them: not among the sentences of a written answer.
    pub takes_gold: bool,
    /// Whether it was settled before.
    pub is_again: bool,
    /// Whether its reader is the user's own model.
    is_own: bool,
}

/// A review that is out.
#[derive(Debug)]
struct Asked {
    /// `None`: it is asked for in another review, as gold took its place.
    claims: Vec<Option<ClaimId>>,
    was_sent: bool,
    /// Whether an attempt failed its gold: its reviewer has not been heard then.
    has_failed: bool,
}

/// What a review came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// Its verdicts count.
    Counts {
        /// Verdicts on claims.
        claims: usize,
        /// Verdicts on gold.
        gold: usize,
    },
    /// A verdict on gold was wrong, or its reviewer is found to be blind: it counts for nothing.
    Fails {
        /// Verdicts on gold.
        gold: usize,
        /// Those of them that are wrong.
        wrong: usize,
    },
}

/// Why somebody is asked no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Too many of its claims are false.
    ReadsFalsely,
    /// Its verdicts do not depend on the claims: of so many gold claims so many were wrong.
    ReviewsBlindly {
        /// Gold claims that it was shown.
        gold: u32,
        /// Those that it had wrong.
        wrong: u32,
    },
    /// It rejects what everybody else bears out; so many claims.
    StandsAlone {
        /// How many.
        times: usize,
    },
}

/// All claims of a run that are not settled yet, and what is known of readers and reviewers.
#[derive(Debug)]
pub struct Book {
    pub(super) rules: Rules,
    /// The reviewer that the user trusts, while it can be asked.
    pub(super) trusted: Option<Person>,
    pub(super) readings: BTreeMap<SubtaskId, Reading>,
    reviews: HashMap<SubtaskId, Asked>,
    pub(super) records: Records,
    pub(super) examination: Examination,
    /// Who has read a part, or reviewed a claim about it.
    pub(super) acquainted: BTreeMap<SubtaskId, BTreeSet<ProviderId>>,
    /// Gold that was made of claims about a part.
    gold_about: BTreeMap<SubtaskId, Vec<String>>,
    /// Parts that are read once, or twice.
    pub seconds: SecondReadings,
    /// Accepted claims of settled readings.
    pub(super) kept: Vec<Kept>,
    /// Those whose exclusion was told.
    excluded: BTreeSet<ProviderId>,
}

impl Reading {
    fn new(reader: Person, claims: Vec<Claim>, fallen: usize) -> Self {
        let claims = claims.into_iter().map(Open::new).collect();
        Self { reader, claims, fallen, takes_gold: true, is_again: false, is_own: false }
    }

    /// For claims that are open again.
    pub fn again(reader: Person) -> Self {
        Self { is_again: true, ..Self::new(reader, Vec::new(), 0) }
    }
}

impl Open {
    pub fn new(claim: Claim) -> Self {
        Self { claim, given: Vec::new(), is_out: false, is_alone: false, outcome: None }
    }
}

impl Book {
    /// `seed`: what is drawn by lot nobody else may know.
    pub fn new(rules: Rules, seed: u64) -> Self {
        Self {
            rules,
            trusted: None,
            readings: BTreeMap::new(),
            reviews: HashMap::new(),
            records: Records::default(),
            examination: Examination::new(seed),
            acquainted: BTreeMap::new(),
            gold_about: BTreeMap::new(),
            seconds: SecondReadings::new(seed),
            kept: Vec::new(),
            excluded: BTreeSet::new(),
        }
    }

    /// Who may not read a part for the second time ([`SecondReadings`]); `None` where nobody is left.
    pub fn not_second(&self, part: SubtaskId, here: &[Person]) -> Option<BTreeSet<ProviderId>> {
        self.seconds.not_again(part, self.acquainted.get(&part), here)
    }

    /// Whether a reading waits for reviews.
    pub fn any_open(&self) -> bool {
        !self.readings.is_empty()
    }

    /// Whether claims of readings that were settled are open again.
    pub fn any_again(&self) -> bool {
        self.readings.values().any(|reading| reading.is_again)
    }

    /// Takes in what earlier runs knew of readers and reviewers.
    pub fn recall(&mut self, known: HashMap<String, ClaimRecord>) {
        self.records.recall(known);
    }

    /// What was seen of readers and reviewers and is not written yet.
    pub fn take_seen(&mut self) -> Vec<(ProviderId, Vec<Observation>)> {
        self.records.take_seen()
    }

    /// Makes gold of what others have settled about a part: each claim serves once, changed or as it is. The names of what was
    /// made.
    pub fn make_gold(&mut self, settled: &Settled, text: &Text) -> Vec<String> {
        let part = self.seconds.part_of(settled.reading);
        let known_to = self.acquainted(part);
        let made = self.examination.make(&settled.claims, text, &known_to);
        self.gold_about.entry(part).or_default().extend(made.iter().cloned());
        made
    }

    /// Takes in a reading. `fallen` of its claims were rejected by code. What a second reader of a part states as the first
    /// did is decided.
    pub fn take(&mut self, reading: SubtaskId, reader: Person, claims: Vec<Claim>, fallen: usize) {
        (0..fallen).for_each(|_| self.records.observe(&reader.id, Observation::Claim { p_false: FELL }));
        let part = self.seconds.part_of(reading);
        self.acquainted.entry(part).or_default().insert(reader.id.clone());
        if let Some(gold) = self.gold_about.get(&part) {
            self.examination.pool.is_known_to(gold, &reader.id);
        }
        let mut taken = Reading::new(reader, claims, fallen);
        for open in &mut taken.claims {
            open.outcome = self.seconds.known(reading, &open.claim);
        }
        self.readings.insert(reading, taken);
    }

    /// A reading needs no review: its reader is the user's own.
    pub fn believe(&mut self, reading: SubtaskId) {
        let Some(reading) = self.readings.get_mut(&reading) else { return };
        reading.is_own = true;
        reading.claims.iter_mut().for_each(|open| open.outcome = Some(ClaimOutcome::Accepted(OWN_FALSE)));
    }

    /// A reading is a written answer: gold among its sentences would be known at once.
    pub fn is_written(&mut self, reading: SubtaskId) {
        if let Some(reading) = self.readings.get_mut(&reading) {
            reading.takes_gold = false;
        }
    }

    /// A reading is not wanted any more.
    pub fn forget(&mut self, reading: SubtaskId) {
        self.readings.remove(&reading);
    }

    /// A claim that is still open.
    pub fn claim(&self, id: ClaimId) -> Option<&Claim> {
        self.readings.get(&id.reading)?.claims.get(id.at).map(|open| &open.claim)
    }

    /// Decides what can be decided, and says which reviews are to be asked for: claims of one reading go together.
    /// `reviewers` are those who are here and can review, without the one that the user trusts.
    /// `may_come`: others may still come, so that a claim without any reviewer waits.
    pub fn wanted(&mut self, reviewers: &[Person], may_come: bool) -> Vec<Wanted> {
        let mut wanted: Vec<Wanted> = Vec::new();
        let is_strict = is_strict(&self.rules);
        let mut open = self.readings.values().flat_map(|reading| &reading.claims);
        let together = open.any(|open| is_contested(&open.given)).then(|| self.together());
        for (&reading, one) in &mut self.readings {
            let mut groups: BTreeMap<[BTreeSet<ProviderId>; 2], Vec<ClaimId>> = BTreeMap::new();
            let mut for_trusted: Vec<ClaimId> = Vec::new();
            for (at, open) in one.claims.iter_mut().enumerate() {
                if open.is_out || open.outcome.is_some() {
                    continue;
                }
                let not = not_asked(&one.reader, &open.given);
                let free = |person: &&Person| !open.is_alone && !not.contains(&person.id);
                let others = reviewers.iter().filter(free).map(|person| (person, false));
                let trusted = self.trusted.iter().filter(free).map(|person| (person, true));
                let candidates: Vec<Candidate> = others
                    .chain(trusted)
                    .map(|(person, is_trusted)| {
                        let is_newcomer = !is_trusted && is_newcomer(&self.records.of(&person.id));
                        Candidate { reviewer: person.id.to_string(), is_newcomer, is_trusted }
                    })
                    .collect();
                let evidence = evidence(&one.reader, &open.given, &self.records);
                match decide(&evidence, &self.rules, &candidates) {
                    Decision::Ask => {
                        let rather = rather(&evidence, candidates);
                        groups.entry([not, rather]).or_default().push(ClaimId { reading, at });
                    }
                    Decision::AskTrusted => for_trusted.push(ClaimId { reading, at }),
                    Decision::Undecided { reason: Undecided::NoReviewer, .. }
                        if may_come && !open.is_alone && (open.given.is_empty() || is_strict) => {}
                    decision => {
                        let by_itself = outcome(&decision, &evidence.reviews, &self.rules);
                        let stays = is_strict || is_rejected_by_trusted(&open.given);
                        let by_all = together
                            .as_ref()
                            .filter(|_| by_itself == ClaimOutcome::Undecided && !stays)
                            .and_then(|together| together.settles(&one.reader, &open.given));
                        open.outcome = Some(by_all.unwrap_or(by_itself));
                    }
                }
            }
            for ([not, rather], claims) in groups {
                // Where a reviewer is examined, one place of a full review is left to gold.
                let is_examined = |person: &Person| {
                    !not.contains(&person.id)
                        && self.records.of(&person.id).stamp().is_examined()
                        && self.examination.pool.has_for(&person.id)
                };
                let leaves_room = one.takes_gold && reviewers.iter().any(is_examined);
                let batches = claims.chunks(MOST_REVIEWED - usize::from(leaves_room));
                wanted.extend(batches.map(|claims| Wanted {
                    claims: claims.to_vec(),
                    not: not.clone(),
                    rather: rather.clone(),
                    is_for_trusted: false,
                }));
            }
            wanted.extend(for_trusted.chunks(MOST_REVIEWED).map(|claims| Wanted {
                claims: claims.to_vec(),
                not: BTreeSet::new(),
                rather: BTreeSet::new(),
                is_for_trusted: true,
            }));
        }
        wanted
    }

    /// A review is asked for.
    pub fn asked(&mut self, review: SubtaskId, claims: Vec<ClaimId>) {
        for id in &claims {
            if let Some(open) = self.open_mut(*id) {
                open.is_out = true;
            }
        }
        let claims = claims.into_iter().map(Some).collect();
        self.reviews.insert(review, Asked { claims, was_sent: false, has_failed: false });
    }

    /// What an attempt of a review shows to its reviewer: claims by their place in the review, and gold if it is to have any. In a
    /// full review, and with a reviewer that is no newcomer, gold takes the place of a claim, which is asked for in another: how
    /// many there are tells nothing.
    pub fn sheet(&mut self, attempt: Attempt, reviewer: &ProviderId, is_examined: bool) -> Vec<Item> {
        let Some(review) = self.reviews.get_mut(&attempt.0) else { return Vec::new() };
        let shown = |review: &Asked| -> Vec<(usize, ClaimId)> {
            review.claims.iter().enumerate().filter_map(|(at, id)| Some((at, (*id)?))).collect()
        };
        let mut claims = shown(review);
        let of = |id: ClaimId| self.readings.get(&id.reading);
        let takes_gold = claims.iter().all(|(_, id)| of(*id).is_some_and(|reading| reading.takes_gold));
        let record = self.records.of(reviewer);
        let may_give_way = !review.was_sent && claims.len() > 1;
        let gives_way = claims.len() >= MOST_REVIEWED || (!record.stamp().is_examined() && may_give_way);
        let may_have_gold = takes_gold && is_examined && (may_give_way || !gives_way);
        let gold = if may_have_gold { self.examination.draw(reviewer, &record) } else { None };
        review.was_sent = true;
        if gold.is_some()
            && gives_way
            && let Some((at, id)) = claims.pop()
        {
            review.claims[at] = None;
            if let Some(open) = self.open_mut(id) {
                open.is_out = false;
            }
        }
        for (_, id) in &claims {
            let part = self.seconds.part_of(id.reading);
            self.acquainted.entry(part).or_default().insert(reviewer.clone());
        }
        let items = claims.into_iter().map(|(at, _)| Item::Claim(at)).chain(gold.map(Item::Gold)).collect();
        self.examination.write(attempt, items, takes_gold)
    }

    /// An attempt of a review came back.
    pub fn reviewed(&mut self, attempt: Attempt, reviewer: &Person, verdicts: &[Verdict]) -> Came {
        let plain = || (0..verdicts.len()).map(Item::Claim).collect();
        let items: Vec<Item> = self.examination.take(attempt).unwrap_or_else(plain);
        let is_trusted = self.trusted.as_ref().is_some_and(|trusted| trusted.id == reviewer.id);
        let is_newcomer = !is_trusted && is_newcomer(&self.records.of(&reviewer.id));
        let (mut gold, mut wrong, mut said) = (0, 0, Vec::new());
        for (item, verdict) in items.iter().zip(verdicts) {
            match item {
                Item::Claim(at) => said.push((*at, *verdict)),
                Item::Gold(one) => {
                    let Some((is_false, p_false)) = self.examination.grade(one) else { continue };
                    let seen = Observation::Gold { is_false, p_false, verdict: *verdict };
                    self.records.observe(&reviewer.id, seen);
                    gold += 1;
                    wrong += usize::from(verdict.rejects() != is_false);
                }
            }
        }
        if wrong > 0 || self.records.of(&reviewer.id).reviews_blindly() {
            if let Some(review) = self.reviews.get_mut(&attempt.0) {
                review.has_failed = true;
            }
            return Came::Fails { gold, wrong };
        }
        let asked = self.reviews.remove(&attempt.0).map(|review| review.claims).unwrap_or_default();
        let mut claims = 0;
        for (at, verdict) in said {
            let id = asked.get(at).copied().flatten();
            let Some(open) = id.and_then(|id| self.open_mut(id)) else { continue };
            open.is_out = false;
            open.given.push(Given { reviewer: reviewer.clone(), verdict, is_newcomer, is_trusted });
            claims += 1;
        }
        Came::Counts { claims, gold }
    }

    /// Reviews that are asked for and did not come.
    pub fn out(&self) -> Vec<SubtaskId> {
        let mut out: Vec<SubtaskId> = self.reviews.keys().copied().collect();
        out.sort_unstable();
        out
    }

    /// Nobody does a review: what is known must do. Where gold was failed, those who failed may be asked once more: each time
    /// takes a gold claim, and there are only so many.
    pub fn gave_up(&mut self, review: SubtaskId) {
        let Some(review) = self.reviews.remove(&review) else { return };
        for id in review.claims.into_iter().flatten() {
            if let Some(open) = self.open_mut(id) {
                (open.is_out, open.is_alone) = (false, !review.has_failed);
            }
        }
    }

    /// Nobody is asked any more; the reviews that are out.
    pub fn close(&mut self) -> Vec<SubtaskId> {
        let out = self.out();
        for review in &out {
            self.gave_up(*review);
        }
        for reading in self.readings.values_mut() {
            reading.claims.iter_mut().for_each(|open| open.is_alone = true);
        }
        out
    }

    /// Readings of which every claim is decided; they leave the book, and teach it about their readers and reviewers.
    pub fn settled(&mut self) -> Vec<Settled> {
        let done = |reading: &Reading| reading.claims.iter().all(|open| open.outcome.is_some());
        let ids: Vec<SubtaskId> =
            self.readings.iter().filter(|(_, reading)| done(reading)).map(|(id, _)| *id).collect();
        let mut settled = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(reading) = self.readings.remove(&id) else { continue };
            let prior = self.records.of(&reading.reader.id).reader().p_false();
            self.learn(&reading);
            self.keep(id, &reading);
            let claims = reading.claims.into_iter().filter_map(|open| Some((open.claim, open.outcome?)));
            settled.push(Settled {
                reading: id,
                reader: reading.reader.id,
                claims: claims.collect(),
                fallen: reading.fallen,
                prior,
                again: reading.is_again.then_some(Before::Accepted),
            });
        }
        settled
    }

    /// Those of `here` that are asked no more, each told once.
    pub fn newly_excluded<'a>(
        &mut self,
        here: impl Iterator<Item = &'a ProviderId>,
    ) -> Vec<(ProviderId, Found)> {
        let mut out: Vec<(ProviderId, Found)> = here
            .filter(|id| !self.excluded.contains(*id))
            .filter_map(|id| Some((id.clone(), self.found(id)?)))
            .collect();
        out.sort_by(|a, b| a.0.cmp(&b.0));
        self.excluded.extend(out.iter().map(|(id, _)| id.clone()));
        out
    }

    /// Who has read a part, or reviewed a claim about it: whom gold made from it would tell nothing of.
    fn acquainted(&self, part: SubtaskId) -> BTreeSet<String> {
        self.acquainted.get(&part).into_iter().flatten().map(ToString::to_string).collect()
    }

    fn found(&self, id: &ProviderId) -> Option<Found> {
        let record = self.records.of(id);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts, and a float saturates"
        )]
        let count = |count: f64| count as u32;
        if record.reviews_blindly() {
            let (gold, wrong) = (count(record.stamp().gold()), count(record.gold_wrong()));
            Some(Found::ReviewsBlindly { gold, wrong })
        } else if record.reads_falsely() {
            Some(Found::ReadsFalsely)
        } else {
            self.records.contradicts(id).map(|times| Found::StandsAlone { times })
        }
    }

    fn open_mut(&mut self, id: ClaimId) -> Option<&mut Open> {
        self.readings.get_mut(&id.reading)?.claims.get_mut(id.at)
    }

    fn learn(&mut self, reading: &Reading) {
        // The user's own model is not on trial.
        if reading.is_own {
            return;
        }
        for open in &reading.claims {
            let p_false = match open.outcome {
                Some(ClaimOutcome::Accepted(p_false)) => p_false,
                Some(ClaimOutcome::Rejected) => 1.0,
                // What nobody else has seen, or what is disputed, says nothing of anybody.
                Some(ClaimOutcome::NotReviewed(_) | ClaimOutcome::Undecided | ClaimOutcome::Unjudged)
                | None => {
                    continue;
                }
            };
            self.records.observe(&reading.reader.id, Observation::Claim { p_false });
            // One reviewer alone would be right by its own word.
            if open.given.len() > 1 {
                for given in &open.given {
                    let seen = Observation::Review { p_false, verdict: given.verdict };
                    self.records.observe(&given.reviewer.id, seen);
                }
            }
        }
    }
}

/// Whether the one that the user trusts rejects a claim.
pub(super) fn is_rejected_by_trusted(given: &[Given]) -> bool {
    given.iter().any(|given| given.is_trusted && given.verdict.rejects())
}

fn not_asked(reader: &Person, given: &[Given]) -> BTreeSet<ProviderId> {
    given.iter().map(|given| given.reviewer.id.clone()).chain([reader.id.clone()]).collect()
}

/// Who is to review a claim rather than others of the candidates; nobody where that makes no difference. The one that the user
/// trusts is asked apart.
fn rather(evidence: &Evidence, mut candidates: Vec<Candidate>) -> BTreeSet<ProviderId> {
    candidates.retain(|candidate| !candidate.is_trusted);
    let may = may_review(evidence, &candidates);
    if may.len() == candidates.len() {
        return BTreeSet::new();
    }
    may.into_iter().map(|at| candidates[at].reviewer.as_str().into()).collect()
}

/// What is known of a claim by now. Verdicts that do not depend on the claim say nothing.
pub(super) fn evidence(reader: &Person, given: &[Given], records: &Records) -> Evidence {
    let heard = given.iter().filter(|given| records.is_heard(&given.reviewer.id));
    let reviews = heard.map(|given| Review {
        reviewer: given.reviewer.id.to_string(),
        family: given.reviewer.family.clone(),
        verdict: given.verdict,
        confusion: records.of(&given.reviewer.id).confusion(),
        is_newcomer: given.is_newcomer,
        is_trusted: given.is_trusted,
    });
    Evidence {
        prior: records.of(&reader.id).reader().p_false(),
        family: reader.family.clone(),
        code_catches: CODE_CATCHES,
        reviews: reviews.collect(),
    }
}

fn is_newcomer(record: &ClaimRecord) -> bool {
    record.reader().status() != ReaderStatus::Cleared
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#[path = "book_tests.rs"]
mod tests;
