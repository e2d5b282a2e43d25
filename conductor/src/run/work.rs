//! The work of a run: what is asked, of whom, and what is under way.
//!
//! Every part of a run decides over this state, and borrows it for that. It waits for nothing, and holds no
//! connection to the swarm, the ledger or a mint: the [`JobDesk`](super::desks::JobDesk) has those.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_questions::plan::{Subtask, Task};
use frlm_scheduler::{FailureReason, Needs, Scheduler, SubtaskId};
use frlm_verifier::Report;
use frlm_wallet::Sats;

use super::RunSetup;
use super::attempts::Attempts;
use super::checks::Answered;
use super::claims;
use super::decide::{Audits, Gauge, open_again};
use super::desks::Notes;
use super::engine::returned;
use super::journal::Journal;
use super::learner::{self, Step};
use super::peers::Noted;
use super::provider_desk::ProviderDesk;
use super::provider_scoring::Experience;
use super::quote;
use super::resume::KnownOutcome;
use super::route::{RouteDesk, Routed};
use super::subtasks::{Accepted, MOST_PER_PLAN_EVENT, Progress, SubtaskRecord, Subtasks};
use crate::swarm::{ProviderId, ProviderInfo, Ticket};
use crate::trace::{PlannedSubtask, RunStage, TraceEvent};

/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 200;

/// What is asked, of whom, and what is under way.
pub(super) struct Work {
    pub setup: RunSetup,
    pub journal: Journal,
    pub scheduler: Scheduler,
    pub providers: ProviderDesk,
    pub subtasks: Subtasks,
    /// The steps of the plan so far.
    pub steps: Vec<Step>,
    pub attempts: Attempts,
    /// What decides where subtasks go; `None`: any provider with room gets them.
    pub route: Option<RouteDesk>,
    /// What the stages of the run are judged by.
    pub gauge: Gauge,
    pub audits: Audits,
    pub report: Notes,
    /// The time since the run began, at the start of this turn of its loop.
    pub now: Duration,
}

impl Work {
    /// The work of a run that has not begun.
    pub fn new(
        setup: RunSetup,
        journal: Journal,
        scheduler: Scheduler,
        providers: ProviderDesk,
        route: Option<RouteDesk>,
    ) -> Self {
        Self {
            journal,
            scheduler,
            providers,
            subtasks: Subtasks::default(),
            steps: Vec::new(),
            attempts: Attempts::default(),
            route,
            gauge: Gauge::default(),
            audits: Audits::default(),
            report: Notes::new(&setup),
            now: Duration::ZERO,
            setup,
        }
    }

    /// Records that an answer came to which no check of its own objects.
    pub fn came_back(&mut self, answered: &Answered) {
        let Answered { ticket, replica, usage, latency, .. } = answered;
        let Some(sent) = self.attempts.sent.get(ticket) else { return };
        let (provider, prompt) = (sent.provider.id.clone(), Arc::clone(&sent.prompt));
        self.gauge.returned(&provider, *latency);
        self.providers.heard.answered(&provider);
        let usage = self.report.count_usage(*usage, &prompt);
        returned(&mut self.journal, *ticket, *latency, Ok((replica.answer.summary(), usage)));
        self.providers.record_experience(&mut self.scheduler, &provider, Experience::Answered(*latency));
    }

    /// Asks a provider for nothing more in this run: what it does or is not given, and why.
    pub fn leave_out(&mut self, provider: &ProviderId, what: &str, why: &str) {
        if self.providers.peers.index(provider).is_none() {
            // A validator does none of the work that others are asked for.
            return;
        }
        self.providers.exclude(&mut self.scheduler, provider, self.now);
        self.journal.notice(RunStage::Dispatch, &format!("{provider} {what} and is excluded: {why}"));
    }

    /// A provider whose answers nobody judges would work for nothing: it is asked nothing more in this run, and
    /// nothing of that is kept.
    pub fn ask_nothing_more(&mut self, provider: &ProviderId, has_validator: bool) {
        if self.providers.peers.is_excluded(provider) {
            return;
        }
        self.providers.exclude(&mut self.scheduler, provider, self.now);
        let found = if has_validator {
            format!("the validator says nothing of the answers of {provider}")
        } else {
            format!(
                "nothing can tell whether the answers of {provider} are right (your own model could: --model; or ask \
                 for less: --level high)"
            )
        };
        let words = format!("{found}; it is not asked again in this run, and its record is unchanged");
        self.journal.notice(RunStage::Verify, &words);
    }

    /// Records that an answer got no verdict. `validator`: who was to give it, if anybody.
    pub fn tell_unjudged(
        &mut self,
        answer: Ticket,
        validator: String,
        provider: &ProviderId,
        paid: bool,
        why: &str,
    ) {
        self.gauge.unjudged();
        let why: String = why.chars().take(LONGEST_REASON).collect();
        if let Some(record) = self.subtasks.of_mut(answer.subtask) {
            record.last_failure = Some(format!("no verdict about an answer: {why}").into());
        }
        self.journal.emit(TraceEvent::NoVerdict {
            subtask: answer.subtask,
            attempt: answer.attempt,
            validator,
            provider: provider.to_string(),
            paid,
            why,
        });
    }

    /// This machine never got round to an answer, which is not its provider's doing either. What it is worth is not known
    /// any more, and so it is not paid.
    pub fn lost_here(&mut self, answer: Ticket) {
        let Some(sent) = self.attempts.sent.remove(&answer) else { return };
        self.attempts.ended.push((answer, None));
        let why = "this machine did not get round to it";
        self.tell_unjudged(answer, String::new(), &sent.provider.id, false, why);
    }

