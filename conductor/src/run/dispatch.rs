//! From the scheduler's requests to jobs on their way: sats are reserved first, then the job is recorded, then sent.
//!
//! ```text
//!  scheduler ─► priced (mint) ─► reserved (outbox) ─► locked (mint) ─► leaves (outbox)
//! ```

use std::sync::Arc;
use std::time::Duration;

use frlm_questions::dialect::Prompt;
use frlm_questions::stage::RunStage;
use frlm_scheduler::{AttemptFailure, FailureReason, Scheduler};
use frlm_wallet::ledger::Limit;
use frlm_wallet::prepay::prepay_cost;
use frlm_wallet::{LedgerError, Sats};

use super::commit::Written;
use super::desks::JobDesk;
use super::engine::Engine;
use super::money::{Abandoned, Money, Priced, Purchase, Reserved, Wanted};
use super::outbox::Step;
use super::validate::Validation;
use super::work::Work;
use crate::payment::Cost;
use crate::swarm::{ProviderId, ProviderInfo, Shown, Tariff, Ticket};

/// A job that is about to leave.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub ticket: Ticket,
    pub provider: ProviderInfo,
    pub prompt: Arc<Prompt>,
    pub price: Sats,
    pub hedge: bool,
    /// The answers that its provider is to judge, if it is a validator's job.
    pub shown: Option<Shown>,
    /// When its time ends, since the run began; `None`: after the attempt timeout, which begins when it leaves.
    pub due: Option<Duration>,
}

impl Dispatch {
    /// Whether its answer, or its verdict, is still waited for.
    fn is_wanted(&self, validation: &Validation, scheduler: &Scheduler) -> bool {
        if self.shown.is_some() {
            return validation.awaits_validation(self.ticket);
        }
        scheduler.entries.is_out(self.ticket.subtask, self.ticket.attempt)
    }
}

/// A job that its provider says it gives away is sent as one that pays nothing: no sats are reserved, and none
/// can be asked for. Who does not give it away after all refuses it, and the next one is reserved in full.
fn as_a_free_job(money: &mut Money, mut job: Dispatch) -> Dispatch {
    let is_verdict = job.shown.is_some();
    if job.price > Sats::ZERO && money.free_jobs.take(job.ticket, &job.provider, is_verdict) {
        (job.price, job.provider.tariff) = (Sats::ZERO, Tariff::FREE);
    }
    job
}

/// A job does not leave, as its provider is left out: many such providers must not use up a subtask's chances before
/// anybody has heard of it.
fn was_not_sent(work: &mut Work, validation: &Validation, ticket: Ticket) {
    if validation.is_validation(ticket) {
        // Its answer waits for it.
        return;
    }
    let (id, attempt) = (ticket.subtask, ticket.attempt);
    work.scheduler.failed(id, attempt, AttemptFailure::NotSent, work.now);
}

/// The jobs whose providers can be paid, with what that can cost; the other providers are left out.
fn payable(engine: &mut Engine, jobs: Vec<Priced>) -> (Vec<Dispatch>, Vec<Option<Cost>>) {
    let (mut payable, mut costs) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(jobs.len()));
    let mut unpayable: Vec<(ProviderId, String)> = Vec::new();
    for (job, cost) in jobs {
        match cost {
            Ok(cost) => {
                payable.push(job);
                costs.push(cost);
            }
            Err(reason) => {
                if job.shown.is_some() {
                    let why = format!("the validator cannot be paid: {reason}");
                    engine.validation_failed(job.ticket, false, &why);
                    continue;
                }
                was_not_sent(&mut engine.work, &engine.answers.validation, job.ticket);
                if !unpayable.iter().any(|(id, _)| *id == job.provider.id) {
                    unpayable.push((job.provider.id, reason));
                }
            }
        }
    }
    for (id, reason) in unpayable {
        engine.work.leave_out(&id, "cannot be paid", &reason);
    }
    (payable, costs)
}

impl JobDesk {
    /// Begins to send jobs: first it must be known what each can cost.
    pub fn submit(&mut self, engine: &mut Engine, jobs: Vec<Dispatch>) {
        let jobs = jobs.into_iter().map(|job| as_a_free_job(&mut self.money, job)).collect();
        let known = self.errands.mints.begin_costs(jobs, self.money.rail.as_ref());
        self.submit_priced(engine, known);
    }

    /// Has sats reserved for jobs whose cost is known, at once or once the reservations before them are written.
    pub fn submit_priced(&mut self, engine: &mut Engine, jobs: Vec<Priced>) {
        engine.work.attempts.departures.priced.extend(jobs);
        self.reserve_priced(engine);
    }

