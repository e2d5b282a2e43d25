//! How this machine is paid: the wallet, and its escrow book as it changes.

use std::collections::HashSet;
use std::time::Duration;

use frlm_client::wallet::CashuWallet;
use frlm_client::wallet::escrow::Earning;
use tokio::time::Instant;

use super::state::{Event, PaymentSetup};
use crate::desktop::engine::runs::words;
use crate::desktop::engine::{Event as AppEvent, Outbox};
use frlm_client::home::Home;
use frlm_client::wallet_manager::WalletManager;

/// The book is looked into this often while something in it can change.
const PACE: Duration = Duration::from_secs(1);
/// What has not changed is told again this often: how long locked sats still wait.
const AGAIN: Duration = Duration::from_secs(30);

/// How this machine would be paid, and the wallet that would be.
pub async fn payment_setup(
    home: &Home,
    wallet_manager: &WalletManager,
) -> (PaymentSetup, Option<CashuWallet>) {
    let found = async {
        let Some(wallet) = wallet_manager.open(home).await? else {
            return Ok((PaymentSetup::NoWallet, None));
        };
        let mints = wallet.mints().await?.into_iter();
        let mints: Vec<String> =
            mints.map(|rule| frlm_client::protocol::printable(&rule.url).into_owned()).collect();
        let payment_setup = if mints.is_empty() { PaymentSetup::NoMint } else { PaymentSetup::Open(mints) };
        anyhow::Ok((payment_setup, Some(wallet)))
    };
    found.await.unwrap_or_else(|error| (PaymentSetup::Broken(words(&error)), None))
}

/// Looks into the wallet's escrow book, again only at what has changed since.
pub struct Book {
    wallet: CashuWallet,
    /// What the last look found, beginning with the newest that was known before.
    last: Vec<Earning>,
    /// Jobs whose pay is not decided: it changes without a job's doing.
    open: HashSet<String>,
    /// Whether jobs have moved since the last look.
    moved: bool,
    looked: Option<Instant>,
    told: Option<Instant>,
}

impl Book {
    /// Of this wallet; nothing is known yet.
    pub fn new(wallet: CashuWallet) -> Self {
        Self { wallet, last: Vec::new(), open: HashSet::new(), moved: true, looked: None, told: None }
    }

    /// Looks again if there may be something new and the last look was a while ago.
    pub async fn keep_up(&mut self, jobs_moved: bool, outbox: &Outbox) {
        self.moved |= jobs_moved;
        let due = self.looked.is_none_or(|looked| looked.elapsed() >= PACE);
        if due && (self.moved || !self.open.is_empty()) {
            self.pass_on(outbox).await;
        }
    }

    /// Passes on what has changed.
    pub async fn pass_on(&mut self, outbox: &Outbox) {
        self.looked = Some(Instant::now());
        self.moved = false;
        let newest = self.last.iter().map(|earning| earning.at_unix_ms).max().unwrap_or(0);
        let earnings = match self.wallet.earnings_since(newest).await {
            Ok(earnings) => earnings,
            Err(error) => {
                tracing::warn!(%error, "the escrow book cannot be read");
                return;
            }
        };
        if earnings == self.last && self.told.is_some_and(|told| told.elapsed() < AGAIN) {
            return;
        }
        for earning in &earnings {
            if earning.is_open() {
                self.open.insert(earning.job.clone());
            } else {
                self.open.remove(&earning.job);
            }
        }
        self.told = self.looked;
        self.last.clone_from(&earnings);
        let now_secs = frlm_client::util::clock::unix_secs();
        outbox.send(AppEvent::Earn(Event::Paid { earnings, now_secs })).await;
    }
}
