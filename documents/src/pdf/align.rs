//! Tables without lines.

use super::line::Line;
use super::table::Table;
use crate::block::Bounds;

/// Lines that follow each other in a column.
pub(super) enum Stretch {
    Lines(Vec<Line>),
    Table(Table),
}

/// The tables among the lines of a column, and what stands between them.
pub(super) fn stretches(lines: Vec<Line>, _rules: &[Bounds]) -> Vec<Stretch> {
    vec![Stretch::Lines(lines)]
}
