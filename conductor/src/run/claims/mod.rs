//! Answers in words: what a reader claims is reviewed by others before it counts (docs/claims.md).
//!
//! ```text
//!  result ─► code checks ─► book ─► reviews, as subtasks for others ─► verdicts ─► book ─► what is borne out ─► accepted
//!             (its attempt waits; its provider is free)                             └─ nothing is ─► the attempt failed
//! ```
//!
//! This is the run's side of it: it knows who is here, sends reviews, accepts and pays. What to ask and what to believe is the
//! [`book`]'s.

mod book;

use frlm_inference::Dialect;
use frlm_verifier::claims::Verdict;
use frlm_verifier::{Replica, Report, VerificationPolicy};

use self::book::{Book, Fate, Person, RULES, Settled, Wanted, family};
use super::RunError;
use super::check::Answered;
use super::driver::Run;
use super::slots::SlotState;
use crate::answer::ClaimsReport;
use crate::dialect::MapAnswer;
use crate::dialect::claims::{Parts, ReviewTask, UnderReview, as_answer, read};
use crate::plan::{Outcome, Subtask, Task};
use crate::scheduler::{AttemptFailure, AttemptId, GaveUp, SubtaskId};
use crate::swarm::{ProviderId, ProviderInfo, Ticket};

/// How far a claim is believed at most that nobody reviewed.
const MOST_UNREVIEWED: f64 = 0.5;
/// Claims that did not stand and are told one by one.
const MOST_TOLD: usize = 50;

/// Claims that are under review, and what became of the others.
#[derive(Debug)]
pub(super) struct ClaimDesk {
    book: Book,
    /// The attempt of each reading that is in the book, with its answer.
    held: std::collections::HashMap<SubtaskId, (Ticket, Replica<Outcome>)>,
    pub report: ClaimsReport,
    told: usize,
}

impl Default for ClaimDesk {
    fn default() -> Self {
        Self {
            book: Book::new(RULES),
            held: std::collections::HashMap::new(),
            report: ClaimsReport::default(),
            told: 0,
        }
    }
}

/// Whether answers to a task are settled by claims and reviews, and not by comparing whole answers.
pub(super) fn settles(policy: &VerificationPolicy, task: &Task) -> bool {
    match task {
        Task::Map { .. } => task.is_reading() && policy.is_adaptive(),
        Task::Combine(_) => policy.is_adaptive(),
        Task::Review(_) => true,
        Task::Compile(_) => false,
    }
}

/// How many answers a task takes, and how many providers may be asked for one: the second of a reading is who reviews it.
pub(super) fn answers_of(policy: &VerificationPolicy, task: &Task) -> (u32, u32) {
    match task {
        Task::Map { .. } if settles(policy, task) => (1, 2),
        _ if settles(policy, task) => (1, 1),
        _ => (policy.first_replicas(), policy.most_replicas()),
    }
}

impl Run {
    /// Takes an answer that is settled here; gives it back if it is none of those.
    pub(super) fn take_in_words(&mut self, answered: Answered) -> Option<Answered> {
        let id = SubtaskId(answered.ticket.subtask);
        let slot = self.slots.get(id.0 as usize)?;
        if !settles(&self.setup.policy.verification, slot.task()) {
            return Some(answered);
        }
        let Answered { ticket, replica, texts, .. } = answered;
        match (slot.task(), &replica.answer) {
            (Task::Map { fragment, .. }, _) => {
                let [text] = texts.as_slice() else { return None };
                match read(fragment, text) {
                    Ok(claimed) => self.hold_reading(ticket, replica, claimed.claims, claimed.fallen.len()),
                    Err(error) => self.attempt_failed(ticket, AttemptFailure::Failed, &error.to_string()),
                }
            }
            (Task::Review(_), Outcome::Reviewed(verdicts)) => {
                let verdicts = verdicts.clone();
                self.take_review(ticket, replica, &verdicts);
            }
            _ => self.accept_alone(ticket, replica, None),
        }
        None
    }

    fn hold_reading(
        &mut self,
        ticket: Ticket,
        replica: Replica<Outcome>,
        claims: Vec<frlm_verifier::claims::Claim>,
        fallen: usize,
    ) {
        let id = SubtaskId(ticket.subtask);
        self.claims.report.stated += claims.len() + fallen;
        self.claims.report.fell_to_code += fallen;
        let attempt = self.scheduler_attempt(ticket);
        self.scheduler.is_reviewed(id, attempt, self.began.elapsed());
        let person = self.person(&replica.provider);
        let is_own = replica.trusted;
        self.claims.held.insert(id, (ticket, replica));
        self.claims.book.take(id, person, claims, fallen);
        if is_own {
            // The user's own model is believed.
            self.claims.book.believe(id);
        }
    }

