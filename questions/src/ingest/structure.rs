//! Where a text wants to be cut: between headings, paragraphs, blocks, sentences, words.

use std::ops::Range;

use frlm_documents::text::{Line, is_blank, lines};
use frlm_inference::tokens::{Estimate, estimate_tokens};
use text_splitter::{ChunkConfig, ChunkSizer, TextSplitter};

use super::cuts::{Rank, Unit, cuts};

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

/// The line starts at which prose or code is cut into parts of at most `max_tokens`, in order.
pub(super) fn breaks(text: &str, markdown: bool, max_tokens: usize) -> Vec<usize> {
    let lines: Vec<Line> = lines(text).collect();
    let mut before = Rank::Nowhere;
    let (mut is_behind_blank, mut is_fenced) = (true, false);
    let units: Vec<Unit<'_>> = lines
        .iter()
        .map(|line| {
            let content = &text[line.bytes()];
            let is_code = is_fenced;
            is_fenced ^= markdown && is_fence(content);
            let begins = std::mem::replace(&mut is_behind_blank, is_blank(content)) && !is_code;
            let rank = match before {
                _ if is_behind_blank => Rank::Nowhere,
                _ if markdown && !is_code && is_heading(content) => Rank::Heading,
                Rank::Heading => Rank::Line,
                _ if begins => Rank::Block,
                _ => Rank::Line,
            };
            if rank != Rank::Nowhere {
                before = rank;
            }
            let goes_on = !is_behind_blank && !begins && rank != Rank::Heading;
            Unit { rank, text: content, goes_on, tokens: estimate_tokens(content) }
        })
        .collect();
    cuts(&units, max_tokens).into_iter().map(|at| lines[at].start).collect()
}

fn is_heading(line: &str) -> bool {
    let behind = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - behind.len())) && behind.starts_with(' ')
}

/// Whether code begins or ends at this line.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
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
