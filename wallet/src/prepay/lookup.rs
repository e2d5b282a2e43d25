//! What became of payments before work that nobody answered: looked up, never made again.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::str::FromStr as _;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cdk::Bolt11Invoice;
use cdk::mint_url::MintUrl;
use cdk::wallet::types::{SendSagaState, WalletSagaState};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};

use super::book::{self, Open};
use super::{Prepaid, PrepaidState, token};
use crate::amount::{Msats, Sats};
use crate::error::WalletError;
use crate::journal::now_ms;
use crate::ledger::{Key, owner};
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;
use crate::mint::health::Ask;
use crate::nwc::{NwcError, NwcWallet};

/// A token that was made by this process and is older will not be given away by it any more.
const SETTLING_MS: i64 = 120_000;
/// How long after an invoice's end a Lightning wallet is asked what became of it.
const ASKED_FOR: Duration = Duration::from_hours(24);

/// A payment of which nobody will ever know whether it was made. It stays spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPayment {
    /// The attempt that it was for.
    pub key: Key,
    /// What to look for in the Lightning wallet, as hex.
    pub payment_hash: String,
    /// What counts as spent for it, fees included.
    pub sats: Sats,
}

impl fmt::Display for UnknownPayment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, payment_hash, sats } = self;
        write!(
            formatter,
            "{key}: your Lightning wallet has not said whether it paid, and cannot be asked any more: {sats} stay spent \
             in the ledger; look there for the payment hash {payment_hash}. If it was not paid, the sats are in that \
             wallet, and only the budget of the run is short of them"
        )
    }
}

/// What became of a payment.
enum Became {
    /// It was made, for these fees and with this proof.
    Paid(Sats, Option<String>),
    /// Nothing was paid.
    Nothing,
    /// That is not known yet.
    NotKnown,
    /// Nobody can say it.
    NobodyCanSay,
}

