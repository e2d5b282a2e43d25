//! A bar that says how a whole divides, with a legend in words and figures.

use std::sync::Arc;

use egui::{Color32, CornerRadius, Galley, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::thousands;
use crate::desktop::theme::tokens::{space, text};
use crate::desktop::theme::{fonts, tokens};

/// One part of the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// In a word.
    pub name: &'static str,
    /// How much.
    pub amount: u64,
    /// Its colour in bar and legend.
    pub colour: Color32,
}

/// The bar over its legend.
pub fn meter_ui(ui: &mut Ui, name: &str, whole: u64, parts: &[Part]) {
    bar_ui(ui, name, whole, parts);
    legend_ui(ui, parts);
}

/// The bar. Parts stand in the order given; a part that is there is at least two points wide, so
/// that a single sat of a thousand can be seen.
pub fn bar_ui(ui: &mut Ui, name: &str, whole: u64, parts: &[Part]) {
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(vec2(width, 12.0), Sense::hover());
    response.widget_info(|| {
        let words: Vec<String> = parts.iter().map(|part| format!("{} {}", part.name, part.amount)).collect();
        WidgetInfo::labeled(Role::Meter, true, format!("{name}: {} of {whole}", words.join(", ")))
    });
    let painter = ui.painter();
    painter.rect_filled(rect, CornerRadius::same(6), tokens(ui).sunken);
    let mut left = rect.left();
    for part in parts.iter().filter(|part| part.amount > 0) {
        let share = part.amount as f32 / whole.max(1) as f32;
        let right = (left + (share * width).max(2.0)).min(rect.right());
        let bar = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        painter.rect_filled(bar, CornerRadius::same(3), part.colour);
        left = right + 1.0;
    }
}

/// What the parts are, in words and figures.
pub fn legend_ui(ui: &mut Ui, parts: &[Part]) {
    ui.add_space(space::XS);
    ui.scope(|ui| {
        // Its rows are as high as their words, not as buttons: it belongs to the bar.
        ui.spacing_mut().interact_size.y = ROW;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = space::L;
            for part in parts {
                entry_ui(ui, *part);
            }
        });
    });
}

/// How many rows the legend takes in this width.
pub fn legend_rows(ui: &Ui, parts: &[Part], width: f32) -> usize {
    let (mut left, mut rows) = (0.0, 1);
    for part in parts {
        let entry = words_of(ui, *part).size().x + DOT;
        if left > 0.0 && left + entry > width {
            (left, rows) = (0.0, rows + 1);
        }
        left += entry + space::L;
    }
    rows
}

/// Height of a row of a legend.
const ROW: f32 = 20.0;
/// Room of the dot before the words of one.
const DOT: f32 = 16.0;

fn words_of(ui: &Ui, part: Part) -> Arc<Galley> {
    let words = format!("{} {}", part.name, thousands(part.amount));
    ui.painter().layout_no_wrap(words, fonts::body(text::SMALL), tokens(ui).text)
}

fn entry_ui(ui: &mut Ui, part: Part) {
    let galley = words_of(ui, part);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + DOT, ROW), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, galley.text()));
    let painter = ui.painter();
    let dot = Rect::from_center_size(rect.left_center() + vec2(5.0, 0.0), vec2(10.0, 10.0));
    painter.rect_filled(dot, CornerRadius::same(3), part.colour);
    let at = rect.left_center() + vec2(DOT, -galley.size().y / 2.0);
    painter.galley(at, galley, tokens(ui).text);
}
