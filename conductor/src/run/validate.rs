//! The validator at work (policy `validated`; seeds/frlm-architecture.md, "Verification Flow") on answers that are judged as a
//! whole: copied records. It reviews claims one by one, as any reviewer does (docs/decisions/0100).
//!
//! ```text
//!  result ─► checks ─► held ─► validation job ─► validator ─► signed verdict ─► replica ─► judge
//!              (its attempt is still out for the scheduler)        │
//!                                                   no verdict ────┴─► again, then the answer has none
//! ```
//!
//! An answer that gets no verdict, for whatever reason, is not used. Its provider has done its part: it is paid from the
//! reserved sats, and its record does not change. It is not asked the same again; others are (the `unjudged` module).
//!
//! An answer that waits for its verdict keeps its attempt open. However late the answer was, its validator has as much time
//! as a provider has for an answer, from when the answer is first shown to it. Before that the answer waits at most as long
//! for its turn. Each try is told how much of the time is left.
//!
//! Each try to have an answer validated is an attempt with an id of its own, reserved and paid like any other. The validator is
//! paid for its verdict, whatever it says.

pub(super) mod unjudged;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Dialect;
use frlm_questions::dialect::Prompt;
use frlm_questions::plan::Outcome;
use frlm_scheduler::Scheduler;
use frlm_verifier::{Replica, VerificationPolicy};
use frlm_wallet::escrow::Credit;

use super::attempts::Attempts;
use super::dispatch::Dispatch;
use super::{RunSetup, quote};
use crate::swarm::{ProviderId, ProviderInfo, Shown, Ticket};

/// How often an answer is shown at most: each try leaves a row in the ledger.
const MOST_TRIES: u32 = 7;
/// Tries that may fail. A try does not fail if the validator has no room.
const MOST_FAILURES: u32 = 3;
/// How long to wait before the second try; twice as long before each one after that.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Validations that are out at once, for each worker of the validator: one that it works on, one that waits.
const OUT_PER_WORKER: u32 = 2;
/// The most workers that are believed, whatever an announcement says.
const MOST_WORKERS: u32 = 64;

/// Answers that wait for the validator.
#[derive(Debug, Default)]
pub(super) struct Validation {
    /// The validator; `None` under other policies.
    validator: Option<ProviderId>,
    /// Its offer, while it is here.
    pub here: Option<ProviderInfo>,
    held: HashMap<Ticket, Held>,
    /// Answers to be shown, and from when on.
    queue: VecDeque<(Duration, Ticket)>,
    /// Which answer each try to have one validated is about, also of tries that are over.
    answers: HashMap<Ticket, Ticket>,
    /// Validation jobs that are out.
    out: u32,
    /// Verdicts that were paid for: how much unpaid work the validator takes follows from that.
    paid: u32,
    /// Of how many more of each provider's answers nothing was said than were found right.
    unjudged: HashMap<ProviderId, i32>,
}

/// An answer without a verdict.
#[derive(Debug)]
pub(super) struct Held {
    pub replica: Replica<Outcome>,
    pub shown: Shown,
    prompt: Arc<Prompt>,
    tries: Tries,
    /// The validation that is out.
    out: Option<Ticket>,
}

/// How often an answer was shown, and how often that failed for another reason than that the validator had no room.
#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    made: u32,
    failed: u32,
}

impl Tries {
    /// After how long the answer is shown again, if it is, after a try that gave no verdict.
    fn again_after(&mut self, no_room: bool) -> Option<Duration> {
        self.failed += u32::from(!no_room);
        let again = self.failed < MOST_FAILURES && self.made < MOST_TRIES;
        again.then(|| AGAIN_AFTER * (1 << self.made.saturating_sub(1)))
    }
}

impl Validation {
    pub fn under(policy: &VerificationPolicy) -> Self {
        let validator = match policy {
            VerificationPolicy::Validated { validator } => Some(validator.as_str().into()),
            _ => None,
        };
        Self { validator, ..Self::default() }
    }

