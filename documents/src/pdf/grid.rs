//! Tables that lines rule: lines that touch make a grid, what no line parts is one cell.

use super::geometry::{self, NOTHING};
use super::line;
use super::segment;
use super::table::{self, Table, TableRow};
use super::word::Word;
use crate::block::Bounds;

/// Lines this near to each other are one, as borders of neighbouring cells are.
const NEAR: f32 = 3.0;
/// Lines of one direction that are compared with those of the other.
const MOST_LINES: usize = 3_000;
/// Cells of one table.
const MOST_CELLS: usize = 100_000;

/// A line of a grid: where it lies across its direction, and from where to where it goes.
#[derive(Debug, Clone, Copy)]
struct Stroke {
    at: f32,
    from: f32,
    until: f32,
}

/// The ruled tables of a page, the words outside of them, and the level lines that rule none.
pub(super) fn tables(
    words: Vec<Word>,
    rules: &[Bounds],
    fills: &[Bounds],
) -> (Vec<Table>, Vec<Word>, Vec<Bounds>) {
    let level =
        merged(rules.iter().filter(|rule| geometry::width(**rule) >= geometry::height(**rule)).map(|rule| {
            Stroke { at: f32::midpoint(rule.top, rule.bottom), from: rule.left, until: rule.right }
        }));
    let upright =
        merged(rules.iter().filter(|rule| geometry::width(**rule) < geometry::height(**rule)).map(|rule| {
            Stroke { at: f32::midpoint(rule.left, rule.right), from: rule.top, until: rule.bottom }
        }));
    let mut tables = Vec::new();
    let mut words = words;
    let mut used = vec![false; level.len()];
    for (levels, uprights) in grids(&level, &upright) {
        let level: Vec<Stroke> = levels.iter().map(|index| level[*index]).collect();
        let upright: Vec<Stroke> = uprights.iter().map(|index| upright[*index]).collect();
        let Some(grid) = Grid::of(&level, &upright) else { continue };
        let (inside, outside): (Vec<Word>, Vec<Word>) =
            words.into_iter().partition(|word| geometry::holds(grid.bounds(), word.bounds));
        words = outside;
        match grid.table(&inside, fills) {
            Some(table) => {
                tables.push(table);
                for index in levels {
                    used[index] = true;
                }
            }
            None => words.extend(inside),
        }
    }
    let free = level.iter().zip(used).filter(|(_, used)| !used).map(|(stroke, _)| Bounds {
        left: stroke.from,
        top: stroke.at,
        right: stroke.until,
        bottom: stroke.at,
    });
    (tables, words, free.collect())
}

/// Strokes of which those on one line that touch are one.
fn merged(strokes: impl Iterator<Item = Stroke>) -> Vec<Stroke> {
    let mut strokes: Vec<Stroke> = strokes.collect();
    strokes.sort_by(|one, other| one.at.total_cmp(&other.at).then(one.from.total_cmp(&other.from)));
    let mut rows: Vec<Vec<Stroke>> = Vec::new();
    for stroke in strokes {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| stroke.at - first.at < 1.6) => row.push(stroke),
            _ => rows.push(vec![stroke]),
        }
    }
    let mut found: Vec<Stroke> = Vec::new();
    for mut row in rows {
        row.sort_by(|one, other| one.from.total_cmp(&other.from));
        let mut open: Option<Stroke> = None;
        for stroke in row {
            match &mut open {
                Some(open) if stroke.from <= open.until + NEAR => open.until = open.until.max(stroke.until),
                _ => found.extend(open.replace(stroke)),
            }
        }
        found.extend(open);
    }
    found.retain(|stroke| stroke.until - stroke.from >= 5.0);
    found.truncate(MOST_LINES);
    found
}

