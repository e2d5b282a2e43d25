//! How the numbers of a column go with the values of another: whether one stands again in each row of its value.

use rusqlite::params_from_iter;

use super::ast::{Filter, Source};
use super::compile::Compiler;
use crate::error::QueryError;
use crate::sql::guard::Guard;
use crate::table::Table;

/// Most rows that are looked at. What is the same in the first of a large table is taken as such in all.
const MOST_ROWS: u32 = 50_000;

/// What the rows of each value of a column, a key, say of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Repeats {
    /// Keys with several rows.
    pub repeated: u64,
    /// Keys with different numbers.
    pub differing: u64,
    /// Whether all numbers are the same.
    pub is_constant: bool,
    /// Rows with a larger number than the row before of the same key.
    pub rises: u64,
    /// Rows with a smaller number.
    pub falls: u64,
}

impl Table {
    /// Looks at the rows that a filter lets through.
    pub(crate) fn repeats(
        &self,
        key: usize,
        column: usize,
        filter: Option<&Filter>,
    ) -> Result<Repeats, QueryError> {
        let mut compiler = Compiler::new(self, Source::Records);
        let sql = |column: usize| self.columns.get(column).map(crate::column::Column::sql);
        let key = sql(key).ok_or(QueryError::NoColumn(key))?;
        let number = sql(column).ok_or(QueryError::NoColumn(column))?;
        let condition = filter.map(|filter| compiler.filter(filter)).transpose()?;
        let condition = condition.map_or(String::new(), |condition| format!(" AND ({condition})"));
        let rows = format!(
            "SELECT {key} AS k, {number} AS v, rowid AS r FROM {} WHERE {key} IS NOT NULL AND {number} IS NOT NULL{condition} LIMIT {MOST_ROWS}",
            compiler.from()
        );
        let statement = compiler.finish(format!(
            "SELECT count(*) FILTER (WHERE n > 1), count(*) FILTER (WHERE low <> high), min(low) IS max(high),
                coalesce(sum(rises), 0), coalesce(sum(falls), 0)
             FROM (SELECT count(*) AS n, min(v) AS low, max(v) AS high, count(*) FILTER (WHERE v > b) AS rises,
                count(*) FILTER (WHERE v < b) AS falls
                FROM (SELECT k, v, lag(v) OVER (PARTITION BY k ORDER BY r) AS b FROM ({rows})) GROUP BY k)"
        ));
        let _guard = Guard::over(&self.connection, self.query_steps);
        Ok(self.connection.query_row(&statement.sql, params_from_iter(&statement.parameters), |row| {
            Ok(Repeats {
                repeated: row.get(0)?,
                differing: row.get(1)?,
                is_constant: row.get(2)?,
                rises: row.get(3)?,
                falls: row.get(4)?,
            })
        })?)
    }
}
