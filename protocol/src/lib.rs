//! The wire: NIP-90 jobs, results, feedback and announcements.
//!
//! Layout, in reading order:
//! - [`kinds`]: event kinds of the profile
//! - [`job`]: what an asker wants done
//! - [`blob`]: texts of a job that are too large for its event
//! - [`mod@prompts`]: how a job's texts become prompts
//! - [`result`]: what a provider answers
//! - [`commitment`]: log-probabilities by which an answer can be audited
//! - [`attestation`]: whether a validator's verdict on another provider's answers counts
//! - [`certificate`]: who vouches for the key that asks
//! - [`feedback`]: how a job stands
//! - [`announcement`]: who offers what, and who is alive
//! - [`relay_list`]: where a provider is reached
//! - [`cancel`]: the asker withdraws a job
//! - [`settlement`]: what becomes of a job's pay
//! - [`verdict`]: what becomes of a provider's answers
//! - [`receipt`]: what a run has paid, made public if the user says so
//! - [`vouching`]: who vouches for whom
//! - [`work`]: proof of work
//! - [`text`]: making peers' text safe to show
//! - `seal`, `conversation`, `tags`: encryption, keys of two parties, reading and writing of tags
//! - [`error`] and [`limits`]: what is refused, by builders and by parsers
//!
//! Lenient in, strict out: every parser accepts what is seen in practice and never panics; every
//! builder emits one narrow versioned profile (design.md, section 4). No I/O, no clock, no tokio.
//! Parsers do not check signatures: that is done once, where events enter the program. The signature
//! of a validator is checked a second time, together with what it covers.
//!
//! # On the wire
//!
//! | what | kind | readable by the relay | encrypted (NIP-44) |
//! |---|---|---|---|
//! | job to one provider | 5050 | `p`, `encrypted`, `expiration` | a JSON array of `frlm`, `i`, `param`, `output`, `bid`, `payment` (a token: `cashu`), `validate`, `relays`, `blob` tags |
//! | open job | 5050 | `expiration`, and all of these except pay and `validate` | nothing; inputs of at most 1,024 bytes each |
//! | result | 6050 | `e`, `p`, `status`, `amount`, `encrypted` | `JobResult` as JSON |
//! | result for a foreign client | 6050 | the same and `request` | the plain answer, if the job was encrypted |
//! | feedback | 7000 | `e`, `p`, `status` with words, `reason`, `amount` | partial output |
//! | settlement of a job's pay | 7001 | `e`, `p`, `encrypted`, `expiration` | released, paid, declined or returned, and what it takes for that |
//! | verdicts | 7002 | `p`, `encrypted`, `expiration` | what became of the answers to some jobs: accepted or not, fitness, credits, words |
//! | announcement | 31990 | NIP-89 metadata with an `frlm` object, `d`, `k`, `expiration` | nothing |
//! | heartbeat | 31991 | `d`, `queue`, `expiration` | nothing |
//! | relay list | 10002 | `r` | nothing |
//! | permission to upload or delete a blob | 24242 | sent to its server alone: `t`, `x`, `expiration` | nothing |
//! | cancellation | 5 | `e`, `k`, `p` for directed jobs | nothing |
//! | receipt, where the user publishes it | 1985 | `L`, `l`, `p`, `run`, `jobs`, `accepted`, `amount` | nothing |
//!
//! # Worth knowing
//!
//! - Results to our own peers are encrypted even when the job was open: a plain answer could be copied by every
//!   other provider before it is paid.
//! - *Cancelled* travels as `["status","error","cancelled …"]` with `["reason","cancelled"]`: foreign clients
//!   understand that nothing more comes, ours know why.
//! - The words of a refusal are plain text on the relay. They must not quote the job.
//! - An answer to one of our own peers may come with the log-probabilities that it can be audited by
//!   (`commitment`, docs/decisions/0018-the-prefill-audit.md). What cannot be read of it, or does not fit
//!   into the event beside the answers, is left out; the answer counts all the same. A provider that announces `weights_hash`
//!   promises it, and is trusted less if it sends none.
//! - A job without an expiration gets one ten minutes after its creation.
//! - Unknown modes and constraints of our own profile are errors, so that a provider refuses instead of answering
//!   something else; the same names from foreign clients are ignored.

pub mod announcement;
pub mod attestation;
pub mod blob;
pub mod cancel;
pub mod certificate;
pub mod commitment;
mod conversation;
pub mod error;
pub mod feedback;
pub mod job;
pub mod kinds;
pub mod limits;
mod prompts;
pub mod receipt;
pub mod relay_list;
pub mod result;
mod seal;
pub mod settlement;
mod tags;
pub mod text;
pub mod verdict;
pub mod vouching;
pub mod work;

pub use announcement::{Announcement, Heartbeat, ReceivedAnnouncement, ReceivedHeartbeat, Speed};
pub use attestation::{AttestationError, Covered};
pub use blob::{Authorization, AuthorizationError, BlobError, BlobPointer, BlobVerb, SealedBlob};
pub use cancel::{Cancellation, ReceivedCancellation};
pub use certificate::Certificate;
pub use commitment::{AnswerCommitment, CommittedPosition};
pub use error::{BuildError, ParseError};
pub use feedback::{Feedback, FeedbackStatus, ReceivedFeedback, RefusalReason};
pub use job::{
    Audience, Encryption, Input, InputSource, JobRequest, Mode, OutputConstraint, ReceivedJob, Validate,
};
pub use prompts::prompts;
pub use receipt::{ReceiptLabel, ReceivedReceipt};
pub use relay_list::{ReceivedRelayList, RelayList};
pub use result::{Attestation, JobAnswer, JobResult, ModelIdentity, ReceivedResult};
pub use settlement::{ReceivedSettlement, Settlement};
pub use text::{one_line, printable, shown_path};
pub use verdict::{ReceivedVerdicts, Verdict};
pub use vouching::Vouching;

// The README's example is compiled and run as a documentation test.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
