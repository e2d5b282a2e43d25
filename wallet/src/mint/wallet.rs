//! One wallet over several mints.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cdk::cdk_database::{Error as DatabaseError, WalletDatabase};
use cdk::mint_url::MintUrl;
use cdk::nuts::{CurrencyUnit, Id};
use cdk::wallet::{Wallet, WalletBuilder};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::params;

use super::asking::bounded;
use super::clocks::Clocks;
use super::doubt::{Known, MeltGuardConnector};
use super::health::Health;
use crate::error::WalletError;
use crate::journal::{Journal, now_ms};

use super::address::{canonical, is_loopback, parse_mint};
use super::opening::Presence;
use super::shared_seed::Fresh;
use super::sizes::Sizes;
use super::swap::{Planned, Purpose, Spare};
use crate::amount::Sats;
use crate::clock::Clock;
use crate::ledger::owner::Owner;
use crate::seed::{EscrowRoot, KeyAtRest, Seed};

/// So many proofs every mint takes in one request.
const SHORT: usize = 16;

/// What the sats are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Money {
    /// Worth nothing: demos and tests.
    Play,
    /// Sats.
    Real,
}

impl Money {
    /// The unit as it is shown: play money is never called sats alone.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Play => "play sats (worth nothing)",
            Self::Real => "sats",
        }
    }

    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Real => "real",
        }
    }
}

/// A mint that may hold sats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MintRule {
    /// Its address.
    pub url: String,
    /// The most that it may hold; `None` is no limit.
    pub limit: Option<Sats>,
}

/// What one mint holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MintBalance {
    /// Its address.
    pub url: String,
    /// Free to be spent.
    pub available: Sats,
    /// In exchanges and payments that are not over.
    pub pending: Sats,
    /// The most that it may hold.
    pub limit: Option<Sats>,
}

/// What opening, or an explicit recovery, found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Exchanges that were completed or undone.
    pub swaps: usize,
    /// Mint and melt operations that were completed.
    pub completed: usize,
    /// Mint and melt operations that were undone.
    pub undone: usize,
    /// Sats that arrived for invoices paid in the meantime.
    pub minted: Sats,
    /// Sats of locks whose time was over, back in the wallet.
    pub refunded: Sats,
    /// What could not be looked at, and why.
    pub waiting: Vec<String>,
    /// Another process uses the wallet, so that nothing was done.
    pub busy: bool,
}

impl Recovery {
    /// Adds what was found at another mint.
    pub(crate) fn add(&mut self, other: Self) {
        self.swaps += other.swaps;
        self.completed += other.completed;
        self.undone += other.undone;
        self.minted = self.minted.saturating_add(other.minted);
        self.refunded = self.refunded.saturating_add(other.refunded);
        self.waiting.extend(other.waiting);
        self.busy |= other.busy;
    }
}

/// A wallet; clones share it.
#[derive(Clone)]
pub struct CashuWallet {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub money: Money,
    pub folder: PathBuf,
    pub seed: Seed,
    pub escrow: EscrowRoot,
    /// What seals what is spendable in the files.
    pub at_rest: KeyAtRest,
    pub clock: Clock,
    /// What its exchanges are for.
    pub purpose: &'static dyn Purpose,
    pub store: Arc<dyn WalletDatabase<DatabaseError> + Send + Sync>,
    pub journal: Journal,
    pub(super) mints: Mutex<HashMap<MintUrl, Arc<Wallet>>>,
    pub(super) sizes: Mutex<HashMap<MintUrl, Arc<Sizes>>>,
    /// Which mints do not answer.
    pub health: Arc<Health>,
    /// What time it is at mints.
    pub clocks: Arc<Clocks>,
    /// Counters of this session's keysets that no other wallet of the same words has taken.
    pub(super) fresh: Mutex<HashMap<Id, Fresh>>,
    /// Counters that were taken in this session for exchanges that were refused.
    pub(super) spare: Mutex<Spare>,
    /// Exchanges of this session whose end is not known.
    pub unclear: Mutex<Vec<Planned>>,
    /// What tasks of ways to pay hold.
    pub tasks: Tasks,
    /// By which other processes know that this one lives.
    pub owner: Owner,
    /// Held shared for life; a process that gets it alone may recover what dead ones left.
    pub presence: Presence,
}