/// The lines that touch each other, as indices of level and of upright ones.
fn grids(level: &[Stroke], upright: &[Stroke]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut parents: Vec<usize> = (0..level.len() + upright.len()).collect();
    for (row, across) in level.iter().enumerate() {
        for (column, down) in upright.iter().enumerate() {
            let touch = (across.from - NEAR..=across.until + NEAR).contains(&down.at)
                && (down.from - NEAR..=down.until + NEAR).contains(&across.at);
            if touch {
                let (one, other) = (root(&mut parents, row), root(&mut parents, level.len() + column));
                parents[one] = other;
            }
        }
    }
    let mut found: std::collections::BTreeMap<usize, (Vec<usize>, Vec<usize>)> =
        std::collections::BTreeMap::new();
    for index in 0..parents.len() {
        let group = found.entry(root(&mut parents, index)).or_default();
        if index < level.len() { group.0.push(index) } else { group.1.push(index - level.len()) }
    }
    found.into_values().filter(|(level, upright)| level.len() >= 2 && !upright.is_empty()).collect()
}

/// The first of those that a line is joined with.
fn root(parents: &mut [usize], mut index: usize) -> usize {
    while parents[index] != index {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    index
}

/// The rows and columns that lines make, and which of their cells are one.
struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// For each cell, row by row, the first cell of those that it is one with.
    anchors: Vec<usize>,
}

impl Grid {
    fn of(level: &[Stroke], upright: &[Stroke]) -> Option<Self> {
        let ends = |strokes: &[Stroke]| {
            let from = strokes.iter().map(|stroke| stroke.from).fold(f32::INFINITY, f32::min);
            let until = strokes.iter().map(|stroke| stroke.until).fold(f32::NEG_INFINITY, f32::max);
            [from, until]
        };
        let xs = distinct(upright.iter().map(|stroke| stroke.at), ends(level));
        let ys = distinct(level.iter().map(|stroke| stroke.at), ends(upright));
        let (columns, rows) = (xs.len().checked_sub(1)?, ys.len().checked_sub(1)?);
        if columns < 2 || rows < 2 || columns.saturating_mul(rows) > MOST_CELLS {
            return None;
        }
        let mut anchors: Vec<usize> = (0..columns * rows).collect();
        let parted = |strokes: &[Stroke], at: f32, from: f32, until: f32| {
            let cover = |stroke: &Stroke| stroke.until.min(until) - stroke.from.max(from);
            strokes
                .iter()
                .filter(|stroke| (stroke.at - at).abs() < NEAR)
                .any(|stroke| cover(stroke) > 0.6 * (until - from))
        };
        for row in 0..rows {
            for column in 0..columns {
                let cell = row * columns + column;
                let left =
                    column.checked_sub(1).filter(|_| !parted(upright, xs[column], ys[row], ys[row + 1]));
                let above =
                    row.checked_sub(1).filter(|_| !parted(level, ys[row], xs[column], xs[column + 1]));
                let left = left.map(|left| anchors[row * columns + left]);
                let above = above.map(|above| anchors[above * columns + column]);
                anchors[cell] = match (left, above) {
                    (Some(left), Some(above)) => left.min(above),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => cell,
                };
            }
        }
        Some(Self { xs, ys, anchors })
    }

    fn columns(&self) -> usize {
        self.xs.len() - 1
    }

    fn rows(&self) -> usize {
        self.ys.len() - 1
    }

    fn bounds(&self) -> Bounds {
        let end = |values: &[f32]| values.last().copied().unwrap_or_default();
        let start = |values: &[f32]| values.first().copied().unwrap_or_default();
        Bounds { left: start(&self.xs), top: start(&self.ys), right: end(&self.xs), bottom: end(&self.ys) }
    }

    fn row_bounds(&self, row: usize) -> Bounds {
        Bounds { top: self.ys[row], bottom: self.ys[row + 1], ..self.bounds() }
    }

