//! Play money for a swarm on this machine: a real mint with fake Lightning, and a wallet for everybody.

use std::time::Duration;

use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::Earning;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Money, Sats};
use tokio::time::Instant;

use crate::home::Home;

/// How long the mint may take to pay the asker, and the books to close.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between looks at books that are not closed.
const POLL: Duration = Duration::from_millis(25);

/// A mint of play money with the wallets of everybody in the swarm.
pub struct PlayEconomy {
    mint: PlayMint,
    asker: CashuWallet,
    providers: Vec<(String, CashuWallet)>,
}

impl PlayEconomy {
    /// Starts the mint and gives the asker what it may spend. All of it lies in a folder of its own
    /// below the home, because the mint's address is new each time.
    pub async fn start(providers: &[&str], funds: Sats, home: &Home) -> anyhow::Result<Self> {
        let folder = home.root().join("demo").join(std::process::id().to_string());
        if folder.exists() {
            // Of a process that had our number before.
            std::fs::remove_dir_all(&folder)?;
        }
        let mint = PlayMint::start(PlayMintOptions::default()).await?;
        let open = async |name: &str| {
            let (wallet, _) =
                CashuWallet::open(&folder.join(name), Phrase::generate().seed(), Money::Play).await?;
            wallet.allow_mint(mint.url(), None).await?;
            Ok::<_, anyhow::Error>(wallet)
        };
        let asker = open("asker").await?;
        let invoice = asker.invoice(mint.url(), funds).await?;
        asker.receive_invoice(&invoice, PATIENCE).await?;
        let mut wallets = Vec::with_capacity(providers.len());
        for name in providers {
            wallets.push(((*name).to_owned(), open(name).await?));
        }
        Ok(Self { mint, asker, providers: wallets })
    }

    /// The wallet that pays.
    pub fn asker(&self) -> &CashuWallet {
        &self.asker
    }

    /// The wallets that earn, with their owners' names.
    pub fn providers(&self) -> &[(String, CashuWallet)] {
        &self.providers
    }

    /// The wallet of one provider.
    pub fn provider(&self, name: &str) -> Option<&CashuWallet> {
        self.providers.iter().find(|(known, _)| known == name).map(|(_, wallet)| wallet)
    }

    /// The mint's address.
    pub fn mint(&self) -> &str {
        self.mint.url()
    }

    /// Waits until nothing is still to be decided or redeemed.
    pub async fn books_closed(&self) -> anyhow::Result<()> {
        let until = Instant::now() + PATIENCE;
        for (_, wallet) in &self.providers {
            while wallet.earnings().await?.iter().any(Earning::is_open) && Instant::now() < until {
                tokio::time::sleep(POLL).await;
            }
        }
        Ok(())
    }

    /// Ends the mint.
    pub async fn stop(self) {
        self.mint.shutdown().await;
    }
}
