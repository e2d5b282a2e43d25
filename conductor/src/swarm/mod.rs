//! What a run needs of a swarm. `frlm_client::swarm` has the swarm over relays, and the user's own models as venues.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::nostr::Keys;
use async_trait::async_trait;
use frlm_inference::{Dialect, Usage};
use frlm_protocol::{FeedbackStatus, JobAnswer, ModelIdentity, RefusalReason, Settlement, Speed, Verdict};
use frlm_questions::dialect::Prompt;
use frlm_scheduler::{AttemptId, SubtaskId};
use frlm_verifier::attested::Confirmation;
use frlm_wallet::{Msats, Sats};

/// A provider's public key in hex, or [`LOCAL_PROVIDER`].
pub type ProviderId = Arc<str>;

/// The user's own machine, as a provider id.
pub const LOCAL_PROVIDER: &str = "local";

/// What is known of a provider that can be asked now.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderInfo {
    /// Its key.
    pub id: ProviderId,
    /// For people; not unique, not trusted.
    pub name: String,
    /// The model it claims to run.
    pub model: ModelIdentity,
    /// How tasks are put to that model.
    pub dialect: Dialect,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: usize,
    /// How quickly it says that it reads and writes; `None` where it says nothing.
    pub speed: Option<Speed>,
    /// Jobs it works on at once.
    pub workers: u32,
    /// Jobs that wait there, by its last heartbeat.
    pub queue_length: u32,
    /// What it asks for a job.
    pub tariff: Tariff,
    /// The user's own machine: one answer of it is enough.
    pub trusted: bool,
    /// How it wants to be paid; `None` for those who work for nothing or for another rail.
    pub escrow: Option<EscrowOffer>,
    /// A foreign NIP-90 provider that the user named: what one job may cost. It speaks no profile of
    /// ours, and is paid before its work where it asks for that, unescrowed. `None`: one of ours.
    pub flat_price: Option<Sats>,
    /// Bits of proof of work that its announcement shows.
    pub pow_bits: u8,
    /// The largest blob that it fetches for a job; 0: none.
    pub blob_bytes: u32,
}

/// What a provider asks for a job: by the tokens that it reads and writes, and never less than something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tariff {
    /// Millisats per 1,000 tokens read.
    pub read_per_1k: Msats,
    /// Millisats per 1,000 tokens written.
    pub written_per_1k: Msats,
    /// What the shortest job costs.
    pub least: Sats,
    /// Jobs of one key that it says cost nothing each day.
    pub free_jobs: u32,
}

/// Tokens that a usual job reads and writes: a fragment and a short answer.
const USUAL_READ: u64 = 1_000;
const USUAL_WRITTEN: u64 = 250;

impl Tariff {
    /// Nothing.
    pub const FREE: Self = Self::per_1k(Msats::ZERO);

    /// The same for every token, and no least.
    pub const fn per_1k(price: Msats) -> Self {
        Self { read_per_1k: price, written_per_1k: price, least: Sats::ZERO, free_jobs: 0 }
    }

    /// Whether every job is free.
    pub fn is_free(&self) -> bool {
        Self { free_jobs: 0, ..*self } == Self::FREE
    }

    /// The most that 1,000 tokens cost; what the shortest job costs is not in it.
    pub fn dearest_per_1k(&self) -> Msats {
        self.read_per_1k.max(self.written_per_1k)
    }

    /// What a usual job costs, by which offers are compared: by one price alone, a provider that asks nothing for tokens and
    /// a fortune for each job would be the cheapest of all.
    pub fn usual(&self) -> Msats {
        self.by_tokens(USUAL_READ, USUAL_WRITTEN).max(self.least.to_msats().unwrap_or(Msats(u64::MAX)))
    }

    /// What so many tokens cost: whole sats, rounded up (design.md, section 5).
    pub fn cost(&self, read: u64, written: u64) -> Sats {
        self.by_tokens(read, written).ceil_to_sats().max(self.least)
    }

