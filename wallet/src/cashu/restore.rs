//! Sats that this wallet's words have at a mint (NUT-09, NUT-13).
//!
//! The library's own search is made for an empty wallet: it calls whatever the mint calls unspent free to be spent,
//! forgets what exchanges under way stand on, and moves each counter on by all that it has found, however far on it
//! was. A few searches of that kind leave a gap of unused counters so long that no later one looks behind it. Hence
//! it searches here for a wallet that is empty, in memory, and this one takes from it what it does not have.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cdk::cdk_database::{Error as DatabaseError, WalletDatabase};
use cdk::nuts::{CurrencyUnit, Id, Proof, PublicKey, State};
use cdk::wallet::types::{KeysetLoadPolicy, ProofInfo};
use cdk::wallet::{Wallet, WalletBuilder};
use cdk_sqlite::wallet::memory;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::swap::{Origin, states};

type Store = Arc<dyn WalletDatabase<DatabaseError> + Send + Sync>;

/// What is not to be touched by a search.
struct Underway {
    /// Exchanges, payments and tokens that are not over.
    operations: HashSet<Uuid>,
    /// Counters of coins that an exchange brings when it is finished.
    awaited: HashSet<(Id, u32)>,
}

impl CashuWallet {
    /// Looks for sats that the seed has at a mint, for a wallet whose files are lost. Returns what was found unspent,
    /// less what this wallet has promised already: tokens that nobody has taken, and what is in an exchange or a
    /// payment under way.
    ///
    /// # Errors
    ///
    /// What the mint says; nothing can be lost by trying again.
    pub fn restore<'a>(&'a self, mint: &'a str) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let wallet = self.mint(mint).await?;
            self.name_token_proofs(false).await?;
            let before = self.users_of_proofs(&wallet).await?;
            let scratch: Store = Arc::new(memory::empty().await.map_err(WalletError::internal)?);
            let search = WalletBuilder::new()
                .mint_url(wallet.mint_url.clone())
                .unit(CurrencyUnit::Sat)
                .localstore(Arc::clone(&scratch))
                .seed(*self.inner.seed.bytes())
                .use_http_subscription()
                .without_rate_limiting()
                .shared_client(wallet.mint_connector())
                .build()
                .map_err(WalletError::internal)?;
            // Not bounded: a long history takes many requests.
            let searched = Box::pin(search.restore()).await;
            // What it has found is there, even if it did not come to its end.
            self.pass_found(&search, &scratch).await?;
            let promised = self.take_over(mint, &wallet, &scratch, &before).await?;
            let found = searched.map_err(|error| WalletError::from_mint(mint, &error))?.unspent;
            self.forget_spent(&wallet.mint_url).await?;
            Ok(Sats(found.to_u64()).saturating_sub(promised))
        }
        .boxed()
    }

    /// Which operation each coin of a mint is for, free ones included.
    async fn users_of_proofs(
        &self,
        wallet: &Wallet,
    ) -> Result<HashMap<PublicKey, Option<Uuid>>, WalletError> {
        let here =
            self.inner.store.get_proofs(Some(wallet.mint_url.clone()), Some(CurrencyUnit::Sat), None, None);
        let here = here.await.map_err(WalletError::internal)?;
        Ok(here.into_iter().map(|proof| (proof.y, proof.used_by_operation)).collect())
    }

    /// Moves the counters on to where a search has found nothing any more.
    async fn pass_found(&self, search: &Wallet, scratch: &Store) -> Result<(), WalletError> {
        let Ok(keysets) = search.keysets(KeysetLoadPolicy::CacheOnly).await else { return Ok(()) };
        for keyset in keysets {
            // It began at 0.
            let free =
                scratch.increment_keyset_counter(&keyset.id, 0).await.map_err(WalletError::internal)?;
            self.raise_counter(&keyset.id, free).await?;
        }
        Ok(())
    }

    /// Takes what a search has found and this wallet does not have; how much of the rest is promised.
    async fn take_over(
        &self,
        mint: &str,
        wallet: &Wallet,
        scratch: &Store,
        before: &HashMap<PublicKey, Option<Uuid>>,
    ) -> Result<Sats, WalletError> {
        let found = scratch.get_proofs(None, None, None, None).await.map_err(WalletError::internal)?;
        if found.is_empty() {
            return Ok(Sats::ZERO);
        }
        let store = &self.inner.store;
        let named = found.iter().map(|proof| proof.y).collect();
        // Coins before operations: one that is reserved meanwhile is that of an operation that is known by then.
        let here = store.get_proofs_by_ys(named).await.map_err(WalletError::internal)?;
        let here: HashMap<PublicKey, ProofInfo> = here.into_iter().map(|proof| (proof.y, proof)).collect();
        let underway = self.underway().await?;
        let mut promised = Sats::ZERO;
        let mut missing = Vec::new();
        for proof in found {
            let is_promised = match here.get(&proof.y) {
                Some(known) if known.state == State::Unspent => continue,
                // The mint contradicts it.
                Some(known) if known.state == State::Spent => false,
                Some(known) => {
                    let by = known.used_by_operation;
                    let is_left = before.get(&proof.y) == Some(&by);
                    !is_left || by.is_some_and(|by| underway.operations.contains(&by))
                }
                // This wallet has spent it since the search began.
                None if before.contains_key(&proof.y) => continue,
                None => {
                    let counter = proof.derivation_index.map(|counter| (proof.proof.keyset_id, counter));
                    counter.is_some_and(|counter| underway.awaited.contains(&counter))
                }
            };
            if !is_promised {
                missing.push(proof);
            } else if proof.state == State::Unspent {
                promised = promised.saturating_add(Sats(proof.proof.amount.to_u64()));
            }
        }
        if !missing.is_empty() {
            // The search may have taken long, and this wallet may have taken and spent some of them since.
            let asked: Vec<Proof> = missing.iter().map(|proof| proof.proof.clone()).collect();
            let spent: HashSet<PublicKey> = states(wallet, mint, &asked)
                .await?
                .into_iter()
                .filter(|state| state.state == State::Spent)
                .map(|state| state.y)
                .collect();
            missing.retain(|proof| !spent.contains(&proof.y));
            store.update_proofs(missing, Vec::new()).await.map_err(WalletError::internal)?;
        }
        Ok(promised)
    }

    async fn underway(&self) -> Result<Underway, WalletError> {
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let mut operations: HashSet<Uuid> = sagas.into_iter().map(|saga| saga.id).collect();
        let mut awaited = HashSet::new();
        for plan in self.open_exchanges().await? {
            operations.insert(plan.operation);
            awaited.extend(plan.outputs.iter().filter_map(|output| match output.origin {
                Origin::Own { counter } => Some((plan.keyset, counter)),
                Origin::Lock { .. } => None,
            }));
        }
        Ok(Underway { operations, awaited })
    }
}

