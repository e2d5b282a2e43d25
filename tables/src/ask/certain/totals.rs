//! Rows that add up others, whatever they are called. What counts, adds, averages or ranks them with the others is not sure.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::phrases::{NOT_ADDED, TOTAL_LABELS, TOTAL_WORDS};
use crate::load::{LINE, MISFITS};
use crate::query::{Filter, Query, Source};
use crate::sql::guard::Guard;
use crate::sql::identifier;
use crate::table::Table;
use crate::words;

/// Fewest rows of a table in which the sum of all others tells a total: three others, and it.
const FEWEST_ROWS: u64 = 4;

/// Most rows that are looked through for totals between them. The first and the last row are compared in a table of any size.
const MOST_ROWS: u32 = 50_000;

/// Most columns of numbers, and of others, that are looked at.
const MOST_COLUMNS: usize = 60;

/// From this size on, counted in the last digit, a number is hardly the sum of the others by chance.
const LARGE: f64 = 1000.0;

/// Most words of a label that one of them makes that of a total: more are a sentence.
const MOST_WORDS: usize = 4;

/// One row, as far as it may be a total.
struct Seen {
    line: u32,
    record: i64,
    /// The first text of the row.
    label: Option<String>,
    /// Whether a cell is empty that is filled in most rows.
    has_gap: bool,
    numbers: Vec<Option<f64>>,
}

/// What is compared: places of columns.
struct Compared {
    /// Columns of numbers of one currency.
    numbers: Vec<usize>,
    others: Vec<usize>,
}

impl Table {
    /// Why a number made of rows may have a total among them; `None` for other queries, and where no row looks like one.
    pub(super) fn doubt_of_totals(&self, query: &Query) -> Option<String> {
        let is_of_rows = query.is_aggregate() || !query.order.is_empty();
        if query.source != Source::Records || !is_of_rows {
            return None;
        }
        let Some(lines) = self.totals.get_or_init(|| self.total_lines().ok()) else {
            return Some("whether a row adds up the others could not be told".to_owned());
        };
        let is_let_through = |line: &&u32| {
            let is_line = Filter::Means { column: 0, says: String::new(), lines: [**line].into() };
            let filter = Filter::both(query.filter.clone(), Some(is_line));
            !matches!(self.count(Source::Records, filter.as_ref()), Ok(0))
        };
        let line = lines.iter().find(is_let_through)?;
        Some(format!("line {line} looks like a total of other lines"))
    }

    /// The lines of rows that look like totals.
    fn total_lines(&self) -> rusqlite::Result<Vec<u32>> {
        if self.rows + 1 < FEWEST_ROWS {
            return Ok(Vec::new());
        }
        let plain = |column: &usize| self.columns[*column].currency_column.is_none();
        let (numbers, others): (Vec<usize>, Vec<usize>) =
            (0..self.columns.len()).partition(|column| self.columns[*column].is_numeric());
        let compared = Compared {
            numbers: numbers.into_iter().filter(plain).take(MOST_COLUMNS).collect(),
            others: others.into_iter().take(MOST_COLUMNS).collect(),
        };
        let _guard = Guard::over(&self.connection, self.query_steps);
        let sums = self.sums(&compared)?;
        let mut lines = Vec::new();
        for way in ["ASC", "DESC"] {
            self.each_row(&compared, &format!("ORDER BY rowid {way} LIMIT 1"), |seen| {
                if self.is_total_of_all(&compared, &seen, &sums) {
                    lines.push(seen.line);
                }
            })?;
        }
        lines.extend(self.totals_between(&compared, &sums)?);
        lines.sort_unstable();
        lines.dedup();
        Ok(lines)
    }

    /// Whether the first or the last row adds up all others, or is called like one that does.
    fn is_total_of_all(&self, compared: &Compared, seen: &Seen, sums: &[f64]) -> bool {
        let misfits = self.misfits_of(seen.record);
        let is_called_total = misfits.iter().chain(&seen.label).any(|label| names_a_total(label));
        if is_called_total {
            return true;
        }
        if self.rows < FEWEST_ROWS {
            return false;
        }
        let (mut alike, mut others, mut has_large) = (0, 0, false);
        for (at, number) in seen.numbers.iter().enumerate() {
            let Some(number) = number else { continue };
            if self.is_sum(compared.numbers[at], *number, sums[at] - number) {
                alike += 1;
                has_large |= number.abs() * self.steps(compared.numbers[at]) >= LARGE;
            } else if self.may_be_added(compared.numbers[at]) {
                others += 1;
            }
        }
        alike > 0 && (seen.has_gap || has_large || alike > others)
    }

