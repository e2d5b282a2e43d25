//! Where the lines of a text are.

use std::ops::Range;

use memchr::memchr_iter;

/// One line with its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// First byte.
    pub start: usize,
    /// One past the last byte, the line ending included.
    pub end: usize,
    /// Counted from 1.
    pub number: u32,
}

impl Line {
    /// Where it stands in the text, the line ending included.
    pub fn bytes(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The lines of a text in order; together they cover it.
pub fn lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    let unterminated = !text.is_empty() && !text.ends_with('\n');
    memchr_iter(b'\n', text.as_bytes())
        .map(|newline| newline + 1)
        .chain(unterminated.then_some(text.len()))
        .scan((0, 0_u32), |(start, number), end| {
            *number = number.saturating_add(1);
            Some(Line { start: std::mem::replace(start, end), end, number: *number })
        })
}

/// A line, or several, without the last line ending.
pub fn without_ending(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Whether there is nothing to ask about.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace()) || text.trim().is_empty()
}

/// Line breaks in a text.
pub fn count_breaks(text: &str) -> u32 {
    u32::try_from(memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(u32::MAX)
}

/// The start of the first line that begins at or after a byte, or the end of the text.
pub fn next_line_start(text: &str, at: usize) -> usize {
    if at == 0 || text.as_bytes()[at - 1] == b'\n' {
        return at;
    }
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_the_text_whatever_their_ending() {
        let text = "a\r\nb\n\nlast";
        let found: Vec<_> = lines(text).collect();
        assert_eq!(found.iter().map(|line| &text[line.bytes()]).collect::<String>(), text);
        assert_eq!(found.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(without_ending(&text[found[0].bytes()]), "a");
        assert!(lines("").next().is_none());
    }

    #[test]
    fn the_next_line_start_is_found() {
        let text = "ab\ncd\n";
        assert_eq!(next_line_start(text, 1), 3);
        assert_eq!(next_line_start(text, 3), 3);
        assert_eq!(next_line_start(text, 4), 6);
    }
}
