//! Segments → columns in reading order: gaps that run down between lines of text part a page, lines that cross them part it again
//! from top to bottom.

use super::geometry::{self, NOTHING};
use super::segment::Segment;
use crate::block::Bounds;

/// Columns within columns.
const DEEPEST: u32 = 6;
/// A gutter is at least this wide, as a share of the size of the letters.
const NARROWEST: f32 = 0.8;
/// Intervals that are tried.
const MOST_CANDIDATES: usize = 60;

/// Something that stands in the flow of a page: a line of text, or a table that was found by its rules.
pub(super) trait Placed {
    fn bounds(&self) -> Bounds;
    /// The size of its letters; 0 for what is no line of text.
    fn size(&self) -> f32;
}

impl Placed for Segment {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn size(&self) -> f32 {
        self.size
    }
}

/// The columns of a page, in reading order. What stands in one of them stands below or beside, never in a column of its own.
/// `backwards` is for pages that are read from right to left.
pub(super) fn columns<P: Placed>(placed: Vec<P>, backwards: bool) -> Vec<Vec<P>> {
    let mut found = Vec::new();
    split(placed, backwards, DEEPEST, &mut found);
    found
}

fn split<P: Placed>(placed: Vec<P>, backwards: bool, depth: u32, found: &mut Vec<Vec<P>>) {
    let gutter = if depth == 0 { None } else { best_gutter(&placed) };
    let Some(gutter) = gutter else {
        found.extend(Some(placed).filter(|column| !column.is_empty()));
        return;
    };
    let mut bands: Vec<(Band, Vec<P>)> = gutter.bands.iter().map(|band| (*band, Vec::new())).collect();
    for one in placed {
        let middle = f32::midpoint(one.bounds().top, one.bounds().bottom);
        let band = bands.partition_point(|(band, _)| band.bottom < middle).min(bands.len().saturating_sub(1));
        if let Some((_, inside)) = bands.get_mut(band) {
            inside.push(one);
        }
    }
    for (band, inside) in bands {
        if band.parted {
            let (left, right) = inside.into_iter().partition(|one| middle(one.bounds()) < gutter.x);
            let (first, second): (Vec<P>, Vec<P>) = if backwards { (right, left) } else { (left, right) };
            split(first, backwards, depth - 1, found);
            split(second, backwards, depth - 1, found);
        } else {
            split(inside, backwards, depth - 1, found);
        }
    }
}

fn middle(bounds: Bounds) -> f32 {
    f32::midpoint(bounds.left, bounds.right)
}

/// A gap that runs down between lines, and the bands into which the lines that cross it part the page.
struct Gutter {
    x: f32,
    bands: Vec<Band>,
    /// How many lines stand beside it.
    lines: usize,
}

/// A part of the page from its last band's end to `bottom`.
#[derive(Debug, Clone, Copy)]
struct Band {
    bottom: f32,
    /// Whether the gutter parts it.
    parted: bool,
}

fn best_gutter<P: Placed>(placed: &[P]) -> Option<Gutter> {
    if placed.len() < 6 {
        return None;
    }
    let size = usual_size(placed);
    let candidates = candidates(placed, size);
    let gutters = candidates.into_iter().filter_map(|(left, right)| gutter(placed, left, right));
    gutters.max_by(|one, other| one.lines.cmp(&other.lines).then(other.x.total_cmp(&one.x)))
}

fn usual_size<P: Placed>(placed: &[P]) -> f32 {
    let mut sizes: Vec<f32> = placed.iter().map(Placed::size).filter(|size| *size > 0.0).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(10.0)
}

/// Intervals that few lines cross. Which of them part columns is told by what stands on both sides.
fn candidates<P: Placed>(placed: &[P], size: f32) -> Vec<(f32, f32)> {
    // How many lines cover each point, as steps at their edges.
    let mut edges: Vec<(f32, i32)> = Vec::with_capacity(placed.len() * 2);
    for one in placed {
        let bounds = one.bounds();
        edges.push((bounds.left, 1));
        edges.push((bounds.right, -1));
    }
    edges.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut steps: Vec<(f32, f32, i32)> = Vec::with_capacity(edges.len());
    let mut cover = 0;
    for pair in edges.windows(2) {
        cover += pair[0].1;
        steps.push((pair[0].0, pair[1].0, cover));
    }
    let count = i32::try_from(placed.len()).unwrap_or(i32::MAX);
    let mut found: Vec<(f32, f32)> = Vec::new();
    for most in [0, 1, 2, 3, 5, 8, count / 10, count / 6, count / 4] {
        let mut open: Option<(f32, f32)> = None;
        for (from, until, cover) in &steps {
            open = match open {
                Some((left, _)) if *cover <= most => Some((left, *until)),
                None if *cover <= most && until > from => Some((*from, *until)),
                Some(interval) => {
                    found.push(interval);
                    None
                }
                None => None,
            };
        }
        found.extend(open);
    }
    found.retain(|(left, right)| right - left >= NARROWEST * size);
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    found.dedup();
    found.truncate(MOST_CANDIDATES);
    found
}