/// What tasks of this process hold while they pay or are paid. Each field belongs to one module above.
#[derive(Default)]
pub(crate) struct Tasks {
    /// `escrow::locking`: held by tasks that make locks at a mint, shared, or alone by one that finds too few sats while
    /// others exchange some.
    pub turns: Mutex<HashMap<MintUrl, Arc<tokio::sync::RwLock<()>>>>,
    /// `escrow::provider`: locks that were checked at their mints and had no room yet, with what is in them.
    pub checked: Mutex<HashMap<String, (String, Sats)>>,
    /// `debts::payer`: held by the task that pays debts.
    pub paying: tokio::sync::Mutex<()>,
    /// `prepay::lookup`: payments before work that are being made.
    pub paying_before: Mutex<HashSet<String>>,
}

impl fmt::Debug for CashuWallet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CashuWallet")
            .field("money", &self.inner.money)
            .field("folder", &self.inner.folder)
            .finish_non_exhaustive()
    }
}

impl CashuWallet {
    /// What the sats of this wallet are.
    pub fn money(&self) -> Money {
        self.inner.money
    }

    /// Puts a mint on the allow list, or changes its limit.
    ///
    /// # Errors
    ///
    /// [`WalletError::BadMint`], or trouble with the file.
    pub async fn allow_mint(&self, url: &str, limit: Option<Sats>) -> Result<MintRule, WalletError> {
        let url = self.listed_as(&parse_mint(url)?).await?.to_string();
        let rule = MintRule { url: url.clone(), limit };
        let limit = limit.map(|limit| i64::try_from(limit.0).unwrap_or(i64::MAX));
        let write = move |transaction: &rusqlite::Transaction<'_>| {
            transaction.execute(
                "INSERT INTO mints (url, cap_sats, added_at_ms) VALUES (?1, ?2, ?3)
                 ON CONFLICT (url) DO UPDATE SET cap_sats = excluded.cap_sats",
                params![url, limit, now_ms()],
            )
        };
        self.inner.journal.write(write).await?;
        Ok(rule)
    }

    /// Takes a mint off the allow list. Its sats stay in the wallet and come back into view when
    /// it is allowed again.
    ///
    /// # Errors
    ///
    /// If it is not on the list, or the file fails.
    pub async fn forbid_mint(&self, url: &str) -> Result<(), WalletError> {
        let url = self.listed_as(&parse_mint(url)?).await?.to_string();
        let named = url.clone();
        let removed = self
            .inner
            .journal
            .write(move |transaction| transaction.execute("DELETE FROM mints WHERE url = ?1", [url]))
            .await?;
        if removed == 0 { Err(WalletError::MintNotAllowed { mint: named }) } else { Ok(()) }
    }

    /// The allow list, in the order in which the mints were added.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn mints(&self) -> Result<Vec<MintRule>, WalletError> {
        let read = |transaction: &rusqlite::Transaction<'_>| {
            let mut statement =
                transaction.prepare("SELECT url, cap_sats FROM mints ORDER BY added_at_ms, url")?;
            let rules = statement.query_map([], |row| {
                let limit: Option<i64> = row.get(1)?;
                Ok(MintRule {
                    url: row.get(0)?,
                    limit: limit.map(|limit| Sats(u64::try_from(limit).unwrap_or(0))),
                })
            })?;
            rules.collect()
        };
        self.inner.journal.write(read).await
    }

    /// The spelling under which a mint is on the list, or would be put there: one entry for each, and one limit.
    pub(crate) async fn listed_as(&self, mint: &MintUrl) -> Result<MintUrl, WalletError> {
        let place = canonical(mint);
        for rule in self.mints().await? {
            let listed = parse_mint(&rule.url)?;
            if canonical(&listed) == place {
                return Ok(listed);
            }
        }
        parse_mint(&place)
    }

    /// What each mint on the list holds.
    ///
    /// # Errors
    ///
    /// If a file fails. Mints are not asked.
    pub fn balances(&self) -> BoxFuture<'_, Result<Vec<MintBalance>, WalletError>> {
        async move {
            let mut balances = Vec::new();
            for rule in self.mints().await? {
                let wallet = self.mint(&rule.url).await?;
                let available = wallet.total_balance().await.map_err(WalletError::internal)?;
                let reserved = wallet.total_reserved_balance().await.map_err(WalletError::internal)?;
                let pending = wallet.total_pending_balance().await.map_err(WalletError::internal)?;
                balances.push(MintBalance {
                    url: rule.url,
                    available: Sats(available.to_u64()),
                    pending: Sats(reserved.to_u64().saturating_add(pending.to_u64())),
                    limit: rule.limit,
                });
            }
            Ok(balances)
        }
        .boxed()
    }

    /// The sats that are free to be spent, over all mints.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::balances`].
    pub async fn available(&self) -> Result<Sats, WalletError> {
        Ok(self.balances().await?.into_iter().map(|mint| mint.available).sum())
    }

    /// The library's wallet of one allowed mint.
    pub(crate) async fn mint(&self, url: &str) -> Result<Arc<Wallet>, WalletError> {
        let mint = parse_mint(url)?;
        let rules = self.mints().await?;
        if !rules.iter().any(|rule| rule.url == mint.to_string()) {
            return Err(WalletError::MintNotAllowed { mint: mint.to_string() });
        }
        self.known_mint(&mint)
    }

    /// The library's wallet of a mint, allowed or not: what is under way there is finished.
    pub(crate) fn known_mint(&self, mint: &MintUrl) -> Result<Arc<Wallet>, WalletError> {
        let mut mints = self.inner.mints.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wallet) = mints.get(mint) {
            return Ok(Arc::clone(wallet));
        }
        let builder = || {
            WalletBuilder::new()
                .mint_url(mint.clone())
                .unit(CurrencyUnit::Sat)
                .localstore(Arc::clone(&self.inner.store))
                .seed(*self.inner.seed.bytes())
                .use_http_subscription()
        };
        // The limit spares other people's servers; one on this machine is ours.
        let plain = if is_loopback(mint) { builder().without_rate_limiting() } else { builder() };
        let plain = plain.build().map_err(WalletError::internal)?;
        // The library's own connection, its limit included, behind one that doubts.
        let connector = MeltGuardConnector::new(
            mint.clone(),
            plain.mint_connector(),
            Arc::clone(&self.inner.store),
            Known {
                sizes: self.sizes(mint),
                health: Arc::clone(&self.inner.health),
                clocks: Arc::clone(&self.inner.clocks),
            },
        );
        let wallet = builder().without_rate_limiting().client(connector).build();
        let wallet = Arc::new(wallet.map_err(WalletError::internal)?);
        mints.insert(mint.clone(), Arc::clone(&wallet));
        Ok(wallet)
    }

    /// How much a mint takes in one request.
    pub(crate) fn sizes(&self, mint: &MintUrl) -> Arc<Sizes> {
        let mut sizes = self.inner.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sizes.entry(mint.clone()).or_default())
    }

    /// As [`Self::sizes`], for a request with so many proofs: a mint that has not described itself yet is asked before a
    /// long one. One that does not say has the last word when it is asked to do it.
    pub(crate) async fn sizes_for(&self, mint: &MintUrl, count: usize) -> Result<Arc<Sizes>, WalletError> {
        let sizes = self.sizes(mint);
        if count > SHORT && !sizes.is_described() {
            let wallet = self.known_mint(mint)?;
            let name = mint.to_string();
            if let Err(error) = bounded(&name, wallet.mint_connector().get_mint_info()).await {
                tracing::debug!(%error, "nobody says how much this mint takes at once");
            }
        }
        Ok(sizes)
    }

    /// Whether a mint may hold that much more.
    pub(crate) async fn check_limit(&self, url: &str, more: Sats) -> Result<(), WalletError> {
        let mint = parse_mint(url)?.to_string();
        let Some(found) = self.balances().await?.into_iter().find(|balance| balance.url == mint) else {
            return Err(WalletError::MintNotAllowed { mint });
        };
        let held = found.available.saturating_add(found.pending);
        match found.limit {
            Some(limit) if held.saturating_add(more) > limit => {
                Err(WalletError::OverLimit { mint, limit, held, more })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn play_money_is_never_called_sats_alone() {
        assert_eq!(Money::Play.unit(), "play sats (worth nothing)");
    }
}
