//! The payer's side: lock, release, take back.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use cdk::mint_url::MintUrl;
use cdk::nuts::{Id, Keys, Proof, PublicKey};
use cdk::wallet::Wallet;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::RwLock;
use uuid::Uuid;

use super::book::{self, LockState};
use super::debts::{self, DebtState};
use super::lock::{Lock, LockProof, MOST_PROOFS, Release, Returned};
use crate::amount::Sats;
use crate::cashu::lightning::bounded;
use crate::cashu::swap::{Done, Kind, Origin, Output, Plan, Planned, ys};
use crate::cashu::wallet::parse_mint;
use crate::cashu::{CashuWallet, WalletError};
use crate::failpoint;
use crate::ledger::Key;

/// Seconds before the locktime from which on nothing is released any more: the provider could not
/// be sure to redeem before the refund key opens the lock too.
pub const RELEASE_MARGIN_SECS: u64 = 60;
/// Tries to find proofs that no other task has taken meanwhile.
const MOST_TRIES: usize = 8;
/// Own proofs that one lock may add to an exchange's inputs, as far as its fee was set aside.
const INPUTS_PER_LOCK: u64 = 4;

/// Locks with their signed proofs, by mint and keyset: each group shares an exchange.
pub(super) type ByKeyset = BTreeMap<(String, Id), Vec<(Lock, Vec<Proof>)>>;

/// A lock that is to be made.
#[derive(Debug, Clone)]
pub struct LockOrder {
    /// The attempt that it pays for.
    pub key: Key,
    /// For whom, in words: the provider's Nostr key.
    pub peer: String,
    /// The key that the provider announced.
    pub provider: PublicKey,
    /// What the provider is to get.
    pub price: Sats,
    /// What was set aside for it, fees included: it is not made if the mint takes more by now. `None`: it is owed
    /// already, whatever it takes.
    pub most: Option<Sats>,
    /// Seconds since 1970.
    pub locktime: u64,
}

/// A lock that was made.
#[derive(Debug, Clone)]
pub struct Locked {
    /// The attempt that it pays for.
    pub key: Key,
    /// What the provider is told.
    pub lock: Lock,
    /// This lock's share of what the mint took for making it.
    pub lock_fee: Sats,
}

impl Locked {
    /// What is spent on top of the price when it is released.
    pub fn fees(&self) -> Sats {
        self.lock.amount().unwrap_or_default().saturating_sub(self.lock.price).saturating_add(self.lock_fee)
    }
}

/// What a lock can cost at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockCost {
    /// What the provider gets.
    pub price: Sats,
    /// What the mint takes: for making the lock, and for redeeming it or taking it back.
    pub most_fees: Sats,
}

impl LockCost {
    /// What to reserve.
    pub fn total(&self) -> Sats {
        self.price.saturating_add(self.most_fees)
    }
}

