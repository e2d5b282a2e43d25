//! Tables without lines: rows whose parts stand below each other.

use super::geometry::{self, NOTHING};
use super::line::{self, Line};
use super::marker;
use super::table::{self, Table, TableRow};
use super::word::Word;
use crate::block::Bounds;

/// Lines that follow each other in a column.
pub(super) enum Stretch {
    Lines(Vec<Line>),
    Table(Table),
}

/// The tables among the lines of a column, and what stands between them.
pub(super) fn stretches(lines: Vec<Line>, rules: &[Bounds]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut plain = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let Some(from) = rest.iter().position(|line| line.parts.len() > 1) else { break };
        let until = run_end(&rest, from);
        let mut behind = rest.split_off(from);
        plain.append(&mut rest);
        rest = behind.split_off(until - from);
        let mut run = behind;
        match table(&run, rest.first(), rules) {
            Some((table, with_next)) => {
                if !plain.is_empty() {
                    found.push(Stretch::Lines(std::mem::take(&mut plain)));
                }
                found.push(Stretch::Table(table));
                if with_next {
                    rest.remove(0);
                }
            }
            None => plain.append(&mut run),
        }
    }
    plain.append(&mut rest);
    if !plain.is_empty() {
        found.push(Stretch::Lines(plain));
    }
    found
}

/// Where the lines end that may be rows of one table: each has several parts, but for at most two in between.
fn run_end(lines: &[Line], from: usize) -> usize {
    let mut until = from + 1;
    let mut index = from + 1;
    while let (Some(before), Some(line)) = (lines.get(index - 1), lines.get(index)) {
        let step = line.baseline - before.baseline;
        let sizes = line.size.max(before.size) > 1.35 * line.size.min(before.size);
        if step > 3.4 * line.size || sizes || index - until > 2 {
            break;
        }
        if line.parts.len() > 1 {
            until = index + 1;
        }
        index += 1;
    }
    until
}

/// A part of a line with the column that it begins in.
struct Part<'l> {
    words: &'l [Word],
    bounds: Bounds,
}

fn parts(line: &Line) -> Vec<Part<'_>> {
    let part = |index| {
        let words = line.part(index);
        Part { words, bounds: words.iter().fold(NOTHING, |all, word| all.union(word.bounds)) }
    };
    (0..line.parts.len()).map(part).collect()
}

/// A row that is being put together.
struct Open {
    cells: Vec<Vec<String>>,
    bounds: Bounds,
    baseline: f32,
    weight: f32,
}

impl Open {
    fn filled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.cells.len()).filter(|column| !self.cells[*column].is_empty())
    }
}

/// The table that lines are, and whether the line behind them still belongs to it.
fn table(lines: &[Line], next: Option<&Line>, rules: &[Bounds]) -> Option<(Table, bool)> {
    let multi: Vec<&Line> = lines.iter().filter(|line| line.parts.len() > 1).collect();
    let most = multi.iter().map(|line| line.parts.len()).max()?;
    if multi.len() < 2 || most == 2 && multi.len() < 3 {
        return None;
    }
    let size = multi.iter().map(|line| line.size).sum::<f32>() / multi.len() as f32;
    let columns = columns(&multi, size)?;
    if is_list(&multi, &columns) || has_leaders(lines) || !is_aligned(&multi, &columns, size) {
        return None;
    }
    let mut rows = rows(lines, &columns);
    let step = row_step(&rows).unwrap_or(1.5 * size);
    let mut joined = joined(rows.drain(..), step, size);
    let filled: usize = joined.iter().map(|row| row.filled().count()).sum();
    if joined.len() < 2 || filled * 2 < joined.len() * columns.len() {
        return None;
    }
    let with_next = next.is_some_and(|next| goes_on(next, joined.last(), &columns, step));
    if let (true, Some(next), Some(last)) = (with_next, next, joined.last_mut()) {
        add(last, row(next, &columns));
    }
    let mut bounds = joined.iter().fold(NOTHING, |all, row| all.union(row.bounds));
    let by_rule = header_by_rule(&mut joined, rules, bounds);
    let texts: Vec<Vec<Vec<String>>> = joined.iter().map(|row| row.cells.clone()).collect();
    let header = by_rule || is_heavier(&joined) || table::looks_like_names(&texts);
    // A little air, so that the table is found where its lines were.
    bounds.top -= 0.1;
    let rows = joined.into_iter().map(|row| TableRow { cells: row.cells, bounds: row.bounds }).collect();
    Some((Table { rows, header, columns, bounds }, with_next))
}

/// The columns: what hardly a part of a row covers is between them.
fn columns(lines: &[&Line], size: f32) -> Option<Vec<(f32, f32)>> {
    let mut edges: Vec<(f32, i32)> = Vec::new();
    for part in lines.iter().flat_map(|line| parts(line)) {
        edges.push((part.bounds.left, 1));
        edges.push((part.bounds.right, -1));
    }
    edges.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let allowed = i32::try_from(lines.len() / 10).unwrap_or(0);
    let mut columns: Vec<(f32, f32)> = Vec::new();
    let mut cover = 0;
    for pair in edges.windows(2) {
        cover += pair[0].1;
        let (from, until) = (pair[0].0, pair[1].0);
        if cover <= allowed {
            continue;
        }
        match columns.last_mut() {
            Some((_, right)) if from - *right < 0.45 * size => *right = until,
            _ => columns.push((from, until)),
        }
    }
    (2..=40).contains(&columns.len()).then_some(columns)
}