    fn by_tokens(&self, read: u64, written: u64) -> Msats {
        let of = |price: Msats, tokens: u64| u128::from(price.0) * u128::from(tokens);
        let sum = of(self.read_per_1k, read).saturating_add(of(self.written_per_1k, written));
        Msats(u64::try_from(sum.div_ceil(1_000)).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Tariff {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} per 1,000 tokens", self.read_per_1k)?;
        if self.written_per_1k != self.read_per_1k {
            write!(formatter, " read and {} written", self.written_per_1k)?;
        }
        if self.least > Sats::ZERO {
            write!(formatter, ", at least {}", self.least)?;
        }
        if self.free_jobs > 0 { write!(formatter, ", {} jobs a day free", self.free_jobs) } else { Ok(()) }
    }
}

impl ProviderInfo {
    /// A foreign NIP-90 provider, as far as anything is known of it.
    pub fn foreign(id: ProviderId, flat_price: Sats) -> Self {
        Self {
            name: format!("foreign {}", id.get(..8).unwrap_or(&id)),
            id,
            model: ModelIdentity { name: "unknown".to_owned(), weights_hash: None },
            dialect: Dialect::Json,
            context_tokens: FOREIGN_CONTEXT_TOKENS,
            speed: None,
            workers: 1,
            queue_length: 0,
            tariff: Tariff::FREE,
            trusted: false,
            escrow: None,
            flat_price: Some(flat_price),
            pow_bits: 0,
            blob_bytes: 0,
        }
    }
}

/// Nothing says what a foreign model reads; any of today's reads this much.
const FOREIGN_CONTEXT_TOKENS: usize = 4_096;

/// What a provider needs to be paid through escrow. Claims, like all of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscrowOffer {
    /// The key to lock sats to, as hex.
    pub key: String,
    /// The mints that it accepts.
    pub mints: Vec<String>,
    /// Jobs that one key may owe for, to be paid after the verdict; 0: none.
    pub pay_after_jobs: u32,
}

/// How to tell a job's provider of its pay, at any later time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The job's event id.
    pub job: String,
    /// Relays that it listens on.
    pub relays: Vec<String>,
}

/// Names one attempt across the swarm; chosen by the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// At what.
    pub subtask: SubtaskId,
    /// Which one of the run.
    pub attempt: AttemptId,
}

impl Ticket {
    /// By the two numbers.
    pub const fn at(subtask: u32, attempt: u32) -> Self {
        Self { subtask: SubtaskId(subtask), attempt: AttemptId(attempt) }
    }
}

/// One job for one provider.
#[derive(Clone)]
pub struct OutgoingJob {
    /// The run's name for it.
    pub ticket: Ticket,
    /// To whom.
    pub provider: ProviderId,
    /// What to do.
    pub prompt: Arc<Prompt>,
    /// The most it may cost.
    pub bid: Msats,
    /// Proof that the price is in escrow, in the rail's own words; for a foreign provider the token that pays it.
    pub payment: Option<String>,
    /// Whether the provider speaks no profile of ours: it gets one plain prompt.
    pub foreign: bool,
    /// Seconds from now after which nobody waits for it.
    pub expires_in_secs: u64,
    /// Answers to this prompt that the provider is to check, as a validator, instead of giving its own.
    pub shown: Option<Shown>,
}

impl fmt::Debug for OutgoingJob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What pays may be a token, and a token is money; the prompt is somebody's document.
        formatter
            .debug_struct("OutgoingJob")
            .field("ticket", &self.ticket)
            .field("provider", &self.provider)
            .field("bid", &self.bid)
            .field("foreign", &self.foreign)
            .finish_non_exhaustive()
    }
}

/// Somebody's answers, to be shown to a validator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The result's event id.
    pub result: String,
    /// The answers, one per prompt.
    pub answers: Vec<String>,
}

