//! A run as it stands, folded from its trace. Pure: the same events in any batches give the same
//! view, live or replayed.

use std::collections::BTreeMap;

use super::{TraceEvent, TraceRecord};
use crate::answer::Answer;
use crate::scheduler::GaveUp;

/// Where a subtask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubtaskState {
    /// Not sent yet.
    #[default]
    Queued,
    /// Sent, no answer yet.
    Asked,
    /// A provider has begun.
    Processing,
    /// Some answers are in, not enough agree yet.
    Returned,
    /// An answer was accepted.
    Verified,
    /// It ended without an accepted answer.
    GaveUp(GaveUp),
}

/// A subtask as screens show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SubtaskView {
    /// For people.
    pub label: String,
    /// Where it stands.
    pub state: SubtaskState,
    /// How many attempts were made.
    pub attempts: u32,
    /// Whether replicas said different things.
    pub dissent: bool,
    /// Whether the user's own model answered.
    pub local: bool,
}

/// A provider as screens show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProviderView {
    /// What it calls itself.
    pub name: String,
    /// The model it claims to run.
    pub model: String,
    /// Whether it can be asked now.
    pub here: bool,
    /// Jobs it got.
    pub asked: u32,
    /// Answers of it that were accepted.
    pub agreed: u32,
    /// Answers of it that were not.
    pub dissented: u32,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With an answer.
    Answered(Box<Answer>),
    /// Without one.
    Failed {
        /// In words.
        error: String,
        /// The exit code that went with it.
        exit_code: u8,
    },
}

/// A run as it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunView {
    /// Its id.
    pub run_id: String,
    /// As asked.
    pub question: String,
    /// The cap.
    pub limit_sats: u64,
    /// The verification policy's name.
    pub policy: String,
    /// Set aside now.
    pub reserved_sats: u64,
    /// Paid for verified work.
    pub spent_sats: u64,
    /// By id.
    pub subtasks: Vec<SubtaskView>,
    /// By key.
    pub providers: BTreeMap<String, ProviderView>,
    /// Latest event's time, in milliseconds since the start.
    pub at_ms: u64,
    /// Subtasks with an accepted answer.
    pub verified: usize,
    /// Subtasks given up.
    pub gave_up: usize,
    /// Comparisons in which somebody dissented.
    pub dissents: usize,
    /// Things that arrived and did not count.
    pub strays: usize,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    /// Who was asked in which attempt.
    asked: BTreeMap<(u32, u32), String>,
}

impl RunView {
    /// Folds a whole trace.
    pub fn of(records: &[TraceRecord]) -> Self {
        let mut view = Self::default();
        for record in records {
            view.apply(record);
        }
        view
    }

    /// A provider's name for people, or the beginning of its key.
    pub fn provider_name(&self, key: &str) -> String {
        match self.providers.get(key) {
            Some(provider) if !provider.name.is_empty() => provider.name.clone(),
            _ => key.chars().take(8).collect(),
        }
    }

    /// Folds one event.
    pub fn apply(&mut self, record: &TraceRecord) {
        self.at_ms = self.at_ms.max(record.at_ms);
        match &record.event {
            TraceEvent::RunStart { run_id, question, limit_sats, policy, .. } => {
                self.run_id.clone_from(run_id);
                self.question.clone_from(question);
                self.limit_sats = *limit_sats;
                self.policy.clone_from(policy);
            }
            TraceEvent::RunResume { .. } => self.ending = None,
            TraceEvent::ProviderSeen { provider, name, model, .. } => {
                let entry = self.providers.entry(provider.clone()).or_default();
                entry.name.clone_from(name);
                entry.model.clone_from(model);
                entry.here = true;
            }
            TraceEvent::ProviderGone { provider } => {
                if let Some(entry) = self.providers.get_mut(provider) {
                    entry.here = false;
                }
            }
            TraceEvent::Plan { subtasks } => {
                for subtask in subtasks {
                    self.subtask(subtask.id.0).label.clone_from(&subtask.label);
                }
            }
            TraceEvent::BudgetReserve { sats, .. } => self.reserved_sats += sats,
            TraceEvent::BudgetSettle { spent_sats, refunded_sats, .. } => {
                self.spent_sats += spent_sats;
                self.reserved_sats = self.reserved_sats.saturating_sub(spent_sats + refunded_sats);
            }
            TraceEvent::SubQuerySubmit { subtask, attempt, provider, .. } => {
                let view = self.subtask(subtask.0);
                view.attempts += 1;
                if view.state == SubtaskState::Queued {
                    view.state = SubtaskState::Asked;
                }
                self.providers.entry(provider.clone()).or_default().asked += 1;
                self.asked.insert((subtask.0, attempt.0), provider.clone());
            }
            TraceEvent::SubQueryFeedback { subtask, .. } => {
                let view = self.subtask(subtask.0);
                if view.state == SubtaskState::Asked {
                    view.state = SubtaskState::Processing;
                }
            }
            TraceEvent::SubQueryReturn { subtask, ok, .. } => {
                let view = self.subtask(subtask.0);
                if *ok && matches!(view.state, SubtaskState::Asked | SubtaskState::Processing) {
                    view.state = SubtaskState::Returned;
                }
            }
            TraceEvent::Verify { subtask, agreeing, dissenting, .. } => {
                self.subtask(subtask.0).dissent |= !dissenting.is_empty();
                self.dissents += usize::from(!dissenting.is_empty());
                for provider in agreeing {
                    self.providers.entry(provider.clone()).or_default().agreed += 1;
                }
                for provider in dissenting {
                    self.providers.entry(provider.clone()).or_default().dissented += 1;
                }
            }
            TraceEvent::Verified { subtask, local, .. } => {
                let view = self.subtask(subtask.0);
                view.local = *local;
                if std::mem::replace(&mut view.state, SubtaskState::Verified) != SubtaskState::Verified {
                    self.verified += 1;
                }
            }
            TraceEvent::GaveUp { subtask, why } => {
                self.subtask(subtask.0).state = SubtaskState::GaveUp(*why);
                self.gave_up += 1;
            }
            TraceEvent::Stray { .. } => self.strays += 1,
            TraceEvent::RunDone { answer } => self.ending = Some(Ending::Answered(answer.clone())),
            TraceEvent::RunFailed { error, exit_code } => {
                self.ending = Some(Ending::Failed { error: error.clone(), exit_code: *exit_code });
            }
            TraceEvent::RelayOnline { .. }
            | TraceEvent::RelayOffline { .. }
            | TraceEvent::SubQuerySent { .. }
            | TraceEvent::SubQueryTimeout { .. }
            | TraceEvent::SubQueryCancel { .. }
            | TraceEvent::FallbackLocal { .. }
            | TraceEvent::Decision { .. } => {}
        }
    }

    fn subtask(&mut self, id: u32) -> &mut SubtaskView {
        let index = id as usize;
        if self.subtasks.len() <= index {
            self.subtasks.resize_with(index + 1, SubtaskView::default);
        }
        &mut self.subtasks[index]
    }
}