    /// The cells with their words; `None` if this is no table but a frame, a form or a picture.
    fn table(&self, words: &[Word], fills: &[Bounds]) -> Option<Table> {
        let (columns, rows) = (self.columns(), self.rows());
        let mut inside: Vec<Vec<Word>> = vec![Vec::new(); columns * rows];
        for word in words {
            let x = f32::midpoint(word.bounds.left, word.bounds.right);
            let y = f32::midpoint(word.bounds.top, word.bounds.bottom);
            let column = self.xs.partition_point(|edge| *edge <= x).checked_sub(1)?.min(columns - 1);
            let row = self.ys.partition_point(|edge| *edge <= y).checked_sub(1)?.min(rows - 1);
            inside[self.anchors[row * columns + column]].push(word.clone());
        }
        let filled = inside.iter().filter(|words| !words.is_empty()).count();
        let rows_filled = (0..rows)
            .filter(|row| inside[row * columns..(row + 1) * columns].iter().any(|words| !words.is_empty()))
            .count();
        let weights: Vec<f32> =
            (0..rows).map(|row| weight(&inside[row * columns..(row + 1) * columns])).collect();
        let cells: Vec<Vec<line::Line>> =
            inside.into_iter().map(|words| line::lines(segment::segments(words))).collect();
        let lines: usize = cells.iter().map(Vec::len).sum();
        if rows_filled < 2 || filled < 3 || lines > 12 * filled {
            return None;
        }
        let mut found: Vec<(Vec<Vec<String>>, Bounds)> = Vec::new();
        let mut first_row = None;
        for row in 0..rows {
            let cells = &cells[row * columns..(row + 1) * columns];
            if cells.iter().all(Vec::is_empty) {
                continue;
            }
            first_row = first_row.or(Some(row));
            found.extend(rows_of(cells, self.row_bounds(row), rows <= 3));
        }
        let kept: Vec<usize> = (0..columns).filter(|column| self.is_kept(*column, &found)).collect();
        for (cells, _) in &mut found {
            *cells = kept.iter().map(|column| std::mem::take(&mut cells[*column])).collect();
        }
        if kept.len() < 2 || found.len() < 2 {
            return None;
        }
        let texts: Vec<Vec<Vec<String>>> = found.iter().map(|(cells, _)| cells.clone()).collect();
        let first = first_row?;
        let header = table::looks_like_names(&texts)
            || self.is_filled_alone(first, fills)
            || is_heavier(first, &weights);
        let found = found.into_iter().map(|(cells, bounds)| TableRow { cells, bounds });
        Some(Table {
            rows: found.collect(),
            header,
            columns: kept.iter().map(|column| (self.xs[*column], self.xs[column + 1])).collect(),
            bounds: self.bounds(),
        })
    }

    /// A narrow column without text is the space between two borders.
    fn is_kept(&self, column: usize, rows: &[(Vec<Vec<String>>, Bounds)]) -> bool {
        self.xs[column + 1] - self.xs[column] > 8.0 || rows.iter().any(|(cells, _)| !cells[column].is_empty())
    }

    /// Whether a row has a background, and those below it have none.
    fn is_filled_alone(&self, row: usize, fills: &[Bounds]) -> bool {
        let has_fill = |row: usize| {
            let bounds = self.row_bounds(row);
            let height = geometry::height(bounds);
            fills.iter().any(|fill| {
                geometry::shared_height(*fill, bounds) > 0.7
                    && geometry::height(*fill) < 1.6 * height
                    && fill.left < bounds.right
                    && fill.right > bounds.left
            })
        };
        has_fill(row) && (row + 1..self.rows()).take(6).all(|below| !has_fill(below))
    }
}

fn distinct(values: impl Iterator<Item = f32>, ends: [f32; 2]) -> Vec<f32> {
    let mut all: Vec<f32> = values.collect();
    // The ends of the other lines are borders only where no line is.
    for end in ends {
        if end.is_finite() && all.iter().all(|value| (value - end).abs() > NEAR + 1.0) {
            all.push(end);
        }
    }
    all.sort_by(f32::total_cmp);
    all.dedup_by(|later, earlier| *later - *earlier < NEAR);
    all
}

fn weight(cells: &[Vec<Word>]) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0_f32);
    for glyph in cells.iter().flatten().flat_map(|word| &word.glyphs).filter(|glyph| glyph.weight > 0.0) {
        sum += glyph.weight;
        count += 1.0;
    }
    sum / count.max(1.0)
}

fn is_heavier(first: usize, weights: &[f32]) -> bool {
    let rest: Vec<f32> = weights.iter().skip(first + 1).copied().filter(|weight| *weight > 0.0).collect();
    let mean = rest.iter().sum::<f32>() / rest.len().max(1) as f32;
    mean > 0.0 && weights.get(first).is_some_and(|weight| *weight > 1.2 * mean)
}

