//! What readers claimed, what reviewers said of it, and what follows: pure, and time plays no part.
//!
//! ```text
//!   reading ─► claims ─► wanted reviews ─► verdicts ─► claim by claim: accepted | rejected | left out
//!                 ▲             │                                        │
//!                 │             └─ nobody to ask ─► not reviewed         ▼ all of them
//!                 └────────────────────────────────────────────── reading settled
//! ```
//!
//! A reviewer is never the reader, and sees a claim once. Who reads falsely too often is told to the caller, who asks it no
//! more (docs/claims.md).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use frlm_verifier::claims::posterior::LeftOut;
use frlm_verifier::claims::prompt::MOST_REVIEWED;
use frlm_verifier::claims::{
    Candidate, Claim, Confusion, Decision, Evidence, ReaderRecord, Review, Rules, Standing, Verdict, decide,
};

use crate::scheduler::SubtaskId;
use crate::swarm::ProviderId;

/// What a reviewer nobody has measured passes of true claims and finds of false ones: models of 7 to 8 billion parameters
/// (docs/claims.md, section 3).
const ASSUMED: (f64, f64) = (0.92, 0.83);
/// What that is worth, in claims.
const ASSUMED_WEIGHT: f64 = 100.0;
/// The share of false claims that code finds: 2 of 15 (docs/claims.md, section 1).
const CODE_CATCHES: f64 = 0.13;
/// How far a claim that code turned down counts as a false one: honest readers name a line too few, or a title that stands
/// elsewhere, and who lies runs the same checks before it answers.
const FELL: f64 = 0.3;
/// The most confidence in a claim that nobody reviewed.
const MOST_UNREVIEWED: f64 = 0.5;
/// P(false) of what the user's own model claims: that of an honest reader.
const OWN_FALSE: f64 = 0.05;
/// P(false) up to which a reviewed claim stands where nobody else can be asked.
const TOLERATED: f64 = 0.1;

/// How claims are accepted: at one in twenty false at most, by three reviews at most.
pub(super) const RULES: Rules = Rules { accept_at: 0.05, most_reviews: 3, trusts_records: false };

/// Who somebody is, as far as that tells one review from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    pub id: ProviderId,
    /// The family of its model.
    pub family: String,
}

/// One claim of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClaimId {
    pub reading: SubtaskId,
    pub at: usize,
}

/// A review that is to be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub claims: Vec<ClaimId>,
    /// Who may not be asked: who read them, and who has reviewed one of them.
    pub not: BTreeSet<ProviderId>,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fate {
    /// Reviews bear it out; how likely it is false all the same.
    Accepted(f64),
    /// Nobody was there to review it.
    NotReviewed(f64),
    /// Reviews reject it.
    Rejected,
    /// It stays undecided.
    LeftOut,
}

/// A reading of which every claim is decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settled {
    pub reading: SubtaskId,
    pub reader: ProviderId,
    pub claims: Vec<(Claim, Fate)>,
    /// Claims that code turned down.
    pub fallen: usize,
    /// How likely a claim of the reader was false by its record, before this reading.
    pub prior: f64,
}

impl Fate {
    /// Whether the claim is used.
    pub fn stands(self) -> bool {
        self.belief().is_some()
    }

    /// The confidence in it; `None` if it is not used.
    fn belief(self) -> Option<f64> {
        match self {
            Self::Accepted(p_false) => Some(1.0 - p_false),
            Self::NotReviewed(p_false) => Some((1.0 - p_false).min(MOST_UNREVIEWED)),
            Self::Rejected | Self::LeftOut => None,
        }
    }
}

impl Settled {
    /// The claims that are used.
    pub fn standing(&self) -> impl Iterator<Item = &(Claim, Fate)> {
        self.claims.iter().filter(|(_, fate)| fate.stands())
    }

    /// Whether others have seen any of it.
    pub fn is_reviewed(&self) -> bool {
        self.claims.iter().any(|(_, fate)| !matches!(fate, Fate::NotReviewed(_)))
    }

    /// How far its claims are believed on average; of a reading that found nothing, how far its reader is; `None` where none
    /// of its claims is used.
    pub fn belief(&self) -> Option<f64> {
        if self.claims.is_empty() {
            return Some(1.0 - self.prior);
        }
        let beliefs: Vec<f64> = self.claims.iter().filter_map(|(_, fate)| fate.belief()).collect();
        (!beliefs.is_empty()).then(|| beliefs.iter().sum::<f64>() / beliefs.len() as f64)
    }
}

#[derive(Debug)]
struct Open {
    claim: Claim,
    reviews: Vec<Review>,
    /// Whether a review of it is out.
    is_out: bool,
    /// Whether nobody is left who would review it.
    is_alone: bool,
    fate: Option<Fate>,
}