    pub fn is_validator(&self, id: &str) -> bool {
        self.validator.as_deref() == Some(id)
    }

    /// Whether the policy's validator is not here.
    pub fn is_missing(&self) -> bool {
        self.validator.is_some() && self.here.is_none()
    }

    /// Whose word accepts.
    pub fn validator(&self) -> Option<&str> {
        self.validator.as_deref()
    }

    /// Its offer, while it is here.
    pub fn offer(&self) -> Option<&ProviderInfo> {
        self.here.as_ref()
    }

    /// Takes the validator's offer; whether it is a new one.
    pub fn seen(&mut self, info: ProviderInfo) -> bool {
        self.here.replace(info).is_none()
    }

    /// Whether an answer waits for its verdict.
    pub fn holds(&self, answer: Ticket) -> bool {
        self.held.contains_key(&answer)
    }

    /// The answers that wait.
    pub fn held(&self) -> Vec<Ticket> {
        self.held.keys().copied().collect()
    }

    /// Keeps an answer until the validator has seen it; `false` if its model cannot do what the provider was asked to do.
    pub fn hold(
        &mut self,
        ticket: Ticket,
        replica: Replica<Outcome>,
        shown: Shown,
        (prompt, dialect): (Arc<Prompt>, Dialect),
        now: Duration,
    ) -> bool {
        let of = self.here.as_ref().map(|validator| validator.dialect);
        let can = of != Some(Dialect::Records) || dialect != Dialect::Json;
        self.held.insert(ticket, Held { replica, shown, prompt, tries: Tries::default(), out: None });
        if can {
            self.queue.push_back((now, ticket));
        }
        can
    }

    /// What is to be shown to the validator now, as much as it takes.
    pub fn take_due(&mut self, scheduler: &mut Scheduler, now: Duration) -> Vec<Dispatch> {
        let mut jobs = Vec::new();
        while self.room() > 0
            && let Some(ticket) = self.next(now)
        {
            let Some(provider) = self.here.clone() else { break };
            let (id, attempt) = (ticket.subtask, ticket.attempt);
            let Some(held) = self.held.get_mut(&ticket) else { continue };
            if held.tries.made == 0 {
                scheduler.awaits_word(id, attempt, now);
            }
            // What is promised for an answer that nobody waits for any more would be work for nothing.
            let due = Some(scheduler.word_due(id, attempt).unwrap_or(now));
            held.tries.made += 1;
            let price = quote::price_of_verdict(&held.prompt, &held.shown.answers, &provider);
            let validation = Ticket { attempt: scheduler.entries.next_attempt(), ..ticket };
            self.answers.insert(validation, ticket);
            held.out = Some(validation);
            let (prompt, shown) = (Arc::clone(&held.prompt), Some(held.shown.clone()));
            jobs.push(Dispatch { ticket: validation, provider, prompt, price, hedge: false, shown, due });
            self.out += 1;
        }
        jobs
    }

    /// Takes an answer back; with the validation of it that is out.
    pub fn take(&mut self, answer: Ticket) -> Option<(Held, Option<Ticket>)> {
        let mut held = self.held.remove(&answer)?;
        let out = held.out.take();
        match out {
            Some(_) => self.out -= 1,
            None => self.queue.retain(|(_, ticket)| *ticket != answer),
        }
        Some((held, out))
    }

    /// Takes an answer whose verdict is here, as long as it is wanted. Another one to the same subtask may have been
    /// accepted a moment ago: then the caller that cancels its attempt ends it, and no verdict counts twice.
    pub fn take_judged(&mut self, answer: Ticket, validation: Ticket, is_wanted: bool) -> Option<Held> {
        if is_wanted {
            return self.take(answer).map(|(held, _)| held);
        }
        self.end_try(answer, validation);
        None
    }

