//! Job feedback (kind 7000).
//!
//! NIP-90 knows five statuses. Our sixth, *cancelled*, travels as the status `error` with the
//! reason `cancelled`, so that foreign clients still understand that nothing more will come.
//! Machine-readable reasons stand in a tag of their own:
//!
//! ```json
//! [["e","<job>"], ["p","<asker>"], ["status","error","the queue is full"], ["reason","busy"], ["retry-after","12"]]
//! ```
//!
//! `retry-after` says in how many seconds the same job may be sent again. Older peers ignore it.
//!
//! The words after the status are readable by everyone on the relay: they must not quote the job.

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};

use crate::error::{BuildError, ParseError};
use crate::job::{Encryption, ReceivedJob};
use crate::kinds::JOB_FEEDBACK;
use crate::limits::MAX_DETAIL_BYTES;
use crate::seal::{fits, open_if_sealed};
use crate::tags::{TagView, array, sign, whole_number};
use crate::text::{cut, excerpt};

const CANCELLED: &str = "cancelled";

/// NIP-90 statuses, plus the cancellation that our own peers confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackStatus {
    /// The provider wants money before it works.
    PaymentRequired,
    /// The provider has begun.
    Processing,
    /// The provider refuses or failed; the extra text says why.
    Error,
    /// The provider is done.
    Success,
    /// Some of the output, in the content.
    Partial,
    /// The provider stopped at the asker's wish.
    Cancelled,
}

/// How a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// The state.
    pub status: FeedbackStatus,
    /// For people: the reason of a refusal, with the fix where there is one.
    pub detail: Option<String>,
    /// A fixed machine-readable reason, for our own peers.
    pub reason: Option<RefusalReason>,
    /// Partial output, decrypted.
    pub partial: Option<String>,
    /// What the provider asks for, in millisats.
    pub amount_msats: Option<u64>,
    /// In how many seconds a refused job may be sent again.
    pub retry_after_secs: Option<u32>,
    /// Bits of proof of work with which a refused job would be taken now.
    pub pow_bits: Option<u8>,
}

/// Why a provider refuses a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// The queue is full; elsewhere or later.
    Busy,
    /// Prompt plus answer exceed the model's context or the provider's limit.
    TooLarge,
    /// Another model was asked for.
    WrongModel,
    /// Too many jobs from this asker in too short a time.
    RateLimited,
    /// The job cannot be finished before its expiration.
    TooLate,
    /// The bid is under the provider's price.
    BidTooLow,
    /// The job cannot be read, decrypted or served.
    Unsupported,
    /// The provider is shutting down.
    ShuttingDown,
    /// The engine failed.
    EngineFailed,
    /// The answer failed the provider's own check (tier 1).
    SelfCheckFailed,
}

/// Feedback as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedFeedback {
    /// The key that signed it.
    pub provider: PublicKey,
    /// The request it is about.
    pub job: EventId,
    /// What it says.
    pub feedback: Feedback,
    /// The invoice behind [`Feedback::amount_msats`], where there is one.
    pub invoice: Option<String>,
    /// How the content came.
    pub encryption: Encryption,
}

impl FeedbackStatus {
    /// The status as it travels.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PaymentRequired => "payment-required",
            Self::Processing => "processing",
            Self::Error | Self::Cancelled => "error",
            Self::Success => "success",
            Self::Partial => "partial",
        }
    }

    fn parse(status: &str, reason: Option<&str>) -> Option<Self> {
        match status.trim().to_ascii_lowercase().replace('_', "-").as_str() {
            "payment-required" => Some(Self::PaymentRequired),
            "processing" => Some(Self::Processing),
            "error" if reason == Some(CANCELLED) => Some(Self::Cancelled),
            "error" => Some(Self::Error),
            "success" => Some(Self::Success),
            "partial" => Some(Self::Partial),
            CANCELLED | "canceled" => Some(Self::Cancelled),
            _ => None,
        }
    }
}

impl RefusalReason {
    /// Every reason, for tables and tests.
    pub const ALL: [Self; 10] = [
        Self::Busy,
        Self::TooLarge,
        Self::WrongModel,
        Self::RateLimited,
        Self::TooLate,
        Self::BidTooLow,
        Self::Unsupported,
        Self::ShuttingDown,
        Self::EngineFailed,
        Self::SelfCheckFailed,
    ];

    /// The reason as it travels.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::TooLarge => "too-large",
            Self::WrongModel => "wrong-model",
            Self::RateLimited => "rate-limited",
            Self::TooLate => "too-late",
            Self::BidTooLow => "bid-too-low",
            Self::Unsupported => "unsupported",
            Self::ShuttingDown => "shutting-down",
            Self::EngineFailed => "engine-failed",
            Self::SelfCheckFailed => "self-check-failed",
        }
    }

    /// Reads a reason; unknown ones, from newer versions, are none.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

