//! Answers in words: a reader's claims are reviewed by others before they count (docs/claims.md).
//!
//! ```text
//!  result ─► code checks ─► book ─► reviews, as subtasks for others ─► verdicts ─► book ─► what is borne out ─► accepted
//!             (its attempt waits; its provider is free)                             └─ nothing is ─► the attempt failed
//! ```
//!
//! This is the run's side: it knows who is here, sends reviews, accepts and pays. The [`book`] decides what to ask and what to
//! believe; the laboratory's simulated runs use it, too.
//!
//! - [`claim_desk`]: what is under review in this run
//! - [`book`]: claims, reviews, and what follows
//! - [`mod@rules`]: when a claim is accepted, by policy and level
//! - [`outcome`]: what becomes of a claim
//! - [`examination`]: gold in reviews
//! - [`disputes`]: claims whose reviews contradict each other, by everything the run has seen
//! - [`doubt`]: claims that are decided again because one of their reviewers was excluded
//! - [`records`]: what is known of readers and reviewers
//! - [`kept`]: claims that earlier runs verified
//! - [`settle`]: what an answer comes to whose claims are decided
//! - [`second`]: parts with two readers, and how much one reader leaves out; [`reread`]: the run's side of it
//! - [`trusted`]: the reviewer that the user trusts: their own model, or the validator that they named
//! - [`examine`]: the run's side of gold: it makes gold, shows it, and excludes providers that fail
//! - [`written`]: the sentences of a written answer, as claims about its notes

pub mod book;
mod claim_desk;
mod disputes;
mod doubt;
pub mod examination;
mod examine;
mod kept;
pub mod outcome;
mod records;
mod reread;
pub mod rules;
pub mod second;
mod settle;
mod trusted;
mod written;

use std::collections::HashMap;
use std::sync::Arc;

use frlm_verifier::Report;
use frlm_verifier::claims::Rules;

pub(super) use self::claim_desk::ClaimDesk;
use self::claim_desk::{UNJUDGED, parts_of};
pub(super) use self::kept::LookedUp;
use self::outcome::{MOST_UNREVIEWED, Wanted};
use self::rules::{RULES, rules};
pub(super) use self::settle::Settling;
use self::settle::{Next, Taken};
use super::checks::Answered;
use super::driver::Run;
use crate::dialect::MapAnswer;
use crate::dialect::claims::{Form, ReviewTask, UnderReview};
use crate::plan::{Outcome, Subtask, Task};
use crate::policy::FrlmPolicy;
use crate::scheduler::{AttemptFailure, AttemptId, FailureReason, SubtaskId};

/// When claims count; `None` where whole answers are compared or judged.
fn rules_of(policy: &FrlmPolicy) -> Option<Rules> {
    rules(&policy.verification, policy.level)
}

/// Whether answers to a task are settled by claims and reviews, and not by comparing whole answers.
pub(super) fn settles(policy: &FrlmPolicy, task: &Task) -> bool {
    match task {
        Task::Map { task: map, .. } => {
            task.is_reading() && map.form != Form::Whole && rules_of(policy).is_some()
        }
        Task::Combine(_) => rules_of(policy).is_some(),
        // Two planners seldom say the same, and code holds a plan to the question.
        Task::Review(_) | Task::Reread { .. } | Task::Plan(_) => true,
        Task::Compile(_) => false,
    }
}

/// How many answers a task takes, and how many providers it may take to settle it: with what is reviewed, its reviewers.
/// Were they not counted, two readings could each hold the credit of the other's only reviewer left, and wait for ever.
pub(super) fn answers_of(policy: &FrlmPolicy, task: &Task) -> (u32, u32) {
    let is_reviewed = match task {
        Task::Map { .. } | Task::Reread { .. } => true,
        Task::Combine(task) => task.is_last(),
        Task::Review(_) | Task::Plan(_) | Task::Compile(_) => false,
    };
    match (settles(policy, task), is_reviewed) {
        (true, true) => {
            let reviews = rules_of(policy).unwrap_or(RULES).most_reviews;
            (1, 1 + u32::try_from(reviews).unwrap_or(u32::MAX))
        }
        (true, false) => (1, 1),
        (false, _) => (policy.verification.first_replicas(), policy.verification.most_replicas()),
    }
}

/// How many providers must be here before a task is worth asking: as many as must support each claim, where votes decide. The
/// user's own model is one of them.
pub(super) fn fewest(policy: &FrlmPolicy, task: &Task) -> u32 {
    let is_voted = task.is_reading()
        && settles(policy, task)
        && rules_of(policy).is_some_and(|rules| rules.votes.is_some());
    if is_voted {
        policy.verification.first_replicas().saturating_sub(policy.own_reviews.into()).max(1)
    } else {
        answers_of(policy, task).0
    }
}

impl Run {
    /// Takes an answer that is settled here; gives it back if it is none of those.
    pub(super) fn take_in_words(&mut self, answered: Answered) -> Option<Answered> {
        let ticket = answered.ticket;
        match self.settling().take(answered) {
            Taken::Other(answered) => return Some(answered),
            Taken::UnderReview => {
                let (id, attempt) = (SubtaskId(ticket.subtask), AttemptId(ticket.attempt));
                self.scheduler.is_reviewed(id, attempt, self.began.elapsed());
            }
            Taken::Reviewed(next) => {
                self.follow(next);
                self.exclude_found();
            }
            Taken::Done(next) => self.follow(next),
        }
        None
    }

