//! Gold in a run: made of what was settled, shown among the claims of reviews, and what follows from verdicts on it.
//!
//! ```text
//!   reading settled ─► gold ─► book ─► sheet of an attempt ─► verdicts ─┬─ gold right, or none ─► counts, paid
//!                                                                       └─ gold wrong ─► the attempt failed: not paid
//!                                                                             └─ too often ─► not asked any more
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use frlm_questions::dialect::claims::{ReviewTask, UnderReview, as_answer, text_of};
use frlm_questions::dialect::{MapAnswer, Prompt};
use frlm_questions::ingest::Fragment;
use frlm_questions::plan::{Outcome, Task};
use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptId, SubtaskId};
use frlm_verifier::claims::Observation;

use super::book::Found;
use super::examination::Item;
use super::outcome::{Before, Settled};
use super::settle::Settling;
use crate::run::background_writer::read_beside;
use crate::run::claims::ClaimDesk;
use crate::run::journal::Journal;
use crate::run::peers::Peers;
use crate::run::subtasks::{SubtaskRecord, Subtasks};
use crate::run::trust::TrustDesk;
use crate::swarm::{ProviderId, ProviderInfo, Ticket};

impl ClaimDesk {
    /// What this run saw of strangers that read and review, for the home.
    pub(in crate::run) fn take_seen_claims(&mut self, peers: &Peers) -> Vec<(String, Vec<Observation>)> {
        let trusted = |id: &ProviderId| {
            peers.index(id).and_then(|index| peers.info(index)).is_some_and(|info| info.trusted)
        };
        let seen = self.book.take_seen().into_iter().filter(|(id, _)| !trusted(id));
        seen.map(|(id, seen)| (id.to_string(), seen)).collect()
    }
}

impl ClaimDesk {
    /// What an attempt of a review asks its provider; `None` if it is none.
    pub(in crate::run) fn review_prompt(
        &mut self,
        subtasks: &Subtasks,
        id: SubtaskId,
        attempt: AttemptId,
        info: &ProviderInfo,
    ) -> Option<Prompt> {
        let record = subtasks.of(id)?;
        let Task::Review(task) = record.task() else { return None };
        let ticket = Ticket { subtask: id, attempt };
        let is_examined = !info.trusted && !task.is_for_trusted;
        let items = self.book.sheet((id, ticket.attempt.0), &info.id, is_examined);
        let mut claims = Vec::with_capacity(items.len());
        for item in items {
            claims.extend(match item {
                Item::Claim(at) => task.claims.get(at).cloned(),
                Item::Gold(gold) => {
                    let about = self.gold_about.remove(&gold.id);
                    about.map(|fragment| UnderReview { claim: gold.claim, fragment })
                }
            });
        }
        let sheet = ReviewTask { claims, parts: task.parts.clone(), is_for_trusted: task.is_for_trusted };
        let prompt = sheet.prompt();
        self.sheets.insert(ticket, Arc::new(sheet));
        Some(prompt)
    }

    /// Makes gold of what others have settled.
    pub(super) fn make_gold(&mut self, settled: &Settled, about: &Arc<Fragment>, is_own: bool) {
        if is_own || !settled.is_reviewed() {
            return;
        }
        for gold in self.book.make_gold(settled, &text_of(about)) {
            self.gold_about.insert(gold, Arc::clone(about));
        }
    }

    /// What is known of readers and reviewers from earlier runs. A file that cannot be read costs that, not the run.
    pub(in crate::run) async fn recall_claims(&mut self, trust: &TrustDesk, journal: &mut Journal) {
        let Some(store) = trust.store() else { return };
        match read_beside(move || store.load_claims()).await {
            Ok(known) => self.book.recall(known),
            Err(why) => {
                let words = format!("no reader is known from earlier runs: {why}");
                journal.notice(RunStage::Verify, &words);
            }
        }
    }
}

impl ClaimDesk {
    /// A provider is excluded for what was found; why, in words. `may_doubt`: claims that rest on its word may be decided once more.
    pub(in crate::run) fn note_excluded(&mut self, id: &ProviderId, found: Found, may_doubt: bool) -> String {
        let why = match found {
            Found::ReadsFalsely => "too many of its claims are false".to_owned(),
            Found::ReviewsBlindly { gold, wrong } => format!(
                "its verdicts do not depend on the claims, and of {gold} whose verdict is known it had {wrong} wrong"
            ),
            Found::StandsAlone { times } => {
                format!("it has rejected {times} claims that everybody else bears out")
            }
        };
        self.report.reviewers_excluded += usize::from(found != Found::ReadsFalsely);
        let reopened = self.book.doubt(id, may_doubt);
        let mut why = format!("{id} is not asked any more: {why}");
        if reopened > 0 {
            // Writing into a String cannot fail.
            let _ = write!(why, "; {reopened} claims that rest on its word are reviewed by others");
        }
        why
    }
}

impl Settling<'_> {
    /// Claims of a reading that was settled before are decided once more: what does not stand any more is taken out, and what
    /// stands by now comes in. What was paid for the reading stays paid.
    pub(super) fn settle_again(&mut self, settled: &Settled, was: Before) {
        let id = self.desk.book.seconds.part_of(settled.reading);
        let Some(about) = self.desk.about(self.subtasks, id) else { return };
        let record = self.subtasks.of_mut(id);
        let Some(accepted) = record.and_then(SubtaskRecord::accepted_mut) else { return };
        match was {
            Before::Accepted => {
                let Outcome::Mapped(MapAnswer::Claims { claims }) = &mut accepted.outcome else { return };
                let before = claims.len();
                let falls = settled.claims.iter().filter(|(_, outcome)| !outcome.stands());
                let falls: Vec<MapAnswer> = falls.map(|(claim, _)| as_answer(claim, &about)).collect();
                claims.retain(|claim| !falls.contains(claim));
                accepted.confidence = without(accepted.confidence, before, settled);
            }
            Before::Undecided => accepted.join(&settled.upheld().collect::<Vec<_>>(), &about),
        }
        self.tell_verified(id);
        self.desk.make_gold(settled, &about, false);
        let report = &mut self.desk.report;
        let counted = match was {
            Before::Accepted => &mut report.accepted,
            Before::Undecided => &mut report.left_out,
        };
        *counted = counted.saturating_sub(settled.claims.len());
        if was == Before::Undecided {
            let (count, reader) = (settled.claims.len(), &settled.reader);
            let words = format!(
                "{count} rejected claims of {reader} are accepted after all: only their rejecters disagree \
                 with the rest of this run"
            );
            self.journal.notice(RunStage::Verify, &words);
        }
        self.desk.count_fates(self.journal, settled, &about, false);
    }
}

/// The confidence in a reading of so many claims after some of them were decided once more.
fn without(confidence: Option<f64>, before: usize, settled: &Settled) -> Option<f64> {
    let others = before.saturating_sub(settled.claims.len()) as f64;
    let confidences: Vec<f64> =
        settled.claims.iter().filter_map(|(_, outcome)| outcome.confidence()).collect();
    let left = others + confidences.len() as f64;
    let sum = confidence? * others + confidences.iter().sum::<f64>();
    Some(if left > 0.0 { sum / left } else { 1.0 - settled.prior })
}
