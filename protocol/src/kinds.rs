//! Event kinds of the profile.

use nostr::Kind;

/// NIP-90 text generation request.
pub const JOB_REQUEST: Kind = Kind::Custom(5050);
/// Requests of NIP-90 about text that are answered with a refusal: text extraction, summarization, translation.
pub const OTHER_REQUESTS: [Kind; 3] = [Kind::Custom(5000), Kind::Custom(5001), Kind::Custom(5002)];
/// NIP-90 text generation result: request + 1000.
pub const JOB_RESULT: Kind = Kind::Custom(6050);
/// NIP-90 job feedback.
pub const JOB_FEEDBACK: Kind = Kind::Custom(7000);
/// A word about a job's pay between asker and provider: released, declined, returned.
pub const SETTLEMENT: Kind = Kind::Custom(7001);
/// What an asker thinks of a provider's answers.
pub const VERDICT: Kind = Kind::Custom(7002);
/// NIP-65 relay list.
pub const RELAY_LIST: Kind = Kind::RelayList;
/// NIP-02 follow list.
pub const FOLLOW_LIST: Kind = Kind::ContactList;
/// NIP-32 label.
pub const LABEL: Kind = Kind::Custom(1985);
/// NIP-89 handler announcement, addressable by its `d` tag.
pub const ANNOUNCEMENT: Kind = Kind::Custom(31990);
/// Leave to put a blob on a Blossom server (BUD-01); it travels in an HTTP header only.
pub const BLOB_AUTHORIZATION: Kind = Kind::Custom(24_242);
/// A provider's sign of life: addressable, with a NIP-40 expiration.
pub const HEARTBEAT: Kind = Kind::Custom(31991);
/// NIP-09 deletion request; for jobs it is a cancellation.
pub const CANCELLATION: Kind = Kind::EventDeletion;

/// Version of the profile that our own peers speak, in the `frlm` tag.
pub const PROFILE_VERSION: &str = "1";
