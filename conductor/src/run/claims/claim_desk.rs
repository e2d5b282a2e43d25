//! The desk of claims: what is under review here, what was shown to whom, and what is told of it.
//!
//! It sends nothing and accepts nothing: what a run asks for, does with what is settled, and pays for, is the
//! business of the parent module.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::one_line;
use frlm_questions::answer::ClaimsReport;
use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::{Parts, ReviewTask};
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::{Outcome, Subtask, Task};
use frlm_questions::stage::RunStage;
use frlm_scheduler::{FailureReason, SubtaskId};
use frlm_util::text::shortened;
use frlm_verifier::Replica;
use frlm_verifier::claims::Claim;

use super::book::Book;
use super::kept::Kept;
use super::outcome::{ClaimOutcome, Person, Settled, family};
use super::rules::RULES;
use super::trusted::OwnReviewer;
use crate::claim_cache::ClaimCache;
use crate::run::RunSetup;
use crate::run::journal::Journal;
use crate::run::peers::Peers;
use crate::run::subtasks::{Progress, SubtaskRecord, Subtasks};
use crate::run::validate::Validation;
use crate::swarm::{ProviderId, Ticket};

/// Why a claim is left out that nobody has seen.
pub(super) const UNJUDGED: &str = "nobody was there whose verdict it needs";
/// Claims that did not stand and are told one by one.
const MOST_TOLD: usize = 50;

/// Claims that are under review, and what became of the others.
#[derive(Debug)]
pub(in crate::run) struct ClaimDesk {
    pub(in crate::run) book: Book,
    /// What is in the book.
    pub(super) held: HashMap<SubtaskId, Held>,
    /// What each attempt of a review was shown, gold among it.
    pub(super) sheets: HashMap<Ticket, Arc<ReviewTask>>,
    /// What stands of readings whose reader is not believed, while somebody else reads the part.
    pub(in crate::run) spare: HashMap<SubtaskId, Vec<MapAnswer>>,
    /// Second readings that are awaited: they may add to what is known of their parts.
    pub(in crate::run) rereading: BTreeSet<SubtaskId>,
    /// What gold claims are about.
    pub(super) gold_about: HashMap<String, Arc<Fragment>>,
    /// Whether a text was rejected for what its notes do not say: another one is asked for once.
    pub(super) is_rewritten: bool,
    pub report: ClaimsReport,
    /// Whether the user's own model may review.
    pub(in crate::run) own: OwnReviewer,
    told: usize,
    /// What earlier runs verified.
    pub kept: Kept,
}

/// An answer that is under review.
#[derive(Debug)]
pub(super) struct Held {
    pub ticket: Ticket,
    pub replica: Replica<Outcome>,
    /// What its claims are about.
    pub about: Arc<Fragment>,
    /// Where they stand in the text; empty of a reading, whose text is nothing but claims.
    pub places: Vec<Range<usize>>,
}

impl ClaimDesk {
    pub(in crate::run) fn new(kept: Option<ClaimCache>, is_fresh: bool) -> Self {
        Self {
            book: Book::new(RULES, rand::random()),
            held: HashMap::new(),
            sheets: HashMap::new(),
            spare: HashMap::new(),
            rereading: BTreeSet::new(),
            gold_about: HashMap::new(),
            is_rewritten: false,
            report: ClaimsReport::default(),
            own: OwnReviewer::default(),
            told: 0,
            kept: Kept::new(kept, is_fresh),
        }
    }

    /// When claims that nobody is here to review are settled without, if newcomers are waited for until then.
    pub(in crate::run) fn next_settling(&self, now: Duration, newcomers: Duration) -> Option<Duration> {
        (self.book.any_open() && now < newcomers).then_some(newcomers)
    }

    /// What an attempt of a review was shown, as a subtask; `None` if it is none.
    pub(in crate::run) fn shown_in(&self, ticket: Ticket) -> Option<Subtask> {
        Some(Subtask::new(Task::Review(Arc::clone(self.sheets.get(&ticket)?))))
    }

    /// What a reading is about, settled or not.
    pub(in crate::run) fn about(&self, subtasks: &Subtasks, reading: SubtaskId) -> Option<Arc<Fragment>> {
        if let Some(held) = self.held.get(&reading) {
            return Some(Arc::clone(&held.about));
        }
        match subtasks.of(reading)?.task() {
            Task::Map { fragment, .. } | Task::Reread { fragment, .. } => Some(Arc::clone(fragment)),
            _ => None,
        }
    }

