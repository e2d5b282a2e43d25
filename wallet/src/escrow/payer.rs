//! The payer's side of locks that are made: release, reclaim. How they are made is in the `locking` module.

use std::collections::BTreeMap;
use std::sync::Arc;

use cdk::nuts::{Id, Proof};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use uuid::Uuid;

use super::book::{self, LockState};
use super::fees::{fee, fee_of, rates, shares};
use super::lock::{Lock, Release, Returned};
use crate::amount::Sats;
use crate::error::WalletError;
use crate::failpoint;
use crate::ledger::Key;
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;
use crate::mint::sizes::{Chunks, Sizes};
use crate::mint::swap::{Done, Kind, Plan, Planned, ys};

/// Seconds before the locktime from which on nothing is released any more: the provider could not
/// be sure to redeem before the refund key opens the lock too.
pub const RELEASE_MARGIN_SECS: u64 = 60;

/// A lock with its proofs, signed.
pub(super) type Signed = (Lock, Vec<Proof>);
/// Locks with their signed proofs, by mint and keyset: each group shares exchanges, as few as the mint lets it.
pub(super) type ByKeyset = BTreeMap<(String, Id), Vec<Signed>>;

/// What the reclaimed locks of one mint have come to.
#[derive(Debug, Default)]
pub(super) struct ReclaimedLocks {
    /// Those that are the payer's own again, with what each has cost.
    pub costs: Vec<(Key, Sats)>,
    /// What has arrived.
    pub sats: Sats,
    /// Why the others are not, the first reason of them.
    pub failed: Option<WalletError>,
}

impl CashuWallet {
    /// Signs locks over to their providers. That the signatures may have left is durable before
    /// they are returned. Locks whose locktime is near are skipped: they are reclaimed instead.
    ///
    /// # Errors
    ///
    /// If the file fails; then nothing was signed.
    pub async fn release(&self, locks: Vec<String>, now_secs: u64) -> Result<Vec<Release>, WalletError> {
        failpoint::hit("release.0");
        let not_before = now_secs.saturating_add(RELEASE_MARGIN_SECS);
        let released = self
            .inner
            .journal
            .write(move |transaction| book::release_locks(transaction, &locks, not_before))
            .await?;
        failpoint::hit("release.1");
        let sign = |lock: &Lock| {
            let key = self.inner.escrow.cosign_key(&lock.id);
            Ok(Release { lock: lock.id.clone(), signatures: lock.sign(&key)? })
        };
        released.iter().map(sign).collect()
    }

