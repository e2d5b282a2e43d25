//! What a provider tells the program around it: events as they happen, and counts.

use std::time::Duration;

use frlm_inference::Usage;
use frlm_protocol::{RefusalReason, Verdict};
use nostr::{EventId, PublicKey};

/// Something that happened, for logs and screens. Slow readers miss events, never delay jobs.
#[derive(Debug, Clone, PartialEq)]
pub enum ProviderEvent {
    /// A relay connection stands; announcement and heartbeat follow.
    RelayOnline {
        /// The relay's address.
        relay: String,
    },
    /// A relay connection is lost; it is retried.
    RelayOffline {
        /// The relay's address.
        relay: String,
        /// What happened.
        reason: String,
    },
    /// A relay said something meant for people.
    RelayNotice {
        /// The relay's address.
        relay: String,
        /// Its words: a stranger's text.
        message: String,
    },
    /// A job was taken and waits.
    JobReceived {
        /// The job.
        job: EventId,
        /// Who asks.
        asker: PublicKey,
        /// How many prompts it makes.
        prompts: usize,
    },
    /// A job was refused.
    Refused {
        /// The job.
        job: EventId,
        /// For programs.
        reason: RefusalReason,
        /// For people.
        detail: String,
    },
    /// Something was not even refused: unreadable, too old, or sent twice.
    Ignored {
        /// The event.
        event: EventId,
        /// Why.
        reason: String,
    },
    /// The engine works on a job.
    Started {
        /// The job.
        job: EventId,
    },
    /// A job is answered; its result is on the way.
    Finished {
        /// The job.
        job: EventId,
        /// Tokens read and written, all prompts together.
        tokens: u64,
        /// From the first prompt to the last answer.
        duration: Duration,
        /// The least of the answers' own confidences, 0..=1, where the engine reports any.
        confidence: Option<f64>,
    },
    /// A job gave no answer.
    Failed {
        /// The job.
        job: EventId,
        /// For programs; the asker was told the same.
        reason: RefusalReason,
        /// For the operator; it may name local addresses and quote the answer.
        detail: String,
    },
    /// A job was cancelled by its asker and the engine has stopped.
    Cancelled {
        /// The job.
        job: EventId,
    },
    /// An asker has said what became of an answer. All of it is the asker's opinion.
    Judged {
        /// Which job, whether it was accepted, and the asker's words.
        verdict: Verdict,
    },
    /// A relay took a result.
    Delivered {
        /// The job.
        job: EventId,
    },
    /// No relay took a result yet; it is tried again.
    Delayed {
        /// The job.
        job: EventId,
        /// What the relays said.
        reason: String,
    },
    /// No relay took a result before its deadline.
    Undelivered {
        /// The job.
        job: EventId,
        /// The last failure.
        reason: String,
    },
    /// New jobs are refused from now on.
    Stopping,
    /// The last event: nothing runs any more.
    Stopped,
}

/// Counts since the start, and the load now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProviderStats {
    /// Jobs taken.
    pub received: u64,
    /// Jobs refused.
    pub refused: u64,
    /// Jobs answered.
    pub finished: u64,
    /// Jobs that gave no answer.
    pub failed: u64,
    /// Cancelled jobs.
    pub cancelled: u64,
    /// Answers that their askers accepted, as far as they say.
    pub accepted: u64,
    /// Answers that their askers rejected, as far as they say.
    pub rejected: u64,
    /// Events that were no job for us.
    pub ignored: u64,
    /// Tokens read and written.
    pub usage: Usage,
    /// What the answered jobs cost their askers, in millisats. Not what was paid.
    pub asked_msats: u64,
    /// Jobs that wait.
    pub queued: usize,
    /// Jobs in the engine.
    pub running: usize,
    /// Relay connections that stand.
    pub relays_online: usize,
}
