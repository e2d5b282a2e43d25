//! Sats that another wallet of the same words has spent.
//!
//! A user who restores a wallet on a second machine has the same sats twice in two books; the mint knows which are
//! gone. It is asked before a token is made, which may be handed out without its mint having seen it, and before an
//! invoice is paid, where a refusal would have to be doubted. For locks its refusal is soon enough, and costs no
//! request where nothing is wrong.
//!
//! The other wallet takes the same counters, too, so that the mint may have signed what this one asks for next: an
//! exchange that meets that is abandoned, and the next one takes counters further on (`swap`). The library's own
//! exchanges cannot be abandoned at such a refusal: before them the mint is asked which counters are taken (NUT-09).

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use cdk::mint_url::MintUrl;
use cdk::nuts::{Id, PreMintSecrets, PublicKey, RestoreRequest, State};

use super::CashuWallet;
use super::address::parse_mint;
use super::asking::bounded;
use super::swap::{SKIPPED, states};
use crate::error::WalletError;

/// More outputs than a token, an invoice or the change of a payment is made of.
const ROOM: u32 = 64;
/// How long no other wallet is expected to take what was free.
const TRUSTED_FOR: Duration = Duration::from_mins(1);
/// Looks at the counters that follow; a wallet that is further behind catches up the next time.
const MOST_LOOKS: usize = 50;

/// Up to which counter a mint has signed nothing, and when it said so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fresh {
    until: u32,
    at: Instant,
}

impl CashuWallet {
    /// Learns what was spent elsewhere before something is. A mint that does not say so is asked to spend all the
    /// same, and has the last word.
    pub(crate) async fn catch_up(&self, mint: &str) -> Result<(), WalletError> {
        if let Err(error) = self.forget_spent(&parse_mint(mint)?).await {
            tracing::debug!(%error, "nobody says which coins were spent elsewhere");
        }
        Ok(())
    }

    /// Leaves the counters to another wallet of the same words that it has taken already. A mint that does not say
    /// which these are has the last word itself.
    pub(crate) async fn pass_taken(&self, mint: &str) {
        if let Err(error) = self.probe_counters(mint).await {
            tracing::debug!(%error, "nobody says which counters were taken elsewhere");
        }
    }

    async fn probe_counters(&self, mint: &str) -> Result<(), WalletError> {
        let wallet = self.mint(mint).await?;
        let keyset = bounded(mint, wallet.active_keyset()).await?.id;
        for _ in 0..MOST_LOOKS {
            let counter = self.inner.store.increment_keyset_counter(&keyset, 0);
            let next = counter.await.map_err(WalletError::internal)?;
            if self.is_fresh(&keyset, next) {
                return Ok(());
            }
            let until = next.saturating_add(SKIPPED);
            let outputs = PreMintSecrets::restore_batch(keyset, self.inner.seed.bytes(), next, until)
                .map_err(WalletError::internal)?
                .blinded_messages();
            let request = RestoreRequest { outputs: outputs.clone() };
            let answer = bounded(mint, wallet.mint_connector().post_restore(request)).await?;
            let signed: HashSet<PublicKey> =
                answer.outputs.iter().map(|output| output.blinded_secret).collect();
            let taken = outputs.iter().rposition(|output| signed.contains(&output.blinded_secret));
            let Some(last) = taken else {
                let fresh = Fresh { until, at: Instant::now() };
                self.inner.fresh.lock().unwrap_or_else(PoisonError::into_inner).insert(keyset, fresh);
                return Ok(());
            };
            let past = u32::try_from(last + 1).map_err(WalletError::internal)?;
            self.raise_counter(&keyset, next.saturating_add(past)).await?;
        }
        Ok(())
    }

    /// Moves a counter on to at least this one. Never by as much: of several who find out at once how far on another
    /// wallet is, each would leave a gap after the other, and no search of the words looks behind a long one.
    pub(crate) async fn raise_counter(&self, keyset: &Id, least: u32) -> Result<(), WalletError> {
        let store = &self.inner.store;
        let next = store.increment_keyset_counter(keyset, 0).await.map_err(WalletError::internal)?;
        if next < least {
            let counter = store.increment_keyset_counter(keyset, least - next);
            counter.await.map_err(WalletError::internal)?;
        }
        Ok(())
    }

    fn is_fresh(&self, keyset: &Id, next: u32) -> bool {
        let fresh = self.inner.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        fresh
            .get(keyset)
            .is_some_and(|fresh| next.saturating_add(ROOM) <= fresh.until && fresh.at.elapsed() < TRUSTED_FOR)
    }

