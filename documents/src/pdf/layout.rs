//! What stands on a page, in reading order: paragraphs and tables, column by column.

use super::align;
use super::columns;
use super::geometry::{self, NOTHING, Turn};
use super::grid;
use super::line::{self, Element, Line, Row};
use super::paragraph::{self, Paragraph};
use super::segment::{self, Segment};
use super::sheet::Sheet;
use super::table::Table;
use super::unicode;
use super::word::{self, Gaps};
use crate::block::Bounds;

/// A page's text before it is known what repeats over pages.
pub(super) struct Parts {
    pub number: u32,
    pub turn: Turn,
    pub area: Bounds,
    pub segments: Vec<Segment>,
    pub tables: Vec<Table>,
    /// Level lines that are no part of a table.
    pub rules: Vec<Bounds>,
    /// Text beside the page's own, at a right angle to it.
    pub aside: bool,
}

/// Something that stands in a column.
pub(super) enum Item {
    Paragraph(Paragraph),
    Table(Table),
}

/// A page's columns in reading order.
pub(super) struct Layout {
    pub number: u32,
    pub turn: Turn,
    pub area: Bounds,
    pub columns: Vec<Vec<Item>>,
    pub rules: Vec<Bounds>,
    pub aside: bool,
}

/// Finds ruled tables and lines of text.
pub(super) fn parts(number: u32, sheet: Sheet, aside: bool) -> Parts {
    let gaps = Gaps::of(&sheet.glyphs);
    let mut words = word::words(sheet.glyphs, gaps);
    // What the file cannot tell the characters of is counted, not read.
    let unknown =
        |word: &word::Word| word.glyphs.iter().filter(|glyph| glyph.letters.first() == '\u{fffd}').count();
    words.retain(|word| unknown(word) * 2 < word.glyphs.len());
    let (tables, words, rules) = grid::tables(words, &sheet.rules, &sheet.fills);
    Parts {
        number,
        turn: sheet.turn,
        area: sheet.area,
        segments: segment::segments(words),
        tables,
        rules,
        aside,
    }
}

/// Puts the parts of a page into reading order.
pub(super) fn layout(parts: Parts) -> Layout {
    let backwards = runs_backwards(&parts.segments);
    let mut elements: Vec<Element<Table>> = parts.segments.into_iter().map(Element::Segment).collect();
    elements.extend(parts.tables.into_iter().map(|table| {
        let bounds = table.bounds;
        Element::Other(table, bounds)
    }));
    let found = columns::columns(elements, backwards);
    let columns = found.into_iter().map(|column| items(column, &parts.rules)).collect();
    Layout {
        number: parts.number,
        turn: parts.turn,
        area: parts.area,
        columns,
        rules: parts.rules,
        aside: parts.aside,
    }
}

/// Whether most letters belong to scripts that run from right to left.
pub(super) fn runs_backwards(segments: &[Segment]) -> bool {
    let (mut right, mut all) = (0_usize, 0_usize);
    for glyph in segments.iter().flat_map(Segment::glyphs) {
        let letter = glyph.letters.first();
        all += usize::from(letter.is_alphabetic());
        right += usize::from(unicode::is_right_to_left(letter));
    }
    right * 2 > all
}

fn items(column: Vec<Element<Table>>, rules: &[Bounds]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let rows = line::rows(column);
    let edges = edges(rows.iter().filter_map(|row| match row {
        Row::Line(line) => Some(line),
        Row::Other(_) => None,
    }));
    for row in rows {
        match row {
            Row::Line(line) => lines.push(line),
            Row::Other(table) => {
                texts(std::mem::take(&mut lines), edges, rules, &mut items);
                items.push(Item::Table(table));
            }
        }
    }
    texts(lines, edges, rules, &mut items);
    items
}

/// Tables that only the places of their cells tell, and paragraphs.
fn texts(lines: Vec<Line>, edges: Bounds, rules: &[Bounds], items: &mut Vec<Item>) {
    for stretch in align::stretches(lines, rules) {
        match stretch {
            align::Stretch::Table(table) => items.push(Item::Table(table)),
            align::Stretch::Lines(lines) => {
                items.extend(paragraph::paragraphs(lines, edges).into_iter().map(Item::Paragraph));
            }
        }
    }
}

/// The column that lines stand in. A single line that sticks out does not widen it.
fn edges<'l>(lines: impl Iterator<Item = &'l Line>) -> Bounds {
    let mut all = NOTHING;
    let mut rights = Vec::new();
    for line in lines {
        all = all.union(line.bounds);
        rights.push((line.bounds.right, line.size));
    }
    rights.sort_by(|one, other| other.0.total_cmp(&one.0));
    if let [(first, size), (second, _), ..] = rights.as_slice()
        && rights.len() >= 6
        && first - second > 2.0 * size
        && geometry::width(all) > 0.0
    {
        all.right = *second;
    }
    all
}
