//! Glyphs → words: what stands close together on one baseline.

use super::geometry::NOTHING;
use super::sheet::Glyph;
use super::unicode;
use crate::block::Bounds;

/// A stretch of glyphs without a gap, from left to right.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub glyphs: Vec<Glyph>,
    pub bounds: Bounds,
    pub baseline: f32,
    pub size: f32,
    /// The file has a space behind it, however narrow that is shown.
    pub space_after: bool,
}

impl Word {
    pub fn new(glyphs: Vec<Glyph>, space_after: bool) -> Option<Self> {
        let first = glyphs.first()?;
        let baseline = first.baseline;
        let size = glyphs.iter().map(|glyph| glyph.size).fold(0.0, f32::max);
        let bounds = glyphs.iter().fold(NOTHING, |all, glyph| all.union(glyph.bounds()));
        Some(Self { glyphs, bounds, baseline, size, space_after })
    }

    pub fn first_char(&self) -> char {
        self.glyphs.first().map_or(' ', |glyph| glyph.letters.first())
    }

    pub fn last_char(&self) -> char {
        self.glyphs.last().map_or(' ', |glyph| glyph.letters.last())
    }

    /// Its characters from left to right.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for glyph in &self.glyphs {
            glyph.letters.push_to(&mut text);
        }
        text
    }
}

/// The gap from which on two glyphs belong to two words, as a share of their size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaps {
    pub word: f32,
}

impl Gaps {
    /// Files that have glyphs for spaces need no narrow gap to be one.
    pub fn of(glyphs: &[Glyph]) -> Self {
        let spaces = glyphs.iter().filter(|glyph| glyph.letters.is_space()).count();
        Self { word: if spaces * 14 > glyphs.len() { 0.2 } else { 0.17 } }
    }
}

/// The words of a page, in the order of the file.
pub(super) fn words(glyphs: Vec<Glyph>, gaps: Gaps) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current: Vec<Glyph> = Vec::new();
    let close = |current: &mut Vec<Glyph>, words: &mut Vec<Word>, space: bool| {
        if current.is_empty() {
            // A space of its own belongs to the word that the file had before it.
            if let Some(word) = words.last_mut().filter(|_| space) {
                word.space_after = true;
            }
            return;
        }
        let mut glyphs = std::mem::take(current);
        glyphs.sort_by(|one, other| one.left.total_cmp(&other.left));
        remove_doubles(&mut glyphs);
        put_accents_on(&mut glyphs);
        words.extend(Word::new(glyphs, space));
    };
    for glyph in glyphs {
        if glyph.letters.is_space() {
            close(&mut current, &mut words, true);
            continue;
        }
        if let Some(last) = current.last()
            && !follows(last, &glyph, gaps)
        {
            close(&mut current, &mut words, false);
        }
        current.push(glyph);
    }
    close(&mut current, &mut words, false);
    words
}

/// Whether a glyph stands next to the one before it in the file, on either side.
fn follows(last: &Glyph, next: &Glyph, gaps: Gaps) -> bool {
    let size = last.size.min(next.size);
    if (last.baseline - next.baseline).abs() > 0.12 * size || last.size.max(next.size) > 1.3 * size {
        return false;
    }
    let gap = next.left - last.right;
    if gap < gaps.word * size && gap > -0.6 * size.max(last.right - last.left) {
        return true;
    }
    let right_to_left = unicode::is_right_to_left(next.letters.first())
        || unicode::is_right_to_left(last.letters.first()) && !next.letters.first().is_alphanumeric();
    right_to_left && (last.left - next.right).abs() < gaps.word * size
}

/// Letters drawn twice with a small offset look bold; they are read once.
fn remove_doubles(glyphs: &mut Vec<Glyph>) {
    glyphs.dedup_by(|later, earlier| {
        later.letters == earlier.letters && (later.left - earlier.left).abs() < 0.14 * earlier.size
    });
}

/// Old fonts of TeX draw an accent and a letter over each other.
fn put_accents_on(glyphs: &mut Vec<Glyph>) {
    let mut index = 0;
    while index < glyphs.len() {
        let accent = glyphs[index].letters.first();
        let Some(mark) = combining(accent) else {
            index += 1;
            continue;
        };
        let (left, right) = (glyphs[index].left, glyphs[index].right);
        let middle = f32::midpoint(left, right);
        let under = |glyph: &Glyph| {
            glyph.letters.first().is_alphabetic() && glyph.left < middle && middle < glyph.right
        };
        let neighbours = [index.checked_sub(1), Some(index + 1)];
        let bearer = neighbours.into_iter().flatten().find(|near| glyphs.get(*near).is_some_and(under));
        let Some(bearer) = bearer else {
            index += 1;
            continue;
        };
        let mut text = String::new();
        glyphs[bearer].letters.push_to(&mut text);
        text = text.replace('ı', "i");
        text.push(mark);
        glyphs[bearer].letters = unicode::Letters::of(&text);
        glyphs.remove(index);
    }
}

fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '´' => '\u{301}',
        '`' => '\u{300}',
        'ˆ' => '\u{302}',
        '˜' => '\u{303}',
        '¨' => '\u{308}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pdf::unicode::Letters;

    /// Glyphs half as wide as high, and a little less for some.
    pub fn line(text: &str, left: f32, baseline: f32, size: f32) -> Vec<Glyph> {
        let step = size * 0.5;
        let glyphs = text.chars().enumerate().map(|(index, character)| {
            let left = left + step * index as f32;
            let letters = Letters::from_char(character);
            let width = if "iljtfrI.,:;'|!()[]".contains(character) { 0.9 * step } else { step };
            Glyph { letters, left, right: left + width, baseline, size, weight: 0.0, heading: 0 }
        });
        glyphs.collect()
    }

    fn texts(glyphs: Vec<Glyph>) -> Vec<String> {
        let gaps = Gaps::of(&glyphs);
        words(glyphs, gaps).iter().map(Word::text).collect()
    }

    #[test]
    fn words_end_at_spaces_gaps_and_other_baselines() {
        let mut glyphs = line("one two", 0.0, 100.0, 10.0);
        glyphs.extend(line("three", 38.0, 100.0, 10.0));
        glyphs.extend(line("2", 63.0, 96.0, 6.0));
        assert_eq!(texts(glyphs), ["one", "two", "three", "2"]);
    }

    #[test]
    fn letters_drawn_twice_are_read_once_and_accents_join_their_letter() {
        let mut glyphs = line("e", 0.0, 100.0, 10.0);
        glyphs.extend(line("e", 0.4, 100.0, 10.0));
        assert_eq!(texts(glyphs), ["e"]);
        let mut glyphs = line("´", 0.5, 100.0, 10.0);
        glyphs.extend(line("et", 0.0, 100.0, 10.0));
        assert_eq!(texts(glyphs), ["ét"]);
    }
}
