//! Claims that earlier runs verified: looked up when readings are planned, and kept when the run ends.
//!
//! ```text
//!   planned ─► found in the cache ─► accepted, without a job
//!   settled ─► all of it seen by others? ─► noted ─► the run ends, and what it cost is known ─► kept
//! ```
//!
//! A file that cannot be used costs the savings, never the run.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::UnderReview;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::{Belongs, Outcome, Subtask, Task};
use frlm_questions::stage::RunStage;
use frlm_scheduler::SubtaskId;
use frlm_util::clock::unix_secs;
use frlm_verifier::request::VerificationLevel;

use super::outcome::{ClaimOutcome, Settled};
use crate::claim_cache::{
    CacheError, ClaimCache, Entry, Found, KeptClaim, KeptReading, Key, Strength, look_up, planned,
};
use crate::policy::FrlmPolicy;
use crate::run::RunSetup;
use crate::run::background_writer::read_beside;
use crate::run::claims::ClaimDesk;
use crate::run::journal::Journal;
use crate::run::peers::Peers;
use crate::run::resume::KnownOutcome;
use crate::run::subtasks::{Progress, SubtaskRecord, Subtasks};

/// What a run knows of the cache.
#[derive(Debug, Default)]
pub(in crate::run) struct Kept {
    store: Option<ClaimCache>,
    /// Whether everything is read again.
    is_fresh: bool,
    /// How strict the run was when it began: it may have become stricter since.
    strength: Option<Strength>,
    /// What was verified since.
    noted: Vec<Noted>,
    /// What subtasks cost.
    spent: HashMap<SubtaskId, u64>,
    /// Whether readings that are to join the plan are being looked up.
    pub is_looking: bool,
}

/// Readings that were found, and whether the file had to be set aside; or why none can be.
pub(in crate::run) type LookedUp = Result<(Vec<Found>, Option<String>), String>;

/// A reading that others have seen.
#[derive(Debug)]
struct Noted {
    id: SubtaskId,
    about: Arc<Fragment>,
    question: String,
    manner: String,
    reading: KeptReading,
}

/// How strict a run is, as far as that is known before it asks anybody.
fn strength(policy: &FrlmPolicy) -> Option<Strength> {
    // Without a model of the user's nothing tells this level from the one below it.
    let level = match policy.level {
        VerificationLevel::High if !policy.own_reviews => VerificationLevel::Standard,
        level => level,
    };
    Strength::of(&policy.verification, level)
}

impl Kept {
    /// What is in this store. `is_fresh`: everything is read again, and what is verified stands in the place of what was kept.
    pub fn new(store: Option<ClaimCache>, is_fresh: bool) -> Self {
        Self { store, is_fresh, ..Self::default() }
    }

    /// The run is less strict than it began.
    pub(in crate::run) fn weaken(&mut self, policy: &FrlmPolicy) {
        self.strength = self.strength.and_then(|_| strength(policy));
    }

    /// A subtask cost so much, in one of its attempts.
    pub fn spent(&mut self, id: SubtaskId, sats: u64) {
        if self.store.is_some() && sats > 0 {
            let all = self.spent.entry(id).or_default();
            *all = all.saturating_add(sats);
        }
    }

    /// Notes what a second reading adds to a part.
    pub(super) fn note_second(
        &mut self,
        part: SubtaskId,
        settled: &Settled,
        added: &Settled,
        about: &Fragment,
    ) {
        let Some(noted) = self.noted.iter_mut().find(|noted| noted.id == part) else { return };
        let KeptReading { claims, readers, .. } = &mut noted.reading;
        claims.extend(accepted(added, about));
        if !claims.is_empty() {
            readers.clear();
        } else if settled.claims.is_empty() && settled.fallen == 0 {
            readers.push(settled.reader.to_string());
        }
    }
}

