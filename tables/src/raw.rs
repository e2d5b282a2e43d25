//! Records as they were read, before anybody knows what their columns are: one text for all cells, and where each ends.

/// Most columns of a table. SQLite takes no more than 2,000.
pub(crate) const MAX_COLUMNS: usize = 1_900;

/// Names of columns, and rows of cells that know their lines.
#[derive(Debug, Default, Clone)]
pub struct RawTable {
    /// One per column, all different under case folding.
    pub(crate) names: Vec<String>,
    /// The names, folded, with the number that the next column of that name gets.
    taken: std::collections::HashMap<String, usize>,
    cells: String,
    /// Where each cell ends in `cells`.
    ends: Vec<usize>,
    rows: Vec<RawRow>,
    /// What a person should know about how this was read.
    pub(crate) notes: Vec<String>,
    /// How the columns of the file are separated, if by a sign.
    pub(crate) delimiter: Option<char>,
    /// Whether the first row could as well be a record.
    pub(crate) header_is_doubtful: bool,
    /// Whether a last row was left out as a total of the others.
    pub(crate) has_total_row: bool,
    /// Lines that belong to no record.
    pub(crate) unreadable_lines: u64,
    /// The line of that row.
    pub(crate) total_line: Option<u32>,
    /// Some lines of rows with more cells than names.
    pub(crate) wide_lines: Vec<u32>,
    /// The names as they were given.
    pub(crate) given: Vec<String>,
    /// Rows with more cells than names.
    pub(crate) extra_rows: u64,
    /// Rows with fewer cells than names.
    pub(crate) short_rows: u64,
}

#[derive(Debug, Clone, Copy)]
struct RawRow {
    first_cell: usize,
    first_line: u32,
    last_line: u32,
}

/// One record.
#[derive(Clone, Copy)]
pub(crate) struct RowRef<'a> {
    table: &'a RawTable,
    index: usize,
}

impl RawTable {
    /// A table of those columns. Names that are empty or stand twice get one of their own.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut table = Self::default();
        for name in names.into_iter().take(MAX_COLUMNS) {
            table.add_column(&name);
        }
        table
    }

    /// Adds a row of cells that stands on those lines of the file, counted from 1.
    pub fn push_row<'c>(
        &mut self,
        lines: std::ops::RangeInclusive<u32>,
        cells: impl IntoIterator<Item = &'c str>,
    ) {
        self.rows.push(RawRow {
            first_cell: self.ends.len(),
            first_line: *lines.start(),
            last_line: *lines.end(),
        });
        let mut count = 0;
        for cell in cells {
            if count < MAX_COLUMNS {
                self.cells.push_str(cell.trim());
                self.ends.push(self.cells.len());
            }
            count += 1;
        }
        if count > self.names.len() {
            self.extra_rows += 1;
        } else if count < self.names.len() {
            self.short_rows += 1;
        }
    }

    pub(crate) fn add_column(&mut self, name: &str) -> usize {
        self.given.push(name.to_owned());
        let name: String = frlm_util::text::collapse_whitespace(name).chars().take(120).collect();
        let base = if name.is_empty() { format!("column {}", self.names.len() + 1) } else { name };
        let mut chosen = base.clone();
        while self.taken.contains_key(&chosen.to_lowercase()) {
            let number = self.taken.entry(base.to_lowercase()).or_insert(2);
            chosen = format!("{base} {number}");
            *number += 1;
        }
        self.taken.insert(chosen.to_lowercase(), 2);
        self.names.push(chosen);
        self.names.len() - 1
    }

    pub(crate) fn ends_in_a_total(&self) -> bool {
        let Some(index) = self.rows.len().checked_sub(1).filter(|index| *index > 1) else { return false };
        let row = RowRef { table: self, index };
        is_total(self.names.len(), (0..self.names.len()).map(|column| row.cell(column)))
    }

    /// Leaves out a last row that adds up the others, and says so.
    pub(crate) fn drop_total(&mut self) {
        if !self.ends_in_a_total() {
            return;
        }
        let Some(last) = self.rows.pop() else { return };
        self.ends.truncate(last.first_cell);
        self.cells.truncate(self.ends.last().copied().unwrap_or(0));
        self.has_total_row = true;
        self.total_line = Some(last.first_line);
        self.notes.push("the last row sums up those above, and is no record".to_owned());
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = RowRef<'_>> {
        (0..self.rows.len()).map(|index| RowRef { table: self, index })
    }
}

