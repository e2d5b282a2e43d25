//! Where a text wants to be cut: between headings, paragraphs, blocks, sentences, words.

use std::ops::Range;

use frlm_documents::text::next_line_start;
use frlm_inference::tokens::{Estimate, estimate_tokens};
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

/// The splitters look ahead over all they are given for each cut; windows keep the work linear.
const WINDOW_BYTES_PER_TOKEN: usize = 32;
const MIN_WINDOW_BYTES: usize = 2 * 1024;

/// A cluster of joined characters beyond this is cut like any text.
const LONGEST_GRAPHEME_BYTES: usize = 128;

struct Sizer;

impl ChunkSizer for Sizer {
    fn size(&self, chunk: &str) -> usize {
        estimate_tokens(chunk)
    }
}

fn config(max_tokens: usize) -> ChunkConfig<Sizer> {
    ChunkConfig::new(max_tokens).with_sizer(Sizer).with_trim(false)
}

/// The line starts at which a text is cut into pieces of about `max_tokens`, in order.
///
/// Where the splitter can only cut inside a line, as in a paragraph beyond the budget, there is no
/// cut here: such pieces are filled line by line.
pub(super) fn breaks(text: &str, markdown: bool, max_tokens: usize) -> Vec<usize> {
    let text_splitter = TextSplitter::new(config(max_tokens));
    let markdown_splitter = MarkdownSplitter::new(config(max_tokens));
    let mut breaks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let Some(end) = window_end(text, start, max_tokens) else {
            // The splitters take a time that grows with the square of a line's length.
            start = next_line_start(text, start + 1);
            breaks.push(start);
            continue;
        };
        let window = &text[start..end];
        let cuts: Box<dyn Iterator<Item = (usize, &str)>> = if markdown {
            Box::new(markdown_splitter.chunk_indices(window))
        } else {
            Box::new(text_splitter.chunk_indices(window))
        };
        let cuts = cuts.filter_map(|(offset, _)| between_lines(&text[..end], start + offset));
        let known = breaks.len();
        for at in cuts.take_while(|at| *at < end) {
            if at > start && breaks.last().is_none_or(|last| at > *last) {
                breaks.push(at);
            }
        }
        // The window's last piece was cut by the window: it is measured again from its start.
        start = match breaks.get(known..) {
            Some([.., last]) if end < text.len() => *last,
            _ => end,
        };
    }
    breaks.pop_if(|last| *last >= text.len());
    breaks
}

/// The last line start in the window, or nothing if the first line alone is longer.
fn window_end(text: &str, start: usize, max_tokens: usize) -> Option<usize> {
    let length = max_tokens.saturating_mul(WINDOW_BYTES_PER_TOKEN).max(MIN_WINDOW_BYTES);
    let end = start.saturating_add(length);
    if end >= text.len() {
        return Some(text.len());
    }
    memchr::memrchr(b'\n', &text.as_bytes()[start..end]).map(|newline| start + newline + 1)
}

/// The start of the line that a cut stands before, unless it stands inside a line.
fn between_lines(text: &str, at: usize) -> Option<usize> {
    let behind_breaks = text.len() - text[at..].trim_start_matches(['\r', '\n']).len();
    (next_line_start(text, behind_breaks) == behind_breaks).then_some(behind_breaks)
}

/// Cuts a long line at sentences, words or graphemes into pieces of at most `max_tokens`; they
/// cover it.
pub(super) fn cut_line(text: &str, max_tokens: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = start + first_piece(&text[start..], max_tokens);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// The length of the first piece: the last sentence or clause that fits, if that fills half the budget, else
/// the last word. The splitter's segmentation, which is a hundred times slower, is left for text
/// without spaces.
fn first_piece(text: &str, max_tokens: usize) -> usize {
    let mut estimate = Estimate::default();
    let mut sentence = 0;
    let mut sentence_tokens = 0;
    let mut word = 0;
    let mut before = ['\0'; 2];
    for (at, character) in text.char_indices() {
        if before[1] == ' ' && character != ' ' {
            word = at;
            if ".!?;,}".contains(before[0]) {
                sentence = at;
                sentence_tokens = estimate.tokens;
            }
        }
        for byte in &text.as_bytes()[at..at + character.len_utf8()] {
            estimate.push(*byte);
        }
        if estimate.tokens > max_tokens {
            if sentence_tokens * 2 >= max_tokens {
                return sentence;
            }
            if word > 0 {
                return word;
            }
            let window = &text[..text.ceil_char_boundary(at + LONGEST_GRAPHEME_BYTES)];
            let splitter = TextSplitter::new(config(max_tokens));
            let cut = splitter.chunk_indices(window).nth(1).map_or(window.len(), |(offset, _)| offset);
            return cut;
        }
        before = [before[1], character];
    }
    text.len()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
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
