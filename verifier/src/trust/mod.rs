//! Whom to believe, and how far: two posteriors (design.md, section 6).
//!
//! *Fidelity*: a provider honestly runs the model it claims. *Correctness*: an answer is right; it never
//! exceeds what the model itself measures on gold tasks. Replication stops on fidelity; correctness is
//! reported. Errors of the same weights are not independent evidence.
//!
//! ```text
//!   agreement ┐                                             ┌─► posterior of a group of answers
//!   gold      ├─► record per (provider, task class) ─► fidelity                │
//!   audit     ┘        │          ▲                                            ▼
//!                      ▼          └── Dawid–Skene over the votes   accept | ask another | stop
//!               sequential test ─► excluded          (adaptive)
//!               proven lie ─────► zero at once
//! ```
//!
//! - [`evidence`]: what a run saw of a provider
//! - [`kinds`]: what a provider may be, and how likely after what was seen of it
//! - [`sequential`]: when ordinary errors are too many for the model's own error rate
//! - [`record`]: what is known of one provider in one class of tasks
//! - [`audits`]: what audits by the weights that it claims came to
//! - [`posterior`]: how far a group of equal answers is to be believed
//! - [`correlation`]: providers that count as less than independent ones
//! - [`bias`]: errors of providers and of weights that are no chance
//! - [`votes`]: Dawid–Skene over what was compared so far
//! - [`reputation`]: all of it together, with decay and export
//! - [`store`]: the same in SQLite
//! - `claim_records`: beside it in the same file, records of those who read and review prose
//! - [`adaptive`]: accept, ask another, stop
//! - [`alone`]: answers that rest on one provider's word, and when it no longer carries them
//! - [`assessor`]: the policy at work: replicas in, a ruling out, and what it teaches

pub mod adaptive;
pub mod alone;
pub mod assessor;
pub mod audits;
pub mod bias;
mod claim_records;
pub mod correlation;
pub mod evidence;
pub mod kinds;
pub mod posterior;
pub mod record;
pub mod reputation;
pub mod sequential;
pub mod store;
pub mod votes;

pub use adaptive::{AdaptiveGroup, Assessment, NextStep, Reach};
pub use alone::Doubted;
pub use assessor::{AskReason, Assessor, GoldTally, Question, Ruling};
pub use audits::AuditRecord;
pub use bias::{Bias, Errs, biases};
pub use evidence::{Evidence, ProviderTraits, TaskClass};
pub use posterior::{Group, Voter};
pub use reputation::{Changes, ExportedRecord, ImportError, Member, Reputation, ReputationExport};
pub use store::{ReputationStore, ReputationStoreError};
