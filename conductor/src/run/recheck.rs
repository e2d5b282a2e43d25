//! Accepted answers that are rechecked: because the only provider that gave them was contradicted since, or
//! because tier 3 draws them.
//!
//! Under the adaptive policy a trusted provider is believed alone, and so are the first lies of one that
//! was honest until now. The verifier says which answers are in doubt (`verifier/src/trust/alone.rs`).
//! Under policies that accept the first answer which passes, tier 3 draws some, or code knows better
//! (docs/decisions/0028-tier-three-everywhere.md). Here they become replicas among others, and the records of the
//! providers decide about all of them:
//!
//! ```text
//!   accepted ─► in doubt ─► asked of others ─┬ confirmed, or another answer is believed ─► accepted
//!                                            ├ contradicted, and nobody is believed ─────► given up
//!                                            └ nobody answered ─────────────────────────► as it was
//! ```
//!
//! The provider of a doubted answer keeps its pay. Nothing is built on an answer before its recheck has ended.

use std::collections::{HashMap, HashSet};

use frlm_questions::stage::RunStage;
use frlm_scheduler::{Scheduler, SubtaskId};
use frlm_verifier::trust::Doubted;
use frlm_verifier::{Replica, Report};
use frlm_wallet::Sats;

use super::score::AnswerMetadata;
use super::subtasks::{Progress, Subtasks};
use super::work::Work;
use super::{RunSetup, finish};
use crate::swarm::Ticket;

/// What is rechecked.
#[derive(Debug, Default)]
pub(super) struct Rechecks {
    /// Under way: what was verified of these may still change.
    pub out: HashSet<SubtaskId>,
    /// How many answers were rechecked.
    pub begun: usize,
    /// Drawn by tier 3 and not begun, each with the provider whose answer was accepted.
    drawn: Vec<(SubtaskId, String)>,
    /// How the answers that tier 3 has drawn were given: they are scored when their recheck has ended.
    first: HashMap<SubtaskId, (Ticket, AnswerMetadata)>,
}

/// Answers that a recheck may take beyond the first.
const MOST_MORE: u64 = 2;
/// Texts over the fragments' answers: one, and its correction.
const TEXTS: usize = 2;

/// Notes that are summarised together if all of them are too much for one provider: so many, or more if the notes are short.
const NOTES_OF_A_DIGEST: usize = 12;

/// Subtasks that a plan may still ask for: it reads each fragment at most once for each part of the question, and writes.
fn not_planned(most_read: usize, planned: usize) -> usize {
    most_read.saturating_sub(planned) + TEXTS
}

/// Subtasks that first summarise the notes of so many fragments ([`frlm_questions::plan`]), on all levels.
fn digests(notes: usize) -> usize {
    // A twelfth, and a twelfth of that, and so on.
    if notes > NOTES_OF_A_DIGEST { notes.div_ceil(NOTES_OF_A_DIGEST - 1) } else { 0 }
}

impl Rechecks {
    /// Tier 3 has drawn an answer that is accepted now.
    pub fn draw(&mut self, id: SubtaskId, provider: String) {
        self.drawn.push((id, provider));
    }

    /// Keeps how an answer was given until its second look has ended, if tier 3 has drawn it. Its provider hears of its
    /// acceptance before.
    pub fn keep_first(&mut self, id: SubtaskId, ticket: Ticket, metadata: &AnswerMetadata) {
        if self.drawn.iter().any(|(drawn, _)| *drawn == id) {
            self.first.insert(id, (ticket, AnswerMetadata { job: None, ..metadata.clone() }));
        }
    }

    /// Hands that over.
    pub fn take_first(&mut self, id: SubtaskId) -> Option<(Ticket, AnswerMetadata)> {
        self.first.remove(&id)
    }

    /// No verdict will come.
    pub fn lost(&mut self, id: SubtaskId) {
        self.out.remove(&id);
        self.first.remove(&id);
    }

    /// A verdict came; whether it was the second one.
    pub fn ended(&mut self, id: SubtaskId) -> bool {
        self.out.remove(&id)
    }
}

