//! Sats that another wallet of the same words has spent.
//!
//! Whoever restores a wallet on a second machine has the same sats twice in two books; the mint knows which are
//! gone. It is asked before a token is made, which may be handed out without its mint having seen it, and before an
//! invoice is paid, where a refusal would have to be doubted. For locks its refusal is soon enough, and costs no
//! request where nothing is wrong.

use cdk::mint_url::MintUrl;
use cdk::nuts::{PublicKey, State};

use super::swap::states;
use super::wallet::parse_mint;
use super::{CashuWallet, WalletError};

impl CashuWallet {
    /// Learns what was spent elsewhere before something is. A mint that does not say so is asked to spend all the
    /// same, and has the last word.
    pub(super) async fn catch_up(&self, mint: &str) -> Result<(), WalletError> {
        if let Err(error) = self.forget_spent(&parse_mint(mint)?).await {
            tracing::debug!(%error, "nobody says which coins were spent elsewhere");
        }
        Ok(())
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
    use crate::cashu::{CashuWallet, WalletError};
    use crate::escrow::LockOrder;
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
        let other = World::elsewhere().await;
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

    #[tokio::test]
    async fn a_lock_is_made_of_what_is_left() {
        let (world, wallet, _folder) = twice().await;
        let order = LockOrder {
            key: Key::new("run", 1, 0),
            peer: "npub".to_owned(),
            provider: wallet.provider_key(),
            price: Sats(13),
            locktime: Clock::system().now_secs() + 3_600,
        };
        wallet.lock_all(world.mint.url(), vec![order]).await.unwrap();
        assert_eq!(available(&wallet).await, 32 - 13);
    }
}
