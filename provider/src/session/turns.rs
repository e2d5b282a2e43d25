//! Whose turn it is: what speaks for a job, what goes before it, and what begins next.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frlm_protocol::{Feedback, FeedbackStatus, ReceivedJob, RefusalReason};
use nostr::{EventId, PublicKey, Timestamp};

use super::{Effect, Running, Session, Ticket};
use crate::admission::Refusal;
use crate::events::ProviderEvent;
use crate::payments::voucher;
use crate::prompt;
use crate::queue::{Pushed, Rank};

/// How long a job waits for its asker's credit: a release that is on its way raises it.
pub(super) const CREDIT_TIMEOUT_SECS: u64 = 10;
/// How long a job waits for room on its asker's credit line, which a payment on its way makes. It is short, as the asker
/// can lock the price instead.
const DEBT_TIMEOUT_SECS: u64 = 3;
/// Jobs that share the engine's slots with larger ones, at most, and how many times as large those are.
const MOST_SHARING: usize = 4;
const LARGE_BY: u64 = 4;
/// What a prompt is taken to last where nothing was measured.
const UNKNOWN_PROMPT: Duration = Duration::from_millis(250);

impl Session {
    /// How a job stands that was taken, in a word to its asker; nothing where it is over.
    pub(crate) fn status(&self, id: EventId, now: Timestamp) -> Option<(Arc<ReceivedJob>, Feedback)> {
        let word = Feedback::of(FeedbackStatus::Processing);
        if let Some(running) = self.running.get(&id) {
            return running.stop.is_none().then(|| (Arc::clone(&running.job), word));
        }
        let waiting = self.waiting.iter().chain(&self.parked).find(|ticket| ticket.job.id == id)?;
        let turns = self.prompts_ahead(&waiting.job, waiting.rank).div_ceil(self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        let detail = format!("it waits for its turn, and is answered in about {:.0} s", each * turns as f64);
        Some((Arc::clone(&waiting.job), Feedback { detail: Some(detail), ..word }))
    }

    /// What speaks for a job. At a provider without a price nothing is paid.
    pub(super) fn rank(&self, job: &ReceivedJob, now: Timestamp) -> Rank {
        let is_of = |keys: &HashSet<PublicKey>| {
            keys.contains(&job.asker) || voucher(job, |identity| keys.contains(identity)).is_some()
        };
        let is_paid = self.config.is_paid();
        if is_paid && is_of(&self.payers) {
            Rank::Payer
        } else if is_paid && job.request.payment.is_some() {
            Rank::Paying
        } else if self.work.has(&job.asker, now) || is_of(&self.config.vouched) {
            Rank::Shown
        } else {
            Rank::Guest
        }
    }

    /// Whether so many keys wait that one of which nothing is known has to show work to be one more.
    pub(super) fn is_crowded(&self) -> bool {
        self.work.asked().is_some() && self.waiting.askers() * 2 >= self.config.max_queue
    }

    /// The same refusal with the work that would change it, where a job would not be refused with that.
    pub(super) fn asking_for_work(&self, rank: Rank, refusal: Refusal) -> Refusal {
        let passes = matches!(refusal.reason, RefusalReason::Busy | RefusalReason::TooLate)
            && refusal.retry_after_secs.is_some();
        let pow_bits = self.work.asked().filter(|_| rank == Rank::Guest && passes);
        Refusal { pow_bits, ..refusal }
    }

    /// Prompts that are answered before the last one of this job: those of its asker, and of each other asker as many at
    /// most, as they take turns. Those that are paid do not wait for others, and others wait for all of them.
    pub(super) fn prompts_ahead(&self, job: &ReceivedJob, rank: Rank) -> usize {
        let mut of = HashMap::<PublicKey, usize>::new();
        let mut before = 0;
        for running in self.running.values() {
            *of.entry(running.job.asker).or_default() += running.prompts;
        }
        for ticket in self.waiting.iter() {
            let (asker, prompts) = (ticket.job.asker, ticket.needs.prompts);
            match (ticket.rank > Rank::Guest, rank > Rank::Guest) {
                (true, false) if asker != job.asker => before += prompts,
                (false, true) => {}
                _ => *of.entry(asker).or_default() += prompts,
            }
        }
        let own = of.remove(&job.asker).unwrap_or(0);
        let all_own = own + prompt::count(&job.request);
        before + own + of.values().map(|prompts| all_own.min(*prompts)).sum::<usize>()
    }

    /// That there is no place now, and when there may be one: once half of what waits is done.
    pub(super) fn busy(&self, now: Timestamp) -> Refusal {
        let busy = Refusal::new(RefusalReason::Busy, "the queue is full; try another provider or later");
        let prompts: usize = self.waiting.iter().map(|ticket| ticket.needs.prompts).sum();
        let turns = prompts.div_ceil(2 * self.model.concurrency.max(1));
        let each = self.speed.prompt_duration(now).unwrap_or(UNKNOWN_PROMPT).as_secs_f64();
        busy.until(each * turns as f64)
    }

    /// The next job that may begin. A small one does not wait until a large one is over, and one that is paid does not wait for
    /// guests: the engine takes turns between them, one handful of prompts each.
    fn next_to_run(&mut self) -> Option<(u64, Ticket)> {
        let slots = self.model.in_flight.max(1);
        let running = &self.running;
        if running.len() < slots {
            return self.waiting.pop_of(false, |_, _, _| true);
        }
        let paid = running.values().filter(|running| running.rank > Rank::Guest).count();
        let beside_guests = running.len() > paid && paid <= slots;
        let beside_large = running.len() < slots + MOST_SHARING;
        if !beside_guests && !beside_large {
            return None;
        }
        let largest = running.values().map(|running| running.work).max().unwrap_or(0);
        self.waiting.pop_of(paid > 0, |asker, work, rank| {
            let is_small = work.saturating_mul(LARGE_BY) <= largest
                && running.values().all(|running| running.job.asker != *asker);
            is_small && beside_large || rank > Rank::Guest && beside_guests
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
            let (prompts, rank) = (ticket.needs.prompts, ticket.rank);
            let running = Running { job: Arc::clone(&job), rank, prompts, work, since: now, stop: None };
            self.running.insert(job.id, running);
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
        for mut ticket in std::mem::take(&mut self.parked) {
            // What was released meanwhile makes its asker one that has paid.
            ticket.rank = self.rank(&ticket.job, now);
            match self.waiting.push(ticket.job.asker, ticket.needs.work, ticket.rank, ticket) {
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
