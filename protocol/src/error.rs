//! What can be wrong with something we build, and with something we were sent.

use thiserror::Error;

/// Why an event cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The encrypted or plain body exceeds what relays accept.
    #[error("{what} takes {size} bytes and at most {limit} fit into one event: split it into smaller parts")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its bytes.
        size: usize,
        /// The most that fits.
        limit: usize,
    },
    /// Text this long must not travel in the plain `i` tag of an open job.
    #[error(
        "input {index} takes {size} bytes and relays refuse plain inputs over {limit} bytes: \
         name a provider, so that the job is encrypted, or shorten the input"
    )]
    OpenInputTooLarge {
        /// Position of the input, from 0.
        index: usize,
        /// Its bytes.
        size: usize,
        /// The most that fits.
        limit: usize,
    },
    /// More entries than the receiving side looks at.
    #[error("{count} {what} and at most {limit} fit into one event")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most that fits.
        limit: usize,
    },
    /// A payment in plain sight.
    #[error("an open job cannot carry a payment: name a provider, so that the job is encrypted")]
    OpenPayment,
    /// Who asks in plain sight.
    #[error("an open job cannot say who asks: name a provider, so that the job is encrypted")]
    OpenCertificate,
    /// Somebody's answers in plain sight.
    #[error("an open job cannot carry answers to validate: name the validator, so that the job is encrypted")]
    OpenValidation,
    /// Nothing to send.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A number that is not finite.
    #[error("{0} is not a finite number")]
    NotFinite(&'static str),
    /// The event would be dead on arrival.
    #[error("expiration {expires_at} is not after creation {created_at}")]
    AlreadyExpired {
        /// Unix seconds.
        expires_at: u64,
        /// Unix seconds.
        created_at: u64,
    },
    /// A relay address that nobody can use.
    #[error("relay address {0:?} does not start with ws:// or wss://")]
    BadRelay(String),
    /// The keys cannot encrypt to this recipient.
    #[error("encryption failed: {0}")]
    Encrypt(String),
    /// The event cannot be signed.
    #[error("signing failed: {0}")]
    Sign(String),
}

/// Why an event cannot be read.
///
/// Strings in here may quote a peer; they are bounded and free of control characters.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Another kind of event.
    #[error("event of kind {got} where kind {expected} was expected")]
    WrongKind {
        /// The kind that this parser reads.
        expected: u16,
        /// The kind that came.
        got: u16,
    },
    /// Addressed to someone else, or to nobody where an addressee is due.
    #[error("the event is not addressed to us")]
    NotForUs,
    /// Answers no job: the `e` tag is missing or holds no event id.
    #[error("no job is named in an `e` tag")]
    MissingJobId,
    /// Larger than any honest event.
    #[error("{what}: {size}, the limit is {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Bytes or entries, as `what` says.
        size: usize,
        /// The most that is read.
        limit: usize,
    },
    /// Encrypted, but not with our key or not correctly.
    #[error("cannot be decrypted: {0}")]
    Undecryptable(String),
    /// A peer of our own profile sent something that this version cannot honour.
    #[error("{what} cannot be read: {reason}")]
    Malformed {
        /// The part.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Feedback without a status that NIP-90 or the profile knows.
    #[error("unknown job status {0:?}")]
    UnknownStatus(String),
    /// A sign of life that never ends.
    #[error("no expiration")]
    MissingExpiration,
}
