//! What a program that stays does for the home's wallet meanwhile: locks that nobody decided about are refunded, and
//! what earlier runs owe is paid as soon as mint and relay are there again.
//!
//! ```text
//!  start ──► what do runs that are over owe? ──► pay, tell, compare the ledger ──► wait ──┐
//!              ▲                                                                          │
//!              └── a minute, sooner while something waits, or a wake-up: a run has ended ─┘
//! ```
//!
//! A run that is under way pays its own. Nothing is kept here: what is owed is in the wallet's journal, and what
//! waits is said when it begins to and when it is paid.

use std::sync::Arc;
use std::time::Duration;

use frlm_wallet::{CashuWallet, Ledger, RefundWatch, reconcile};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use crate::failure::render_error;
use crate::home::Home;
use crate::payment::debts::Outcome;
use crate::wallet_session;

/// The first time that what waits is tried again, doubled each time until it is [`LONGEST`].
const SHORTEST: Duration = Duration::from_secs(5);
/// Between two looks: other processes owe too, and die.
const LONGEST: Duration = Duration::from_mins(1);

/// Looks after a wallet until it is dropped. That can happen at any moment: what is under way then is finished by
/// the next process that opens the wallet.
#[derive(Debug)]
pub struct Maintenance {
    wake: Arc<Notify>,
    refunds: RefundWatch,
    _task: AbortOnDropHandle<()>,
}

impl Maintenance {
    /// Begins, at once. `tell` hears what was paid, and what waits whenever that has become more or less.
    pub fn start(
        wallet: CashuWallet,
        ledger: Ledger,
        home: Home,
        tell: impl Fn(&Outcome) + Send + Sync + 'static,
    ) -> Self {
        let refunds = RefundWatch::start(wallet.clone(), Some(ledger.clone()));
        let wake = Arc::new(Notify::new());
        let woken = Arc::clone(&wake);
        let task = tokio::spawn(async move { keep_paying(&wallet, &ledger, &home, &woken, tell).await });
        Self { wake, refunds, _task: AbortOnDropHandle::new(task) }
    }

    /// Looks again now.
    pub fn wake(&self) {
        self.refunds.wake();
        self.wake.notify_one();
    }
}

/// Looks again and again, for good.
async fn keep_paying(
    wallet: &CashuWallet,
    ledger: &Ledger,
    home: &Home,
    woken: &Notify,
    tell: impl Fn(&Outcome) + Send + Sync,
) {
    let (mut waited, mut soon) = (0, SHORTEST);
    loop {
        let found = look(wallet, ledger, home).await;
        let waits = found.waiting.len();
        if found.told > 0 || (waits > 0 && waits != waited) {
            tell(&found);
        }
        waited = waits;
        let pause = if waits > 0 { soon } else { LONGEST };
        soon = match tokio::time::timeout(pause, woken.notified()).await {
            Err(_) if waits > 0 => soon.saturating_mul(2).min(LONGEST),
            Ok(()) | Err(_) => SHORTEST,
        };
    }
}

/// One look: pays what runs that are over owe, and says what waits. What fails waits for the next.
pub async fn look(wallet: &CashuWallet, ledger: &Ledger, home: &Home) -> Outcome {
    let found = match wallet_session::pay_debts(wallet, home).await {
        Ok(found) => found,
        Err(error) => Outcome { waiting: vec![render_error(&error).0], ..Outcome::default() },
    };
    if found.told > 0
        && let Err(error) = reconcile(ledger, Some(wallet)).await
    {
        tracing::warn!(%error, "what was paid is not in the ledger yet");
    }
    found
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(
    not(test),
    expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on panics")
)]
#[cfg_attr(test, expect(clippy::missing_panics_doc, reason = "a test that cannot go on panics"))]
pub mod testing;
#[cfg(test)]
mod tests;
