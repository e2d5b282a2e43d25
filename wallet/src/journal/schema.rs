//! The tables of the journal, in the steps in which they came. Each belongs to one module:
//!
//! | table | module |
//! |---|---|
//! | `mints` | `mint::wallet` |
//! | `swaps` | `mint::swap::plans` |
//! | `silences` | `mint::health` |
//! | `at_rest` | `mint::sealing` |
//! | `locks` | `escrow::book` |
//! | `claims`, `claimed_proofs` | `escrow`, the provider's side: `claims`, `provider`, `redeeming`, `declined`; what a debt is paid with: `debts::credit_line` |
//! | `debts` | `debts::payer` |
//! | `tabs` | `debts::credit_line` |
//! | `gifts` | `escrow::free_jobs` |
//! | `prepaid` | `prepay::book` |

use std::path::Path;

use rusqlite::Connection;

use super::storage;
use crate::error::WalletError;

const VERSION: i64 = 9;

/// What brings a file of version N to version N + 1, the empty file being version 0.
const STEPS: [&str; 9] = [TABLES, PREPAID, AFTER, TURNED_DOWN, FREE_JOBS, PARTS, SILENCES, OWNERS, AT_REST];

/// - `mints`: the allow list, with the most sats that a mint may hold where there is such a limit.
/// - `swaps`: exchanges that are planned, done or abandoned; `inputs` and `outputs` make the very
///   same request again.
/// - `locks`: the payer's side of escrow; `claims`: the provider's.
const TABLES: &str = "
CREATE TABLE mints (
    url TEXT PRIMARY KEY,
    cap_sats INTEGER,
    added_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE swaps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mint TEXT NOT NULL,
    kind TEXT NOT NULL,
    operation TEXT NOT NULL,
    inputs TEXT NOT NULL,
    outputs TEXT NOT NULL,
    subjects TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX swaps_open ON swaps (id) WHERE state = 'planned';
CREATE TABLE locks (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    subtask INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    peer TEXT NOT NULL,
    terms TEXT NOT NULL,
    locktime INTEGER NOT NULL,
    lock_fee_sats INTEGER NOT NULL,
    return_fee_sats INTEGER NOT NULL,
    state TEXT NOT NULL,
    returned TEXT,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX locks_open ON locks (locktime) WHERE state NOT IN ('settled', 'reclaimed', 'void');
CREATE TABLE claims (
    id TEXT PRIMARY KEY,
    job TEXT NOT NULL,
    asker TEXT NOT NULL,
    model TEXT NOT NULL,
    terms TEXT NOT NULL,
    price_sats INTEGER NOT NULL,
    amount_sats INTEGER NOT NULL,
    received_sats INTEGER NOT NULL,
    locktime INTEGER NOT NULL,
    state TEXT NOT NULL,
    released TEXT,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_open ON claims (locktime) WHERE state NOT IN ('redeemed', 'returned', 'lost');
CREATE INDEX claims_asker ON claims (asker);
CREATE TABLE claimed_proofs (
    y TEXT PRIMARY KEY,
    claim TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Payments before work: an invoice, and an attempt, is paid once in the life of a wallet.
const PREPAID: &str = "
CREATE TABLE prepaid (
    hash TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    subtask INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    peer TEXT NOT NULL,
    bolt11 TEXT NOT NULL,
    mint TEXT,
    quote TEXT,
    amount_sats INTEGER NOT NULL,
    most_fees_sats INTEGER NOT NULL,
    fees_sats INTEGER NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT NOT NULL,
    preimage TEXT,
    at_ms INTEGER NOT NULL,
    UNIQUE (run, subtask, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX prepaid_peer ON prepaid (peer);
CREATE INDEX prepaid_planned ON prepaid (at_ms) WHERE state = 'planned';
";

/// Pay after the verdict.
///
/// - `debts`: the payer's side, each with the id of the lock that pays it.
/// - `tabs`: the provider's, one row per job that came without its pay; `payment` is what came for it
///   and could not be checked yet.
const AFTER: &str = "
CREATE TABLE debts (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    subtask INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    peer TEXT NOT NULL,
    provider TEXT NOT NULL,
    mint TEXT NOT NULL,
    price_sats INTEGER NOT NULL,
    job TEXT NOT NULL,
    relays TEXT NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX debts_owed ON debts (at_ms) WHERE state = 'owed';
CREATE TABLE tabs (
    job TEXT PRIMARY KEY,
    asker TEXT NOT NULL,
    model TEXT NOT NULL,
    price_sats INTEGER NOT NULL,
    due INTEGER NOT NULL,
    state TEXT NOT NULL,
    payment TEXT,
    opened_at_ms INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tabs_asker ON tabs (asker) WHERE state <> 'paid';
CREATE INDEX tabs_opened ON tabs (opened_at_ms) WHERE state <> 'paid';
";

/// Why a claim went back: 1 where its asker turned the answer down, 2 where the job ended when part of it was told.
const TURNED_DOWN: &str = "
ALTER TABLE claims ADD COLUMN turned_down INTEGER NOT NULL DEFAULT 0;
CREATE INDEX claims_when ON claims (at_ms);
";

/// Jobs that providers of this wallet gave away, by the day on which they count.
const FREE_JOBS: &str = "
CREATE TABLE gifts (
    provider TEXT NOT NULL,
    asker TEXT NOT NULL,
    day INTEGER NOT NULL,
    jobs INTEGER NOT NULL,
    PRIMARY KEY (provider, asker, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX gifts_day ON gifts (day);
";

/// - `gone_sats`: what somebody has taken of a lock whose other proofs are still there, or were refunded.
/// - `was_released`: whether a lock that is being reclaimed had been released before.
const PARTS: &str = "
ALTER TABLE locks ADD COLUMN gone_sats INTEGER NOT NULL DEFAULT 0;
ALTER TABLE locks ADD COLUMN was_released INTEGER NOT NULL DEFAULT 0;
";

/// Mints that did not answer when they were asked last.
const SILENCES: &str = "
CREATE TABLE silences (
    mint TEXT PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    times INTEGER NOT NULL,
    next_at_ms INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Which process makes a payment before work: nobody else looks it up while that lives.
const OWNERS: &str = "ALTER TABLE prepaid ADD COLUMN owner INTEGER;";

/// One row once nothing spendable stands in the clear in any file of the wallet (the `sealing` module).
const AT_REST: &str = "CREATE TABLE at_rest (sealed_at_ms INTEGER NOT NULL) STRICT;";

pub(super) fn create(connection: &mut Connection, path: &Path) -> Result<(), WalletError> {
    let fail = |error: rusqlite::Error| storage(path, &error);
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(fail)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(fail)?;
    let Some(steps) = usize::try_from(found).ok().and_then(|found| STEPS.get(found..)) else {
        return Err(WalletError::Storage {
            path: path.to_owned(),
            reason: format!("written by a newer version (schema {found}, this one knows {VERSION})"),
        });
    };
    for step in steps {
        transaction.execute_batch(step).map_err(fail)?;
    }
    transaction.pragma_update(None, "user_version", VERSION).map_err(fail)?;
    transaction.commit().map_err(fail)
}
