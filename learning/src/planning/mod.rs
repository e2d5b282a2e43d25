//! How a question is taken apart, and how that gets better with use (seeds/super-llm-block.md; design.md, sections 1
//! and 8).
//!
//! Runs have the parts of a question arranged by these modules, steps weighed, and what served them evaluated
//! (the conductor's `run/learner/`). `frlm-lab learn decompose` measures the policy in a simulation, `frlm-lab learn
//! compound` in runs.
//!
//! Layout, by the source document's functions:
//! - [`analyse`] (6): whether a question is simple enough to be asked in one piece
//! - [`simplicity`] (7): how simple a subtask is
//! - [`hints`] (3): one provider, several, or any with room
//! - [`steps`] (7, 3): both for a step of a plan
//! - [`domain`]: what a question is about, as far as that decides how it is best taken apart
//! - [`evaluation`] (4): how well the swarm served a question
//! - [`satisfaction`], [`reward`] (2): what a decomposition was worth
//! - [`decompose`] (2): the policy that chooses how to take a question apart
//! - [`strategies`], [`phrasing`] (2): named ways that compete; how a step is put into words
//! - [`bounds`] (2): what bounds a question sets, in its own words
//! - [`episodes`] (2): the best and the worst, with the reason
//! - [`performance`]: where the time of answers goes, and how they are put together
//! - [`account`] (4, 2): what runs have taught, in a file
//!
//! In the words of the source document a *node* is a single provider and a *cluster* several that are compared with each
//! other.

pub mod account;
pub mod analyse;
pub mod bounds;
pub mod decompose;
pub mod domain;
pub mod episodes;
pub mod evaluation;
pub mod hints;
pub mod performance;
pub mod phrasing;
pub mod reward;
pub mod satisfaction;
pub mod simplicity;
pub mod steps;
pub mod strategies;
