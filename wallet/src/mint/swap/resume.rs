//! Exchanges that are made again: those without a clear answer, and those whose makers have gone away or died.

use std::collections::{BTreeMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cdk::mint_url::MintUrl;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use uuid::Uuid;

use super::exchange::{Asked, Kind, LINGER, Plan, Planned};
use super::guard::SwapGuard;
use super::inquiry::ys;
use super::plans::{adopt, read_planned};
use crate::error::WalletError;
use crate::journal::now_ms;
use crate::mint::health::Ask;
use crate::mint::{CashuWallet, Recovery};

impl CashuWallet {
    /// Makes again what a mint of this session has not answered clearly, or what somebody wanted
    /// who has gone away, a process that died included; says how many exchanges are over now.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn retry_unclear(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        self.retry_unclear_at(Ask::All, None).boxed()
    }

    /// As [`Self::retry_unclear`], at mints that do not rest after a silence.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn retry_due(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        self.retry_unclear_at(Ask::Due, None).boxed()
    }

    /// As [`Self::retry_unclear`], at these mints, or at some of them alone; none waits for another one.
    pub(crate) async fn retry_unclear_at(
        &self,
        ask: Ask,
        only: Option<HashSet<MintUrl>>,
    ) -> Result<usize, WalletError> {
        let resting = self.inner.health.resting(ask);
        let wanted = move |plan: &Plan| {
            !resting.contains(&plan.mint) && only.as_ref().is_none_or(|only| only.contains(&plan.mint))
        };
        let mut by_mint: BTreeMap<MintUrl, Vec<SwapGuard<'_>>> = BTreeMap::new();
        let mut ended = 0;
        for guard in self.take_unclear(&wanted) {
            if guard.asked == Asked::Never {
                self.abandon(&guard).await?;
                self.spare(&guard.plan);
                guard.complete();
                ended += 1;
            } else {
                by_mint.entry(guard.plan.mint.clone()).or_default().push(guard);
            }
        }
        let left: Vec<SwapGuard<'_>> =
            self.orphans(wanted).await?.into_iter().map(|planned| SwapGuard::new(self, planned)).collect();
        for guard in left {
            self.reserve_again(&guard).await?;
            by_mint.entry(guard.plan.mint.clone()).or_default().push(guard);
        }
        let each = by_mint.into_values().map(|guards| self.resume_all(guards));
        for found in join_all(each).await {
            ended += found?.0;
        }
        Ok(ended)
    }

    /// Makes these exchanges of one mint again, those of dead processes. Only for a wallet that nobody else uses.
    pub(crate) async fn recover_swaps(
        &self,
        exchanges: Vec<Planned>,
        recovery: &mut Recovery,
    ) -> Result<(), WalletError> {
        // Guarded, all of them: the caller may go away.
        let guards: Vec<SwapGuard<'_>> =
            exchanges.into_iter().map(|planned| SwapGuard::new(self, planned)).collect();
        for guard in &guards {
            self.reserve_again(guard).await?;
        }
        let (ended, waiting) = self.resume_all(guards).await?;
        recovery.swaps += ended;
        recovery.waiting.extend(waiting);
        Ok(())
    }

    /// Makes exchanges of one mint again, until it does not answer: how many are over, and why the others are not.
    async fn resume_all(&self, guards: Vec<SwapGuard<'_>>) -> Result<(usize, Vec<String>), WalletError> {
        let began = Instant::now();
        let (mut ended, mut waiting) = (0, Vec::new());
        for guard in guards {
            let mint = guard.plan.mint.clone();
            if self.inner.health.missed_since(&mint, began) {
                // It goes back to those that are looked at again.
                continue;
            }
            match self.resume(guard).await? {
                None => ended += 1,
                Some(error) => waiting.push(error.to_string()),
            }
        }
        Ok((ended, waiting))
    }

    fn take_unclear(&self, wanted: &impl Fn(&Plan) -> bool) -> Vec<SwapGuard<'_>> {
        let mut unclear = self.unclear();
        let (taken, left): (Vec<Planned>, Vec<Planned>) = std::mem::take(&mut *unclear)
            .into_iter()
            .partition(|planned| planned.asked == Asked::Never || wanted(&planned.plan));
        *unclear = left;
        drop(unclear);
        taken.into_iter().map(|planned| SwapGuard::new(self, planned)).collect()
    }

    /// Exchanges in the journal, of any process.
    pub(crate) async fn planned_exchanges(&self) -> Result<Vec<Planned>, WalletError> {
        let key = self.inner.at_rest.clone();
        self.inner.journal.write(move |transaction| read_planned(transaction, &key)).await
    }

    /// All exchanges that are not over, of any process.
    pub(crate) async fn open_exchanges(&self) -> Result<Vec<Plan>, WalletError> {
        Ok(self.planned_exchanges().await?.into_iter().map(|planned| planned.plan).collect())
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
        let planned = self.planned_exchanges().await?;
        Ok(planned.iter().any(|Planned { plan, asked }| {
            plan.mint == *mint
                && !own.contains(&plan.operation)
                && matches!(asked, Asked::At(asked) if *asked >= since)
        }))
    }

    /// Makes an exchange again; the reason if it is not over then either.
    async fn resume(&self, mut guard: SwapGuard<'_>) -> Result<Option<WalletError>, WalletError> {
        guard.ask();
        // Before it leaves: should this process die now, that copy may still arrive.
        if !self.note_asked(&guard).await? {
            // Somebody took it for abandoned, and has seen to it.
            guard.complete();
            return Ok(None);
        }
        match self.execute(&guard).await {
            Ok(done) => {
                self.inner.purpose.done(self, &guard, &done).await?;
                guard.complete();
                Ok(None)
            }
            Err(failed) => {
                let open = failed.is_open();
                let error = self.fail(guard, failed).await?;
                Ok(open.then_some(error))
            }
        }
    }

    /// Exchanges of dead processes. A live one has asked for its own much later, or given them up
    /// within much less.
    async fn orphans(
        &self,
        wanted: impl Fn(&Plan) -> bool + Send + 'static,
    ) -> Result<Vec<Planned>, WalletError> {
        let own: Vec<Uuid> = self.unclear().iter().map(|planned| planned.plan.operation).collect();
        let before = now_ms().saturating_sub(i64::try_from(LINGER.as_millis()).unwrap_or(i64::MAX));
        let key = self.inner.at_rest.clone();
        self.inner.journal.write(move |transaction| adopt(transaction, &key, before, &own, wanted)).await
    }

    /// Keeps the inputs of a dead process's exchange aside: it may have died before it did. They are ours either way.
    pub(crate) async fn reserve_again(&self, planned: &Planned) -> Result<(), WalletError> {
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