    /// Gives reviews to a provider that the user trusts.
    pub fn admit_reviewer(&mut self, info: ProviderInfo) {
        self.providers.trust.meet(&self.setup, &mut self.providers.peers, &self.subtasks, &info);
        if let Some(Noted { index, capacity, .. }) = self.providers.peers.review_as_trusted(info) {
            self.scheduler.providers.upsert(index, capacity);
        }
    }

    /// What routes, if the run is routed, and what it decides over.
    pub fn routing(&mut self, now: Duration) -> Option<(&mut RouteDesk, Routed<'_>)> {
        let at = Routed {
            setup: &self.setup,
            scheduler: &mut self.scheduler,
            subtasks: &mut self.subtasks,
            journal: &mut self.journal,
            now,
        };
        self.route.as_mut().map(|desk| (desk, at))
    }

    /// Takes up subtasks, and weighs the steps that they are of.
    pub fn add_subtasks(&mut self, subtasks: Vec<Subtask>, kept: HashMap<usize, KnownOutcome>) {
        let steps = learner::weigh(&self.setup, &subtasks, self.subtasks.next_id());
        self.add(subtasks, kept);
        self.note_steps(steps);
    }

    /// Steps have joined the plan.
    pub fn note_steps(&mut self, steps: Vec<Step>) {
        for step in &steps {
            self.journal.emit(step.event());
        }
        self.steps.extend(steps);
    }

    /// Takes up subtasks. What is known of some from earlier starts is not asked for again, nor what earlier runs have verified: that
    /// is `kept`, by their place.
    pub fn add(&mut self, subtasks: Vec<Subtask>, mut kept: HashMap<usize, KnownOutcome>) {
        let mut planned = Vec::new();
        let mut reused = Vec::with_capacity(kept.len());
        self.subtasks.make_room(subtasks.len());
        for (at, subtask) in subtasks.into_iter().enumerate() {
            let (answers, replicas) = claims::answers_of(&self.setup.policy, &subtask.task);
            let (percent, reading) = quote::time_of(&subtask);
            let id = self.scheduler.entries.add(Needs {
                answers,
                replicas,
                skills: subtask.skill() as u8,
                venue: None,
                ends_itself: matches!(subtask.task, Task::Review(_)),
                settled_apart: claims::settles(&self.setup.policy, &subtask.task),
                percent,
                reading,
            });
            let named = PlannedSubtask { id, key: subtask.key(), label: subtask.label() };
            // Whose verdicts a review of an earlier start has is not known, and which of them are on gold.
            let is_review = matches!(subtask.task, Task::Review(_));
            let known = self.setup.known.outcomes.remove(&named.key).filter(|_| !is_review);
            let known = known.or_else(|| {
                let known = kept.remove(&at)?;
                reused.push((id, named.key.clone(), known.clone()));
                Some(known)
            });
            let state = match known.filter(|known| subtask.task.may_come_to(&known.outcome)) {
                None => {
                    // A review goes to any provider that may give it: waiting for a venue, it would wait for the credit of readings that
                    // wait for it. So does a second reading: nothing is built on its part meanwhile.
                    let is_routed = !is_review && !matches!(subtask.task, Task::Reread { .. });
                    if let Some(desk) = self.route.as_mut().filter(|_| is_routed) {
                        desk.hold(&mut self.scheduler, id, subtask.skill() as u8);
                    }
                    Progress::Open
                }
                Some(known) => {
                    self.scheduler.close(id);
                    self.subtasks.fresh.push(id);
                    Progress::Accepted(Accepted {
                        outcome: known.outcome,
                        agreement: known.agreement,
                        confidence: known.confidence,
                        replicas: known.replicas,
                        local: known.local,
                        cached: true,
                    })
                }
            };
            self.subtasks.push(SubtaskRecord::new(subtask, state));
            planned.push(named);
            if planned.len() >= MOST_PER_PLAN_EVENT {
                self.journal.emit(TraceEvent::Plan { subtasks: std::mem::take(&mut planned) });
            }
        }
        if !planned.is_empty() {
            self.journal.emit(TraceEvent::Plan { subtasks: planned });
        }
        // A run that goes on must not depend on what the cache holds by then.
        for (subtask, key, known) in reused {
            let KnownOutcome { outcome, agreement, confidence, replicas, local } = known;
            let verified =
                TraceEvent::Verified { subtask, key, outcome, agreement, confidence, replicas, local };
            self.journal.emit(verified);
        }
    }

    /// Records that no answer to a subtask is accepted, of those that all were compared.
    pub fn tell_split(&mut self, id: SubtaskId, report: Report) {
        let answers = report.agreeing.len() + report.dissenting.len();
        self.gauge.compared(answers, answers);
        self.journal.verify(id, false, report);
    }

    /// The user allows so much in all: who was too dear is asked again, and what was given up for lack of sats.
    pub fn raise_budget(&mut self, limit: Sats) {
        self.setup.policy.budget = limit;
        self.journal.emit(TraceEvent::BudgetRaised { limit_sats: limit.0 });
        for (index, capacity) in self.providers.peers.readmit_too_dear() {
            self.scheduler.providers.upsert(index, capacity);
        }
        let lacks =
            |record: &SubtaskRecord| matches!(record.state, Progress::GaveUp(FailureReason::OverBudget));
        let lacking = (0_u32..).zip(self.subtasks.iter()).filter(|(_, record)| lacks(record));
        let lacking: Vec<SubtaskId> = lacking.map(|(id, _)| SubtaskId(id)).collect();
        let again =
            lacking.into_iter().filter(|id| open_again(&mut self.subtasks, &mut self.scheduler, *id)).count();
        let words = format!("the user raised the budget to {limit}; {again} parts are asked again");
        self.journal.notice(RunStage::Control, &words);
    }
}
