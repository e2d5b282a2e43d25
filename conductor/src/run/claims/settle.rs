//! What answers in words come to, once their claims are decided. Nothing is accepted, failed or paid here: the run carries
//! out what follows ([`Follows`]).

use std::ops::Range;
use std::sync::Arc;

use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::{as_answer, read};
use frlm_questions::plan::{Outcome, Task};
use frlm_scheduler::Scheduler;
use frlm_util::text::shortened;
use frlm_verifier::Replica;
use frlm_verifier::claims::{Claim, Verdict};
use frlm_verifier::request::VerificationLevel;

use super::book::Came;
use super::claim_desk::{ClaimDesk, Held, UNJUDGED, person_of};
use super::outcome::{ClaimOutcome, Settled};
use super::reread::FEWEST_PARTS;
use super::rules::RULES;
use super::written::{Written, without};
use super::{rules_of, settles};
use crate::run::RunSetup;
use crate::run::checks::Answered;
use crate::run::follows::Follows;
use crate::run::journal::Journal;
use crate::run::peers::Peers;
use crate::run::subtasks::Subtasks;
use crate::swarm::Ticket;

/// What was wrong with a reading that is done again.
const FALSE_CLAIMS: &str =
    "reviewers found that its claims say something else than the lines that they named";
/// What was wrong with a text that is written again.
const NOT_IN_NOTES: &str = "reviewers found a sentence in it that the notes which it named do not bear out";

/// What became of an answer that has just come.
#[derive(Debug)]
pub(in crate::run) enum Taken {
    /// It is none that is settled by claims.
    Other(Answered),
    /// Its claims are under review.
    UnderReview,
    /// It was a review.
    Reviewed(Follows),
    Done(Follows),
}

/// What claims are settled over.
pub(in crate::run) struct Settling<'run> {
    pub desk: &'run mut ClaimDesk,
    pub setup: &'run RunSetup,
    pub peers: &'run Peers,
    pub scheduler: &'run Scheduler,
    pub subtasks: &'run mut Subtasks,
    pub journal: &'run mut Journal,
}

