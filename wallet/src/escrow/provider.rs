//! The provider's side before its work: locks are checked and claimed. What follows a release is in `redeeming`, what is given
//! back in `turned_down`.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use cdk::nuts::{KeySet, Proof, PublicKey, State};
use cdk::wallet::Wallet;
use cdk::wallet::types::KeysetLoadPolicy;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::{Transaction, params};

use super::claims::{credit, earnings_where, has_room, insert};
use super::credit::Credit;
use super::fees::fee_of;
use super::lock::{Lock, MOST_PROOFS};
use super::payer::lock_ys;
use crate::amount::Sats;
use crate::error::WalletError;
use crate::journal::{now_ms, sql};
use crate::mint::CashuWallet;
use crate::mint::asking::bounded;
use crate::mint::swap::states;

/// Locks that were good and had no room yet: so many are remembered.
const MOST_CHECKED: usize = 1_024;

/// What a provider wants of a lock before it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// What it is to get, fees taken off.
    pub price: Sats,
    /// The earliest locktime that leaves time to work, to be judged and to redeem; seconds since
    /// 1970.
    pub earliest_locktime: u64,
}

/// A job that comes with a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The job: its event's id.
    pub job: String,
    /// Whose credit counts: the run's key, or the identity that a certificate names.
    pub asker: String,
    /// The model that will work, for the books.
    pub model: String,
}

/// Why a lock is not good enough to work for.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LockRefusal {
    /// Another mint.
    #[error("this provider does not accept sats of {0}")]
    Mint(String),
    /// For somebody else, or not made as it should be.
    #[error("the lock is not one for this provider: {0}")]
    Terms(&'static str),
    /// Too little.
    #[error("the lock pays {net} after fees; the job costs {price}")]
    TooLittle {
        /// What is in it.
        net: Sats,
        /// What was wanted.
        price: Sats,
    },
    /// Too early.
    #[error("the locktime leaves too little time: {locktime}, at least {earliest} is needed")]
    TooSoon {
        /// The lock's.
        locktime: u64,
        /// The provider's.
        earliest: u64,
    },
    /// The mint did not sign it.
    #[error("the lock's sats are not of this mint (NUT-12)")]
    NotSigned,
    /// Spent, or about to be.
    #[error("the lock's sats are spent already")]
    Spent,
    /// The lock came with another job.
    #[error("the lock was used for another job")]
    Used,
    /// The credit line of the asker, or of all askers together, is full.
    #[error("{owed} jobs are unpaid, {limit} may be: lock the price in escrow")]
    CreditLineFull {
        /// Unpaid now.
        owed: u32,
        /// The limit.
        limit: u32,
    },
    /// The asker has too much unreleased work out.
    #[error("unreleased work: {open} jobs are out, {limit} are allowed until more is released")]
    Credit {
        /// Out now.
        open: u32,
        /// The limit.
        limit: u32,
    },
    /// The mint could not be asked.
    #[error("the lock could not be checked: {0}")]
    Unchecked(WalletError),
}

impl From<WalletError> for LockRefusal {
    fn from(error: WalletError) -> Self {
        match error {
            WalletError::MintNotAllowed { mint } => Self::Mint(mint),
            other => Self::Unchecked(other),
        }
    }
}

/// A lock that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// What its release is worth.
    pub price: Sats,
}

/// What became of one job's pay, for the provider's books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earning {
    /// The job's event id.
    pub job: String,
    /// Who asked.
    pub asker: String,
    /// The model that worked.
    pub model: String,
    /// The mint.
    pub mint: String,
    /// `accepted`, `released`, `redeeming`, `redeemed`, `returned` or `lost`; of a debt that is
    /// not paid `owed`, `withheld`, or `returned` if the asker says that it does not count.
    pub state: String,
    /// What was agreed.
    pub price: Sats,
    /// What arrived, once it has.
    pub received: Sats,
    /// Seconds since 1970; of a debt, when its pay is due.
    pub locktime: u64,
    /// When it last changed, in milliseconds since 1970.
    pub at_unix_ms: i64,
}