    /// Does what follows for an attempt.
    fn follow(&mut self, next: Next) {
        let (ticket, replica, confidence, agreement, earned) = match next {
            Next::Accept { ticket, replica, confidence, agreement, earned } => {
                (ticket, replica, confidence, agreement, earned)
            }
            Next::Fail { ticket, why } => {
                self.attempt_failed(ticket, AttemptFailure::Failed, &why);
                return;
            }
            Next::Unjudged { ticket, replica } => {
                self.no_word(ticket, &replica, UNJUDGED);
                return;
            }
        };
        let id = SubtaskId(ticket.subtask);
        let provider = vec![replica.provider.clone()];
        let (agreeing, dissenting) = if earned { (provider, Vec::new()) } else { (Vec::new(), provider) };
        let report = Report { agreeing, dissenting, agreement, reported_confidence: confidence };
        let outcome = replica.answer.clone();
        let Some(record) = self.subtasks.of_mut(id) else { return };
        record.replicas.push((AttemptId(ticket.attempt), replica));
        self.accept(id, outcome, report);
        let attempt = AttemptId(ticket.attempt);
        self.scheduler.answered(id, attempt, Some(0), self.began.elapsed());
    }

    /// Asks for the reviews that are wanted, and settles what needs none any more; whether anything came of it: a review is handed
    /// out at once, and a provider that is free again gets other work.
    pub(super) fn review_claims(&mut self) -> bool {
        // Who was to review, or to read a second time, has gone: nobody is waited for, what is known must do.
        let out =
            self.answers.claims.book.out().into_iter().chain(self.answers.claims.rereading.iter().copied());
        let is_stranded = |id: &SubtaskId| {
            self.scheduler.is_stranded(*id) && !self.answers.claims.awaits_trusted(&self.subtasks, *id)
        };
        for id in out.filter(is_stranded).collect::<Vec<_>>() {
            self.scheduler.give_up(id, FailureReason::NobodyLeft);
        }
        if self.answers.claims.kept.is_looking() {
            // What joins the plan has its numbers already.
            return false;
        }
        let mut any = false;
        if self.answers.claims.book.any_open() {
            let reviewers = self.providers.reviewers(&self.setup, &self.answers.validation);
            self.answers.claims.know_trusted_reviewer(&self.setup, &self.answers.validation);
            let may_come =
                self.ports.swarm.is_some() && self.began.elapsed() < self.setup.candidates.newcomers;
            let wanted = self.answers.claims.book.wanted(&reviewers, may_come);
            any = !wanted.is_empty();
            for wanted in wanted {
                self.ask_for_review(wanted);
            }
            any |= self.settle_readings();
        }
        self.ask_second_readers() || any
    }

    fn ask_for_review(&mut self, wanted: Wanted) {
        let parts = parts_of(&self.subtasks, wanted.claims.first().map(|id| id.reading));
        let claims = wanted.claims.iter().filter_map(|id| {
            let claim = self.answers.claims.book.claim(*id)?.clone();
            Some(UnderReview { claim, fragment: self.answers.claims.about(&self.subtasks, id.reading)? })
        });
        let is_for_trusted = wanted.is_for_trusted;
        let task = ReviewTask { claims: claims.collect(), parts, is_for_trusted };
        if is_for_trusted {
            self.admit_trusted_reviewer();
        }
        let review = SubtaskId(u32::try_from(self.subtasks.len()).unwrap_or(u32::MAX));
        self.add_subtasks(vec![Subtask::new(Task::Review(Arc::new(task)))], HashMap::new());
        for barred in &wanted.not {
            if let Some(index) = self.providers.peers.index(barred) {
                self.scheduler.entries.bar(review, index);
            }
        }
        for index in wanted.rather.iter().filter_map(|id| self.providers.peers.index(id)) {
            self.scheduler.entries.ask_first(review, index);
        }
        self.answers.claims.book.asked(review, wanted.claims);
    }

    /// No more reviews are awaited, as the run's time is up: what is known must do.
    pub(super) fn review_no_more(&mut self) {
        for review in self.answers.claims.book.close() {
            self.scheduler.give_up(review, FailureReason::OutOfTime);
        }
        self.answers.claims.book.wanted(&[], false);
        self.settle_readings();
    }

    /// Settles answers of which every claim is decided; whether there are any.
    fn settle_readings(&mut self) -> bool {
        let mut all = self.answers.claims.book.settled();
        if !self.subtasks.is_written_about() {
            all.extend(self.answers.claims.book.settle_disputes());
        }
        let any = !all.is_empty();
        for settled in all {
            if let Some(next) = self.settling().settle(&settled) {
                self.follow(next);
            }
        }
        self.exclude_found();
        any
    }

    /// Nobody else reads a part whose first reader is not believed: what reviewers bear out of its claims is what there is.
    pub(super) fn stands_on_spare(&mut self, id: SubtaskId) -> bool {
        let Some(claims) = self.answers.claims.spare.remove(&id) else { return false };
        let report = Report {
            agreeing: Vec::new(),
            dissenting: Vec::new(),
            agreement: 1.0,
            reported_confidence: Some(MOST_UNREVIEWED),
        };
        self.accept(id, Outcome::Mapped(MapAnswer::Claims { claims }), report);
        true
    }

    /// Asks those no more whose claims are false too often, or whose verdicts do not depend on the claims.
    pub(in crate::run) fn exclude_found(&mut self) {
        // What somebody is worth as a reader of prose says nothing of copied fields.
        let policy = &self.setup.policy;
        if !self.subtasks.last().is_some_and(|record| settles(policy, record.task())) {
            return;
        }
        let strangers = self.providers.peers.all().iter().filter(|info| !info.trusted).map(|info| &info.id);
        for (id, found) in self.answers.claims.book.newly_excluded(strangers) {
            self.providers.exclude(&mut self.scheduler, &id, self.began.elapsed());
            let may_doubt = !self.subtasks.is_written_about();
            let why = self.answers.claims.note_excluded(&id, found, may_doubt);
            self.journal.decide("verify", "retry", &why);
        }
    }
}