/// How many subtasks are open or may still be planned.
pub(super) fn still_to_ask(subtasks: &Subtasks, setup: &RunSetup, scheduler: &Scheduler) -> u64 {
    let parts = setup.compound.as_ref().map_or(1, |compound| compound.parts.len());
    let fragments = setup.fragments.len();
    let in_words = setup.compound.is_none() && finish::query(setup, subtasks).is_none();
    let summed_up = if in_words { digests(fragments) } else { 0 };
    let to_come = match setup.plan.program() {
        // What a program will ask nobody knows.
        Some(_) => 0,
        None => not_planned(parts * fragments + summed_up, subtasks.len()),
    };
    u64::try_from(scheduler.entries.open() + to_come).unwrap_or(u64::MAX)
}

/// Whether so many sats pay for a recheck and for all that is still to be asked, each at this price.
pub(super) fn pays_for_recheck(left: u64, price: Sats, to_ask: u64) -> bool {
    price.0.saturating_mul(to_ask.saturating_add(MOST_MORE)) <= left
}

impl Rechecks {
    /// Asks others, too, for answers that are in doubt.
    pub(super) fn recheck(&mut self, work: &mut Work, doubted: &[Doubted]) {
        if doubted.is_empty() {
            return;
        }
        let mut opened = 0;
        for Doubted { subtask, provider } in doubted {
            let Ok(id) = u32::try_from(*subtask).map(SubtaskId) else { continue };
            let provider = work.providers.trust.name(*provider).to_owned();
            opened += usize::from(self.open_to_others(work, id, provider));
        }
        self.begun += opened;
        let left = match doubted.len() - opened {
            0 => String::new(),
            left => format!("; for {left} no provider is left to ask"),
        };
        work.journal.notice(
            RunStage::Verify,
            &format!(
                "{} accepted answers rest on the word of one provider that was contradicted since: \
                 others are asked for {opened}{left}",
                doubted.len()
            ),
        );
    }

    /// Begins what tier 3 has drawn, as far as the budget holds more than what is still to be asked may take.
    pub(super) fn recheck_drawn(&mut self, work: &mut Work, left: Sats) {
        let drawn = std::mem::take(&mut self.drawn);
        if drawn.is_empty() {
            return;
        }
        let mut left = left.0;
        let to_ask = still_to_ask(&work.subtasks, &work.setup, &work.scheduler);
        for (id, provider) in drawn {
            let price = work.subtasks.of(id).and_then(|record| record.first_price).unwrap_or_default();
            if pays_for_recheck(left, price, to_ask) && self.open_to_others(work, id, provider.clone()) {
                left = left.saturating_sub(price.0.saturating_mul(MOST_MORE));
            } else {
                self.take_first(id);
                work.providers.trust.stood_alone(provider);
            }
        }
    }

    /// Makes an accepted answer a replica among others; `false` if nobody else can be asked.
    fn open_to_others(&mut self, work: &mut Work, id: SubtaskId, provider: String) -> bool {
        let attempt = work
            .providers
            .peers
            .index(&provider)
            .and_then(|index| work.scheduler.entries.answer_of(id, index));
        let (Some(attempt), true) = (attempt, work.scheduler.could_ask(id)) else { return false };
        let ticket = Ticket { subtask: id, attempt };
        let Some(record) = work.subtasks.of_mut(id) else { return false };
        let Progress::Accepted(accepted) = &record.state else { return false };
        let replica = Replica {
            provider,
            key: accepted.outcome.agreement_key(),
            trusted: false,
            confidence: accepted.confidence,
            attested: None,
            answer: accepted.outcome.clone(),
        };
        record.replicas = vec![(ticket.attempt, replica)];
        self.out.insert(id);
        work.scheduler.entries.allow(id, work.providers.trust.most_replicas());
        work.scheduler.entries.reopen(id);
        true
    }

