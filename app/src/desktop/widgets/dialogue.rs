//! What stands over the window until it is answered.

use egui::{Context, CornerRadius, Frame, Id, Margin, Modal, Stroke, Theme, Ui};

use crate::desktop::theme::tokens::{DARK, LIGHT, size, space};

/// A dialogue of this width in the middle of the window; whether it was clicked away, or closed with Escape.
pub fn dialogue_ui(ctx: &Context, id: Id, width: f32, content: impl FnOnce(&mut Ui)) -> bool {
    let frame = over_frame(ctx, space::XL);
    over(ctx, Modal::new(id))
        .frame(frame)
        .show(ctx, |ui| {
            ui.set_width(width);
            content(ui);
        })
        .should_close()
}

/// The veil over everything else.
pub fn over(ctx: &Context, modal: Modal) -> Modal {
    modal.backdrop_color(if ctx.theme() == Theme::Dark { DARK.veil } else { LIGHT.veil })
}

/// The frame of what stands over the window, with so much room inside.
#[expect(clippy::cast_possible_truncation, reason = "margins are small whole numbers")]
pub fn over_frame(ctx: &Context, margin: f32) -> Frame {
    let style = ctx.global_style();
    Frame::new()
        .fill(style.visuals.window_fill)
        .stroke(Stroke::new(1.0, style.visuals.window_stroke.color))
        .corner_radius(CornerRadius::same(size::ROUND))
        .inner_margin(Margin::same(margin as i8))
        .shadow(style.visuals.window_shadow)
}
