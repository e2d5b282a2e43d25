//! Attempts that are under way.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::FeedbackStatus;
use frlm_questions::dialect::Prompt;
use frlm_questions::plan::Outcome;
use frlm_scheduler::SubtaskId;
use frlm_wallet::Sats;
use frlm_wallet::prepay::BearerToken;

use super::desks::Ports;
use super::dispatch::Dispatch;
use super::journal::Journal;
use super::leave::{Departures, secs_until};
use super::quote;
use super::score::AnswerMetadata;
use super::subtasks::Subtasks;
use crate::swarm::{OutgoingJob, ProviderInfo, Swarm, Ticket};
use crate::trace::TraceEvent;

/// Feedback events that are recorded per attempt, and characters of their words.
const MOST_FEEDBACK: u32 = 4;
const LONGEST_DETAIL: usize = 300;

/// Attempts that are under way.
#[derive(Default)]
pub(super) struct Attempts {
    pub sent: HashMap<Ticket, Sent>,
    /// Jobs that have not left yet.
    pub departures: Departures,
    /// Reservations that ended in this round: they share one commit.
    pub ended: Vec<(Ticket, Option<Sats>)>,
}

/// An attempt that is out.
pub(super) struct Sent {
    pub provider: ProviderInfo,
    pub prompt: Arc<Prompt>,
    pub at: Duration,
    /// Until when its answer is waited for.
    pub due: Duration,
    /// Whether the job is with its venue; else it waits for its pay, or for the disk.
    pub has_left: bool,
    /// Feedback events that came for it.
    pub feedback: u32,
    /// How its answer was given, once there is one.
    pub metadata: Option<AnswerMetadata>,
}

impl Attempts {
    /// Writes down that a job is about to leave, and until when its answer is waited for.
    pub fn note_sent(&mut self, journal: &mut Journal, job: &Dispatch, now: Duration, due: Duration) {
        journal.emit(TraceEvent::SubQuerySubmit {
            subtask: job.ticket.subtask,
            attempt: job.ticket.attempt,
            provider: job.provider.id.to_string(),
            hedge: job.hedge,
        });
        let (provider, prompt) = (job.provider.clone(), Arc::clone(&job.prompt));
        let sent = Sent { provider, prompt, at: now, due, has_left: false, feedback: 0, metadata: None };
        self.sent.insert(job.ticket, sent);
    }

    /// Records what a provider says of a job at which it works.
    pub fn note_feedback(
        &mut self,
        journal: &mut Journal,
        ticket: Ticket,
        status: FeedbackStatus,
        detail: Option<String>,
    ) {
        let Some(sent) = self.sent.get_mut(&ticket) else { return };
        sent.feedback += 1;
        if sent.feedback > MOST_FEEDBACK {
            return;
        }
        journal.emit(TraceEvent::SubQueryFeedback {
            subtask: ticket.subtask,
            attempt: ticket.attempt,
            status: format!("{status:?}").to_lowercase(),
            detail: detail.map(|detail| detail.chars().take(LONGEST_DETAIL).collect()),
        });
    }

    /// Ends the job of an answer: paid by its length, or not at all.
    pub fn end_answered(&mut self, ticket: Ticket, answer: &Outcome, earned: bool) -> Sats {
        let cost = self.sent.remove(&ticket).filter(|_| earned).map(|sent| {
            let written = || serde_json::to_string(answer).map_or(0, |text| text.len() / 4);
            quote::actual(&sent.prompt, written, sent.provider.tariff)
        });
        self.ended.push((ticket, cost));
        cost.unwrap_or_default()
    }

    /// Ends the jobs of all answers that a subtask has: none of them is paid.
    pub fn end_unpaid(&mut self, subtasks: &Subtasks, id: SubtaskId) {
        let Some(record) = subtasks.of(id) else { return };
        for (attempt, _) in &record.replicas {
            let ticket = Ticket { subtask: id, attempt: *attempt };
            self.sent.remove(&ticket);
            self.ended.push((ticket, None));
        }
    }

    /// The job of an attempt once more, with the token that pays for it; `None` if its attempt is over.
    pub fn with_token(
        &self,
        ports: &Ports,
        ticket: Ticket,
        token: &BearerToken,
        now: Duration,
    ) -> Option<(Arc<dyn Swarm>, OutgoingJob)> {
        let sent = self.sent.get(&ticket)?;
        let job = OutgoingJob {
            ticket,
            provider: sent.provider.id.clone(),
            prompt: Arc::clone(&sent.prompt),
            bid: quote::in_msats(sent.provider.flat_price.unwrap_or(Sats::ZERO)),
            payment: Some(token.reveal().to_owned()),
            foreign: true,
            expires_in_secs: secs_until(sent.due, now),
            shown: None,
        };
        Some((ports.venue(&sent.provider)?, job))
    }
}