impl Earning {
    /// Whether something is still to be decided, or to be redeemed.
    pub fn is_open(&self) -> bool {
        matches!(self.state.as_str(), "owed" | "accepted" | "released" | "redeeming")
    }
}

impl CashuWallet {
    /// The key that this provider announces.
    pub fn provider_key(&self) -> PublicKey {
        self.inner.escrow.provider_key().public_key()
    }

    /// Checks a lock, and notes that work for it begins. Durable when it returns, so that a second
    /// job can never come with the same sats.
    ///
    /// # Errors
    ///
    /// The refusal says what is wrong. Nothing was promised then.
    pub fn accept<'a>(
        &'a self,
        lock: &'a Lock,
        need: Need,
        claim: Claim,
    ) -> BoxFuture<'a, Result<Claimed, LockRefusal>> {
        async move {
            // What needs no mint comes first: an asker without credit makes nobody ask one.
            self.check_terms(lock, need)?;
            let (known, claimed) = (lock.id.clone(), claim.clone());
            let room = move |transaction: &Transaction<'_>| has_room(transaction, &known, &claimed);
            self.inner.journal.write(room).await??;
            let known = self.checked().remove(&lock.id);
            let amount = match known {
                Some((checked, amount)) if checked == written(lock) => amount,
                _ => self.check_lock(lock, need).await?,
            };
            let (row, ys, price) = (lock.clone(), lock_ys(lock)?, lock.price);
            let row = move |transaction: &Transaction<'_>| insert(transaction, &row, amount, &ys, &claim);
            match self.inner.journal.write(row).await? {
                Ok(()) => Ok(Claimed { price }),
                Err(refusal) => {
                    // Another job was quicker. Nobody but both together can spend it meanwhile, so that its mint has
                    // said what there is to say.
                    if let LockRefusal::Credit { .. } = refusal {
                        let mut checked = self.checked();
                        if checked.len() >= MOST_CHECKED {
                            checked.clear();
                        }
                        checked.insert(lock.id.clone(), (written(lock), amount));
                    }
                    Err(refusal)
                }
            }
        }
        .boxed()
    }

    fn checked(&self) -> MutexGuard<'_, HashMap<String, (String, Sats)>> {
        self.inner.tasks.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a lock is what this provider needs, and is there; all the sats in it.
    pub(crate) async fn check_lock(&self, lock: &Lock, need: Need) -> Result<Sats, LockRefusal> {
        self.check_terms(lock, need)?;
        let wallet = self.mint(&lock.mint).await?;
        let keyset = keyset_of(&wallet, lock).await?;
        let amount = lock.amount().ok_or(LockRefusal::Terms("more sats than there are"))?;
        let net = amount.saturating_sub(Sats(fee_of(keyset.input_fee_ppk, lock.proofs.len() as u64)));
        if net < need.price || net < lock.price {
            return Err(LockRefusal::TooLittle { net, price: need.price.max(lock.price) });
        }
        let proofs = lock.to_proofs()?;
        check_signatures(&keyset, &proofs)?;
        let states = states(&wallet, &lock.mint, &proofs).await?;
        if states.len() != proofs.len() || states.iter().any(|state| state.state != State::Unspent) {
            return Err(LockRefusal::Spent);
        }
        Ok(amount)
    }

    /// Whether a mint of this provider's has signed a lock's sats, spent or not. A mint is asked for its keys only where
    /// none of them are known: an asker that makes locks up shall hold up nobody.
    pub(super) fn check_signed<'a>(&'a self, lock: &'a Lock) -> BoxFuture<'a, Result<(), LockRefusal>> {
        async move {
            let wallet = self.mint(&lock.mint).await?;
            let keyset = match wallet.keysets(KeysetLoadPolicy::CacheOnly).await {
                Ok(known) => {
                    known.into_iter().find(|known| known.id == lock.keyset).ok_or(LockRefusal::NotSigned)?
                }
                Err(_) => keyset_of(&wallet, lock).await?,
            };
            check_signatures(&keyset, &lock.to_proofs()?)
        }
        .boxed()
    }

    fn check_terms(&self, lock: &Lock, need: Need) -> Result<(), LockRefusal> {
        self.check_shape(lock)?;
        if lock.price < need.price {
            return Err(LockRefusal::TooLittle { net: lock.price, price: need.price });
        }
        if lock.locktime < need.earliest_locktime {
            return Err(LockRefusal::TooSoon { locktime: lock.locktime, earliest: need.earliest_locktime });
        }
        Ok(())
    }

    pub(crate) fn check_shape(&self, lock: &Lock) -> Result<(), LockRefusal> {
        if lock.provider != self.provider_key() {
            return Err(LockRefusal::Terms("it names another provider's key"));
        }
        let is_hex = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex(&lock.id) {
            return Err(LockRefusal::Terms("its id is no 64 hex digits"));
        }
        if lock.proofs.is_empty() || lock.proofs.len() > MOST_PROOFS {
            return Err(LockRefusal::Terms("it has no proofs, or too many"));
        }
        if lock.proofs.iter().any(|proof| !is_hex(&proof.nonce) || proof.amount == 0) {
            return Err(LockRefusal::Terms("a proof has no proper nonce or amount"));
        }
        let own = self.inner.escrow.provider_lock_key(&lock.id).public_key();
        let keys = [own, lock.cosign, lock.refund].map(|key| key.x_only_public_key());
        if keys[0] == keys[1] || keys[0] == keys[2] || keys[1] == keys[2] {
            return Err(LockRefusal::Terms("its keys are not three different ones"));
        }
        Ok(())
    }

    /// Claims of which the mint must still have every proof, with their jobs.
    pub(crate) async fn claims_in_escrow(&self) -> Result<Vec<(String, Lock)>, WalletError> {
        self.inner.journal.write(super::claims::unspent).await
    }

    /// Gives up claims whose locktime has passed unreleased, and says whose they were.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn expire_claims(&self, now_secs: u64) -> Result<Vec<Earning>, WalletError> {
        let work = move |transaction: &Transaction<'_>| {
            let late = earnings_where(transaction, "state = 'accepted' AND locktime < ?1", sql(now_secs))?;
            transaction.execute(
                "UPDATE claims SET state = 'lost', at_ms = ?2 WHERE state = 'accepted' AND locktime < ?1",
                params![sql(now_secs), now_ms()],
            )?;
            Ok(late)
        };
        self.inner.journal.write(work).await
    }

    /// What is known of a payer.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn credit(&self, asker: &str) -> Result<Credit, WalletError> {
        let asker = asker.to_owned();
        self.inner.journal.write(move |transaction| credit(transaction, &asker)).await
    }
}

async fn keyset_of(wallet: &Wallet, lock: &Lock) -> Result<KeySet, LockRefusal> {
    match bounded(&lock.mint, wallet.keyset(lock.keyset)).await {
        Ok(keyset) => Ok(keyset),
        Err(error) if error.is_refusal() => Err(LockRefusal::NotSigned),
        Err(error) => Err(error.into()),
    }
}

/// Whether the keys of a keyset have signed all of these (NUT-12).
fn check_signatures(keyset: &KeySet, proofs: &[Proof]) -> Result<(), LockRefusal> {
    for proof in proofs {
        let key = keyset.keys.amount_key(proof.amount).ok_or(LockRefusal::NotSigned)?;
        proof.verify_dleq(key).map_err(|_| LockRefusal::NotSigned)?;
    }
    Ok(())
}

/// All of a lock, to tell whether another is the same.
fn written(lock: &Lock) -> String {
    // Keys, numbers and text: nothing in it can fail to serialise. Nothing equals what does.
    serde_json::to_string(lock).unwrap_or_default()
}
