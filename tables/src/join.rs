//! Two tables as one, by a column of each: every row of the one that says the key often, with the row of the other that
//! says it once. No row stands twice, so counts and sums of the first stay what they are.

use std::cell::{Cell as StdCell, OnceCell};
use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::column::{Column, Kind, Unit};
use crate::error::QueryError;
use crate::load::{self, LAST_LINE, LINE, Storage};
use crate::sql::identifier;
use crate::table::Table;
use crate::words;

impl Table {
    /// This table with the columns of another, where a column of each holds the same, case folded.
    ///
    /// One of the two columns must hold no value twice. Rows without a partner are left out, counted and said, and what
    /// stands once in its own file and often in the joined one is no longer added up with confidence.
    pub fn joined(&self, own: usize, other: &Self, others: usize) -> Result<Self, QueryError> {
        let left = self.columns.get(own).ok_or(QueryError::NoColumn(own))?;
        let right = other.columns.get(others).ok_or(QueryError::NoColumn(others))?;
        if !can_be_compared(&left.kind, &right.kind) {
            return Err(QueryError::Unfit(format!("{} and {} are not of one kind", left.name, right.name)));
        }
        if let Some(once) = other.rows_by_key(others)? {
            return self.with_partners(own, other, &once);
        }
        if let Some(once) = self.rows_by_key(own)? {
            return other.with_partners(others, self, &once);
        }
        Err(QueryError::Unfit(format!(
            "{} and {} both hold the same value in several rows, so that no row has one partner",
            left.name, right.name
        )))
    }

    /// The rows of this table by the value of a column. `None` if a value stands in two rows.
    fn rows_by_key(&self, column: usize) -> Result<Option<HashMap<String, Vec<Value>>>, QueryError> {
        let mut by_key = HashMap::new();
        let mut prepared = self.connection.prepare(&self.all_rows())?;
        let mut rows = prepared.query([])?;
        while let Some(row) = rows.next()? {
            let values: Vec<Value> =
                (0..self.columns.len()).map(|index| row.get(index)).collect::<Result<_, _>>()?;
            let Some(key) = key_of(&values[column]) else { continue };
            if by_key.insert(key, values).is_some() {
                return Ok(None);
            }
        }
        Ok(Some(by_key))
    }

    fn with_partners(
        &self,
        own: usize,
        other: &Self,
        once: &HashMap<String, Vec<Value>>,
    ) -> Result<Self, QueryError> {
        let mut columns = self.columns.clone();
        for column in &other.columns {
            columns.push(Column {
                name: free_name(&columns, &other.name_elsewhere(&column.name), &other.name),
                is_repeated: true,
                currency_column: column.currency_column.map(|index| index + self.columns.len()),
                ..column.clone()
            });
        }
        for column in &mut columns {
            column.missing = 0;
        }
        let is_small = self.storage == Storage::Memory && other.storage == Storage::Memory;
        let storage = if is_small { Storage::Memory } else { Storage::File };
        let connection = load::open(&self.name, &columns, storage, None)?;
        let (mut rows, mut alone) = (0_u64, 0_u64);
        {
            let places = vec!["?"; columns.len() + 2].join(", ");
            let mut insert =
                connection.prepare(&format!("INSERT INTO {} VALUES ({places})", identifier(&self.name)))?;
            let mut prepared = self.connection.prepare(&self.all_rows())?;
            let mut found = prepared.query([])?;
            while let Some(row) = found.next()? {
                let key = key_of(&row.get(own)?);
                let Some(partner) = key.and_then(|key| once.get(&key)) else {
                    alone += 1;
                    continue;
                };
                rows += 1;
                let mut values: Vec<Value> =
                    (0..self.columns.len()).map(|index| row.get(index)).collect::<Result<_, _>>()?;
                values.extend(partner.iter().cloned());
                for (column, value) in columns.iter_mut().zip(&values) {
                    column.missing += u64::from(*value == Value::Null);
                }
                values.push(row.get(self.columns.len())?);
                values.push(row.get(self.columns.len() + 1)?);
                insert.execute(rusqlite::params_from_iter(values))?;
            }
        }
        connection.execute_batch("COMMIT")?;
        load::close(&connection)?;
        let note = (alone > 0).then(|| {
            format!("{alone} rows of {} have no partner in {} and are left out", self.name, other.name)
        });
        Ok(self.of_both(other, columns, rows, storage, connection, note, alone))
    }

