//! Running headers, footers and page numbers: what stands at the same height at the edge of several pages, with the same words or a
//! number that counts on.

use std::collections::HashMap;

use super::geometry;
use super::segment::Segment;
use crate::block::Bounds;

/// How much of a page's height, at its top and at its foot, headers and footers stand in.
const MARGIN: f32 = 0.16;
/// From so many times the size of the text a line is rather a heading than a header.
const HEADING: f32 = 1.15;
/// Rows of a header or a footer.
const MOST_ROWS: usize = 3;

/// What is compared of a page.
pub(super) struct Edges {
    /// Counted from 1.
    pub number: u32,
    pub area: Bounds,
    /// Rows of segments at the top and at the foot, the outermost first.
    tops: Vec<EdgeRow>,
    feet: Vec<EdgeRow>,
    /// Rows of the page.
    rows: usize,
}

struct EdgeRow {
    bounds: Bounds,
    size: f32,
    segments: Vec<usize>,
    keys: Vec<Key>,
    /// It looks like the row of a table.
    is_cells: bool,
    /// The white space between it and the next row inwards.
    inwards: f32,
}

/// What a segment of a header is known by on other pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Its words, with `#` for each number.
    words: String,
    /// The number, if it is one and nothing else.
    number: Option<u32>,
}

impl Edges {
    /// `others` is how much else stands on the page, such as tables.
    pub fn of(number: u32, area: Bounds, segments: &[Segment], others: usize) -> Self {
        let mut order: Vec<usize> = (0..segments.len()).collect();
        order.sort_by(|one, other| segments[*one].baseline.total_cmp(&segments[*other].baseline));
        let mut rows: Vec<(Bounds, Vec<usize>)> = Vec::new();
        for index in order {
            let bounds = segments[index].bounds;
            match rows.last_mut() {
                Some((row, members)) if geometry::shared_height(*row, bounds) > 0.5 => {
                    *row = row.union(bounds);
                    members.push(index);
                }
                _ => rows.push((bounds, vec![index])),
            }
        }
        let margin = MARGIN * geometry::height(area);
        let usual = usual_size(segments);
        let row = |index: usize, inner: Option<usize>| {
            let (bounds, members) = &rows[index];
            let inner = inner.and_then(|inner| rows.get(inner));
            let inwards = inner.map_or(f32::INFINITY, |(inner, _)| {
                (inner.top - bounds.bottom).max(bounds.top - inner.bottom)
            });
            let size = members.iter().map(|member| segments[*member].size).fold(0.0, f32::max);
            let lefts = |members: &[usize]| {
                members.iter().map(|member| segments[*member].bounds.left).collect::<Vec<_>>()
            };
            let is_cells =
                members.len() >= 3 && inner.is_some_and(|(_, below)| aligned(&lefts(members), &lefts(below)));
            // A heading at the top of each page counts on, too, and is larger than the text. Headers are not.
            let keys = members.iter().map(|member| key(&segments[*member], size > usual * HEADING)).collect();
            EdgeRow { bounds: *bounds, size, segments: members.clone(), keys, is_cells, inwards }
        };
        let count = rows.len();
        let near_top = |index: &usize| rows[*index].0.bottom < area.top + margin;
        let near_foot = |index: &usize| rows[*index].0.top > area.bottom - margin;
        let tops = (0..count).take(MOST_ROWS).take_while(near_top).map(|index| row(index, Some(index + 1)));
        let feet = (0..count)
            .rev()
            .take(MOST_ROWS)
            .take_while(near_foot)
            .map(|index| row(index, index.checked_sub(1)));
        Self { number, area, tops: tops.collect(), feet: feet.collect(), rows: count + others }
    }
}

fn aligned(one: &[f32], other: &[f32]) -> bool {
    let near = |left: &&f32| other.iter().any(|there| (there - **left).abs() < 4.0);
    one.iter().filter(near).count() * 2 > one.len()
}

