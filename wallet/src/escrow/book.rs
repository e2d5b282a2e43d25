//! The journal's rows about escrow.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::lock::{Lock, LockProof};
use super::locking::Locked;
use super::refund::LockRow;
use crate::amount::Sats;
use crate::journal::{from_json, now_ms, sats, sql, to_json};
use crate::ledger::Key;
use crate::mint::swap::Kind;

type Result<T> = std::result::Result<T, rusqlite::Error>;

/// Where a payer's lock is; drawn in the parent module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockState {
    /// The exchange that makes it is planned.
    Planned,
    /// In escrow.
    Locked,
    /// Signed over; the signature may have left.
    Released,
    /// Signed over, and the ledger has counted it. Final.
    Settled,
    /// The exchange that reclaims it is planned.
    Reclaiming,
    /// The payer's own again. Final.
    Reclaimed,
    /// The mint refused to make it. Final.
    Void,
}

impl LockState {
    const ALL: [Self; 7] = [
        Self::Planned,
        Self::Locked,
        Self::Released,
        Self::Settled,
        Self::Reclaiming,
        Self::Reclaimed,
        Self::Void,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Locked => "locked",
            Self::Released => "released",
            Self::Settled => "settled",
            Self::Reclaiming => "reclaiming",
            Self::Reclaimed => "reclaimed",
            Self::Void => "void",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A lock that is written with the plan of its exchange.
#[derive(Debug)]
pub struct NewLock {
    pub key: Key,
    pub peer: String,
    pub lock: Lock,
    pub lock_fee: Sats,
}

/// Writes planned locks. One whose exchange was refused before may be planned again.
pub fn plan_locks(transaction: &Transaction<'_>, rows: &[NewLock]) -> Result<()> {
    for row in rows {
        transaction.execute(
            "INSERT INTO locks (id, run, subtask, attempt, peer, terms, locktime, lock_fee_sats,
                                return_fee_sats, state, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 'planned', ?9)
             ON CONFLICT (id) DO UPDATE SET peer = excluded.peer, terms = excluded.terms,
                 locktime = excluded.locktime, lock_fee_sats = excluded.lock_fee_sats,
                 state = 'planned', at_ms = excluded.at_ms WHERE state = 'void'",
            params![
                row.lock.id,
                &*row.key.run,
                row.key.subtask,
                row.key.attempt,
                row.peer,
                to_json(&row.lock)?,
                sql(row.lock.locktime),
                sql(row.lock_fee.0),
                now_ms()
            ],
        )?;
        if transaction.changes() == 0 {
            // The lock of this attempt exists: one attempt is never paid for twice.
            return Err(rusqlite::Error::StatementChangedRows(0));
        }
    }
    Ok(())
}

/// Puts the proofs into locks that were planned.
pub fn locked(transaction: &Transaction<'_>, proofs: &HashMap<String, Vec<LockProof>>) -> Result<()> {
    for (id, proofs) in proofs {
        let Some(mut lock) = lock(transaction, id)? else { continue };
        lock.proofs.clone_from(proofs);
        transaction.execute(
            "UPDATE locks SET terms = ?2, state = 'locked', at_ms = ?3 WHERE id = ?1 AND state = 'planned'",
            params![id, to_json(&lock)?, now_ms()],
        )?;
    }
    Ok(())
}

/// Moves a lock on, if it is in one of these states.
pub fn set_lock_state(
    transaction: &Transaction<'_>,
    id: &str,
    from: &[LockState],
    to: LockState,
) -> Result<bool> {
    let Some(state) = lock_state(transaction, id)? else { return Ok(false) };
    if !from.contains(&state) {
        return Ok(false);
    }
    transaction
        .execute("UPDATE locks SET state = ?2, at_ms = ?3 WHERE id = ?1", params![id, to.name(), now_ms()])?;
    Ok(true)
}

/// Marks locks as released whose locktime is after a moment, and returns those that are.
pub fn release_locks(transaction: &Transaction<'_>, ids: &[String], not_before: u64) -> Result<Vec<Lock>> {
    let mut released = Vec::new();
    for id in ids {
        let Some(lock) = lock(transaction, id)? else { continue };
        let may = [LockState::Locked, LockState::Released];
        if lock.locktime > not_before && set_lock_state(transaction, id, &may, LockState::Released)? {
            released.push(lock);
        }
    }
    Ok(released)
}

/// Marks locks as being reclaimed, for these fees.
pub fn plan_reclaim(transaction: &Transaction<'_>, fees: &[(String, Sats)]) -> Result<()> {
    for (id, fee) in fees {
        let from = [LockState::Locked, LockState::Released];
        transaction.execute(
            "UPDATE locks SET was_released = (state = 'released') WHERE id = ?1 AND state <> 'reclaiming'",
            [id],
        )?;
        if !set_lock_state(transaction, id, &from, LockState::Reclaiming)? {
            return Err(rusqlite::Error::StatementChangedRows(0));
        }
        transaction
            .execute("UPDATE locks SET return_fee_sats = ?2 WHERE id = ?1", params![id, sql(fee.0)])?;
    }
    Ok(())
}

/// Locks among these that are in a state.
pub fn locks(transaction: &Transaction<'_>, ids: &[String], state: LockState) -> Result<Vec<Lock>> {
    let mut found = Vec::new();
    for id in ids {
        if lock_state(transaction, id)? == Some(state) {
            found.extend(lock(transaction, id)?);
        }
    }
    Ok(found)
}

/// How many locks were signed over to each peer since a moment.
pub fn released_since(transaction: &Transaction<'_>, at_unix_ms: i64) -> Result<Vec<(String, u32)>> {
    let query = "SELECT peer, COUNT(*) FROM locks WHERE state IN ('released', 'settled') AND at_ms >= ?1
                 GROUP BY peer";
    let mut statement = transaction.prepare(query)?;
    let rows = statement.query_map([at_unix_ms], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// What reclaimed locks have cost.
pub fn costs_of(transaction: &Transaction<'_>, ids: &[String]) -> Result<Vec<(Key, Sats)>> {
    let rows = rows(transaction, ids)?;
    Ok(rows.into_iter().map(|row| (row.key, row.lock_fee.saturating_add(row.return_fee))).collect())
}

/// Locks that were made, as their maker is told.
pub fn locked_rows(transaction: &Transaction<'_>, ids: &[String]) -> Result<Vec<Locked>> {
    let rows = rows(transaction, ids)?;
    Ok(rows.into_iter().map(|row| Locked { key: row.key, lock: row.lock, lock_fee: row.lock_fee }).collect())
}

/// The exchange was refused: what it was for is as it was before.
pub fn undone(transaction: &Transaction<'_>, kind: Kind, subjects: &[String]) -> Result<()> {
    for id in subjects {
        match kind {
            Kind::Lock => {
                set_lock_state(transaction, id, &[LockState::Planned], LockState::Void)?;
            }
            Kind::Reclaim => {
                let query = "SELECT was_released FROM locks WHERE id = ?1";
                let was_released: Option<bool> =
                    transaction.query_row(query, [id], |row| row.get(0)).optional()?;
                let before = if was_released == Some(true) { LockState::Released } else { LockState::Locked };
                set_lock_state(transaction, id, &[LockState::Reclaiming], before)?;
            }
            Kind::Redeem => super::claims::claim_state(transaction, id, "redeeming", "released")?,
        }
    }
    Ok(())
}

/// Somebody else spent inputs: the proofs with the identities `spent`. A lock that has none of them only shared the
/// exchange, and returns to its earlier state. A lock that keeps other proofs does so without the spent ones.
pub fn lost(
    transaction: &Transaction<'_>,
    kind: Kind,
    subjects: &[String],
    spent: &HashSet<String>,
) -> Result<()> {
    for id in subjects {
        let terms = match kind {
            Kind::Lock => None,
            Kind::Reclaim => lock(transaction, id)?,
            Kind::Redeem => super::claims::claim(transaction, id)?.map(|(lock, _)| lock),
        };
        let ys = terms.and_then(|lock| super::payer::lock_ys(&lock).ok());
        if ys.is_some_and(|ys| ys.iter().any(|y| !spent.contains(y))) {
            match kind {
                Kind::Lock => {}
                Kind::Reclaim => drop(shed(transaction, id, spent)?),
                Kind::Redeem => super::claims::shed(transaction, id, spent)?,
            }
            undone(transaction, kind, std::slice::from_ref(id))?;
            continue;
        }
        match kind {
            Kind::Lock => {
                set_lock_state(transaction, id, &[LockState::Planned], LockState::Void)?;
            }
            // Only both signatures can have done that: the provider has its pay.
            Kind::Reclaim => {
                set_lock_state(transaction, id, &[LockState::Reclaiming], LockState::Settled)?;
            }
            Kind::Redeem => super::claims::claim_state(transaction, id, "redeeming", "lost")?,
        }
    }
    Ok(())
}

/// Removes the proofs of a lock that somebody else has spent, and counts their sats. Returns what is left of the lock, and
/// the sats that are gone.
pub fn shed(
    transaction: &Transaction<'_>,
    id: &str,
    spent: &HashSet<String>,
) -> Result<Option<(Lock, Sats)>> {
    let Some(mut lock) = lock(transaction, id)? else { return Ok(None) };
    let (_, gone) = without(&mut lock, spent);
    transaction.execute(
        "UPDATE locks SET terms = ?2, gone_sats = gone_sats + ?3 WHERE id = ?1",
        params![id, to_json(&lock)?, sql(gone.0)],
    )?;
    Ok(Some((lock, gone)))
}

/// Takes the proofs with these identities out of a lock; which were there (in their order, as long as the list was), and
/// how much they are.
pub(super) fn without(lock: &mut Lock, spent: &HashSet<String>) -> (Vec<bool>, Sats) {
    // What cannot be read is nobody's, and stays.
    let ys = super::payer::lock_ys(lock).unwrap_or_default();
    let is_gone: Vec<bool> = ys.iter().map(|y| spent.contains(y)).collect();
    let mut gone = Sats::ZERO;
    let mut is_next_gone = is_gone.iter();
    lock.proofs.retain(|proof| {
        let goes = is_next_gone.next().copied().unwrap_or(false);
        if goes {
            gone = gone.saturating_add(Sats(proof.amount));
        }
        !goes
    });
    (is_gone, gone)
}

const COLUMNS: &str =
    "run, subtask, attempt, peer, terms, lock_fee_sats, return_fee_sats, state, at_ms, gone_sats";

/// One lock with everything that is known of it.
pub fn row(transaction: &Transaction<'_>, id: &str) -> Result<Option<LockRow>> {
    transaction.query_row(&format!("SELECT {COLUMNS} FROM locks WHERE id = ?1"), [id], read_row).optional()
}

/// All locks of a run, or those of all runs.
pub fn rows_of(transaction: &Transaction<'_>, run: Option<&str>) -> Result<Vec<LockRow>> {
    let query = format!("SELECT {COLUMNS} FROM locks WHERE ?1 IS NULL OR run = ?1 ORDER BY at_ms, id");
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([run], read_row)?;
    rows.collect()
}

/// Locks whose locktime has passed and that are not over.
pub fn expired(transaction: &Transaction<'_>, now_secs: u64) -> Result<Vec<LockRow>> {
    let query =
        format!("SELECT {COLUMNS} FROM locks WHERE state IN ('locked', 'released') AND locktime < ?1");
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([sql(now_secs)], read_row)?;
    rows.collect()
}

/// When the first of the locks that are not over opens by itself.
pub fn next_locktime(transaction: &Transaction<'_>) -> Result<Option<u64>> {
    let query = "SELECT MIN(locktime) FROM locks WHERE state IN ('locked', 'released')";
    let first: Option<i64> = transaction.query_row(query, [], |row| row.get(0))?;
    Ok(first.and_then(|locktime| u64::try_from(locktime).ok()))
}

fn rows(transaction: &Transaction<'_>, ids: &[String]) -> Result<Vec<LockRow>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(row(transaction, id)?);
    }
    Ok(found)
}

fn read_row(row: &Row<'_>) -> Result<LockRow> {
    let run: String = row.get(0)?;
    let state: String = row.get(7)?;
    Ok(LockRow {
        key: Key::new(run, row.get(1)?, row.get(2)?),
        peer: row.get(3)?,
        lock: from_json(&row.get::<_, String>(4)?)?,
        lock_fee: sats(row, 5)?,
        return_fee: sats(row, 6)?,
        state: LockState::from_name(&state).ok_or(rusqlite::Error::InvalidQuery)?,
        at_unix_ms: row.get(8)?,
        gone: sats(row, 9)?,
    })
}

fn lock(transaction: &Transaction<'_>, id: &str) -> Result<Option<Lock>> {
    let text: Option<String> =
        transaction.query_row("SELECT terms FROM locks WHERE id = ?1", [id], |row| row.get(0)).optional()?;
    text.as_deref().map(from_json).transpose()
}

fn lock_state(transaction: &Transaction<'_>, id: &str) -> Result<Option<LockState>> {
    let name: Option<String> =
        transaction.query_row("SELECT state FROM locks WHERE id = ?1", [id], |row| row.get(0)).optional()?;
    Ok(name.as_deref().and_then(LockState::from_name))
}
