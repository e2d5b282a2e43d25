//! From the scheduler's requests to jobs on their way: sats are reserved first, then the job is recorded, then sent.
//!
//! ```text
//!  scheduler ─► priced (mint) ─► reserved (outbox) ─► locked (mint) ─► leaves (outbox)
//! ```

use std::sync::Arc;
use std::time::Duration;

use frlm_wallet::ledger::Limit;
use frlm_wallet::prepay::prepay_cost;
use frlm_wallet::{LedgerError, Sats};

use super::answers::AnswerDesk;
use super::commit::Written;
use super::desks::JobDesk;
use super::money::{Abandoned, Money, Priced, Purchase, Reserved, Wanted};
use super::outbox::Step;
use super::prices::Prices;
use super::validate::Validation;
use super::work::Work;
use crate::dialect::Prompt;
use crate::payment::Cost;
use crate::scheduler::{AttemptFailure, AttemptId, FailureReason, Scheduler, SubtaskId};
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
        scheduler.entries.is_out(SubtaskId(self.ticket.subtask), AttemptId(self.ticket.attempt))
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
    let (id, attempt) = (SubtaskId(ticket.subtask), AttemptId(ticket.attempt));
    work.scheduler.failed(id, attempt, AttemptFailure::NotSent, work.began.elapsed());
}

/// The jobs whose providers can be paid, with what that can cost; the other providers are left out.
fn payable(
    work: &mut Work,
    answers: &mut AnswerDesk,
    jobs: Vec<Priced>,
) -> (Vec<Dispatch>, Vec<Option<Cost>>) {
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
                    answers.validation_failed(work, job.ticket, false, &why);
                    continue;
                }
                was_not_sent(work, &answers.validation, job.ticket);
                if !unpayable.iter().any(|(id, _)| *id == job.provider.id) {
                    unpayable.push((job.provider.id, reason));
                }
            }
        }
    }
    for (id, reason) in unpayable {
        work.leave_out(&id, "cannot be paid", &reason);
    }
    (payable, costs)
}

impl JobDesk {
    /// Begins to send jobs: first it must be known what each can cost.
    pub fn submit(&mut self, work: &mut Work, answers: &mut AnswerDesk, jobs: Vec<Dispatch>) {
        let jobs = jobs.into_iter().map(|job| as_a_free_job(&mut self.money, job)).collect();
        let known = self.errands.mints.begin_costs(jobs, self.money.rail.as_ref());
        self.submit_priced(work, answers, known);
    }

    /// Has sats reserved for jobs whose cost is known, at once or once the reservations before them are written.
    pub fn submit_priced(&mut self, work: &mut Work, answers: &mut AnswerDesk, jobs: Vec<Priced>) {
        work.attempts.departures.priced.extend(jobs);
        self.reserve(work, answers);
    }