impl ClaimDesk {
    /// Looks up readings that earlier runs verified, beside the loop; `None` if there is nothing to look for.
    pub(in crate::run) fn begin_to_look_up(
        &mut self,
        setup: &RunSetup,
        subtasks: &[Subtask],
    ) -> Option<impl Future<Output = LookedUp> + Send + use<>> {
        let (store, strength) = (self.kept.store.clone()?, strength(&setup.policy)?);
        let strength = *self.kept.strength.get_or_insert(strength);
        let known = &setup.known.outcomes;
        let is_new = |subtask: &Subtask| known.is_empty() || !known.contains_key(&subtask.key());
        let planned = planned(subtasks, &setup.question, is_new);
        if planned.is_empty() || self.kept.is_fresh {
            return None;
        }
        self.kept.is_looking = true;
        Some(read_beside(move || look_up(&store, &planned, strength)))
    }

    /// They were looked up; the answers by the place of their subtasks.
    pub(in crate::run) fn looked_up(
        &mut self,
        journal: &mut Journal,
        found: LookedUp,
        of: usize,
    ) -> HashMap<usize, KnownOutcome> {
        self.kept.is_looking = false;
        let found = match found {
            Ok((found, quarantined)) => {
                if let Some(quarantined) = quarantined {
                    journal.notice(RunStage::Plan, &quarantined);
                }
                found
            }
            Err(why) => {
                // Said once.
                self.kept.store = None;
                journal
                    .notice(RunStage::Plan, &format!("verified claims of earlier runs are not used: {why}"));
                return HashMap::new();
            }
        };
        self.tell_reuse(journal, &found, of);
        let known = |found: Found| KnownOutcome {
            outcome: found.outcome,
            agreement: 1.0,
            confidence: Some(found.confidence),
            replicas: 1,
            local: false,
        };
        found.into_iter().map(|found| (found.at, known(found))).collect()
    }

    fn tell_reuse(&mut self, journal: &mut Journal, found: &[Found], of: usize) {
        if found.is_empty() {
            return;
        }
        let claims: usize = found.iter().map(|found| found.claims).sum();
        let sats = found.iter().fold(0_u64, |all, found| all.saturating_add(found.sats));
        let report = &mut self.report;
        report.earlier.reused += claims;
        report.earlier.reused_parts += found.len();
        report.earlier.saved_sats = report.earlier.saved_sats.saturating_add(sats);
        let words = format!(
            "{} of {of} parts are not read again: earlier runs asked the same of the same lines, {claims} claims of theirs \
             were verified, and {sats} sats were paid for that (--fresh reads them again)",
            found.len()
        );
        journal.notice(RunStage::Plan, &words);
    }

    /// Notes a reading that stands, if others have seen all of it.
    pub(super) fn note_reading(
        &mut self,
        setup: &RunSetup,
        subtasks: &Subtasks,
        settled: &Settled,
        about: &Arc<Fragment>,
        is_own: bool,
    ) {
        if is_own || self.kept.store.is_none() || self.kept.strength.is_none() {
            return;
        }
        let claims: Vec<KeptClaim> = accepted(settled, about).collect();
        let says_nothing = settled.claims.is_empty() && settled.fallen == 0;
        if !settled.is_wholly_reviewed() || claims.is_empty() && !says_nothing {
            return;
        }
        let Some(record) = subtasks.of(settled.reading) else { return };
        let Task::Map { task, .. } = record.task() else { return };
        let whole = record.subtask.belongs == Belongs::Whole;
        let question = if whole { &setup.question } else { &task.question };
        let readers = if says_nothing { vec![settled.reader.to_string()] } else { Vec::new() };
        self.kept.noted.push(Noted {
            id: settled.reading,
            about: Arc::clone(about),
            question: question.clone(),
            manner: task.manner.clone(),
            reading: KeptReading { claims, readers, sats: 0 },
        });
    }