    fn person(&self, provider: &str) -> Person {
        let info = self.peers.index(provider).and_then(|index| self.peers.info(index));
        Person { id: provider.into(), family: info.map(|info| family(&info.model.name)).unwrap_or_default() }
    }

    /// Who may review now.
    fn reviewers(&self) -> Vec<Person> {
        let able = |info: &&ProviderInfo| {
            info.dialect == Dialect::Json && info.flat_price.is_none() && self.peers.may_be_asked(&info.id)
        };
        let able = self.peers.all().iter().filter(able);
        able.map(|info| Person { id: info.id.clone(), family: family(&info.model.name) }).collect()
    }

    fn take_review(&mut self, ticket: Ticket, replica: Replica<Outcome>, verdicts: &[Verdict]) {
        let person = self.person(&replica.provider);
        self.claims.report.reviews += verdicts.len();
        self.claims.book.reviewed(SubtaskId(ticket.subtask), &person, verdicts);
        self.accept_alone(ticket, replica, Some(1.0));
    }

    /// Asks for the reviews that are wanted, and settles what needs none any more.
    pub(super) async fn review_claims(&mut self) -> Result<(), RunError> {
        if !self.claims.book.any_open() {
            return Ok(());
        }
        let reviewers = self.reviewers();
        for wanted in self.claims.book.wanted(&reviewers) {
            self.ask_for_review(wanted).await?;
        }
        self.settle_readings();
        Ok(())
    }

