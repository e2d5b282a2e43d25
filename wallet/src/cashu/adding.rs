//! Trusting a mint: it must answer first, so that no mistyped address stays on the list.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::address::{is_loopback, parse_mint};
use crate::mint::asking::bounded;
use crate::mint::{CashuWallet, MintRule, Money};

impl CashuWallet {
    /// Puts a mint that answers on the allow list, and looks there for sats of this wallet's words (NUT-09); how much
    /// was found. One that is on the list gets another limit, whether it answers or not.
    ///
    /// # Errors
    ///
    /// [`WalletError::BadMint`], [`WalletError::PlayMoney`] and [`WalletError::NotAdded`]: the list is as before.
    /// [`WalletError::NotSearched`]: the mint is on the list.
    pub fn add_mint<'a>(
        &'a self,
        url: &'a str,
        limit: Option<Sats>,
    ) -> BoxFuture<'a, Result<(MintRule, Sats), WalletError>> {
        async move {
            let address = self.listed_as(&parse_mint(url)?).await?;
            let mint = address.to_string();
            // Play money is minted on this machine; what comes from elsewhere would be shown as worth nothing.
            if self.money() == Money::Play && !is_loopback(&address) {
                return Err(WalletError::PlayMoney { mint });
            }
            let listed = self.mints().await?.iter().any(|rule| rule.url == mint);
            if !listed {
                let wallet = self.known_mint(&address)?;
                if let Err(error) = bounded(&mint, wallet.fetch_mint_info()).await {
                    return Err(WalletError::NotAdded { mint, reason: reason(error) });
                }
            }
            let rule = self.allow_mint(&mint, limit).await?;
            match self.restore(&mint).await {
                Ok(found) => Ok((rule, found)),
                Err(error) => Err(WalletError::NotSearched { mint, reason: reason(error) }),
            }
        }
        .boxed()
    }
}

/// What a mint said, or why it said nothing, without what would follow from it for sats under way: there are none.
fn reason(error: WalletError) -> String {
    match error {
        WalletError::Refused { reason, .. }
        | WalletError::TooLarge { reason, .. }
        | WalletError::Unclear { reason, .. } => reason,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Sats;
    use crate::cashu::tests::{World, available};
    use crate::error::WalletError;
    use crate::mint::{CashuWallet, Money};
    use crate::seed::Phrase;

    async fn empty(folder: &tempfile::TempDir) -> CashuWallet {
        CashuWallet::open(folder.path(), Phrase::generate().seed(), Money::Play).await.unwrap().0
    }

    #[tokio::test]
    async fn a_silent_mint_is_not_added_and_the_message_does_not_mention_sats() {
        let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
        let wallet = empty(&folder).await;
        world.line.cut();
        let error = wallet.add_mint(world.mint.url(), None).await.unwrap_err();
        assert!(matches!(error, WalletError::NotAdded { .. }) && error.is_certain(), "{error}");
        let words = error.to_string();
        assert!(words.contains("was not added") && words.contains(world.mint.url()), "{words}");
        assert!(!words.contains("stay reserved"), "{words}");
        assert_eq!(wallet.mints().await.unwrap(), []);

        world.line.set_faults(0);
        let (rule, found) = wallet.add_mint(world.mint.url(), Some(Sats(5))).await.unwrap();
        assert_eq!((rule.limit, found), (Some(Sats(5)), Sats::ZERO));
        assert_eq!(wallet.mints().await.unwrap(), [rule]);
    }

    #[tokio::test]
    async fn a_wallet_of_play_money_takes_no_mint_that_is_not_on_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let wallet = empty(&folder).await;
        let error = wallet.add_mint("https://mint.example", None).await.unwrap_err();
        assert!(matches!(error, WalletError::PlayMoney { .. }) && error.is_certain(), "{error}");
        assert_eq!(wallet.mints().await.unwrap(), []);
    }

    #[tokio::test]
    async fn an_absent_mints_limit_changes_and_the_message_names_what_was_not_done() {
        let world = World::new().await;
        let wallet = world.funded(8).await;
        world.line.cut();
        let error = wallet.add_mint(world.mint.url(), Some(Sats(5))).await.unwrap_err();
        assert!(matches!(error, WalletError::NotSearched { .. }), "{error}");
        assert!(error.to_string().contains("may hold your sats"), "{error}");
        assert_eq!(wallet.mints().await.unwrap().remove(0).limit, Some(Sats(5)));
        assert_eq!(available(&wallet).await, 8);
    }

    #[tokio::test]
    async fn one_mint_under_several_spellings_is_one_entry_with_one_limit() {
        let folder = tempfile::tempdir().unwrap();
        let wallet = empty(&folder).await;
        for (spelled, limit) in [
            ("https://Mint.example:443/", 5),
            ("https://mint.example", 7),
            ("https://mint.example/a/..//", 9),
        ] {
            let rule = wallet.allow_mint(spelled, Some(Sats(limit))).await.unwrap();
            assert_eq!(
                (rule.url.as_str(), rule.limit),
                ("https://mint.example", Some(Sats(limit))),
                "{spelled}"
            );
        }
        assert_eq!(wallet.mints().await.unwrap().len(), 1);
        wallet.allow_mint("https://mint.example/Bitcoin", None).await.unwrap();
        assert_eq!(wallet.mints().await.unwrap().len(), 2, "a path is another mint");
        wallet.forbid_mint("https://MINT.example:443").await.unwrap();
        assert_eq!(wallet.mints().await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_token_that_spells_its_mint_otherwise_is_taken_there() {
        let world = World::new().await;
        let sender = world.funded(21).await;
        let token = sender.send_token(world.mint.url(), Sats(8)).await.unwrap();
        let cdk::nuts::Token::TokenV4(mut spelled) = token.parse().unwrap() else {
            panic!("a token of today")
        };
        spelled.mint_url = format!("{}/.", world.mint.url()).parse().unwrap();
        assert_eq!(sender.receive_token(&spelled.to_string()).await.unwrap(), Sats(8));
        assert_eq!(available(&sender).await, 21);
    }

    #[tokio::test]
    async fn sats_of_the_wallets_words_are_found_when_its_mint_is_added() {
        let world = World::new().await;
        world.funded(21).await;
        let folder = tempfile::tempdir().unwrap();
        let (again, _) = CashuWallet::open(folder.path(), world.seed.clone(), Money::Play).await.unwrap();
        let (_, found) = again.add_mint(world.mint.url(), None).await.unwrap();
        assert_eq!(found, Sats(21));
    }
}