    /// Whether an accepted answer is rechecked, and all who answered say the same.
    pub(super) fn is_uncontradicted(&self, subtasks: &Subtasks, id: SubtaskId) -> bool {
        let Some(record) = subtasks.of(id).filter(|_| self.out.contains(&id)) else { return false };
        let Progress::Accepted(accepted) = &record.state else { return false };
        let key = accepted.outcome.agreement_key();
        record.replicas.iter().all(|(_, replica)| replica.key == key)
    }

    /// The run is over before the rechecks are: answers that nobody contradicts stand.
    pub(super) fn end(&mut self, work: &mut Work) {
        let mut out: Vec<SubtaskId> = self.out.iter().copied().collect();
        out.sort_unstable();
        for id in out {
            if self.is_uncontradicted(&work.subtasks, id) {
                self.stands_after_recheck(work, id);
            }
        }
    }

    /// A recheck ends without a verdict. `true`: the answer stands; providers that confirmed it are paid. `false`: another
    /// answer contradicts it, and the subtask is open.
    pub(super) fn stands_after_recheck(&mut self, work: &mut Work, id: SubtaskId) -> bool {
        if !self.out.contains(&id) {
            return false;
        }
        let Some(record) = work.subtasks.of_mut(id) else { return false };
        let Progress::Accepted(accepted) = &record.state else { return false };
        let key = accepted.outcome.agreement_key();
        let (agreement, confidence) = (accepted.agreement, accepted.confidence);
        if record.replicas.iter().any(|(_, replica)| replica.key != key) {
            record.state = Progress::Open;
            return false;
        }
        let replicas = record.take_replicas();
        self.lost(id);
        // Under the adaptive policy that was noted when it was accepted.
        if let ([(_, alone)], false) = (&*replicas, work.setup.policy.verification.is_adaptive()) {
            work.providers.trust.stood_alone(alone.provider.clone());
        }
        if replicas.len() > 1 {
            // Whose answers count stands in the trace before they are paid.
            let agreeing = replicas.iter().map(|(_, replica)| replica.provider.clone()).collect();
            let report =
                Report { agreeing, dissenting: Vec::new(), agreement, reported_confidence: confidence };
            work.journal.verify(id, true, report);
        }
        for (attempt, replica) in replicas {
            work.attempts.end_answered(Ticket { subtask: id, attempt }, &replica.answer, true);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use frlm_inference::Dialect;
    use frlm_questions::dialect::MapTask;
    use frlm_questions::dialect::claims::Form;
    use frlm_questions::dialect::testing::fragment;
    use frlm_questions::plan::{Belongs, FragmentMap, Outcome, Subtask, Task};
    use frlm_questions::question::FieldHints;
    use frlm_scheduler::{AttemptId, FailureReason, SchedulerConfig};
    use tokio::sync::mpsc;

    use super::*;
    use crate::policy::FrlmPolicy;
    use crate::run::Equipment;
    use crate::run::dispatch::Dispatch;
    use crate::run::engine::{AnswerDesk, Engine};
    use crate::run::journal::Journal;
    use crate::run::provider_desk::ProviderDesk;
    use crate::run::subtasks::{Accepted, SubtaskRecord};
    use crate::swarm::ProviderInfo;
    use crate::trace::TraceEvent;

    /// What was accepted of one provider is rechecked, and these answers are there when nobody is left to decide: whether it stands,
    /// who is named, and how many are paid.
    async fn undecided(answers: [&str; 2]) -> (bool, Vec<String>, usize) {
        let (watchers, mut told) = mpsc::unbounded_channel();
        let plan = FragmentMap::new("Who?", None, FieldHints::default(), Vec::new(), true);
        let mut setup = RunSetup::new("run", "Who?", Vec::new(), Box::new(plan), FrlmPolicy::standard());
        let mut equipment = Equipment::default();
        let providers = ProviderDesk::new(&setup, &mut equipment);
        let journal = Journal::new("run", None, Some(watchers), 0, Duration::ZERO);
        let answers_desk = AnswerDesk::new(&mut setup, &mut equipment);
        let work = Work::new(setup, journal, Scheduler::new(SchedulerConfig::default()), providers, None);
        let mut engine = Engine { work, answers: answers_desk };
        let task =
            MapTask { question: String::new(), query: None, manner: String::new(), form: Form::default() };
        let task = Task::Map { task: Arc::new(task), fragment: Arc::new(fragment("a.log", "a line")) };
        let accepted = Accepted {
            outcome: Outcome::Combined(answers[0].to_owned()),
            agreement: 1.0,
            confidence: None,
            replicas: 1,
            local: false,
            cached: false,
        };
        let id = SubtaskId(0);
        let subtask = Subtask { task, belongs: Belongs::Whole };
        let prompt = Arc::new(subtask.prompt(Dialect::Json));
        let mut record = SubtaskRecord::new(subtask, Progress::Accepted(accepted));
        for ((attempt, provider), words) in (0..).map(AttemptId).zip(["a", "b"]).zip(answers) {
            let answer = Outcome::Combined(words.to_owned());
            let (name, key) = (provider.to_owned(), answer.agreement_key());
            let replica =
                Replica { provider: name, key, answer, trusted: false, confidence: None, attested: None };
            record.replicas.push((attempt, replica));
            let job = Dispatch {
                ticket: Ticket { subtask: id, attempt },
                provider: ProviderInfo::foreign(provider.into(), Sats(1)),
                prompt: Arc::clone(&prompt),
                price: Sats(1),
                hedge: false,
                shown: None,
                due: None,
            };
            let Work { attempts, journal, .. } = &mut engine.work;
            attempts.note_sent(journal, &job, Duration::ZERO, Duration::ZERO);
        }
        engine.work.subtasks.push(record);
        engine.answers.rechecks.out.insert(id);
        let report = Report {
            agreeing: Vec::new(),
            dissenting: Vec::new(),
            agreement: 0.5,
            reported_confidence: None,
        };
        engine.split(id, report);
        engine.on_gave_up(id, FailureReason::Split);
        if let Some(unwritten) = engine.work.journal.take() {
            unwritten.write().await.unwrap();
        }
        let mut named = Vec::new();
        while let Ok(record) = told.try_recv() {
            if let TraceEvent::Verify { passed: true, agreeing, .. } = record.event {
                named.extend(agreeing);
            }
        }
        let stands = engine.work.subtasks.of(id).is_some_and(|record| record.accepted().is_some());
        let paid = engine.work.attempts.ended.iter().filter(|(_, cost)| cost.is_some()).count();
        (stands, named, paid)
    }

    #[tokio::test]
    async fn who_confirms_is_named_and_paid_though_nobody_is_left_to_decide() {
        let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        assert_eq!(undecided(["yes", "yes"]).await, (true, names(["a", "b"]), 2));
        assert_eq!(undecided(["yes", "no"]).await, (false, Vec::new(), 0));
    }

    #[test]
    fn an_abandoned_recheck_leaves_nothing_and_an_ended_one_keeps_its_start() {
        let (id, ticket) = (SubtaskId(7), Ticket::at(7, 1));
        let mut looks = Rechecks::default();
        let begin = |looks: &mut Rechecks| {
            looks.out.insert(id);
            looks.first.insert(id, (ticket, AnswerMetadata::of(None, &[], std::time::Duration::ZERO)));
        };
        begin(&mut looks);
        assert!(looks.ended(id), "its verdict is the second one");
        assert!(looks.take_first(id).is_some_and(|(whose, _)| whose == ticket));
        begin(&mut looks);
        looks.lost(id);
        assert!(looks.out.is_empty() && !looks.ended(id) && looks.take_first(id).is_none());
    }

    #[test]
    fn unasked_parts_have_their_budget_share_before_any_recheck() {
        assert_eq!(
            not_planned(10, 1),
            11,
            "the question alone was planned: ten fragments and a text are to come"
        );
        assert_eq!(not_planned(2 * 10, 10), 12, "the second part of a question waits for the first");
        assert_eq!(not_planned(10, 11), TEXTS);
        assert_eq!((digests(12), digests(13), digests(1_320)), (0, 2, 120), "110 of notes, and ten of those");
    }
}
