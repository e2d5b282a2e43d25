//! What a screen says when there is nothing to show, or something went wrong: what happened, what
//! is safe, and a button that helps.

use egui::{Align, Align2, CornerRadius, Frame, Layout, Margin, RichText, TextStyle, Ui, vec2};
use lucide_icons::Icon;

use super::words::told;
use super::{Button, Tone, heading, icon_ui, name, soft};
use crate::desktop::command::{Command, Commands};
use crate::desktop::theme::tokens::{size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// Lines that are longer than this are hard to read.
const WIDEST_TEXT: f32 = 480.0;

/// A coloured box over the content.
pub struct Banner<'a> {
    /// What it means.
    pub tone: Tone,
    /// What happened.
    pub what: &'a str,
    /// What is safe (money, data), and what to do. It is set as a sentence, whatever an error begins with.
    pub safe: &'a str,
}

impl Banner<'_> {
    /// Shows it with the buttons that help, and a gap to what stands below it.
    pub fn show(self, ui: &mut Ui, buttons: impl FnOnce(&mut Ui)) {
        self.show_points(ui, &[], buttons);
    }

    /// The same with a list of what it is about.
    pub fn show_points(self, ui: &mut Ui, points: &[String], buttons: impl FnOnce(&mut Ui)) {
        self.draw(ui, points, buttons);
        ui.add_space(space::S);
    }

    /// Shows it with the button that tries again.
    pub fn retry(self, ui: &mut Ui, commands: &mut Commands, word: &str, command: impl Into<Command>) {
        self.show(ui, |ui| Button::new(word).icon(Icon::RotateCcw).show(ui, commands, command));
    }

    /// As the last thing of a card, whose margin is gap enough.
    pub fn show_last(self, ui: &mut Ui, buttons: impl FnOnce(&mut Ui)) {
        self.draw(ui, &[], buttons);
    }

    fn draw(self, ui: &mut Ui, points: &[String], buttons: impl FnOnce(&mut Ui)) {
        let (ink, wash) = self.tone.colours(ui);
        Frame::new()
            .fill(wash)
            .corner_radius(CornerRadius::same(size::ROUND))
            .inner_margin(Margin::symmetric(16, 14))
            .show(ui, |ui| {
                ui.set_min_width(ui.available_width());
                ui.horizontal_top(|ui| {
                    icon_ui(ui, self.tone, self.tone.icon(), self.tone.word());
                    ui.vertical(|ui| {
                        ui.spacing_mut().item_spacing.y = space::XS;
                        ui.label(name(self.what).color(ink));
                        if !self.safe.is_empty() {
                            ui.label(RichText::new(told(self.safe)).color(tokens(ui).text));
                        }
                        for point in points {
                            point_ui(ui, point.into());
                        }
                        // Without buttons there is no empty row.
                        ui.spacing_mut().interact_size.y = 0.0;
                        ui.horizontal_wrapped(buttons);
                    });
                });
            });
    }
}

/// Room of a bullet.
const BULLET: f32 = 16.0;

/// One of several points; where it is longer than a line, it goes on beside its bullet.
pub fn point_ui(ui: &mut Ui, words: RichText) {
    let line = ui.text_style_height(&TextStyle::Body);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let ink = tokens(ui).text_soft;
        // Painted: it says nothing.
        let (_, room) = ui.allocate_space(vec2(BULLET, line));
        ui.painter().text(room.left_center(), Align2::LEFT_CENTER, "•", fonts::body(text::BODY), ink);
        ui.vertical(|ui| ui.label(words));
    });
}

/// An empty screen: an icon, what is missing, what to do, and the buttons that do it.
pub fn empty_ui(ui: &mut Ui, icon: Icon, what: &str, then: &str, buttons: impl FnOnce(&mut Ui)) {
    ui.add_space((ui.available_height() * 0.28).clamp(space::XXL, 260.0));
    ui.with_layout(Layout::top_down(Align::Center), |ui| {
        let ink = tokens(ui).text_soft;
        // Painted: it says no more than the words below it.
        let (_, room) = ui.allocate_space(vec2(36.0, 40.0));
        ui.painter().text(room.center(), Align2::CENTER_CENTER, char::from(icon), fonts::icons(36.0), ink);
        ui.add_space(space::S);
        ui.label(heading(what));
        let width = ui.available_width().min(WIDEST_TEXT);
        ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Center), |ui| {
            ui.label(soft(ui, then));
        });
        ui.add_space(space::M);
        buttons(ui);
    });
    ui.add_space(space::XXL);
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::desktop::testing::widgets;

    #[test]
    fn a_long_point_goes_on_beside_its_bullet() {
        const WIDTH: f32 = 240.0;
        let words = "the known answer is \"26 records\", and this is another one";
        let drawn = widgets(vec2(WIDTH, 200.0), move |ui| point_ui(ui, RichText::new(words)));
        let point = drawn.get_by_label(words).rect();
        assert!(point.left() >= BULLET && point.right() <= WIDTH && point.height() > 30.0, "{point:?}");
    }
}