    /// Nobody does a review, and its claims are settled without it; or nobody reads a part a second time, which is read. `false`
    /// where it is another subtask.
    pub(in crate::run) fn went_without(
        &mut self,
        subtasks: &mut Subtasks,
        id: SubtaskId,
        why: FailureReason,
    ) -> bool {
        let Some(record) = subtasks.of_mut(id) else { return false };
        match record.task() {
            Task::Review(_) => self.book.gave_up(id),
            Task::Reread { .. } => drop(self.rereading.remove(&id)),
            _ => return false,
        }
        record.state = Progress::GaveUp(why);
        true
    }

    /// A reading is not wanted any more: its subtask was closed from outside.
    pub(in crate::run) fn forget_reading(&mut self, ticket: Ticket) {
        self.sheets.remove(&ticket);
        let id = ticket.subtask;
        if self.held.get(&id).is_some_and(|held| held.ticket == ticket) {
            self.held.remove(&id);
            self.book.forget(id);
        }
    }

    /// Counts what became of claims, and names those that do not stand.
    pub(super) fn count_fates(
        &mut self,
        journal: &mut Journal,
        settled: &Settled,
        about: &Fragment,
        is_own: bool,
    ) {
        for (claim, outcome) in &settled.claims {
            let report = &mut self.report;
            *match outcome {
                ClaimOutcome::Accepted(_) if is_own => &mut report.own,
                ClaimOutcome::Accepted(_) => &mut report.accepted,
                ClaimOutcome::NotReviewed(_) => &mut report.not_reviewed,
                ClaimOutcome::Rejected => &mut report.rejected,
                ClaimOutcome::Undecided | ClaimOutcome::Unjudged => &mut report.left_out,
            } += 1;
            let why = match outcome {
                ClaimOutcome::Accepted(_) | ClaimOutcome::NotReviewed(_) => continue,
                ClaimOutcome::Rejected => "reviews reject it",
                ClaimOutcome::Undecided => "its reviews do not settle it",
                ClaimOutcome::Unjudged => UNJUDGED,
            };
            self.tell_claim(journal, &settled.reader, claim, about, why);
        }
    }

    /// Names a claim that does not stand.
    pub(super) fn tell_claim(
        &mut self,
        journal: &mut Journal,
        reader: &ProviderId,
        claim: &Claim,
        about: &Fragment,
        why: &str,
    ) {
        self.told += 1;
        if self.told > MOST_TOLD {
            return;
        }
        let lines = claim.quotes.first().map(|quote| quote.lines);
        let place = lines.map_or(String::new(), |lines| match (lines.first(), lines.last()) {
            (first, last) if first == last => format!(", line {first}"),
            (first, last) => format!(", lines {first} to {last}"),
        });
        let (said, file) = (shortened(&claim.text, 160), one_line(&about.file));
        let words = format!("a claim of {reader} is rejected ({file}{place}): “{said}”: {why}");
        journal.notice(RunStage::Verify, &words);
    }

    /// Tells the book who it is.
    pub(in crate::run) fn know_trusted_reviewer(&mut self, setup: &RunSetup, validation: &Validation) {
        let trusted = validation.trusted_reviewer(setup);
        let person = trusted.map(|info| Person { family: family(&info.model.name), id: info.id });
        self.book.trusted = person;
    }

    /// Whether a subtask is a review that waits for the examination of the user's own model.
    pub(in crate::run) fn awaits_trusted(&self, subtasks: &Subtasks, id: SubtaskId) -> bool {
        let task = subtasks.of(id).map(SubtaskRecord::task);
        self.own == OwnReviewer::Examined && matches!(task, Some(Task::Review(task)) if task.is_for_trusted)
    }
}

pub(in crate::run) fn parts_of(subtasks: &Subtasks, reading: Option<SubtaskId>) -> Parts {
    let record = reading.and_then(|reading| subtasks.of(reading));
    match record.map(SubtaskRecord::task) {
        Some(Task::Map { task, .. } | Task::Reread { task, .. }) => task.form.parts(),
        _ => Parts::default(),
    }
}

pub(super) fn person_of(peers: &Peers, provider: &str) -> Person {
    let info = peers.index(provider).and_then(|index| peers.info(index));
    Person { id: provider.into(), family: info.map(|info| family(&info.model.name)).unwrap_or_default() }
}
