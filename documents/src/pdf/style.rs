//! What the running text of a document looks like, and which paragraphs stand out from it as headings.

use std::collections::BTreeMap;

use super::line::Line;
use super::marker;
use super::paragraph::Paragraph;
use super::segment::Segment;

/// Letters this much larger than those of the text make a heading.
const LARGER: f32 = 1.1;
/// Strokes this much thicker are bold.
const BOLDER: f32 = 1.2;

/// The look of a document, learned from its pages.
#[derive(Default)]
pub(super) struct Style {
    /// Letters by size, in half points.
    sizes: BTreeMap<u32, u64>,
    /// Letters and their summed weights by size.
    weights: BTreeMap<u32, (f64, f64)>,
    /// The looks of headings, with how many there are: size in half points, and whether they are bold.
    looks: BTreeMap<(u32, bool), Look>,
}

#[derive(Default)]
struct Look {
    /// How deep the numbers of headings of this look are, at least.
    depth: Option<u8>,
}

/// What is taken for the text of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub size: f32,
    pub weight: f32,
}

fn half_points(size: f32) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are small")]
    let steps = (size.clamp(0.0, 5000.0) * 2.0).round() as u32;
    steps
}

impl Style {
    pub fn learn(&mut self, segment: &Segment) {
        for word in &segment.words {
            let letters = word.glyphs.len() as u64;
            *self.sizes.entry(half_points(word.size)).or_default() += letters;
            let (count, sum) = self.weights.entry(half_points(word.size)).or_default();
            for glyph in word.glyphs.iter().filter(|glyph| glyph.weight > 0.0) {
                *count += 1.0;
                *sum += f64::from(glyph.weight);
            }
        }
    }

    pub fn body(&self) -> Body {
        let most = self.sizes.iter().max_by_key(|(_, letters)| **letters);
        let Some((size, _)) = most else { return Body { size: 10.0, weight: 0.0 } };
        let (count, sum) = self.weights.get(size).copied().unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "a mean of floats")]
        let weight = if count > 0.0 { (sum / count) as f32 } else { 0.0 };
        Body { size: *size as f32 / 2.0, weight }
    }

    /// Remembers how a heading looks, so that levels can be told.
    pub fn learn_heading(&mut self, heading: &Paragraph, body: Body) {
        let look = self.looks.entry(look(heading, body)).or_default();
        if let Some(depth) = heading.lines.first().and_then(|line| marker::heading_depth(&line.text)) {
            look.depth = Some(look.depth.map_or(depth, |known| known.min(depth)));
        }
    }

    /// The level of a heading: larger ones are higher, bold ones higher than others, and numbers count below the first.
    pub fn level(&self, heading: &Paragraph, body: Body) -> u8 {
        if heading.heading > 0 {
            return heading.heading;
        }
        let own = look(heading, body);
        let rank = |look: &(u32, bool)| 1 + self.looks.keys().filter(|other| *other > look).count();
        let depth = heading.lines.first().and_then(|line| marker::heading_depth(&line.text));
        let top = self.looks.iter().rev().find(|(_, look)| look.depth == Some(1)).map(|(look, _)| rank(look));
        let level = match (depth, top) {
            (Some(depth), Some(top)) => top + usize::from(depth) - 1,
            _ => rank(&own),
        };
        u8::try_from(level.clamp(1, 6)).unwrap_or(6)
    }
}

fn look(heading: &Paragraph, body: Body) -> (u32, bool) {
    (half_points(heading.size), is_bold(heading.weight, body))
}

pub(super) fn is_bold(weight: f32, body: Body) -> bool {
    weight > 0.0 && body.weight > 0.0 && weight > BOLDER * body.weight
}

/// Whether a paragraph is a heading, by its look. `followed` says whether text stands below it.
pub(super) fn is_heading(paragraph: &Paragraph, body: Body, followed: bool) -> bool {
    if paragraph.heading > 0 {
        return true;
    }
    let letters: usize = paragraph.lines.iter().map(|line| line.text.chars().count()).sum();
    let Some(first) = paragraph.lines.first() else { return false };
    if paragraph.lines.len() > 4 || letters > 220 || !has_letters(first) || paragraph.fixed_width {
        return false;
    }
    let text = paragraph.lines.last().map_or("", |line| line.text.as_str());
    let number = marker::heading_depth(&first.text);
    let bullet = paragraph.marker.as_ref().is_some_and(super::marker::Marker::is_bullet);
    if bullet || marker::caption(&first.text).is_some() && number.is_none() {
        return false;
    }
    let ends = text.ends_with([',', ';', '،', '、']) || text.ends_with('.') && number.is_none();
    if paragraph.size > LARGER * body.size {
        return !ends || paragraph.size > 1.5 * body.size && paragraph.lines.len() <= 2;
    }
    if ends || paragraph.lines.len() > 2 || letters > 140 || paragraph.size < 0.9 * body.size || !followed {
        return false;
    }
    if is_bold(paragraph.weight, body) {
        return !text.ends_with(':') || number.is_some();
    }
    // Without another look, only a number or capitals tell, and white space around.
    let alone = paragraph.lines.len() == 1 && !paragraph.is_full && paragraph.above > 0.35 && letters <= 80;
    let sentence = text.ends_with(['.', ':', '?', '!']);
    alone
        && (number.is_some() && !sentence && starts_upper(&first.text) && !is_list_number(paragraph)
            || is_capitals(&first.text))
}

/// `1.` and `a)` are lists unless the look says more.
fn is_list_number(paragraph: &Paragraph) -> bool {
    paragraph.marker.is_some()
}

fn has_letters(line: &Line) -> bool {
    line.text.chars().filter(|character| character.is_alphabetic()).count() >= 2
        || line.text.chars().any(super::unicode::is_wide)
}

fn starts_upper(text: &str) -> bool {
    text.chars().find(|character| character.is_alphabetic()).is_some_and(|letter| !letter.is_lowercase())
}

fn is_capitals(text: &str) -> bool {
    let upper = text.chars().filter(|character| character.is_uppercase()).count();
    upper >= 4 && !text.chars().any(char::is_lowercase)
}