fn gutter<P: Placed>(placed: &[P], left: f32, right: f32) -> Option<Gutter> {
    let x = f32::midpoint(left, right);
    let mut crossing: Vec<Bounds> =
        placed.iter().map(Placed::bounds).filter(|bounds| bounds.left < x && x < bounds.right).collect();
    crossing.sort_by(|one, other| one.top.total_cmp(&other.top));
    // Bands from top to bottom: crossed, free, crossed …
    let mut limits: Vec<Band> = Vec::new();
    for bounds in &crossing {
        let free_until = bounds.top + 0.2 * geometry::height(*bounds);
        match limits.last_mut() {
            Some(last) if free_until <= last.bottom => last.bottom = last.bottom.max(bounds.bottom),
            _ => {
                limits.push(Band { bottom: free_until, parted: true });
                limits.push(Band { bottom: bounds.bottom, parted: false });
            }
        }
    }
    limits.push(Band { bottom: f32::INFINITY, parted: true });
    let mut inside: Vec<(Vec<&P>, Vec<&P>)> = limits.iter().map(|_| (Vec::new(), Vec::new())).collect();
    for one in placed {
        let bounds = one.bounds();
        let height = f32::midpoint(bounds.top, bounds.bottom);
        let band = limits.partition_point(|band| band.bottom < height).min(limits.len() - 1);
        let (lefts, rights) = &mut inside[band];
        if middle(bounds) < x { lefts.push(one) } else { rights.push(one) }
    }
    let mut lines = 0;
    let mut best = 0;
    for (band, (lefts, rights)) in limits.iter_mut().zip(&inside) {
        if !band.parted {
            continue;
        }
        band.parted = is_column(lefts) && is_column(rights);
        if band.parted {
            let fewest = lefts.len().min(rights.len());
            best = best.max(fewest);
            lines += fewest;
        }
    }
    if best < 3 {
        return None;
    }
    // Beside a column, or where both begin or end, a single line is enough.
    for (index, (lefts, rights)) in inside.iter().enumerate().step_by(2) {
        let lines = |side: &[&P]| side.iter().any(|one| geometry::width(one.bounds()) > 8.0 * one.size());
        let both = !lefts.is_empty() && !rights.is_empty();
        if both && (is_column(lefts) || is_column(rights) || lines(lefts) && lines(rights)) {
            limits[index].parted = true;
        }
    }
    Some(Gutter { x, bands: joined(limits), lines })
}

/// Bands that nothing parts are one.
fn joined(limits: Vec<Band>) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    for band in limits {
        match bands.last_mut() {
            Some(last) if !last.parted && !band.parted => last.bottom = band.bottom,
            _ => bands.push(band),
        }
    }
    bands
}

/// Whether lines are a column of text: as wide as lines of text are, and most of them from edge to edge.
fn is_column<P: Placed>(lines: &[&P]) -> bool {
    let texts: Vec<&&P> = lines.iter().filter(|line| line.size() > 0.0).collect();
    if texts.is_empty() || lines.len() < 2 && texts.len() == lines.len() {
        return false;
    }
    let all = texts.iter().fold(NOTHING, |all, line| all.union(line.bounds()));
    let column = geometry::width(all);
    let rows = rows(&texts);
    // There may be several columns on one side, and justified lines may have wide gaps: the widest part of each row counts.
    let ems = rows.iter().map(|(_, widest)| widest).sum::<f32>() / rows.len() as f32;
    let filled = rows.iter().filter(|(row, _)| geometry::width(*row) >= 0.6 * column).count();
    ems >= 8.0 && filled * 2 >= rows.len()
}

/// The heights at which lines stand, each with the width of its widest part as a share of the size of its letters.
fn rows<P: Placed>(lines: &[&&P]) -> Vec<(Bounds, f32)> {
    let mut sorted: Vec<(Bounds, f32)> =
        lines.iter().map(|line| (line.bounds(), geometry::width(line.bounds()) / line.size())).collect();
    sorted.sort_by(|one, other| one.0.top.total_cmp(&other.0.top));
    let mut rows: Vec<(Bounds, f32)> = Vec::new();
    for (bounds, ems) in sorted {
        match rows.last_mut() {
            Some((row, widest)) if geometry::shared_height(*row, bounds) > 0.6 => {
                *row = row.union(bounds);
                *widest = widest.max(ems);
            }
            _ => rows.push((bounds, ems)),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::segment::tests::of;
    use super::*;

    fn read(texts: &[(&str, f32, f32, f32)]) -> Vec<Vec<String>> {
        let columns = columns(of(texts), false);
        let texts = |column: Vec<Segment>| {
            let mut column = column;
            column.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
            column.iter().map(Segment::letters).collect::<Vec<_>>()
        };
        columns.into_iter().map(texts).collect()
    }

    #[test]
    fn two_columns_under_a_title_are_read_one_after_the_other() {
        let line = "words that fill a whole line of it";
        let mut texts = vec![("A title across both of the columns", 110.0, 40.0, 14.0)];
        for row in 0_u8..5 {
            texts.push((line, 0.0, 80.0 + 12.0 * f32::from(row), 10.0));
            texts.push((line, 190.0, 83.0 + 12.0 * f32::from(row), 10.0));
        }
        let found = read(&texts);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 5, 5]);
    }

    #[test]
    fn three_columns_are_read_one_after_the_other() {
        let mut texts = Vec::new();
        for row in 0_u8..6 {
            for column in 0_u8..3 {
                texts.push((
                    "a line of this column",
                    130.0 * f32::from(column),
                    80.0 + 12.0 * f32::from(row),
                    10.0,
                ));
            }
        }
        assert_eq!(read(&texts).iter().map(Vec::len).collect::<Vec<_>>(), [6, 6, 6]);
    }

    #[test]
    fn cells_of_a_table_are_no_columns() {
        let mut texts = Vec::new();
        for row in 0_u8..6 {
            texts.push(("apples", 0.0, 80.0 + 12.0 * f32::from(row), 10.0));
            texts.push(("12.50", 100.0, 80.0 + 12.0 * f32::from(row), 10.0));
        }
        assert_eq!(read(&texts).len(), 1);
    }
}
