//! Lines of a column → paragraphs.

use super::geometry::{self, NOTHING};
use super::line::Line;
use super::marker::{self, Marker};
use crate::block::Bounds;

/// Lines that are read as one.
#[derive(Debug, Clone)]
pub(super) struct Paragraph {
    pub lines: Vec<Line>,
    pub bounds: Bounds,
    /// The column that it stands in.
    pub column: Bounds,
    pub size: f32,
    pub weight: f32,
    /// All of its letters are as wide as each other.
    pub fixed_width: bool,
    pub heading: u8,
    pub marker: Option<Marker>,
    /// The white space above it, as a share of its size.
    pub above: f32,
    /// Whether its last line goes to the edge of its column.
    pub is_full: bool,
    /// Whether its first line is set in.
    pub is_indented: bool,
}

impl Paragraph {
    fn new(lines: Vec<Line>, column: Bounds, above: f32) -> Option<Self> {
        let first = lines.first()?;
        let bounds = lines.iter().fold(NOTHING, |all, line| all.union(line.bounds));
        let letters: f32 = lines.iter().map(|line| line.text.len() as f32).sum::<f32>().max(1.0);
        let mean = |value: fn(&Line) -> f32| {
            lines.iter().map(|line| value(line) * line.text.len() as f32).sum::<f32>() / letters
        };
        let last = lines.last()?;
        Some(Self {
            bounds,
            column,
            size: mean(|line| line.size),
            weight: mean(|line| line.weight),
            fixed_width: lines.iter().any(|line| line.fixed_width == Some(true))
                && lines.iter().all(|line| line.fixed_width != Some(false)),
            heading: first.heading,
            marker: marker::of(&first.text),
            above,
            is_full: last.bounds.right > column.right - 2.5 * last.size,
            is_indented: lines.len() > 1 && first.bounds.left > bounds.left + 0.8 * first.size
                || lines.len() == 1 && first.bounds.left > column.left + 0.8 * first.size,
            lines,
        })
    }

    /// Whether its lines stand about the middle of its column.
    pub fn is_centred(&self) -> bool {
        self.lines.iter().all(|line| {
            let left = line.bounds.left - self.column.left;
            let right = self.column.right - line.bounds.right;
            left > 2.0 * line.size && (left - right).abs() < 0.15 * geometry::width(self.column)
        })
    }
}

/// What the lines of a column have in common.
struct Measure {
    column: Bounds,
    /// From baseline to baseline, as a share of the size.
    leading: f32,
}

/// The paragraphs of lines that follow each other in a column.
pub(super) fn paragraphs(lines: Vec<Line>, column: Bounds) -> Vec<Paragraph> {
    let measure = Measure { column, leading: leading(&lines) };
    let mut found: Vec<Paragraph> = Vec::new();
    let mut current: Vec<Line> = Vec::new();
    let mut above = 10.0;
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        if let Some(last) = current.last()
            && breaks(&current, last, &line, lines.peek(), &measure)
        {
            let next_above = (line.bounds.top - last.bounds.bottom) / line.size.max(1.0);
            found.extend(Paragraph::new(std::mem::take(&mut current), column, above));
            above = next_above;
        }
        current.push(line);
    }
    found.extend(Paragraph::new(current, column, above));
    found
}

/// The usual distance of two lines, as a share of their size.
fn leading(lines: &[Line]) -> f32 {
    let mut steps: Vec<f32> = lines
        .windows(2)
        .filter(|pair| (pair[0].size - pair[1].size).abs() < 0.06 * pair[0].size)
        .map(|pair| (pair[1].baseline - pair[0].baseline) / pair[1].size.max(1.0))
        .filter(|step| (0.8..2.6).contains(step))
        .collect();
    steps.sort_by(f32::total_cmp);
    // The lower third: paragraphs of single lines have wider steps between them than lines have.
    steps.get(steps.len() / 3).copied().unwrap_or(1.25)
}

/// Whether a paragraph ends before a line.
fn breaks(current: &[Line], last: &Line, line: &Line, next: Option<&Line>, measure: &Measure) -> bool {
    let size = last.size.max(line.size);
    let step = (line.baseline - last.baseline) / line.size.max(1.0);
    let differs = (last.size - line.size).abs() > 0.08 * size;
    let weights = last.weight > 0.0 && line.weight > 0.0;
    let weight_differs = weights && last.weight.max(line.weight) > 1.24 * last.weight.min(line.weight);
    let fixed = |line: &Line| line.fixed_width.unwrap_or(false);
    let fixed_differs =
        last.fixed_width.is_some() && line.fixed_width.is_some() && fixed(last) != fixed(line);
    if step < 0.3
        || step > 1.28 * measure.leading + 0.05
        || differs
        || fixed_differs
        || last.heading != line.heading
    {
        return true;
    }
    // Code keeps its lines together.
    if fixed(last) && line.fixed_width != Some(false) {
        return false;
    }
    if weight_differs {
        // A bold word at the end of a paragraph may stand in a line of its own.
        return line.weight > last.weight || !is_full(last, line, measure) || step > 1.1 * measure.leading;
    }
    if let Some(marker) = marker::of(&line.text)
        && begins_item(current, last, line, &marker, measure)
    {
        return true;
    }
    set_in(current, last, line, next, measure) || set_out(current, line) || ends_early(last, line, measure)
}

