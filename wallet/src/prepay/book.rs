//! Payments before work in the journal: one row for each invoice that was ever to be paid.

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::check::PrepayRefusal;
use super::{Bill, Way};
use crate::amount::Sats;
use crate::journal::{now_ms, sats, sql};
use crate::ledger::Key;

type Result<T> = std::result::Result<T, rusqlite::Error>;

/// Where a payment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrepaidState {
    /// It may have been made; counts as spent until it is known.
    Planned,
    /// A token is made for it, and nobody was given that yet; counts as spent until it is known whether somebody was.
    Made,
    /// Made: the invoice is paid, or the token given away.
    Paid,
    /// Not made. Final.
    Failed,
    /// The token was given to nobody, and is among those that nobody has taken. Final.
    Kept,
    /// Nobody will ever know whether it was made; all that was reserved for it stays spent. Final.
    Unknown,
}

impl PrepaidState {
    const ALL: [Self; 6] = [Self::Planned, Self::Made, Self::Paid, Self::Failed, Self::Kept, Self::Unknown];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Made => "made",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Kept => "kept",
            Self::Unknown => "unknown",
        }
    }
}

/// What came of the work that was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrepaidEnd {
    /// Still to come.
    Open,
    /// The answer counts.
    Earned,
    /// An answer came and does not count.
    Rejected,
    /// Nothing came in time.
    Silent,
    /// It was not wanted any more, or the owner has forgiven it.
    Cancelled,
}

impl PrepaidEnd {
    const ALL: [Self; 5] = [Self::Open, Self::Earned, Self::Rejected, Self::Silent, Self::Cancelled];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Earned => "earned",
            Self::Rejected => "rejected",
            Self::Silent => "silent",
            Self::Cancelled => "called_off",
        }
    }
}

/// A payment before work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepaid {
    /// The invoice's payment hash, as hex; of a token, a name that no invoice has.
    pub hash: String,
    /// The attempt that it is for.
    pub key: Key,
    /// The provider's Nostr key.
    pub peer: String,
    /// The mint that pays and the name of the payment there; nothing where a Lightning wallet pays.
    pub mint: Option<(String, String)>,
    /// To the provider.
    pub amount: Sats,
    /// The most that mint and network may take.
    pub most_fees: Sats,
    /// What they took, once it is paid.
    pub fees: Sats,
    /// Where it is.
    pub state: PrepaidState,
    /// What came of it.
    pub end: PrepaidEnd,
    /// The proof of payment, where there is one.
    pub preimage: Option<String>,
    /// When it last changed, in milliseconds since 1970.
    pub at_unix_ms: i64,
}

/// What is known of an invoice and of its author.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Record {
    reused: bool,
    open: u32,
    earned: u32,
    rejected: u32,
    silent: u32,
}

impl Record {
    /// Whether the provider is paid before its work once more.
    pub fn allows(&self) -> std::result::Result<(), PrepayRefusal> {
        let Self { reused, open, earned, rejected, silent } = *self;
        if reused {
            return Err(PrepayRefusal::Reused);
        }
        if silent > 0 || rejected > earned {
            return Err(PrepayRefusal::Distrusted { silent, rejected });
        }
        if open > 0 { Err(PrepayRefusal::Unanswered) } else { Ok(()) }
    }
}

pub(super) fn record(transaction: &Transaction<'_>, hash: &str, peer: &str) -> Result<Record> {
    let reused = transaction
        .query_row("SELECT 1 FROM prepaid WHERE hash = ?1", [hash], |_| Ok(()))
        .optional()?
        .is_some();
    // What was certainly not paid says nothing about anybody.
    let query = "SELECT COALESCE(SUM(outcome = 'open'), 0), COALESCE(SUM(outcome = 'earned'), 0),
                        COALESCE(SUM(outcome = 'rejected'), 0), COALESCE(SUM(outcome = 'silent'), 0)
                 FROM prepaid WHERE peer = ?1 AND state NOT IN ('failed', 'kept')";
    transaction.query_row(query, [peer], |row| {
        Ok(Record {
            reused,
            open: row.get(0)?,
            earned: row.get(1)?,
            rejected: row.get(2)?,
            silent: row.get(3)?,
        })
    })
}

/// Writes the intent. `false` if the invoice, or the attempt, was planned before, or if another task
/// has begun to pay the same provider meanwhile.
pub(super) fn plan(transaction: &Transaction<'_>, bill: &Bill, owner: i64) -> Result<bool> {
    let order = &bill.order;
    if record(transaction, &bill.checked.hash, &order.peer)?.allows().is_err() {
        return Ok(false);
    }
    let (mint, quote) = match &bill.way {
        Way::Mint(quote) => (Some(&quote.mint), Some(&quote.quote)),
        Way::Token { mint, operation } => (Some(mint), Some(operation)),
        Way::Lightning => (None, None),
    };
    let planned = transaction.execute(
        "INSERT INTO prepaid (hash, run, subtask, attempt, peer, bolt11, mint, quote, amount_sats, most_fees_sats,
                              fees_sats, state, outcome, at_ms, owner)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 'planned', 'open', ?11, ?12)
         ON CONFLICT DO NOTHING",
        params![
            bill.checked.hash,
            &*order.key.run,
            order.key.subtask,
            order.key.attempt,
            order.peer,
            order.bolt11.trim(),
            mint,
            quote,
            sql(bill.checked.amount.0),
            sql(order.reserved.saturating_sub(bill.checked.amount).0),
            now_ms(),
            owner
        ],
    )?;
    Ok(planned == 1)
}

