//! Claims: the unit of truth in prose (docs/claims.md).
//!
//! Two honest readers of a page never say the same, for each picks other details. What can be checked is whether each
//! statement is borne out by the lines that it names.
//!
//! ```text
//!   reader's answer ─► claim ─► check ─► merge ──────────► posterior ─► accepted | rejected | left out, and named
//!     (JSON)            bad      code      several              ▲  │
//!                       entry             readers,              │  └─ ask the next reviewer
//!                       costs             one fact        record, verdicts
//!                       itself                                  ▲
//!   verified claims ─► gold ─► reviewers' verdicts ─► record, pay
//!   overlap of verified claims ─► completeness: is another reader worth its price?
//! ```
//!
//! - [`claim`]: a statement with the lines that it rests on
//! - [`answer`]: a reader's answer as claims, with the schema that it is bound by
//! - [`text`]: the part that was read, and where words stand in it
//! - [`token`], [`language`], [`dates`], [`facts`]: the numbers, dates and names of a sentence, in three languages
//! - [`mod@check`]: what code can tell of a claim
//! - [`mod@merge`]: claims of several readers that state one fact
//! - [`wording`]: statements compared by their words, those of different files included
//! - [`reader`], [`reviewer`]: what is known of each
//! - [`record`]: both of one provider, as they outlive a run
//! - [`posterior`]: how likely a claim is false, and when enough is known
//! - [`joint`]: whom to believe where a few contradict each other
//! - [`gold`], `changes`: claims whose verdict is known, made by code
//! - [`pay`]: what a review pays
//! - [`completeness`]: how much the readers missed
//! - [`prompt`]: what readers and reviewers are asked
//! - [`planning`]: what a planner is asked
//! - [`draws`]: draws by a seed
//!
//! Nobody is wrong here for mentioning more or less than somebody else.

pub mod answer;
mod changes;
pub mod check;
pub mod claim;
pub mod completeness;
pub mod dates;
pub mod draws;
pub mod facts;
pub mod gold;
pub mod joint;
pub mod language;
pub mod merge;
pub mod pay;
pub mod planning;
pub mod posterior;
pub mod prompt;
pub mod reader;
pub mod record;
pub mod reviewer;
pub mod text;
pub mod token;
pub mod wording;

pub use answer::{Answer, Dropped};
pub use check::{Failure, check};
pub use claim::{Claim, LineRange, Quote};
pub use merge::{Merged, Relation, Stated, merge};
pub use posterior::{Candidate, Decision, Evidence, Review, Rules, Votes, Word, decide};
pub use reader::{ReaderRecord, ReaderStatus};
pub use record::{ClaimRecord, Observation};
pub use reviewer::{Confusion, StampTest, Verdict};
pub use text::Text;
