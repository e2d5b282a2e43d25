//! Play money for a swarm on this machine: a real mint with fake Lightning, and a wallet for everybody.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
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

/// Holds a lock as long as its process lives; says whose a folder is.
const ALIVE: &str = "alive";

/// A mint of play money with the wallets of everybody in the swarm.
pub struct PlayEconomy {
    mint: PlayMint,
    asker: CashuWallet,
    providers: Vec<(String, CashuWallet)>,
    /// Removed when everything else here has been dropped.
    _folder: Folder,
}

/// Puts so much more play money into a wallet, from the mint that it trusts.
pub async fn fund(wallet: &CashuWallet, amount: Sats) -> anyhow::Result<()> {
    let mints = wallet.mints().await?;
    let mint = mints.first().context("a wallet of play money trusts no mint")?;
    let invoice = wallet.invoice(&mint.url, amount).await?;
    wallet.receive_invoice(&invoice, PATIENCE).await?;
    Ok(())
}

/// A folder that goes with its process; one that a killed process left is removed by the next.
struct Folder {
    path: PathBuf,
    _alive: File,
}

impl Folder {
    fn make(parent: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot use the folder {}", parent.display());
        std::fs::create_dir_all(parent).with_context(context)?;
        sweep(parent).with_context(context)?;
        let folder = tempfile::Builder::new().prefix("swarm-").tempdir_in(parent).with_context(context)?;
        // Locked before anybody can take it for a dead process's: a sweep spares what has no lock file.
        let alive = File::create(folder.path().join(ALIVE)).with_context(context)?;
        alive.try_lock().with_context(context)?;
        Ok(Self { path: folder.keep(), _alive: alive })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "a folder of play money is left");
        }
    }
}

/// Removes the folders of processes that have died.
fn sweep(parent: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(parent)? {
        let path = entry?.path();
        let Ok(alive) = File::open(path.join(ALIVE)) else { continue };
        if alive.try_lock().is_ok() {
            std::fs::remove_dir_all(&path)?;
        }
    }
    Ok(())
}

impl PlayEconomy {
    /// Starts the mint and gives the asker what it may spend. All of it lies in a folder of its own
    /// below the home, because the mint's address is new each time, and goes with this process.
    pub async fn start(providers: &[&str], funds: Sats, home: &Home) -> anyhow::Result<Self> {
        let kept = Folder::make(&home.root().join("demo"))?;
        let folder = kept.path.clone();
        let mint = PlayMint::start(PlayMintOptions::default()).await?;
        let open = async |name: &str| {
            let (wallet, _) =
                CashuWallet::open(&folder.join(name), Phrase::generate().seed(), Money::Play).await?;
            wallet.allow_mint(mint.url(), None).await?;
            Ok::<_, anyhow::Error>(wallet)
        };
        let asker = open("asker").await?;
        fund(&asker, funds).await?;
        let mut wallets = Vec::with_capacity(providers.len());
        for name in providers {
            wallets.push(((*name).to_owned(), open(name).await?));
        }
        Ok(Self { mint, asker, providers: wallets, _folder: kept })
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

    /// Ends the mint and removes everything.
    pub async fn stop(self) {
        let Self { mint, asker, providers, _folder } = self;
        mint.shutdown().await;
        drop((asker, providers));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(parent: &Path) -> usize {
        std::fs::read_dir(parent).unwrap().count()
    }

    #[test]
    fn play_money_goes_with_its_process_and_what_a_killed_one_left_with_the_next() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().join("demo");
        let (first, second) = (Folder::make(&parent).unwrap(), Folder::make(&parent).unwrap());
        std::fs::write(first.path.join("wallet"), "sats").unwrap();
        assert_eq!(folders(&parent), 2, "a living one is spared");
        drop(first);
        assert_eq!(folders(&parent), 1);

        // Killed: its lock is gone, its folder is not.
        let Folder { path, _alive } = &second;
        let left = path.with_file_name("swarm-of-the-dead");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join(ALIVE), "").unwrap();
        let third = Folder::make(&parent).unwrap();
        assert!(!left.exists() && second.path.exists());
        drop((second, third));
        assert_eq!(folders(&parent), 0);
    }
}