    /// Rows that add up those above them, up to the total before, as far as [`MOST_ROWS`]. Such a row is called a total, or
    /// lacks what the others have: a month, a name.
    fn totals_between(&self, compared: &Compared, sums: &[f64]) -> rusqlite::Result<Vec<u32>> {
        let mut above = vec![0.0; compared.numbers.len()];
        let mut rows_above = 0;
        let (mut lines, mut has_clear) = (Vec::new(), false);
        self.each_row(compared, &format!("ORDER BY rowid LIMIT {MOST_ROWS}"), |seen| {
            let is_called_total = seen.label.as_deref().is_some_and(names_a_total);
            let numbers = seen.numbers.iter().enumerate();
            let numbers = numbers.filter_map(|(at, number)| Some((at, (*number)?)));
            if rows_above > 1 && (is_called_total || seen.has_gap) {
                let is_sum = |(at, number): &(usize, f64)| {
                    self.is_sum(compared.numbers[*at], *number, above[*at])
                        || is_called_total && self.is_sum(compared.numbers[*at], *number, sums[*at] - number)
                };
                let alike = numbers.clone().filter(is_sum).count();
                if alike > 0 {
                    has_clear |= is_called_total || alike > 1 || rows_above > 2;
                    lines.push(seen.line);
                    above.fill(0.0);
                    rows_above = 0;
                    return;
                }
            }
            numbers.for_each(|(at, number)| above[at] += number);
            rows_above += 1;
        })?;
        Ok(if has_clear || lines.len() > 1 { lines } else { Vec::new() })
    }

    /// Whether a number is what others come to, but for the last digits of a double.
    fn is_sum(&self, column: usize, number: f64, others: f64) -> bool {
        let least = (0.01 / self.steps(column)).max(number.abs() * 1e-12);
        number != 0.0 && others.abs() > least && (number - others).abs() <= least
    }

    /// How many of a column's last digit are one.
    fn steps(&self, column: usize) -> f64 {
        let scale = self.columns[column].scale().unwrap_or(6);
        10_f64.powi(i32::try_from(scale).unwrap_or(6))
    }

    fn may_be_added(&self, column: usize) -> bool {
        let parts = words::parts(&self.columns[column].name);
        !parts.iter().any(|part| NOT_ADDED.contains(&part.as_str())) && !self.holds_codes(column)
    }

    fn sums(&self, compared: &Compared) -> rusqlite::Result<Vec<f64>> {
        if compared.numbers.is_empty() {
            return Ok(Vec::new());
        }
        let sum = |column: &usize| {
            let described = &self.columns[*column];
            match described.scale() {
                Some(scale) => format!("exact_sum({}, {scale})", described.sql()),
                None => format!("sum({})", described.sql()),
            }
        };
        let listed: Vec<String> = compared.numbers.iter().map(sum).collect();
        let sql = format!("SELECT {} FROM {}", listed.join(", "), identifier(&self.name));
        self.connection.query_row(&sql, [], |row| {
            (0..listed.len()).map(|at| Ok(number(row.get_ref(at)?).unwrap_or(0.0))).collect()
        })
    }

    fn each_row(&self, compared: &Compared, ending: &str, mut see: impl FnMut(Seen)) -> rusqlite::Result<()> {
        let name = |column: &usize| self.columns[*column].sql();
        let names: Vec<String> = compared.others.iter().chain(&compared.numbers).map(name).collect();
        let names = names.iter().fold(String::new(), |all, one| all + ", " + one);
        let sql = format!("SELECT {LINE}, rowid{names} FROM {} {ending}", identifier(&self.name));
        let mut prepared = self.connection.prepare(&sql)?;
        let mut rows = prepared.query([])?;
        while let Some(row) = rows.next()? {
            see(self.seen(compared, row)?);
        }
        Ok(())
    }

    fn seen(&self, compared: &Compared, row: &Row<'_>) -> rusqlite::Result<Seen> {
        let (mut label, mut has_gap) = (None, false);
        for (at, column) in compared.others.iter().enumerate() {
            let described = &self.columns[*column];
            match row.get_ref(at + 2)? {
                ValueRef::Text(text) if described.is_text() && label.is_none() => {
                    label = Some(String::from_utf8_lossy(text).into_owned());
                }
                ValueRef::Null => has_gap |= (described.missing + described.misfits) * 2 <= self.rows,
                _ => {}
            }
        }
        let first = compared.others.len() + 2;
        let numbers = (0..compared.numbers.len()).map(|at| Ok(number(row.get_ref(first + at)?)));
        Ok(Seen {
            line: row.get(0)?,
            record: row.get(1)?,
            label,
            has_gap,
            numbers: numbers.collect::<rusqlite::Result<_>>()?,
        })
    }

    /// The cells of a row that are not of their columns' kinds: `Closing balance` among dates.
    fn misfits_of(&self, record: i64) -> Vec<String> {
        let sql = format!("SELECT cell FROM {MISFITS} WHERE record = ?");
        let Ok(mut prepared) = self.connection.prepare(&sql) else { return Vec::new() };
        let Ok(found) = prepared.query_map([record], |row| row.get(0)) else { return Vec::new() };
        found.filter_map(Result::ok).collect()
    }
}

/// Whether a row of this name adds up others: `Total 2024`, `EU average`, `Closing balance`, `Max points`.
fn names_a_total(label: &str) -> bool {
    let parts = words::parts(label);
    let text = parts.join(" ");
    let is_word = |part: &String| TOTAL_WORDS.contains(&part.as_str());
    let is_best = matches!(parts.first().map(String::as_str), Some("max" | "maximum" | "min" | "minimum"))
        && parts.get(1).is_some_and(|part| {
            matches!(
                part.as_str(),
                "points" | "score" | "marks" | "possible" | "value" | "punkte" | "punktzahl"
            )
        });
    parts.len() <= MOST_WORDS
        && (parts.iter().any(is_word) || TOTAL_LABELS.contains(&text.as_str()) || is_best)
}

fn number(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(value) => Some(value as f64),
        ValueRef::Real(value) => Some(value),
        _ => None,
    }
}
