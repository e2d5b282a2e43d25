//! Running a query, and counting what it rests on.

use rusqlite::{Batch, params_from_iter};

use super::ast::{Comparison, Filter, Function, Literal, Output, Query, Source};
use super::compile::{Compiler, Statement};
use super::outcome::{Cell, Heading, LeftOut, Outcome};
use crate::error::QueryError;
use crate::load::{LINE, LINES, MISFITS, Storage};
use crate::sql::guard::Guard;
use crate::sql::identifier;
use crate::table::Table;

/// Most rows of a result that are kept.
const MAX_ROWS: usize = 10_000;

/// Most bytes of texts of a result that are kept.
const MAX_RESULT_BYTES: usize = 64 << 20;

/// Rows, the lines of each if the statement names them, and whether there are more.
type Found = (Vec<Vec<Cell>>, Vec<u32>, bool);

/// Most lines that are named as what a result rests on.
const MAX_LINES: usize = 200;

impl Table {
    /// Runs a query.
    pub fn run(&self, query: &Query) -> Result<Outcome, QueryError> {
        if query.source == Source::Lines {
            self.load_lines()?;
        }
        let compiled = Compiler::new(self, query.source).query(query)?;
        let _guard = Guard::over(&self.connection, self.query_steps);
        let (mut rows, mut lines, is_cut) =
            self.rows_of(&compiled.statement, &compiled.headings, compiled.has_line)?;
        if !query.is_aggregate()
            && rows.len() == 1
            && rows[0].iter().all(|cell| *cell == Cell::Missing)
            && query.outputs.is_empty()
        {
            rows.clear();
        }
        let matched = self.count(query.source, query.filter.as_ref())?;
        let mut left_out = Vec::new();
        for column in query.measured() {
            let found = self.left_out(query, column)?;
            if found.missing + found.misfits > 0 {
                left_out.push(found);
            }
        }
        let mut has_more_lines = lines.len() > MAX_LINES;
        if !compiled.has_line {
            (lines, has_more_lines) = self.lines_behind(query, &rows)?;
        }
        lines.sort_unstable();
        lines.dedup();
        lines.truncate(MAX_LINES);
        Ok(Outcome {
            statement: compiled.statement,
            headings: compiled.headings,
            rows,
            is_cut,
            matched,
            left_out,
            lines,
            has_more_lines,
        })
    }

    /// Runs a statement that somebody wrote. It can only read.
    pub fn run_sql(&self, sql: &str) -> Result<Outcome, QueryError> {
        if sql.to_lowercase().contains(LINES) {
            self.load_lines()?;
        }
        let _guard = Guard::over_user_sql(&self.connection, self.query_steps, self.storage == Storage::File);
        let statement = Statement { sql: sql.to_owned(), parameters: Vec::new() };
        let prepared = self.connection.prepare(sql).map_err(|error| match &error {
            rusqlite::Error::SqliteFailure(failure, _)
                if failure.code == rusqlite::ErrorCode::AuthorizationForStatementDenied =>
            {
                QueryError::NotReadOnly
            }
            _ => QueryError::from(error),
        })?;
        let is_one = Batch::new(&self.connection, sql).take(2).count() == 1;
        if !prepared.readonly() || !is_one {
            return Err(QueryError::NotReadOnly);
        }
        let headings: Vec<Heading> = prepared.column_names().into_iter().map(Heading::plain).collect();
        drop(prepared);
        let (rows, _, is_cut) = self.rows_of(&statement, &headings, false)?;
        let matched = rows.len() as u64;
        Ok(Outcome {
            statement,
            headings,
            rows,
            is_cut,
            matched,
            left_out: Vec::new(),
            lines: Vec::new(),
            has_more_lines: false,
        })
    }

    /// Whether each row has another value in a column.
    pub(crate) fn is_unique(&self, column: usize) -> bool {
        let Some(described) = self.columns.get(column) else { return false };
        let (column, table) = (described.sql(), identifier(self.name()));
        let counted = format!("SELECT count(DISTINCT {column}) FROM {table}");
        let distinct: Result<u64, _> = self.connection.query_row(&counted, [], |row| row.get(0));
        distinct.is_ok_and(|distinct| distinct == self.rows)
    }

    /// Some texts of a column, of the first rows that have one.
    pub(crate) fn first_texts(&self, column: usize) -> Vec<String> {
        let Some(described) = self.columns.get(column) else { return Vec::new() };
        let (column, table) = (described.sql(), identifier(self.name()));
        let sql = format!("SELECT {column} FROM {table} WHERE {column} IS NOT NULL LIMIT 200");
        let Ok(mut prepared) = self.connection.prepare(&sql) else { return Vec::new() };
        let Ok(found) = prepared.query_map([], |row| row.get(0)) else { return Vec::new() };
        found.filter_map(Result::ok).collect()
    }

    /// How many rows a condition lets through.
    pub(crate) fn count(&self, source: Source, filter: Option<&Filter>) -> Result<u64, QueryError> {
        if source == Source::Lines {
            self.load_lines()?;
        }
        let mut compiler = Compiler::new(self, source);
        let condition = filter.map(|filter| compiler.filter(filter)).transpose()?;
        let sql = format!(
            "SELECT count(*) FROM {}{}",
            compiler.from(),
            condition.map_or(String::new(), |condition| format!(" WHERE {condition}"))
        );
        let statement = compiler.finish(sql);
        Ok(self
            .connection
            .query_row(&statement.sql, params_from_iter(&statement.parameters), |row| row.get(0))?)
    }