pub(super) fn paid(
    transaction: &Transaction<'_>,
    hash: &str,
    fees: Sats,
    preimage: Option<&str>,
) -> Result<()> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'paid', fees_sats = ?2, preimage = ?3, at_ms = ?4
             WHERE hash = ?1 AND state = 'planned'",
            params![hash, sql(fees.0), preimage, now_ms()],
        )
        .map(drop)
}

/// A token is made. `false` if somebody has found out in between that nobody was given it.
pub(super) fn made(transaction: &Transaction<'_>, hash: &str, fees: Sats) -> Result<bool> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'made', fees_sats = ?2, at_ms = ?3
             WHERE hash = ?1 AND state = 'planned'",
            params![hash, sql(fees.0), now_ms()],
        )
        .map(|changed| changed == 1)
}

/// The token of an attempt is about to be given to its provider. `false` if it was kept meanwhile.
pub(super) fn give(transaction: &Transaction<'_>, key: &Key) -> Result<bool> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'paid', at_ms = ?4
             WHERE run = ?1 AND subtask = ?2 AND attempt = ?3 AND state = 'made'",
            params![&*key.run, key.subtask, key.attempt, now_ms()],
        )
        .map(|changed| changed == 1)
}

/// Nobody is given the token of an attempt: its provider owes nothing.
pub(super) fn keep(transaction: &Transaction<'_>, key: &Key) -> Result<()> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'kept', outcome = 'called_off', at_ms = ?4
             WHERE run = ?1 AND subtask = ?2 AND attempt = ?3 AND state = 'made'",
            params![&*key.run, key.subtask, key.attempt, now_ms()],
        )
        .map(drop)
}

/// As [`keep`], by the names of the payments.
pub(super) fn keep_named(transaction: &Transaction<'_>, names: &[String]) -> Result<()> {
    for name in names {
        transaction.execute(
            "UPDATE prepaid SET state = 'kept', outcome = 'called_off', at_ms = ?2
             WHERE state = 'made' AND hash = ?1",
            params![name, now_ms()],
        )?;
    }
    Ok(())
}

pub(super) fn failed(transaction: &Transaction<'_>, hash: &str) -> Result<()> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'failed', at_ms = ?2 WHERE hash = ?1 AND state = 'planned'",
            params![hash, now_ms()],
        )
        .map(drop)
}

/// Nobody will say whether it was made.
pub(super) fn unknown(transaction: &Transaction<'_>, hash: &str) -> Result<()> {
    transaction
        .execute(
            "UPDATE prepaid SET state = 'unknown', at_ms = ?2 WHERE hash = ?1 AND state = 'planned'",
            params![hash, now_ms()],
        )
        .map(drop)
}

pub(super) fn end(transaction: &Transaction<'_>, key: &Key, end: PrepaidEnd) -> Result<()> {
    transaction
        .execute(
            "UPDATE prepaid SET outcome = ?4, at_ms = ?5
             WHERE run = ?1 AND subtask = ?2 AND attempt = ?3 AND outcome = 'open'",
            params![&*key.run, key.subtask, key.attempt, end.name(), now_ms()],
        )
        .map(drop)
}

pub(super) fn forgive(transaction: &Transaction<'_>, peer: &str) -> Result<usize> {
    transaction.execute(
        "UPDATE prepaid SET outcome = 'called_off', at_ms = ?2
         WHERE peer = ?1 AND outcome IN ('open', 'silent', 'rejected')",
        params![peer, now_ms()],
    )
}

const COLUMNS: &str =
    "hash, run, subtask, attempt, peer, mint, quote, amount_sats, most_fees_sats, fees_sats,
                       state, outcome, preimage, at_ms";

pub(super) fn rows(transaction: &Transaction<'_>, run: Option<&str>) -> Result<Vec<Prepaid>> {
    let query = format!("SELECT {COLUMNS} FROM prepaid WHERE ?1 IS NULL OR run = ?1 ORDER BY at_ms, hash");
    let mut statement = transaction.prepare(&query)?;
    let rows = statement.query_map([run], read_row)?;
    rows.collect()
}

/// A payment that is planned or made and not over.
pub(super) struct Open {
    pub row: Prepaid,
    /// Who makes it, where that is known.
    pub owner: Option<i64>,
    pub bolt11: String,
}

/// Payments that are planned or made and not over.
pub(super) fn open(transaction: &Transaction<'_>) -> Result<Vec<Open>> {
    let query = format!(
        "SELECT {COLUMNS}, owner, bolt11 FROM prepaid WHERE state IN ('planned', 'made') ORDER BY at_ms, hash"
    );
    let mut statement = transaction.prepare(&query)?;
    let rows = statement
        .query_map([], |row| Ok(Open { row: read_row(row)?, owner: row.get(14)?, bolt11: row.get(15)? }))?;
    rows.collect()
}

fn read_row(row: &Row<'_>) -> Result<Prepaid> {
    let (state, end): (String, String) = (row.get(10)?, row.get(11)?);
    let (mint, quote): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(Prepaid {
        hash: row.get(0)?,
        key: Key::new(row.get::<_, String>(1)?, row.get(2)?, row.get(3)?),
        peer: row.get(4)?,
        mint: mint.zip(quote),
        amount: sats(row, 7)?,
        most_fees: sats(row, 8)?,
        fees: sats(row, 9)?,
        state: PrepaidState::ALL
            .into_iter()
            .find(|known| known.name() == state)
            .ok_or(rusqlite::Error::InvalidQuery)?,
        end: PrepaidEnd::ALL
            .into_iter()
            .find(|known| known.name() == end)
            .ok_or(rusqlite::Error::InvalidQuery)?,
        preimage: row.get(12)?,
        at_unix_ms: row.get(13)?,
    })
}
