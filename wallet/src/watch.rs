//! Refunds in the background: what nobody decided about is refunded by itself. Now and then it is asked, too,
//! which tokens were taken.
//!
//! ```text
//!  start ──► look: unclear exchanges, expired locks, the ledger's doubts ──► wait ──┐
//!              ▲                                                                    │
//!              └── the next locktime, a while, or a wake-up ────────────────────────┘
//! ```
//!
//! Nothing is kept here that a restart could lose: which locks are out, and until when, is in the
//! wallet's journal, and every process that opens the wallet watches it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::escrow::CLOCK_SLACK_SECS;
use crate::ledger::Ledger;
use crate::mint::CashuWallet;
use crate::mint::health::Ask;
use crate::reconcile::reconcile;

/// Longest time between two looks: clocks are set, machines sleep, and other processes lock sats.
const MOST_PAUSE: Duration = Duration::from_mins(1);

/// Which looks ask about tokens that nobody had taken: some are never taken, and mints count requests.
const TOKENS_EVERY: u64 = 10;

/// What one look found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// Looks so far, this one included.
    pub number: u64,
    /// What was refunded in this look, less fees.
    pub refunded: Sats,
    /// When the next lock opens by itself; seconds since 1970.
    pub next_at: Option<u64>,
    /// What could not be refunded now, and why.
    pub waiting: Vec<String>,
}

/// Watches a wallet's locks until it is dropped. That can happen at any moment: an exchange that is
/// under way then is finished by the next to open the wallet.
#[derive(Debug)]
pub struct RefundWatch {
    wake: Arc<Notify>,
    looks: watch::Receiver<Look>,
    _task: AbortOnDropHandle<()>,
}

impl RefundWatch {
    /// Starts to look, at once. What was refunded is written into the ledger too, if there is one.
    pub fn start(wallet: CashuWallet, ledger: Option<Ledger>) -> Self {
        let wake = Arc::new(Notify::new());
        let (looked, looks) = watch::channel(Look::default());
        let woken = Arc::clone(&wake);
        let task = tokio::spawn(async move {
            for number in 1.. {
                let look = look(&wallet, ledger.as_ref(), number).await;
                for reason in &look.waiting {
                    tracing::warn!(%reason, "a refund waits");
                }
                if look.refunded > Sats::ZERO {
                    tracing::info!(refunded = %look.refunded, "expired locks were refunded");
                }
                let pause = pause(look.next_at, wallet.inner.clock.now_secs());
                looked.send_replace(look);
                // A caller that wakes it wants a look now; running out of time means the same.
                let _ = tokio::time::timeout(pause, woken.notified()).await;
            }
        });
        Self { wake, looks, _task: AbortOnDropHandle::new(task) }
    }

    /// Looks again now.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// What the looks find, as they find it.
    pub fn looks(&self) -> watch::Receiver<Look> {
        self.looks.clone()
    }
}

/// One look. What fails is said, and tried again with the next.
async fn look(wallet: &CashuWallet, ledger: Option<&Ledger>, number: u64) -> Look {
    let mut found = Look { number, ..Look::default() };
    let outcome: Result<(), WalletError> = async {
        // Mints that have fallen silent rest, and each answers for itself.
        wallet.retry_unclear_at(Ask::Due, None).await?;
        wallet.look_up_prepaid_at(None, Ask::Due).await?;
        if number % TOKENS_EVERY == 1 {
            wallet.look_up_tokens_at(Ask::Due, None).await?;
        }
        let recovery = wallet.refund_expired_at(Ask::Due).await?;
        found.refunded = recovery.refunded;
        found.waiting.extend(recovery.waiting);
        found.next_at = wallet.next_refund_at().await?;
        Ok(())
    }
    .await;
    found.waiting.extend(outcome.err().map(|error| error.to_string()));
    if let Some(ledger) = ledger {
        let reconciled = reconcile(ledger, Some(wallet)).await;
        found.waiting.extend(reconciled.err().map(|error| error.to_string()));
    }
    found
}

/// Until the next lock opens. One that is due already was just tried in vain.
fn pause(next_at: Option<u64>, now_secs: u64) -> Duration {
    let until = next_at.map(|at| at.saturating_add(CLOCK_SLACK_SECS + 1).saturating_sub(now_secs));
    until.filter(|secs| *secs > 0).map_or(MOST_PAUSE, |secs| Duration::from_secs(secs).min(MOST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_until_the_next_locktime_and_no_longer_than_a_minute() {
        assert_eq!(pause(None, 1_000), MOST_PAUSE);
        assert_eq!(pause(Some(1_010), 1_000), Duration::from_secs(10 + CLOCK_SLACK_SECS + 1));
        assert_eq!(pause(Some(9_000), 1_000), MOST_PAUSE);
        assert_eq!(pause(Some(10), 1_000), MOST_PAUSE, "not again and again without a pause");
    }
}
