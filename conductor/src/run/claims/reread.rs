//! Second readings in a run: who is asked, and what comes of it.
//!
//! ```text
//!   reading accepted, its reader paid ─► due ─► budget, another provider ─► a subtask of its own ─► claims, reviews, pay
//!                                                 └─ neither: read once           │                    └─► join the part
//!                                                                                 └─ its attempt failed: read once
//! ```
//!
//! A part waits for nothing: it is accepted before anybody is asked a second time. Only what is built on all parts, the next
//! questions and the text, waits until second readings are over, and none is tried twice.

use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::as_answer;
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::Outcome;
use frlm_scheduler::SubtaskId;
use frlm_verifier::claims::Claim;

use super::claim_desk::Held;
use super::outcome::{ClaimOutcome, Settled};
use super::settle::Settling;
use crate::run::follows::Follows;
use crate::run::subtasks::{Accepted, Progress, SubtaskRecord};
use crate::trace::TraceEvent;

/// What a second reading may cost in prices of a reading: its own, and as much for its reviews.
pub(in crate::run) const COST: u64 = 2;
/// None is asked for of a text in fewer parts: it would be much of the price.
pub(super) const FEWEST_PARTS: usize = 4;

impl Accepted {
    /// More claims stand of a part.
    pub(super) fn join(&mut self, upheld: &[&(Claim, ClaimOutcome)], about: &Fragment) {
        let Outcome::Mapped(MapAnswer::Claims { claims }) = &mut self.outcome else { return };
        let known = self.confidence.unwrap_or(1.0) * claims.len() as f64;
        let confidences = upheld.iter().filter_map(|(_, outcome)| outcome.confidence());
        claims.extend(upheld.iter().map(|(claim, _)| as_answer(claim, about)));
        self.confidence = Some((known + confidences.sum::<f64>()) / (claims.len() as f64).max(1.0));
    }
}

impl Settling<'_> {
    /// A second reading of which every claim is decided: what it adds joins the part, and its reader is paid for what it stated.
    pub(super) fn settle_second(&mut self, held: Held, settled: &Settled) -> Follows {
        let Held { ticket, mut replica, about, .. } = held;
        let added = self.desk.book.seconds.compare(settled);
        // A fact that both state is one claim.
        let shared = settled.claims.len() - added.claims.len();
        self.desk.report.stated = self.desk.report.stated.saturating_sub(shared);
        self.desk.make_gold(&added, &about, replica.trusted);
        self.desk.count_fates(self.journal, &added, &about, replica.trusted);
        let stand: Vec<MapAnswer> = settled.upheld().map(|(claim, _)| as_answer(claim, &about)).collect();
        if settled.is_void() {
            let why = format!("reviews reject {} of its claims, and none is left", settled.rejected());
            return Follows::Failed { ticket, why };
        }
        self.desk.rereading.remove(&settled.reading);
        if !self.subtasks.is_written_about() {
            let part = self.desk.book.seconds.part_of(settled.reading);
            self.desk.kept.note_second(part, settled, &added, &about);
            let upheld: Vec<&(Claim, ClaimOutcome)> = added.upheld().collect();
            let accepted = self.subtasks.of_mut(part).and_then(SubtaskRecord::accepted_mut);
            if let Some(accepted) = accepted.filter(|_| !upheld.is_empty()) {
                accepted.join(&upheld, &about);
                self.tell_verified(part);
            }
        }
        let earned = settled.is_earned();
        replica.attested = (!replica.trusted && settled.is_reviewed()).then_some(earned);
        replica.answer = Outcome::Mapped(MapAnswer::Claims { claims: stand });
        // How far its claims are believed is said of the part.
        Follows::Settled { ticket, replica, confidence: Some(1.0), agreement: 1.0, earned }
    }

    /// Says once more what a part came to, as it has changed.
    pub(super) fn tell_verified(&mut self, part: SubtaskId) {
        let Some(SubtaskRecord { subtask, state: Progress::Accepted(accepted), .. }) = self.subtasks.of(part)
        else {
            return;
        };
        self.journal.emit(TraceEvent::Verified {
            subtask: part,
            key: subtask.key(),
            outcome: accepted.outcome.clone(),
            agreement: accepted.agreement,
            confidence: accepted.confidence,
            replicas: accepted.replicas,
            local: accepted.local,
        });
        self.subtasks.fresh.push(part);
    }
}
