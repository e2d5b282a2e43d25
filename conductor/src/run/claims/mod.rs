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
mod trusted;
mod written;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use frlm_inference::Dialect;
use frlm_util::text::shortened;
use frlm_verifier::claims::{Claim, Rules};
use frlm_verifier::request::VerificationLevel;
use frlm_verifier::{Replica, Report};

pub(super) use self::claim_desk::ClaimDesk;
use self::claim_desk::{Held, UNJUDGED, parts_of, person_of};
pub(super) use self::kept::LookedUp;
use self::outcome::{ClaimOutcome, MOST_UNREVIEWED, Person, Settled, Wanted, family};
use self::reread::FEWEST_PARTS;
use self::rules::{RULES, rules};
use self::written::{Written, without};
use super::checks::Answered;
use super::driver::Run;
use crate::dialect::MapAnswer;
use crate::dialect::claims::{Form, ReviewTask, UnderReview, as_answer, read};
use crate::plan::{Outcome, Subtask, Task};
use crate::policy::FrlmPolicy;
use crate::scheduler::{AttemptFailure, AttemptId, FailureReason, SubtaskId};
use crate::swarm::{ProviderInfo, Ticket};

/// What was wrong with a reading that is done again.
const FALSE_CLAIMS: &str =
    "reviewers found that its claims say something else than the lines that they named";
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

/// The share of claims that nobody disputed.
fn undisputed(stood: usize, disputed: usize) -> f64 {
    if disputed > 0 { stood as f64 / (stood + disputed) as f64 } else { 1.0 }
}

impl Run {
    /// Takes an answer that is settled here; gives it back if it is none of those.
    pub(super) fn take_in_words(&mut self, answered: Answered) -> Option<Answered> {
        let id = SubtaskId(answered.ticket.subtask);
        let record = self.subtasks.of(id)?;
        if !settles(&self.setup.policy, record.task()) {
            return Some(answered);
        }
        let Answered { ticket, replica, texts, .. } = answered;
        match (record.task(), &replica.answer) {
            (Task::Map { fragment, task } | Task::Reread { fragment, task }, _) => {
                let [text] = texts.as_slice() else { return None };
                let about = Arc::clone(fragment);
                match read(&task.form.parts(), &about, text) {
                    Ok(claimed) => {
                        let fallen = claimed.fallen.len();
                        self.answers.claims.report.stated += claimed.claims.len() + fallen;
                        self.answers.claims.report.fell_to_code += fallen;
                        let reader = replica.provider.as_str().into();
                        for (claim, why) in &claimed.fallen {
                            self.answers.claims.tell_claim(
                                &mut self.journal,
                                &reader,
                                claim,
                                &about,
                                &why.to_string(),
                            );
                        }
                        let held = Held { ticket, replica, about, places: Vec::new() };
                        self.hold_for_review(held, claimed.claims, fallen);
                    }
                    Err(error) => self.attempt_failed(ticket, AttemptFailure::Failed, &error.to_string()),
                }
            }
            (Task::Combine(task), Outcome::Combined(text)) if task.is_last() => {
                let Written { places, claims, notes: about, .. } = Written::of(task, text);
                self.answers.claims.report.sentences += claims.len();
                self.hold_for_review(Held { ticket, replica, about, places }, claims, 0);
            }
            (Task::Review(_), Outcome::Reviewed(verdicts)) => {
                let verdicts = verdicts.clone();
                self.take_review(ticket, replica, &verdicts);
            }
            // The writer of the answer reads a digest of notes, and its sentences are reviewed. A plan is used as it is.
            _ => self.accept_with(ticket, replica, (None, 1.0), true),
        }
        None
    }

    fn hold_for_review(&mut self, held: Held, claims: Vec<Claim>, fallen: usize) {
        let id = SubtaskId(held.ticket.subtask);
        let attempt = AttemptId(held.ticket.attempt);
        self.scheduler.is_reviewed(id, attempt, self.began.elapsed());
        let (person, is_own) =
            (person_of(&self.providers.peers, &held.replica.provider), held.replica.trusted);
        let is_written = matches!(held.replica.answer, Outcome::Combined(_));
        self.answers.claims.held.insert(id, held);
        // A run may become stricter on its way.
        self.answers.claims.book.rules = rules_of(&self.setup.policy).unwrap_or(RULES);
        self.answers
            .claims
            .book
            .seconds
            .read_all_twice(self.setup.policy.level == VerificationLevel::Critical);
        self.answers.claims.book.take(id, person, claims, fallen);
        if is_written {
            self.answers.claims.book.is_written(id);
        }
        if is_own {
            // The user trusts their own model.
            self.answers.claims.book.believe(id);
        }
    }

