//! Which values stand in which columns: how a question's words find them.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::column::{Column, Kind, Unit};
use crate::sql::identifier;
use crate::words;

/// Most different values that are indexed. Beyond that a value is found by its whole text only in the columns before.
const MAX_VALUES: usize = 400_000;

/// Longest value that is one a question would name.
const MAX_VALUE_CHARS: usize = 100;

/// Most words of a value that a question names by a part of it.
const MAX_WORDS: usize = 8;

/// Fewest numbers of which it can be told that they run on.
const FEWEST_RUNNING: usize = 10;

/// Most different values that are looked through for one that begins with a word.
const MAX_BEGINNINGS: usize = 20_000;

/// Most bytes of different values that are counted while rows are stored.
const MAX_COUNTED_BYTES: usize = 64 << 20;

/// The table of counted values. A column whose values were too many has one row, without a value.
const VALUES: &str = "_values";

/// The different values of each text column, counted while the rows are stored: to group a large table takes long.
pub(crate) struct Counts {
    columns: Vec<Option<Counted>>,
    values: usize,
    bytes: usize,
}

#[derive(Default)]
struct Counted {
    by_value: HashMap<Box<str>, u64>,
    bytes: usize,
}

impl Counts {
    /// Of these columns, whose rows are all still to come.
    pub fn of(columns: &[Column]) -> Self {
        let columns = columns.iter().map(|column| column.is_text().then(Counted::default)).collect();
        Self { columns, values: 0, bytes: 0 }
    }

    /// Counts a value of a column.
    pub fn see(&mut self, column: usize, value: &str) {
        let Some(Some(counted)) = self.columns.get_mut(column) else { return };
        if let Some(count) = counted.by_value.get_mut(value) {
            *count += 1;
            return;
        }
        counted.by_value.insert(value.into(), 1);
        counted.bytes += value.len();
        self.values += 1;
        self.bytes += value.len();
        if self.values > MAX_VALUES || self.bytes > MAX_COUNTED_BYTES {
            self.drop_largest();
        }
    }

    /// Gives up the column that takes most room.
    fn drop_largest(&mut self) {
        let room = |counted: &Counted| counted.bytes + counted.by_value.len() * size_of::<(Box<str>, u64)>();
        let largest = self.columns.iter_mut().filter(|column| column.is_some());
        let largest = largest.max_by_key(|column| column.as_ref().map(room));
        if let Some(counted) = largest.and_then(Option::take) {
            self.values -= counted.by_value.len();
            self.bytes -= counted.bytes;
        }
    }

