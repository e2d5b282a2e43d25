//! Time as a horizontal axis, and how states look.

use egui::{Color32, EventFilter, Key, Rect, Response, Ui};
use frlm_client::view::SubtaskState;

use crate::desktop::theme::tokens;

/// Milliseconds ↔ points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Where the axis stands.
    pub rect: Rect,
    /// The moment at its left end.
    pub from_ms: u64,
    /// The moment at its right end; after `from_ms`.
    pub to_ms: u64,
}

impl Axis {
    /// An axis over a span; an empty one is widened to a millisecond.
    pub fn new(rect: Rect, from_ms: u64, to_ms: u64) -> Self {
        Self { rect, from_ms, to_ms: to_ms.max(from_ms.saturating_add(1)) }
    }

    /// Where a moment stands, within the axis.
    #[expect(clippy::cast_possible_truncation, reason = "a share of one")]
    pub fn x(&self, at_ms: u64) -> f32 {
        let at = at_ms.clamp(self.from_ms, self.to_ms) - self.from_ms;
        let share = at as f64 / (self.to_ms - self.from_ms) as f64;
        self.rect.left() + share as f32 * self.rect.width()
    }

    /// The moment at a point.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the axis")]
    pub fn ms(&self, x: f32) -> u64 {
        let share = f64::from((x - self.rect.left()) / self.rect.width().max(1.0)).clamp(0.0, 1.0);
        self.from_ms + (share * (self.to_ms - self.from_ms) as f64).round() as u64
    }
}

/// Which way the arrow keys lead along an axis that has the focus: −1, 0 or 1. They are its own meanwhile; else they
/// would move the focus on as well.
pub fn arrows(ui: &Ui, response: &Response) -> i64 {
    if !response.has_focus() {
        return 0;
    }
    if response.gained_focus() {
        // They are kept for it from the next frame on.
        ui.ctx().request_repaint();
    }
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    i64::from(pressed(Key::ArrowRight)) - i64::from(pressed(Key::ArrowLeft))
}

/// How a state is painted: its colour and how much of a cell's height it fills, so that the
/// minimap can be read without colour.
pub fn cell(ui: &Ui, state: SubtaskState) -> (Color32, f32) {
    let tokens = tokens(ui);
    match state {
        SubtaskState::Queued => (tokens.outline, 0.12),
        SubtaskState::Asked => (tokens.text_soft, 0.25),
        SubtaskState::Processing => (tokens.busy, 0.45),
        SubtaskState::Returned => (tokens.accent, 0.7),
        SubtaskState::Verified => (tokens.good, 1.0),
        SubtaskState::GaveUp(_) => (tokens.bad, 1.0),
    }
}

/// "340 ms", "1.2 s", "3:07".
pub fn moment(at_ms: u64) -> String {
    if at_ms < 1_000 {
        return format!("{at_ms} ms");
    }
    let seconds = at_ms / 1_000;
    if seconds < 60 {
        return format!("{seconds}.{} s", at_ms % 1_000 / 100);
    }
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    if minutes < 60 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use egui::{pos2, vec2};

    use super::*;

    #[test]
    fn the_axis_goes_both_ways() {
        let axis = Axis::new(Rect::from_min_size(pos2(100.0, 0.0), vec2(200.0, 10.0)), 1_000, 5_000);
        assert!((axis.x(3_000) - 200.0).abs() < 1e-3);
        assert_eq!(axis.ms(200.0), 3_000);
        assert_eq!((axis.ms(-50.0), axis.ms(999.0)), (1_000, 5_000));
        assert!((axis.x(0) - 100.0).abs() < 1e-3);
    }

    #[test]
    fn an_empty_span_has_an_axis_too() {
        let axis = Axis::new(Rect::from_min_size(pos2(0.0, 0.0), vec2(10.0, 1.0)), 0, 0);
        assert!(axis.x(0).is_finite() && axis.ms(5.0) <= 1);
    }

    #[test]
    fn moments_read_like_a_clock() {
        assert_eq!((moment(40), moment(999)), ("40 ms".to_owned(), "999 ms".to_owned()));
        assert_eq!(moment(1_240), "1.2 s");
        assert_eq!(moment(187_000), "3:07");
        assert_eq!(moment(3_600_000), "1:00:00");
    }
}