#[cfg(test)]
mod tests {
    use crate::Sats;
    use crate::cashu::tests::{World, available, fund, wallet_in};
    use crate::mint::{CashuWallet, Money};

    /// The counter that the next coin of a wallet takes.
    async fn counter(wallet: &CashuWallet, mint: &str) -> u32 {
        let keyset = wallet.mint(mint).await.unwrap().active_keyset().await.unwrap().id;
        wallet.inner.store.increment_keyset_counter(&keyset, 0).await.unwrap()
    }

    /// Counters that a search looks at in vain before it believes that nothing more comes.
    const GAP: u32 = 300;

    #[tokio::test]
    async fn after_adding_a_mint_many_times_the_words_still_restore_later_sats() {
        let world = World::new().await;
        let url = world.mint.url();
        // Many small coins.
        let wallet = world.funded(65_535).await;
        let next = counter(&wallet, url).await;
        assert!(next > 0);
        // A hundred more, as a search looks at a hundred at a time.
        for _ in 0..=(GAP + 100) / next {
            assert_eq!(wallet.add_mint(url, None).await.unwrap().1, Sats(65_535));
        }
        assert_eq!(counter(&wallet, url).await, next);
        fund(&wallet, url, 5).await;

        let folder = tempfile::tempdir().unwrap();
        let (again, _) = CashuWallet::open(folder.path(), world.seed.clone(), Money::Play).await.unwrap();
        assert_eq!(again.add_mint(url, None).await.unwrap().1, Sats(65_540));
        assert_eq!(available(&again).await, 65_540);
        assert_eq!(counter(&again, url).await, counter(&wallet, url).await);
    }

    #[tokio::test]
    async fn a_wallet_that_is_behind_another_one_of_the_same_words_goes_on_after_it() {
        let world = World::new().await;
        let url = world.mint.url();
        let first = world.funded(127).await;
        let folder = tempfile::tempdir().unwrap();
        let second = wallet_in(folder.path(), &world.seed, url).await;
        assert_eq!(second.restore(url).await.unwrap(), Sats(127));
        fund(&first, url, 7).await;
        let theirs = counter(&first, url).await;
        assert!(counter(&second, url).await < theirs);
        for _ in 0..2 {
            assert_eq!(second.restore(url).await.unwrap(), Sats(134));
            assert_eq!((counter(&second, url).await, available(&second).await), (theirs, 134));
        }
    }

    #[tokio::test]
    async fn a_restore_drops_what_another_wallet_of_the_same_words_has_spent() {
        let world = World::new().await;
        let url = world.mint.url();
        let first = world.funded(64).await;
        fund(&first, url, 32).await;
        let folder = tempfile::tempdir().unwrap();
        let second = wallet_in(folder.path(), &world.seed, url).await;
        second.restore(url).await.unwrap();
        let token = second.send_token(url, Sats(64)).await.unwrap();
        let other = folder.path().join("other");
        let receiver = wallet_in(&other, &crate::seed::Phrase::generate().seed(), url).await;
        receiver.receive_token(&token).await.unwrap();
        assert_eq!(available(&first).await, 96, "it does not know yet");
        assert_eq!(first.restore(url).await.unwrap(), Sats(32));
        assert_eq!(available(&first).await, 32);
    }
}