/// Whether a line begins an item of a list, not only looks like it.
fn begins_item(current: &[Line], last: &Line, line: &Line, marker: &Marker, measure: &Measure) -> bool {
    let first = current.first().unwrap_or(last);
    let after_item = marker::of(&first.text).is_some_and(|before| before.kind == marker.kind);
    marker.is_bullet()
        || after_item
        || !is_full(last, line, measure)
        || (line.bounds.left - last.bounds.left).abs() > 0.5 * line.size
}

/// Whether a line goes so far to the right that the first word of the next did not fit on it.
fn is_full(last: &Line, line: &Line, measure: &Measure) -> bool {
    let first = line.words.first().map_or(0.0, |word| geometry::width(word.bounds));
    last.bounds.right + 0.25 * last.size + first > measure.column.right - 0.4 * last.size
}

/// The first line of a paragraph is set in.
fn set_in(current: &[Line], last: &Line, line: &Line, next: Option<&Line>, measure: &Measure) -> bool {
    let by = (line.bounds.left - last.bounds.left) / line.size;
    if !(0.7..6.0).contains(&by) {
        // The first lines of two paragraphs of one line each are set in alike.
        let both = current.len() == 1
            && by.abs() < 0.2
            && line.bounds.left > measure.column.left + 0.8 * line.size
            && !is_full(last, line, measure);
        return both && ends_sentence(&last.text);
    }
    // Lines of an item hang below its first; a centred line is no new paragraph by that.
    if current.len() == 1 && marker::of(&last.text).is_some() {
        return false;
    }
    let returns = next.is_none_or(|next| {
        next.bounds.left < line.bounds.left - 0.4 * line.size || (next.size - line.size).abs() > 0.01
    });
    let hangs = current.len() == 1 && !returns;
    !hangs && (ends_sentence(&last.text) || !is_full(last, line, measure) || returns)
}

/// A line at the left edge after lines that hang below a first one begins the next entry.
fn set_out(current: &[Line], line: &Line) -> bool {
    let [first, .., last] = current else {
        let [only] = current else { return false };
        return marker::of(&only.text).is_some() && line.bounds.left < only.bounds.left - 0.4 * line.size;
    };
    let hanging = last.bounds.left > first.bounds.left + 0.5 * line.size;
    hanging && line.bounds.left < last.bounds.left - 0.5 * line.size
}

/// The line before ended although the next word had room.
fn ends_early(last: &Line, line: &Line, measure: &Measure) -> bool {
    if is_full(last, line, measure) {
        return false;
    }
    let room = measure.column.right - last.bounds.right;
    let lower = line.text.chars().next().is_some_and(char::is_lowercase);
    if lower {
        return ends_sentence(&last.text) && room > 0.3 * geometry::width(measure.column);
    }
    true
}

pub(super) fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(|character: char| {
        matches!(character, '"' | '\'' | '”' | '’' | ')' | ']' | '»' | '」' | '』')
            || character.is_whitespace()
    });
    // The mark of a footnote may follow the sentence.
    let text = text.trim_end_matches(|character: char| {
        character.is_ascii_digit() || matches!(character, '*' | '†' | '‡')
    });
    text.ends_with(['.', '?', '!', ':', ';', '。', '！', '？', '：', '؟', '۔', '…'])
}

#[cfg(test)]
mod tests {
    use super::super::line::tests::lines_of;
    use super::*;

    fn read(texts: &[(&str, f32, f32, f32)]) -> Vec<String> {
        let lines = lines_of(texts);
        let column = lines.iter().fold(NOTHING, |all, line| all.union(line.bounds));
        let text = |paragraph: Paragraph| {
            paragraph.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>().join(" / ")
        };
        paragraphs(lines, column).into_iter().map(text).collect()
    }

    #[test]
    fn a_gap_an_indent_or_an_early_end_begins_a_paragraph() {
        let found = read(&[
            ("A paragraph with lines that go to the edge", 0.0, 100.0, 10.0),
            ("of the column and on in the next.", 0.0, 112.0, 10.0),
            ("Another one whose first line is set in so", 12.0, 124.0, 10.0),
            ("that it is seen, and it ends.", 0.0, 136.0, 10.0),
            ("After a gap a third one begins in its turn", 0.0, 160.0, 10.0),
            ("Short.", 0.0, 172.0, 10.0),
            ("Because there was room for more, this begins", 0.0, 184.0, 10.0),
        ]);
        let firsts: Vec<&str> = found.iter().map(|text| text.split(' ').next().unwrap()).collect();
        assert_eq!(firsts, ["A", "Another", "After", "Because"]);
    }

    #[test]
    fn items_begin_with_their_markers_and_hang() {
        let found = read(&[
            ("• an item that goes to the edge of the column", 0.0, 100.0, 10.0),
            ("and hangs", 12.0, 112.0, 10.0),
            ("• another", 0.0, 124.0, 10.0),
            ("(a) one more", 12.0, 136.0, 10.0),
        ]);
        assert_eq!(
            found,
            ["• an item that goes to the edge of the column / and hangs", "• another", "(a) one more"]
        );
    }
}
