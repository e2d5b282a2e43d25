//! Names as they are typed or lie in a folder, each with what it is.

use egui::{Grid, RichText, Ui};

use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::{one_line_ui, soft};

/// Height of a line without buttons.
const LINE: f32 = 22.0;

/// All of them, one below the other.
pub fn named_ui(ui: &mut Ui, id: &str, named: &[(&str, &str)]) {
    Grid::new(id).num_columns(2).min_row_height(LINE).spacing([space::L, space::S]).show(ui, |ui| {
        for (name, what) in named {
            ui.label(RichText::new(*name).monospace());
            one_line_ui(ui, soft(ui, what));
            ui.end_row();
        }
    });
}