/// What comes back. Everything in it is a peer's claim.
#[derive(Debug, Clone)]
pub enum SwarmEvent {
    /// A provider came or changed its offer.
    ProviderSeen(ProviderInfo),
    /// A provider's heartbeat says that another number of jobs waits there.
    ProviderLoad {
        /// Whose.
        provider: ProviderId,
        /// Jobs that wait.
        queue_length: u32,
    },
    /// A provider went away.
    ProviderGone(ProviderId),
    /// The job left this machine; `reference` is its event id.
    Sent {
        /// Which attempt.
        ticket: Ticket,
        /// The event id, or another name by which the venue knows it.
        reference: String,
    },
    /// The job could not be sent.
    SendFailed {
        /// Which attempt.
        ticket: Ticket,
        /// In words.
        reason: String,
    },
    /// How a job stands.
    Feedback {
        /// Which attempt.
        ticket: Ticket,
        /// The state.
        status: FeedbackStatus,
        /// Machine-readable reason of a refusal.
        reason: Option<RefusalReason>,
        /// In words.
        detail: Option<String>,
        /// In how many seconds the provider says that the job may be sent again.
        retry_after_secs: Option<u32>,
    },
    /// A foreign provider wants to be paid before it works.
    PaymentRequired {
        /// Which attempt.
        ticket: Ticket,
        /// What it says it wants.
        amount: Option<Msats>,
        /// Its invoice (bolt11), unchecked; empty where it names none.
        invoice: String,
    },
    /// A job's result, signed by the provider that was asked.
    Result {
        /// Which attempt.
        ticket: Ticket,
        /// The answers, one per prompt.
        answers: Vec<JobAnswer>,
        /// The model it says it used.
        model: Option<ModelIdentity>,
        /// Tokens it says it read and wrote.
        usage: Usage,
        /// The result's event id, or another name by which the venue knows it.
        reference: String,
        /// The job's, likewise.
        job: String,
    },
    /// A validator's word about the answers that it was shown.
    Attested {
        /// The validation job's attempt.
        ticket: Ticket,
        /// What it found, its signature and all that it covers checked; or why that is no verdict.
        verdict: Result<Confirmation, String>,
        /// Tokens it says it read and wrote.
        usage: Usage,
    },
    /// The provider gave back the pay of an attempt that did not count.
    Returned {
        /// Which attempt.
        ticket: Ticket,
        /// For the payment rail.
        payload: String,
    },
    /// A relay has the word that pays an attempt.
    Told {
        /// Which attempt.
        ticket: Ticket,
    },
    /// Something arrived that belongs to no open attempt, or from somebody who was not asked.
    Stray {
        /// What it was and why it does not count.
        what: String,
    },
    /// Relays are asked for the providers that they know, or have sent all of them.
    Looking(bool),
    /// A relay takes something or answers something not: its own words.
    RelaySays {
        /// Its address.
        relay: String,
        /// What it says.
        words: String,
    },
    /// A provider is there that cannot be asked: why, in words.
    Unusable(String),
    /// This machine's clock is not that of the providers.
    ClockOff(String),
    /// A relay is connected.
    RelayOnline(String),
    /// A relay is gone; its own words or the error.
    RelayOffline {
        /// Its address.
        relay: String,
        /// Why.
        reason: String,
    },
}

/// A place that takes jobs. Events come through the channel given at construction.
#[async_trait]
pub trait Swarm: Send + Sync {
    /// Takes a job; whatever becomes of it arrives as a [`SwarmEvent`].
    async fn submit(&self, job: OutgoingJob);

    /// Tells the provider that the answer is not needed any more.
    async fn cancel(&self, ticket: Ticket);

    /// Tells the provider of an attempt, even one that is over, what becomes of its pay.
    async fn settle(&self, _ticket: Ticket, _settlement: Settlement) {}

    /// Tells a provider what became of some of its answers; back when a relay has it. Nothing depends on whether it
    /// hears that.
    async fn judge(&self, _provider: &str, _verdicts: Vec<Verdict>) {}

    /// Shows those that are paid whose run this is, from the next job on: what they know of that one counts for it.
    fn known_as(&self, _identity: &Keys) {}

    /// Jobs that it was given and that wait for their turn to leave: their providers' time has not begun.
    fn waiting(&self) -> Vec<Ticket> {
        Vec::new()
    }

    /// How long a job and its answer may be on their way, beside what its provider takes.
    fn trip(&self) -> Duration {
        Duration::ZERO
    }

    /// At which relays that the user did not name the providers are that were sought, by their own word.
    async fn other_relays(&self) -> Vec<String> {
        Vec::new()
    }

    /// How a later process can tell the provider of an attempt of its pay.
    fn address(&self, _ticket: Ticket) -> Option<Address> {
        None
    }

    /// Ends all work and closes the connections.
    async fn shutdown(&self);
}