    fn rows_of(
        &self,
        statement: &Statement,
        headings: &[Heading],
        has_line: bool,
    ) -> Result<Found, QueryError> {
        let mut prepared = self.connection.prepare_cached(&statement.sql)?;
        let mut found = prepared.query(params_from_iter(&statement.parameters))?;
        let mut rows = Vec::new();
        let mut lines = Vec::new();
        let mut bytes = 0;
        while let Some(row) = found.next()? {
            if rows.len() == MAX_ROWS || bytes > MAX_RESULT_BYTES {
                return Ok((rows, lines, true));
            }
            let mut cells = Vec::with_capacity(headings.len());
            for (index, heading) in headings.iter().enumerate() {
                let cell = heading.cell(row.get_ref(index)?);
                bytes += if let Cell::Text(text) = &cell { text.len() } else { 0 };
                cells.push(cell);
            }
            rows.push(cells);
            if has_line && lines.len() <= MAX_LINES {
                lines.push(row.get(headings.len())?);
            }
        }
        Ok((rows, lines, false))
    }

    /// Matching rows without a usable value in a column.
    fn left_out(&self, query: &Query, column: usize) -> Result<LeftOut, QueryError> {
        let described = self.columns.get(column).ok_or(QueryError::NoColumn(column))?;
        if described.missing + described.misfits == 0 {
            return Ok(LeftOut { column, missing: 0, misfits: 0 });
        }
        // What was added for the order's sake is no condition of the question.
        let base = query.filter.clone();
        let missing =
            self.count(query.source, Filter::both(base.clone(), Some(Filter::Missing(column))).as_ref())?;
        let misfits = match described.misfits {
            0 => 0,
            _ => self.count(query.source, Filter::both(base, Some(Filter::Misfit(column))).as_ref())?,
        };
        Ok(LeftOut { column, missing, misfits })
    }

    /// Lines of the records behind a number: those with the extreme, or all that match.
    fn lines_behind(&self, query: &Query, rows: &[Vec<Cell>]) -> Result<(Vec<u32>, bool), QueryError> {
        let mut filter = query.filter.clone();
        if let ([Output::Aggregate(aggregate)], [row], false) =
            (query.outputs.as_slice(), rows, query.is_counted)
        {
            let value = match row.first() {
                Some(Cell::Number(number)) => Some(Literal::Number(*number)),
                Some(Cell::Text(text)) => Some(Literal::Moment(text.clone())),
                _ => None,
            };
            if matches!(aggregate.function, Function::Min | Function::Max)
                && let (Some(value), Some(column)) = (value, aggregate.column)
            {
                filter = Filter::both(
                    filter,
                    Some(Filter::Compare { column, comparison: Comparison::Equal, value }),
                );
            } else if aggregate.only.is_some() {
                filter = Filter::both(filter, aggregate.only.clone());
            }
        }
        let mut compiler = Compiler::new(self, query.source);
        let condition = filter.as_ref().map(|filter| compiler.filter(filter)).transpose()?;
        let line = if query.source == Source::Lines { "line" } else { LINE };
        let sql = format!(
            "SELECT {line} FROM {}{} ORDER BY 1 LIMIT {}",
            compiler.from(),
            condition.map_or(String::new(), |condition| format!(" WHERE {condition}")),
            MAX_LINES + 1
        );
        let statement = compiler.finish(sql);
        let mut prepared = self.connection.prepare(&statement.sql)?;
        let lines: Vec<u32> = prepared
            .query_map(params_from_iter(&statement.parameters), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let has_more = lines.len() > MAX_LINES;
        Ok((lines, has_more))
    }

    /// Stores the lines of the file, once somebody asks for them.
    fn load_lines(&self) -> Result<(), QueryError> {
        if self.has_lines.replace(true) {
            return Ok(());
        }
        self.connection.execute_batch("PRAGMA query_only=OFF; BEGIN")?;
        self.connection.execute_batch(&format!("CREATE TEMP TABLE {} (line, text)", identifier(LINES)))?;
        {
            let mut insert =
                self.connection.prepare(&format!("INSERT INTO {} VALUES (?, ?)", identifier(LINES)))?;
            let mut number = 0_i64;
            let mut failed = None;
            self.lines
                .each(|line| {
                    number += 1;
                    failed = insert.execute((number, line)).err();
                    failed.is_none()
                })
                .map_err(|error| QueryError::Unfit(error.to_string()))?;
            if let Some(error) = failed {
                return Err(error.into());
            }
        }
        self.connection.execute_batch("COMMIT; PRAGMA query_only=ON")?;
        Ok(())
    }

    /// How many cells of the misfits' table there are. Zero where every column is typed without exceptions.
    pub fn misfits(&self) -> u64 {
        self.connection
            .query_row(&format!("SELECT count(*) FROM {MISFITS}"), [], |row| row.get(0))
            .unwrap_or(0)
    }
}
