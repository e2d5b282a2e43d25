//! Buttons that put a text into the clipboard, and say so until something else is copied or another screen is opened.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use egui::{Context, Id, Ui};
use lucide_icons::Icon;

use super::Button;

/// What was copied last: a hash of the button's word and of what it copies, never the text itself, which may be money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last(u64);

/// Shows the button; whether it was pressed. `of` tells what it copies from what others of the same word do; `text` is
/// asked for when it is copied, and goes nowhere but into the clipboard.
pub fn copy_ui(ui: &mut Ui, button: Button<'_>, of: impl Hash, text: impl FnOnce() -> String) -> bool {
    let mut hasher = DefaultHasher::new();
    (button.word(), of).hash(&mut hasher);
    let this = Last(hasher.finish());
    let is_last = ui.data(|data| data.get_temp::<Last>(place())) == Some(this);
    let button = if is_last { button.saying("Copied", Icon::Check) } else { button };
    let pressed = ui.add(button).clicked();
    if pressed {
        ui.ctx().copy_text(text());
        ui.data_mut(|data| data.insert_temp(place(), this));
    }
    pressed
}

/// From now on no button says that it has copied something.
pub fn forget_copied(ctx: &Context) {
    ctx.data_mut(|data| data.remove::<Last>(place()));
}

fn place() -> Id {
    Id::unique("copied last")
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::desktop::testing::{click, widgets};

    #[test]
    fn the_button_that_copied_last_says_so_and_no_other() {
        let mut harness = widgets(egui::vec2(300.0, 200.0), |ui| {
            for (word, text) in [("Copy the id", "5e1f"), ("Copy the line", "7 failed")] {
                copy_ui(ui, Button::quiet(word), text, || text.to_owned());
            }
        });
        let saying = |harness: &Harness<'_>| {
            ["Copy the id", "Copy the line", "Copied"].map(|word| harness.query_by_label(word).is_some())
        };
        assert_eq!(saying(&harness), [true, true, false]);
        click(&mut harness, "Copy the id");
        assert_eq!(saying(&harness), [false, true, true]);
        click(&mut harness, "Copy the line");
        assert_eq!(saying(&harness), [true, false, true]);
        forget_copied(&harness.ctx);
        harness.run_ok();
        assert_eq!(saying(&harness), [true, true, false]);
    }
}
