//! What is around every screen: navigation, palette, notices, keys.

mod drop;
mod keys;
mod leaving;
mod navigation;
mod notices;
mod palette;
#[cfg(test)]
mod tests;

pub use drop::dropped;
pub use keys::pressed;
pub use palette::field_id;

use egui::{CentralPanel, Context, Frame, Panel, Ui};

use super::command::Commands;
use super::state::State;
use super::theme::tokens;
use super::theme::tokens::size;

/// Draws the whole window.
pub fn shell_ui(ui: &mut Ui, state: &State, commands: &mut Commands) {
    let colours = tokens(ui);
    Panel::left("navigation")
        .exact_size(size::RAIL)
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().fill(colours.rail).inner_margin(12))
        .show(ui, |ui| navigation::navigation_ui(ui, state, commands));
    CentralPanel::no_frame()
        .frame(Frame::new().fill(colours.canvas))
        .show(ui, |ui| state.screen.ui(ui, state, commands));
    let ctx: Context = ui.ctx().clone();
    drop::hover_ui(&ctx);
    notices::notices_ui(&ctx, state, commands);
    leaving::leaving_ui(&ctx, &state.leaving, commands);
    if let Some(palette) = &state.palette {
        palette::palette_ui(&ctx, palette, state, commands);
    }
}
