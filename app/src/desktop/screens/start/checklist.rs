//! What is set up and what is not, derived from what was looked up.

use super::words;
use crate::desktop::state::State;

/// One thing that somebody might want to set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// In a few words.
    pub what: &'static str,
    /// Whether it is done.
    pub done: bool,
    /// How it stands, or how to do it.
    pub how: String,
}

/// The checklist; empty until the machine was looked at.
pub fn checklist(state: &State) -> Vec<Item> {
    let Some(machine) = &state.machine else { return Vec::new() };
    let asked = match machine.runs {
        0 => words::FIRST_QUESTION_HOW.to_owned(),
        runs => words::recorded(runs),
    };
    let relay = match machine.relays.as_slice() {
        [] => words::CHOOSE_RELAY_HOW.to_owned(),
        relays => relays.join(", "),
    };
    let model = machine.model.clone().unwrap_or_else(|| words::OWN_MODEL_HOW.to_owned());
    vec![
        Item { what: words::FIRST_QUESTION, done: machine.runs > 0, how: asked },
        Item { what: words::CHOOSE_RELAY, done: !machine.relays.is_empty(), how: relay },
        Item { what: words::OWN_MODEL_TOO, done: machine.model.is_some(), how: model },
    ]
}
