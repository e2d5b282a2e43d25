//! A page as a picture, with the places of quotes on it.

use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use hayro_interpret::{InterpreterCache, InterpreterSettings};

use super::collect::Weights;
use super::columns;
use super::geometry::{NOTHING, Turn};
use super::line::{self, Element, Row};
use super::open;
use super::segment;
use super::sheet;
use super::word::{self, Gaps};
use crate::block::Bounds;
use crate::event::Refusal;
use crate::format::Format;
use crate::options::Options;

/// Pixels of a picture; a larger one is scaled down.
const MOST_PIXELS: f32 = 4.0e6;
/// Letters of a page among which quotes are looked for.
const MOST_LETTERS: usize = 200_000;
/// Quotes that are looked for, and letters of one.
const MOST_QUOTES: usize = 200;
const LONGEST_QUOTE: usize = 20_000;
/// A part of a quote that goes on on the next page has at least so many letters.
const SHORTEST_PART: usize = 12;

/// A page as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PageImage {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four bytes a pixel, row by row from the top left: red, green, blue and 255.
    pub rgba: Vec<u8>,
    /// Where the quotes stand, in pixels: a rectangle for each line of each quote.
    pub marks: Vec<Bounds>,
}

/// Draws a page of a PDF, counted from 1, with `scale` pixels a point, and finds quotes on it. Quotes are compared letter by
/// letter: white space, hyphens, quotation marks and the markers of headings and lists do not count. Of a quote that begins on
/// this page and goes on on the next, or the other way round, the part on this page is found.
///
/// Pictures have at most 4 megapixels. The parser may panic on hostile files: call this in a worker process.
pub fn page(
    bytes: &[u8],
    number: u32,
    scale: f32,
    quotes: &[String],
    options: &Options,
) -> Result<PageImage, Refusal> {
    let pdf = open::open(bytes, options)?;
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let page = index.and_then(|index| pdf.pages().get(index));
    let page = page.ok_or_else(|| Refusal::damaged(Format::Pdf, format_args!("it has no page {number}")))?;
    let (width, height) = page.render_dimensions();
    if !super::is_possible(width, height) {
        let what = format_args!("page {number} has a size that cannot be drawn");
        return Err(Refusal::damaged(Format::Pdf, what));
    }
    let scale = bounded(scale, width, height);
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let drawn = render(
        page,
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    let letters = if quotes.is_empty() {
        Vec::new()
    } else {
        letters(super::draw(&pdf, page, &InterpreterCache::new(), &mut Weights::new()))
    };
    let marks = quotes.iter().take(MOST_QUOTES).flat_map(|quote| find(&letters, quote));
    let scaled = |bounds: Bounds| Bounds {
        left: bounds.left * scale,
        top: bounds.top * scale,
        right: bounds.right * scale,
        bottom: bounds.bottom * scale,
    };
    Ok(PageImage {
        width: u32::from(drawn.width()),
        height: u32::from(drawn.height()),
        marks: marks.map(scaled).collect(),
        rgba: drawn.data_as_u8_slice().to_vec(),
    })
}

/// A scale at which a page has at least one pixel and at most as many as are allowed.
fn bounded(scale: f32, width: f32, height: f32) -> f32 {
    let (width, height) = (width.max(1.0), height.max(1.0));
    let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
    let most = (MOST_PIXELS / (width * height)).sqrt().min(16_000.0 / width.max(height));
    scale.min(most).max(1.05 / width.min(height)).min(16_000.0 / width.max(height))
}

/// A letter of a page, in reading order.
struct Letter {
    character: char,
    bounds: Bounds,
    line: usize,
}

fn letters(drawn: super::collect::Drawn) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut lines = 0;
    for sheet in sheet::sheets(drawn) {
        let turn = sheet.turn;
        let gaps = Gaps::of(&sheet.glyphs);
        let segments = segment::segments(word::words(sheet.glyphs, gaps));
        let backwards = super::layout::runs_backwards(&segments);
        let elements: Vec<Element<()>> = segments.into_iter().map(Element::Segment).collect();
        for row in columns::columns(elements, backwards).into_iter().flat_map(line::rows) {
            let Row::Line(line) = row else { continue };
            lines += 1;
            add_line(&mut letters, &line, lines, &turn);
        }
    }
    letters.truncate(MOST_LETTERS);
    letters
}

fn add_line(letters: &mut Vec<Letter>, line: &line::Line, number: usize, turn: &Turn) {
    let glyphs: Vec<&super::sheet::Glyph> = line.words.iter().flat_map(|word| &word.glyphs).collect();
    let units: Vec<&super::unicode::Letters> = glyphs.iter().map(|glyph| &glyph.letters).collect();
    let order = super::unicode::reading_order(&units);
    let order = order.unwrap_or_else(|| (0..glyphs.len()).collect());
    for glyph in order.into_iter().filter_map(|index| glyphs.get(index)) {
        let bounds = turn.page_bounds(glyph.bounds());
        let mut text = String::new();
        glyph.letters.push_to(&mut text);
        letters.extend(compared(&text).map(|character| Letter { character, bounds, line: number }));
    }
}

