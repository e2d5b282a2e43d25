//! How an exchange ends that was not made, or of which nobody knows whether it was.

use std::collections::HashSet;

use cdk::nuts::State;

use super::exchange::{Asked, Failed, Kind, Planned, in_doubt};
use super::guard::SwapGuard;
use super::inquiry::{states, ys};
use super::plans::{end, set_asked};
use crate::error::WalletError;
use crate::journal::now_ms;
use crate::mint::CashuWallet;

impl CashuWallet {
    /// Ends a failed exchange as far as that can be known, and says why it failed. One that is
    /// unclear is kept for [`CashuWallet::retry_unclear`].
    pub(super) async fn fail(
        &self,
        mut guard: SwapGuard<'_>,
        failed: Failed,
    ) -> Result<WalletError, WalletError> {
        let mint = guard.plan.mint.clone();
        match &failed {
            Failed::Refused(error) => {
                self.abandon(&guard).await?;
                // Of what another wallet is ahead of, some is signed.
                if !matches!(error, WalletError::CounterCollision { .. }) {
                    self.spare(&guard.plan);
                }
                guard.complete();
            }
            Failed::InputsSpent(_) => match self.forget(&guard).await {
                Ok(()) => guard.complete(),
                Err(error) => {
                    self.keep(guard).await?;
                    return Err(in_doubt(&mint, error));
                }
            },
            Failed::Unclear(_) => self.keep(guard).await?,
            // This copy was answered; what may still arrive is older.
            Failed::StillUnclear(_) => {
                guard.answered();
                self.note_asked(&guard).await?;
            }
        }
        Ok(failed.into_error(&mint))
    }

    /// Ends a plan that the mint has refused: inputs are free again.
    pub(super) async fn abandon(&self, planned: &Planned) -> Result<(), WalletError> {
        let plan = &planned.plan;
        if plan.kind == Kind::Lock {
            self.inner.store.release_proofs(&plan.operation).await.map_err(WalletError::internal)?;
        }
        let (operation, kind, subjects) = (plan.operation, plan.kind, plan.subjects.clone());
        let purpose = self.inner.purpose;
        self.inner
            .journal
            .write(move |transaction| {
                // One that was never written has changed nothing that could be undone.
                if end(transaction, operation, "abandoned")? {
                    purpose.undone(transaction, kind, &subjects)?;
                }
                Ok(())
            })
            .await
    }

    /// Ends a plan of whose inputs somebody else has spent some: those are forgotten, and what
    /// shared the exchange with them is as it was before.
    async fn forget(&self, planned: &Planned) -> Result<(), WalletError> {
        let plan = &planned.plan;
        let wallet = self.known_mint(&plan.mint)?;
        let mint = plan.mint.to_string();
        // The mint says which, before anything is let go of.
        let states = states(&wallet, &mint, &plan.inputs).await?;
        let spent: HashSet<String> =
            states.iter().filter(|state| state.state == State::Spent).map(|state| state.y.to_hex()).collect();
        if plan.kind == Kind::Lock {
            self.inner.store.release_proofs(&plan.operation).await.map_err(WalletError::internal)?;
            let gone = ys(&plan.inputs)?.into_iter().filter(|y| spent.contains(&y.to_hex())).collect();
            self.inner.store.update_proofs_state(gone, State::Spent).await.map_err(WalletError::internal)?;
        }
        let (operation, kind, subjects) = (plan.operation, plan.kind, plan.subjects.clone());
        let purpose = self.inner.purpose;
        self.inner
            .journal
            .write(move |transaction| {
                purpose.lost(transaction, kind, &subjects, &spent)?;
                end(transaction, operation, "abandoned").map(drop)
            })
            .await
    }

    /// Keeps an exchange that got no clear answer.
    async fn keep(&self, mut guard: SwapGuard<'_>) -> Result<(), WalletError> {
        guard.unanswered();
        self.note_asked(&guard).await.map(drop)
    }

    /// Writes down when the mint was last asked, for the process that comes after a crash; whether the exchange is planned
    /// still.
    pub(super) async fn note_asked(&self, guard: &SwapGuard<'_>) -> Result<bool, WalletError> {
        let operation = guard.plan.operation;
        let asked_ms = match guard.asked {
            Asked::Never | Asked::Now | Asked::Again(_) => now_ms(),
            Asked::At(asked_ms) => asked_ms,
        };
        self.inner.journal.write(move |transaction| set_asked(transaction, operation, asked_ms)).await
    }
}
