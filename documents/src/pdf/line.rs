//! Segments of one column → lines, and the text of a line.

use super::columns::Placed;
use super::geometry::{self, NOTHING};
use super::segment::Segment;
use super::unicode::{self, Letters};
use super::word::Word;
use crate::block::Bounds;

/// A line of a column.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// From left to right.
    pub words: Vec<Word>,
    /// The words with which its segments begin: 0 for the first.
    pub parts: Vec<usize>,
    pub bounds: Bounds,
    pub baseline: f32,
    /// The size of most of its letters.
    pub size: f32,
    /// How thick its letters are on average, or 0.
    pub weight: f32,
    /// Whether all letters are as wide as each other; `None` if too few tell.
    pub fixed_width: Option<bool>,
    /// The level of the heading that the file says it belongs to, or 0.
    pub heading: u8,
    pub text: String,
}

impl Line {
    pub fn new(mut segments: Vec<Segment>) -> Self {
        segments.sort_by(|one, other| one.bounds.left.total_cmp(&other.bounds.left));
        let main = segments.iter().max_by_key(|segment| segment.glyphs().count());
        let (baseline, size) = main.map_or((0.0, 1.0), |segment| (segment.baseline, segment.size));
        let mut parts = Vec::with_capacity(segments.len());
        let mut words: Vec<Word> = Vec::new();
        for segment in segments {
            parts.push(words.len());
            words.extend(segment.words);
        }
        let mut line = Self {
            words,
            parts,
            bounds: NOTHING,
            baseline,
            size,
            weight: 0.0,
            fixed_width: None,
            heading: 0,
            text: String::new(),
        };
        line.measure();
        line
    }

    fn measure(&mut self) {
        self.bounds = self.words.iter().fold(NOTHING, |all, word| all.union(word.bounds));
        let glyphs = || self.words.iter().flat_map(|word| &word.glyphs);
        let weights = || glyphs().map(|glyph| glyph.weight).filter(|weight| *weight > 0.0);
        let count = weights().count();
        self.weight = if count > 0 { weights().sum::<f32>() / count as f32 } else { 0.0 };
        self.heading = glyphs().next().map_or(0, |glyph| glyph.heading);
        self.fixed_width = fixed_width(&self.words);
        self.text = text_of(&self.words);
    }

    /// The words of its part with this index.
    pub fn part(&self, index: usize) -> &[Word] {
        let from = self.parts.get(index).copied().unwrap_or(self.words.len());
        let until = self.parts.get(index + 1).copied().unwrap_or(self.words.len());
        self.words.get(from..until).unwrap_or_default()
    }
}

/// A line of a column, or something else that stands in it, such as a table found by its rules.
pub(super) enum Row<T> {
    Line(Line),
    Other(T),
}

/// What stands in a column: segments, and what was found before them.
pub(super) enum Element<T> {
    Segment(Segment),
    Other(T, Bounds),
}

impl<T> Placed for Element<T> {
    fn bounds(&self) -> Bounds {
        match self {
            Self::Segment(segment) => segment.bounds,
            Self::Other(_, bounds) => *bounds,
        }
    }

    fn size(&self) -> f32 {
        match self {
            Self::Segment(segment) => segment.size,
            Self::Other(..) => 0.0,
        }
    }
}

/// The rows of a column, from top to bottom.
pub(super) fn rows<T>(column: Vec<Element<T>>) -> Vec<Row<T>> {
    let mut others = Vec::new();
    let mut segments = Vec::new();
    for element in column {
        match element {
            Element::Segment(segment) => segments.push(segment),
            Element::Other(other, bounds) => others.push((other, bounds)),
        }
    }
    others.sort_by(|one, other| other.1.top.total_cmp(&one.1.top));
    let mut rows = Vec::new();
    for line in lines(segments) {
        while others.last().is_some_and(|(_, bounds)| bounds.top < line.bounds.top) {
            rows.extend(others.pop().map(|(other, _)| Row::Other(other)));
        }
        rows.push(Row::Line(line));
    }
    rows.extend(others.into_iter().rev().map(|(other, _)| Row::Other(other)));
    rows
}

/// Segments at one height are one line.
pub(super) fn lines(mut segments: Vec<Segment>) -> Vec<Line> {
    segments.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut groups: Vec<(Bounds, usize, Vec<Segment>)> = Vec::new();
    for segment in segments {
        let letters = segment.glyphs().count();
        // A line may be preceded by its own superscript, whose baseline is higher.
        let fits = |(main, _, members): &(Bounds, usize, Vec<Segment>)| {
            geometry::shared_height(*main, segment.bounds) >= 0.5
                && members
                    .iter()
                    .all(|member| apart(member.bounds, segment.bounds) && alike(member, &segment))
        };
        let recent = groups.iter().rposition(fits).filter(|index| index + 4 > groups.len());
        match recent.and_then(|index| groups.get_mut(index)) {
            Some((main, most, members)) => {
                if letters > *most {
                    (*main, *most) = (segment.bounds, letters);
                }
                members.push(segment);
            }
            None => groups.push((segment.bounds, letters, vec![segment])),
        }
    }
    let mut lines: Vec<Line> = groups.into_iter().map(|(_, _, members)| Line::new(members)).collect();
    initials_joined(&mut lines);
    lines.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    lines
}

/// Whether two segments are of one line by their sizes: a large initial beside small lines is not.
fn alike(one: &Segment, other: &Segment) -> bool {
    let (small, large) = (one.size.min(other.size), one.size.max(other.size));
    large <= 2.2 * small || (one.baseline - other.baseline).abs() < 0.1 * small
}

/// Whether two segments stand beside each other, not over each other.
fn apart(one: Bounds, other: Bounds) -> bool {
    let shared = one.right.min(other.right) - one.left.max(other.left);
    shared < 0.3 * geometry::width(one).min(geometry::width(other)).max(1.0)
}

