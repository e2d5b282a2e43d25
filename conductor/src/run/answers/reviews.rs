//! Claims in the run: which reviews are asked for, and what becomes of answers whose claims are decided. The
//! [book](crate::run::claims::book) says what to ask and what to believe.

use std::collections::HashMap;
use std::sync::Arc;

use frlm_verifier::Report;
use frlm_wallet::Sats;

use super::AnswerDesk;
use crate::dialect::MapAnswer;
use crate::dialect::claims::{ReviewTask, UnderReview};
use crate::plan::{Outcome, Subtask, Task};
use crate::run::checks::{Answered, Silence};
use crate::run::claims::outcome::{MOST_UNREVIEWED, Wanted};
use crate::run::claims::reread;
use crate::run::claims::{OwnReviewer, Settling, Taken, parts_of, settles};
use crate::run::recheck;
use crate::run::work::Work;
use crate::scheduler::{AttemptId, FailureReason, SubtaskId};

impl AnswerDesk {
    /// What claims are settled over.
    pub fn settling<'run>(&'run mut self, work: &'run mut Work) -> Settling<'run> {
        Settling {
            desk: &mut self.claims,
            setup: &work.setup,
            peers: &work.providers.peers,
            scheduler: &work.scheduler,
            subtasks: &mut work.subtasks,
            journal: &mut work.journal,
        }
    }

    /// Takes an answer that is settled here; gives it back if it is none of those.
    pub fn take_in_words(&mut self, work: &mut Work, answered: Answered) -> Option<Answered> {
        let ticket = answered.ticket;
        match self.settling(work).take(answered) {
            Taken::Other(answered) => return Some(answered),
            Taken::UnderReview => {
                let (id, attempt) = (SubtaskId(ticket.subtask), AttemptId(ticket.attempt));
                work.scheduler.is_reviewed(id, attempt, work.began.elapsed());
            }
            Taken::Reviewed(next) => {
                self.follow(work, [next]);
                self.exclude_found(work);
            }
            Taken::Done(next) => self.follow(work, [next]),
        }
        None
    }

    /// Settles answers of which every claim is decided; whether there are any.
    fn settle_readings(&mut self, work: &mut Work) -> bool {
        let mut all = self.claims.book.settled();
        if !work.subtasks.is_written_about() {
            all.extend(self.claims.book.settle_disputes());
        }
        let any = !all.is_empty();
        for settled in all {
            if let Some(next) = self.settling(work).settle(&settled) {
                self.follow(work, [next]);
            }
        }
        self.exclude_found(work);
        any
    }

    /// Asks for the reviews that are wanted, and settles what needs none any more; whether anything came of it: a review is handed
    /// out at once, and a provider that is free again gets other work.
    pub fn review_claims(&mut self, work: &mut Work, left: Sats, is_online: bool) -> bool {
        // Who was to review, or to read a second time, has gone: nobody is waited for, what is known must do.
        let out = self.claims.book.out().into_iter().chain(self.claims.rereading.iter().copied());
        let is_stranded = |id: &SubtaskId| {
            work.scheduler.is_stranded(*id) && !self.claims.awaits_trusted(&work.subtasks, *id)
        };
        for id in out.filter(is_stranded).collect::<Vec<_>>() {
            work.scheduler.give_up(id, FailureReason::NobodyLeft);
        }
        if self.claims.kept.is_looking() {
            // What joins the plan has its numbers already.
            return false;
        }
        let mut any = false;
        if self.claims.book.any_open() {
            let reviewers = work.providers.reviewers(&work.setup, &self.validation);
            self.claims.know_trusted_reviewer(&work.setup, &self.validation);
            let may_come = is_online && work.began.elapsed() < work.setup.candidates.newcomers;
            let wanted = self.claims.book.wanted(&reviewers, may_come);
            any = !wanted.is_empty();
            for wanted in wanted {
                self.ask_for_review(work, wanted);
            }
            any |= self.settle_readings(work);
        }
        self.ask_second_readers(work, left) || any
    }

    fn ask_for_review(&mut self, work: &mut Work, wanted: Wanted) {
        let parts = parts_of(&work.subtasks, wanted.claims.first().map(|id| id.reading));
        let claims = wanted.claims.iter().filter_map(|id| {
            let claim = self.claims.book.claim(*id)?.clone();
            Some(UnderReview { claim, fragment: self.claims.about(&work.subtasks, id.reading)? })
        });
        let is_for_trusted = wanted.is_for_trusted;
        let task = ReviewTask { claims: claims.collect(), parts, is_for_trusted };
        if is_for_trusted {
            self.admit_trusted_reviewer(work);
        }
        let review = SubtaskId(u32::try_from(work.subtasks.len()).unwrap_or(u32::MAX));
        work.add_subtasks(vec![Subtask::new(Task::Review(Arc::new(task)))], HashMap::new());
        for barred in &wanted.not {
            if let Some(index) = work.providers.peers.index(barred) {
                work.scheduler.entries.bar(review, index);
            }
        }
        for index in wanted.rather.iter().filter_map(|id| work.providers.peers.index(id)) {
            work.scheduler.entries.ask_first(review, index);
        }
        self.claims.book.asked(review, wanted.claims);
    }

