//! Rectangles, and the turn between a page as shown and text that runs from left to right.

use hayro_interpret::kurbo::{Affine, Point};

use crate::block::Bounds;

/// Coordinates beyond this are no place on a page.
const FAR: f64 = 1.0e6;

/// A rectangle that holds nothing and grows by union.
pub(super) const NOTHING: Bounds =
    Bounds { left: f32::INFINITY, top: f32::INFINITY, right: f32::NEG_INFINITY, bottom: f32::NEG_INFINITY };

pub(super) fn width(bounds: Bounds) -> f32 {
    bounds.right - bounds.left
}

pub(super) fn height(bounds: Bounds) -> f32 {
    bounds.bottom - bounds.top
}

/// How much of the lower of the two heights both share, from 0 to 1.
pub(super) fn shared_height(one: Bounds, other: Bounds) -> f32 {
    let shared = one.bottom.min(other.bottom) - one.top.max(other.top);
    shared / height(one).min(height(other)).max(0.01)
}

/// Whether the middle of `inner` lies in `outer`.
pub(super) fn holds(outer: Bounds, inner: Bounds) -> bool {
    let (x, y) = (f32::midpoint(inner.left, inner.right), f32::midpoint(inner.top, inner.bottom));
    outer.left <= x && x <= outer.right && outer.top <= y && y <= outer.bottom
}

/// A number of the page as this reader keeps it; `None` where it is no place.
pub(super) fn narrow(value: f64) -> Option<f32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "pages are far smaller than what a float tells apart"
    )]
    (value.abs() < FAR).then_some(value as f32)
}

/// Turns points of the page about its middle, so that most of its text runs from left to right, and back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    to_text: Affine,
    to_page: Affine,
}

impl Turn {
    /// By this many degrees against the direction in which the text runs.
    pub fn new(degrees: f32, page_width: f32, page_height: f32) -> Self {
        let middle = Point::new(f64::from(page_width) / 2.0, f64::from(page_height) / 2.0);
        let to_text = Affine::rotate_about(-f64::from(degrees).to_radians(), middle);
        let to_page = Affine::rotate_about(f64::from(degrees).to_radians(), middle);
        Self { to_text, to_page }
    }

    /// A point of the page, where its text runs from left to right.
    pub fn text_point(&self, x: f32, y: f32) -> (f32, f32) {
        let point = self.to_text * Point::new(f64::from(x), f64::from(y));
        (narrow(point.x).unwrap_or_default(), narrow(point.y).unwrap_or_default())
    }

    /// The rectangle of the page that a rectangle of text fills.
    pub fn page_bounds(&self, bounds: Bounds) -> Bounds {
        turned(self.to_page, bounds)
    }

    /// The rectangle of text that a rectangle of the page fills.
    pub fn text_bounds(&self, bounds: Bounds) -> Bounds {
        turned(self.to_text, bounds)
    }
}

fn turned(turn: Affine, bounds: Bounds) -> Bounds {
    let corners = [
        (bounds.left, bounds.top),
        (bounds.right, bounds.top),
        (bounds.left, bounds.bottom),
        (bounds.right, bounds.bottom),
    ];
    corners.iter().fold(NOTHING, |all, (x, y)| {
        let point = turn * Point::new(f64::from(*x), f64::from(*y));
        let (x, y) = (narrow(point.x).unwrap_or_default(), narrow(point.y).unwrap_or_default());
        all.union(Bounds { left: x, top: y, right: x, bottom: y })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_and_its_way_back_lead_to_the_same_place() {
        let turn = Turn::new(90.0, 600.0, 800.0);
        let bounds = Bounds { left: 10.0, top: 20.0, right: 30.0, bottom: 60.0 };
        let back = turn.page_bounds(turn.text_bounds(bounds));
        assert!((back.left - 10.0).abs() < 0.01 && (back.bottom - 60.0).abs() < 0.01);
        // Text that runs downwards along the right edge starts at the upper left once turned.
        let (x, y) = turn.text_point(590.0, 100.0);
        assert!(x < 300.0 && y < 300.0, "{x} {y}");
    }

    #[test]
    fn what_lies_far_beyond_every_page_is_no_place() {
        assert_eq!(narrow(f64::NAN), None);
        assert_eq!(narrow(1.0e12), None);
        assert_eq!(narrow(3.5), Some(3.5));
    }
}
