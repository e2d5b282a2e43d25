//! Keys that work everywhere.

use egui::{Context, Modifiers};

use crate::desktop::command::{Command, entries};
use crate::desktop::state::State;

/// The commands whose keys were pressed. A key without Ctrl or Alt is left to the text field that
/// has the focus.
pub fn pressed(ctx: &Context, state: &State) -> Vec<Command> {
    let typing = ctx.egui_wants_keyboard_input();
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
