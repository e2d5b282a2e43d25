//! What is said on the ask screen where nothing can be asked: each cause in one banner, with what helps.

use egui::Ui;
use lucide_icons::Icon;

use super::state::{Action, Ask, Previewed, Reading, Venue};
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::widgets::words::relays_missed;
use crate::desktop::widgets::{Banner, Button, Tone, note_ui, soft};

/// Why the last run did not start, and what helps: also where nobody is there, which the form then only notes.
pub fn refused_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let Some(why) = &ask.refused else { return };
    let safe = format!("{why}. Nothing was sent and nothing was paid.");
    Banner { tone: Tone::Bad, what: "The run did not start", safe: &safe }.show(ui, |ui| {
        helps_ui(ui, ask.venue, commands);
        if is_nobody_seen(ask) {
            use_local_swarm_ui(ui, ask, commands);
        }
    });
}

/// Nobody was found, or nobody could be looked for.
fn is_nobody_seen(ask: &Ask) -> bool {
    matches!(&ask.previewed, Previewed::Known { providers, by_code: false, .. } if providers.is_empty())
}

/// What helps when nothing could be asked: look again, or go where the reason can be changed.
fn helps_ui(ui: &mut Ui, venue: Venue, commands: &mut Commands) {
    look_again_ui(ui, commands);
    let (word, icon, screen) = match venue {
        Venue::OwnModel => ("Choose a model", Icon::Boxes, Screen::Models),
        Venue::Relays | Venue::LocalSwarm => ("Change the settings", Icon::Settings, Screen::Settings),
    };
    if ui.add(Button::new(word).icon(icon)).clicked() {
        commands.push(Command::Go(screen));
    }
}

fn look_again_ui(ui: &mut Ui, commands: &mut Commands) {
    if ui.add(Button::new("Refresh").icon(Icon::RotateCcw)).clicked() {
        commands.push(Command::Ask(Action::Again));
    }
}

/// The swarm on this machine has a relay of its own. A user who asks it already is not sent there.
fn use_local_swarm_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    if ask.venue == Venue::Relays && ui.add(Button::new("Use the local swarm").icon(Icon::Network)).clicked()
    {
        commands.push(Command::Ask(Action::Venue(Venue::LocalSwarm)));
    }
}

/// No relay can be reached: nobody knows who is there.
pub fn unreachable_ui(ui: &mut Ui, ask: &Ask, why: &str, commands: &mut Commands) {
    let (what, why) = ("No relay can be reached", relays_missed(why));
    if let Some(refused) = &ask.refused {
        // What helps stands there, and mostly why.
        let words = if refused.contains(why) { what.to_owned() } else { format!("{what}: {why}") };
        drop(note_ui(ui, Tone::Bad, Icon::CircleX, &words));
        return;
    }
    let safe = format!("{why}. Nothing was sent.");
    Banner { tone: Tone::Bad, what, safe: &safe }.show_last(ui, |ui| {
        look_again_ui(ui, commands);
        use_local_swarm_ui(ui, ask, commands);
    });
}

/// The relays can be reached, and nobody serves there.
pub fn deserted_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let what = "0 providers here";
    if ask.refused.is_some() {
        drop(note_ui(ui, Tone::Warn, Icon::TriangleAlert, what));
        return;
    }
    let safe = match ask.venue {
        Venue::LocalSwarm => "The local swarm has no providers yet. Refresh in a moment.",
        Venue::Relays | Venue::OwnModel => {
            "No providers are online at these relays. Wait, add another relay, or use the local swarm."
        }
    };
    Banner { tone: Tone::Warn, what, safe }.show_last(ui, |ui| {
        look_again_ui(ui, commands);
        use_local_swarm_ui(ui, ask, commands);
    });
}

/// What keeps the quote waiting, where something does; whether it was said.
pub fn no_quote_ui(ui: &mut Ui, state: &State, commands: &mut Commands) -> bool {
    let ask = &state.ask;
    if let Reading::Failed(_) = &ask.reading {
        // Why stands where the documents do.
        ui.label(soft(ui, "No price quote while a document cannot be read: read it again, or remove it."));
        return true;
    }
    if ask.is_complete() && ask.venue == Venue::LocalSwarm && !state.swarm.is_on() {
        // Nobody is asked for a price before it is.
        ui.label(soft(ui, "The price quote appears when the local swarm runs."));
        return true;
    }
    match &ask.previewed {
        Previewed::Nothing if ask.files.is_empty() => {
            ui.label(soft(ui, "The price quote appears when there are a document and a question."));
        }
        Previewed::Nothing => drop(ui.label(soft(ui, "The price quote appears when there is a question."))),
        // The same is said above.
        Previewed::Failed(why) if ask.refused.as_ref() == Some(why) => {
            ui.label(soft(ui, "No price quote while the question cannot be asked."));
        }
        Previewed::Failed(why) => {
            let safe = format!("{why}. Nothing was sent.");
            Banner { tone: Tone::Warn, what: "Can't ask yet", safe: &safe }.show_last(ui, |ui| {
                // Where a run did not start, the same helps, and stands there.
                if ask.refused.is_none() {
                    helps_ui(ui, ask.venue, commands);
                }
            });
        }
        Previewed::Known { unreachable: Some(_), by_code: false, .. } if ask.venue != Venue::OwnModel => {
            ui.label(soft(ui, "No price quote while no relay can be reached. The budget holds in any case."));
        }
        Previewed::Known { providers, by_code: false, .. }
            if providers.is_empty() && ask.venue != Venue::OwnModel =>
        {
            ui.label(soft(ui, "No provider is online to quote a price. The budget holds in any case."));
        }
        Previewed::Busy | Previewed::Known { .. } => return false,
    }
    true
}
