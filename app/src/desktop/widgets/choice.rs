//! One of several alternatives, with a sentence about it.

use egui::{
    Align2, CornerRadius, Response, Role, Sense, Stroke, StrokeKind, TextWrapMode, Ui, WidgetInfo,
    WidgetText, vec2,
};
use lucide_icons::Icon;

use super::focus_ring;
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// Half the width of the dot in the ring of what is chosen.
const DOT: f32 = 3.5;

/// The alternative; its response says whether it was taken.
pub fn choice_ui(ui: &mut Ui, word: &str, about: &str, chosen: bool) -> Response {
    let colours = tokens(ui);
    let width = ui.available_width();
    let inset = space::S + text::ICON + space::S;
    let about =
        WidgetText::from(egui::RichText::new(about).font(fonts::body(text::SMALL)).color(colours.text_soft));
    let about =
        about.into_galley(ui, Some(TextWrapMode::Wrap), width - inset - space::S, egui::TextStyle::Small);
    let (rect, response) = ui.allocate_exact_size(vec2(width, about.size().y + 34.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, word));
    if ui.is_rect_visible(rect) {
        let round = CornerRadius::same(size::ROUND_CONTROL);
        let (fill, line) = match (chosen, response.hovered()) {
            (true, _) => (colours.accent_soft, colours.accent),
            (false, true) => (colours.sunken, CLEAR),
            (false, false) => (CLEAR, CLEAR),
        };
        let painter = ui.painter();
        painter.rect(rect, round, fill, Stroke::new(1.0, line), StrokeKind::Inside);
        focus_ring(painter, &response, rect, size::ROUND_CONTROL, colours);
        let ink = if chosen { colours.accent } else { colours.text_soft };
        let middle = rect.left_top() + vec2(space::S + text::ICON / 2.0, 16.0);
        let ring = char::from(Icon::Circle);
        painter.text(middle, Align2::CENTER_CENTER, ring, fonts::icons(text::ICON), ink);
        if chosen {
            // The icon with a dot has one of a pixel or two, which is hardly seen.
            painter.circle_filled(middle, DOT, ink);
        }
        let top = rect.left_top() + vec2(inset, 16.0);
        painter.text(top, Align2::LEFT_CENTER, word, fonts::medium(text::BODY), colours.text);
        painter.galley(rect.left_top() + vec2(inset, 27.0), about, colours.text_soft);
    }
    response
}