    /// Who may review now, beside the one whom the user trusts.
    fn reviewers(&self) -> Vec<Person> {
        let trusted = self.answers.validation.trusted_reviewer(&self.setup).map(|info| info.id);
        let able = |info: &&ProviderInfo| {
            info.dialect == Dialect::Json
                && info.flat_price.is_none()
                && self.providers.peers.may_be_asked(&info.id)
                && trusted.as_ref() != Some(&info.id)
        };
        let able = self.providers.peers.all().iter().filter(able);
        able.map(|info| Person { id: info.id.clone(), family: family(&info.model.name) }).collect()
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
            let reviewers = self.reviewers();
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

    /// When claims that nobody is here to review are settled without.
    pub(super) fn next_settling(&self) -> Option<std::time::Duration> {
        let newcomers = self.setup.candidates.newcomers;
        (self.answers.claims.book.any_open() && self.began.elapsed() < newcomers).then_some(newcomers)
    }

    /// No more reviews are awaited, as the run's time is up: what is known must do.
    pub(super) fn review_no_more(&mut self) {
        for review in self.answers.claims.book.close() {
            self.scheduler.give_up(review, FailureReason::OutOfTime);
        }
        self.answers.claims.book.wanted(&[], false);
        self.settle_readings();
    }

    /// Settles readings of which every claim is decided; whether there are any.
    fn settle_readings(&mut self) -> bool {
        let mut all = self.answers.claims.book.settled();
        if !self.subtasks.is_written_about() {
            all.extend(self.answers.claims.book.settle_disputes());
        }
        let any = !all.is_empty();
        for settled in all {
            if let Some(before) = settled.again {
                self.settle_again(&settled, before);
                continue;
            }
            let Some(held) = self.answers.claims.held.remove(&settled.reading) else { continue };
            if held.places.is_empty() && !matches!(held.replica.answer, Outcome::Combined(_)) {
                self.settle_reading(held, &settled);
            } else {
                self.settle_text(held, &settled);
            }
        }
        self.exclude_found();
        any
    }

    fn settle_reading(&mut self, held: Held, settled: &Settled) {
        if self.answers.claims.book.seconds.part_of(settled.reading) != settled.reading {
            self.settle_second(held, settled);
            return;
        }
        if settled.is_unjudged() {
            self.leave_unjudged(&held, settled);
            return;
        }
        let Held { ticket, mut replica, about, .. } = held;
        self.answers.claims.make_gold(settled, &about, replica.trusted);
        let mut stand: Vec<MapAnswer> = settled.upheld().map(|(claim, _)| as_answer(claim, &about)).collect();
        self.answers.claims.count_fates(&mut self.journal, settled, &about, replica.trusted);
        let rejected = settled.rejected();
        let id = SubtaskId(ticket.subtask);
        if settled.is_void() {
            let why =
                format!("reviews reject {rejected} of its {} claims, and none is left", settled.claims.len());
            self.subtasks.teach(id, FALSE_CLAIMS);
            self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            return;
        }
        let earned = settled.is_earned();
        if !earned && !self.answers.claims.spare.contains_key(&id) && self.scheduler.could_ask(id) {
            // What it left out nobody knows: somebody else reads the part, too.
            let all = settled.claims.len() + settled.fallen;
            let why = format!("{} of its {all} claims fell", settled.fell());
            self.answers.claims.spare.insert(id, stand);
            self.subtasks.teach(id, FALSE_CLAIMS);
            self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            return;
        }
        self.answers.claims.note_reading(&self.setup, &self.subtasks, settled, &about, replica.trusted);
        let is_critical = self.setup.policy.level == VerificationLevel::Critical;
        let may_be_read_twice = is_critical || self.setup.fragments.len() >= FEWEST_PARTS;
        if may_be_read_twice && !replica.trusted {
            self.answers.claims.book.seconds.read_once(settled);
        }
        for claim in self.answers.claims.spare.remove(&id).unwrap_or_default() {
            if !stand.contains(&claim) {
                stand.push(claim);
            }
        }
        replica.attested = (!replica.trusted && settled.is_reviewed()).then_some(earned);
        let disputed =
            settled.claims.iter().filter(|(_, outcome)| *outcome == ClaimOutcome::Undecided).count();
        replica.answer = Outcome::Mapped(MapAnswer::Claims { claims: stand });
        let agreement = undisputed(settled.upheld().count(), disputed);
        self.accept_with(ticket, replica, (settled.confidence(), agreement), earned);
    }

    /// Nothing of an answer was seen by those whose verdict it needs: it is not used, and its provider is paid.
    fn leave_unjudged(&mut self, held: &Held, settled: &Settled) {
        self.answers.claims.count_fates(&mut self.journal, settled, &held.about, held.replica.trusted);
        self.no_word_of_claims(held.ticket, &held.replica, UNJUDGED);
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

    /// A written answer whose sentences are decided: one that says what its notes do not is written once more, and then
    /// goes without those sentences.
    fn settle_text(&mut self, held: Held, settled: &Settled) {
        if settled.is_unjudged() {
            self.leave_unjudged(&held, settled);
            return;
        }
        let Held { ticket, mut replica, about, places } = held;
        let fallen = settled.claims.iter().zip(&places).filter(|((_, outcome), _)| !outcome.stands());
        let (claims, dropped): (Vec<&Claim>, Vec<Range<usize>>) =
            fallen.map(|((claim, _), place)| (claim, place.clone())).unzip();
        let everything_fell = !claims.is_empty() && claims.len() == settled.claims.len();
        if let Some(first) = claims.first()
            && (everything_fell || !std::mem::replace(&mut self.answers.claims.is_rewritten, true))
        {
            let why = format!("reviewers find that its notes do not say: “{}”", shortened(&first.text, 160));
            self.subtasks.teach(
                settled.reading,
                "reviewers found a sentence in it that the notes which it named do not bear out",
            );
            self.attempt_failed(ticket, AttemptFailure::Failed, &why);
            return;
        }
        for claim in claims {
            self.answers.claims.report.sentences_dropped += 1;
            self.answers.claims.tell_claim(
                &mut self.journal,
                &settled.reader,
                claim,
                &about,
                "its notes do not say so",
            );
        }
        if let (Outcome::Combined(text), false) = (&replica.answer, dropped.is_empty()) {
            replica.answer = Outcome::Combined(without(text, &dropped));
        }
        self.accept_with(ticket, replica, (settled.confidence(), 1.0), true);
    }

    /// Accepts the only answer to a subtask. The pair: its confidence, and the share of its claims that nobody disputed.
    fn accept_with(
        &mut self,
        ticket: Ticket,
        replica: Replica<Outcome>,
        (confidence, agreement): (Option<f64>, f64),
        earned: bool,
    ) {
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
}
