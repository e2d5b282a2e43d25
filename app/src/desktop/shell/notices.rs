//! Notices in the lower right corner. They stay until they are dismissed: a user who looked away must
//! not miss that money or data was at stake.

use egui::{Align2, Area, Context, CornerRadius, Frame, Id, Margin, Stroke, vec2};

use crate::desktop::command::{Commands, Shell};
use crate::desktop::state::{Notice, State};
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::{size, space};
use crate::desktop::widgets::{Button, icon_ui, name, soft};

const WIDTH: f32 = 360.0;
/// Around what a notice holds; and its icon.
const MARGIN: f32 = 14.0;
const ICON: f32 = 18.0;
/// How far its button reaches into the margin: so its icon stands in the middle of the title's line, and as far from
/// the edge as the icon on the other side.
const REACH: f32 = (size::CONTROL - ICON) / 2.0;
/// What is left for words, so that the button stands at the right edge.
const TEXT: f32 = WIDTH - 2.0 * (MARGIN + LINE) + REACH - ICON - size::CONTROL - 2.0 * space::S;
/// The frame's line.
const LINE: f32 = 1.0;

pub fn notices_ui(ctx: &Context, state: &State, commands: &mut Commands) {
    if state.notices.is_empty() {
        return;
    }
    Area::new(Id::unique("notices"))
        .anchor(Align2::RIGHT_BOTTOM, vec2(-space::L, -space::L))
        .order(egui::Order::Foreground)
        .show(ctx, |ui| {
            ui.set_width(WIDTH);
            for notice in &state.notices {
                notice_ui(ui, notice, commands);
            }
        });
}

fn notice_ui(ui: &mut egui::Ui, notice: &Notice, commands: &mut Commands) {
    let colours = tokens(ui);
    Frame::new()
        .fill(colours.raised)
        .stroke(Stroke::new(LINE, colours.line_strong))
        .corner_radius(CornerRadius::same(size::ROUND))
        .inner_margin(Margin { left: 14, right: 6, top: 6, bottom: 14 })
        .shadow(ui.visuals().popup_shadow)
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.add_space(REACH);
                    icon_ui(ui, notice.tone, notice.tone.icon(), notice.tone.word());
                });
                ui.vertical(|ui| {
                    ui.set_width(TEXT);
                    ui.add_space(REACH);
                    ui.label(name(&notice.what));
                    if !notice.then.is_empty() {
                        ui.label(soft(ui, &notice.then));
                    }
                });
                let button = Button::quiet("Dismiss").icon_only(lucide_icons::Icon::X);
                button.show(ui, commands, Shell::DismissNotice(notice.id));
            });
        });
    ui.add_space(space::S);
}