impl CashuWallet {
    /// Payments through a Lightning wallet of which nobody will ever know whether they were made.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn unknown_payments(&self) -> Result<Vec<UnknownPayment>, WalletError> {
        let rows = self.prepaid(None).await?.into_iter().filter(|row| row.state == PrepaidState::Unknown);
        let unknown = rows.map(|row| UnknownPayment {
            key: row.key,
            payment_hash: row.hash,
            sats: row.amount.saturating_add(row.most_fees),
        });
        Ok(unknown.collect())
    }

    /// Asks what became of payments whose end is not known; they are never made again. Those through a
    /// Lightning wallet are looked up if it is connected. Returns how many are known now.
    ///
    /// # Errors
    ///
    /// If a file fails. A peer that does not answer is asked the next time.
    pub fn look_up_prepaid<'a>(
        &'a self,
        lightning: Option<&'a NwcWallet>,
    ) -> BoxFuture<'a, Result<usize, WalletError>> {
        self.look_up_prepaid_at(lightning, Ask::All).boxed()
    }

    /// As [`Self::look_up_prepaid`], at these mints.
    pub(crate) async fn look_up_prepaid_at(
        &self,
        lightning: Option<&NwcWallet>,
        ask: Ask,
    ) -> Result<usize, WalletError> {
        self.keep_unsent_tokens().await?;
        self.look_up_planned(lightning, ask, None).await
    }

    /// The process that made these tokens has died before it gave them away, or will find that it may not any more.
    pub(crate) async fn keep_unsent_tokens(&self) -> Result<(), WalletError> {
        let made = self.left_open(PrepaidState::Made).await?.into_iter();
        let made: Vec<String> = made.map(|open| open.row.hash).collect();
        self.inner.journal.write(move |transaction| book::keep_named(transaction, &made)).await
    }

    /// Payments in a state that nobody sees to any more. That of a living process is nobody else's, however long it
    /// takes: it may have been stopped for a while.
    async fn left_open(&self, state: PrepaidState) -> Result<Vec<Open>, WalletError> {
        let rows = self.inner.journal.write(book::open).await?;
        let before_ms = now_ms().saturating_sub(SETTLING_MS);
        let is_left = |Open { row, owner, .. }: &Open| match *owner {
            Some(owner) if owner == self.inner.owner.id => match state {
                PrepaidState::Planned => !self.paying_before().contains(&row.hash),
                _ => row.at_unix_ms <= before_ms,
            },
            Some(owner) => !owner::is_alive(self.inner.journal.path(), owner),
            // Planned by a version that did not say by whom.
            None => row.at_unix_ms <= before_ms,
        };
        Ok(rows.into_iter().filter(|open| open.row.state == state && is_left(open)).collect())
    }

    /// Payments that are planned and that nobody sees to any more.
    pub(crate) async fn left_planned(&self) -> Result<Vec<Prepaid>, WalletError> {
        Ok(self.left_open(PrepaidState::Planned).await?.into_iter().map(|open| open.row).collect())
    }

    fn paying_before(&self) -> MutexGuard<'_, HashSet<String>> {
        self.inner.tasks.paying_before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task of this process makes a payment, until this is dropped.
    pub(super) fn pays(&self, hash: &str) -> Paying {
        self.paying_before().insert(hash.to_owned());
        Paying { wallet: self.clone(), hash: hash.to_owned() }
    }

    pub(crate) async fn look_up_planned(
        &self,
        lightning: Option<&NwcWallet>,
        ask: Ask,
        only: Option<&MintUrl>,
    ) -> Result<usize, WalletError> {
        let planned = self.left_open(PrepaidState::Planned).await?;
        let resting = self.inner.health.resting(ask);
        let mut by_mint: BTreeMap<Option<MintUrl>, Vec<Open>> = BTreeMap::new();
        for open in planned {
            let mint = open.row.mint.as_ref().and_then(|(mint, _)| parse_mint(mint).ok());
            by_mint.entry(mint).or_default().push(open);
        }
        by_mint.retain(|mint, _| match mint {
            Some(mint) => !resting.contains(mint) && only.is_none_or(|only| only == mint),
            None => only.is_none(),
        });
        let each = by_mint.into_iter().map(|(mint, rows)| self.look_up_rows(mint, rows, lightning));
        let mut known = 0;
        for found in join_all(each).await {
            known += found?;
        }
        Ok(known)
    }

    /// Looks up payments of one mint, or of the Lightning wallet, until it does not answer.
    async fn look_up_rows(
        &self,
        mint: Option<MintUrl>,
        rows: Vec<Open>,
        lightning: Option<&NwcWallet>,
    ) -> Result<usize, WalletError> {
        let began = Instant::now();
        let mut known = 0;
        for Open { row, bolt11, .. } in rows {
            if mint.as_ref().is_some_and(|mint| self.inner.health.missed_since(mint, began)) {
                break;
            }
            let became = match (&row.mint, lightning) {
                (Some((_, operation)), _) if token::is_token(&row.hash) => {
                    self.became_of_token(operation).await
                }
                (Some((mint, quote)), _) => self.became_of_melt(mint, quote, &row).await,
                (None, Some(lightning)) => became_of_payment(lightning, &row).await,
                (None, None) => Became::NotKnown,
            };
            match became {
                // The process that noted its end meanwhile knows it as well.
                Became::Paid(fees, preimage) => self.note_paid(row.hash, fees, preimage).await?,
                Became::Nothing => self.note_failed(row.hash).await?,
                Became::NobodyCanSay => self.note_unknown(row.hash).await?,
                Became::NotKnown if row.mint.is_none() && self.is_long_over(&bolt11) => {
                    self.note_unknown(row.hash).await?;
                }
                Became::NotKnown => continue,
            }
            known += 1;
        }
        Ok(known)
    }

    /// Whether an invoice ended so long ago that nobody is asked about it any more.
    fn is_long_over(&self, bolt11: &str) -> bool {
        let now = Duration::from_secs(self.inner.clock.now_secs());
        let ends = Bolt11Invoice::from_str(bolt11).ok().and_then(|invoice| invoice.expires_at());
        ends.is_some_and(|ends| now > ends.saturating_add(ASKED_FOR))
    }

    /// What became of a token that was planned and of which nobody said that it was made: nobody was given it. Not known
    /// while its mint may still be at it.
    async fn became_of_token(&self, operation: &str) -> Became {
        let Ok(sagas) = self.inner.store.get_incomplete_sagas().await else { return Became::NotKnown };
        let saga = sagas.into_iter().find(|saga| saga.id.to_string() == operation);
        match saga.map(|saga| saga.state) {
            None | Some(WalletSagaState::Send(SendSagaState::TokenCreated)) => Became::Nothing,
            Some(_) => Became::NotKnown,
        }
    }

    async fn became_of_melt(&self, mint: &str, quote: &str, row: &Prepaid) -> Became {
        self.ask_for_melt(mint, quote, row).await.unwrap_or(Became::NotKnown)
    }

    /// Nothing where nobody says.
    async fn ask_for_melt(&self, mint: &str, quote: &str, row: &Prepaid) -> Option<Became> {
        let wallet = self.mint(mint).await.ok()?;
        let found = bounded(mint, wallet.check_melt_quote_status(quote)).await.ok()?;
        if found.state == cdk::nuts::MeltQuoteState::Paid {
            // What it cost is in the library's books once it has completed the payment.
            let made = wallet.list_transactions(None).await.ok()?;
            let made = made.into_iter().find(|made| made.quote_id.as_deref() == Some(quote));
            let fees = made.map_or(row.most_fees, |made| Sats(made.fee.to_u64()));
            return Some(Became::Paid(fees, found.payment_proof.filter(|proof| !proof.is_empty())));
        }
        let over =
            matches!(found.state, cdk::nuts::MeltQuoteState::Unpaid | cdk::nuts::MeltQuoteState::Failed);
        // With an operation under way the mint may still be paying.
        (over && found.used_by_operation.is_none()).then_some(Became::Nothing)
    }

    pub(super) async fn note_paid(
        &self,
        hash: String,
        fees: Sats,
        preimage: Option<String>,
    ) -> Result<(), WalletError> {
        let work = move |transaction: &rusqlite::Transaction<'_>| {
            book::paid(transaction, &hash, fees, preimage.as_deref())
        };
        self.inner.journal.write(work).await
    }

    pub(super) async fn note_failed(&self, hash: String) -> Result<(), WalletError> {
        self.inner.journal.write(move |transaction| book::failed(transaction, &hash)).await
    }

    /// Nobody will say what became of it: all that was reserved for it stays spent.
    pub(super) async fn note_unknown(&self, hash: String) -> Result<(), WalletError> {
        self.inner.journal.write(move |transaction| book::unknown(transaction, &hash)).await
    }
}

/// A payment that a task of this process is making.
pub(super) struct Paying {
    wallet: CashuWallet,
    hash: String,
}

impl Drop for Paying {
    fn drop(&mut self) {
        self.wallet.paying_before().remove(&self.hash);
    }
}

async fn became_of_payment(lightning: &NwcWallet, row: &Prepaid) -> Became {
    let amount = row.amount.to_msats().unwrap_or(Msats(u64::MAX));
    match lightning.look_up(&row.hash, amount).await {
        Ok(paid) => Became::Paid(paid.fees.ceil_to_sats(), Some(paid.preimage)),
        Err(NwcError::Failed) => Became::Nothing,
        Err(NwcError::NoLookup { .. }) => Became::NobodyCanSay,
        Err(_) => Became::NotKnown,
    }
}
