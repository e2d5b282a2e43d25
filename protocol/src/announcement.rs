//! Announcements (kind 31990) and heartbeats.
//!
//! An announcement is NIP-89 metadata, readable by any NIP-90 client, with our own fields in one
//! `frlm` object:
//!
//! ```json
//! {"name":"…","about":"…","encryptionSupported":true,"supportsEncryption":true,
//!  "cashuAccepted":false,
//!  "frlm":{"version":"1","model":"…","weights_hash":"…","quantisation":"f16",
//!          "context_tokens":4096,"prefill_tokens_per_sec":200.0,"decode_tokens_per_sec":8.0,
//!          "price_msats_per_1k":0,"written_msats_per_1k":null,
//!          "least_msats":0,"dialect":"json","concurrency":2,
//!          "roles":["worker"],"mints":[],"escrow_key":null,"pay_after_jobs":0,"free_jobs_per_day":0,
//!          "accepts_open_jobs":false,"blob_bytes":1048576}}
//! ```
//!
//! `blob_bytes` is left out where it is 0. Both speeds are `null` until something was measured. Peers of the first edition do not have them, and ignore them.

mod build;
mod parse;
mod speed;

use nostr::{PublicKey, Timestamp};

pub use speed::Speed;

/// The `d` tag of announcements and heartbeats: one provider per key.
pub const PROVIDER_IDENTIFIER: &str = "frlm";

/// What a provider offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Announcement {
    /// For people.
    pub name: String,
    /// The model's announced name.
    pub model: String,
    /// sha256 over the weights, hex. A provider that names them promises to commit to its answers ([`crate::AnswerCommitment`]).
    pub weights_hash: Option<String>,
    /// The weights' number format.
    pub quantisation: Option<String>,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: u32,
    /// How quickly its engine reads and writes, by its own measure; `None` where nothing was measured yet.
    pub speed: Option<Speed>,
    /// Millisats per 1,000 tokens read, and written unless that has a price of its own; 0 is free.
    pub price_msats_per_1k: u64,
    /// Millisats per 1,000 tokens written, where that is another price.
    pub written_msats_per_1k: Option<u64>,
    /// The least that a job costs, in millisats, however short it is.
    pub least_msats: u64,
    /// How tasks are put to the model: `json` or `records`; unknown dialects are kept as they are.
    pub dialect: String,
    /// Jobs the provider works on at once.
    pub concurrency: u32,
    /// Roles it takes on, e.g. `worker`, `validator`.
    pub roles: Vec<String>,
    /// Cashu mints it accepts.
    pub mints: Vec<String>,
    /// The key to lock sats to (33 bytes, hex); never the Nostr key. `None`: takes no escrow.
    pub escrow_key: Option<String>,
    /// Jobs that one key may owe for, to be paid after the verdict; 0: every price is locked before.
    pub pay_after_jobs: u32,
    /// Jobs of one key that cost nothing each day, as long as it gives any away; 0: none.
    pub free_jobs_per_day: u32,
    /// Whether it takes plain open jobs.
    pub accepts_open_jobs: bool,
    /// The largest blob that it fetches for a job; 0: none.
    pub blob_bytes: u32,
}

/// A sign of life with the provider's load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    /// Jobs waiting or running.
    pub queue_length: u32,
    /// After this moment the provider counts as gone.
    pub expires_at: Timestamp,
}

/// An announcement as it arrived. Everything in it is a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedAnnouncement {
    /// The key that signed it.
    pub provider: PublicKey,
    /// The offer. From foreign providers most of it is empty or zero, which means *unknown*.
    pub announcement: Announcement,
    /// The profile version of our own peers; `None` for foreign providers.
    pub profile: Option<String>,
    /// Whether it can read encrypted jobs.
    pub supports_encryption: bool,
    /// A foreign provider's flat price per job in millisats, where it names one.
    pub flat_price_msats: Option<u64>,
    /// Bits of proof of work that it shows.
    pub pow_bits: u8,
    /// The provider's clock; of two announcements by one key the later counts.
    pub created_at: Timestamp,
    /// After this moment the offer is void.
    pub expires_at: Option<Timestamp>,
}

/// A heartbeat as it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedHeartbeat {
    /// The key that signed it.
    pub provider: PublicKey,
    /// The load, and the end of this sign of life.
    pub heartbeat: Heartbeat,
    /// The provider's clock.
    pub created_at: Timestamp,
}
