//! A row of alternatives, one of which is chosen.

use egui::{Align2, CornerRadius, Role, Sense, StrokeKind, Ui, WidgetInfo, vec2};

use super::{edge, focus_ring, ground};
use crate::desktop::theme::tokens::text;
use crate::desktop::theme::{fonts, tokens};

const HEIGHT: f32 = 28.0;

/// The row; the alternative that was just chosen, if one was.
pub fn tabs_ui<T: Copy + PartialEq>(ui: &mut Ui, tabs: &[(T, &str)], chosen: T) -> Option<T> {
    let mut clicked = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (tab, word) in tabs {
            if tab_ui(ui, word, *tab == chosen) {
                clicked = Some(*tab);
            }
        }
    });
    clicked
}

fn tab_ui(ui: &mut Ui, word: &str, chosen: bool) -> bool {
    let colours = tokens(ui);
    let ink = if chosen { colours.accent } else { colours.text_soft };
    let galley = ui.painter().layout_no_wrap(word.to_owned(), fonts::medium(text::SMALL), ink);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 2.0 * 10.0, HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, chosen, word));
    if ui.is_rect_visible(rect) {
        let fill = ground(colours, chosen, response.hovered());
        let painter = ui.painter();
        painter.rect(rect, CornerRadius::same(6), fill, edge(colours, chosen), StrokeKind::Inside);
        focus_ring(painter, &response, rect, 6, colours);
        painter.galley(Align2::CENTER_CENTER.align_size_within_rect(galley.size(), rect).min, galley, ink);
    }
    response.clicked()
}