    /// Writes down what was counted.
    pub fn store(&self, connection: &Connection, columns: &[Column]) -> rusqlite::Result<()> {
        connection.execute_batch(&format!("CREATE TABLE {VALUES} (column_number, value, count)"))?;
        let mut insert = connection.prepare(&format!("INSERT INTO {VALUES} VALUES (?, ?, ?)"))?;
        for (number, counted) in self.columns.iter().enumerate() {
            match counted {
                Some(counted) => {
                    for (value, count) in &counted.by_value {
                        insert.execute((number, value, count))?;
                    }
                }
                None if columns[number].is_text() => {
                    insert.execute((number, None::<&str>, 0))?;
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// The values of a column as they were counted, the most frequent first; `None` if they were too many.
fn counted(connection: &Connection, column: usize) -> Option<Vec<(String, u64)>> {
    let sql = format!("SELECT value, count FROM {VALUES} WHERE column_number = ? ORDER BY count DESC, value");
    let mut prepared = connection.prepare_cached(&sql).ok()?;
    let read = prepared.query_map([column], |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    // What has no value cannot be read as a text.
    read.collect::<rusqlite::Result<_>>().ok()
}

/// The same of a table whose values were not counted, at most so many.
fn grouped(
    connection: &Connection,
    table: &str,
    column_sql: &str,
    most: usize,
) -> Option<Vec<(String, u64)>> {
    let sql = format!(
        "SELECT {0}, count(*) FROM {1} WHERE {0} IS NOT NULL GROUP BY {0} ORDER BY 2 DESC, 1 LIMIT {most}",
        column_sql,
        identifier(table),
    );
    let mut prepared = connection.prepare(&sql).ok()?;
    let read = prepared.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    read.collect::<rusqlite::Result<_>>().ok()
}

/// Whether the whole numbers of a column run on, as far as the first rows show: 48120, 48121, 48123.
fn runs_on(connection: &Connection, table: &str, column: &Column) -> bool {
    if !matches!(column.kind, Kind::Number { scale: Some(0), unit: Unit::None }) {
        return false;
    }
    let sql = format!(
        "SELECT count(*) >= {FEWEST_RUNNING} AND count(*) = count(DISTINCT {0}) AND min({0}) >= 100
            AND max({0}) - min({0}) < 2 * count(*) FROM (SELECT {0} FROM {1} WHERE {0} IS NOT NULL LIMIT 200)",
        column.sql(),
        identifier(table),
    );
    connection.query_row(&sql, [], |row| row.get(0)).unwrap_or(false)
}

/// Values of text columns by their words.
#[derive(Debug, Default)]
pub(crate) struct ValueIndex {
    /// Words joined by spaces → where they are a whole value.
    whole: HashMap<String, Vec<Hit>>,
    /// One word → the columns in which it is part of a longer value.
    partial: HashMap<String, Vec<(usize, u32)>>,
    /// The stem of a value of one word → the value's words.
    stems: HashMap<String, Vec<String>>,
    /// Columns with values that differ by case only.
    pub case_variants: Vec<bool>,
    /// Different values per column, under case folding.
    pub distinct: Vec<usize>,
    /// Most words of a whole value.
    pub longest: usize,
    /// Columns whose values were too many.
    pub cut: Vec<usize>,
    /// Columns whose numbers run on from row to row, as those of records do.
    pub running: Vec<usize>,
}

/// A value as it stands in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub column: usize,
    /// All spellings that are this value under case folding, with how often each stands there.
    pub spellings: Vec<(String, u64)>,
}

impl ValueIndex {
    /// Reads the different values of all text columns.
    pub fn of(name: &str, columns: &[Column], connection: &Connection) -> Self {
        let mut index = Self {
            case_variants: vec![false; columns.len()],
            distinct: vec![0; columns.len()],
            running: (0..columns.len()).filter(|at| runs_on(connection, name, &columns[*at])).collect(),
            ..Self::default()
        };
        let are_counted = connection.prepare(&format!("SELECT 1 FROM {VALUES}")).is_ok();
        let mut total = 0;
        for (column, described) in columns.iter().enumerate() {
            if !described.is_text() {
                continue;
            }
            let room = MAX_VALUES.saturating_sub(total);
            let values = if are_counted {
                counted(connection, column)
            } else {
                grouped(connection, name, &described.sql(), room + 1)
            };
            let Some(values) = values.filter(|values| values.len() <= room) else {
                index.cut.push(column);
                continue;
            };
            total += values.len();
            index.add(column, values);
        }
        index
    }

    fn add(&mut self, column: usize, values: Vec<(String, u64)>) {
        let mut folded: std::collections::HashSet<String> = std::collections::HashSet::new();
        for (value, count) in values {
            if !folded.insert(words::fold(&value)) {
                self.case_variants[column] = true;
            }
            if value.chars().count() > MAX_VALUE_CHARS {
                // A message or a note: found by its words, never as a whole.
                continue;
            }
            let parts = words::value_words(&value);
            if parts.is_empty() {
                continue;
            }
            if parts.len() > 1 && parts.len() <= MAX_WORDS {
                for part in &parts {
                    let columns = self.partial.entry(part.clone()).or_default();
                    match columns.iter_mut().find(|(other, _)| *other == column) {
                        Some((_, count)) => *count += 1,
                        None => columns.push((column, 1)),
                    }
                }
            }
            if let [part] = parts.as_slice()
                && part.chars().count() > 3
            {
                // `warn` itself would be cut to `war`.
                for stem in [words::stem(part), part.clone()] {
                    let words = self.stems.entry(stem).or_default();
                    if !words.contains(part) {
                        words.push(part.clone());
                    }
                }
            }
            self.longest = self.longest.max(parts.len());
            let hits = self.whole.entry(parts.join(" ")).or_default();
            match hits.iter_mut().find(|hit| hit.column == column) {
                Some(hit) => hit.spellings.push((value, count)),
                None => hits.push(Hit { column, spellings: vec![(value, count)] }),
            }
        }
        self.distinct[column] = folded.len();
    }

    /// Where these words are a whole value, by column.
    pub fn whole(&self, words: &[String]) -> &[Hit] {
        self.whole.get(&words.join(" ")).map_or(&[], Vec::as_slice)
    }

    /// The whole values of one word that have the stem of another: `warnings` and `WARN`.
    pub fn by_stem(&self, word: &str) -> Vec<Hit> {
        let found = self.stems.get(&words::stem(word));
        found
            .into_iter()
            .flatten()
            .flat_map(|value| self.whole(std::slice::from_ref(value)))
            .cloned()
            .collect()
    }

    /// The whole values of a column that hold a word among others.
    pub fn with_word(&self, column: usize, word: &str) -> Vec<String> {
        let mut found: Vec<String> = self
            .whole
            .iter()
            .filter(|(joined, _)| joined.split(' ').any(|part| part == word))
            .flat_map(|(_, hits)| hits)
            .filter(|hit| hit.column == column)
            .flat_map(|hit| hit.spellings.iter().map(|(spelling, _)| spelling.clone()))
            .collect();
        found.sort_unstable();
        found
    }

    /// The values of one word that begin with another, at most two of them; none where there are too many to look at.
    pub fn beginning_with(&self, word: &str) -> Vec<&Hit> {
        if self.whole.len() > MAX_BEGINNINGS {
            return Vec::new();
        }
        let begins = |value: &String| value.starts_with(word) && !value.contains(' ');
        self.whole.iter().filter(|(value, _)| begins(value)).flat_map(|(_, hits)| hits).take(2).collect()
    }

    /// Whether a value stands in other cells of its column as one of several, or with a mark of a footnote: `Pashto` in
    /// `Dari, Pashto`, `1958` in `1958*`.
    pub fn is_one_of_several(&self, column: usize, value: &str) -> bool {
        let wanted = words::fold(value);
        let is_marked = |(spelling, _): &(String, u64)| {
            let bare = spelling.trim_end_matches(['*', '†', '‡', '§']);
            bare.len() < spelling.len() && words::fold(bare) == wanted
        };
        let whole = self.whole(&words::value_words(value));
        if whole.iter().any(|hit| hit.column == column && hit.spellings.iter().any(is_marked)) {
            return true;
        }
        let Some(first) = words::value_words(value).into_iter().next() else { return false };
        if self.partial(&first).iter().all(|(other, _)| *other != column) {
            return false;
        }
        self.with_word(column, &first).iter().any(|cell| {
            let mut parts = cell.split([',', ';', '/', '|', '\n', '&']).map(words::fold);
            words::fold(cell) != wanted && parts.any(|part| part == wanted)
        })
    }

    /// The columns in which a word is part of a longer value, and of how many values.
    pub fn partial(&self, word: &str) -> &[(usize, u32)] {
        self.partial.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whole values of a column that are this word but for a plural ending.
    pub fn plural(&self, word: &str) -> Vec<Hit> {
        let mut found: Vec<Hit> = Vec::new();
        let mut candidates = vec![format!("{word}s")];
        for (ending, instead) in [("ies", "y"), ("es", ""), ("s", ""), ("e", ""), ("en", "e"), ("n", "")] {
            if let Some(rest) = word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 3) {
                candidates.push(format!("{rest}{instead}"));
            }
        }
        for candidate in candidates {
            if words::same_but_plural(&candidate, word)
                || word.strip_suffix("en").is_some()
                || word.ends_with('e')
                || word.ends_with('n')
            {
                for hit in self.whole(std::slice::from_ref(&candidate)) {
                    if !found.contains(hit) {
                        found.push(hit.clone());
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{LoadOptions, Source, Table};

    fn in_blocks(text: &str) -> Table {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let source: Arc<dyn Source> = Arc::new(file);
        let options = LoadOptions { memory_bytes: 0, ..LoadOptions::default() };
        Table::load_source("orders.csv", source, &options).unwrap()
    }

    #[test]
    fn values_that_were_counted_are_those_that_are_grouped() {
        let text = "id,city,amount,note\n1,Rome,5 EUR,a b\n2,rome,7 USD,\n3,Rome,1 EUR,-\n4,Oslo,2 USD,a b\n";
        let (large, small) =
            (in_blocks(text), Table::load("orders.csv", text, &LoadOptions::default()).unwrap());
        assert_eq!(large.columns(), small.columns());
        let (counted, grouped) = (large.values(), small.values());
        assert!(counted.whole.len() > 4, "{counted:?}");
        assert_eq!(counted.whole, grouped.whole);
        assert_eq!(counted.partial, grouped.partial);
        assert_eq!(counted.case_variants, grouped.case_variants);
        assert_eq!((&counted.cut, &grouped.cut), (&vec![], &vec![]));
    }

    #[test]
    fn too_many_values_of_one_column_leave_room_for_the_others() {
        let rows = (0..=MAX_VALUES).map(|number| format!("x{number}y,{}\n", ["Rome", "Oslo"][number % 2]));
        let table = in_blocks(&format!("name,city\n{}", rows.collect::<String>()));
        assert_eq!(table.values().cut, [0]);
        assert_eq!(table.values().whole(&["rome".to_owned()])[0].column, 1);
    }
}
