//! Words → segments: words of one line with no wide gap between them. A line of a paragraph is one segment, a row of a table has
//! several.

use super::geometry::{self, NOTHING};
use super::sheet::Glyph;
use super::word::Word;
use crate::block::Bounds;

/// Words further apart belong to two segments, as a share of their size. Gaps of justified lines are narrower, gutters wider.
const WIDEST_GAP: f32 = 0.95;
/// How many pairs of words of a page are looked at. An ordinary page needs a hundred thousand.
const MOST_PAIRS: usize = 8_000_000;

/// Words next to each other, from left to right.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub words: Vec<Word>,
    pub bounds: Bounds,
    pub baseline: f32,
    /// The size of most of its letters.
    pub size: f32,
}

impl Segment {
    pub fn new(words: Vec<Word>) -> Self {
        let bounds = words.iter().fold(NOTHING, |all, word| all.union(word.bounds));
        let main = words.iter().max_by_key(|word| word.glyphs.len());
        let (baseline, size) = main.map_or((bounds.bottom, 1.0), |word| (word.baseline, word.size));
        Self { words, bounds, baseline, size }
    }

    pub fn glyphs(&self) -> impl Iterator<Item = &Glyph> {
        self.words.iter().flat_map(|word| &word.glyphs)
    }

    /// Its characters without spaces, for comparisons.
    pub fn letters(&self) -> String {
        self.words.iter().map(Word::text).collect()
    }
}

/// The segments of a page's words, in no order that means anything.
pub(super) fn segments(mut words: Vec<Word>) -> Vec<Segment> {
    words.sort_by(|one, other| one.bounds.left.total_cmp(&other.bounds.left));
    let links = links(&words);
    let mut has_left = vec![false; words.len()];
    for right in links.iter().flatten() {
        has_left[*right] = true;
    }
    let mut words: Vec<Option<Word>> = words.into_iter().map(Some).collect();
    let mut segments = Vec::new();
    for start in has_left.into_iter().enumerate().filter_map(|(index, has_left)| (!has_left).then_some(index))
    {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(index) = next {
            chain.extend(words[index].take());
            next = links[index];
        }
        segments.push(Segment::new(letters_joined(chain)));
    }
    segments
}

/// For each word the one that follows it on its right, if there is one. The words are sorted by their left edges.
fn links(words: &[Word]) -> Vec<Option<usize>> {
    let mut to_right: Vec<Option<usize>> = vec![None; words.len()];
    let mut to_left: Vec<Option<(usize, f32)>> = vec![None; words.len()];
    let mut pairs = 0;
    for (index, word) in words.iter().enumerate() {
        let from = word.bounds.right - 0.35 * word.size;
        let until = word.bounds.right + 2.0 * WIDEST_GAP * word.size;
        let first = words.partition_point(|other| other.bounds.left < from).max(index + 1);
        let mut best: Option<(usize, f32)> = None;
        for (other_index, other) in words.iter().enumerate().skip(first) {
            pairs += 1;
            if other.bounds.left > until || pairs > MOST_PAIRS {
                break;
            }
            let gap = other.bounds.left - word.bounds.right;
            if best.is_none_or(|(_, best)| gap < best)
                && gap <= WIDEST_GAP * reach(word, other)
                && beside(word, other)
            {
                best = Some((other_index, gap));
            }
        }
        let Some((right, gap)) = best else { continue };
        match to_left[right] {
            Some((_, closer)) if closer <= gap => continue,
            Some((loser, _)) => to_right[loser] = None,
            None => {}
        }
        to_left[right] = Some((index, gap));
        to_right[index] = Some(right);
    }
    to_right
}

/// The size against which the gap between two words is measured.
fn reach(one: &Word, other: &Word) -> f32 {
    let (small, large) = (one.size.min(other.size), one.size.max(other.size));
    if large > 1.6 * small { small } else { large }
}

/// Whether two words stand on one line: superscripts do, the lines next to a large initial do not.
fn beside(one: &Word, other: &Word) -> bool {
    let (small, large) = (one.size.min(other.size), one.size.max(other.size));
    if large > 2.2 * small {
        return (one.baseline - other.baseline).abs() < 0.1 * small;
    }
    let same = (one.baseline - other.baseline).abs() < 0.15 * large;
    same || geometry::shared_height(one.bounds, other.bounds) >= 0.5
        && (one.baseline - other.baseline).abs() < 0.6 * large
}

/// Letters set apart for emphasis are one word again.
fn letters_joined(words: Vec<Word>) -> Vec<Word> {
    let letters =
        words.iter().filter(|word| word.glyphs.len() == 1 && word.first_char().is_alphabetic()).count();
    if letters < 4 || letters * 4 < words.len() * 3 {
        return words;
    }
    let gap = |pair: &[Word]| pair[1].bounds.left - pair[0].bounds.right;
    let mut gaps: Vec<f32> = words.windows(2).map(gap).collect();
    gaps.sort_by(f32::total_cmp);
    let usual = gaps[gaps.len() / 4];
    let mut joined: Vec<Word> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(last)
                if !last.space_after
                    && word.bounds.left - last.bounds.right < usual + 0.18 * word.size
                    && (last.baseline - word.baseline).abs() < 0.1 * word.size =>
            {
                last.bounds = last.bounds.union(word.bounds);
                last.space_after = word.space_after;
                last.glyphs.extend(word.glyphs);
            }
            _ => joined.push(word),
        }
    }
    joined
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::word::{Gaps, tests::line, words};
    use super::*;

    /// A line of text as one segment or several.
    pub fn of(texts: &[(&str, f32, f32, f32)]) -> Vec<Segment> {
        let glyphs: Vec<_> = texts
            .iter()
            .flat_map(|(text, left, baseline, size)| line(text, *left, *baseline, *size))
            .collect();
        let gaps = Gaps::of(&glyphs);
        segments(words(glyphs, gaps))
    }

    fn texts(segments: &[Segment]) -> Vec<String> {
        let joined = |segment: &Segment| segment.words.iter().map(Word::text).collect::<Vec<_>>().join(" ");
        let mut texts: Vec<String> = segments.iter().map(joined).collect();
        texts.sort();
        texts
    }

    #[test]
    fn columns_are_segments_of_their_own_and_superscripts_are_not() {
        let found = of(&[
            ("left words", 0.0, 100.0, 10.0),
            ("1", 50.5, 96.5, 6.0),
            ("right side", 80.0, 103.0, 10.0),
            ("below it", 0.0, 112.0, 10.0),
        ]);
        assert_eq!(texts(&found), ["below it", "left words 1", "right side"]);
    }

    #[test]
    fn letters_set_apart_are_one_word() {
        let spread: Vec<(&str, f32, f32, f32)> = ["N", "O", "T", "I", "C", "E"]
            .iter()
            .zip(0_u8..)
            .map(|(letter, index)| (*letter, f32::from(index) * 9.0, 50.0, 10.0))
            .collect();
        assert_eq!(texts(&of(&spread)), ["NOTICE"]);
    }
}
