//! The parts that screens are made of. Each draws from tokens, has a name for assistive
//! technology, and can be reached with Tab and used with Enter or Space.

mod banner;
mod button;
mod checkbox;
mod choice;
mod copy;
mod dialogue;
mod field;
mod figure;
mod ground;
mod markdown;
mod meter;
mod price;
mod qr;
mod scroll;
mod sorted;
mod table;
mod tabs;
mod tone;
mod unit;
pub mod words;

pub use banner::{Banner, empty_ui, point_ui};
pub use button::Button;
pub use checkbox::checkbox_ui;
pub use choice::choice_ui;
pub use copy::{copy_ui, forget_copied};
pub use dialogue::{dialogue_ui, over, over_frame};
pub use field::{FIELD_LABEL, checked_field_ui, field_ui};
pub use figure::figure_ui;
pub use ground::{edge, focus_ring, ground};
pub use markdown::markdown_ui;
pub use meter::{Part, bar_ui, legend_rows, legend_ui, meter_ui};
pub use price::{tariff_in_short, tariff_words};
pub use qr::qr_ui;
pub use scroll::{List, Reach, choosing_list_ui, list_ui, page_ui};
pub use sorted::{Order, SortKey, Sorted};
pub use table::{Cell, Column, Row, Table, Touched};
pub use tabs::tabs_ui;
pub use tone::{Tone, badge_ui, busy_ui, icon_before, icon_ui, info_ui, mark_ui, note_ui};
pub use unit::{Unit, amount, in_sats, play_ui};

pub use frlm_client::units::thousands;

use egui::{
    Align, CornerRadius, Frame, Label, Layout, Margin, Rect, Response, RichText, ScrollArea, Stroke, Ui,
    UiBuilder, pos2, vec2,
};

use super::theme::tokens::{size, space, text};
use super::theme::{fonts, tokens};

/// A card: what belongs together, on its own ground.
pub fn card_ui<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    card(ui)
        .show(ui, |ui| {
            // Columns justify what stands in them; running text is not.
            let content = |ui: &mut Ui| {
                ui.set_min_width(ui.available_width());
                content(ui)
            };
            ui.vertical(content).inner
        })
        .inner
}

/// A card's frame, for cards of a width of their own.
pub fn card(ui: &Ui) -> Frame {
    let tokens = tokens(ui);
    Frame::new()
        .fill(tokens.surface)
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(size::ROUND))
        .inner_margin(Margin::same(16))
}

/// A sunken box for text that is quoted.
pub fn well_ui<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    Frame::new()
        .fill(tokens(ui).sunken)
        .corner_radius(CornerRadius::same(size::ROUND_CONTROL))
        .inner_margin(Margin::symmetric(12, 10))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            content(ui)
        })
        .inner
}

/// A screen's frame: title, one sentence, actions on the right, and the content after a gap, which scrolls.
pub fn screen_ui(
    ui: &mut Ui,
    (title, subtitle): (&str, &str),
    gap: f32,
    actions: impl FnOnce(&mut Ui),
    content: impl FnOnce(&mut Ui),
) {
    let area = ScrollArea::vertical().auto_shrink(false);
    let width = ui.available_width();
    page_ui(ui, title, Reach::Screen, area, |ui| {
        // The bar stands in the margin: nothing moves where it comes and goes.
        ui.set_max_width(width);
        column_ui(ui, size::CONTENT, |ui| {
            ui.add_space(space::XL);
            title_ui(ui, title, subtitle, actions);
            ui.add_space(gap);
            content(ui);
            ui.add_space(space::XXL);
        });
    });
}