    /// The texts that a validation has shown of an answer, as long as it is held.
    pub fn texts_of(&self, answer: Ticket) -> &[String] {
        self.held.get(&answer).map_or(&[], |held| held.shown.answers.as_slice())
    }

    /// The validator is paid for one more verdict.
    pub fn pay_verdict(&mut self) {
        self.paid = self.paid.saturating_add(1);
    }

    /// A provider's answer was found right.
    pub fn say_right(&mut self, provider: &str) {
        let more = self.unjudged.entry(provider.into()).or_default();
        *more = more.saturating_sub(1);
    }

    /// Nothing was said of a provider's answer. Of how many more of its answers nothing was said than were found right.
    pub fn say_nothing(&mut self, provider: &ProviderId) -> u32 {
        let more = self.unjudged.entry(provider.clone()).or_default();
        *more = more.saturating_add(1);
        u32::try_from(*more).unwrap_or(0)
    }

    /// A try to have an answer validated gave no verdict: whether it is shown again, in a while, or has no verdict. `None` where
    /// that try had failed already: another one may be out.
    pub fn tries_again(
        &mut self,
        answer: Ticket,
        validation: Ticket,
        no_room: bool,
        now: Duration,
    ) -> Option<bool> {
        let again = self.end_try(answer, validation)?.tries.again_after(no_room);
        self.queue.extend(again.map(|wait| (now + wait, answer)));
        Some(again.is_some())
    }

    /// A try to have an answer validated is over; the answer, if that try was out.
    fn end_try(&mut self, answer: Ticket, validation: Ticket) -> Option<&mut Held> {
        let held = self.held.get_mut(&answer).filter(|held| held.out == Some(validation))?;
        held.out = None;
        self.out -= 1;
        Some(held)
    }

    /// When the next answer may be shown, as far as it has to wait for its time.
    pub fn next_wakeup(&self) -> Option<Duration> {
        if self.room() == 0 { None } else { self.queue.iter().map(|(from, _)| *from).min() }
    }

    /// How many more validations the validator takes now.
    fn room(&self) -> u32 {
        let Some(info) = &self.here else { return 0 };
        let most = info.workers.clamp(1, MOST_WORKERS) * OUT_PER_WORKER;
        let unpaid = if info.escrow.is_some() && !info.tariff.is_free() {
            Credit { released: self.paid, ..Credit::default() }.limit()
        } else {
            u32::MAX
        };
        most.min(unpaid).saturating_sub(self.out)
    }

    /// The next answer whose time has come.
    fn next(&mut self, now: Duration) -> Option<Ticket> {
        let at = self.queue.iter().position(|(from, _)| *from <= now)?;
        self.queue.remove(at).map(|(_, ticket)| ticket)
    }
}

impl Validation {
    /// Why the run cannot begin without its validator.
    pub(super) fn without_validator(&self, setup: &RunSetup) -> String {
        let (place, seconds) = (&setup.candidates.place, setup.candidates.discovery.as_secs());
        let key = self.validator().unwrap_or_default();
        format!(
            "the validator {key} did not answer on {place} within {seconds} s; ask its operator to start \
             frlm provide --relay {place}, or verify in another way (--verify adaptive)"
        )
    }

    /// The answer that a validation is about; `None` if the ticket is an answer's own.
    pub fn validated(&self, ticket: Ticket) -> Option<Ticket> {
        self.answers.get(&ticket).copied()
    }

    /// Whether a validation is the one that its answer waits for.
    pub(super) fn awaits_validation(&self, ticket: Ticket) -> bool {
        let held = self.validated(ticket).and_then(|answer| self.held.get(&answer));
        held.is_some_and(|held| held.out == Some(ticket))
    }

    /// Whether a ticket is a validation's.
    pub(super) fn is_validation(&self, ticket: Ticket) -> bool {
        self.validated(ticket).is_some()
    }