impl CashuWallet {
    /// What a lock over a price can cost at most, so that it can be reserved.
    ///
    /// # Errors
    ///
    /// If the mint cannot be asked for its keys.
    pub fn lock_cost<'a>(
        &'a self,
        mint: &'a str,
        price: Sats,
    ) -> BoxFuture<'a, Result<LockCost, WalletError>> {
        async move {
            let wallet = self.mint(mint).await?;
            let keyset = bounded(mint, wallet.active_keyset()).await?;
            let gross = gross(&keyset.keys, keyset.input_fee_ppk, price)?;
            let making = fee(dearest(keyset.input_fee_ppk, &rates(mint, &wallet).await?), INPUTS_PER_LOCK);
            let most_fees = gross.saturating_sub(price).saturating_add(making);
            Ok(LockCost { price, most_fees })
        }
        .boxed()
    }

    /// Locks sats for several attempts in one exchange. The plan is durable before the mint sees
    /// anything; after a crash the very same exchange is made again.
    ///
    /// # Errors
    ///
    /// [`WalletError::InsufficientFunds`]; [`WalletError::Dearer`] (it would cost more than was set aside for it);
    /// [`WalletError::Refused`] (nothing has moved);
    /// [`WalletError::Unclear`] (the sats count as locked until it is known).
    pub fn lock_all<'a>(
        &'a self,
        mint: &'a str,
        orders: Vec<LockOrder>,
    ) -> BoxFuture<'a, Result<Vec<Locked>, WalletError>> {
        async move {
            if orders.is_empty() {
                return Ok(Vec::new());
            }
            let mint = parse_mint(mint)?;
            let wallet = self.mint(&mint.to_string()).await?;
            failpoint::hit("lock.0");
            let turns = self.turns_at(&mint);
            let together = turns.read().await;
            let made = self.make_locks(&wallet, &mint, &orders).await;
            drop(together);
            match made {
                // Change of what others exchange now may be on its way: once they have it, there may be enough.
                Err(WalletError::InsufficientFunds { .. }) => {
                    let _alone = turns.write().await;
                    self.make_locks(&wallet, &mint, &orders).await
                }
                made => made,
            }
        }
        .boxed()
    }

    fn turns_at(&self, mint: &MintUrl) -> Arc<RwLock<()>> {
        let mut turns = self.inner.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(mint.clone()).or_default())
    }

    async fn make_locks(
        &self,
        wallet: &Wallet,
        mint: &MintUrl,
        orders: &[LockOrder],
    ) -> Result<Vec<Locked>, WalletError> {
        let mut latest = WalletError::internal("no try was made");
        let mut knows = false;
        for _ in 0..MOST_TRIES {
            let (plan, rows) = self.plan_locks(wallet, mint, orders).await?;
            let subjects = plan.subjects.clone();
            let hand = match self.begin(plan, move |transaction| book::plan_locks(transaction, &rows)).await {
                Ok(hand) => hand,
                // Another task was quicker: choose again among what is left.
                Err(error @ WalletError::Unclear { .. }) => {
                    latest = error;
                    continue;
                }
                Err(error) => return Err(error),
            };
            match self.carry_out(hand).await {
                Ok(_) => {}
                // By another wallet of the same words, and perhaps more than these: once, that is found out.
                Err(error @ WalletError::AlreadySpent) if !knows => {
                    self.forget_spent(mint).await?;
                    (knows, latest) = (true, error);
                    continue;
                }
                // That one is ahead: the next try takes outputs further on.
                Err(error @ WalletError::Outrun { .. }) => {
                    latest = error;
                    continue;
                }
                Err(error) => return Err(error),
            }
            return self
                .inner
                .journal
                .write(move |transaction| book::locked_rows(transaction, &subjects))
                .await;
        }
        Err(latest)
    }

    async fn plan_locks(
        &self,
        wallet: &Wallet,
        mint: &MintUrl,
        orders: &[LockOrder],
    ) -> Result<(Plan, Vec<book::NewLock>), WalletError> {
        let name = mint.to_string();
        let keyset = bounded(&name, wallet.active_keyset()).await?;
        let mut outputs = Vec::new();
        let mut rows = Vec::with_capacity(orders.len());
        let mut amounts = Vec::with_capacity(orders.len());
        for order in orders {
            let id = self.inner.escrow.lock_id(&order.key.to_string());
            let terms = (mint, keyset.id);
            let lock =
                Lock::terms(&self.inner.escrow, id, terms, order.price, order.provider, order.locktime);
            let amount = gross(&keyset.keys, keyset.input_fee_ppk, order.price)?;
            amounts.push(amount);
            for (amount, index) in Self::split(&keyset.keys, amount.0)?.into_iter().zip(0..) {
                let secret = lock.secret(&self.inner.escrow.nonce(&lock.id, index))?;
                outputs.push(Output { amount, origin: Origin::Lock { id: lock.id.clone(), index, secret } });
            }
            rows.push(book::NewLock {
                key: order.key.clone(),
                peer: order.peer.clone(),
                lock,
                lock_fee: Sats::ZERO,
            });
        }
        let locked: Sats = amounts.iter().copied().sum();
        let (inputs, fee) = self.choose(wallet, &name, locked, orders.len()).await?;
        let rate = dearest(keyset.input_fee_ppk, &rates(&name, wallet).await?);
        let alone = vec![Sats(fee_of(rate, INPUTS_PER_LOCK)); rows.len()];
        for (row, share) in rows.iter_mut().zip(shares(fee, alone)) {
            row.lock_fee = share;
        }
        // Fees may have risen since: the cap of a run holds all the same.
        for ((order, row), amount) in orders.iter().zip(&rows).zip(amounts) {
            let cost = amount.saturating_add(row.lock_fee);
            if let Some(most) = order.most.filter(|most| cost > *most) {
                return Err(WalletError::Dearer { mint: name, cost, most });
            }
        }
        let held: u64 = inputs.iter().map(|proof| proof.amount.to_u64()).sum();
        outputs.extend(self.own_outputs(keyset.id, &keyset.keys, held - locked.0 - fee.0).await?);
        let plan = Plan {
            kind: Kind::Lock,
            mint: mint.clone(),
            operation: Uuid::new_v4(),
            keyset: keyset.id,
            inputs,
            outputs,
            subjects: rows.iter().map(|row| row.lock.id.clone()).collect(),
        };
        Ok((plan, rows))
    }

    /// Own proofs that cover an amount and the fee for spending them: the largest first, so that
    /// they are few.
    async fn choose(
        &self,
        wallet: &Wallet,
        mint: &str,
        amount: Sats,
        locks: usize,
    ) -> Result<(Vec<Proof>, Sats), WalletError> {
        let mut proofs = wallet.get_unspent_proofs().await.map_err(WalletError::internal)?;
        proofs.sort_by_key(|proof| std::cmp::Reverse(proof.amount));
        let available = proofs.iter().map(|proof| Sats(proof.amount.to_u64())).sum();
        let rates = rates(mint, wallet).await?;
        let (mut chosen, mut held, mut thousandths) = (Vec::new(), Sats::ZERO, 0_u64);
        for proof in proofs {
            held = held.saturating_add(Sats(proof.amount.to_u64()));
            thousandths += rates.get(&proof.keyset_id).copied().unwrap_or(0);
            chosen.push(proof);
            let fee = Sats(thousandths.div_ceil(1_000));
            if held >= amount.saturating_add(fee) {
                let rate = rates.values().copied().max().unwrap_or(0);
                let set_aside = fee_of(rate, INPUTS_PER_LOCK).saturating_mul(locks as u64);
                if fee.0 > set_aside {
                    return Err(WalletError::InsufficientFunds {
                        mint: format!("{mint} (in coins so small that spending them costs {fee})"),
                        needed: amount.saturating_add(fee),
                        available,
                    });
                }
                return Ok((chosen, fee));
            }
        }
        let fee = Sats(thousandths.div_ceil(1_000));
        Err(WalletError::InsufficientFunds {
            mint: mint.to_owned(),
            needed: amount.saturating_add(fee),
            available,
        })
    }

    /// Signs locks over to their providers. That the signatures may have left is durable before
    /// they are returned. Locks whose locktime is near are left out: they are taken back instead.
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

    /// Notes that the ledger has settled released locks: they are the provider's now, whenever it
    /// redeems them. A debt that such a lock pays is paid.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn settled(&self, locks: Vec<String>) -> Result<(), WalletError> {
        let work = move |transaction: &rusqlite::Transaction<'_>| {
            locks.iter().try_for_each(|lock| {
                book::set_lock_state(transaction, lock, &[LockState::Released], LockState::Settled)?;
                debts::end(transaction, lock, DebtState::Paid)
            })
        };
        self.inner.journal.write(work).await
    }

    /// Takes locks back with their providers' signatures, all of one mint in one exchange. Returns
    /// what each cost in fees; signatures that are not the provider's are left out, and so are locks
    /// at a mint that fails while another does not: they wait for their locktime.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::lock_all`], if nothing came back.
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
            for ((mint, keyset), locks) in groups {
                match self.take_back(&mint, keyset, locks).await {
                    Ok(back) => ended.extend(back),
                    Err(error) => {
                        tracing::warn!(%error, "locks that were given back are not taken back yet");
                        failed.get_or_insert(error);
                    }
                }
            }
            failed.filter(|_| ended.is_empty()).map_or(Ok(ended), Err)
        }
        .boxed()
    }

    /// Exchanges signed locks for own sats.
    pub(super) async fn take_back(
        &self,
        mint: &str,
        keyset: Id,
        locks: Vec<(Lock, Vec<Proof>)>,
    ) -> Result<Vec<(Key, Sats)>, WalletError> {
        let (locks, proofs): (Vec<Lock>, Vec<Vec<Proof>>) = locks.into_iter().unzip();
        let inputs: Vec<Proof> = proofs.into_iter().flatten().collect();
        let subjects: Vec<String> = locks.iter().map(|lock| lock.id.clone()).collect();
        let plan = self.plan_own(Kind::Reclaim, mint, keyset, inputs, subjects.clone()).await?;
        let rate = rates(mint, &*self.known_mint(&plan.mint)?).await?.get(&keyset).copied().unwrap_or(0);
        let alone = locks.iter().map(|lock| fee(rate, lock.proofs.len() as u64));
        let fees: Vec<(String, Sats)> =
            subjects.iter().cloned().zip(shares(Sats(plan.fee()), alone)).collect();
        failpoint::hit("reclaim.0");
        let hand = self.begin(plan, move |transaction| book::plan_reclaim(transaction, &fees)).await?;
        self.carry_out(hand).await?;
        let rows =
            self.inner.journal.write(move |transaction| book::costs_of(transaction, &subjects)).await?;
        Ok(rows)
    }

    /// A plan whose outputs are all the wallet's own.
    pub(super) async fn plan_own(
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

/// Writes down which proofs belong to which lock.
pub(super) async fn finish_lock(
    wallet: &CashuWallet,
    planned: &Planned,
    done: &Done,
) -> Result<(), WalletError> {
    let mut parts: HashMap<String, Vec<(u32, LockProof)>> = HashMap::new();
    for (output, proof) in planned.plan.outputs.iter().zip(&done.proofs) {
        let Origin::Lock { id, index, .. } = &output.origin else { continue };
        let dleq = proof.dleq.clone().ok_or_else(|| WalletError::Lying {
            mint: planned.plan.mint.to_string(),
            what: "a signature comes without its proof".to_owned(),
        })?;
        let part = LockProof {
            amount: output.amount,
            nonce: wallet.inner.escrow.nonce(id, *index),
            c: proof.c,
            e: dleq.e.clone(),
            s: dleq.s.clone(),
            r: dleq.r.clone(),
        };
        parts.entry(id.clone()).or_default().push((*index, part));
    }
    for each in parts.values_mut() {
        each.sort_by_key(|(index, _)| *index);
    }
    let proofs: HashMap<String, Vec<LockProof>> = parts
        .into_iter()
        .map(|(id, parts)| (id, parts.into_iter().map(|(_, part)| part).collect()))
        .collect();
    wallet.finish(planned, done, move |transaction| book::locked(transaction, &proofs)).await
}

/// Writes down that locks are the payer's own sats again.
pub(super) async fn finish_reclaim(
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

/// The fee rate of each keyset, in thousandths of a sat per proof.
pub(super) async fn rates(mint: &str, wallet: &Wallet) -> Result<HashMap<Id, u64>, WalletError> {
    let keysets = bounded(mint, wallet.get_keyset_fees_and_amounts()).await?;
    Ok(keysets.into_iter().map(|(id, keyset)| (id, keyset.fee())).collect())
}

/// The dearest rate at which own sats may have to be spent: those of an older keyset may cost more than the active one's.
fn dearest(active: u64, rates: &HashMap<Id, u64>) -> u64 {
    rates.values().copied().fold(active, u64::max)
}

/// The least sum that leaves a price after the fee for redeeming it.
pub(super) fn gross(keys: &Keys, input_fee_ppk: u64, price: Sats) -> Result<Sats, WalletError> {
    let mut amount = price.0;
    for _ in 0..=MOST_PROOFS {
        let parts = CashuWallet::split(keys, amount)?.len();
        if parts > MOST_PROOFS {
            return Err(WalletError::Internal(format!("{price} are too many coins of this mint")));
        }
        let needed = price.0.saturating_add(fee_of(input_fee_ppk, parts as u64));
        if amount >= needed {
            return Ok(Sats(amount));
        }
        amount = needed;
    }
    Err(WalletError::Internal(format!("the fees of this mint leave nothing of {price}")))
}

pub(super) fn fee_of(input_fee_ppk: u64, proofs: u64) -> u64 {
    input_fee_ppk.saturating_mul(proofs).div_ceil(1_000)
}

fn fee(input_fee_ppk: u64, proofs: u64) -> Sats {
    Sats(fee_of(input_fee_ppk, proofs))
}

/// A common fee divided among those who caused it, none of whom bears more than alone.
pub(super) fn shares(fee: Sats, alone: impl IntoIterator<Item = Sats>) -> Vec<Sats> {
    let mut left = fee;
    let share = |alone: Sats| {
        let share = alone.min(left);
        left = left.saturating_sub(share);
        share
    };
    alone.into_iter().map(share).collect()
}

/// The identity of a lock's proofs at the mint, as hex.
pub(super) fn lock_ys(lock: &Lock) -> Result<Vec<String>, WalletError> {
    Ok(ys(&lock.to_proofs()?)?.into_iter().map(|y| y.to_hex()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fee_is_divided_to_the_last_sat() {
        assert_eq!(shares(Sats(7), [Sats(3), Sats(3), Sats(3)]), [Sats(3), Sats(3), Sats(1)]);
        assert_eq!(shares(Sats(0), [Sats(1)]), [Sats(0)]);
    }

    #[test]
    fn fees_round_up_to_whole_sats() {
        assert_eq!(fee_of(100, 1), 1);
        assert_eq!(fee_of(100, 10), 1);
        assert_eq!(fee_of(100, 11), 2);
        assert_eq!(fee_of(0, 11), 0);
    }
}
