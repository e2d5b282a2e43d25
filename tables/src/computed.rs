//! A table with one more column, which is computed from others of the row: how long something took, what all pieces of it are worth.

use std::cell::{Cell as StdCell, OnceCell};

use rusqlite::types::Value;

use crate::column::{Column, Kind};
use crate::error::QueryError;
use crate::join::free_name;
use crate::load::{self, Storage};
use crate::sql::identifier;
use crate::table::Table;

/// Most rows of a table that is copied for a column.
const MOST_ROWS: u64 = 200_000;

impl Table {
    /// This table with a column more, whose values are an expression over columns of the same row. Only of a table in memory: its rows
    /// are copied. A query that uses the column is one of this table, too, since the column stands in it as its expression.
    pub(crate) fn with_computed(&self, name: &str, kind: Kind, sql: String) -> Result<Self, QueryError> {
        if self.storage != Storage::Memory || self.rows > MOST_ROWS {
            return Err(QueryError::Unfit("the table is too large to be copied".to_owned()));
        }
        let connection = load::open(&self.name, &self.columns, self.storage, None)?;
        {
            // Beside the columns of the file, the first and the last line of each row.
            let stored = self.columns.iter().filter(|column| column.computed.is_none()).count() + 2;
            let places = vec!["?"; stored].join(", ");
            let mut insert =
                connection.prepare(&format!("INSERT INTO {} VALUES ({places})", identifier(&self.name)))?;
            let mut prepared = self.connection.prepare(&self.all_rows())?;
            let mut found = prepared.query([])?;
            while let Some(row) = found.next()? {
                let values: Vec<Value> = (0..stored).map(|index| row.get(index)).collect::<Result<_, _>>()?;
                insert.execute(rusqlite::params_from_iter(values))?;
            }
        }
        connection.execute_batch("COMMIT")?;
        load::close(&connection)?;
        let missing = format!("SELECT count(*) FROM {} WHERE ({sql}) IS NULL", identifier(&self.name));
        let missing = connection.query_row(&missing, [], |row| row.get(0))?;
        let mut columns = self.columns.clone();
        let name = free_name(&columns, name, &self.name);
        columns.push(Column { missing, computed: Some(sql), ..Column::made(name, kind) });
        Ok(Self {
            name: self.name.clone(),
            nouns: self.nouns.clone(),
            format: self.format,
            columns,
            rows: self.rows,
            notes: self.notes.clone(),
            flaws: self.flaws,
            storage: self.storage,
            lines: self.lines.clone(),
            connection,
            index: OnceCell::new(),
            totals: OnceCell::new(),
            has_lines: StdCell::new(false),
            query_steps: self.query_steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadOptions;
    use crate::column::Unit;

    #[test]
    fn a_computed_column_is_measured_and_its_sql_runs_on_the_file() {
        let text = "item,price,pieces\nA,1.50,2\nB,2.00,\nC,10.00,3\n";
        let table = Table::load("stock.csv", text, &LoadOptions::default()).unwrap();
        let kind = Kind::Number { scale: Some(2), unit: Unit::None };
        let wider =
            table.with_computed("worth", kind, "round(\"price\" * \"pieces\", 2)".to_owned()).unwrap();
        let answer = wider.ask("What is the total worth?");
        let answered = answer.unique().unwrap();
        assert_eq!(answered.outcome.rows[0][0].to_string(), "33");
        assert_eq!(wider.columns()[3].missing, 1);
        assert_eq!(answered.outcome.left_out[0].missing, 1);
        assert!(answered.sql().contains("\"price\" * \"pieces\""), "{}", answered.sql());
    }
}
