//! Where a text wants to be cut: between headings, paragraphs, blocks, sentences, words.

use std::ops::Range;

use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

use super::lines::{line_start, next_line_start};
use super::tokens::estimate_tokens;

/// The splitters look ahead over all they are given for each cut; windows keep the work linear.
const WINDOW_BYTES_PER_TOKEN: usize = 32;
const MIN_WINDOW_BYTES: usize = 16 * 1024;

struct Estimate;

impl ChunkSizer for Estimate {
    fn size(&self, chunk: &str) -> usize {
        estimate_tokens(chunk)
    }
}

fn config(max_tokens: usize) -> ChunkConfig<Estimate> {
    ChunkConfig::new(max_tokens).with_sizer(Estimate).with_trim(false)
}

/// The line starts at which a text is cut into pieces of about `max_tokens`, in order.
///
/// Pieces may be larger where a line is, or where a cut had to move to a line's start.
pub(super) fn breaks(text: &str, markdown: bool, max_tokens: usize) -> Vec<usize> {
    let text_splitter = TextSplitter::new(config(max_tokens));
    let markdown_splitter = MarkdownSplitter::new(config(max_tokens));
    let mut breaks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = next_line_start(text, text.floor_char_boundary(start + window(max_tokens)));
        let window = &text[start..end];
        let cuts: Box<dyn Iterator<Item = (usize, &str)>> = if markdown {
            Box::new(markdown_splitter.chunk_indices(window))
        } else {
            Box::new(text_splitter.chunk_indices(window))
        };
        let mut last = start;
        let mut moved = false;
        for (offset, _) in cuts.skip(1) {
            let (at, aligned) = align(text, start + offset, last);
            if at >= end {
                break;
            }
            if at > last {
                breaks.push(at);
                last = at;
            }
            if !aligned {
                moved = true;
                break;
            }
        }
        if end == text.len() && !moved {
            break;
        }
        if last == start {
            last = end;
            breaks.push(end);
        }
        // The window's last piece was cut by the window: it is measured again from its start.
        start = last;
    }
    breaks.pop_if(|last| *last >= text.len());
    breaks
}

/// Moves a cut to the start of a line behind `floor`, and says whether it already stood between
/// two lines.
fn align(text: &str, at: usize, floor: usize) -> (usize, bool) {
    let behind_breaks = text.len() - text[at..].trim_start_matches(['\r', '\n']).len();
    if next_line_start(text, behind_breaks) == behind_breaks {
        return (behind_breaks, true);
    }
    let back = line_start(text, at);
    (if back > floor { back } else { next_line_start(text, at) }, false)
}

/// Cuts a long line at sentences, words or graphemes into pieces of at most `max_tokens`; they
/// cover it.
pub(super) fn cut_line(text: &str, max_tokens: usize) -> Vec<Range<usize>> {
    let splitter = TextSplitter::new(config(max_tokens));
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = text.ceil_char_boundary(start.saturating_add(window(max_tokens)));
        let mut last = start;
        for (offset, _) in splitter.chunk_indices(&text[start..end]).skip(1) {
            pieces.push(last..start + offset);
            last = start + offset;
        }
        if end == text.len() || last == start {
            pieces.push(last..end);
            last = end;
        }
        start = last;
    }
    pieces
}

fn window(max_tokens: usize) -> usize {
    max_tokens.saturating_mul(WINDOW_BYTES_PER_TOKEN).clamp(MIN_WINDOW_BYTES, usize::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_stay_whole() {
        let text = "one two three four\nfive six\n\nseven eight nine ten\neleven\n";
        let found = breaks(text, false, 16);
        assert_eq!(found, [text.find("seven").unwrap()]);
    }

    #[test]
    fn markdown_is_cut_before_a_heading() {
        let text = "# One\n\nSome words here.\n\n# Two\n\nMore words here.\n";
        assert_eq!(breaks(text, true, 16), [text.find("# Two").unwrap()]);
    }

    #[test]
    fn a_long_line_is_cut_between_words_and_nothing_is_lost() {
        let text = "word ".repeat(100);
        let pieces = cut_line(&text, 16);
        assert!(pieces.len() > 5);
        assert_eq!(pieces.iter().map(|piece| &text[piece.clone()]).collect::<String>(), text);
        assert!(pieces.iter().all(|piece| text[piece.clone()].starts_with("word")));
    }

    #[test]
    fn graphemes_stay_whole_even_without_spaces() {
        let family = "👨‍👩‍👧‍👦";
        let text = family.repeat(40);
        for piece in cut_line(&text, 32) {
            assert_eq!(piece.start % family.len(), 0);
        }
    }
}
