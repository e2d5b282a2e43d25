//! How it shows that something can be used: the ground of what is chosen or pointed at, and the ring round what
//! keys act on.

use egui::{Color32, CornerRadius, Painter, Rect, Response, Stroke, StrokeKind};

use crate::desktop::theme::tokens::{CLEAR, Tokens};

/// The ground of one of several that can be chosen.
pub fn ground(colours: &Tokens, chosen: bool, pointed_at: bool) -> Color32 {
    match (chosen, pointed_at) {
        (true, _) => colours.accent_soft,
        (false, true) => colours.sunken,
        (false, false) => CLEAR,
    }
}

/// The edge of the chosen one: its ground is told from what is around it by colour alone, and hardly.
pub fn edge(colours: &Tokens, chosen: bool) -> Stroke {
    Stroke::new(1.0, if chosen { colours.accent } else { CLEAR })
}

/// The ring within the edge of what has the focus; none round what has it not.
pub fn focus_ring(painter: &Painter, response: &Response, rect: Rect, round: u8, colours: &Tokens) {
    if response.has_focus() {
        let ring = Stroke::new(2.0, colours.accent);
        painter.rect_stroke(rect, CornerRadius::same(round), ring, StrokeKind::Inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::theme::tokens::{DARK, LIGHT};

    #[test]
    fn what_is_chosen_has_an_edge_and_what_is_not_has_none() {
        for colours in [LIGHT, DARK] {
            assert_eq!(edge(&colours, true).color, colours.accent);
            assert_eq!(edge(&colours, false).color, CLEAR);
        }
    }
}
