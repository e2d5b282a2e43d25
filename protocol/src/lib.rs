//! The wire: NIP-90 jobs, results, feedback and announcements.
//!
//! Layout, in reading order:
//! - [`kinds`]: event kinds of the profile
//! - [`job`]: what an asker wants done
//! - [`mod@prompts`]: how a job's texts become prompts
//! - [`result`]: what a provider answers
//! - [`commitment`]: what an answer can be audited by
//! - [`attestation`]: whether a validator's word about somebody else's answers counts
//! - [`certificate`]: who vouches for the key that asks
//! - [`feedback`]: how a job stands
//! - [`announcement`]: who offers what, and who is alive
//! - [`cancel`]: the asker takes a job back
//! - [`settlement`]: what becomes of a job's pay
//! - [`verdict`]: what becomes of a provider's answers
//! - [`receipt`]: what a run has paid, made public if the user says so
//! - [`text`]: making peers' text safe to show
//! - [`error`] and [`limits`]: what is refused, by builders and by parsers
//!
//! Lenient in, strict out: every parser accepts what is seen in practice and never panics; every
//! builder emits one narrow versioned profile (design.md, section 4). No I/O, no clock, no tokio.
//! Parsers do not check signatures: that is done once, where events enter the program. A validator's
//! word is checked a second time, together with what it covers.

pub mod announcement;
pub mod attestation;
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
pub mod result;
mod seal;
pub mod settlement;
mod tags;
pub mod text;
pub mod verdict;

pub use announcement::{Announcement, Heartbeat, ReceivedAnnouncement, ReceivedHeartbeat, Speed};
pub use attestation::{AttestationError, Covered};
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
pub use result::{Attestation, JobAnswer, JobResult, ModelIdentity, ReceivedResult};
pub use settlement::{ReceivedSettlement, Settlement};
pub use text::{one_line, printable, shown_path};
pub use verdict::{ReceivedVerdicts, Verdict};

// The README's example is compiled and run as a documentation test.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