    /// Has sats reserved for all jobs that wait for it, in one durable commit. Jobs that were cancelled meanwhile are forgotten:
    /// nothing was reserved for them, and nobody has heard of them.
    fn reserve_priced(&mut self, engine: &mut Engine) {
        if self.errands.outbox.holds(Step::Reserve) {
            return;
        }
        let jobs = std::mem::take(&mut engine.work.attempts.departures.priced);
        let is_wanted = |job: &Dispatch| job.is_wanted(&engine.answers.validation, &engine.work.scheduler);
        let wanted = jobs.into_iter().filter(|(job, _)| is_wanted(job)).collect();
        let (jobs, costs) = payable(engine, wanted);
        if jobs.is_empty() {
            return;
        }
        let offers = jobs.iter().zip(&costs);
        let debts =
            self.money.after.choose(offers.map(|(job, cost)| (&job.provider, job.price, cost.as_ref())));
        let wanted: Vec<Wanted> = jobs
            .iter()
            .zip(&costs)
            .zip(debts)
            .map(|((job, cost), debt)| Wanted {
                ticket: job.ticket,
                provider: job.provider.id.clone(),
                amount: match (cost, job.provider.flat_price) {
                    (Some(cost), _) => cost.total,
                    (None, Some(bid)) if bid > Sats::ZERO => prepay_cost(bid),
                    (None, _) => job.price,
                },
                scheme: self.money.scheme(&job.provider, cost.is_some(), debt.is_some()),
                mint: cost.as_ref().map(|cost| Arc::from(cost.mint.as_str())),
                debt,
            })
            .collect();
        // What is paid for after its verdict is not locked.
        let jobs: Vec<(Dispatch, Option<Cost>)> = jobs
            .into_iter()
            .zip(costs)
            .zip(&wanted)
            .map(|((job, cost), wanted)| (job, cost.filter(|_| wanted.debt.is_none())))
            .collect();
        let locks = jobs.iter().filter(|(_, cost)| cost.is_some()).map(|(job, _)| job.ticket).collect();
        engine
            .work
            .attempts
            .departures
            .reserving
            .extend(jobs.iter().map(|(job, _)| (job.ticket, job.due.is_none())));
        let reserving = self.money.begin_to_reserve(wanted, locks);
        let step = async move { Ok(Written::Reserved { jobs, reserved: reserving.await? }) };
        self.errands.outbox.push_as(Step::Reserve, step);
    }

    /// Sats are reserved for jobs, or not: those whose pay is locked before leave once it is, the others now. What nobody waits
    /// for any more is forgotten, as nobody has heard of it. `true` if any did not come to a job.
    pub fn on_reserved(
        &mut self,
        engine: &mut Engine,
        jobs: Vec<(Dispatch, Option<Cost>)>,
        reserved: Reserved,
    ) -> bool {
        let (events, mut refused) = self.money.reserved(reserved);
        for event in events {
            engine.work.journal.emit(event);
        }
        let mut expected = Vec::with_capacity(jobs.len());
        for (job, cost) in jobs {
            let is_out = engine.work.attempts.departures.reserving.remove(&job.ticket).is_some()
                && job.is_wanted(&engine.answers.validation, &engine.work.scheduler);
            expected.push((job, cost, is_out));
        }
        // Before any of their providers is left out: that ends what it holds.
        for (job, _, _) in
            expected.iter().filter(|(job, _, is_out)| *is_out && refused.contains_key(&job.ticket))
        {
            was_not_sent(&mut engine.work, &engine.answers.validation, job.ticket);
        }
        let (mut purchases, mut leaving) = (Vec::new(), Vec::with_capacity(expected.len()));
        let mut abandoned = Abandoned::default();
        let of_all = expected.len();
        for (job, cost, is_out) in expected {
            let ticket = job.ticket;
            if let Some(error) = refused.remove(&ticket) {
                if is_out {
                    cannot_afford(engine, ticket, &job.provider, &error);
                }
                continue;
            }
            if !is_out || self.ports.venue(&job.provider).is_none() {
                if cost.is_some() {
                    self.money.abandon(ticket, false, &mut abandoned);
                }
                engine.work.attempts.ended.push((ticket, None));
                continue;
            }
            let now = engine.work.now;
            let leaves = || engine.work.scheduler.leaves(ticket.subtask, ticket.attempt, now);
            let due = job.due.unwrap_or_else(leaves);
            engine.work.attempts.note_sent(&mut engine.work.journal, &job, now, due);
            match cost {
                Some(cost) => {
                    let (provider, price) = (job.provider.clone(), job.price);
                    purchases.push(Purchase { ticket, provider, price, cost });
                    engine.work.attempts.departures.unlocked.insert(ticket, job);
                }
                None => leaving.push(job),
            }
        }
        self.money.write_abandoned(abandoned, &mut self.errands.outbox);
        let is_news = purchases.len() + leaving.len() < of_all;
        let left = engine.work.setup.policy.timeout.total.saturating_sub(engine.work.now);
        self.money.begin_locks(purchases, left, &mut self.errands.mints);
        self.leave(&mut engine.work, leaving);
        self.reserve_priced(engine);
        is_news
    }
}

/// The money for an attempt is not there, or not allowed. A provider that has had all that one may
/// have is left out from now on, and so is a dearer one than the cheapest; if even the cheapest is
/// too dear, nobody else is asked: a provider that works on the subtask goes on, and without one it is given up.
fn cannot_afford(engine: &mut Engine, ticket: Ticket, provider: &ProviderInfo, error: &LedgerError) {
    let id = ticket.subtask;
    let limit = match error {
        LedgerError::LimitReached { limit, .. } => Some(*limit),
        _ => None,
    };
    if limit.is_some() {
        engine.work.report.over_limit.get_or_insert_with(|| error.to_string());
    }
    if engine.answers.validation.is_validation(ticket) {
        // Nobody else's word would do.
        engine.work.scheduler.give_up(id, FailureReason::OverBudget);
        return;
    }
    let its_own = provider.flat_price.is_some() || matches!(limit, Some(Limit::Provider | Limit::Mint));
    if its_own || engine.work.somebody_is_cheaper(id, provider) {
        if let Some(index) = engine.work.providers.peers.index(&provider.id) {
            engine.work.scheduler.remove_provider(index, engine.work.now);
            let why = if limit.is_some() {
                engine.work.providers.peers.leave_out(&provider.id);
                error.to_string()
            } else {
                engine.work.providers.peers.leave_out_as_too_dear(&provider.id);
                "beyond the budget".to_owned()
            };
            engine.work.journal.notice(RunStage::Dispatch, &format!("{} is excluded: {why}", provider.id));
        }
    } else if !engine.work.scheduler.entries.ask_nobody_else(id) {
        engine.work.scheduler.give_up(id, FailureReason::OverBudget);
    }
}