    /// Keeps what was verified, once it is known what it cost; by the run's id and question.
    pub(in crate::run) async fn keep_claims(
        &mut self,
        (run, question): (String, String),
        peers: &Peers,
        subtasks: &Subtasks,
        journal: &mut Journal,
    ) {
        let noted = std::mem::take(&mut self.kept.noted);
        let (Some(store), Some(strength)) = (self.kept.store.clone(), self.kept.strength) else {
            return;
        };
        // Who was found out since has not found nothing, but may not have looked.
        let is_out = |noted: &Noted| {
            noted.reading.readers.iter().any(|reader| peers.is_excluded(&reader.as_str().into()))
        };
        let mut noted: Vec<Noted> = noted.into_iter().filter(|noted| !is_out(noted)).collect();
        // What was decided once more is kept as it was decided in the end.
        noted.retain_mut(|noted| {
            let before = noted.reading.claims.len();
            let stands: HashSet<&str> = subtasks.of(noted.id).map(stated).unwrap_or_default();
            noted.reading.claims.retain(|claim| stands.contains(claim.text.as_str()));
            before == 0 || !noted.reading.claims.is_empty()
        });
        if noted.is_empty() {
            return;
        }
        self.count_costs(subtasks, &mut noted);
        let kept = tokio::task::spawn_blocking(move || {
            let entry = |noted: Noted| Entry {
                key: Key::of(&noted.about, &noted.question, &noted.manner),
                file: noted.about.file.to_string(),
                reading: noted.reading,
            };
            let entries: Vec<Entry> = noted.into_iter().map(entry).collect();
            let quarantined = store.make_ready()?;
            store.keep(&run, &question, &entries, strength, unix_secs())?;
            Ok::<_, CacheError>(quarantined)
        });
        match kept.await {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(quarantined))) => journal.notice(RunStage::Plan, &quarantined),
            Ok(Err(error)) => {
                let why = format!("what this run verified is not kept for the next: {error}");
                journal.notice(RunStage::Plan, &why);
            }
            Err(lost) => tracing::warn!(%lost, "verified claims are not kept"),
        }
    }

    /// What each reading and the reviews of its claims came to.
    fn count_costs(&self, subtasks: &Subtasks, noted: &mut [Noted]) {
        let spent = &self.kept.spent;
        let mut of: HashMap<(u32, &str), usize> = HashMap::new();
        let mut costs: Vec<u64> = Vec::with_capacity(noted.len());
        for (at, one) in noted.iter().enumerate() {
            costs.push(spent.get(&one.id).copied().unwrap_or(0));
            of.extend(one.reading.claims.iter().map(|claim| ((one.about.id.0, claim.text.as_str()), at)));
        }
        for (&id, &sats) in spent {
            let review = match subtasks.of(id).map(SubtaskRecord::task) {
                Some(Task::Review(review)) => review,
                Some(Task::Reread { .. }) => {
                    let part = self.book.seconds.part_of(id);
                    if let Some(at) = noted.iter().position(|one| one.id == part) {
                        costs[at] = costs[at].saturating_add(sats);
                    }
                    continue;
                }
                _ => continue,
            };
            let about =
                |claim: &UnderReview| of.get(&(claim.fragment.id.0, claim.claim.text.as_str())).copied();
            if let Some(at) = review.claims.iter().find_map(about) {
                costs[at] = costs[at].saturating_add(sats);
            }
        }
        for (one, sats) in noted.iter_mut().zip(costs) {
            one.reading.sats = sats;
        }
    }
}

/// Claims of a reading that reviews bore out.
fn accepted(settled: &Settled, about: &Fragment) -> impl Iterator<Item = KeptClaim> {
    settled.claims.iter().filter_map(|(claim, outcome)| match outcome {
        ClaimOutcome::Accepted(p_false) => Some(KeptClaim::of(claim, about, 1.0 - p_false)),
        ClaimOutcome::NotReviewed(_)
        | ClaimOutcome::Rejected
        | ClaimOutcome::Undecided
        | ClaimOutcome::Unjudged => None,
    })
}

/// The claims that a reading came to.
fn stated(record: &SubtaskRecord) -> HashSet<&str> {
    let Progress::Accepted(accepted) = &record.state else { return HashSet::new() };
    let Outcome::Mapped(MapAnswer::Claims { claims }) = &accepted.outcome else { return HashSet::new() };
    let texts = claims.iter().filter_map(|claim| match claim {
        MapAnswer::Words { answer, .. } => Some(answer.as_str()),
        _ => None,
    });
    texts.collect()
}