    /// Asks a mint which of the sats that are free here are spent, and forgets those; says how many coins that were.
    pub(crate) async fn forget_spent(&self, mint: &MintUrl) -> Result<usize, WalletError> {
        let wallet = self.known_mint(mint)?;
        let free = wallet.get_unspent_proofs().await.map_err(WalletError::internal)?;
        if free.is_empty() {
            return Ok(0);
        }
        // What another task takes meanwhile and spends is spent by its own books, too.
        let states = states(&wallet, &mint.to_string(), &free).await?;
        let gone: Vec<PublicKey> =
            states.into_iter().filter(|state| state.state == State::Spent).map(|state| state.y).collect();
        let count = gone.len();
        if count > 0 {
            self.inner.store.update_proofs_state(gone, State::Spent).await.map_err(WalletError::internal)?;
            tracing::warn!(%mint, count, "coins were spent by another wallet of the same words; they are forgotten");
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use crate::cashu::tests::{World, available, fund, wallet_in};
    use crate::error::WalletError;
    use crate::escrow::{Claim, LockOrder};
    use crate::mint::CashuWallet;
    use crate::outcome::SettlementOutcome;
    use crate::seed::Phrase;
    use crate::{Clock, Key, Msats, Sats};

    /// Two wallets of the same words with a coin of 64 and one of 32, the larger of which the second has spent.
    async fn twice() -> (World, CashuWallet, tempfile::TempDir) {
        let world = World::new().await;
        let first = world.funded(64).await;
        fund(&first, world.mint.url(), 32).await;
        let folder = tempfile::tempdir().unwrap();
        let second = wallet_in(folder.path(), &world.seed, world.mint.url()).await;
        assert_eq!(second.restore(world.mint.url()).await.unwrap(), Sats(96));
        let token = second.send_token(world.mint.url(), Sats(64)).await.unwrap();
        let receiver =
            wallet_in(&folder.path().join("other"), &Phrase::generate().seed(), world.mint.url()).await;
        receiver.receive_token(&token).await.unwrap();
        assert_eq!(available(&first).await, 96, "it does not know yet");
        (world, first, folder)
    }

    #[tokio::test]
    async fn no_token_is_made_of_what_another_wallet_of_the_same_words_has_spent() {
        let (world, wallet, _folder) = twice().await;
        let error = wallet.send_token(world.mint.url(), Sats(64)).await.unwrap_err();
        assert!(
            matches!(error, WalletError::InsufficientFunds { available: Sats(32), .. }),
            "what is left is named: {error}"
        );
        wallet.send_token(world.mint.url(), Sats(32)).await.unwrap();
        assert_eq!(available(&wallet).await, 0);
    }

    #[tokio::test]
    async fn an_invoice_is_paid_from_what_is_left() {
        let (world, wallet, _folder) = twice().await;
        let other = World::at_another_mint().await;
        let pay = async |sats: u64| {
            let invoice = other.wallet().await.invoice(other.mint.url(), Sats(sats)).await.unwrap().bolt11;
            let quote = wallet.payment_quote(world.mint.url(), &invoice, Msats(sats * 1_000)).await.unwrap();
            wallet.pay(&quote).await
        };
        let error = pay(40).await.unwrap_err();
        assert!(matches!(error, WalletError::InsufficientFunds { available: Sats(32), .. }), "{error}");
        pay(20).await.unwrap();
        assert_eq!(available(&wallet).await, 32 - 21, "a sat of it for the faked Lightning");
    }

    fn order(provider: &CashuWallet, subtask: u32, price: u64) -> LockOrder {
        LockOrder {
            key: Key::new("run", subtask, 0),
            peer: "npub".to_owned(),
            provider: provider.provider_key(),
            price: Sats(price),
            most: None,
            locktime: Clock::system().now_secs() + 3_600,
        }
    }

    #[tokio::test]
    async fn a_lock_is_made_of_what_is_left() {
        let (world, wallet, _folder) = twice().await;
        wallet.lock_all(world.mint.url(), vec![order(&wallet, 1, 13)]).await.unwrap();
        assert_eq!(available(&wallet).await, 32 - 13);
    }

    /// Two wallets of the same words, the first of which has taken many counters since the second was made.
    async fn behind(sats: u64) -> (World, CashuWallet, tempfile::TempDir) {
        let world = World::new().await;
        let first = world.funded(64).await;
        let folder = tempfile::tempdir().unwrap();
        let second = wallet_in(folder.path(), &world.seed, world.mint.url()).await;
        assert_eq!(second.restore(world.mint.url()).await.unwrap(), Sats(64));
        for _ in 0..3 {
            fund(&first, world.mint.url(), sats).await;
        }
        (world, second, folder)
    }

    #[tokio::test]
    async fn invoice_sats_arrive_at_once_despite_a_wallet_with_the_same_words() {
        let (world, second, _folder) = behind(127).await;
        fund(&second, world.mint.url(), 7).await;
        assert_eq!(available(&second).await, 64 + 7);
    }

    #[tokio::test]
    async fn a_token_is_made_and_taken_at_the_first_try_in_a_wallet_that_is_behind() {
        let (world, second, folder) = behind(127).await;
        let other = folder.path().join("other");
        let receiver = wallet_in(&other, &Phrase::generate().seed(), world.mint.url()).await;
        let token = second.send_token(world.mint.url(), Sats(13)).await.unwrap();
        assert_eq!(receiver.receive_token(&token).await.unwrap(), Sats(13));
        assert_eq!(available(&second).await, 64 - 13);
        let back = receiver.send_token(world.mint.url(), Sats(13)).await.unwrap();
        assert_eq!(second.receive_token(&back).await.unwrap(), Sats(13));
        assert_eq!(available(&second).await, 64);
    }

    #[tokio::test]
    async fn an_invoice_is_paid_at_the_first_try_in_a_wallet_that_is_behind() {
        let (world, second, _folder) = behind(127).await;
        let other = World::at_another_mint().await;
        let invoice = other.wallet().await.invoice(other.mint.url(), Sats(20)).await.unwrap().bolt11;
        let quote = second.payment_quote(world.mint.url(), &invoice, Msats(20_000)).await.unwrap();
        assert_eq!(second.pay(&quote).await.unwrap().amount, Sats(20));
        assert_eq!(available(&second).await, 64 - 21, "a sat of it for the faked Lightning");
    }

    #[tokio::test]
    async fn signatures_for_another_wallet_of_the_same_words_are_not_taken() {
        let world = World::new().await;
        let url = world.mint.url();
        let first = world.funded(64).await;
        fund(&first, url, 32).await;
        let folder = tempfile::tempdir().unwrap();
        let provider = wallet_in(&folder.path().join("provider"), &Phrase::generate().seed(), url).await;
        let lock = first.lock_all(url, vec![order(&provider, 1, 13)]).await.unwrap().remove(0).lock;
        let claim = Claim { job: "job".to_owned(), asker: "asker".to_owned(), model: "model".to_owned() };
        let returned = provider.decline(&lock, claim).await.unwrap();
        let second = wallet_in(&folder.path().join("second"), &world.seed, url).await;
        assert_eq!(second.restore(url).await.unwrap(), Sats(96 - 13));
        // Its change is 13 as well, of the counters that the first takes next.
        second.lock_all(url, vec![order(&provider, 2, 32 - 13)]).await.unwrap();

        let error = first.reclaim(vec![returned.clone()]).await.unwrap_err();
        assert!(matches!(error, WalletError::CounterCollision { .. }) && error.is_certain(), "{error}");
        let outcome = async || first.lock_of(&Key::new("run", 1, 0)).await.unwrap().unwrap().outcome();
        assert!(matches!(outcome().await, SettlementOutcome::Waiting { .. }), "its sats are in escrow still");
        assert_eq!(available(&first).await, 96 - 13);
        assert_eq!(first.reclaim(vec![returned]).await.unwrap(), [(Key::new("run", 1, 0), Sats(0))]);
        assert_eq!(outcome().await, SettlementOutcome::Back { fees: Sats(0) });
        assert_eq!(available(&first).await, 96);
    }

    #[tokio::test]
    async fn a_lock_avoids_outputs_used_by_another_wallet_of_the_same_words() {
        let world = World::new().await;
        let first = world.funded(64).await;
        let folder = tempfile::tempdir().unwrap();
        let second = wallet_in(folder.path(), &world.seed, world.mint.url()).await;
        assert_eq!(second.restore(world.mint.url()).await.unwrap(), Sats(64));
        fund(&first, world.mint.url(), 32).await;
        second.lock_all(world.mint.url(), vec![order(&first, 1, 13)]).await.unwrap();
        let held = second.balances().await.unwrap().remove(0);
        assert_eq!((held.available, held.pending), (Sats(64 - 13), Sats(0)));
        assert_eq!(second.retry_unclear().await.unwrap(), 0, "nothing is left to be looked at again");
    }
}