    /// No more reviews are awaited, as the run's time is up: what is known must do.
    pub fn review_no_more(&mut self, work: &mut Work) {
        for review in self.claims.book.close() {
            work.scheduler.give_up(review, FailureReason::OutOfTime);
        }
        self.claims.book.wanted(&[], false);
        self.settle_readings(work);
    }

    /// Asks others to read parts that are to be read twice, where what is left of the budget does for that and for all that is
    /// still to be asked; whether anybody is asked.
    pub fn ask_second_readers(&mut self, work: &mut Work, left: Sats) -> bool {
        let due = self.claims.book.seconds.due();
        if due.is_empty() || work.subtasks.is_written_about() {
            return false;
        }
        let here = work.providers.reviewers(&work.setup, &self.validation);
        let mut left = left.0;
        let to_ask = recheck::still_to_ask(&work.subtasks, &work.setup, &work.scheduler);
        let before = self.claims.rereading.len();
        for part in due {
            let Some(not) = self.claims.book.not_second(part, &here) else { continue };
            let Some(record) = work.subtasks.of(part) else { continue };
            let Task::Map { task, fragment } = record.task() else { continue };
            let price = record.first_price.map_or(0, |price| price.0).saturating_mul(reread::COST);
            if price.saturating_mul(to_ask.saturating_add(1)) > left {
                continue;
            }
            left = left.saturating_sub(price);
            let task = Task::Reread { task: Arc::clone(task), fragment: Arc::clone(fragment) };
            let subtask = Subtask { task, belongs: record.subtask.belongs };
            let second = SubtaskId(u32::try_from(work.subtasks.len()).unwrap_or(u32::MAX));
            work.add_subtasks(vec![subtask], HashMap::new());
            for index in not.iter().filter_map(|id| work.providers.peers.index(id)) {
                work.scheduler.entries.bar(second, index);
            }
            work.scheduler.entries.try_once(second);
            self.claims.book.seconds.note(second, part);
            self.claims.rereading.insert(second);
        }
        let asked = self.claims.rereading.len() - before;
        if asked > 0 && self.claims.book.seconds.read_twice().is_worth_asking() {
            let words = format!(
                "second readers find much that the first ones missed: {asked} more parts are read a second \
                 time"
            );
            work.journal.decide("verify", "retry", &words);
        }
        asked > 0
    }

    /// Asks those no more whose claims are false too often, or whose verdicts do not depend on the claims.
    pub fn exclude_found(&mut self, work: &mut Work) {
        // What somebody is worth as a reader of prose says nothing of copied fields.
        let policy = &work.setup.policy;
        if !work.subtasks.last().is_some_and(|record| settles(policy, record.task())) {
            return;
        }
        let strangers = work.providers.peers.all().iter().filter(|info| !info.trusted).map(|info| &info.id);
        for (id, found) in self.claims.book.newly_excluded(strangers) {
            work.providers.exclude(&mut work.scheduler, &id, work.began.elapsed());
            let may_doubt = !work.subtasks.is_written_about();
            let why = self.claims.note_excluded(&id, found, may_doubt);
            work.journal.decide("verify", "retry", &why);
        }
    }

    /// Nobody else reads a part whose first reader is not believed: what reviewers bear out of its claims is what there is.
    pub fn stands_on_spare(&mut self, work: &mut Work, id: SubtaskId) -> bool {
        let Some(claims) = self.claims.spare.remove(&id) else { return false };
        let report = Report {
            agreeing: Vec::new(),
            dissenting: Vec::new(),
            agreement: 1.0,
            reported_confidence: Some(MOST_UNREVIEWED),
        };
        self.accept(work, id, Outcome::Mapped(MapAnswer::Claims { claims }), report);
        true
    }

    /// A review is for it: the validator takes it, the user's own model once it has passed its examination.
    pub fn admit_trusted_reviewer(&mut self, work: &mut Work) {
        let Some(info) = self.validation.trusted_reviewer(&work.setup) else { return };
        if work.providers.peers.is_trusted_reviewer(&info.id) {
            return;
        }
        if self.validation.validator().is_some() {
            work.admit_reviewer(info);
        } else if self.claims.own == OwnReviewer::Unknown {
            self.claims.own = OwnReviewer::Examined;
            if !self.checks.examine_own_reviewer(work.setup.policy.decisions.timeout) {
                self.on_own_examined(work, Err(Silence::Unfit("it only copies fields".to_owned())));
            }
        }
    }

    /// The user's own model was examined as a reviewer.
    pub fn on_own_examined(&mut self, work: &mut Work, said: Result<(), Silence>) {
        self.claims.own = OwnReviewer::Known;
        match (said, work.setup.candidates.fallback.clone()) {
            (Ok(()), Some(own)) => work.admit_reviewer(own),
            (Ok(()), None) => {}
            (Err(Silence::Away(why) | Silence::Unfit(why)), _) => {
                work.setup.policy.own_reviews = false;
                self.claims.kept.weaken(&work.setup.policy);
                let words = format!("your own model reviews no claims: {why}");
                work.journal.decide("verify", "proceed", &words);
            }
        }
    }
}
