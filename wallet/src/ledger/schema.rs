//! The tables of the ledger's file.
//!
//! `transitions` is the truth: one row for each thing that ever happened. `entries` and the sums
//! in `runs` are the fold over it, kept so that a reservation costs a few look-ups; the audit
//! folds again and compares. So are the `hours` behind the limits (the `bookings` module).

/// Version of the tables, in `PRAGMA user_version`.
pub(super) const SCHEMA: i64 = 2;

/// What brings a file of version N to version N + 1, the empty file being version 0.
pub(super) const STEPS: [&str; 2] = [TABLES, LIMITS];

/// Version 1.
const TABLES: &str = "
CREATE TABLE owners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pid INTEGER NOT NULL,
    opened_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    opened_at_ms INTEGER NOT NULL,
    limit_sats INTEGER NOT NULL CHECK (limit_sats >= spent_sats + reserved_sats + pending_refund_sats),
    spent_sats INTEGER NOT NULL CHECK (spent_sats >= 0),
    fees_sats INTEGER NOT NULL CHECK (fees_sats BETWEEN 0 AND spent_sats),
    reserved_sats INTEGER NOT NULL CHECK (reserved_sats >= 0),
    pending_refund_sats INTEGER NOT NULL CHECK (pending_refund_sats >= 0)
) STRICT;
CREATE TABLE entries (
    run INTEGER NOT NULL REFERENCES runs (id),
    subtask INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL,
    published INTEGER NOT NULL,
    amount_sats INTEGER NOT NULL,
    actual_sats INTEGER NOT NULL,
    fees_sats INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    PRIMARY KEY (run, subtask, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX entries_open ON entries (owner) WHERE state IN ('reserved', 'locked');
CREATE TABLE transitions (
    sequence INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (id),
    subtask INTEGER,
    attempt INTEGER,
    kind TEXT NOT NULL,
    amount_sats INTEGER NOT NULL,
    fees_sats INTEGER NOT NULL
) STRICT;
CREATE INDEX transitions_of_run ON transitions (run, sequence);
";

/// Version 2: for whom sats are reserved, what each hour has taken, and the owner's limits. What an
/// older version has written counts for its day.
const LIMITS: &str = "
CREATE TABLE parties (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE bookings (
    run INTEGER NOT NULL REFERENCES runs (id),
    subtask INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    provider INTEGER REFERENCES parties (id),
    mint INTEGER REFERENCES parties (id),
    scheme TEXT NOT NULL,
    PRIMARY KEY (run, subtask, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE hours (
    hour INTEGER NOT NULL,
    scope TEXT NOT NULL,
    party INTEGER NOT NULL,
    taken_sats INTEGER NOT NULL CHECK (taken_sats >= 0),
    PRIMARY KEY (scope, party, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE limits (
    name TEXT PRIMARY KEY,
    most_sats INTEGER NOT NULL CHECK (most_sats >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO bookings
    SELECT run, subtask, attempt, at_ms / 3600000, NULL, NULL, 'account' FROM transitions
    WHERE kind = 'reserve' AND amount_sats > 0;
INSERT INTO hours
    SELECT hour, 'per_day', 0, SUM(taken) FROM (
        SELECT hour, CASE state WHEN 'settled' THEN actual_sats + fees_sats WHEN 'returned' THEN 0
                                ELSE amount_sats END AS taken
        FROM bookings JOIN entries USING (run, subtask, attempt))
    GROUP BY hour HAVING SUM(taken) > 0;
";