fn column_of(bounds: Bounds, columns: &[(f32, f32)]) -> usize {
    let overlap = |(left, right): &(f32, f32)| bounds.right.min(*right) - bounds.left.max(*left);
    let best = columns.iter().enumerate().max_by(|one, other| overlap(one.1).total_cmp(&overlap(other.1)));
    best.map_or(0, |(index, _)| index)
}

/// Items with their markers, or headings with their numbers, are no tables.
fn is_list(lines: &[&Line], columns: &[(f32, f32)]) -> bool {
    let marked = |line: &&&Line| {
        let first = line.part(0).iter().map(Word::text).collect::<Vec<_>>().join(" ");
        let number = first.contains('.')
            && first.chars().all(|character| character.is_ascii_digit() || character == '.');
        let short = columns.len() == 2
            && first.chars().count() <= 3
            && first.chars().all(|digit| digit.is_ascii_digit());
        let sign = first.chars().count() == 1 && !first.chars().all(char::is_alphanumeric);
        column_of(line.part(0).iter().fold(NOTHING, |all, word| all.union(word.bounds)), columns) == 0
            && (sign || number && columns.len() == 2 || marker::of(&format!("{first} text")).is_some())
            || short && line.part(1).len() > 3
    };
    lines.iter().filter(marked).count() * 3 > lines.len() * 2
}

fn has_leaders(lines: &[Line]) -> bool {
    let dots = |line: &&Line| {
        let words =
            line.words.iter().filter(|word| word.glyphs.iter().all(|glyph| glyph.letters.first() == '.'));
        words.map(|word| word.glyphs.len()).sum::<usize>() >= 4
    };
    lines.iter().filter(dots).count() * 2 > lines.len()
}

/// Whether the parts in each column begin, end or stand in the middle at one place, and are no lines of running text.
fn is_aligned(lines: &[&Line], columns: &[(f32, f32)], size: f32) -> bool {
    let mut by_column: Vec<Vec<Bounds>> = vec![Vec::new(); columns.len()];
    let mut letters = 0;
    let mut count = 0;
    for part in lines.iter().flat_map(|line| parts(line)) {
        by_column[column_of(part.bounds, columns)].push(part.bounds);
        letters += part.words.iter().map(|word| word.glyphs.len()).sum::<usize>();
        count += 1;
    }
    if letters > 45 * count {
        return false;
    }
    let agree = |bounds: &[Bounds], place: fn(&Bounds) -> f32| {
        let mut places: Vec<f32> = bounds.iter().map(place).collect();
        places.sort_by(f32::total_cmp);
        let near = |from: usize| {
            places[from..].iter().take_while(|other| **other - places[from] < 0.7 * size).count()
        };
        (0..places.len()).map(near).max().unwrap_or(0) * 10 >= bounds.len() * 6
    };
    by_column.iter().all(|bounds| {
        agree(bounds, |bounds| bounds.left)
            || agree(bounds, |bounds| bounds.right)
            || agree(bounds, |bounds| f32::midpoint(bounds.left, bounds.right))
    })
}

fn row(line: &Line, columns: &[(f32, f32)]) -> Open {
    let mut cells: Vec<Vec<Word>> = vec![Vec::new(); columns.len()];
    for part in parts(line) {
        let over = columns
            .iter()
            .filter(|(left, right)| part.bounds.left < right - 1.0 && part.bounds.right > left + 1.0)
            .count();
        if over <= 1 || !splits(&part, columns) {
            cells[column_of(part.bounds, columns)].extend(part.words.iter().cloned());
            continue;
        }
        for word in part.words {
            cells[column_of(word.bounds, columns)].push(word.clone());
        }
    }
    let text = |words: Vec<Word>| if words.is_empty() { Vec::new() } else { vec![line::text_of(&words)] };
    Open {
        cells: cells.into_iter().map(text).collect(),
        bounds: line.bounds,
        baseline: line.baseline,
        weight: line.weight,
    }
}

/// Whether each word of a part stands in one column.
fn splits(part: &Part<'_>, columns: &[(f32, f32)]) -> bool {
    part.words.iter().all(|word| {
        columns
            .iter()
            .filter(|(left, right)| word.bounds.left < right - 1.0 && word.bounds.right > left + 1.0)
            .count()
            <= 1
    })
}

fn rows(lines: &[Line], columns: &[(f32, f32)]) -> Vec<Open> {
    lines.iter().map(|line| row(line, columns)).collect()
}

/// The usual distance of two rows that both have a first cell.
fn row_step(rows: &[Open]) -> Option<f32> {
    let has_first = |row: &&Open| !row.cells[0].is_empty();
    let firsts: Vec<f32> = rows.iter().filter(has_first).map(|row| row.baseline).collect();
    let mut steps: Vec<f32> = firsts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied()
}