    /// An answer is not wanted any more, as another one was accepted: neither is its verdict. The validation that is
    /// out, if any.
    pub(super) fn forget_validation(&mut self, attempts: &mut Attempts, answer: Ticket) -> Option<Ticket> {
        let (_, out) = self.take(answer)?;
        out.filter(|out| attempts.sent.contains_key(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many milliseconds the next try follows each one, and whether that was for want of room.
    fn waits(no_room: impl IntoIterator<Item = bool>) -> Vec<Option<u128>> {
        let mut tries = Tries::default();
        let wait = |no_room| {
            tries.made += 1;
            tries.again_after(no_room).map(|wait| wait.as_millis())
        };
        no_room.into_iter().map(wait).collect()
    }

    /// A validator at work on one answer, in its second try.
    fn at_work() -> (Validation, Ticket, Ticket) {
        let (answer, second) = (Ticket::at(3, 0), Ticket::at(3, 2));
        let outcome = Outcome::Combined("rain".to_owned());
        let replica = Replica {
            provider: "a".to_owned(),
            key: outcome.agreement_key(),
            trusted: false,
            confidence: None,
            attested: None,
            answer: outcome,
        };
        let prompt = Prompt {
            instruction: String::new(),
            inputs: Vec::new(),
            mode: frlm_protocol::Mode::Each,
            max_tokens: 1,
            constraint: None,
        };
        let shown = Shown { result: "ab".repeat(32), answers: Vec::new() };
        let tries = Tries { made: 2, failed: 1 };
        let mut validation = Validation { out: 1, ..Validation::default() };
        validation
            .held
            .insert(answer, Held { replica, shown, prompt: prompt.into(), tries, out: Some(second) });
        (validation, answer, second)
    }

    #[test]
    fn a_verdict_on_an_unwanted_answer_leaves_it_to_its_cancellation() {
        let (mut validation, answer, second) = at_work();
        assert!(validation.take_judged(answer, second, false).is_none());
        assert!(validation.holds(answer), "its attempt is still to be ended");
        assert_eq!(validation.out, 0, "the validator is free");
        assert!(validation.take(answer).is_some_and(|(_, out)| out.is_none()));
        assert_eq!(validation.out, 0);
        let (mut validation, answer, second) = at_work();
        assert!(validation.take_judged(answer, second, true).is_some());
        assert_eq!((validation.holds(answer), validation.out), (false, 0));
    }

    #[test]
    fn a_try_that_fails_twice_takes_nothing_from_the_one_after_it() {
        let (mut validation, answer, second) = at_work();
        let first = Ticket { attempt: frlm_scheduler::AttemptId(second.attempt.0 - 1), ..second };
        assert!(validation.end_try(answer, first).is_none());
        assert_eq!(validation.out, 1, "the second one is out");
        assert!(validation.end_try(answer, second).is_some_and(|held| held.tries.made == 2));
        assert_eq!(validation.out, 0);
        assert!(validation.end_try(answer, second).is_none());
    }

    #[test]
    fn of_how_many_more_answers_nothing_was_said_counts_what_was_confirmed() {
        let said = |confirmed: usize| {
            let mut validation = Validation::default();
            (0..confirmed).for_each(|_| validation.say_right("a"));
            (0..3).map(|_| validation.say_nothing(&"a".into())).last()
        };
        assert_eq!((said(0), said(2), said(5)), (Some(3), Some(1), Some(0)));
    }

    #[test]
    fn a_failing_validator_is_tried_three_times_and_a_full_one_seven() {
        assert_eq!(waits([false; 3]), [Some(500), Some(1_000), None]);
        let patient = waits([true; 7]);
        assert_eq!(patient[..6], [500, 1_000, 2_000, 4_000, 8_000, 16_000].map(Some));
        assert_eq!(patient[6], None, "rows in the ledger are not endless");
        assert_eq!(waits([true, false, true, false, false]).last(), Some(&None));
    }
}