    /// Has sats reserved for all jobs that wait for it, in one durable commit. Jobs that were cancelled meanwhile are forgotten:
    /// nothing was reserved for them, and nobody has heard of them.
    fn reserve(&mut self, work: &mut Work, answers: &mut AnswerDesk) {
        if self.errands.outbox.holds(Step::Reserve) {
            return;
        }
        let jobs = std::mem::take(&mut work.attempts.departures.priced);
        let is_wanted = |job: &Dispatch| job.is_wanted(&answers.validation, &work.scheduler);
        let wanted = jobs.into_iter().filter(|(job, _)| is_wanted(job)).collect();
        let (jobs, costs) = payable(work, answers, wanted);
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
        work.attempts
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
        work: &mut Work,
        answers: &mut AnswerDesk,
        jobs: Vec<(Dispatch, Option<Cost>)>,
        reserved: Reserved,
    ) -> bool {
        let (events, mut refused) = self.money.reserved(reserved);
        for event in events {
            work.journal.emit(event);
        }
        let mut expected = Vec::with_capacity(jobs.len());
        for (job, cost) in jobs {
            let is_out = work.attempts.departures.reserving.remove(&job.ticket).is_some()
                && job.is_wanted(&answers.validation, &work.scheduler);
            expected.push((job, cost, is_out));
        }
        // Before any of their providers is left out: that ends what it holds.
        for (job, _, _) in
            expected.iter().filter(|(job, _, is_out)| *is_out && refused.contains_key(&job.ticket))
        {
            was_not_sent(work, &answers.validation, job.ticket);
        }
        let (mut purchases, mut leaving) = (Vec::new(), Vec::with_capacity(expected.len()));
        let mut abandoned = Abandoned::default();
        let of_all = expected.len();
        for (job, cost, is_out) in expected {
            let ticket = job.ticket;
            if let Some(error) = refused.remove(&ticket) {
                if is_out {
                    self.cannot_afford(work, answers, ticket, &job.provider, &error);
                }
                continue;
            }
            if !is_out || self.ports.venue(&job.provider).is_none() {
                if cost.is_some() {
                    self.money.abandon(ticket, false, &mut abandoned);
                }
                work.attempts.ended.push((ticket, None));
                continue;
            }
            let now = work.began.elapsed();
            let leaves = || work.scheduler.leaves(SubtaskId(ticket.subtask), AttemptId(ticket.attempt), now);
            let due = job.due.unwrap_or_else(leaves);
            work.attempts.note_sent(&mut work.journal, &job, now, due);
            match cost {
                Some(cost) => {
                    let (provider, price) = (job.provider.clone(), job.price);
                    purchases.push(Purchase { ticket, provider, price, cost });
                    work.attempts.departures.unlocked.insert(ticket, job);
                }
                None => leaving.push(job),
            }
        }
        self.money.write_abandoned(abandoned, &mut self.errands.outbox);
        let is_news = purchases.len() + leaving.len() < of_all;
        let left = work.setup.policy.timeout.total.saturating_sub(work.began.elapsed());
        self.money.begin_locks(purchases, left, &mut self.errands.mints);
        self.leave(work, leaving);
        self.reserve(work, answers);
        is_news
    }

    /// The money for an attempt is not there, or not allowed. A provider that has had all that one may
    /// have is left out from now on, and so is a dearer one than the cheapest; if even the cheapest is
    /// too dear, the subtask is given up.
    fn cannot_afford(
        &mut self,
        work: &mut Work,
        answers: &mut AnswerDesk,
        ticket: Ticket,
        provider: &ProviderInfo,
        error: &LedgerError,
    ) {
        let id = SubtaskId(ticket.subtask);
        let limit = match error {
            LedgerError::LimitReached { limit, .. } => Some(*limit),
            _ => None,
        };
        if limit.is_some() {
            work.report.over_limit.get_or_insert_with(|| error.to_string());
        }
        if answers.validation.is_validation(ticket) {
            // Nobody else's word would do.
            work.scheduler.give_up(id, FailureReason::OverBudget);
            return;
        }
        let its_own = provider.flat_price.is_some() || matches!(limit, Some(Limit::Provider | Limit::Mint));
        if its_own || Prices::of(work, &self.money).somebody_is_cheaper(id, provider) {
            if let Some(index) = work.providers.peers.index(&provider.id) {
                work.scheduler.remove_provider(index, work.began.elapsed());
                let why = if limit.is_some() {
                    work.providers.peers.leave_out(&provider.id);
                    error.to_string()
                } else {
                    work.providers.peers.leave_out_as_too_dear(&provider.id);
                    "beyond the budget".to_owned()
                };
                work.journal.decide("dispatch", "retry", &format!("{} is excluded: {why}", provider.id));
            }
        } else {
            work.scheduler.give_up(id, FailureReason::OverBudget);
        }
    }

    /// This machine never got round to an answer, which is not its provider's doing either. What it is worth is not known
    /// any more, and so it is not paid.
    pub fn lost_here(&mut self, work: &mut Work, answer: Ticket) {
        let Some(sent) = work.attempts.sent.remove(&answer) else { return };
        self.money.cancelled(answer);
        work.attempts.ended.push((answer, None));
        let why = "this machine did not get round to it";
        work.tell_unjudged(answer, String::new(), &sent.provider.id, false, why);
    }
}
