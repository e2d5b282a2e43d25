//! Making locks: many in one exchange, for no more than was reserved.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use cdk::mint_url::MintUrl;
use cdk::nuts::{Proof, PublicKey};
use cdk::wallet::Wallet;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::RwLock;
use tokio::time::Instant;
use uuid::Uuid;

use super::book;
use super::fees::{dearest, fee, fee_of, gross, rates, shares};
use super::lock::{Lock, LockProof};
use crate::amount::Sats;
use crate::error::WalletError;
use crate::failpoint;
use crate::ledger::Key;
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;
use crate::mint::sizes::Chunks;
use crate::mint::swap::{Done, Kind, Origin, Output, Plan, Planned};

/// Tries to find proofs that no other task has taken meanwhile.
const MOST_TRIES: usize = 8;
/// How long an exchange of another process takes that still lives, and how often it is looked whether it is over.
const OTHERS_TIMEOUT: Duration = Duration::from_secs(2);
const OTHERS_POLL: Duration = Duration::from_millis(50);
/// Own proofs that one lock may add to an exchange's inputs, as far as its fee was reserved.
const INPUTS_PER_LOCK: u64 = 4;
/// Outputs that the change of an exchange is expected to have: one for each bit of what a mint is trusted with.
const MOST_CHANGE: usize = 24;

/// A lock that is to be made.
#[derive(Debug, Clone)]
pub struct LockOrder {
    /// The attempt that it pays for.
    pub key: Key,
    /// For whom, in words: the provider's Nostr key.
    pub peer: String,
    /// The key that the provider announced.
    pub provider: PublicKey,
    /// What the provider gets.
    pub price: Sats,
    /// Maximum sats including fees; if fees rose above it, no lock is made. `None`: no maximum, because the debt exists
    /// already.
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
            self.warn_of_clock();
            let gross = gross(&keyset.keys, keyset.input_fee_ppk, price)?;
            let making = fee(dearest(keyset.input_fee_ppk, &rates(mint, &wallet).await?), INPUTS_PER_LOCK);
            let most_fees = gross.saturating_sub(price).saturating_add(making);
            Ok(LockCost { price, most_fees })
        }
        .boxed()
    }

    /// Locks sats for several attempts, in one exchange as far as the mint takes so many outputs. Each plan is durable
    /// before the mint sees anything; after a crash the very same exchange is made again.
    ///
    /// # Errors
    ///
    /// [`WalletError::InsufficientFunds`]; [`WalletError::Dearer`] (it would cost more than was reserved for it);
    /// [`WalletError::Refused`] (nothing has moved);
    /// [`WalletError::Unclear`] (the sats count as locked until it is known, or some are locked and others are not).
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
            self.warn_of_clock();
            failpoint::hit("lock.0");
            let outputs = self.count_outputs(&wallet, &mint, &orders).await?;
            let sizes = self.sizes_for(&mint, outputs.iter().sum()).await?;
            let pieces = orders.into_iter().zip(outputs).collect();
            let mut chunks = Chunks::of(&sizes, pieces, |(_, outputs): &(LockOrder, usize)| *outputs);
            let mut made = Vec::new();
            while let Some(chunk) = chunks.next() {
                let together: Vec<LockOrder> = chunk.iter().map(|(order, _)| order.clone()).collect();
                match self.lock_at_once(&wallet, &mint, &together).await {
                    Ok(locked) => made.extend(locked),
                    Err(error) => {
                        let Err(error) = chunks.refused(chunk, error) else { continue };
                        return Err(if made.is_empty() { error } else { partly(&mint, made.len(), &error) });
                    }
                }
            }
            Ok(made)
        }
        .boxed()
    }

    /// How many outputs each of these locks takes, with a share of the change.
    async fn count_outputs(
        &self,
        wallet: &Wallet,
        mint: &MintUrl,
        orders: &[LockOrder],
    ) -> Result<Vec<usize>, WalletError> {
        let name = mint.to_string();
        let keyset = bounded(&name, wallet.active_keyset()).await?;
        let change = MOST_CHANGE.div_ceil(orders.len());
        orders
            .iter()
            .map(|order| {
                let amount = gross(&keyset.keys, keyset.input_fee_ppk, order.price)?;
                Ok(Self::split(&keyset.keys, amount.0)?.len() + change)
            })
            .collect()
    }

    async fn lock_at_once(
        &self,
        wallet: &Wallet,
        mint: &MintUrl,
        orders: &[LockOrder],
    ) -> Result<Vec<Locked>, WalletError> {
        let turns = self.turns_at(mint);
        let together = turns.read().await;
        let made = self.make_locks(wallet, mint, orders).await;
        drop(together);
        match made {
            // Change of what others exchange now may be on its way: once they have it, there may be enough.
            Err(WalletError::InsufficientFunds { .. }) => {
                let _alone = turns.write().await;
                self.make_locks_after_others(wallet, mint, orders).await
            }
            made => made,
        }
    }

    /// As [`Self::make_locks`], for a caller that has found too few sats while no task of this process exchanges any: those of
    /// other processes may be on their way, too.
    async fn make_locks_after_others(
        &self,
        wallet: &Wallet,
        mint: &MintUrl,
        orders: &[LockOrder],
    ) -> Result<Vec<Locked>, WalletError> {
        let until = Instant::now() + OTHERS_TIMEOUT;
        loop {
            // Before it is looked what is there: what comes in between is seen.
            let others = self.others_exchange(mint, OTHERS_TIMEOUT).await?;
            let made = self.make_locks(wallet, mint, orders).await;
            let too_few = matches!(made, Err(WalletError::InsufficientFunds { .. }));
            if !too_few || !others || Instant::now() >= until {
                return made;
            }
            tokio::time::sleep(OTHERS_POLL).await;
        }
    }

    fn turns_at(&self, mint: &MintUrl) -> Arc<RwLock<()>> {
        let mut turns = self.inner.tasks.turns.lock().unwrap_or_else(PoisonError::into_inner);
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
            let guard = match self.begin(plan, move |transaction| book::plan_locks(transaction, &rows)).await
            {
                Ok(guard) => guard,
                // Another task was quicker: choose again among what is left.
                Err(error @ WalletError::Unclear { .. }) => {
                    latest = error;
                    continue;
                }
                Err(error) => return Err(error),
            };
            match self.carry_out(guard).await {
                Ok(_) => {}
                // By another wallet of the same words, and perhaps more than these: once, that is found out.
                Err(error @ WalletError::AlreadySpent) if !knows => {
                    self.forget_spent(mint).await?;
                    (knows, latest) = (true, error);
                    continue;
                }
                // That one is ahead: the next try takes outputs further on.
                Err(error @ WalletError::CounterCollision { .. }) => {
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
        // Fees may have risen since: the budget of a run holds all the same.
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
                let reserved = fee_of(rate, INPUTS_PER_LOCK).saturating_mul(locks as u64);
                if fee.0 > reserved {
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
}

/// Some of what was asked for is locked, so that nothing of it can be called certain.
fn partly(mint: &MintUrl, made: usize, error: &WalletError) -> WalletError {
    let mint = mint.to_string();
    WalletError::Unclear { mint, reason: format!("{made} locks were made, and the others were not: {error}") }
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
