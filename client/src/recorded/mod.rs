//! A recording in the place of three providers' models, for a demo of prose that needs no engine
//! (`assets/recorded/gpl3/README.md`).
//!
//! ```text
//!   prompt ─► what it asks for ─┬─ claims about lines ─► the reader's recorded claims that rest on these lines alone
//!                               ├─ verdicts ───────────► the recorded verdict on each claim; "not stated" of an unknown one
//!                               ├─ a text over notes ──► the notes that are recorded as the answer, a sentence each
//!                               └─ a query ────────────► none: the question needs words
//! ```
//!
//! The recording is looked up by lines and claims and never by the wording of a prompt, so that it outlives new prompts and
//! other sizes of parts. Two of the three are honest. The third mixes false claims among true ones, and supports every claim
//! that it reviews.

mod model;
mod outcome;
mod prompt;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use frlm_questions::answer::Answer;

use crate::view::RunView;
use frlm_inference::LanguageModel;
use serde::Serialize;

pub use self::outcome::{came_of_it, claims_in_words};
use model::{Recording, Role, model};

/// What the demo asks about the licence.
pub const QUESTION: &str = "What obligations does someone take on who conveys a covered work in object code form, and when does \
     the license terminate?";

/// What everybody must know who sees an answer of the recording.
pub const RECORDED: &str = "This is a recording: what the three models say here was written before, and is the same each time \
     (assets/recorded/gpl3/README.md). Real are the parts, the jobs, the checks by code, who reviews whom and what follows from it, \
     the sats and the citations.";

/// What everybody should know about the providers before they trust its answers.
pub const CAVEAT: &str = "they share this machine and play a recording, so their answers show how it works, not what a model can do";

/// The models of the three providers, as recorded: two honest readers, and one that lies.
pub fn models() -> anyhow::Result<[Arc<dyn LanguageModel>; 3]> {
    let recording = Arc::new(Recording::gpl3()?);
    Ok(Role::ALL.map(|role| model(role, Arc::clone(&recording))))
}

/// Whether a recorded run was of this recording: those who answered in play money have its models' names.
pub fn is_played(view: &RunView) -> bool {
    let mut names = view.providers.iter().map(|provider| provider.model.as_str()).peekable();
    names.peek().is_some() && names.all(|name| Role::ALL.iter().any(|role| role.model_name() == name))
}

/// The contract's JSON object, which begins by saying that it is a recording.
pub fn json(answer: &Answer) -> String {
    #[derive(Serialize)]
    struct Said<'a> {
        recorded: &'static str,
        #[serde(flatten)]
        answer: &'a Answer,
    }
    // Strings, numbers and lists of them: nothing in it can fail to serialise.
    serde_json::to_string(&Said { recorded: RECORDED, answer }).unwrap_or_default()
}
