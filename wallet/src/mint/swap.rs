//! Exchanges at a mint that no crash can lose.
//!
//! ```text
//!            begin                    execute                       finish
//!   choose ────────► planned ──post──► the mint has signed ──────► done
//!   inputs           (durable)   │        ▲                          (wallet's proofs, then
//!                                │        │ restore (NUT-09):         the journal, together
//!                       no clear │        │ signed after all          with what the exchange
//!                       answer   ▼        │                           was for)
//!                             unclear ────┤ the same request again
//!                                │        │
//!                       refused  │        │ inputs spent, nothing signed
//!                                ▼        ▼
//!                             abandoned: the inputs are free again, or forgotten if spent
//! ```
//!
//! A refusal is final only if no earlier copy of the request can still arrive: one that was given
//! no clear answer may lie in somebody's queue, so that a later refusal of the same request leaves
//! it unclear until [`LINGER`](exchange::LINGER) has passed.
//!
//! Another wallet of the same words takes the same counters, and the mint signs each of its outputs once: signatures
//! for outputs of an exchange whose inputs are unspent are that one's. Such an exchange can never be made; it is
//! abandoned, and the next one takes counters further on.
//!
//! The caller may go away at any await: its plan is then kept as one without an
//! answer (the `guard` module), and [`CashuWallet::retry_unclear`] sees to it. It takes over what a process has left
//! that died, too, once nobody has asked for it for [`LINGER`](exchange::LINGER): programs that stay have the wallet
//! open for days, and nobody has it alone then.
//!
//! What the end of an exchange means for the lock or claim that it was for, a [`Purpose`] writes down: nothing here
//! knows escrow.
//!
//! The plan says enough to make the very same request again: the inputs with their signatures,
//! and for each output either a NUT-13 counter or the lock that it belongs to. A mint signs a
//! blinded output once, so a replay can never pay twice.

mod blinding;
mod counters;
mod ending;
mod exchange;
mod guard;
mod inquiry;
pub(in crate::mint) mod plans;
mod purpose;
mod resume;

use std::collections::HashSet;

use cdk::nuts::{BlindedMessage, CurrencyUnit, Keys, PublicKey, State, SwapRequest};
use cdk::wallet::types::ProofInfo;
use rusqlite::Transaction;

use blinding::unblind;
pub(super) use counters::Spare;
pub(crate) use exchange::{Asked, Done, Failed, Kind, Origin, Output, Plan, Planned};
pub(crate) use guard::SwapGuard;
use inquiry::Outputs;
pub(crate) use inquiry::{states, ys};
use plans::{end, insert};
pub(crate) use purpose::Purpose;

use super::CashuWallet;
use super::asking::bounded;
use crate::error::WalletError;

/// Counters that are left to another wallet of the same words when it turns out to be ahead. A third of what a
/// recovery looks at before it believes that nothing more comes.
pub(super) const SKIPPED: u32 = 100;

impl CashuWallet {
    /// Splits an amount into the fewest denominations of a keyset.
    pub(crate) fn split(keys: &Keys, amount: u64) -> Result<Vec<u64>, WalletError> {
        let mut rest = amount;
        let mut parts = Vec::new();
        for denomination in keys.keys().keys().rev().map(|key| key.to_u64()).filter(|key| *key > 0) {
            while rest >= denomination {
                parts.push(denomination);
                rest -= denomination;
            }
        }
        if rest > 0 {
            Err(WalletError::Internal(format!("{amount} has no denominations here")))
        } else {
            Ok(parts)
        }
    }

