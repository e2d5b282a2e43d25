//! Figures with their labels, and numbers as people read them.

use egui::{RichText, Ui};

use super::{small, soft};
use crate::desktop::theme::fonts;
use crate::desktop::theme::tokens::space;

/// A label, a figure, and a word about it.
pub fn figure_ui(ui: &mut Ui, label: &str, value: &str, about: &str) {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.label(small(ui, label));
        ui.label(RichText::new(value).font(fonts::strong(20.0)));
        if !about.is_empty() {
            ui.label(soft(ui, about).font(fonts::body(12.5)));
        }
    });
    ui.add_space(space::S);
}

/// 1234567 → «1 234 567», with thin gaps.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1\u{2009}000");
        assert_eq!(thousands(1_234_567), "1\u{2009}234\u{2009}567");
    }
}
