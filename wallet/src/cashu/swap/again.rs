//! Exchanges that are made again: those without a clear answer, and those whose makers have gone away or died.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use cdk::mint_url::MintUrl;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::exchange::{Asked, Kind, LINGER, Plan, Planned};
use super::in_hand::InHand;
use super::inquiry::ys;
use super::plans::{adopt, read_planned};
use crate::cashu::journal::now_ms;
use crate::cashu::{CashuWallet, Recovery, WalletError};

impl CashuWallet {
    /// Makes again what a mint of this session has not answered clearly, or what somebody wanted
    /// who has gone away, a process that died included; says how many exchanges are over now.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn retry_unclear(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        async move {
            let waiting: Vec<InHand<'_>> = std::mem::take(&mut *self.unclear())
                .into_iter()
                .map(|planned| InHand::new(self, planned))
                .collect();
            let mut ended = 0;
            for hand in waiting {
                if hand.asked == Asked::Never {
                    self.abandon(&hand).await?;
                    self.spare(&hand.plan);
                    hand.over();
                    ended += 1;
                } else {
                    ended += usize::from(self.see_to(hand).await?.is_none());
                }
            }
            let left: Vec<InHand<'_>> =
                self.orphans().await?.into_iter().map(|planned| InHand::new(self, planned)).collect();
            for hand in left {
                self.reserve_again(&hand).await?;
                ended += usize::from(self.see_to(hand).await?.is_none());
            }
            Ok(ended)
        }
        .boxed()
    }

    /// Makes every planned exchange again. Only for a wallet that nobody else uses.
    pub(in crate::cashu) async fn recover_swaps(&self, recovery: &mut Recovery) -> Result<(), WalletError> {
        for planned in self.inner.journal.write(read_planned).await? {
            self.reserve_again(&planned).await?;
            match self.see_to(InHand::new(self, planned)).await? {
                None => recovery.swaps += 1,
                Some(error) => recovery.waiting.push(error.to_string()),
            }
        }
        Ok(())
    }

    /// All exchanges that are not over, whoever sees to them.
    pub(in crate::cashu) async fn open_exchanges(&self) -> Result<Vec<Plan>, WalletError> {
        let planned = self.inner.journal.write(read_planned).await?;
        Ok(planned.into_iter().map(|planned| planned.plan).collect())
    }

    /// Whether a mint was asked within this time for an exchange that is not over and that nobody here has given up: another
    /// process, or another task, makes it, and what comes of it is everybody's.
    pub(crate) async fn others_exchange(
        &self,
        mint: &MintUrl,
        within: Duration,
    ) -> Result<bool, WalletError> {
        let own: Vec<Uuid> = self.unclear().iter().map(|planned| planned.plan.operation).collect();
        let since = now_ms().saturating_sub(i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
        let planned = self.inner.journal.write(read_planned).await?;
        Ok(planned.iter().any(|Planned { plan, asked }| {
            plan.mint == *mint
                && !own.contains(&plan.operation)
                && matches!(asked, Asked::At(asked) if *asked >= since)
        }))
    }

    /// Makes an exchange again; the reason if it is not over then either.
    async fn see_to(&self, mut hand: InHand<'_>) -> Result<Option<WalletError>, WalletError> {
        hand.ask();
        // Before it leaves: should this process die now, that copy may still arrive.
        if !self.note_asked(&hand).await? {
            // Somebody took it for abandoned, and has seen to it.
            hand.over();
            return Ok(None);
        }
        match self.execute(&hand).await {
            Ok(done) => {
                self.inner.purpose.done(self, &hand, &done).await?;
                hand.over();
                Ok(None)
            }
            Err(failed) => {
                let open = failed.is_open();
                let error = self.fail(hand, failed).await?;
                Ok(open.then_some(error))
            }
        }
    }

    /// Exchanges that nobody sees to any more. Whoever is alive has asked for its own much later, or given them up
    /// within much less.
    async fn orphans(&self) -> Result<Vec<Planned>, WalletError> {
        let own: Vec<Uuid> = self.unclear().iter().map(|planned| planned.plan.operation).collect();
        let before = now_ms().saturating_sub(i64::try_from(LINGER.as_millis()).unwrap_or(i64::MAX));
        self.inner.journal.write(move |transaction| adopt(transaction, before, &own)).await
    }

    /// Keeps the inputs of a dead process's exchange aside: it may have died before it did. They are ours either way.
    async fn reserve_again(&self, planned: &Planned) -> Result<(), WalletError> {
        if planned.plan.kind == Kind::Lock {
            let ys = ys(&planned.plan.inputs)?;
            let _ = self.inner.store.reserve_proofs(ys, &planned.plan.operation).await;
        }
        Ok(())
    }

    pub(super) fn unclear(&self) -> MutexGuard<'_, Vec<Planned>> {
        self.inner.unclear.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