impl<'a> RowRef<'a> {
    /// The cell of a column, empty if the row has none.
    pub fn cell(&self, column: usize) -> &'a str {
        let row = self.table.rows[self.index];
        let last = self.table.rows.get(self.index + 1).map_or(self.table.ends.len(), |next| next.first_cell);
        let index = row.first_cell + column;
        if index >= last {
            return "";
        }
        let start = if index == 0 { 0 } else { self.table.ends[index - 1] };
        &self.table.cells[start..self.table.ends[index]]
    }

    pub fn lines(&self) -> (u32, u32) {
        let row = self.table.rows[self.index];
        (row.first_line, row.last_line)
    }
}

/// Whether the first filled cell of a row says that the row adds up others.
pub(crate) fn is_total<'c>(width: usize, mut cells: impl Iterator<Item = &'c str>) -> bool {
    let first = cells.by_ref().map(str::trim).find(|cell| !cell.is_empty()).unwrap_or("");
    let word = first.trim_end_matches(':').to_lowercase();
    width > 1
        && matches!(
            word.as_str(),
            "total"
                | "totals"
                | "sum"
                | "grand total"
                | "summe"
                | "gesamt"
                | "gesamtsumme"
                | "insgesamt"
                | "average"
                | "mean"
                | "durchschnitt"
                | "mittelwert"
        )
}

/// First line, last line, cells by column.
type GatheredRow = (u32, u32, Vec<(usize, String)>);

/// Records whose columns are only known once all are read: name and value by record.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    columns: std::collections::HashMap<String, usize>,
    names: Vec<String>,
    rows: Vec<GatheredRow>,
    /// Names that found no room.
    pub(crate) dropped_columns: u64,
}

impl Gathered {
    pub(crate) fn push(&mut self, lines: (u32, u32), fields: impl IntoIterator<Item = (String, String)>) {
        let mut row: Vec<(usize, String)> = Vec::new();
        for (name, value) in fields {
            let column = match self.columns.get(&name) {
                Some(column) => *column,
                None if self.names.len() < MAX_COLUMNS => {
                    self.columns.insert(name.clone(), self.names.len());
                    self.names.push(name);
                    self.names.len() - 1
                }
                None => {
                    self.dropped_columns += 1;
                    continue;
                }
            };
            match row.iter_mut().find(|(other, _)| *other == column) {
                Some((_, earlier)) => {
                    earlier.push_str(", ");
                    earlier.push_str(&value);
                }
                None => row.push((column, value)),
            }
        }
        self.rows.push((lines.0, lines.1, row));
    }

    /// `agent` is nothing but the records without an `agent.name`.
    fn drop_empty_parents(&mut self) {
        let mut is_filled = vec![false; self.names.len()];
        for (column, value) in self.rows.iter().flat_map(|(_, _, row)| row) {
            is_filled[*column] |= !value.is_empty();
        }
        let has_children = |name: &String| {
            self.names.iter().any(|other| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
        };
        let kept: Vec<usize> = (0..self.names.len())
            .filter(|column| is_filled[*column] || !has_children(&self.names[*column]))
            .collect();
        if kept.len() == self.names.len() {
            return;
        }
        for (_, _, row) in &mut self.rows {
            row.retain_mut(|(column, _)| {
                kept.binary_search(column).is_ok_and(|place| {
                    *column = place;
                    true
                })
            });
        }
        self.names = kept.iter().map(|column| std::mem::take(&mut self.names[*column])).collect();
    }

    /// Adds text to the last value of a name in the last row, for lines that continue a record.
    pub(crate) fn continue_last(&mut self, name: &str, line: u32, text: &str) -> bool {
        let Some(column) = self.columns.get(name).copied() else { return false };
        let Some((_, last, row)) = self.rows.last_mut() else { return false };
        let Some((_, value)) = row.iter_mut().find(|(other, _)| *other == column) else { return false };
        value.push('\n');
        value.push_str(text);
        *last = line;
        true
    }

    pub(crate) fn into_table(mut self) -> RawTable {
        self.drop_empty_parents();
        let mut table = RawTable::new(self.names);
        let width = table.names.len();
        let mut cells: Vec<&str> = vec![""; width];
        for (first, last, row) in &self.rows {
            cells.fill("");
            for (column, value) in row {
                cells[*column] = value;
            }
            table.push_row(*first..=*last, cells.iter().copied());
        }
        if self.dropped_columns > 0 {
            table.notes.push(format!("{} values of further columns were left out", self.dropped_columns));
        }
        table
    }
}
