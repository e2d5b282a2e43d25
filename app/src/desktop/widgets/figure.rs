//! Figures with their labels.

use egui::{RichText, Ui};

use super::{small, soft};
use crate::desktop::theme::fonts;

/// A label, a figure, and a word about it.
pub fn figure_ui(ui: &mut Ui, label: &str, value: &str, about: &str) {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.label(small(ui, label));
        ui.label(RichText::new(value).font(fonts::strong(20.0)));
        if !about.is_empty() {
            ui.label(soft(ui, about).font(fonts::body(12.5)));
        }
    });
}
