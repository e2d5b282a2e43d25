//! Play money for a swarm on this machine: a real mint with fake Lightning, and a wallet for everybody.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use frlm_learning::saved;
use frlm_wallet::cashu::{PlayMint, PlayMintOptions};
use frlm_wallet::escrow::Earning;
use frlm_wallet::seed::Phrase;
use frlm_wallet::{CashuWallet, Money, Sats};
use nostr::Keys;
use tokio::time::Instant;

use crate::demo_homes::{ASKER, DemoHomes};
use crate::home::Home;
use crate::wallet_session::fund;

/// How long the books may take to close.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Between looks at books that are not closed.
const POLL: Duration = Duration::from_millis(25);

/// Holds a lock as long as its process lives; says whose a folder is.
const ALIVE: &str = "alive";

/// Where the wallets of a swarm on this machine lie.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Below this home, in a folder that goes with this process.
    Passing(&'a Home),
    /// In homes of their own, which stay.
    Kept(&'a DemoHomes),
}

/// Somebody in the swarm who earns.
pub struct Earner {
    /// What it calls itself.
    pub name: String,
    /// As whom it is known.
    pub keys: Keys,
    /// Its sats.
    pub wallet: CashuWallet,
}

/// A mint of play money with the wallets of everybody in the swarm.
pub struct DemoMint {
    mint: PlayMint,
    asker: CashuWallet,
    providers: Vec<Earner>,
    /// Removed when everything else here has been dropped, if it is one that goes.
    _lodging: Lodging,
}

/// A place that is taken.
enum Lodging {
    Passing(Folder),
    Kept(DemoHomes),
}

impl Lodging {
    fn at(place: Place<'_>) -> anyhow::Result<Self> {
        Ok(match place {
            Place::Passing(home) => Self::Passing(Folder::make(&home.root().join("demo"))?),
            Place::Kept(homes) => Self::Kept(homes.clone()),
        })
    }

    /// Makes somebody a wallet that trusts this mint.
    async fn wallet(&self, name: &str, mint: &str) -> anyhow::Result<CashuWallet> {
        let (folder, phrase) = match self {
            Self::Passing(folder) => (folder.path.join(name), Phrase::generate()),
            Self::Kept(homes) => {
                let (home, phrase) = homes.with_new_wallet(name)?;
                (home.wallet(), phrase)
            }
        };
        let (wallet, _) = CashuWallet::open(&folder, phrase.seed(), Money::Play).await?;
        wallet.allow_mint(mint, None).await?;
        Ok(wallet)
    }

    async fn earner(&self, name: &str, mint: &str) -> anyhow::Result<Earner> {
        let wallet = self.wallet(name, mint).await?;
        let keys = match self {
            Self::Passing(_) => Keys::generate(),
            Self::Kept(homes) => homes.home(name)?.provider_identity()?.keys,
        };
        Ok(Earner { name: name.to_owned(), keys, wallet })
    }
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
        // One process after the other: a lock file that is made and not locked yet would be taken for a dead process's.
        let _others_wait = saved::lock(parent).with_context(context)?;
        sweep(parent).with_context(context)?;
        let folder = tempfile::Builder::new().prefix("swarm-").tempdir_in(parent).with_context(context)?;
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
        if alive.try_lock().is_err() {
            continue;
        }
        match std::fs::remove_dir_all(&path) {
            // Its process has ended just now, and taken it along.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

impl DemoMint {
    /// Starts the mint and gives the asker what it may spend. The mint's address is new each time, so that the
    /// wallets are, too.
    pub async fn start(providers: &[&str], funds: Sats, place: Place<'_>) -> anyhow::Result<Self> {
        let lodging = Lodging::at(place)?;
        let mint = PlayMint::start(PlayMintOptions::default()).await?;
        let asker = lodging.wallet(ASKER, mint.url()).await?;
        if funds > Sats::ZERO {
            fund(&asker, funds).await?;
        }
        let mut earners = Vec::with_capacity(providers.len());
        for name in providers {
            earners.push(lodging.earner(name, mint.url()).await?);
        }
        Ok(Self { mint, asker, providers: earners, _lodging: lodging })
    }

    /// The wallet that pays.
    pub fn asker(&self) -> &CashuWallet {
        &self.asker
    }

    /// Everybody who earns.
    pub fn providers(&self) -> &[Earner] {
        &self.providers
    }

    /// One of them.
    pub fn provider(&self, name: &str) -> Option<&Earner> {
        self.providers.iter().find(|earner| earner.name == name)
    }

    /// The mint's address.
    pub fn mint(&self) -> &str {
        self.mint.url()
    }

    /// Waits until nothing is still to be decided or redeemed.
    pub async fn books_closed(&self) -> anyhow::Result<()> {
        let until = Instant::now() + TIMEOUT;
        for Earner { wallet, .. } in &self.providers {
            while wallet.earnings().await?.iter().any(Earning::is_open) && Instant::now() < until {
                tokio::time::sleep(POLL).await;
            }
        }
        Ok(())
    }

    /// Ends the mint and removes everything that is not to stay.
    pub async fn stop(self) {
        let Self { mint, asker, providers, _lodging } = self;
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
    fn play_money_ends_with_its_process_and_the_next_one_clears_leftovers() {
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

    #[test]
    fn a_demo_that_starts_at_the_same_moment_keeps_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().join("demo");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let folder = Folder::make(&parent).unwrap();
                        assert!(folder.path.join(ALIVE).exists(), "another one has swept it away");
                    }
                });
            }
        });
        assert_eq!(folders(&parent), 0);
    }
}
