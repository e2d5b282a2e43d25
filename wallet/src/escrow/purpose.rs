//! What becomes of locks and claims when an exchange ends.

use std::collections::HashSet;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::Transaction;

use super::{book, locking, payer, redeeming};
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::swap::{Done, Kind, Planned, Purpose};

/// Exchanges are for locks and claims.
pub(crate) struct Escrow;

impl Purpose for Escrow {
    fn done<'a>(
        &'a self,
        wallet: &'a CashuWallet,
        planned: &'a Planned,
        done: &'a Done,
    ) -> BoxFuture<'a, Result<(), WalletError>> {
        async move {
            match planned.plan.kind {
                Kind::Lock => locking::finish_lock(wallet, planned, done).await,
                Kind::Redeem => redeeming::finish_redeem(wallet, planned, done).await,
                Kind::Reclaim => payer::finish_reclaim(wallet, planned, done).await,
            }
        }
        .boxed()
    }

    fn undone(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
    ) -> Result<(), rusqlite::Error> {
        book::undone(transaction, kind, subjects)
    }

    fn lost(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
        spent: &HashSet<String>,
    ) -> Result<(), rusqlite::Error> {
        book::lost(transaction, kind, subjects, spent)
    }
}
