//! The brain: how a question is taken apart, and how that gets better with use
//! (seeds/super-llm-block.md; design.md, sections 1 and 8).
//!
//! The parts that learn and judge. Runs have the parts of a question arranged by them, steps weighed, and what served
//! them evaluated (`run/brain/`); `frlm lab learn decompose` measures the policy in a simulation, `frlm lab learn
//! compound` in runs.
//!
//! Layout, by the source document's functions:
//! - [`asker`], [`follow_up`] (1): who asks, and what was asked before
//! - [`analyse`] (6): whether a question is simple enough to be asked in one piece
//! - [`simplicity`] (7): how simple a subtask is
//! - [`hints`] (3): one provider, several, or whoever has room
//! - [`steps`] (7, 3): both for a step of a plan
//! - [`domain`]: what a question is about, as far as that decides how it is best taken apart
//! - [`evaluation`] (4): how well the swarm served a question
//! - [`satisfaction`], [`reward`] (2): what a decomposition was worth
//! - [`decompose`] (2): the policy that chooses how to take a question apart
//! - [`proposal`] (2): how a model takes a question apart, and what of that counts
//! - [`small`] (2, 5): what the model inside this program takes over where the user has none
//! - [`strategies`], [`phrasing`] (2): named ways that compete; how a step is put into words
//! - [`bounds`] (2): what bounds a question sets, in its own words
//! - [`rewrite`] (2): a question as a model puts it to readers, and what of that counts
//! - [`episodes`] (2): the best and the worst, with the reason
//! - [`performance`]: where the time of answers goes, and how they are put together
//! - [`account`] (4, 2): what runs have taught, in a file
//!
//! In the words of the source document a *node* is a single provider and a *cluster* several that are held
//! against each other.

pub mod account;
pub mod analyse;
pub mod asker;
pub mod bounds;
pub mod decompose;
pub mod domain;
pub mod episodes;
pub mod evaluation;
pub mod follow_up;
pub mod hints;
pub mod performance;
pub mod phrasing;
pub mod proposal;
pub mod reward;
pub mod rewrite;
pub mod satisfaction;
pub mod simplicity;
pub mod small;
pub mod steps;
pub mod strategies;
