//! What is set up and what is not, derived from what was looked up.

use crate::desktop::state::State;
use crate::desktop::widgets::words::plural;

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
        0 => "the local swarm answers in seconds and costs nothing".to_owned(),
        runs => format!("{} recorded", plural(runs, "run")),
    };
    let relay = match machine.relays.as_slice() {
        [] => "add one in Settings: this machine's, a friend's, or a public one".to_owned(),
        relays => relays.join(", "),
    };
    let model = machine.model.clone().unwrap_or_else(|| {
        "optional: a GGUF file or an endpoint, for answers in words and when no provider is online".to_owned()
    });
    vec![
        Item { what: "Ask a first question", done: machine.runs > 0, how: asked },
        Item { what: "Choose a relay", done: !machine.relays.is_empty(), how: relay },
        Item { what: "Add a model of your own", done: machine.model.is_some(), how: model },
    ]
}
