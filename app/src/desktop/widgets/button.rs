//! Buttons. Painted here rather than by egui so that the name that assistive technology reads is
//! the word alone, without the icon's private character.

use egui::{
    Align2, CornerRadius, KeyboardShortcut, Response, Role, Sense, Stroke, StrokeKind, Ui, Widget,
    WidgetInfo, vec2,
};
use lucide_icons::Icon;

use super::icon_before;
use super::words::told;
use crate::desktop::command::{Command, Commands};
use crate::desktop::theme::tokens::{CLEAR, size, space, text};
use crate::desktop::theme::{fonts, tokens};

/// How much a button asks for attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The one thing to do here.
    Primary,
    /// Something else to do.
    Plain,
    /// Something that rarely matters.
    Quiet,
    /// Something that cannot be undone or costs.
    Danger,
}

/// A button with a word, and maybe an icon.
#[must_use = "a button is shown with `show` or ui.add"]
pub struct Button<'a> {
    word: &'a str,
    look: Look,
    icon: Option<Icon>,
    shortcut: Option<KeyboardShortcut>,
    hint: Option<&'a str>,
    enabled: bool,
    icon_only: bool,
}

impl<'a> Button<'a> {
    /// A plain button.
    pub fn new(word: &'a str) -> Self {
        Self {
            word,
            look: Look::Plain,
            icon: None,
            shortcut: None,
            hint: None,
            enabled: true,
            icon_only: false,
        }
    }

    /// The one important button of a screen.
    pub fn primary(word: &'a str) -> Self {
        Self { look: Look::Primary, ..Self::new(word) }
    }

    /// A button without a frame.
    pub fn quiet(word: &'a str) -> Self {
        Self { look: Look::Quiet, ..Self::new(word) }
    }

    /// A button for what cannot be undone.
    pub fn danger(word: &'a str) -> Self {
        Self { look: Look::Danger, ..Self::new(word) }
    }

    /// With an icon before the word.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Shows only the icon; the word is its name and tooltip.
    pub fn icon_only(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self.icon_only = true;
        self
    }

    /// Says in the tooltip which keys do the same.
    pub fn shortcut(mut self, shortcut: Option<KeyboardShortcut>) -> Self {
        self.shortcut = shortcut;
        self
    }

    /// What it does, or, for a disabled button, why it cannot be done now.
    pub fn hint(mut self, hint: &'a str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// What it does, in a word.
    pub(super) fn word(&self) -> &'a str {
        self.word
    }

    /// Says something else, behind another icon, and nothing more in its tooltip.
    pub(super) fn saying(self, word: &'a str, icon: Icon) -> Self {
        Self { word, icon: Some(icon), hint: None, ..self }
    }

    /// Whether it can be pressed now.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Shows it. A click pushes the command.
    pub fn show(self, ui: &mut Ui, commands: &mut Commands, command: impl Into<Command>) {
        if ui.add(self).clicked() {
            commands.push(command);
        }
    }

    /// Can be pressed, or says in the tooltip why not now.
    pub fn ready(self, ready: Result<(), &'a str>) -> Self {
        if let Err(why) = ready { self.enabled(false).hint(why) } else { self }
    }

    fn tooltip(&self, ui: &Ui) -> Option<String> {
        let keys = self.shortcut.map(|shortcut| ui.ctx().format_shortcut(&shortcut));
        let words = self.hint.or(self.icon_only.then_some(self.word)).map(told);
        match (words, keys) {
            (None, None) => None,
            (Some(words), None) => Some(words),
            (None, Some(keys)) => Some(keys),
            (Some(words), Some(keys)) => Some(format!("{words}  {keys}")),
        }
    }

    fn paint(&self, ui: &Ui, rect: egui::Rect, response: &Response) {
        let tokens = tokens(ui);
        let (hovered, pressed) = (response.hovered(), response.is_pointer_button_down_on());
        let (fill, line, ink) = match self.look {
            Look::Quiet if !self.enabled => (CLEAR, CLEAR, tokens.text_off),
            _ if !self.enabled => (tokens.sunken, tokens.line, tokens.text_off),
            Look::Primary => (tokens.accent, tokens.accent, tokens.on_accent),
            Look::Plain => (tokens.surface, tokens.outline, tokens.text),
            // An icon is not taken for running text, a word without a frame would be.
            Look::Quiet if self.icon_only => (CLEAR, CLEAR, tokens.text),
            Look::Quiet => (CLEAR, CLEAR, tokens.accent),
            Look::Danger => (tokens.surface, tokens.bad, tokens.bad),
        };
        let (fill, ink) = match (self.look, hovered && self.enabled) {
            (Look::Primary, true) => (tokens.accent.gamma_multiply(0.9), ink),
            (Look::Plain, true) => (if pressed { tokens.accent_soft } else { tokens.sunken }, ink),
            (Look::Quiet, true) => (tokens.sunken, ink),
            (Look::Danger, true) => (tokens.bad_soft, ink),
            (_, false) => (fill, ink),
        };
        let painter = ui.painter();
        let round = CornerRadius::same(size::ROUND_CONTROL);
        painter.rect(rect, round, fill, Stroke::new(1.0, line), StrokeKind::Inside);
        if response.has_focus() {
            let ring = Stroke::new(2.0, tokens.accent);
            painter.rect_stroke(rect.expand(2.0), CornerRadius::same(9), ring, StrokeKind::Outside);
        }
        let word = painter.layout_no_wrap(self.shown().to_owned(), fonts::medium(text::BODY), ink);
        let icon_width = self.icon.map_or(0.0, |_| text::ICON);
        let gap = if self.icon.is_some() && !self.icon_only { space::S - 1.0 } else { 0.0 };
        let left = rect.center().x - (icon_width + gap + word.size().x) / 2.0;
        if let Some(icon) = self.icon {
            let at = egui::pos2(left, rect.center().y);
            if self.icon_only {
                painter.text(at, Align2::LEFT_CENTER, char::from(icon), fonts::icons(text::ICON), ink);
            } else {
                icon_before(painter, at, icon, text::ICON, ink);
            }
        }
        let at = egui::pos2(left + icon_width + gap, rect.center().y - word.size().y / 2.0);
        painter.galley(at, word, ink);
    }

    fn shown(&self) -> &str {
        if self.icon_only { "" } else { self.word }
    }
}

impl Widget for Button<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let font = fonts::medium(text::BODY);
        let word = ui.painter().layout_no_wrap(self.shown().to_owned(), font, tokens(ui).text);
        let icon = self.icon.map_or(0.0, |_| text::ICON + space::S - 1.0);
        let mut wanted = vec2(word.size().x + icon + 2.0 * 13.0, size::CONTROL);
        if self.icon_only {
            wanted.x = size::CONTROL;
        }
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(wanted, sense);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, self.enabled, self.word));
        if ui.is_rect_visible(rect) {
            self.paint(ui, rect, &response);
        }
        match self.tooltip(ui) {
            Some(tooltip) => response.on_hover_text(tooltip),
            None => response,
        }
    }
}
