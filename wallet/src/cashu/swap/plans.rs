//! Exchanges in the journal: written before the mint is asked, ended with what they were for.

use cdk::nuts::Id;
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Kind, Output, Plan, Planned};
use crate::cashu::journal::{from_json, now_ms, to_json};
use crate::cashu::wallet::parse_mint;

#[derive(Serialize, Deserialize)]
struct Outputs {
    keyset: Id,
    outputs: Vec<Output>,
}

pub(super) fn insert(transaction: &Transaction<'_>, plan: &Plan) -> Result<i64, rusqlite::Error> {
    let outputs = Outputs { keyset: plan.keyset, outputs: plan.outputs.clone() };
    transaction.execute(
        "INSERT INTO swaps (mint, kind, operation, inputs, outputs, subjects, state, at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'planned', ?7)",
        params![
            plan.mint.to_string(),
            plan.kind.name(),
            plan.operation.to_string(),
            to_json(&plan.inputs)?,
            to_json(&outputs)?,
            to_json(&plan.subjects)?,
            now_ms()
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}

/// Ends a plan. What its inputs and outputs were is not needed any more, and is as good as money
/// to whoever finds it.
pub(super) fn end(transaction: &Transaction<'_>, id: i64, state: &str) -> Result<(), rusqlite::Error> {
    transaction
        .execute("UPDATE swaps SET state = ?2, inputs = '', outputs = '' WHERE id = ?1", params![id, state])
        .map(drop)
}

pub(super) fn read_planned(transaction: &Transaction<'_>) -> Result<Vec<Planned>, rusqlite::Error> {
    let mut statement = transaction.prepare(
        "SELECT id, mint, kind, operation, inputs, outputs, subjects, at_ms FROM swaps
         WHERE state = 'planned' ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        let column = |index: usize| row.get::<_, String>(index);
        let broken = |what: &'static str| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, what.into())
        };
        let outputs: Outputs = from_json(&column(5)?)?;
        let kind = column(2)?;
        Ok(Planned {
            id: row.get(0)?,
            // Whoever planned it has died, and may have asked.
            asked_at_ms: Some(row.get(7)?),
            plan: Plan {
                mint: parse_mint(&column(1)?).map_err(|_| broken("an unknown mint"))?,
                kind: Kind::ALL
                    .into_iter()
                    .find(|known| known.name() == kind)
                    .ok_or_else(|| broken("an unknown kind of exchange"))?,
                operation: Uuid::parse_str(&column(3)?).map_err(|_| broken("an unknown operation"))?,
                inputs: from_json(&column(4)?)?,
                keyset: outputs.keyset,
                outputs: outputs.outputs,
                subjects: from_json(&column(6)?)?,
            },
        })
    })?;
    rows.collect()
}
