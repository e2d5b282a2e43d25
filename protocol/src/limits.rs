//! Sizes that keep events acceptable to common relays and parsers safe from hostile peers.
//!
//! Builders refuse to exceed the first group; parsers refuse or cut what exceeds the second.

/// Most bytes of plaintext in one encrypted event. NIP-44 pads 32 KiB to 32 KiB and base64 makes
/// 44 KiB of it; one byte more would pad to 40 KiB, close to the 64 KiB at which strfry refuses.
pub const MAX_PLAINTEXT_BYTES: usize = 32 * 1024;

/// Most bytes of text in a plain `i` tag: default strfry refuses longer single-letter tag values.
pub const MAX_OPEN_INPUT_BYTES: usize = 1024;

/// How long a job without an expiration of its own lives.
pub const DEFAULT_JOB_LIFETIME_SECS: u64 = 600;

/// Largest request that is repeated to a foreign client in the `request` tag of its result.
pub const MAX_REPEATED_REQUEST_BYTES: usize = 16 * 1024;

/// Most bytes in the human words of a feedback; longer ones are cut, on both sides.
pub const MAX_DETAIL_BYTES: usize = 512;

/// Most bytes of content that any parser looks at.
pub const MAX_CONTENT_BYTES: usize = 256 * 1024;

/// Most bytes of a blob that a job names.
pub const MAX_BLOB_BYTES: usize = 1024 * 1024;

/// Most addresses kept of one blob.
pub const MAX_BLOB_SERVERS: usize = 4;

/// Most bytes in the address of a blob.
pub const MAX_BLOB_URL_BYTES: usize = 512;

/// Most tags that any parser looks at, the encrypted ones counted separately.
pub const MAX_TAGS: usize = 4096;

/// Most inputs in one job.
pub const MAX_INPUTS: usize = 1024;

/// Most answers in one result; one per input at most.
pub const MAX_ANSWERS: usize = MAX_INPUTS;

/// Answers of one result that come with a commitment, at most.
pub const MAX_COMMITMENTS: usize = 2;

/// Most tokens of an answer that a commitment names.
pub const MAX_COMMITTED_TOKENS: usize = 512;

/// Most positions of an answer that a commitment is about.
pub const MAX_COMMITTED_POSITIONS: usize = 8;

/// Most tokens that a commitment ranks at one position.
pub const MAX_COMMITTED_RANKS: usize = 5;

/// Most relays kept from one job.
pub const MAX_RELAYS: usize = 16;

/// Most bytes in a name (model, provider, dialect, role); longer ones are cut.
pub const MAX_NAME_BYTES: usize = 200;

/// Most roles, and most mints, kept from one announcement.
pub const MAX_LIST_ENTRIES: usize = 32;

/// Most bytes in a bolt11 invoice.
pub const MAX_INVOICE_BYTES: usize = 4096;

/// Most bits of proof of work that askers do, and providers may ask for: about a million tries.
pub const MAX_POW_BITS: u8 = 20;

/// Bits of proof of work that lift an announcement above those without, where many providers are seen.
pub const ANNOUNCED_POW_BITS: u8 = 16;

/// How long an announcement counts that nobody renews.
pub const ANNOUNCEMENT_LIFETIME_SECS: u64 = 3600;

/// How far the clocks of honest peers and relays may be apart. What is dated further ahead counts for nothing.
pub const CLOCK_SLACK_SECS: u64 = 120;

/// Longest that one heartbeat may claim to keep a provider alive.
pub const MAX_HEARTBEAT_LIFETIME_SECS: u64 = 600;

/// How long events may wait for their turn at relays that take few: a result is still sent, and awaited, for so long after its
/// job's expiration there.
pub const SHORT_RELAY_SECS: u64 = 60;