    /// Writes the plan of an exchange, together with `rows` of the caller. The inputs, if
    /// they are the wallet's own, are reserved; if they are gone by now, nothing is left behind.
    pub(crate) async fn begin(
        &self,
        mut plan: Plan,
        rows: impl FnOnce(&Transaction<'_>) -> Result<(), rusqlite::Error> + Send + 'static,
    ) -> Result<SwapGuard<'_>, WalletError> {
        // The order of outputs tells the mint nothing (NUT-03).
        plan.outputs.sort_by_key(|output| output.amount);
        let (written, key) = (plan.clone(), self.inner.at_rest.clone());
        // Guarded before it is written: the caller may go away between the commit and its news.
        let guard = SwapGuard::new(self, Planned { plan, asked: Asked::Never });
        let work = move |transaction: &Transaction<'_>| {
            rows(transaction)?;
            insert(transaction, &written, &key)
        };
        if let Err(error) = self.inner.journal.write(work).await {
            guard.complete();
            return Err(error);
        }
        let plan = &guard.plan;
        crate::failpoint::hit(&format!("{}.1", plan.kind.name()));
        if plan.kind == Kind::Lock
            && let Err(error) = self.inner.store.reserve_proofs(ys(&plan.inputs)?, &plan.operation).await
        {
            self.abandon(&guard).await?;
            self.spare(plan);
            let mint = plan.mint.to_string();
            guard.complete();
            return Err(WalletError::Unclear { mint, reason: error.to_string() });
        }
        crate::failpoint::hit(&format!("{}.2", plan.kind.name()));
        Ok(guard)
    }

    /// Makes a planned exchange, and ends it as far as that can be known. One that is unclear is
    /// kept for [`CashuWallet::retry_unclear`], and so is one whose maker goes away meanwhile.
    pub(crate) async fn carry_out(&self, mut guard: SwapGuard<'_>) -> Result<Done, WalletError> {
        guard.ask();
        match self.execute(&guard).await {
            Ok(done) => {
                self.inner.purpose.done(self, &guard, &done).await?;
                guard.complete();
                Ok(done)
            }
            Err(failed) => Err(self.fail(guard, failed).await?),
        }
    }

    /// Makes the exchange, or finds out that it was made before.
    async fn execute(&self, planned: &Planned) -> Result<Done, Failed> {
        let plan = &planned.plan;
        let mint = plan.mint.to_string();
        let wallet = self.known_mint(&plan.mint).map_err(Failed::Unclear)?;
        let keyset = bounded(&mint, wallet.keyset(plan.keyset)).await.map_err(Failed::Unclear)?;
        let blinded = self.blind(plan).map_err(Failed::Unclear)?;
        let messages: Vec<BlindedMessage> = blinded.iter().map(|blind| blind.message.clone()).collect();
        let request = SwapRequest::new(plan.inputs.clone(), messages.clone());
        let posted = bounded(&mint, wallet.mint_connector().post_swap(request)).await;
        crate::failpoint::hit(&format!("{}.3", plan.kind.name()));
        let signatures = match posted {
            Ok(response) => response.signatures,
            Err(error) => match self.look_up(&wallet, plan, &messages).await.map_err(Failed::Unclear)? {
                Outputs::Signed(signatures) => signatures,
                Outputs::Taken => self.counter_collision(&wallet, planned, &messages, error).await?,
                Outputs::Fresh => self.why_not(&wallet, planned, &messages, error).await?,
            },
        };
        let proofs = unblind(&mint, blinded, signatures, &keyset.keys).map_err(Failed::Unclear)?;
        Ok(Done { proofs })
    }

    /// Puts the wallet's own proofs into its store and ends the plan, together with `rows`.
    pub(crate) async fn finish(
        &self,
        planned: &Planned,
        done: &Done,
        rows: impl FnOnce(&Transaction<'_>) -> Result<(), rusqlite::Error> + Send + 'static,
    ) -> Result<(), WalletError> {
        let plan = &planned.plan;
        let mut own = Vec::new();
        for (output, proof) in plan.outputs.iter().zip(&done.proofs) {
            if let Origin::Own { counter } = output.origin {
                let info =
                    ProofInfo::new(proof.clone(), plan.mint.clone(), State::Unspent, CurrencyUnit::Sat)
                        .map_err(WalletError::internal)?;
                own.push(info.with_derivation_index(counter));
            }
        }
        // When it is finished again, some may be here and spent already.
        let named: Vec<PublicKey> = own.iter().map(|proof| proof.y).collect();
        if !named.is_empty() {
            let here = self.inner.store.get_proofs_by_ys(named).await.map_err(WalletError::internal)?;
            let here: HashSet<PublicKey> = here.into_iter().map(|proof| proof.y).collect();
            own.retain(|proof| !here.contains(&proof.y));
        }
        let spent = if plan.kind == Kind::Lock { ys(&plan.inputs)? } else { Vec::new() };
        self.inner.store.update_proofs(own, spent).await.map_err(WalletError::internal)?;
        crate::failpoint::hit(&format!("{}.4", plan.kind.name()));
        let operation = plan.operation;
        self.inner
            .journal
            .write(move |transaction| {
                rows(transaction)?;
                end(transaction, operation, "done").map(drop)
            })
            .await?;
        crate::failpoint::hit(&format!("{}.5", plan.kind.name()));
        Ok(())
    }
}