/// A screen with a foot that stays in sight however far the rest is scrolled. The foot is drawn last, so that Tab comes
/// to it last, and the rest ends where the foot begins.
pub fn footed_ui(ui: &mut Ui, widest: f32, content: impl FnOnce(&mut Ui), foot: impl FnOnce(&mut Ui)) {
    let id = ui.scope_id().with("height of the foot");
    let height = ui.data(|data| data.get_temp(id)).unwrap_or(size::CONTROL + 2.0 * space::M);
    let room = ui.available_rect_before_wrap();
    let edge = (room.bottom() - height).max(room.top());
    let above = Rect::from_min_max(room.min, pos2(room.right(), edge));
    ui.scope_builder(UiBuilder::new().max_rect(above), content);
    let below = Rect::from_min_max(pos2(room.left(), edge), room.max);
    ui.painter().rect_filled(below, CornerRadius::ZERO, tokens(ui).canvas);
    ui.painter().hline(room.x_range(), edge, Stroke::new(1.0, tokens(ui).line));
    let drawn = ui.scope_builder(UiBuilder::new().max_rect(below), |ui| {
        Frame::new().inner_margin(Margin::symmetric(0, 12)).show(ui, |ui| column_ui(ui, widest, foot));
    });
    let needed = drawn.response.rect.height();
    if (needed - height).abs() > 0.5 {
        ui.data_mut(|data| data.insert_temp(id, needed));
        // Nothing is seen to jump: the frame is drawn once more, with the height that the foot takes.
        ui.ctx().request_discard("a foot is of another height");
    }
}

/// Title, one sentence, and actions on the right; the title gets the width that they leave.
pub fn title_ui(ui: &mut Ui, title: &str, subtitle: &str, actions: impl FnOnce(&mut Ui)) {
    let room = vec2(ui.available_width(), size::CONTROL);
    ui.allocate_ui_with_layout(room, Layout::right_to_left(Align::Min), |ui| {
        actions(ui);
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.y = space::XS;
            ui.heading(title);
            if !subtitle.is_empty() {
                ui.label(soft(ui, subtitle));
            }
        });
    });
}

/// A centred column, never wider than `widest`, with the margins of a screen.
pub fn column_ui<R>(ui: &mut Ui, widest: f32, content: impl FnOnce(&mut Ui) -> R) -> R {
    let width = ui.available_width();
    let inner = (width - 2.0 * space::XXL).clamp(200.0, widest);
    let left = ((width - inner) / 2.0).max(space::L);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space(left);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(space::S, space::S);
            ui.set_width(inner);
            content(ui)
        })
        .inner
    })
    .inner
}

/// What scrolls below a head that does not, the last thing in its column: it ends where the head ends,
/// and the bar stands in the margin beside it.
pub fn scroll_ui(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    let width = ui.available_width();
    let mut room = ui.available_rect_before_wrap();
    room.max.x += ui.spacing().scroll.floating_allocated_width;
    ui.scope_builder(UiBuilder::new().max_rect(room), |ui| {
        let area = ScrollArea::vertical().auto_shrink(false);
        page_ui(ui, name, Reach::Screen, area, |ui| {
            ui.set_max_width(width);
            content(ui);
        });
    });
}

/// Two columns with the gap that cards have; the left one takes `share` of the width.
pub fn two_columns_ui(ui: &mut Ui, share: f32, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    let between = ui.spacing().item_spacing;
    let width = (ui.available_width() - space::L) * share;
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing = between;
            ui.set_width(width);
            left(ui);
        });
        ui.add_space(space::L);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing = between;
            ui.set_width(ui.available_width());
            right(ui);
        });
    });
}

/// A document's name without the folders before it; the whole path belongs into a tooltip.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// The heading of a card.
pub fn heading(text: &str) -> RichText {
    RichText::new(text).font(fonts::strong(self::text::HEADING))
}

/// The heading of a card, and what the card is about.
pub fn headed_ui(ui: &mut Ui, title: &str, about: &str) {
    ui.label(heading(title));
    ui.label(soft(ui, about));
}

/// A name within running text.
pub fn name(text: &str) -> RichText {
    RichText::new(text).font(fonts::medium(self::text::BODY))
}

/// An explanation.
pub fn soft(ui: &Ui, text: &str) -> RichText {
    RichText::new(text).color(tokens(ui).text_soft)
}

/// What could stand in an empty field: slanted, so that nobody takes it for what does.
pub fn hint(text: &str) -> RichText {
    RichText::new(text).italics()
}

/// A label over a field or a figure.
pub fn small(ui: &Ui, text: &str) -> RichText {
    RichText::new(text).font(fonts::medium(self::text::SMALL)).color(tokens(ui).text_soft)
}

/// Text of one line that is cut off with "…" where it does not fit, and whole in the tooltip.
pub fn one_line_ui(ui: &mut Ui, text: impl Into<egui::WidgetText>) -> Response {
    ui.add(Label::new(text).truncate())
}
