//! Whose turn it is: which job begins next, for how long one waits, and jobs that wait for their askers' credit without a slot.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::{Feedback, FeedbackStatus, ReceivedJob, RefusalReason};
use nostr::{EventId, PublicKey, Timestamp};

use super::{Effect, Running, Session, Ticket};
use crate::admission::Refusal;
use crate::events::ProviderEvent;
use crate::payments::known_as;
use crate::prompt;
use crate::queue::Pushed;

/// Jobs that share the engine's slots with larger ones, at most, and how many times as large those are.
const MOST_SHARING: usize = 4;
const LARGE_BY: u64 = 4;
/// What a prompt is taken to last where nothing was measured.
const UNKNOWN_PROMPT: Duration = Duration::from_millis(250);
/// How long a job waits for its asker's credit: a release that is on its way raises it.
pub(super) const CREDIT_TIMEOUT_SECS: u64 = 10;
/// How long a job waits for room on its asker's credit line, which a payment on its way makes. It is short, as the asker
/// can lock the price instead.
const DEBT_TIMEOUT_SECS: u64 = 3;

impl Session {
    /// How a job stands that was taken, in a word to its asker; nothing where it is over.
    pub(crate) fn status(&self, id: EventId, now: Timestamp) -> Option<(Arc<ReceivedJob>, Feedback)> {
        let word = Feedback::of(FeedbackStatus::Processing);
        if let Some(running) = self.running.get(&id) {
            return running.stop.is_none().then(|| (Arc::clone(&running.job), word));
        }
        let waiting = self.waiting.iter().chain(&self.parked).find(|ticket| ticket.job.id == id)?;
        let turns = self.prompts_ahead(&waiting.job).div_ceil(self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        let detail = format!("it waits for its turn, and is answered in about {:.0} s", each * turns as f64);
        Some((Arc::clone(&waiting.job), Feedback { detail: Some(detail), ..word }))
    }

    /// Whether nothing is known of who asks.
    pub(super) fn is_guest(&self, job: &ReceivedJob) -> bool {
        self.payers.is_empty() || !self.payers.contains(&known_as(job))
    }

    /// Prompts that are answered before the last one of this job: those of its asker, and of each other asker as many at
    /// most, as they take turns.
    pub(super) fn prompts_ahead(&self, job: &ReceivedJob) -> usize {
        let mut of = HashMap::<PublicKey, usize>::new();
        let running = self.running.values().map(|running| (running.job.asker, running.prompts));
        let waiting = self.waiting.iter().map(|ticket| (ticket.job.asker, ticket.needs.prompts));
        for (asker, prompts) in running.chain(waiting) {
            *of.entry(asker).or_default() += prompts;
        }
        let own = of.remove(&job.asker).unwrap_or(0);
        let all_own = own + prompt::count(&job.request);
        own + of.values().map(|prompts| all_own.min(*prompts)).sum::<usize>()
    }

    /// That there is no place now, and when there may be one: once half of what waits is done.
    pub(super) fn busy(&self, now: Timestamp) -> Refusal {
        let busy = Refusal::new(RefusalReason::Busy, "the queue is full; try another provider or later");
        let prompts: usize = self.waiting.iter().map(|ticket| ticket.needs.prompts).sum();
        let turns = prompts.div_ceil(2 * self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        busy.until(each * turns as f64)
    }

    /// The next job that may begin. A small one does not wait until a large one is over: the engine takes turns between
    /// them, one handful of prompts each.
    fn next_to_run(&mut self) -> Option<(u64, Ticket)> {
        let slots = self.model.in_flight.max(1);
        let running = &self.running;
        if running.len() < slots {
            return self.waiting.pop_of(|_, _| true);
        }
        if running.len() >= slots + MOST_SHARING {
            return None;
        }
        let largest = running.values().map(|running| running.work).max().unwrap_or(0);
        self.waiting.pop_of(|asker, work| {
            work.saturating_mul(LARGE_BY) <= largest
                && running.values().all(|running| running.job.asker != *asker)
        })
    }

    /// Gives waiting jobs to free slots of the engine.
    pub(super) fn fill(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some((work, ticket)) = self.next_to_run() {
            let job = Arc::clone(&ticket.job);
            if job.request.expires_at.is_some_and(|expires_at| expires_at <= now) {
                self.waiting.caused(job.asker, work, 0);
                let late = Refusal::new(RefusalReason::TooLate, "the job expired while it waited");
                effects.extend(self.refuse(&job, late));
                continue;
            }
            if self.running.is_empty() {
                self.speed.works(now);
            }
            let prompts = ticket.needs.prompts;
            self.running
                .insert(job.id, Running { job: Arc::clone(&job), prompts, work, since: now, stop: None });
            // One that was parked has been told.
            if ticket.patient_until.is_none() {
                effects.push(Effect::Tell(ProviderEvent::Started { job: job.id }));
            }
            effects.push(Effect::Start(ticket));
        }
        effects
    }

    /// Has a job wait for its asker's credit without a slot, for a while: who never releases anything holds none.
    pub(super) fn park(&mut self, mut ticket: Ticket, refusal: &Refusal, now: Timestamp) -> Vec<Effect> {
        self.waiting.caused(ticket.job.asker, ticket.needs.work, 0);
        let timeout = match refusal.reason {
            RefusalReason::BidTooLow => DEBT_TIMEOUT_SECS,
            _ => CREDIT_TIMEOUT_SECS,
        };
        let until = *ticket.patient_until.get_or_insert(now + timeout);
        if until <= now || self.stopping || self.parked.len() >= self.config.max_queue {
            return self.fail(&ticket.job, refusal, refusal.detail.clone());
        }
        self.parked.push(ticket);
        Vec::new()
    }

    /// Whether jobs wait for their askers' credit.
    pub(crate) fn has_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Something was decided about pay, or time has passed: what was parked has another try, its last one where it has
    /// waited long enough.
    pub(crate) fn unpark(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        for ticket in std::mem::take(&mut self.parked) {
            let guest = self.is_guest(&ticket.job);
            match self.waiting.push(ticket.job.asker, ticket.needs.work, guest, ticket) {
                Pushed::Waiting => {}
                Pushed::Full(ticket) | Pushed::Displaced(ticket) => {
                    let busy = self.busy(now);
                    effects.extend(self.refuse(&ticket.job, busy));
                }
            }
        }
        effects.extend(self.fill(now));
        effects
    }
}
