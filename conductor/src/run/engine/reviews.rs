//! Claims in the run: which reviews are asked for, and what becomes of answers whose claims are decided. The
//! [book](crate::run::claims::book) says what to ask and what to believe.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::{ReviewTask, UnderReview};
use frlm_questions::plan::{Outcome, Subtask, Task};
use frlm_questions::stage::RunStage;
use frlm_scheduler::{FailureReason, SubtaskId};
use frlm_verifier::Report;
use frlm_wallet::Sats;

use super::Engine;
use crate::run::checks::{Answered, Silence};
use crate::run::claims::outcome::{MOST_UNREVIEWED, Wanted};
use crate::run::claims::reread;
use crate::run::claims::{OwnReviewer, Settling, Taken, parts_of, settles};
use crate::run::recheck;

impl Engine {
    /// What claims are settled over.
    pub fn settling(&mut self) -> Settling<'_> {
        Settling {
            desk: &mut self.answers.claims,
            setup: &self.work.setup,
            peers: &self.work.providers.peers,
            scheduler: &self.work.scheduler,
            subtasks: &mut self.work.subtasks,
            journal: &mut self.work.journal,
        }
    }

    /// Takes an answer that is settled here; gives it back if it is none of those.
    pub fn take_in_words(&mut self, answered: Answered) -> Option<Answered> {
        let ticket = answered.ticket;
        match self.settling().take(answered) {
            Taken::Other(answered) => return Some(answered),
            Taken::UnderReview => {
                let (id, attempt) = (ticket.subtask, ticket.attempt);
                self.work.scheduler.is_reviewed(id, attempt, self.work.now);
            }
            Taken::Reviewed(next) => {
                self.follow([next]);
                self.exclude_found();
            }
            Taken::Done(next) => self.follow([next]),
        }
        None
    }

    /// Settles answers of which every claim is decided; whether there are any.
    fn settle_readings(&mut self) -> bool {
        let mut all = self.answers.claims.book.settled();
        if !self.work.subtasks.is_written_about() {
            all.extend(self.answers.claims.book.settle_disputes());
        }
        let any = !all.is_empty();
        for settled in all {
            if let Some(next) = self.settling().settle(&settled) {
                self.follow([next]);
            }
        }
        self.exclude_found();
        any
    }

    /// Asks for the reviews that are wanted, and settles what needs none any more; whether anything came of it: a review is handed
    /// out at once, and a provider that is free again gets other work.
    pub fn review_claims(&mut self, left: Sats, is_online: bool) -> bool {
        // Who was to review, or to read a second time, has gone: nobody is waited for, what is known must do.
        let out =
            self.answers.claims.book.out().into_iter().chain(self.answers.claims.rereading.iter().copied());
        let is_stranded = |id: &SubtaskId| {
            self.work.scheduler.is_stranded(*id)
                && !self.answers.claims.awaits_trusted(&self.work.subtasks, *id)
        };
        for id in out.filter(is_stranded).collect::<Vec<_>>() {
            self.work.scheduler.give_up(id, FailureReason::NobodyLeft);
        }
        if self.answers.claims.kept.is_looking {
            // What joins the plan has its numbers already.
            return false;
        }
        let mut any = false;
        if self.answers.claims.book.any_open() {
            let reviewers = self.work.providers.reviewers(&self.work.setup, &self.answers.validation);
            self.answers.claims.know_trusted_reviewer(&self.work.setup, &self.answers.validation);
            let may_come = is_online && self.work.now < self.work.setup.candidates.newcomers;
            let wanted = self.answers.claims.book.wanted(&reviewers, may_come);
            any = !wanted.is_empty();
            for wanted in wanted {
                self.ask_for_review(wanted);
            }
            any |= self.settle_readings();
        }
        self.ask_second_readers(left) || any
    }

    fn ask_for_review(&mut self, wanted: Wanted) {
        let parts = parts_of(&self.work.subtasks, wanted.claims.first().map(|id| id.reading));
        let claims = wanted.claims.iter().filter_map(|id| {
            let claim = self.answers.claims.book.claim(*id)?.clone();
            Some(UnderReview { claim, fragment: self.answers.claims.about(&self.work.subtasks, id.reading)? })
        });
        let is_for_trusted = wanted.is_for_trusted;
        let task = ReviewTask { claims: claims.collect(), parts, is_for_trusted };
        if is_for_trusted {
            self.admit_trusted_reviewer();
        }
        let review = SubtaskId(u32::try_from(self.work.subtasks.len()).unwrap_or(u32::MAX));
        self.work.add_subtasks(vec![Subtask::new(Task::Review(Arc::new(task)))], HashMap::new());
        for barred in &wanted.not {
            if let Some(index) = self.work.providers.peers.index(barred) {
                self.work.scheduler.entries.bar(review, index);
            }
        }
        for index in wanted.rather.iter().filter_map(|id| self.work.providers.peers.index(id)) {
            self.work.scheduler.entries.ask_first(review, index);
        }
        self.answers.claims.book.asked(review, wanted.claims);
    }

    /// No more reviews are awaited, as the run's time is up: what is known must do.
    pub fn review_no_more(&mut self) {
        for review in self.answers.claims.book.close() {
            self.work.scheduler.give_up(review, FailureReason::OutOfTime);
        }
        self.answers.claims.book.wanted(&[], false);
        self.settle_readings();
    }

    /// Asks others to read parts that are to be read twice, where what is left of the budget does for that and for all that is
    /// still to be asked; whether anybody is asked.
    pub fn ask_second_readers(&mut self, left: Sats) -> bool {
        let due = self.answers.claims.book.seconds.due();
        if due.is_empty() || self.work.subtasks.is_written_about() {
            return false;
        }
        let here = self.work.providers.reviewers(&self.work.setup, &self.answers.validation);
        let mut left = left.0;
        let to_ask = recheck::still_to_ask(&self.work.subtasks, &self.work.setup, &self.work.scheduler);
        let before = self.answers.claims.rereading.len();
        for part in due {
            let Some(not) = self.answers.claims.book.not_second(part, &here) else { continue };
            let Some(record) = self.work.subtasks.of(part) else { continue };
            let Task::Map { task, fragment } = record.task() else { continue };
            let price = record.first_price.map_or(0, |price| price.0).saturating_mul(reread::COST);
            if price.saturating_mul(to_ask.saturating_add(1)) > left {
                continue;
            }
            left = left.saturating_sub(price);
            let task = Task::Reread { task: Arc::clone(task), fragment: Arc::clone(fragment) };
            let subtask = Subtask { task, belongs: record.subtask.belongs };
            let second = SubtaskId(u32::try_from(self.work.subtasks.len()).unwrap_or(u32::MAX));
            self.work.add_subtasks(vec![subtask], HashMap::new());
            for index in not.iter().filter_map(|id| self.work.providers.peers.index(id)) {
                self.work.scheduler.entries.bar(second, index);
            }
            self.work.scheduler.entries.try_once(second);
            self.answers.claims.book.seconds.note(second, part);
            self.answers.claims.rereading.insert(second);
        }
        let asked = self.answers.claims.rereading.len() - before;
        if asked > 0 && self.answers.claims.book.seconds.read_twice().is_worth_asking() {
            let words = format!(
                "second readers find much that the first ones missed: {asked} more parts are read a second \
                 time"
            );
            self.work.journal.notice(RunStage::Verify, &words);
        }
        asked > 0
    }

    /// Asks those no more whose claims are false too often, or whose verdicts do not depend on the claims.
    pub fn exclude_found(&mut self) {
        // What somebody is worth as a reader of prose says nothing of copied fields.
        let policy = &self.work.setup.policy;
        if !self.work.subtasks.last().is_some_and(|record| settles(policy, record.task())) {
            return;
        }
        let strangers =
            self.work.providers.peers.all().iter().filter(|info| !info.trusted).map(|info| &info.id);
        for (id, found) in self.answers.claims.book.newly_excluded(strangers) {
            self.work.providers.exclude(&mut self.work.scheduler, &id, self.work.now);
            let may_doubt = !self.work.subtasks.is_written_about();
            let why = self.answers.claims.note_excluded(&id, found, may_doubt);
            self.work.journal.notice(RunStage::Verify, &why);
        }
    }

    /// Nobody else reads a part whose first reader is not believed: what reviewers bear out of its claims is what there is.
    pub fn stands_on_spare(&mut self, id: SubtaskId) -> bool {
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

    /// A review is for it: the validator takes it, the user's own model once it has passed its examination.
    pub fn admit_trusted_reviewer(&mut self) {
        let Some(info) = self.answers.validation.trusted_reviewer(&self.work.setup) else { return };
        if self.work.providers.peers.is_trusted_reviewer(&info.id) {
            return;
        }
        if self.answers.validation.validator().is_some() {
            self.work.admit_reviewer(info);
        } else if self.answers.claims.own == OwnReviewer::Unknown {
            self.answers.claims.own = OwnReviewer::Examined;
            if !self.answers.checks.examine_own_reviewer(self.work.setup.policy.decisions.timeout) {
                self.on_own_examined(Err(Silence::Unfit("it only copies fields".to_owned())));
            }
        }
    }

    /// The user's own model was examined as a reviewer.
    pub fn on_own_examined(&mut self, said: Result<(), Silence>) {
        self.answers.claims.own = OwnReviewer::Known;
        match (said, self.work.setup.candidates.fallback.clone()) {
            (Ok(()), Some(own)) => self.work.admit_reviewer(own),
            (Ok(()), None) => {}
            (Err(Silence::Away(why) | Silence::Unfit(why)), _) => {
                self.work.setup.policy.own_reviews = false;
                self.answers.claims.kept.weaken(&self.work.setup.policy);
                let words = format!("your own model reviews no claims: {why}");
                self.work.journal.notice(RunStage::Verify, &words);
            }
        }
    }
}
