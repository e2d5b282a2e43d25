//! Jobs that are out, by ticket and by event: both name the same ones.
//!
//! ```text
//!   held (a short relay, a blob) ─► out ─┬─ answered, refused, cancelled ─► forgotten; what is paid for stays known
//!     └─ not wanted any more             └─ refused for want of work ─► out again, under another event
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use frlm_conductor::swarm::Ticket;
use frlm_protocol::{Covered, FeedbackStatus};
use nostr::{Event, EventId, PublicKey};

use super::short;

/// Jobs of a run at relays.
#[derive(Default)]
pub(super) struct Jobs {
    by_ticket: HashMap<Ticket, Out>,
    by_event: HashMap<EventId, Ticket>,
    /// Jobs that cost something, also those that are over: who is told what becomes of the pay.
    paid: HashMap<Ticket, Paid>,
    /// The same by event: anybody may say something about any job.
    paid_by_event: HashMap<EventId, Ticket>,
    /// Jobs that wait for their turn at relays that take few events; `false`: one that is paid and not wanted any more. It goes
    /// all the same and is cancelled then: its provider alone can give the pay back before the locktime.
    held: HashMap<Ticket, bool>,
}

/// Held while a job is published. What is said of it goes out behind it: a provider can do nothing about a job that it does
/// not know, and would keep its pay locked.
pub(super) type Leaving = Arc<tokio::sync::Mutex<()>>;

/// A job that is out.
pub(super) struct Out {
    pub event: Event,
    pub provider: PublicKey,
    pub leaving: Leaving,
    pub foreign: bool,
    /// What the result must attest, if it is a validator's.
    pub covered: Option<Covered>,
}

/// A job that costs something.
#[derive(Clone)]
pub(super) struct Paid {
    pub job: EventId,
    pub provider: PublicKey,
    pub leaving: Leaving,
}

impl Jobs {
    /// A job waits for its turn.
    pub fn hold(&mut self, ticket: Ticket) {
        self.held.insert(ticket, true);
    }

    /// A job that waits for its turn is not wanted any more; `false` if it does not wait.
    pub fn is_unwanted(&mut self, ticket: Ticket) -> bool {
        let held = self.held.get_mut(&ticket);
        held.map(|wanted| *wanted = false).is_some()
    }

    /// A job waits no more; whether it is still wanted, if it waited.
    pub fn release(&mut self, ticket: Ticket) -> Option<bool> {
        self.held.remove(&ticket)
    }

    /// Jobs that wait for their turn and are still wanted.
    pub fn waiting(&self) -> Vec<Ticket> {
        self.held.iter().filter(|(_, wanted)| **wanted).map(|(ticket, _)| *ticket).collect()
    }

    /// A job is out.
    pub fn add(&mut self, ticket: Ticket, out: Out, is_paid: bool) {
        self.by_event.insert(out.event.id, ticket);
        if is_paid {
            let paid = Paid { job: out.event.id, provider: out.provider, leaving: Arc::clone(&out.leaving) };
            self.paid_by_event.insert(paid.job, ticket);
            self.paid.insert(ticket, paid);
        }
        self.by_ticket.insert(ticket, out);
    }

    /// A job is out under another event, in the place of one that was refused; `false` if its answer is not waited for any more.
    pub fn replace(&mut self, ticket: Ticket, refused: EventId, event: &Event) -> bool {
        if self.by_event.get(&refused) != Some(&ticket) {
            return false;
        }
        let Some(out) = self.by_ticket.get_mut(&ticket) else { return false };
        out.event = event.clone();
        // What its validator signs names this job.
        if let Some(covered) = &mut out.covered {
            covered.job = event.id;
        }
        self.by_event.remove(&refused);
        self.by_event.insert(event.id, ticket);
        true
    }

    pub fn forget(&mut self, ticket: Ticket) -> Option<Out> {
        let out = self.by_ticket.remove(&ticket)?;
        self.by_event.remove(&out.event.id);
        Some(out)
    }

    /// A job that its provider refuses or gives up is over. Were it kept, it would be sent again after an outage, and
    /// its provider might do it then, for nothing. A foreign one may have been paid before, and owe an answer. Whether it is over.
    pub fn heard(&mut self, ticket: Ticket, status: FeedbackStatus) -> bool {
        let gives_up = matches!(
            status,
            FeedbackStatus::Error | FeedbackStatus::Cancelled | FeedbackStatus::PaymentRequired
        );
        let is_over = gives_up && self.by_ticket.get(&ticket).is_some_and(|out| !out.foreign);
        is_over && self.forget(ticket).is_some()
    }

