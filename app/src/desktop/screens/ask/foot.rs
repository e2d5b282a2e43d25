//! The foot of the ask screen, which is always in sight.

use egui::{RichText, TextStyle, TextWrapMode, Ui, WidgetText};
use lucide_icons::Icon;

use super::describe::{leaves, leaves_machine};
use super::state::{Action, Ask, Previewed, Venue};
use super::words;
use crate::desktop::command::{Command, Commands, shortcut};
use crate::desktop::state::State;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::{Button, Tone, info_ui, small, soft};

/// The button that begins, and what leaves this machine when it is pressed.
pub fn start_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let ask = &state.ask;
    let ready = ask.ready();
    let lacks_swarm = ask.venue == Venue::LocalSwarm && !state.swarm.is_on();
    ui.horizontal_top(|ui| {
        let start = Command::Ask(Action::Start);
        let by_code = by_code(ask);
        let (word, icon) = match (ask.starting, ask.venue) {
            (true, _) => (words::STARTING, Icon::LoaderCircle),
            (false, _) if by_code => (words::START_BY_CODE, Icon::Send),
            (false, Venue::OwnModel) => (words::START_OWN_MODEL, Icon::Send),
            (false, Venue::LocalSwarm | Venue::Relays) => (words::START, Icon::Send),
        };
        let button = Button::primary(word).icon(icon).enabled(ready.is_ok() && !lacks_swarm);
        let button = match (&ready, lacks_swarm) {
            (Err(why), _) => button.hint(why),
            (Ok(()), true) => button.hint(words::NEEDS_SWARM),
            (Ok(()), false) => button.shortcut(shortcut(&start)),
        };
        button.show(ui, commands, start);
        if ask.starting && ui.add(Button::new(words::STOP).icon(Icon::X)).clicked() {
            commands.push(Action::Cancel);
        }
        let beside = match ready {
            Err(why) => soft(ui, why),
            Ok(()) if lacks_swarm => soft(ui, words::SWARM_IS_OFF),
            Ok(()) => {
                let keys = shortcut(&Command::Ask(Action::Start)).map(|keys| ui.ctx().format_shortcut(&keys));
                small(ui, &keys.unwrap_or_default())
            }
        };
        beside_ui(ui, beside, None);
        ui.add_space(space::S);
        leaves_ui(ui, ask);
    });
}

/// Whether no provider is asked.
fn by_code(ask: &Ask) -> bool {
    matches!(ask.previewed, Previewed::Known { by_code: true, .. })
}

/// What leaves this machine, once it is known.
fn leaves_ui(ui: &mut Ui, ask: &Ask) {
    let leaves = leaves(ask);
    if leaves.is_empty() {
        return;
    }
    let mark = match (leaves_machine(ask), ask.venue) {
        (false, _) => (Icon::HardDrive, Tone::Good, words::STAYS),
        (true, Venue::Relays) if !by_code(ask) => (Icon::Lock, Tone::Accent, words::ENCRYPTED),
        (true, _) => (Icon::Globe, Tone::Warn, words::IN_PLAIN),
    };
    beside_ui(ui, RichText::new(leaves), Some(mark));
}

/// Room of the mark before words, with the gap to them.
const BESIDE_MARK: f32 = 18.0 + space::S;

/// Words beside a button, in as many lines as they need: one or two of them stand in the button's middle.
fn beside_ui(ui: &mut Ui, words: RichText, mark: Option<(Icon, Tone, &str)>) {
    ui.vertical(|ui| {
        let width = ui.available_width() - if mark.is_some() { BESIDE_MARK } else { 0.0 };
        let wrap = Some(TextWrapMode::Wrap);
        let galley = WidgetText::from(words.clone()).into_galley(ui, wrap, width, TextStyle::Body);
        ui.add_space(((size::CONTROL - galley.size().y) / 2.0).max(0.0));
        ui.horizontal_top(|ui| {
            if let Some((icon, tone, word)) = mark {
                info_ui(ui, tone, icon, word);
            }
            // In a column, so that it wraps.
            ui.vertical(|ui| ui.label(words));
        });
    });
}
