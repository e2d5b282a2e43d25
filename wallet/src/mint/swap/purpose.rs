//! What exchanges are for.

use std::collections::HashSet;

use futures::future::BoxFuture;
use rusqlite::Transaction;

use super::exchange::{Done, Kind, Planned};
use crate::error::WalletError;
use crate::mint::CashuWallet;

/// Writes down what ended exchanges mean for their callers. The opener of a wallet brings it: an exchange may end
/// in another process than the one that began it.
pub(crate) trait Purpose: Send + Sync {
    /// An exchange was made.
    fn done<'a>(
        &'a self,
        wallet: &'a CashuWallet,
        planned: &'a Planned,
        done: &'a Done,
    ) -> BoxFuture<'a, Result<(), WalletError>>;

    /// An exchange will never be made; its inputs are as they were.
    fn undone(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
    ) -> Result<(), rusqlite::Error>;

    /// An exchange will never be made: somebody else has spent the proofs with the identities `spent`.
    fn lost(
        &self,
        transaction: &Transaction<'_>,
        kind: Kind,
        subjects: &[String],
        spent: &HashSet<String>,
    ) -> Result<(), rusqlite::Error>;
}
