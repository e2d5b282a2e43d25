//! A small model of this program's own for steps of the brain, where the user has no model that answers in words
//! (docs/decisions/0051-the-embedded-model-takes-questions-apart.md).
//!
//! It is not believed: what it writes counts only where code finds in it what was asked, in its order, and nothing else.
//! Where it has no plan that counts, code reads what it can (docs/decisions/0057-behind-what-asks-nothing.md); where it says
//! nothing else that counts, the run goes on as if there were no such model.
//!
//! - `model`: its weights, loaded once for everybody in this process
//! - [`split`]: a question that code cannot take apart, in parts
//! - [`clause`]: a part and its verified answer, as a clause

pub mod clause;
mod model;
pub mod split;

pub use model::{Loading, SmallModel};