/// A large initial belongs to the first of the lines beside it.
fn initials_joined(lines: &mut Vec<Line>) {
    let mut index = 0;
    while index < lines.len() {
        let initial = &lines[index];
        let is_initial = initial.words.len() == 1
            && initial.text.chars().count() == 1
            && initial.text.chars().all(char::is_alphabetic);
        let bounds = initial.bounds;
        let beside = |line: &Line| {
            line.size * 1.8 < initial.size
                && line.bounds.left >= bounds.right - 0.2 * line.size
                && line.bounds.left < bounds.right + 1.2 * line.size
                && line.bounds.top > bounds.top - line.size
                && line.baseline < bounds.bottom
        };
        let first = lines.iter().enumerate().filter(|(_, line)| is_initial && beside(line));
        let first =
            first.min_by(|one, other| one.1.baseline.total_cmp(&other.1.baseline)).map(|(first, _)| first);
        let Some(first) = first else {
            index += 1;
            continue;
        };
        let initial = lines.remove(index);
        let first = if first > index { first - 1 } else { first };
        let line = &mut lines[first];
        line.text.insert_str(0, &initial.text);
        line.bounds =
            line.bounds.union(Bounds { bottom: line.bounds.bottom, top: line.bounds.top, ..initial.bounds });
        line.words.splice(0..0, initial.words);
        for part in line.parts.iter_mut().skip(1) {
            *part += 1;
        }
    }
}

/// Whether letters that are narrow in most fonts are as wide as the others.
fn fixed_width(words: &[Word]) -> Option<bool> {
    let glyphs =
        || words.iter().flat_map(|word| &word.glyphs).filter(|glyph| glyph.letters.first().is_ascii());
    let share = |glyph: &super::sheet::Glyph| (glyph.right - glyph.left) / glyph.size;
    let width = |letters: &str| {
        let found = glyphs().find(|glyph| letters.contains(glyph.letters.first()));
        found.map(share)
    };
    let narrow = width("iljtfrI.,:;'|!()[]")?;
    let wide = width("abdeghknopqumwxyzABCDEGHKMNOPQRUVW")?;
    Some((narrow - wide).abs() < 0.02 && glyphs().all(|glyph| (share(glyph) - wide).abs() < 0.03))
}

/// The text of words that stand side by side, as it is read.
pub(super) fn text_of(words: &[Word]) -> String {
    let space = Letters::default();
    let mut units: Vec<&Letters> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).and_then(|before| words.get(before))
            && has_space(before, word, index == 1)
        {
            units.push(&space);
        }
        units.extend(word.glyphs.iter().map(|glyph| &glyph.letters));
    }
    let mut text = String::with_capacity(units.len());
    match unicode::reading_order(&units) {
        None => {
            for unit in units {
                unit.push_to(&mut text);
            }
        }
        Some(order) => {
            for unit in order.into_iter().filter_map(|index| units.get(index)) {
                unit.push_to(&mut text);
            }
            text = unicode::with_brackets_turned(&text).unwrap_or(text);
        }
    }
    without_leaders(text)
}

fn has_space(before: &Word, word: &Word, at_start: bool) -> bool {
    let gap = word.bounds.left - before.bounds.right;
    let size = before.size.min(word.size);
    if at_start && before.size < 0.82 * word.size && before.baseline < word.baseline - 0.1 * word.size {
        // The mark of a footnote.
        return true;
    }
    if unicode::is_unspaced(before.last_char()) && unicode::is_unspaced(word.first_char()) {
        return before.space_after && gap > 0.2 * size || gap > 0.9 * size;
    }
    before.space_after && gap > 0.03 * size || gap > 0.13 * size
}

/// Without the dots that lead the eye to a page number.
fn without_leaders(text: String) -> String {
    if !text.contains("....") && !text.contains(". . . ") {
        return text;
    }
    let mut kept: Vec<String> = Vec::new();
    let words: Vec<&str> = text.split(' ').collect();
    let mut index = 0;
    while index < words.len() {
        let dots = words[index..].iter().take_while(|word| **word == ".").count();
        if dots >= 3 {
            index += dots;
            continue;
        }
        let word = words[index];
        if word.contains("....") {
            let parts = word.split("....").map(|part| part.trim_matches('.'));
            kept.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
        } else {
            kept.push(word.to_owned());
        }
        index += 1;
    }
    kept.join(" ")
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::segment::tests::of;
    use super::*;

    pub fn lines_of(texts: &[(&str, f32, f32, f32)]) -> Vec<Line> {
        lines(of(texts))
    }

    #[test]
    fn superscripts_and_far_parts_stay_in_their_line() {
        let lines = lines_of(&[
            ("1", 0.0, 96.0, 6.0),
            ("The note", 4.0, 100.0, 10.0),
            ("far", 200.0, 100.0, 10.0),
            ("next", 0.0, 112.0, 10.0),
        ]);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["1 The note far", "next"]);
        assert_eq!(lines[0].parts.len(), 2);
    }

    #[test]
    fn a_large_initial_joins_its_word() {
        let lines = lines_of(&[
            ("O", 0.0, 124.0, 30.0),
            ("nce upon", 16.0, 108.0, 10.0),
            ("a time", 16.0, 120.0, 10.0),
        ]);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Once upon", "a time"]);
    }

    #[test]
    fn dots_that_lead_to_a_page_number_are_not_text() {
        assert_eq!(without_leaders("Rent . . . . . . 12".to_owned()), "Rent 12");
        assert_eq!(without_leaders("Rent........12".to_owned()), "Rent 12");
        assert_eq!(without_leaders("and so on ...".to_owned()), "and so on ...");
    }
}
