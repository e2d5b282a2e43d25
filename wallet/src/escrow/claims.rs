//! The journal's rows about what a provider was promised: one claim for each lock.

use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::book::without;
use super::credit::Credit;
use super::lock::Lock;
use super::provider::{Claim, Earning, LockRefusal};
use crate::amount::Sats;
use crate::journal::{from_json, now_ms, sats, sql, to_json};

/// Notes that work for a lock begins, unless it was used before or its asker has too much out.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    lock: &Lock,
    amount: Sats,
    ys: &[String],
    claim: &Claim,
) -> Result<Result<(), LockRefusal>, rusqlite::Error> {
    match has_room(transaction, &lock.id, claim)? {
        Ok(Room::Free) => {}
        Ok(Room::Known) => return Ok(Ok(())),
        Err(refusal) => return Ok(Err(refusal)),
    }
    if !claim_proofs(transaction, ys, &lock.id)? {
        return Ok(Err(LockRefusal::Used));
    }
    insert_claim(transaction, lock, amount, claim, "accepted")?;
    Ok(Ok(()))
}

/// Where a job finds room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Its asker may have one more out.
    Free,
    /// It has its place already: it comes again after a restart.
    Known,
}

/// Whether a lock was not used before, and its asker may have one more job out.
pub(super) fn has_room(
    transaction: &Transaction<'_>,
    lock: &str,
    claim: &Claim,
) -> Result<Result<Room, LockRefusal>, rusqlite::Error> {
    let known: Option<(String, String)> = transaction
        .query_row("SELECT job, state FROM claims WHERE id = ?1", [lock], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    if let Some((job, state)) = known {
        // What was given back is not worked for.
        let again = job == claim.job && state == "accepted";
        return Ok(if again { Ok(Room::Known) } else { Err(LockRefusal::Used) });
    }
    let credit = credit(transaction, &claim.asker)?;
    if credit.has_room() {
        return Ok(Ok(Room::Free));
    }
    Ok(Err(LockRefusal::Credit { open: credit.open, limit: credit.limit() }))
}

/// Notes that a lock's proofs were seen; whether none of them ever was before.
pub(crate) fn claim_proofs(
    transaction: &Transaction<'_>,
    ys: &[String],
    lock: &str,
) -> Result<bool, rusqlite::Error> {
    for y in ys {
        let fresh = transaction.execute(
            "INSERT INTO claimed_proofs (y, claim) VALUES (?1, ?2) ON CONFLICT (y) DO NOTHING",
            params![y, lock],
        )?;
        if fresh == 0 {
            transaction.execute("DELETE FROM claimed_proofs WHERE claim = ?1", [lock])?;
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn insert_claim(
    transaction: &Transaction<'_>,
    lock: &Lock,
    amount: Sats,
    claim: &Claim,
    state: &str,
) -> Result<(), rusqlite::Error> {
    transaction
        .execute(
            "INSERT INTO claims (id, job, asker, model, terms, price_sats, amount_sats, received_sats, locktime,
                                 state, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10)",
            params![
                lock.id,
                claim.job,
                claim.asker,
                claim.model,
                to_json(lock)?,
                sql(lock.price.0),
                sql(amount.0),
                sql(lock.locktime),
                state,
                now_ms()
            ],
        )
        .map(drop)
}

/// Marks claims as being redeemed, for so much each.
pub(super) fn plan_redeem(
    transaction: &Transaction<'_>,
    received: &[(String, Sats)],
) -> Result<(), rusqlite::Error> {
    for (id, sats) in received {
        let moved = transaction.execute(
            "UPDATE claims SET state = 'redeeming', received_sats = ?2, at_ms = ?3
             WHERE id = ?1 AND state = 'released'",
            params![id, sql(sats.0), now_ms()],
        )?;
        if moved == 0 {
            // Another task redeems it already.
            return Err(rusqlite::Error::StatementChangedRows(0));
        }
    }
    Ok(())
}

/// Moves a claim on, if it is in this state. What does not arrive is not counted.
pub(super) fn claim_state(
    transaction: &Transaction<'_>,
    id: &str,
    from: &str,
    to: &str,
) -> Result<(), rusqlite::Error> {
    transaction
        .execute(
            "UPDATE claims SET state = ?3, at_ms = ?4,
                 received_sats = CASE WHEN ?3 = 'redeemed' THEN received_sats ELSE 0 END
             WHERE id = ?1 AND state = ?2",
            params![id, from, to, now_ms()],
        )
        .map(drop)
}

/// A claim's lock, and its state.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    id: &str,
) -> Result<Option<(Lock, String)>, rusqlite::Error> {
    let found: Option<(String, String)> = transaction
        .query_row("SELECT terms, state FROM claims WHERE id = ?1", [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    found.map(|(terms, state)| Ok((from_json(&terms)?, state))).transpose()
}

/// Lets go of the proofs of a claim that somebody else has spent, with their signatures.
pub(super) fn shed(
    transaction: &Transaction<'_>,
    id: &str,
    spent: &HashSet<String>,
) -> Result<(), rusqlite::Error> {
    let query = "SELECT terms, released FROM claims WHERE id = ?1";
    let found: Option<(String, Option<String>)> =
        transaction.query_row(query, [id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((terms, released)) = found else { return Ok(()) };
    let mut lock: Lock = from_json(&terms)?;
    let (is_gone, _) = without(&mut lock, spent);
    let released: Option<Vec<String>> = released.as_deref().map(from_json).transpose()?;
    let left: Option<Vec<String>> = released.map(|signatures| {
        let kept = signatures.into_iter().zip(&is_gone).filter(|(_, gone)| !**gone);
        kept.map(|(signature, _)| signature).collect()
    });
    transaction
        .execute(
            "UPDATE claims SET terms = ?2, released = ?3, amount_sats = ?4 WHERE id = ?1",
            params![
                id,
                to_json(&lock)?,
                left.as_ref().map(to_json).transpose()?,
                sql(lock.amount().unwrap_or_default().0)
            ],
        )
        .map(drop)
}

/// Claims in a state that have the payers' signatures, with those.
pub(crate) fn claims_in(
    transaction: &Transaction<'_>,
    state: &str,
) -> Result<Vec<(Lock, Vec<String>)>, rusqlite::Error> {
    let mut statement =
        transaction.prepare("SELECT terms, released FROM claims WHERE state = ?1 ORDER BY at_ms, id")?;
    let rows = statement.query_map([state], |row| {
        Ok((from_json(&row.get::<_, String>(0)?)?, from_json(&row.get::<_, String>(1)?)?))
    })?;
    rows.collect()
}

/// Claims whose proofs nobody has spent, as far as is known, with their jobs.
pub(super) fn unspent(transaction: &Transaction<'_>) -> Result<Vec<(String, Lock)>, rusqlite::Error> {
    let mut statement = transaction
        .prepare("SELECT job, terms FROM claims WHERE state IN ('accepted', 'released') ORDER BY at_ms")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, from_json(&row.get::<_, String>(1)?)?)))?;
    rows.collect()
}

/// What is known of a payer.
pub(super) fn credit(transaction: &Transaction<'_>, asker: &str) -> Result<Credit, rusqlite::Error> {
    let query = "SELECT COALESCE(SUM(state IN ('released', 'redeeming', 'redeemed')), 0),
                        COALESCE(SUM(state = 'lost'), 0),
                        COALESCE(SUM(state = 'accepted'), 0)
                 FROM claims WHERE asker = ?1";
    transaction.query_row(query, [asker], |row| {
        Ok(Credit { released: row.get(0)?, withheld: row.get(1)?, open: row.get(2)? })
    })
}

/// What the books say of claims, oldest first.
pub(crate) fn earnings_where(
    transaction: &Transaction<'_>,
    condition: &str,
    value: i64,
) -> Result<Vec<Earning>, rusqlite::Error> {
    let query = format!(
        "SELECT job, asker, model, terms, state, price_sats,
                CASE WHEN state = 'redeemed' THEN received_sats ELSE 0 END, at_ms FROM claims
         WHERE {condition} ORDER BY at_ms, id"
    );
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([value], |row| {
        let lock: Lock = from_json(&row.get::<_, String>(3)?)?;
        Ok(Earning {
            job: row.get(0)?,
            asker: row.get(1)?,
            model: row.get(2)?,
            mint: lock.mint,
            state: row.get(4)?,
            price: sats(row, 5)?,
            received: sats(row, 6)?,
            locktime: lock.locktime,
            at_unix_ms: row.get(7)?,
        })
    })?;
    rows.collect()
}
