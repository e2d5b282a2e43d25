//! The validator at work (policy `validated`; seeds/frlm-architecture.md, «Verification Flow»).
//!
//! ```text
//!  result ─► checks ─► held ─► validation job ─► validator ─► signed verdict ─► replica ─► judge
//!              (its attempt is still out for the scheduler)        │
//!                                                   no verdict ────┴─► again, then the answer has none
//! ```
//!
//! An answer that gets no verdict, for whatever reason, is not used. Its provider has done its part: nothing is held
//! against it, it is paid out of what was set aside, and is not asked the same again; others are
//! (docs/decisions/0054-answers-without-a-verdict.md).
//!
//! An answer whose verdict is awaited keeps its attempt open: its time covers provider and validator. A
//! validation is named, reserved and paid like any other attempt; each attempt of a subtask has
//! [`NAMES`] names, the first for the answer, the others for the tries to have it validated. The
//! validator is paid for its verdict, whichever it is.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{Dialect, Usage};
use frlm_verifier::attested::Confirmation;
use frlm_verifier::{Replica, VerificationPolicy};
use frlm_wallet::escrow::Credit;

use super::dispatch::Dispatch;
use super::driver::Run;
use super::{RunError, quote};
use crate::dialect::Prompt;
use crate::plan::Outcome;
use crate::scheduler::{AttemptFailure, AttemptId, ProviderIndex, SubtaskId, UNPROVEN_SLOTS};
use crate::swarm::{ProviderId, ProviderInfo, Shown, Ticket};
use crate::trace::TraceEvent;

/// Names of an attempt where there is a validator: the answer's, and three for its validation.
const NAMES: u32 = 4;
/// How long to wait before the next try, times the number of tries.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 200;
/// Validations that are out at once, for each worker of the validator: one that it works on, one that waits.
const OUT_PER_WORKER: u32 = 2;
/// An announcement that claims more workers is taken for this many.
const MOST_WORKERS: u32 = 64;
/// Answers without a verdict, beyond as many as the validator confirmed, after which a provider is asked nothing more …
const MOST_UNJUDGED: u32 = 3;
/// … and after which it is not paid for more of them either: whoever can write answers that no validator can read
/// would live by it. As many as may be under way by then of a provider that was never judged.
const MOST_PAID_UNJUDGED: u32 = MOST_UNJUDGED + UNPROVEN_SLOTS;

/// Answers that wait for the validator.
#[derive(Debug, Default)]
pub(super) struct Validation {
    /// Whose word accepts; `None` under other policies.
    validator: Option<ProviderId>,
    /// Its offer, while it is here.
    here: Option<ProviderInfo>,
    held: HashMap<Ticket, Held>,
    /// Answers to be shown, and from when on.
    queue: VecDeque<(Duration, Ticket)>,
    /// Validation jobs that are out.
    out: u32,
    /// Verdicts that were paid for: how much unpaid work the validator takes follows from that.
    paid: u32,
    /// What the validator said of each provider's answers.
    said: HashMap<ProviderId, Said>,
}

/// What the validator said of a provider's answers in this run, in numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    /// Answers that it confirmed.
    confirmed: u32,
    /// Answers of which it said nothing.
    nothing: u32,
}

impl Said {
    /// Of how many more answers it said nothing than it confirmed.
    fn excess(self) -> u32 {
        self.nothing.saturating_sub(self.confirmed)
    }
}

/// An answer without a verdict.
#[derive(Debug)]
struct Held {
    replica: Replica<Outcome>,
    shown: Shown,
    prompt: Arc<Prompt>,
    tries: u32,
    /// The validation that is out.
    out: Option<Ticket>,
}

impl Validation {
    pub fn under(policy: &VerificationPolicy) -> Self {
        let validator = match policy {
            VerificationPolicy::Validated { validator } => Some(validator.as_str().into()),
            _ => None,
        };
        Self { validator, ..Self::default() }
    }