/// What counts of a text.
fn compared(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// A rectangle for each line of a quote.
fn find(letters: &[Letter], quote: &str) -> Vec<Bounds> {
    let wanted = |text: &str| compared(text).take(LONGEST_QUOTE).collect::<Vec<char>>();
    let whole = wanted(quote);
    if let Some(from) = position(letters, &whole) {
        return marks(&letters[from..from + whole.len()]);
    }
    let cells: Vec<Vec<char>> = quote.split(" | ").map(wanted).filter(|cell| !cell.is_empty()).collect();
    if cells.len() > 1 {
        return row(letters, &cells);
    }
    // The quote goes on on another page.
    let begins = longest(whole.len(), |length| position(letters, &whole[..length]));
    let ends = longest(whole.len(), |length| position(letters, &whole[whole.len() - length..]));
    let best = [begins, ends].into_iter().flatten().max_by_key(|(_, length)| *length);
    best.map_or_else(Vec::new, |(from, length)| marks(&letters[from..from + length]))
}

/// Where a stretch of letters stands first.
fn position(letters: &[Letter], wanted: &[char]) -> Option<usize> {
    let first = wanted.first()?;
    let last = letters.len().checked_sub(wanted.len())?;
    (0..=last).find(|from| {
        letters[*from].character == *first
            && letters[*from..].iter().zip(wanted).all(|(letter, wanted)| letter.character == *wanted)
    })
}

/// The longest part that is found, if parts of a found part are found: where, and how long it is.
fn longest(most: usize, find: impl Fn(usize) -> Option<usize>) -> Option<(usize, usize)> {
    let (mut found, mut low, mut high) = (None, SHORTEST_PART, most);
    while low <= high {
        let middle = usize::midpoint(low, high);
        match find(middle) {
            Some(from) => {
                found = Some((from, middle));
                low = middle + 1;
            }
            None => high = middle - 1,
        }
    }
    found
}

/// The cells of a row: the longest where it stands, the others at its height.
fn row(letters: &[Letter], cells: &[Vec<char>]) -> Vec<Bounds> {
    let Some(longest) = cells.iter().max_by_key(|cell| cell.len()) else { return Vec::new() };
    let Some(from) = position(letters, longest) else { return Vec::new() };
    let mut found = marks(&letters[from..from + longest.len()]);
    let anchor = found.iter().fold(NOTHING, |all, mark| all.union(*mark));
    for cell in cells.iter().filter(|cell| !std::ptr::eq(*cell, longest)) {
        let mut start = 0;
        while let Some(from) = letters.get(start..).and_then(|letters| position(letters, cell)) {
            let stretch = &letters[start + from..start + from + cell.len()];
            let beside = stretch
                .first()
                .is_some_and(|letter| letter.bounds.top < anchor.bottom && letter.bounds.bottom > anchor.top);
            if beside {
                found.extend(marks(stretch));
                break;
            }
            start += from + 1;
        }
    }
    found
}

fn marks(letters: &[Letter]) -> Vec<Bounds> {
    let mut marks: Vec<(usize, Bounds)> = Vec::new();
    for letter in letters {
        match marks.last_mut() {
            Some((line, bounds)) if *line == letter.line => *bounds = bounds.union(letter.bounds),
            _ => marks.push((letter.line, letter.bounds)),
        }
    }
    marks.into_iter().map(|(_, bounds)| bounds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(lines: &[&str]) -> Vec<Letter> {
        let mut letters = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let top = 20.0 * number as f32;
            for (place, character) in line.chars().enumerate() {
                let left = 5.0 * place as f32;
                let bounds = Bounds { left, top, right: left + 5.0, bottom: top + 10.0 };
                letters.extend(compared(&character.to_string()).map(|character| Letter {
                    character,
                    bounds,
                    line: number,
                }));
            }
        }
        letters
    }

    #[test]
    fn a_quote_is_found_over_hyphens_lines_and_markers() {
        let letters = page_of(&["4  The agree-", "ment isn’t void", "Rent   80"]);
        let found = find(&letters, "## 4 The agreement isn't");
        assert_eq!(found.len(), 2);
        assert!((found[1].left, found[1].right) == (0.0, 50.0), "{found:?}");
        assert_eq!(find(&letters, "nothing of this kind"), Vec::new());
        assert_eq!(find(&letters, "“”"), Vec::new());
    }

    #[test]
    fn the_part_of_a_quote_on_this_page_is_found() {
        let letters = page_of(&["and so the agreement", "is void unless it"]);
        assert_eq!(find(&letters, "is void unless it was signed").len(), 1);
        assert_eq!(find(&letters, "80 | agreement | and").len(), 2);
    }

    #[test]
    fn pictures_have_a_bounded_size() {
        let scale = bounded(1000.0, 600.0, 800.0);
        assert!(600.0 * 800.0 * scale * scale <= MOST_PIXELS * 1.001);
        assert!(bounded(f32::NAN, 600.0, 800.0) > 0.9);
        assert!(bounded(1.0, 1.0e6, 2.0) * 1.0e6 <= 16_001.0);
    }
}
