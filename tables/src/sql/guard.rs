//! What a statement may do and take: only read, and for a bounded time, in bounded memory.

use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

/// Steps of SQLite's machine between two looks at what a query takes. A step makes at most [`MAX_CELL_BYTES`].
const STEPS_PER_LOOK: u32 = 500;

/// Time between two looks at the memory, which take long themselves. In so short a time no query fills much of it.
const MEASURE_EVERY: Duration = Duration::from_millis(10);

/// Longest that a query may take.
const MAX_TIME: Duration = Duration::from_mins(2);

/// Longest that a query of a user may take where the table is in memory.
const MAX_USER_TIME: Duration = Duration::from_secs(30);

/// Most that the program may grow during a query.
const MAX_GROWTH_BYTES: usize = 1 << 30;

/// Largest cell and statement that SQL of a user makes.
const MAX_CELL_BYTES: i32 = 1 << 20;

/// Largest cell of a table.
const MAX_STORED_BYTES: i32 = 64 << 20;

/// Makes a connection one that only reads its own tables, for a bounded time.
pub(crate) fn restrict(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_STORED_BYTES);
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_CELL_BYTES);
    // A pattern with many wildcards takes time with each of them.
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200);
    connection.execute_batch("PRAGMA query_only=ON")
}

/// Stops what takes too long and forbids all but reading, until it is dropped.
pub(crate) struct Guard<'c>(&'c Connection);

impl<'c> Guard<'c> {
    /// For a query that code wrote.
    pub fn over(connection: &'c Connection, steps: u64) -> Self {
        Self::with(connection, steps, MAX_TIME)
    }

    /// For SQL of a user, which may make large cells out of nothing.
    pub fn over_user_sql(connection: &'c Connection, steps: u64, is_large: bool) -> Self {
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES);
        Self::with(connection, steps, if is_large { MAX_TIME } else { MAX_USER_TIME })
    }

    fn with(connection: &'c Connection, steps: u64, time: Duration) -> Self {
        let start = Instant::now();
        let memory = || memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem);
        let before = memory();
        let mut looks = 0_u64;
        let mut measured = start;
        connection.progress_handler(
            i32::try_from(STEPS_PER_LOOK).unwrap_or(i32::MAX),
            Some(move || {
                looks += 1;
                let now = Instant::now();
                if looks.saturating_mul(u64::from(STEPS_PER_LOOK)) > steps || now - start > time {
                    return true;
                }
                if now - measured < MEASURE_EVERY {
                    return false;
                }
                let is_too_much = memory() > before.saturating_add(MAX_GROWTH_BYTES);
                measured = Instant::now();
                is_too_much
            }),
        );
        connection.authorizer(Some(|context: rusqlite::hooks::AuthContext<'_>| match context.action {
            AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
            AuthAction::Function { function_name }
                if !function_name.eq_ignore_ascii_case("load_extension") =>
            {
                Authorization::Allow
            }
            _ => Authorization::Deny,
        }));
        Self(connection)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.progress_handler(0, None::<fn() -> bool>);
        self.0.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_STORED_BYTES);
        self.0.authorizer(None::<fn(rusqlite::hooks::AuthContext<'_>) -> Authorization>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::functions::register;

    #[test]
    fn a_guarded_connection_changes_and_opens_nothing() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        register(&connection).unwrap();
        restrict(&connection).unwrap();
        let _guard = Guard::over_user_sql(&connection, 1_000_000, false);
        for sql in [
            "INSERT INTO t VALUES (1)",
            "DROP TABLE t",
            "ATTACH 'x.db' AS y",
            "PRAGMA query_only=OFF",
            "VACUUM INTO 'y.db'",
        ] {
            assert!(connection.execute_batch(sql).is_err(), "{sql}");
        }
        assert!(connection.prepare("SELECT count(*) FROM t").is_ok());
    }
}
