//! Keys that work everywhere.

use egui::{Context, Modifiers};

use crate::desktop::command::{Command, entries};
use crate::desktop::screens::Screen;
use crate::desktop::state::State;

/// The commands whose keys were pressed. A key without Ctrl or Alt is left to whatever has the focus, and to a
/// dialogue that lies over the screen: its Escape closes it, and Space pauses no run behind it.
pub fn pressed(ctx: &Context, state: &State) -> Vec<Command> {
    let cap = state.screen == Screen::Run && state.run.cap_typed.is_some();
    let asked = cap || state.palette.is_some() || !state.leaving.is_empty();
    let typing = ctx.egui_wants_keyboard_input() || asked;
    let mut found = Vec::new();
    ctx.input_mut(|input| {
        for entry in entries() {
            let Some(shortcut) = entry.shortcut else { continue };
            if typing && shortcut.modifiers == Modifiers::NONE {
                continue;
            }
            if entry.command.is_available(state) && input.consume_shortcut(&shortcut) {
                found.push(entry.command.clone());
            }
        }
    });
    found
}
