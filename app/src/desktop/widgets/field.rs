//! Text fields of one line, each under its label.

use egui::{Margin, Stroke, TextEdit, Ui};

use super::{hint, small};
use crate::desktop::theme::tokens;
use crate::desktop::theme::tokens::space;

/// Height of a field's label with the gap below it: what stands beside a field stands so much lower.
pub const FIELD_LABEL: f32 = 19.0;
/// The longest text that a field takes, in characters.
const LONGEST: usize = 500;

/// A field; the text as it is now, if it was changed.
pub fn field_ui(ui: &mut Ui, label: &str, value: &str, example: &str, width: f32) -> Option<String> {
    checked_field_ui(ui, label, value, example, width, None)
}

/// A field that is marked while its text cannot be used: its label says why, where there was room already.
pub fn checked_field_ui(
    ui: &mut Ui,
    label: &str,
    value: &str,
    example: &str,
    width: f32,
    problem: Option<&str>,
) -> Option<String> {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = space::XS;
        ui.set_width(width);
        let words = match problem {
            None => small(ui, label),
            Some(why) => {
                let bad = tokens(ui).bad;
                let mark = Stroke::new(1.5, bad);
                let visuals = ui.visuals_mut();
                visuals.widgets.inactive.bg_stroke = mark;
                visuals.widgets.hovered.bg_stroke = mark;
                visuals.selection.stroke = mark;
                // Most problems name their field.
                let named = why.starts_with(label);
                small(ui, &if named { why.to_owned() } else { format!("{label}: {why}") }).color(bad)
            }
        };
        let label = ui.label(words);
        let mut text = value.to_owned();
        let field = ui.add(
            TextEdit::singleline(&mut text)
                .id_salt(label.id)
                .hint_text(hint(example))
                .desired_width(width)
                .char_limit(LONGEST)
                .margin(Margin::symmetric(10, 8)),
        );
        field.labelled_by(label.id).changed().then_some(text)
    })
    .inner
}
