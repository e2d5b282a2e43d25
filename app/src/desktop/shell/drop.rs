//! Files, folders and text that are dropped or pasted anywhere on the window.

use egui::{
    Align2, Context, CornerRadius, Event, Id, LayerId, Order, Rect, Stroke, StrokeKind, Theme, Vec2, vec2,
};
use lucide_icons::Icon;

use crate::desktop::command::Command;
use crate::desktop::screens::{Screen, ask};
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::{DARK, LIGHT, size, text};

/// Text shorter than this is a slip rather than a document.
const SHORTEST: usize = 40;
/// What says what dropping would do.
const CARD: Vec2 = vec2(460.0, 156.0);

/// What was dropped or pasted, as commands. `wanted`: the clipboard was asked for its text, so that it is a document
/// however short it is.
pub fn dropped(ctx: &Context, wanted: bool) -> Vec<Command> {
    let typing = ctx.egui_wants_keyboard_input();
    let (files, pasted) = ctx.input(|input| {
        let files: Vec<_> = input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect();
        let pasted = input.raw.events.iter().find_map(|event| {
            let Event::Paste(text) = event else { return None };
            (!typing && (wanted || text.len() >= SHORTEST)).then(|| text.clone())
        });
        (files, pasted)
    });
    let mut commands = Vec::new();
    if !files.is_empty() {
        commands.extend([Command::Ask(ask::Action::Add(files)), Command::Go(Screen::Ask)]);
    }
    if let Some(text) = pasted {
        commands.extend([Command::Ask(ask::Action::Paste(text)), Command::Go(Screen::Ask)]);
    }
    commands
}

/// While something hangs over the window, the window says what dropping it would do.
pub fn hover_ui(ctx: &Context) {
    if ctx.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let tokens = if ctx.theme() == Theme::Dark { DARK } else { LIGHT };
    let painter = ctx.layer_painter(LayerId::new(Order::Foreground, Id::unique("drop")));
    let window = ctx.content_rect();
    painter.rect_filled(window, 0.0, tokens.veil);
    // On a ground of its own: on the veil, what lies below it shows between the letters.
    let card = Rect::from_center_size(window.center(), CARD);
    let (round, line) = (CornerRadius::same(size::ROUND), Stroke::new(2.0, tokens.accent));
    painter.rect(card, round, tokens.raised, line, StrokeKind::Inside);
    for (below, words, font, ink) in [
        (44.0, &*char::from(Icon::FilePlus).to_string(), fonts::icons(32.0), tokens.accent),
        (90.0, "Drop to ask about it", fonts::strong(text::HEADING), tokens.text),
        (
            117.0,
            "Files and folders become documents of your question.",
            fonts::body(text::BODY),
            tokens.text_soft,
        ),
    ] {
        painter.text(card.center_top() + vec2(0.0, below), Align2::CENTER_CENTER, words, font, ink);
    }
}

#[cfg(test)]
mod tests {
    use egui::RawInput;

    use super::*;

    fn pasted(text: &str, wanted: bool) -> Vec<Command> {
        let ctx = Context::default();
        let input = RawInput { events: vec![Event::Paste(text.to_owned())], ..RawInput::default() };
        let mut commands = Vec::new();
        let _ = ctx.run_ui(input, |ui| commands = dropped(ui.ctx(), wanted));
        commands
    }

    #[test]
    fn a_slip_is_no_document_unless_the_clipboard_was_asked_for() {
        let long = "2026-03-02 order=4001 user=ida.holm status=failed";
        let document =
            |text: &str| [Command::Ask(ask::Action::Paste(text.to_owned())), Command::Go(Screen::Ask)];
        assert_eq!(pasted(long, false), document(long));
        assert_eq!(pasted("short", false), []);
        assert_eq!(pasted("short", true), document("short"));
    }
}
