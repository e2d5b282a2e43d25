//! A box that is set or not, with its words.

use egui::{Stroke, Ui};

/// Height of a box with its words: they are no button, and several stand close together.
const HEIGHT: f32 = 24.0;

use crate::desktop::theme::tokens;

/// The box; whether it is set now, if that was changed.
pub fn checkbox_ui(ui: &mut Ui, words: &str, set: bool) -> Option<bool> {
    let colours = tokens(ui);
    // egui fills boxes like the rails of sliders, which makes an empty one look as if it could not be set.
    let before = ui.visuals().widgets.clone();
    let (fill, line) =
        if set { (colours.accent_soft, colours.accent) } else { (colours.field, colours.outline) };
    let widgets = &mut ui.visuals_mut().widgets;
    (widgets.inactive.bg_fill, widgets.inactive.bg_stroke) = (fill, Stroke::new(1.5, line));
    (widgets.hovered.bg_fill, widgets.hovered.bg_stroke) = (fill, Stroke::new(1.5, colours.accent));
    let height = std::mem::replace(&mut ui.spacing_mut().interact_size.y, HEIGHT);
    let mut now = set;
    let changed = ui.checkbox(&mut now, words).changed();
    ui.spacing_mut().interact_size.y = height;
    ui.visuals_mut().widgets = before;
    changed.then_some(now)
}
