//! The tables of the ledger's file.
//!
//! `transitions` is the truth: one row for each thing that ever happened. `entries` and the sums
//! in `runs` are the fold over it, kept so that a reservation costs a few look-ups; the audit
//! folds again and compares.

/// Version of the tables, in `PRAGMA user_version`.
pub(super) const SCHEMA: i64 = 1;

/// The tables of an empty file.
pub(super) const TABLES: &str = "
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
