//! QR codes: what a phone's camera takes over from the screen.

use std::sync::Arc;

use egui::{Color32, Id, Rect, Role, Sense, Ui, WidgetInfo, epaint::Mesh, pos2, vec2};
use qrcode::{Color, EcLevel, QrCode};

use super::soft;
use crate::desktop::theme::tokens::{PAPER, PRINT};

/// Empty modules around a code (ISO/IEC 18004, 7.3.8): readers find it by them.
const QUIET: usize = 4;
/// Where a module is smaller than this, cameras cannot tell one from the next.
const SMALLEST_MODULE: f32 = 1.9;

/// A code, or that a text makes none that can be read.
type Drawn = Option<Arc<QrCode>>;

/// The code of a text, on paper in both themes, at most so wide. A text that is too long for a code
/// of this size is told so.
pub fn qr_ui(ui: &mut Ui, name: &str, text: &str, width: f32) {
    let Some(code) = drawn(ui, text) else {
        ui.label(soft(ui, "Too long for a QR code: copy the text."));
        return;
    };
    let modules = code.width() + 2 * QUIET;
    let module = width / modules as f32;
    if module < SMALLEST_MODULE {
        ui.label(soft(ui, "Too long for a QR code of this size: copy the text."));
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(width, width), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    if ui.is_rect_visible(rect) {
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(rect, PAPER);
        dark_runs(&code, |row, from, to| add(&mut mesh, rect, module, (row, from, to), PRINT));
        ui.painter().add(mesh);
    }
}

fn add(mesh: &mut Mesh, rect: Rect, module: f32, (row, from, to): (usize, usize, usize), ink: Color32) {
    let at = |column: usize, row: usize| {
        let place = |number: usize| (number + QUIET) as f32 * module;
        pos2(rect.left() + place(column), rect.top() + place(row))
    };
    mesh.add_colored_rect(Rect::from_min_max(at(from, row), at(to, row + 1)), ink);
}

/// Each run of dark modules: row, first column, the column after the last.
fn dark_runs(code: &QrCode, mut each: impl FnMut(usize, usize, usize)) {
    let width = code.width();
    for (row, modules) in code.to_colors().chunks(width).enumerate() {
        let mut from = None;
        for column in 0..=width {
            let dark = modules.get(column) == Some(&Color::Dark);
            match (dark, from) {
                (true, None) => from = Some(column),
                (false, Some(first)) => {
                    each(row, first, column);
                    from = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
    }
}

/// The code, made once for as long as the same text is shown.
fn drawn(ui: &Ui, text: &str) -> Drawn {
    let id = Id::unique(("qr", text));
    ui.data_mut(|data| data.get_temp_mut_or_insert_with::<Drawn>(id, || encode(text)).clone())
}

/// The densest code, since a screen is not smudged.
fn encode(text: &str) -> Drawn {
    QrCode::with_error_correction_level(text, EcLevel::L).ok().map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_are_exactly_the_dark_modules() {
        let code = encode("LNBC640N1P").unwrap();
        let mut dark = vec![Color::Light; code.width() * code.width()];
        dark_runs(&code, |row, from, to| {
            dark[row * code.width() + from..row * code.width() + to].fill(Color::Dark);
        });
        assert_eq!(dark, code.to_colors());
    }

    #[test]
    fn what_no_code_can_hold_makes_none() {
        assert!(encode(&"x".repeat(4_000)).is_none());
    }
}