    async fn ask_for_review(&mut self, wanted: Wanted) -> Result<(), RunError> {
        let parts = self.parts_of(wanted.claims.first().map(|id| id.reading));
        let claims = wanted.claims.iter().filter_map(|id| {
            let slot = self.slots.get(id.reading.0 as usize)?;
            let Task::Map { fragment, .. } = slot.task() else { return None };
            let claim = self.claims.book.claim(*id)?.clone();
            Some(UnderReview { claim, fragment: std::sync::Arc::clone(fragment) })
        });
        let task = ReviewTask { claims: claims.collect(), parts };
        let review = SubtaskId(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        self.add_subtasks(vec![Subtask::new(Task::Review(std::sync::Arc::new(task)))]).await?;
        for barred in &wanted.not {
            if let Some(index) = self.peers.index(barred) {
                self.scheduler.bar(review, index);
            }
        }
        self.claims.book.asked(review, wanted.claims);
        Ok(())
    }

    fn parts_of(&self, reading: Option<SubtaskId>) -> Parts {
        let slot = reading.and_then(|reading| self.slots.get(reading.0 as usize));
        match slot.map(super::slots::Slot::task) {
            Some(Task::Map { task, .. }) => task.parts.clone(),
            _ => Parts::default(),
        }
    }

    /// Nobody does a review: its claims are settled without it.
    pub(super) fn review_gave_up(&mut self, id: SubtaskId, why: GaveUp) -> bool {
        let Some(slot) = self.slots.get_mut(id.0 as usize) else { return false };
        if !matches!(slot.task(), Task::Review(_)) {
            return false;
        }
        slot.state = SlotState::GaveUp(why);
        self.claims.book.gave_up(id);
        true
    }

    /// No more reviews are awaited, as the run's time is up: what is known must do.
    pub(super) fn review_no_more(&mut self) {
        for review in self.claims.book.close() {
            self.scheduler.give_up(review, GaveUp::OutOfTime);
        }
        self.claims.book.wanted(&[]);
        self.settle_readings();
    }

    /// A reading is not wanted any more: its subtask was closed from outside.
    pub(super) fn forget_reading(&mut self, ticket: Ticket) {
        let id = SubtaskId(ticket.subtask);
        if self.claims.held.get(&id).is_some_and(|(held, _)| *held == ticket) {
            self.claims.held.remove(&id);
            self.claims.book.forget(id);
        }
    }

    fn settle_readings(&mut self) {
        for settled in self.claims.book.settled() {
            self.settle_reading(settled);
        }
        for id in self.claims.book.newly_excluded() {
            self.exclude_reader(&id);
        }
    }

    fn settle_reading(&mut self, settled: Settled) {
        let Settled { reading, reader, claims, fallen } = settled;
        let Some((ticket, mut replica)) = self.claims.held.remove(&reading) else { return };
        let Some(Task::Map { fragment, .. }) = self.slots.get(reading.0 as usize).map(|slot| slot.task().clone())
        else {
            return;
        };
        let (mut stand, mut beliefs, mut rejected) = (Vec::new(), Vec::new(), 0);
        for (claim, fate) in &claims {
            match fate {
                Fate::Accepted(p_false) => {
                    self.claims.report.accepted += 1;
                    beliefs.push(1.0 - p_false);
                    stand.push(as_answer(claim, &fragment));
                }
                Fate::NotReviewed(p_false) => {
                    self.claims.report.not_reviewed += 1;
                    beliefs.push((1.0 - p_false).min(MOST_UNREVIEWED));
                    stand.push(as_answer(claim, &fragment));
                }
                Fate::Rejected => {
                    rejected += 1;
                    self.claims.report.rejected += 1;
                    self.tell_claim(&reader, claim, &fragment, "reviews reject it");
                }
                Fate::LeftOut => {
                    self.claims.report.left_out += 1;
                    self.tell_claim(&reader, claim, &fragment, "its reviews contradict each other");
                }
            }
        }
        let fell = rejected + fallen;
        if stand.is_empty() && rejected > 0 {
            let why = format!("reviews reject {rejected} of its {} claims, and none is left", claims.len());
            self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            return;
        }
        // More fell than stand: the rest counts, and its reader has not earned its pay (docs/claims.md, section 3).
        let earned = stand.len() > fell || fell == 0;
        let is_reviewed = !replica.trusted && claims.iter().any(|(_, fate)| matches!(fate, Fate::Accepted(_)));
        replica.attested = is_reviewed.then_some(earned);
        replica.answer = Outcome::Mapped(MapAnswer::Claims { claims: stand });
        let sure = (!beliefs.is_empty()).then(|| beliefs.iter().sum::<f64>() / beliefs.len() as f64);
        self.accept_with(ticket, replica, sure, earned);
    }

    /// Accepts the only answer to a subtask.
    fn accept_alone(&mut self, ticket: Ticket, replica: Replica<Outcome>, confidence: Option<f64>) {
        self.accept_with(ticket, replica, confidence, true);
    }

    fn accept_with(&mut self, ticket: Ticket, replica: Replica<Outcome>, confidence: Option<f64>, earned: bool) {
        let id = SubtaskId(ticket.subtask);
        let provider = vec![replica.provider.clone()];
        let (agreeing, dissenting) = if earned { (provider, Vec::new()) } else { (Vec::new(), provider) };
        let report = Report { agreeing, dissenting, agreement: 1.0, reported_confidence: confidence };
        let outcome = replica.answer.clone();
        let Some(slot) = self.slots.get_mut(id.0 as usize) else { return };
        slot.replicas.push((AttemptId(ticket.attempt), replica));
        self.accept(id, outcome, report);
        let attempt = self.scheduler_attempt(ticket);
        self.scheduler.answered(id, attempt, Some(0), self.began.elapsed());
    }

    /// Names a claim that does not stand.
    fn tell_claim(
        &mut self,
        reader: &ProviderId,
        claim: &frlm_verifier::claims::Claim,
        fragment: &crate::ingest::Fragment,
        why: &str,
    ) {
        self.claims.told += 1;
        if self.claims.told > MOST_TOLD {
            return;
        }
        let lines = claim.quotes.first().map(|quote| quote.lines);
        let place = lines.map_or(String::new(), |lines| format!(", lines {} to {}", lines.first(), lines.last()));
        let said = frlm_util::text::shortened(&claim.text, 160);
        let file = frlm_protocol::one_line(&fragment.file);
        let words = format!("a claim of {reader} is left out ({file}{place}): “{said}”: {why}");
        self.decide("verify", "proceed", &words);
    }

    fn exclude_reader(&mut self, id: &ProviderId) {
        self.peers.leave_out(id);
        if let Some(index) = self.peers.index(id) {
            self.scheduler.remove_provider(index, self.began.elapsed());
        }
        self.decide("verify", "retry", &format!("{id} is not asked any more: too many of its claims are false"));
    }
}
