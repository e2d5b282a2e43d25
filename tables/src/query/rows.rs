//! Rows of a table to look at: which ones, in which order, and what stands in them. A table of any size is looked at by its
//! rows in sight: the order is a list of numbers, and only the cells that are asked for are read.

use std::fmt::Write as _;

use rusqlite::ToSql;

use super::outcome::{Cell, Heading};
use crate::error::QueryError;
use crate::load::{LINE, MISFITS};
use crate::sql::guard::Guard;
use crate::sql::identifier;
use crate::table::Table;
use crate::words;

/// Which rows are wanted, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only rows that hold this text in a cell, case folded; empty: all of them.
    pub text: String,
    /// Only rows that begin in one of these lines of the file.
    pub lines: Option<Vec<u32>>,
    /// How they stand.
    pub order: RowOrder,
}

/// How rows stand: as in the file, unless by a column. Empty cells come last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowOrder {
    /// The column.
    pub column: Option<usize>,
    /// Whether the largest, the newest, or what comes last in the alphabet stands first.
    pub falls: bool,
}

/// A row to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow {
    /// The line of the file in which it begins.
    pub line: u32,
    /// Its cells as people read them; what does not fit its column as it stands in the file.
    pub cells: Vec<String>,
}

impl Table {
    /// The numbers of the rows that are wanted, in order.
    pub fn find_rows(&self, wanted: &Wanted) -> Result<Vec<u32>, QueryError> {
        let mut sql = format!("SELECT rowid FROM {}", identifier(&self.name));
        let mut conditions = Vec::new();
        let text = words::fold(&wanted.text);
        if !text.is_empty() {
            let holds = |name: &str| format!("instr(fold({name}), ?1) > 0");
            let mut cells: Vec<String> =
                self.columns.iter().map(|column| holds(&identifier(&column.name))).collect();
            cells.push(format!("rowid IN (SELECT record FROM {MISFITS} WHERE {})", holds("cell")));
            conditions.push(format!("({})", cells.join(" OR ")));
        }
        if let Some(lines) = &wanted.lines {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            conditions.push(format!("{LINE} IN ({})", lines.join(", ")));
        }
        if !conditions.is_empty() {
            sql.push_str(" WHERE ");
            sql.push_str(&conditions.join(" AND "));
        }
        let way = if wanted.order.falls { "DESC" } else { "ASC" };
        let by = match wanted.order.column {
            None => format!("rowid {way}"),
            Some(at) => {
                let column = self.columns.get(at).ok_or(QueryError::NoColumn(at))?;
                let name = identifier(&column.name);
                let value = if column.is_text() { format!("fold({name})") } else { name.clone() };
                format!("{name} IS NULL, {value} {way}, rowid")
            }
        };
        // Writing into a String cannot fail.
        let _ = write!(sql, " ORDER BY {by}");
        let _guard = Guard::over(&self.connection, self.query_steps);
        let parameters: &[&dyn ToSql] = if text.is_empty() { &[] } else { &[&text] };
        let mut prepared = self.connection.prepare(&sql)?;
        let rows = prepared.query_map(parameters, |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    /// What stands in these rows, in their order.
    pub fn read_rows(&self, rows: &[u32]) -> Result<Vec<ShownRow>, QueryError> {
        let names: Vec<String> = self.columns.iter().map(|column| identifier(&column.name)).collect();
        let name = identifier(&self.name);
        let sql = format!("SELECT {LINE}, {} FROM {name} WHERE rowid = ?", names.join(", "));
        let headings: Vec<Heading> = self.columns.iter().map(Heading::of_column).collect();
        let mut prepared = self.connection.prepare_cached(&sql)?;
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            found.push(prepared.query_row([row], |row| {
                let shown = |(at, heading): (usize, &Heading)| {
                    Ok(match heading.cell(row.get_ref(at + 1)?) {
                        Cell::Missing => String::new(),
                        cell => heading.shown(&cell),
                    })
                };
                let cells = headings.iter().enumerate().map(shown).collect::<rusqlite::Result<_>>()?;
                Ok(ShownRow { line: row.get(0)?, cells })
            })?);
        }
        if self.columns.iter().any(|column| column.misfits > 0) {
            self.put_misfits(rows, &mut found)?;
        }
        Ok(found)
    }

    /// Cells that do not fit their columns, as they stand in the file.
    fn put_misfits(&self, rows: &[u32], found: &mut [ShownRow]) -> Result<(), QueryError> {
        let numbers: Vec<String> = rows.iter().map(u32::to_string).collect();
        let sql = format!(
            "SELECT record, column_name, cell FROM {MISFITS} WHERE record IN ({})",
            numbers.join(", ")
        );
        let mut prepared = self.connection.prepare(&sql)?;
        let mut misfits = prepared.query([])?;
        while let Some(misfit) = misfits.next()? {
            let (record, name): (u32, String) = (misfit.get(0)?, misfit.get(1)?);
            let row = rows.iter().position(|row| *row == record);
            let column = self.columns.iter().position(|column| column.name == name);
            if let (Some(row), Some(column)) = (row, column) {
                found[row].cells[column] = misfit.get(2)?;
            }
        }
        Ok(())
    }

    /// Writes rows as CSV with a header.
    pub fn write_rows(&self, rows: &[u32], into: impl std::io::Write) -> Result<(), QueryError> {
        /// Rows that are in memory at a time.
        const AT_ONCE: usize = 1_000;

        let unfit = |error: csv::Error| QueryError::Unfit(error.to_string());
        let mut writer = csv::Writer::from_writer(into);
        writer.write_record(self.columns.iter().map(|column| column.name.as_str())).map_err(unfit)?;
        for some in rows.chunks(AT_ONCE) {
            for row in self.read_rows(some)? {
                writer.write_record(&row.cells).map_err(unfit)?;
            }
        }
        writer.flush().map_err(|error| QueryError::Unfit(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::LoadOptions;

    const ORDERS: &str = "order,customer,amount,day\n1,Zoë,1200.50,2026-03-01\n2,ada,99.50,2026-03-04\n3,Ben,n/a,2026-03-02\n4,Ada,300.00,2026-03-03\n";

    fn orders() -> Table {
        Table::load("orders.csv", ORDERS, &LoadOptions::default()).unwrap()
    }

    fn by(column: Option<usize>, falls: bool) -> Wanted {
        Wanted { order: RowOrder { column, falls }, ..Wanted::default() }
    }

    #[test]
    fn rows_stand_as_in_the_file_or_by_a_column_and_empty_cells_come_last() {
        let table = orders();
        let found = |wanted: Wanted| table.find_rows(&wanted).unwrap();
        assert_eq!(found(Wanted::default()), [1, 2, 3, 4]);
        assert_eq!(found(by(None, true)), [4, 3, 2, 1]);
        assert_eq!(found(by(Some(2), true)), [1, 4, 2, 3], "by number, not by letter");
        assert_eq!(found(by(Some(2), false)), [2, 4, 1, 3]);
        assert_eq!(found(by(Some(1), false)), [2, 4, 3, 1], "whatever the letters' size");
        assert!(matches!(table.find_rows(&by(Some(9), false)), Err(QueryError::NoColumn(9))));
    }

    #[test]
    fn rows_are_found_by_a_text_in_any_cell_and_by_their_lines() {
        let table = orders();
        let with = |text: &str| Wanted { text: text.to_owned(), ..Wanted::default() };
        let found = |wanted: &Wanted| table.find_rows(wanted).unwrap();
        assert_eq!(found(&with("ADA")), [2, 4]);
        assert_eq!(found(&with("1200.5")), [1]);
        assert_eq!(found(&with("%")), [0; 0]);
        assert_eq!(found(&with("x' OR 1 --")), [0; 0]);
        let cited = Wanted { lines: Some(vec![3, 5]), ..Wanted::default() };
        assert_eq!(found(&cited), [2, 4]);
        assert_eq!(found(&Wanted { text: "300".to_owned(), ..cited }), [4]);
    }

    #[test]
    fn rows_are_shown_and_written_as_people_read_them() {
        let table = orders();
        let rows = table.read_rows(&[3, 1]).unwrap();
        assert_eq!(
            rows[0],
            ShownRow { line: 4, cells: ["3", "Ben", "", "2026-03-02"].map(str::to_owned).into() }
        );
        assert_eq!((rows[1].line, rows[1].cells[2].as_str()), (2, "1200.5"));
        let mut written = Vec::new();
        table.write_rows(&[4, 3], &mut written).unwrap();
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text, "order,customer,amount,day\n4,Ada,300,2026-03-03\n3,Ben,,2026-03-02\n");
    }

    #[test]
    fn what_does_not_fit_its_column_is_shown_and_found_as_it_stands() {
        let amounts = (1..=40)
            .map(|order| if order == 7 { "7,twelve\n".to_owned() } else { format!("{order},{order}.5\n") });
        let text: String = std::iter::once("order,amount\n".to_owned()).chain(amounts).collect();
        let table = Table::load("orders.csv", text, &LoadOptions::default()).unwrap();
        assert_eq!(table.columns()[1].misfits, 1);
        let with = Wanted { text: "Twelve".to_owned(), ..Wanted::default() };
        assert_eq!(table.find_rows(&with).unwrap(), [7]);
        assert_eq!(table.read_rows(&[8, 7]).unwrap()[1].cells, ["7", "twelve"]);
        assert_eq!(table.find_rows(&by(Some(1), true)).unwrap().last(), Some(&7));
    }
}