/// Lines of cells that are broken join the row above.
fn joined(rows: impl Iterator<Item = Open>, step: f32, size: f32) -> Vec<Open> {
    let mut found: Vec<Open> = Vec::new();
    for row in rows {
        let belongs = found.last().is_some_and(|last| {
            let near = row.baseline - last.bounds.bottom.max(last.baseline) < 1.45 * size;
            let below = row.filled().all(|column| !last.cells[column].is_empty());
            let filled = row.filled().count();
            let tight = row.baseline - last.baseline < 0.85 * step;
            let first = !row.cells[0].is_empty();
            near && below
                && (!first && (tight || filled * 2 <= row.cells.len())
                    || first && tight && filled < row.cells.len())
        });
        match found.last_mut() {
            Some(last) if belongs => add(last, row),
            _ => found.push(row),
        }
    }
    found
}

fn add(row: &mut Open, more: Open) {
    for (cell, lines) in row.cells.iter_mut().zip(more.cells) {
        cell.extend(lines);
    }
    row.bounds = row.bounds.union(more.bounds);
    row.baseline = more.baseline;
}

/// Whether the line behind a table is the rest of a broken cell.
fn goes_on(next: &Line, last: Option<&Open>, columns: &[(f32, f32)], step: f32) -> bool {
    let Some(last) = last else { return false };
    let column = column_of(next.bounds, columns);
    let (left, right) = columns[column];
    let inside = next.bounds.left > left - 2.0 && next.bounds.right < right + 2.0;
    let near = next.baseline - last.baseline;
    inside && !last.cells[column].is_empty() && near < 1.4 * next.size && near < 0.9 * step
}

/// Rows above a line through the whole table are its header, which may have several lines.
fn header_by_rule(rows: &mut Vec<Open>, rules: &[Bounds], bounds: Bounds) -> bool {
    let wide = |rule: &&Bounds| {
        let shared = rule.right.min(bounds.right) - rule.left.max(bounds.left);
        shared > 0.7 * geometry::width(bounds)
    };
    let below = |rule: &Bounds| {
        let middle = |row: &Open| f32::midpoint(row.bounds.top, row.bounds.bottom);
        let count = rows.iter().take_while(|row| middle(row) < rule.top).count();
        (1..=2).contains(&count).then_some(count).filter(|count| *count < rows.len())
    };
    let counts: Vec<usize> = rules.iter().filter(wide).filter_map(below).collect();
    let Some(first) = counts.iter().min().copied() else { return false };
    // Where every row has a line below it, the line tells nothing.
    let inner =
        rules.iter().filter(wide).filter(|rule| bounds.top < rule.top && rule.top < bounds.bottom).count();
    if inner > 2 && inner + 1 >= rows.len() {
        return false;
    }
    for _ in 1..first {
        let more = rows.remove(1);
        add(&mut rows[0], more);
    }
    true
}

fn is_heavier(rows: &[Open]) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let known: Vec<f32> = rest.iter().map(|row| row.weight).filter(|weight| *weight > 0.0).collect();
    let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
    mean > 0.0 && first.weight > 1.2 * mean && first.filled().count() * 3 >= first.cells.len() * 2
}

#[cfg(test)]
mod tests {
    use super::super::line::tests::lines_of;
    use super::*;

    fn tables(texts: &[(&str, f32, f32, f32)]) -> Vec<Vec<Vec<String>>> {
        let found = stretches(lines_of(texts), &[]);
        let cells = |table: Table| {
            let row = |row: TableRow| row.cells.iter().map(|lines| lines.join(" ")).collect();
            table.rows.into_iter().map(row).collect()
        };
        found
            .into_iter()
            .filter_map(|stretch| match stretch {
                Stretch::Table(table) => Some(cells(table)),
                Stretch::Lines(_) => None,
            })
            .collect()
    }

    #[test]
    fn parts_below_each_other_are_cells_and_broken_cells_are_one() {
        let found = tables(&[
            ("Duty", 0.0, 100.0, 10.0),
            ("Who", 120.0, 100.0, 10.0),
            ("When", 180.0, 100.0, 10.0),
            ("Read the level", 0.0, 118.0, 10.0),
            ("Keeper", 120.0, 118.0, 10.0),
            ("daily", 180.0, 118.0, 10.0),
            ("of the basin", 0.0, 129.0, 10.0),
            ("Paint", 0.0, 147.0, 10.0),
            ("Crew", 120.0, 147.0, 10.0),
            ("yearly", 180.0, 147.0, 10.0),
        ]);
        assert_eq!(
            found,
            [[
                ["Duty", "Who", "When"],
                ["Read the level of the basin", "Keeper", "daily"],
                ["Paint", "Crew", "yearly"]
            ]]
        );
    }

    #[test]
    fn items_of_a_list_are_no_rows() {
        let mut texts = Vec::new();
        for row in 0_u8..4 {
            texts.push(("•", 0.0, 100.0 + 12.0 * f32::from(row), 10.0));
            texts.push(("an item", 25.0, 100.0 + 12.0 * f32::from(row), 10.0));
        }
        assert_eq!(tables(&texts).len(), 0);
    }
}