impl Settling<'_> {
    /// Takes an answer that is settled here.
    pub fn take(&mut self, answered: Answered) -> Taken {
        let Some(record) = self.subtasks.of(answered.ticket.subtask) else {
            return Taken::Other(answered);
        };
        if !settles(&self.setup.policy, record.task()) {
            return Taken::Other(answered);
        }
        let task = record.task().clone();
        let Answered { ticket, replica, texts, .. } = answered;
        match (&task, &replica.answer) {
            (Task::Map { fragment: about, task } | Task::Reread { fragment: about, task }, _) => {
                let [text] = texts.as_slice() else {
                    return Taken::Done(Follows::Failed { ticket, why: "it is not one answer".to_owned() });
                };
                let claimed = match read(&task.form.parts(), about, text) {
                    Ok(claimed) => claimed,
                    Err(error) => return Taken::Done(Follows::Failed { ticket, why: error.to_string() }),
                };
                let fallen = claimed.fallen.len();
                self.desk.report.stated += claimed.claims.len() + fallen;
                self.desk.report.fell_to_code += fallen;
                let reader = replica.provider.as_str().into();
                for (claim, why) in &claimed.fallen {
                    self.desk.tell_claim(self.journal, &reader, claim, about, &why.to_string());
                }
                let held = Held { ticket, replica, about: Arc::clone(about), places: Vec::new() };
                self.hold(held, claimed.claims, fallen);
                Taken::UnderReview
            }
            (Task::Combine(task), Outcome::Combined(text)) if task.is_last() => {
                let Written { places, claims, notes: about, .. } = Written::of(task, text);
                self.desk.report.sentences += claims.len();
                self.hold(Held { ticket, replica, about, places }, claims, 0);
                Taken::UnderReview
            }
            (Task::Review(_), Outcome::Reviewed(verdicts)) => {
                let verdicts = verdicts.clone();
                Taken::Reviewed(self.take_review(ticket, replica, &verdicts))
            }
            // The writer of the answer reads a digest of notes, and its sentences are reviewed. A plan is used as it is.
            _ => Taken::Done(Follows::Settled {
                ticket,
                replica,
                confidence: None,
                agreement: 1.0,
                earned: true,
            }),
        }
    }

    fn hold(&mut self, held: Held, claims: Vec<Claim>, fallen: usize) {
        let id = held.ticket.subtask;
        let person = person_of(self.peers, &held.replica.provider);
        let is_own = held.replica.trusted;
        let is_written = matches!(held.replica.answer, Outcome::Combined(_));
        self.desk.held.insert(id, held);
        let book = &mut self.desk.book;
        // A run may become stricter on its way.
        book.rules = rules_of(&self.setup.policy).unwrap_or(RULES);
        book.seconds.read_all_twice(self.setup.policy.level == VerificationLevel::Critical);
        book.take(id, person, claims, fallen);
        if is_written {
            book.is_written(id);
        }
        if is_own {
            // The user trusts their own model.
            book.believe(id);
        }
    }

    fn take_review(&mut self, ticket: Ticket, replica: Replica<Outcome>, verdicts: &[Verdict]) -> Follows {
        let person = person_of(self.peers, &replica.provider);
        self.desk.sheets.remove(&ticket);
        let id = ticket.subtask;
        let came = self.desk.book.reviewed((id, ticket.attempt.0), &person, verdicts);
        let report = &mut self.desk.report;
        match came {
            Came::Counts { claims, gold } => {
                report.reviews += claims;
                report.gold += gold;
                Follows::Settled { ticket, replica, confidence: Some(1.0), agreement: 1.0, earned: true }
            }
            Came::Fails { gold, wrong } => {
                report.gold += gold;
                report.gold_wrong += wrong;
                report.reviews_failed += 1;
                let why = "its verdict is wrong on a claim of which the right verdict is known";
                let why = if wrong > 0 { why } else { "its verdicts do not depend on the claims" };
                Follows::Failed { ticket, why: why.to_owned() }
            }
        }
    }

    /// Settles an answer of which every claim is decided; `None` if nothing follows for an attempt.
    pub fn settle(&mut self, settled: &Settled) -> Option<Follows> {
        if let Some(before) = settled.again {
            self.settle_again(settled, before);
            return None;
        }
        let held = self.desk.held.remove(&settled.reading)?;
        let is_text = !held.places.is_empty() || matches!(held.replica.answer, Outcome::Combined(_));
        let is_second = self.desk.book.seconds.part_of(settled.reading) != settled.reading;
        Some(match (is_text, is_second) {
            (false, true) => self.settle_second(held, settled),
            (_, _) if settled.is_unjudged() => {
                self.desk.count_fates(self.journal, settled, &held.about, held.replica.trusted);
                Follows::Unjudged { ticket: held.ticket, replica: held.replica, why: UNJUDGED.to_owned() }
            }
            (false, false) => self.settle_reading(held, settled),
            (true, _) => self.settle_text(held, settled),
        })
    }

    fn settle_reading(&mut self, held: Held, settled: &Settled) -> Follows {
        let Held { ticket, mut replica, about, .. } = held;
        self.desk.make_gold(settled, &about, replica.trusted);
        let mut stand: Vec<MapAnswer> = settled.upheld().map(|(claim, _)| as_answer(claim, &about)).collect();
        self.desk.count_fates(self.journal, settled, &about, replica.trusted);
        let id = ticket.subtask;
        if settled.is_void() {
            let (rejected, all) = (settled.rejected(), settled.claims.len());
            let why = format!("reviews reject {rejected} of its {all} claims, and none is left");
            self.subtasks.teach(id, FALSE_CLAIMS);
            return Follows::Failed { ticket, why };
        }
        let earned = settled.is_earned();
        if !earned && !self.desk.spare.contains_key(&id) && self.scheduler.could_ask(id) {
            // What it left out nobody knows: somebody else reads the part, too.
            let all = settled.claims.len() + settled.fallen;
            let why = format!("{} of its {all} claims fell", settled.fell());
            self.desk.spare.insert(id, stand);
            self.subtasks.teach(id, FALSE_CLAIMS);
            return Follows::Failed { ticket, why };
        }
        self.desk.note_reading(self.setup, self.subtasks, settled, &about, replica.trusted);
        let is_critical = self.setup.policy.level == VerificationLevel::Critical;
        let may_be_read_twice = is_critical || self.setup.fragments.len() >= FEWEST_PARTS;
        if may_be_read_twice && !replica.trusted {
            self.desk.book.seconds.read_once(settled);
        }
        for claim in self.desk.spare.remove(&id).unwrap_or_default() {
            if !stand.contains(&claim) {
                stand.push(claim);
            }
        }
        replica.attested = (!replica.trusted && settled.is_reviewed()).then_some(earned);
        replica.answer = Outcome::Mapped(MapAnswer::Claims { claims: stand });
        let is_disputed = |outcome: &ClaimOutcome| *outcome == ClaimOutcome::Undecided;
        let disputed = settled.claims.iter().filter(|(_, outcome)| is_disputed(outcome)).count();
        let agreement = undisputed(settled.upheld().count(), disputed);
        Follows::Settled { ticket, replica, confidence: settled.confidence(), agreement, earned }
    }

    /// A written answer that says what its notes do not is written once more, and then goes without those sentences.
    fn settle_text(&mut self, held: Held, settled: &Settled) -> Follows {
        let Held { ticket, mut replica, about, places } = held;
        let fallen = settled.claims.iter().zip(&places).filter(|((_, outcome), _)| !outcome.stands());
        let (claims, dropped): (Vec<&Claim>, Vec<Range<usize>>) =
            fallen.map(|((claim, _), place)| (claim, place.clone())).unzip();
        let everything_fell = !claims.is_empty() && claims.len() == settled.claims.len();
        if let Some(first) = claims.first()
            && (everything_fell || !std::mem::replace(&mut self.desk.is_rewritten, true))
        {
            let why = format!("reviewers find that its notes do not say: “{}”", shortened(&first.text, 160));
            self.subtasks.teach(settled.reading, NOT_IN_NOTES);
            return Follows::Failed { ticket, why };
        }
        for claim in claims {
            self.desk.report.sentences_dropped += 1;
            self.desk.tell_claim(self.journal, &settled.reader, claim, &about, "its notes do not say so");
        }
        if let (Outcome::Combined(text), false) = (&replica.answer, dropped.is_empty()) {
            replica.answer = Outcome::Combined(without(text, &dropped));
        }
        Follows::Settled { ticket, replica, confidence: settled.confidence(), agreement: 1.0, earned: true }
    }
}

/// The share of claims that nobody disputed.
fn undisputed(stood: usize, disputed: usize) -> f64 {
    if disputed > 0 { stood as f64 / (stood + disputed) as f64 } else { 1.0 }
}

#[cfg(test)]
#[path = "settle_tests.rs"]
mod tests;