/// The rows that stand between two level lines: one, unless lines rule the columns only.
fn rows_of(cells: &[Vec<line::Line>], bounds: Bounds, sparse: bool) -> Vec<(Vec<Vec<String>>, Bounds)> {
    let text = |lines: &[line::Line]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let count = cells.first().map_or(0, Vec::len);
    let alike = cells.iter().filter(|lines| lines.len() == count).count();
    let fit = cells.iter().all(|lines| lines.len() * 2 <= count * 3);
    if !sparse || count < 3 || alike * 2 < cells.len() || alike < 2 || !fit {
        return vec![(cells.iter().map(|lines| text(lines)).collect(), bounds)];
    }
    let starts: Vec<f32> = cells[0].iter().map(|line| line.baseline - 0.4 * line.size).collect();
    let mut rows: Vec<(Vec<Vec<String>>, Bounds)> = vec![(vec![Vec::new(); cells.len()], NOTHING); count];
    for (column, lines) in cells.iter().enumerate() {
        for line in lines {
            let row = starts.partition_point(|start| *start <= line.baseline).saturating_sub(1);
            let (cells, bounds) = &mut rows[row];
            cells[column].push(line.text.clone());
            *bounds = bounds.union(line.bounds);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::word::{Gaps, tests::line, words};
    use super::*;

    fn ruled(xs: &[f32], ys: &[f32]) -> Vec<Bounds> {
        let (left, right) = (xs[0], xs[xs.len() - 1]);
        let (top, bottom) = (ys[0], ys[ys.len() - 1]);
        let mut rules: Vec<Bounds> = ys.iter().map(|y| Bounds { left, top: *y, right, bottom: *y }).collect();
        rules.extend(xs.iter().map(|x| Bounds { left: *x, top, right: *x, bottom }));
        rules
    }

    fn words_of(texts: &[(&str, f32, f32)]) -> Vec<Word> {
        let glyphs: Vec<_> =
            texts.iter().flat_map(|(text, left, baseline)| line(text, *left, *baseline, 10.0)).collect();
        let gaps = Gaps::of(&glyphs);
        words(glyphs, gaps)
    }

    fn cells(table: &Table) -> Vec<Vec<String>> {
        table.rows.iter().map(|row| row.cells.iter().map(|lines| lines.join(" ")).collect()).collect()
    }

    #[test]
    fn cells_are_what_lines_part() {
        let texts = [
            ("Item", 2.0, 10.0),
            ("Sum", 62.0, 10.0),
            ("Rent", 2.0, 30.0),
            ("and heat", 2.0, 42.0),
            ("80", 62.0, 30.0),
            ("outside", 200.0, 30.0),
        ];
        let (tables, words, rules) =
            tables(words_of(&texts), &ruled(&[0.0, 60.0, 120.0], &[0.0, 16.0, 48.0]), &[]);
        assert_eq!(cells(&tables[0]), [["Item", "Sum"], ["Rent and heat", "80"]]);
        assert!(tables[0].header);
        assert_eq!((words.len(), rules.len()), (1, 0));
    }

    #[test]
    fn a_merged_cell_stands_in_its_first_column() {
        let mut rules = ruled(&[0.0, 60.0, 120.0], &[0.0, 16.0, 32.0]);
        // The line between the first two cells is missing.
        rules[4] = Bounds { left: 60.0, top: 16.0, right: 60.0, bottom: 32.0 };
        let (tables, _, _) =
            tables(words_of(&[("Both", 2.0, 10.0), ("a", 2.0, 27.0), ("b", 62.0, 27.0)]), &rules, &[]);
        assert_eq!(cells(&tables[0]), [["Both", ""], ["a", "b"]]);
    }

    #[test]
    fn a_frame_about_text_is_no_table() {
        let (tables, words, _) =
            tables(words_of(&[("Note", 2.0, 10.0)]), &ruled(&[0.0, 120.0], &[0.0, 32.0]), &[]);
        assert_eq!((tables.len(), words.len()), (0, 1));
    }
}