    /// This table, which holds no key twice, with a column that says how many rows of another have the row's key. Nothing
    /// stands there where none has.
    pub fn with_partners_counted(&self, own: usize, other: &Self, others: usize) -> Result<Self, QueryError> {
        let left = self.columns.get(own).ok_or(QueryError::NoColumn(own))?;
        let right = other.columns.get(others).ok_or(QueryError::NoColumn(others))?;
        if !can_be_compared(&left.kind, &right.kind) {
            return Err(QueryError::Unfit(format!("{} and {} are not of one kind", left.name, right.name)));
        }
        if self.rows_by_key(own)?.is_none() {
            return Err(QueryError::Unfit(format!("{} holds a value in several rows", left.name)));
        }
        let counts = other.counts_by_key(others)?;
        let mut columns = self.columns.clone();
        let name = free_name(&columns, &other.name, &other.name);
        columns.push(Column::made(name, Kind::Number { scale: Some(0), unit: Unit::None }));
        let connection = load::open(&self.name, &columns, self.storage, None)?;
        let (mut rows, mut alone) = (0_u64, 0_u64);
        {
            let places = vec!["?"; columns.len() + 2].join(", ");
            let mut insert =
                connection.prepare(&format!("INSERT INTO {} VALUES ({places})", identifier(&self.name)))?;
            let mut prepared = self.connection.prepare(&self.all_rows())?;
            let mut found = prepared.query([])?;
            while let Some(row) = found.next()? {
                let count = key_of(&row.get(own)?).and_then(|key| counts.get(&key));
                rows += 1;
                alone += u64::from(count.is_none());
                let mut values: Vec<Value> =
                    (0..self.columns.len()).map(|index| row.get(index)).collect::<Result<_, _>>()?;
                values.push(count.map_or(Value::Null, |count| Value::Integer(*count)));
                values.push(row.get(self.columns.len())?);
                values.push(row.get(self.columns.len() + 1)?);
                insert.execute(rusqlite::params_from_iter(values))?;
            }
        }
        connection.execute_batch("COMMIT")?;
        load::close(&connection)?;
        if let Some(count) = columns.last_mut() {
            count.missing = alone;
        }
        Ok(self.of_both(other, columns, rows, self.storage, connection, None, 0))
    }

    /// How many rows have each value of a column.
    fn counts_by_key(&self, column: usize) -> Result<HashMap<String, i64>, QueryError> {
        let mut counts = HashMap::new();
        let name = identifier(&self.columns[column].name);
        let mut prepared =
            self.connection.prepare(&format!("SELECT {name} FROM {}", identifier(&self.name)))?;
        let mut rows = prepared.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(key) = key_of(&row.get(0)?) {
                *counts.entry(key).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// A table whose rows are of this one, and whose columns are of both.
    #[expect(clippy::too_many_arguments, reason = "the parts of a table, each once")]
    fn of_both(
        &self,
        other: &Self,
        columns: Vec<Column>,
        rows: u64,
        storage: Storage,
        connection: Connection,
        note: Option<String>,
        alone: u64,
    ) -> Self {
        let mut notes = self.notes.clone();
        notes.extend(other.notes.iter().cloned());
        notes.extend(note);
        let mut flaws = self.flaws;
        flaws.unmatched_rows += alone;
        flaws.uneven_rows += other.flaws.uneven_rows;
        flaws.unreadable_lines += other.flaws.unreadable_lines;
        flaws.header_is_doubtful |= other.flaws.header_is_doubtful;
        Self {
            name: self.name.clone(),
            nouns: self.nouns.clone(),
            format: self.format,
            columns,
            rows,
            notes,
            flaws,
            storage,
            lines: self.lines.clone(),
            connection,
            index: OnceCell::new(),
            totals: OnceCell::new(),
            has_lines: StdCell::new(false),
            query_steps: self.query_steps,
        }
    }

    /// A column's name where columns of other tables stand beside it: a `name` of customers is the `customer name`.
    fn name_elsewhere(&self, name: &str) -> String {
        let says_nothing = GENERIC.contains(&words::fold(name).as_str());
        match self.nouns.last() {
            Some(noun) if says_nothing => format!("{} {name}", words::singular(noun)),
            _ => name.to_owned(),
        }
    }

    pub(crate) fn all_rows(&self) -> String {
        // What is computed does not stand there.
        let stored = self.columns.iter().filter(|column| column.computed.is_none());
        let columns: Vec<String> = stored.map(|column| identifier(&column.name)).collect();
        format!(
            "SELECT {}, {LINE}, {LAST_LINE} FROM {} ORDER BY rowid",
            columns.join(", "),
            identifier(&self.name)
        )
    }
}

/// Names of columns that do not say of what they are.
const GENERIC: &[&str] = &[
    "name",
    "title",
    "id",
    "nr",
    "no",
    "number",
    "nummer",
    "code",
    "key",
    "status",
    "state",
    "date",
    "datum",
    "type",
    "typ",
    "art",
    "description",
    "beschreibung",
    "notes",
    "note",
    "comment",
    "label",
    "titel",
];

/// Whether equal values of two columns mean the same.
pub(crate) fn can_be_compared(left: &Kind, right: &Kind) -> bool {
    match (left, right) {
        (Kind::Text { .. }, Kind::Text { .. }) | (Kind::Date, Kind::Date) => true,
        (Kind::Number { unit: left, .. }, Kind::Number { unit: right, .. }) => left == right,
        _ => false,
    }
}

fn key_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(words::fold(text)),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Null | Value::Blob(_) => None,
    }
}

