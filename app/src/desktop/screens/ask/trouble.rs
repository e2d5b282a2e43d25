//! What is said on the ask screen where nothing can be asked: each cause in one banner, with what helps.

use egui::Ui;
use lucide_icons::Icon;

use super::state::{Action, Ask, Previewed, Reading, Venue};
use super::words;
use crate::desktop::command::{Command, Commands};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;
use crate::desktop::widgets::words::relays_missed;
use crate::desktop::widgets::{Banner, Button, Tone, note_ui, soft};

/// Why the last run did not start, and what helps: also where nobody is there, which the form then only notes.
pub fn refused_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let Some(why) = &ask.refused else { return };
    let safe = words::nothing_sent_or_paid(why);
    Banner { tone: Tone::Bad, what: words::NOT_STARTED, safe: &safe }.show(ui, |ui| {
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
        Venue::OwnModel => (words::CHOOSE_MODEL, Icon::Boxes, Screen::Models),
        Venue::Relays | Venue::LocalSwarm => (words::CHANGE_SETTINGS, Icon::Settings, Screen::Settings),
    };
    Button::new(word).icon(icon).show(ui, commands, Command::Go(screen));
}

fn look_again_ui(ui: &mut Ui, commands: &mut Commands) {
    Button::new(words::REFRESH).icon(Icon::RotateCcw).show(ui, commands, Action::Again);
}

/// The swarm on this machine has a relay of its own. A user who asks it already is not sent there.
fn use_local_swarm_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    if ask.venue == Venue::Relays {
        let button = Button::new(words::USE_LOCAL_SWARM).icon(Icon::Network);
        button.show(ui, commands, Action::Venue(Venue::LocalSwarm));
    }
}

/// No relay can be reached: nobody knows who is there.
pub fn unreachable_ui(ui: &mut Ui, ask: &Ask, why: &str, commands: &mut Commands) {
    let (what, why) = (words::UNREACHABLE, relays_missed(why));
    if let Some(refused) = &ask.refused {
        // What helps stands there, and mostly why.
        let note = if refused.contains(why) { what.to_owned() } else { words::unreachable(why) };
        drop(note_ui(ui, Tone::Bad, Icon::CircleX, &note));
        return;
    }
    Banner { tone: Tone::Bad, what, safe: &words::nothing_sent(why) }.show_last(ui, |ui| {
        look_again_ui(ui, commands);
        use_local_swarm_ui(ui, ask, commands);
    });
}

/// The relays can be reached, and nobody serves there.
pub fn deserted_ui(ui: &mut Ui, ask: &Ask, commands: &mut Commands) {
    let what = words::DESERTED;
    if ask.refused.is_some() {
        drop(note_ui(ui, Tone::Warn, Icon::TriangleAlert, what));
        return;
    }
    let safe = match ask.venue {
        Venue::LocalSwarm => words::DESERTED_LOCAL,
        Venue::Relays | Venue::OwnModel => words::DESERTED_RELAYS,
    };
    Banner { tone: Tone::Warn, what, safe }.show_last(ui, |ui| {
        look_again_ui(ui, commands);
        use_local_swarm_ui(ui, ask, commands);
    });
}

/// What keeps the quote waiting, where something does; whether it was said.
pub fn no_quote_ui(ui: &mut Ui, state: &State, commands: &mut Commands) -> bool {
    let ask = &state.ask;
    let why = match &ask.previewed {
        // Why stands where the documents do.
        _ if matches!(ask.reading, Reading::Failed(_)) => words::QUOTE_UNREADABLE,
        // Nobody is asked for a price before it runs.
        _ if ask.is_complete() && ask.venue == Venue::LocalSwarm && !state.swarm.is_on() => {
            words::QUOTE_NO_SWARM
        }
        Previewed::Nothing if ask.files.is_empty() => words::QUOTE_EMPTY,
        Previewed::Nothing => words::QUOTE_NO_QUESTION,
        // The same is said above.
        Previewed::Failed(why) if ask.refused.as_ref() == Some(why) => words::QUOTE_REFUSED,
        Previewed::Failed(why) => {
            let safe = words::nothing_sent(why);
            Banner { tone: Tone::Warn, what: words::CANNOT_ASK, safe: &safe }.show_last(ui, |ui| {
                // Where a run did not start, the same helps, and stands there.
                if ask.refused.is_none() {
                    helps_ui(ui, ask.venue, commands);
                }
            });
            return true;
        }
        Previewed::Known { by_code: false, .. } if ask.venue == Venue::OwnModel => return false,
        Previewed::Known { unreachable: Some(_), by_code: false, .. } => words::QUOTE_UNREACHABLE,
        Previewed::Known { providers, by_code: false, .. } if providers.is_empty() => words::QUOTE_DESERTED,
        Previewed::Busy | Previewed::Known { .. } => return false,
    };
    ui.label(soft(ui, why));
    true
}
