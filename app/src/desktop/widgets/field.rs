//! Text fields of one line, each under its label.

use egui::{Margin, TextEdit, Ui};

use super::small;
use crate::desktop::theme::tokens::space;

/// The longest text that a field takes, in characters.
const LONGEST: usize = 500;

/// A field; the text as it is now, if it was changed.
pub fn field_ui(ui: &mut Ui, label: &str, value: &str, hint: &str, width: f32) -> Option<String> {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = space::XS;
        ui.set_width(width);
        let label = ui.label(small(ui, label));
        let mut text = value.to_owned();
        let field = ui.add(
            TextEdit::singleline(&mut text)
                .id_salt(label.id)
                .hint_text(hint)
                .desired_width(width)
                .char_limit(LONGEST)
                .margin(Margin::symmetric(10, 8)),
        );
        field.labelled_by(label.id).changed().then_some(text)
    })
    .inner
}