    /// A job that is out.
    pub fn out(&self, ticket: Ticket) -> Option<&Out> {
        self.by_ticket.get(&ticket)
    }

    /// Whether a job is out under this event.
    pub fn is_out(&self, job: EventId) -> bool {
        self.by_event.contains_key(&job)
    }

    /// Events of the jobs that are out.
    pub fn events(&self) -> Vec<Event> {
        self.by_ticket.values().map(|out| out.event.clone()).collect()
    }

    /// The ticket of a job that was given to `author`; anything else is a stray with its reason.
    pub fn ticket_of(&self, job: EventId, author: PublicKey) -> Result<Ticket, String> {
        let Some(ticket) = self.by_event.get(&job) else {
            return Err(format!(
                "an event about job {} which is not open (late, repeated or foreign)",
                short(&job.to_hex())
            ));
        };
        match self.by_ticket.get(ticket) {
            Some(out) if out.provider == author => Ok(*ticket),
            _ => Err(format!(
                "an event about job {} by {} who was not asked",
                short(&job.to_hex()),
                short(&author.to_hex())
            )),
        }
    }

    /// A job that costs something, over or not.
    pub fn paid(&self, ticket: Ticket) -> Option<&Paid> {
        self.paid.get(&ticket)
    }

    /// The ticket of such a job, if it was given to `author`.
    pub fn paid_to(&self, job: EventId, author: PublicKey) -> Option<Ticket> {
        let ticket = *self.paid_by_event.get(&job)?;
        let paid = self.paid.get(&ticket)?;
        ((paid.job, paid.provider) == (job, author)).then_some(ticket)
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventBuilder, Keys};

    use super::*;

    fn event(keys: &Keys, text: &str) -> Event {
        EventBuilder::text_note(text).sign_with_keys(keys).unwrap()
    }

    /// A job that is out, by a ticket of its own.
    fn with_a_job(foreign: bool) -> (Jobs, Ticket, EventId) {
        let (keys, ticket) = (Keys::generate(), Ticket::at(1, 0));
        let event = event(&keys, "a job");
        let (id, mut jobs) = (event.id, Jobs::default());
        let provider = keys.public_key();
        let out = Out { event, provider, leaving: Leaving::default(), foreign, covered: None };
        jobs.add(ticket, out, true);
        (jobs, ticket, id)
    }

    #[test]
    fn what_a_provider_turned_down_is_not_sent_to_it_again_after_an_outage() {
        for (status, stays) in [
            (FeedbackStatus::Processing, true),
            (FeedbackStatus::Partial, true),
            (FeedbackStatus::Error, false),
            (FeedbackStatus::Cancelled, false),
            (FeedbackStatus::PaymentRequired, false),
        ] {
            let (mut jobs, ticket, id) = with_a_job(false);
            assert_eq!(jobs.heard(ticket, status), !stays);
            let kept = (jobs.out(ticket).is_some(), jobs.is_out(id), jobs.events().len() == 1);
            assert_eq!(kept, (stays, stays, stays), "{status:?}");
            let (mut foreign, ticket, _) = with_a_job(true);
            assert!(!foreign.heard(ticket, status));
            assert!(foreign.out(ticket).is_some(), "it may owe an answer");
        }
    }

    #[test]
    fn a_job_is_heard_of_under_its_last_event_by_its_provider_alone() {
        let (mut jobs, ticket, first) = with_a_job(false);
        let provider = jobs.out(ticket).unwrap().provider;
        let second = event(&Keys::generate(), "the same with work");
        assert!(jobs.replace(ticket, first, &second));
        assert!(!jobs.replace(ticket, first, &second), "the first one is not out any more");
        assert!(jobs.ticket_of(first, provider).is_err());
        assert_eq!(jobs.ticket_of(second.id, provider), Ok(ticket));
        assert!(jobs.ticket_of(second.id, Keys::generate().public_key()).is_err());
        jobs.forget(ticket);
        assert!(!jobs.is_out(second.id));
        assert_eq!(jobs.paid_to(first, provider), Some(ticket), "its pay is still to be settled");
        assert_eq!(jobs.paid_to(first, Keys::generate().public_key()), None);
    }

    #[test]
    fn a_job_that_waits_and_is_not_wanted_any_more_is_known_to_wait() {
        let (mut jobs, ticket) = (Jobs::default(), Ticket::at(0, 0));
        assert!(!jobs.is_unwanted(ticket));
        jobs.hold(ticket);
        assert_eq!(jobs.waiting(), [ticket]);
        assert!(jobs.is_unwanted(ticket) && jobs.waiting().is_empty());
        assert_eq!((jobs.release(ticket), jobs.release(ticket)), (Some(false), None));
    }
}