    /// Takes locks back with their providers' signatures, those of one mint in as few exchanges as it lets them. Returns
    /// what each cost in fees; signatures that are not the provider's are left out, and so are locks
    /// at a mint that fails while another does not: they wait for their locktime.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::lock_all`], if nothing was reclaimed.
    pub fn reclaim(&self, returned: Vec<Returned>) -> BoxFuture<'_, Result<Vec<(Key, Sats)>, WalletError>> {
        async move {
            let ids: Vec<String> = returned.iter().map(|each| each.lock.clone()).collect();
            let known = self
                .inner
                .journal
                .write(move |transaction| book::locks(transaction, &ids, LockState::Locked))
                .await?;
            let mut groups = ByKeyset::new();
            for lock in known {
                let Some(signatures) =
                    returned.iter().find(|each| each.lock == lock.id).map(|each| &each.signatures)
                else {
                    continue;
                };
                if !lock.is_signed_by(&lock.provider_lock_key()?, signatures) {
                    tracing::warn!("a provider returned signatures that are not its own");
                    continue;
                }
                let own = lock.sign(&self.inner.escrow.cosign_key(&lock.id))?;
                let proofs = lock.signed_proofs(&[signatures, &own])?;
                groups.entry((lock.mint.clone(), lock.keyset)).or_default().push((lock, proofs));
            }
            let (mut ended, mut failed) = (Vec::new(), None);
            // No mint is waited for with another one's locks.
            let each = groups
                .into_iter()
                .map(async |((mint, keyset), locks)| self.reclaim_locks(&mint, keyset, locks).await);
            for back in join_all(each).await {
                ended.extend(back.costs);
                if let Some(error) = back.failed {
                    tracing::warn!(%error, "locks that were returned are not reclaimed yet");
                    failed.get_or_insert(error);
                }
            }
            failed.filter(|_| ended.is_empty()).map_or(Ok(ended), Err)
        }
        .boxed()
    }

    /// Exchanges signed locks of one mint and keyset for own sats, as many at once as the mint takes.
    pub(super) async fn reclaim_locks(&self, mint: &str, keyset: Id, locks: Vec<Signed>) -> ReclaimedLocks {
        let mut back = ReclaimedLocks::default();
        let sizes = match self.sizes_of(mint, &locks).await {
            Ok(sizes) => sizes,
            Err(error) => return ReclaimedLocks { failed: Some(error), ..back },
        };
        let mut chunks = Chunks::of(&sizes, locks, proofs_in);
        while let Some(chunk) = chunks.next() {
            match self.reclaim_at_once(mint, keyset, chunk.clone()).await {
                Ok((costs, sats)) => {
                    back.costs.extend(costs);
                    back.sats = back.sats.saturating_add(sats);
                }
                Err(error) => {
                    let Err(error) = chunks.refused(chunk, error) else { continue };
                    let goes_on = holds_up_itself_alone(&error);
                    back.failed.get_or_insert(error);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        back
    }

    /// How much a mint takes at once, for these.
    pub(super) async fn sizes_of(&self, mint: &str, locks: &[Signed]) -> Result<Arc<Sizes>, WalletError> {
        self.sizes_for(&parse_mint(mint)?, locks.iter().map(proofs_in).sum()).await
    }

    async fn reclaim_at_once(
        &self,
        mint: &str,
        keyset: Id,
        locks: Vec<Signed>,
    ) -> Result<(Vec<(Key, Sats)>, Sats), WalletError> {
        let (locks, proofs): (Vec<Lock>, Vec<Vec<Proof>>) = locks.into_iter().unzip();
        let inputs: Vec<Proof> = proofs.into_iter().flatten().collect();
        let subjects: Vec<String> = locks.iter().map(|lock| lock.id.clone()).collect();
        let plan = self.plan_own(Kind::Reclaim, mint, keyset, inputs, subjects.clone()).await?;
        let rate = rates(mint, &*self.known_mint(&plan.mint)?).await?.get(&keyset).copied().unwrap_or(0);
        let alone = locks.iter().map(|lock| fee(rate, lock.proofs.len() as u64));
        let fees: Vec<(String, Sats)> =
            subjects.iter().cloned().zip(shares(Sats(plan.fee()), alone)).collect();
        failpoint::hit("reclaim.0");
        let guard = self.begin(plan, move |transaction| book::plan_reclaim(transaction, &fees)).await?;
        let done = self.carry_out(guard).await?;
        let costs =
            self.inner.journal.write(move |transaction| book::costs_of(transaction, &subjects)).await?;
        Ok((costs, done.sats()))
    }

    /// A plan whose outputs are all the wallet's own.
    pub(crate) async fn plan_own(
        &self,
        kind: Kind,
        mint: &str,
        keyset: Id,
        inputs: Vec<Proof>,
        subjects: Vec<String>,
    ) -> Result<Plan, WalletError> {
        let url = parse_mint(mint)?;
        let wallet = self.known_mint(&url)?;
        let active = bounded(mint, wallet.active_keyset()).await?;
        let rates = rates(mint, &wallet).await?;
        let rate = rates.get(&keyset).copied().unwrap_or(0);
        let held: u64 = inputs.iter().map(|proof| proof.amount.to_u64()).sum();
        let fee = fee_of(rate, inputs.len() as u64);
        let left = held.checked_sub(fee).filter(|left| *left > 0).ok_or_else(|| WalletError::Refused {
            mint: mint.to_owned(),
            reason: format!("{held} sats do not pay the fee of {fee} for moving them"),
        })?;
        let outputs = self.own_outputs(active.id, &active.keys, left).await?;
        Ok(Plan { kind, mint: url, operation: Uuid::new_v4(), keyset: active.id, inputs, outputs, subjects })
    }
}

/// How many inputs a lock is.
pub(super) fn proofs_in((_, proofs): &Signed) -> usize {
    proofs.len()
}

/// Whether other locks of the same mint can be exchanged although these could not: the mint answers, and its refusal is
/// about these.
pub(super) fn holds_up_itself_alone(error: &WalletError) -> bool {
    error.is_refusal() || matches!(error, WalletError::AlreadySpent | WalletError::CounterCollision { .. })
}

/// Writes down that locks are the payer's own sats again.
pub(crate) async fn finish_reclaim(
    wallet: &CashuWallet,
    planned: &Planned,
    done: &Done,
) -> Result<(), WalletError> {
    let subjects = planned.plan.subjects.clone();
    let rows = move |transaction: &rusqlite::Transaction<'_>| {
        subjects.iter().try_for_each(|lock| {
            book::set_lock_state(transaction, lock, &[LockState::Reclaiming], LockState::Reclaimed).map(drop)
        })
    };
    wallet.finish(planned, done, rows).await
}

/// The identity of a lock's proofs at the mint, as hex.
pub(crate) fn lock_ys(lock: &Lock) -> Result<Vec<String>, WalletError> {
    Ok(ys(&lock.to_proofs()?)?.into_iter().map(|y| y.to_hex()).collect())
}