/// The size of most text.
fn usual_size(segments: &[Segment]) -> f32 {
    let mut sizes: Vec<f32> = segments.iter().map(|segment| segment.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(f32::INFINITY)
}

fn key(segment: &Segment, keeps_numbers: bool) -> Key {
    let letters = segment.letters();
    let mut words = String::with_capacity(letters.len());
    let mut digits = String::new();
    for character in letters.chars() {
        if character.is_ascii_digit() && !keeps_numbers {
            if !words.ends_with('#') {
                words.push('#');
            }
            digits.push(character);
        } else {
            words.extend(character.to_lowercase());
        }
    }
    let is_roman =
        !letters.is_empty() && letters.len() <= 7 && letters.chars().all(|letter| "ivxl".contains(letter));
    if is_roman {
        return Key { words: "#".to_owned(), number: roman(&letters) };
    }
    let alone = words.chars().all(|character| character == '#' || !character.is_alphanumeric());
    let number = if alone { digits.parse().ok() } else { None };
    Key { words, number }
}

fn roman(letters: &str) -> Option<u32> {
    let value = |letter| match letter {
        'i' => Some(1),
        'v' => Some(5),
        'x' => Some(10),
        'l' => Some(50),
        _ => None,
    };
    let values: Option<Vec<u32>> = letters.chars().map(value).collect();
    let values = values?;
    let mut total = 0_i64;
    for (index, value) in values.iter().enumerate() {
        let less = values.get(index + 1).is_some_and(|next| next > value);
        total += if less { -i64::from(*value) } else { i64::from(*value) };
    }
    u32::try_from(total).ok()
}

/// Which segments of each page are headers and footers, in the order of the pages given. `pages` is how many the document has.
pub(super) fn repeated(edges: &[Edges], pages: u32) -> Vec<Vec<usize>> {
    let tops = Seen::of(edges, |page| &page.tops, |page, row| row.bounds.top - page.area.top);
    let feet = Seen::of(edges, |page| &page.feet, |page, row| page.area.bottom - row.bounds.bottom);
    let enough = if pages <= 3 { 2 } else { 3 };
    let dropped = |page: &Edges| {
        let mut dropped =
            outer(&page.tops, page, enough, |row| tops.pages(row, row.bounds.top - page.area.top, page));
        dropped.extend(outer(&page.feet, page, enough, |row| {
            feet.pages(row, page.area.bottom - row.bounds.bottom, page)
        }));
        dropped
    };
    edges.iter().map(dropped).collect()
}

/// The segments of the rows from the edge inwards that repeat.
fn outer(rows: &[EdgeRow], page: &Edges, enough: usize, seen: impl Fn(&EdgeRow) -> usize) -> Vec<usize> {
    let mut repeating = rows.iter().take_while(|row| !row.is_cells && seen(row) >= enough).count();
    // A page on which everything repeats is a form, and what stands close to the text belongs to it.
    while let Some(inner) = repeating.checked_sub(1).and_then(|index| rows.get(index)) {
        let numbers = inner.keys.iter().any(|key| key.number.is_some());
        if inner.inwards > if numbers { 0.2 } else { 0.45 } * inner.size && page.rows > repeating {
            break;
        }
        repeating -= 1;
    }
    rows.iter().take(repeating).flat_map(|row| row.segments.iter().copied()).collect()
}

/// What stands at the edges of the pages, by words.
struct Seen {
    places: HashMap<String, Vec<Place>>,
}

struct Place {
    page: u32,
    /// How far it is from the edge.
    distance: f32,
    left: f32,
    number: Option<u32>,
}

impl Seen {
    fn of<'e>(
        edges: &'e [Edges],
        rows: impl Fn(&'e Edges) -> &'e Vec<EdgeRow>,
        distance: impl Fn(&Edges, &EdgeRow) -> f32,
    ) -> Self {
        let mut places: HashMap<String, Vec<Place>> = HashMap::new();
        for page in edges {
            for row in rows(page) {
                for key in &row.keys {
                    let place = Place {
                        page: page.number,
                        distance: distance(page, row),
                        left: row.bounds.left,
                        number: key.number,
                    };
                    places.entry(key.words.clone()).or_default().push(place);
                }
            }
        }
        Self { places }
    }

    /// On how many pages a part of a row stands, counting its own.
    fn pages(&self, row: &EdgeRow, distance: f32, page: &Edges) -> usize {
        let count = |key: &Key| {
            let Some(places) = self.places.get(&key.words) else { return 0 };
            let mut pages: Vec<u32> = places
                .iter()
                .filter(|place| (place.distance - distance).abs() < 3.0)
                .filter(|place| counts_on(key.number, page.number, place))
                .map(|place| place.page)
                .collect();
            pages.dedup();
            // A number that is the page's own needs no second one.
            let own = key.number == Some(page.number) && page.number > 1;
            if own { usize::MAX } else { pages.len() }
        };
        row.keys.iter().map(count).max().unwrap_or(0)
    }
}

/// Whether a number at another page's edge differs as the pages do.
fn counts_on(number: Option<u32>, page: u32, place: &Place) -> bool {
    match (number, place.number) {
        (Some(here), Some(there)) => {
            i64::from(here) - i64::from(page) == i64::from(there) - i64::from(place.page)
        }
        (None, None) => place.left.is_finite(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::tests::of;
    use super::*;

    const AREA: Bounds = Bounds { left: 0.0, top: 0.0, right: 600.0, bottom: 800.0 };

    fn kept(pages: &[Vec<(&str, f32, f32, f32)>]) -> Vec<Vec<String>> {
        let segments: Vec<Vec<Segment>> = pages.iter().map(|texts| of(texts)).collect();
        let edges: Vec<Edges> =
            (1..).zip(&segments).map(|(number, segments)| Edges::of(number, AREA, segments, 0)).collect();
        let dropped = repeated(&edges, u32::try_from(pages.len()).unwrap());
        let kept = |(segments, dropped): (&Vec<Segment>, &Vec<usize>)| {
            let kept = segments.iter().enumerate().filter(|(index, _)| !dropped.contains(index));
            let mut kept: Vec<String> = kept.map(|(_, segment)| segment.letters()).collect();
            kept.sort();
            kept
        };
        segments.iter().zip(&dropped).map(kept).collect()
    }

    #[test]
    fn headers_and_numbers_that_count_on_are_dropped() {
        let page = |number: &'static str, body: &'static str| {
            vec![("Lease", 50.0, 40.0, 10.0), (body, 50.0, 100.0, 10.0), (number, 300.0, 770.0, 10.0)]
        };
        let kept = kept(&[page("7", "first"), page("8", "second"), page("9", "third"), page("10", "fourth")]);
        assert_eq!(kept, [["first"], ["second"], ["third"], ["fourth"]]);
    }

    #[test]
    fn text_that_stands_close_to_the_body_or_alone_is_kept() {
        let page = |number: &'static str| {
            vec![("same", 50.0, 40.0, 10.0), ("words", 50.0, 52.0, 10.0), (number, 50.0, 64.0, 10.0)]
        };
        let kept = kept(&[page("a"), page("b"), page("c")]);
        assert_eq!(kept[0].len(), 3);
        assert_eq!(roman("xiv"), Some(14));
    }
}