pub(crate) fn free_name(columns: &[Column], name: &str, table: &str) -> String {
    let is_taken =
        |name: &str| columns.iter().any(|column| column.name.to_lowercase() == name.to_lowercase());
    let mut free = name.to_owned();
    if is_taken(&free) {
        free = format!("{table} {name}");
    }
    while is_taken(&free) {
        free.push('_');
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, LoadOptions};

    fn load(name: &str, text: &str) -> Table {
        Table::load(name, text, &LoadOptions::default()).unwrap()
    }

    fn orders() -> Table {
        load("orders.csv", "order,client,amount\n1,C1,5.00\n2,C2,7.00\n3,c1,1.50\n4,C9,2.00\n5,C1,3.00\n")
    }

    fn clients() -> Table {
        load("clients.csv", "client,city,credit\nC1,Berlin,100\nC2,Paris,200\nC3,Berlin,300\n")
    }

    fn answered(table: &Table, question: &str) -> (String, f64) {
        match table.ask(question) {
            Answer::Unique(answer) => (answer.outcome.rows[0][0].to_string(), answer.confidence),
            other => panic!("{question}: {other:?}"),
        }
    }

    #[test]
    fn rows_find_their_partner_from_either_side() {
        for table in [orders().joined(1, &clients(), 0).unwrap(), clients().joined(0, &orders(), 1).unwrap()]
        {
            assert_eq!(table.rows(), 4);
            assert_eq!(answered(&table, "What is the total amount with city Berlin?").0, "9.5");
            assert_eq!(table.flaws().unmatched_rows, 1);
        }
    }

    #[test]
    fn what_is_repeated_is_not_added_with_confidence() {
        let table = orders().joined(1, &clients(), 0).unwrap();
        let (total, confidence) = answered(&table, "What is the total credit?");
        assert_eq!(total, "500");
        assert!(confidence < 0.8);
    }

    #[test]
    fn partners_are_counted_and_nothing_stands_where_none_is() {
        let table = clients().with_partners_counted(0, &orders(), 1).unwrap();
        let answer = table.ask("What is the orders of client C1?");
        assert_eq!(answer.unique().unwrap().outcome.rows[0][0].to_string(), "3");
        assert_eq!((table.rows(), table.columns()[3].missing), (3, 1));
        assert!(matches!(orders().with_partners_counted(1, &clients(), 0), Err(QueryError::Unfit(_))));
    }

    #[test]
    fn keys_that_stand_twice_on_both_sides_are_refused() {
        assert!(matches!(orders().joined(1, &orders(), 1), Err(QueryError::Unfit(_))));
        assert!(matches!(orders().joined(2, &clients(), 0), Err(QueryError::Unfit(_))));
        assert!(matches!(orders().joined(9, &clients(), 0), Err(QueryError::NoColumn(9))));
    }
}