#[derive(Debug)]
struct Reading {
    reader: Person,
    claims: Vec<Open>,
    fallen: usize,
}

/// All claims of a run that are not settled yet, and what the run has seen of readers and reviewers.
#[derive(Debug)]
pub(super) struct Book {
    rules: Rules,
    readings: BTreeMap<SubtaskId, Reading>,
    reviews: HashMap<SubtaskId, Vec<ClaimId>>,
    readers: HashMap<ProviderId, ReaderRecord>,
    reviewers: HashMap<ProviderId, Confusion>,
    /// Readers whose exclusion was told.
    excluded: BTreeSet<ProviderId>,
}

impl Book {
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            readings: BTreeMap::new(),
            reviews: HashMap::new(),
            readers: HashMap::new(),
            reviewers: HashMap::new(),
            excluded: BTreeSet::new(),
        }
    }

    /// Whether a reading waits for reviews.
    pub fn any_open(&self) -> bool {
        !self.readings.is_empty()
    }

    /// Takes in a reading. `fallen` of its claims were turned down by code.
    pub fn take(&mut self, reading: SubtaskId, reader: Person, claims: Vec<Claim>, fallen: usize) {
        let record = self.readers.entry(reader.id.clone()).or_default();
        (0..fallen).for_each(|_| record.observe(FELL));
        let open = |claim| Open { claim, reviews: Vec::new(), is_out: false, is_alone: false, fate: None };
        let claims = claims.into_iter().map(open).collect();
        self.readings.insert(reading, Reading { reader, claims, fallen });
    }

    /// A reading needs no review: its reader is the user's own.
    pub fn believe(&mut self, reading: SubtaskId) {
        for open in self.readings.get_mut(&reading).into_iter().flat_map(|reading| &mut reading.claims) {
            open.fate = Some(Fate::Accepted(OWN_FALSE));
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
    /// `reviewers` are those who are here and can review.
    /// `may_come`: others may still come, so that a claim without any reviewer waits.
    pub fn wanted(&mut self, reviewers: &[Person], may_come: bool) -> Vec<Wanted> {
        let mut wanted: Vec<Wanted> = Vec::new();
        for (&reading, one) in &mut self.readings {
            let record = self.readers.get(&one.reader.id).copied().unwrap_or_default();
            let mut groups: BTreeMap<BTreeSet<ProviderId>, Vec<ClaimId>> = BTreeMap::new();
            for (at, open) in one.claims.iter_mut().enumerate() {
                if open.is_out || open.fate.is_some() {
                    continue;
                }
                let not = not_asked(&one.reader, &open.reviews);
                let free = reviewers.iter().filter(|person| !open.is_alone && !not.contains(&person.id));
                let candidates: Vec<Candidate> =
                    free.map(|person| candidate(person, &self.reviewers, &self.readers)).collect();
                let evidence = evidence(&one.reader, &record, &open.reviews);
                match decide(&evidence, &self.rules, &candidates, u64::MAX) {
                    Decision::Ask(_) => groups.entry(not).or_default().push(ClaimId { reading, at }),
                    Decision::LeftOut { reason: LeftOut::NoReviewer, .. }
                        if may_come && open.reviews.is_empty() && !open.is_alone => {}
                    decision => open.fate = Some(fate(&decision, &open.reviews)),
                }
            }
            for (not, claims) in groups {
                let batches = claims.chunks(MOST_REVIEWED);
                wanted.extend(batches.map(|claims| Wanted { claims: claims.to_vec(), not: not.clone() }));
            }
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
        self.reviews.insert(review, claims);
    }

    /// A review came.
    pub fn reviewed(&mut self, review: SubtaskId, reviewer: &Person, verdicts: &[Verdict]) {
        let confusion = confusion(&reviewer.id, &self.reviewers);
        let is_newcomer = is_newcomer(&reviewer.id, &self.readers);
        for (id, verdict) in self.reviews.remove(&review).unwrap_or_default().into_iter().zip(verdicts) {
            let Some(open) = self.open_mut(id) else { continue };
            open.is_out = false;
            open.reviews.push(Review {
                reviewer: reviewer.id.to_string(),
                family: reviewer.family.clone(),
                verdict: *verdict,
                confusion,
                is_newcomer,
            });
        }
    }

    /// Reviews that are asked for and did not come.
    pub fn out(&self) -> Vec<SubtaskId> {
        let mut out: Vec<SubtaskId> = self.reviews.keys().copied().collect();
        out.sort_unstable();
        out
    }

    /// Nobody does a review: what is known must do.
    pub fn gave_up(&mut self, review: SubtaskId) {
        for id in self.reviews.remove(&review).unwrap_or_default() {
            if let Some(open) = self.open_mut(id) {
                (open.is_out, open.is_alone) = (false, true);
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
        let done = |reading: &Reading| reading.claims.iter().all(|open| open.fate.is_some());
        let ids: Vec<SubtaskId> =
            self.readings.iter().filter(|(_, reading)| done(reading)).map(|(id, _)| *id).collect();
        let mut settled = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(reading) = self.readings.remove(&id) else { continue };
            let prior = self.readers.get(&reading.reader.id).copied().unwrap_or_default().p_false();
            self.learn(&reading);
            let claims = reading.claims.into_iter().filter_map(|open| Some((open.claim, open.fate?)));
            settled.push(Settled {
                reading: id,
                reader: reading.reader.id,
                claims: claims.collect(),
                fallen: reading.fallen,
                prior,
            });
        }
        settled
    }

    /// Readers whose claims were false too often, each told once.
    pub fn newly_excluded(&mut self) -> Vec<ProviderId> {
        let is_out = |record: &ReaderRecord| record.standing() == Standing::Excluded;
        let mut out: Vec<ProviderId> = self
            .readers
            .iter()
            .filter(|(id, record)| is_out(record) && !self.excluded.contains(*id))
            .map(|(id, _)| id.clone())
            .collect();
        out.sort();
        self.excluded.extend(out.iter().cloned());
        out
    }

    fn open_mut(&mut self, id: ClaimId) -> Option<&mut Open> {
        self.readings.get_mut(&id.reading)?.claims.get_mut(id.at)
    }

    fn learn(&mut self, reading: &Reading) {
        let record = self.readers.entry(reading.reader.id.clone()).or_default();
        for open in &reading.claims {
            let p_false = match open.fate {
                Some(Fate::Accepted(p_false)) => p_false,
                Some(Fate::Rejected) => 1.0,
                // What nobody else has seen, or what is disputed, says nothing of anybody.
                Some(Fate::NotReviewed(_) | Fate::LeftOut) | None => continue,
            };
            record.observe(p_false);
            // One reviewer alone would be right by its own word.
            if open.reviews.len() > 1 {
                for review in &open.reviews {
                    let own = self.reviewers.entry(review.reviewer.as_str().into()).or_default();
                    own.observe(p_false, review.verdict);
                }
            }
        }
    }
}

fn not_asked(reader: &Person, reviews: &[Review]) -> BTreeSet<ProviderId> {
    let reviewed = reviews.iter().map(|review| ProviderId::from(review.reviewer.as_str()));
    reviewed.chain([reader.id.clone()]).collect()
}

fn evidence(reader: &Person, record: &ReaderRecord, reviews: &[Review]) -> Evidence {
    Evidence {
        prior: record.p_false(),
        family: reader.family.clone(),
        failure: None,
        code_catches: CODE_CATCHES,
        reviews: reviews.to_vec(),
    }
}

fn candidate(
    person: &Person,
    reviewers: &HashMap<ProviderId, Confusion>,
    readers: &HashMap<ProviderId, ReaderRecord>,
) -> Candidate {
    Candidate {
        reviewer: person.id.to_string(),
        family: person.family.clone(),
        confusion: confusion(&person.id, reviewers),
        price_msats: 1,
        is_newcomer: is_newcomer(&person.id, readers),
    }
}

fn confusion(id: &ProviderId, reviewers: &HashMap<ProviderId, Confusion>) -> Confusion {
    let (pass, catch) = ASSUMED;
    let family = Confusion::assumed(pass, catch, ASSUMED_WEIGHT);
    reviewers.get(id).copied().unwrap_or_default().over(&family)
}

fn is_newcomer(id: &ProviderId, readers: &HashMap<ProviderId, ReaderRecord>) -> bool {
    readers.get(id).is_none_or(|record| record.standing() != Standing::Cleared)
}

/// What a claim comes to that nobody is asked about any more.
fn fate(decision: &Decision, reviews: &[Review]) -> Fate {
    match *decision {
        Decision::Accepted { p_false } | Decision::AcceptedOnRecord { p_false } => Fate::Accepted(p_false),
        Decision::Rejected { .. } | Decision::FailedCheck(_) => Fate::Rejected,
        Decision::LeftOut { p_false, .. } if reviews.is_empty() => Fate::NotReviewed(p_false),
        Decision::LeftOut { p_false, .. } => {
            let is_borne_out = reviews.iter().all(|review| !review.verdict.rejects());
            if is_borne_out && p_false <= TOLERATED { Fate::Accepted(p_false) } else { Fate::LeftOut }
        }
        Decision::Ask(_) => Fate::LeftOut,
    }
}

/// The family of a model by its name: the letters that it begins with.
pub(super) fn family(model: &str) -> String {
    let name = model.rsplit(['/', '\\']).next().unwrap_or(model);
    let letters: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
    if letters.is_empty() { name.to_lowercase() } else { letters.to_lowercase() }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#[path = "book_tests.rs"]
mod tests;