impl Feedback {
    /// A bare status.
    pub fn of(status: FeedbackStatus) -> Self {
        Self {
            status,
            detail: None,
            reason: None,
            partial: None,
            amount_msats: None,
            retry_after_secs: None,
            pow_bits: None,
        }
    }

    /// A refusal with its reason and words for people.
    pub fn refusal(reason: RefusalReason, detail: impl Into<String>) -> Self {
        Self { reason: Some(reason), detail: Some(detail.into()), ..Self::of(FeedbackStatus::Error) }
    }

    /// The signed word that a job is done once this invoice (bolt11) over `amount_msats` is paid, as NIP-90 has it.
    pub fn bill(
        job: &ReceivedJob,
        amount_msats: u64,
        invoice: &str,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        let tags = [
            array(["e", &job.id.to_hex()]),
            array(["p", &job.asker.to_hex()]),
            array(["status", FeedbackStatus::PaymentRequired.as_str()]),
            array(["amount", &amount_msats.to_string(), invoice]),
        ];
        sign(JOB_FEEDBACK, String::new(), tags, keys, created_at)
    }

    /// The signed feedback event.
    ///
    /// The content is the partial output, encrypted under the same rule as results. Details are
    /// cut at [`MAX_DETAIL_BYTES`].
    pub fn to_event(
        &self,
        job: &ReceivedJob,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        let cancelled = self.status == FeedbackStatus::Cancelled;
        let mut status = array(["status", self.status.as_str()]);
        let default_detail = cancelled.then_some("cancelled at the asker's wish");
        if let Some(detail) = self.detail.as_deref().or(default_detail) {
            status.push(cut(detail, MAX_DETAIL_BYTES).to_owned());
        }
        let mut tags = vec![array(["e", &job.id.to_hex()]), array(["p", &job.asker.to_hex()]), status];
        if cancelled {
            tags.push(array(["reason", CANCELLED]));
        } else if let Some(reason) = self.reason {
            tags.push(array(["reason", reason.as_str()]));
        }
        if let Some(amount_msats) = self.amount_msats {
            tags.push(array(["amount", &amount_msats.to_string()]));
        }
        if let Some(secs) = self.retry_after_secs {
            tags.push(array(["retry-after", &secs.to_string()]));
        }
        if let Some(bits) = self.pow_bits {
            tags.push(array(["pow", &bits.to_string()]));
        }
        let content = match self.partial.as_deref().filter(|partial| !partial.is_empty()) {
            None => String::new(),
            Some(partial) if job.wants_encryption() => {
                tags.push(array(["encrypted"]));
                job.seal_answer(keys, "the partial output", partial)?
            }
            Some(partial) => {
                fits("the partial output", partial)?;
                partial.to_owned()
            }
        };
        sign(JOB_FEEDBACK, content, tags, keys, created_at)
    }

    /// Reads feedback on a job of `keys`, the asker's run keys.
    ///
    /// Foreign providers put their words into the content: there they become the detail, unless
    /// the status says that the content is output.
    pub fn from_event(event: &Event, keys: &Keys) -> Result<ReceivedFeedback, ParseError> {
        let (tags, job) = TagView::about_a_job(event, JOB_FEEDBACK, &keys.public_key())?;
        let stated = tags.all("status").next().unwrap_or_default();
        let status_text = stated.first().map_or("", String::as_str);
        let reason_text = tags.first("reason");
        let status = FeedbackStatus::parse(status_text, reason_text)
            .ok_or_else(|| ParseError::UnknownStatus(excerpt(status_text)))?;
        let (content, encryption) =
            open_if_sealed(keys, &event.pubkey, &event.content, tags.has("encrypted"))?;
        let content = Some(content).filter(|content| !content.is_empty());
        let is_output = matches!(status, FeedbackStatus::Partial | FeedbackStatus::Success);
        let (partial, words) = if is_output { (content, None) } else { (None, content) };
        let detail = stated
            .get(1)
            .filter(|detail| !detail.is_empty())
            .cloned()
            .or(words)
            .map(|detail| cut(&detail, MAX_DETAIL_BYTES).to_owned());
        let (amount_msats, invoice) = tags.amount();
        let feedback = Self {
            status,
            detail,
            reason: reason_text.and_then(RefusalReason::parse),
            partial,
            amount_msats,
            retry_after_secs: tags
                .first("retry-after")
                .and_then(whole_number)
                .map(|secs| u32::try_from(secs).unwrap_or(u32::MAX)),
            pow_bits: tags
                .first("pow")
                .and_then(whole_number)
                .and_then(|bits| u8::try_from(bits).ok())
                .filter(|bits| *bits > 0),
        };
        Ok(ReceivedFeedback { provider: event.pubkey, job, feedback, invoice, encryption })
    }
}