    /// How many names an attempt has.
    pub fn names(&self) -> u32 {
        if self.validator.is_some() { NAMES } else { 1 }
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

    /// Takes the validator's offer; whether it is a new one.
    pub fn seen(&mut self, info: ProviderInfo) -> bool {
        self.here.replace(info).is_none()
    }

    pub fn gone(&mut self) {
        self.here = None;
    }

    /// Whether an answer waits for its verdict.
    pub fn holds(&self, answer: Ticket) -> bool {
        self.held.contains_key(&answer)
    }

    /// Takes an answer back; with the validation of it that is out.
    fn take(&mut self, answer: Ticket) -> Option<(Held, Option<Ticket>)> {
        let mut held = self.held.remove(&answer)?;
        let out = held.out.take();
        match out {
            Some(_) => self.out -= 1,
            None => self.queue.retain(|(_, ticket)| *ticket != answer),
        }
        Some((held, out))
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

impl Run {
    /// Why the run cannot begin without its validator.
    pub(super) fn without_validator(&self) -> String {
        let (place, seconds) = (&self.setup.place, self.setup.discovery.as_secs());
        let key = self.validation.validator().unwrap_or_default();
        format!(
            "the validator {key} did not answer on {place} within {seconds} s; ask whoever runs it to start \
             frlm provide --relay {place}, or verify in another way (--verify adaptive)"
        )
    }

    /// Keeps an answer until the validator has seen it.
    pub(super) fn hold(
        &mut self,
        ticket: Ticket,
        replica: Replica<Outcome>,
        shown: Shown,
        (prompt, dialect): (Arc<Prompt>, Dialect),
    ) {
        let cannot = self
            .validation
            .here
            .as_ref()
            .is_some_and(|validator| validator.dialect == Dialect::Records && dialect == Dialect::Json);
        self.validation.held.insert(ticket, Held { replica, shown, prompt, tries: 0, out: None });
        let attempt = self.scheduler_attempt(ticket);
        self.scheduler.awaits_word(SubtaskId(ticket.subtask), attempt);
        if cannot {
            let why = "the validator's model cannot do what this provider was asked to do";
            self.no_verdict(ticket, why);
            return;
        }
        self.validation.queue.push_back((self.began.elapsed(), ticket));
    }

    /// Sends what waits for the validator, as much as it takes.
    pub(super) async fn send_validations(&mut self) -> Result<(), RunError> {
        let mut jobs = Vec::new();
        while self.validation.room() > 0
            && let Some(ticket) = self.validation.next(self.began.elapsed())
        {
            let Some(provider) = self.validation.here.clone() else { break };
            let Some(held) = self.validation.held.get_mut(&ticket) else { continue };
            held.tries += 1;
            let price = quote::price_of_verdict(&held.prompt, &held.shown.answers, &provider);
            let validation = Ticket { attempt: ticket.attempt + held.tries, ..ticket };
            held.out = Some(validation);
            jobs.push(Dispatch {
                ticket: validation,
                provider,
                prompt: Arc::clone(&held.prompt),
                price,
                hedge: false,
                shown: Some(held.shown.clone()),
            });
            self.validation.out += 1;
        }
        if jobs.is_empty() { Ok(()) } else { self.submit(jobs).await }
    }

    /// The answer that a validation is about; `None` if the ticket is an answer's own.
    fn validated(&self, ticket: Ticket) -> Option<Ticket> {
        let before = self.setup.known.attempts.get(&ticket.subtask).copied().unwrap_or(0);
        let nth = ticket.attempt.checked_sub(before)? % self.validation.names();
        (nth > 0).then(|| Ticket { attempt: ticket.attempt - nth, ..ticket })
    }

    /// Whether a ticket is a validation's.
    pub(super) fn is_validation(&self, ticket: Ticket) -> bool {
        self.validated(ticket).is_some()
    }

    /// The validator's word came.
    pub(super) fn on_attested(
        &mut self,
        ticket: Ticket,
        verdict: Result<Confirmation, String>,
        usage: Usage,
    ) {
        let found = match verdict {
            Ok(found) => found,
            Err(why) => {
                self.validation_failed(ticket, &why);
                return;
            }
        };
        let (Some(answer), Some(sent)) = (self.validated(ticket), self.sent.remove(&ticket)) else { return };
        self.validation.paid = self.validation.paid.saturating_add(1);
        // It is paid for the work of a verdict, not for a verdict that pleases.
        let Confirmation { confirmed, shown } = found;
        let answers = self.validation.held.get(&answer).map_or(&[][..], |held| held.shown.answers.as_slice());
        let cost = quote::actual_of_verdict(&sent.prompt, answers, &sent.provider);
        self.ended.push((ticket, Some(cost)));
        let Usage { prompt_tokens, completion_tokens } = self.report(usage, &sent.prompt);
        self.journal.emit(TraceEvent::SubQueryReturn {
            subtask: SubtaskId(ticket.subtask),
            attempt: AttemptId(ticket.attempt),
            ok: true,
            summary: format!("the validator confirms {confirmed} of {shown} answers"),
            tokens: prompt_tokens.saturating_add(completion_tokens),
            completion_tokens,
            duration_ms: super::events::millis(self.began.elapsed().saturating_sub(sent.at)),
        });
        let Some((held, _)) = self.validation.take(answer) else { return };
        if found.accepts() {
            let provider = held.replica.provider.as_str().into();
            self.validation.said.entry(provider).or_default().confirmed += 1;
        }
        self.journal.emit(TraceEvent::Attested {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator: sent.provider.id.to_string(),
            result: held.shown.result,
            confirmed,
            shown,
        });
        let replica = Replica { attested: Some(found.accepts()), ..held.replica };
        let id = SubtaskId(answer.subtask);
        self.saw_verdict(&sent.provider.id, id, &replica.key, found.accepts());
        if let Some(slot) = self.slots.get_mut(answer.subtask as usize) {
            slot.replicas.push((AttemptId(answer.attempt), replica));
            self.judge(answer);
        }
    }

    /// A validation gave no verdict: once more, or the answer has none.
    pub(super) fn validation_failed(&mut self, ticket: Ticket, why: &str) {
        let Some(answer) = self.validated(ticket) else { return };
        if let Some(sent) = self.sent.remove(&ticket) {
            self.returned_nothing(ticket, &sent, why);
        }
        self.ended.push((ticket, None));
        let names = self.validation.names();
        let Some(held) = self.validation.held.get_mut(&answer) else { return };
        self.validation.out -= u32::from(held.out.take().is_some());
        if held.tries + 1 < names {
            let from = self.began.elapsed() + AGAIN_AFTER * held.tries;
            self.validation.queue.push_back((from, answer));
        } else {
            self.no_verdict(answer, why);
        }
    }

    /// An answer is not wanted any more, as another one was accepted: neither is its verdict. The validation that is
    /// out, if any.
    pub(super) fn forget_validation(&mut self, answer: Ticket) -> Option<Ticket> {
        let (_, out) = self.validation.take(answer)?;
        out.filter(|out| self.sent.contains_key(out))
    }

    /// Nobody says whether an answer is right: somebody else may be asked for another one.
    fn no_verdict(&mut self, answer: Ticket, why: &str) {
        self.end_without_verdict(answer, why);
        let (id, attempt) = (SubtaskId(answer.subtask), self.scheduler_attempt(answer));
        self.scheduler.failed(id, attempt, AttemptFailure::NoVerdict, self.began.elapsed());
    }

    /// Ends an answer of which nobody says whether it is right: its provider has done its part, and is paid. The
    /// validation that is out, if any.
    pub(super) fn end_without_verdict(&mut self, answer: Ticket, why: &str) -> Option<Ticket> {
        let (held, out) = self.validation.take(answer)?;
        let provider: ProviderId = held.replica.provider.as_str().into();
        let said = self.validation.said.entry(provider.clone()).or_default();
        said.nothing = said.nothing.saturating_add(1);
        let excess = said.excess();
        let paid = excess <= MOST_PAID_UNJUDGED;
        self.end_answered(answer, &held.replica.answer, paid);
        self.desk.gauge.unjudged();
        let why: String = why.chars().take(LONGEST_REASON).collect();
        if let Some(slot) = self.slots.get_mut(answer.subtask as usize) {
            slot.last_failure = Some(format!("no verdict about an answer: {why}").into());
        }
        self.journal.emit(TraceEvent::NoVerdict {
            subtask: SubtaskId(answer.subtask),
            attempt: AttemptId(answer.attempt),
            validator: self.validation.validator().unwrap_or_default().to_owned(),
            provider: provider.to_string(),
            paid,
            why,
        });
        if excess >= MOST_UNJUDGED
            && self.scheduler.open() > 0
            && let Some(index) = self.peers.index(&provider)
        {
            self.ask_nothing_more(index, &provider);
        }
        out.filter(|out| self.sent.contains_key(out))
    }

    /// A provider whose answers nobody judges would work for nothing: it is asked nothing more in this run, and
    /// nothing of that is kept.
    fn ask_nothing_more(&mut self, index: ProviderIndex, provider: &ProviderId) {
        if self.peers.is_left_out(provider) {
            return;
        }
        self.peers.leave_out(provider);
        self.scheduler.remove_provider(index, self.began.elapsed());
        let words = format!(
            "the validator says nothing of the answers of {provider}, which is asked nothing more in this run; that \
             is not held against it"
        );
        self.decide("verify", "retry", &words);
    }

    /// The run is over: what still waits for its verdict gets none.
    pub(super) fn end_validation(&mut self) {
        let waiting: Vec<Ticket> = self.validation.held.keys().copied().collect();
        for answer in waiting {
            self.end_without_verdict(answer, "the run was over before it came");
        }
    }
}
