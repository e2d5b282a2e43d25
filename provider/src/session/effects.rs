//! What the session is told about work, and what it wants done.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::{Feedback, ReceivedJob};
use nostr::{Event, EventId, PublicKey, Timestamp};

use crate::admission::{Admitted, Refusal};
use crate::events::ProviderEvent;
use crate::queue::Rank;
use crate::session::Took;

/// A job that was taken.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) job: Arc<ReceivedJob>,
    pub(crate) needs: Admitted,
    /// What speaks for it.
    pub(crate) rank: Rank,
    /// Until when it waits for its asker's credit, once it has begun to.
    pub(crate) patient_until: Option<Timestamp>,
}

/// How a job's work ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Answered(Box<Answered>),
    /// What the asker is told, and what the operator is told.
    Failed(Refusal, String),
    /// Its asker has too much out for another job now, and why: no work was done.
    Waits(Box<Ticket>, Refusal),
    /// The work was stopped before it ended.
    Stopped,
}

/// A job's answers, signed and sealed.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) event: Event,
    pub(crate) usage: Usage,
    pub(crate) amount_msats: u64,
    pub(crate) confidence: Option<f64>,
    /// From the first prompt to the last answer.
    pub(crate) duration: Duration,
    /// The time that each prompt spent in the engine, all added up.
    pub(crate) engine_time: Duration,
    /// What its only prompt took to read and to answer, where it has one.
    pub(crate) took: Option<Took>,
    /// Who asks, if it has paid for earlier work.
    pub(crate) payer: Option<PublicKey>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Fetch the blob that holds the texts of a job.
    Fetch(Arc<ReceivedJob>),
    /// Give the job to the engine.
    Start(Ticket),
    /// Stop the engine's work on a job; its outcome follows.
    Stop(EventId),
    /// Tell a job's asker, as well as it goes.
    Say(Arc<ReceivedJob>, Feedback),
    /// The same for an asker that was told something a moment ago: it may be lost where others wait for their first word.
    Repeat(Arc<ReceivedJob>, Feedback),
    /// Tell the asker of a job that was taken how it stands, if it is not over in a moment.
    TellSoon(EventId),
    /// Publish a result until a relay has it.
    Deliver { job: EventId, event: Event, until: Timestamp },
    /// Read what this key sends before what others send, or not any more.
    Prefer(PublicKey, bool),
    /// Write down that a job was given away.
    Gave { asker: PublicKey, day: u64 },
    /// Tell the program around us.
    Tell(ProviderEvent),
}
