//! Tables of figures: lines that hold no buttons, and figures that end at the same edge.

use egui::{Grid, Role, Sense, TextStyle, TextWrapMode, Ui, WidgetInfo, WidgetText, vec2};

use crate::desktop::theme::tokens::space;
use crate::desktop::widgets::small;

/// Height of a line.
const LINE: f32 = 20.0;

/// A grid of so many columns. It has one more, which stays empty: what stands last has all the room that is left, and a
/// figure there would end at its far edge.
pub fn grid(name: &str, columns: usize) -> Grid {
    Grid::new(name).num_columns(columns + 1).min_row_height(LINE).spacing([space::XL, space::S])
}

/// The columns' names; those from `figures` on, except for the last `words`, stand over figures.
pub fn head_ui(ui: &mut Ui, titles: &[&str], figures: usize, words: usize) {
    for (at, title) in titles.iter().enumerate() {
        if at < figures || at + words >= titles.len() {
            ui.label(small(ui, title));
        } else {
            figure_ui(ui, small(ui, title));
        }
    }
    ui.end_row();
}

/// A figure in a cell, at its right edge.
pub fn figure_ui(ui: &mut Ui, figure: impl Into<WidgetText>) {
    let room = ui.available_width();
    let galley = figure.into().into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body);
    // What it takes is its own width, so that a column is as wide as its widest figure.
    let (id, cell) = ui.allocate_space(galley.size());
    let place = cell.translate(vec2((room - galley.size().x).max(0.0), 0.0));
    let response = ui.interact(place, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, galley.text()));
    ui.painter().galley(place.min, galley, ui.visuals().text_color());
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::desktop::testing::widgets;

    #[test]
    fn figures_of_a_column_end_at_the_same_edge_and_those_of_the_last_one_too() {
        let mut drawn = widgets(vec2(500.0, 200.0), |ui| {
            grid("figures", 3).show(ui, |ui| {
                head_ui(ui, &["Venue", "Decisions", "Sats"], 1, 0);
                for (venue, decisions, sats) in [("local", "7", "0"), ("swarm", "1204", "36.5")] {
                    ui.label(venue);
                    figure_ui(ui, decisions);
                    figure_ui(ui, sats);
                    ui.end_row();
                }
            });
        });
        // The widths of columns are known after the first frame.
        drawn.run_ok();
        let right = |words: &str| drawn.get_by_label(words).rect().right();
        for (one, other) in [("Decisions", "7"), ("7", "1204"), ("Sats", "36.5"), ("0", "36.5")] {
            assert!((right(one) - right(other)).abs() < 1.0, "{one} and {other}");
        }
        assert!(right("36.5") < 400.0, "the last column is as wide as what stands in it");
    }
}
