//! Asks before something that is under way is interrupted.

use egui::{Context, Id};
use lucide_icons::Icon;

use crate::desktop::command::{Commands, Shell};
use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::words::told;
use crate::desktop::widgets::{Button, dialogue_ui, heading};

const WIDTH: f32 = 420.0;

/// The dialogue, while there is something to ask about.
pub fn leaving_ui(ctx: &Context, under_way: &[String], commands: &mut Commands) {
    if under_way.is_empty() {
        return;
    }
    let closed = dialogue_ui(ctx, Id::unique("leaving"), WIDTH, |ui| {
        ui.label(heading("Quit while something is under way?"));
        ui.add_space(space::S);
        for one in under_way {
            ui.label(told(one));
        }
        ui.add_space(space::M);
        ui.horizontal(|ui| {
            Button::primary("Keep going").icon(Icon::Play).show(ui, commands, Shell::Stay);
            Button::danger("Quit").icon(Icon::PowerOff).show(ui, commands, Shell::QuitNow);
        });
    });
    if closed {
        commands.push(Shell::Stay);
    }
}
