//! Exchanges in the journal: written before the mint is asked, ended with what they were for.

use cdk::nuts::Id;
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Asked, Kind, Output, Plan, Planned};
use crate::journal::{from_json, now_ms, to_json};
use crate::mint::address::parse_mint;
use crate::seed::KeyAtRest;
use crate::seed::at_rest::is_sealed;

#[derive(Serialize, Deserialize)]
struct Outputs {
    keyset: Id,
    outputs: Vec<Output>,
}

pub(super) fn insert(
    transaction: &Transaction<'_>,
    plan: &Plan,
    key: &KeyAtRest,
) -> Result<(), rusqlite::Error> {
    let outputs = Outputs { keyset: plan.keyset, outputs: plan.outputs.clone() };
    let written = transaction.execute(
        "INSERT INTO swaps (mint, kind, operation, inputs, outputs, subjects, state, at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'planned', ?7)",
        params![
            plan.mint.to_string(),
            plan.kind.name(),
            plan.operation.to_string(),
            key.seal(&plan.operation.to_string(), &to_json(&plan.inputs)?),
            to_json(&outputs)?,
            to_json(&plan.subjects)?,
            now_ms()
        ],
    );
    written.map(drop)
}

/// Ends a plan; whether it was there. What its inputs and outputs were is not needed any more, and
/// is as good as money to its finder.
pub(super) fn end(
    transaction: &Transaction<'_>,
    operation: Uuid,
    state: &str,
) -> Result<bool, rusqlite::Error> {
    let ended = transaction.execute(
        "UPDATE swaps SET state = ?2, inputs = '', outputs = '' WHERE operation = ?1 AND state = 'planned'",
        params![operation.to_string(), state],
    )?;
    Ok(ended > 0)
}

/// Notes when the mint was last asked and gave no clear answer, or has not answered yet; whether the exchange is
/// planned still.
pub(super) fn set_asked(
    transaction: &Transaction<'_>,
    operation: Uuid,
    at_ms: i64,
) -> Result<bool, rusqlite::Error> {
    let noted = transaction.execute(
        "UPDATE swaps SET at_ms = ?2 WHERE operation = ?1 AND state = 'planned'",
        params![operation.to_string(), at_ms],
    )?;
    Ok(noted > 0)
}

/// Takes over exchanges of which nobody has asked the mint since a moment, but for these: the first process to do so has
/// them.
pub(super) fn adopt(
    transaction: &Transaction<'_>,
    key: &KeyAtRest,
    before_ms: i64,
    but: &[Uuid],
    wanted: impl Fn(&Plan) -> bool,
) -> Result<Vec<Planned>, rusqlite::Error> {
    let mut planned = read_planned(transaction, key)?;
    planned.retain(|planned| {
        matches!(planned.asked, Asked::At(asked) if asked < before_ms)
            && !but.contains(&planned.plan.operation)
            && wanted(&planned.plan)
    });
    for each in &planned {
        set_asked(transaction, each.plan.operation, now_ms())?;
    }
    Ok(planned)
}

pub(super) fn read_planned(
    transaction: &Transaction<'_>,
    key: &KeyAtRest,
) -> Result<Vec<Planned>, rusqlite::Error> {
    let mut statement = transaction.prepare(
        "SELECT mint, kind, operation, inputs, outputs, subjects, at_ms FROM swaps
         WHERE state = 'planned' ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| {
        let column = |index: usize| row.get::<_, String>(index);
        let broken = |what: &'static str| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, what.into())
        };
        let outputs: Outputs = from_json(&column(4)?)?;
        let (kind, operation) = (column(1)?, column(2)?);
        let inputs = key.open(&operation, &column(3)?).map_err(|_| broken("sealed by another seed"))?;
        Ok(Planned {
            // The process that planned it has died, and may have asked.
            asked: Asked::At(row.get(6)?),
            plan: Plan {
                mint: parse_mint(&column(0)?).map_err(|_| broken("an unknown mint"))?,
                kind: Kind::ALL
                    .into_iter()
                    .find(|known| known.name() == kind)
                    .ok_or_else(|| broken("an unknown kind of exchange"))?,
                operation: Uuid::parse_str(&operation).map_err(|_| broken("an unknown operation"))?,
                inputs: from_json(&inputs)?,
                keyset: outputs.keyset,
                outputs: outputs.outputs,
                subjects: from_json(&column(5)?)?,
            },
        })
    })?;
    rows.collect()
}

/// Seals the inputs of exchanges that earlier versions wrote in the clear.
pub(in crate::mint) fn seal_old(
    transaction: &Transaction<'_>,
    key: &KeyAtRest,
) -> Result<(), rusqlite::Error> {
    let mut statement = transaction.prepare("SELECT operation, inputs FROM swaps WHERE inputs <> ''")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    for row in rows.collect::<Result<Vec<_>, _>>()? {
        let (operation, inputs) = row;
        if !is_sealed(&inputs) {
            let sealed = key.seal(&operation, &inputs);
            transaction
                .execute("UPDATE swaps SET inputs = ?2 WHERE operation = ?1", params![operation, sealed])?;
        }
    }
    Ok(())
}
