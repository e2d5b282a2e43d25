//! Whether ledger, journal and mints say the same: each difference with what to do about it.
//!
//! ```text
//!  ledger (permission) ──── what became of each attempt ────► journal (locks, claims, payments)
//!                                                                │
//!  mints (NUT-07) ◄──── are these proofs where we think? ───────┴──── the wallet's free proofs
//! ```
//!
//! Nothing is changed here. What is under way is compared where both sides are certain, and otherwise left alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use cdk::nuts::{Proof, State as ProofState};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};

use crate::amount::Sats;
use crate::error::WalletError;
use crate::ledger::{Entry, HistoryEvent, Key, Ledger, LedgerError, Scheme, State};
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::swap::states;
use crate::outcome::SettlementOutcome;
use crate::reconcile::{ReconcileError, outcome_of};

/// Where two of the books contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; {}", self.what, self.remedy)
    }
}

/// What an audit of a wallet found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalletAudit {
    /// Attempts that were compared in ledger and journal.
    pub attempts: usize,
    /// Proofs of which a mint has said where they are.
    pub proofs: usize,
    /// Where the books contradict each other; empty if all is well.
    pub differences: Vec<Difference>,
    /// Mints that could not be asked, and why.
    pub unasked: Vec<String>,
}

const FILE: &str = "restore the folder from a backup, or restore the available sats from the twelve words in \
                    another home: frlm wallet create --restore";
const SPENT_ELSEWHERE: &str = "another wallet of the same words, or somebody who has read your files, has spent them: \
                               frlm wallet mints add URL forgets them; move what is left to a new wallet if you do not \
                               know who";
const PAID_UNKNOWN: &str = "the sats are not in the wallet, and nothing there says to whom they went: look in your backups \
                            of wallet/ for an older journal.sqlite";
const FREE_BUT_OUT: &str = "the budget of the run shows more than it has: do not raise it; frlm wallet recover \
                            refunds what it can";
const NO_LEDGER: &str = "the sats are where the journal says, and no budget or limit counts them: restore \
                         ledger.db from a backup; frlm wallet recover refunds what it can";
const OTHER_AMOUNT: &str = "compare frlm wallet history RUN with frlm wallet receipt RUN";
const TAKEN: &str = "both signatures were needed for that: somebody has read them, or the mint lies; frlm \
                     wallet recover refunds the rest, and consider leaving the mint";
const PROMISED: &str =
    "their payer has them back, or somebody else has: frlm wallet recover redeems what is left";

/// Compares a ledger and a wallet, and the wallet with its mints.
///
/// # Errors
///
/// If a file cannot be read.
pub fn audit<'a>(
    ledger: &'a Ledger,
    wallet: &'a CashuWallet,
) -> BoxFuture<'a, Result<WalletAudit, ReconcileError>> {
    async move {
        let mut found = WalletAudit::default();
        for what in wallet.inner.journal.check().await? {
            found
                .differences
                .push(Difference { what: format!("the journal is damaged: {what}"), remedy: FILE });
        }
        for run in ledger.runs().await? {
            let booked = ledger.booked(run.run.clone()).await?;
            let keys = keys_of(ledger, &run.run).await?;
            for key in keys {
                let booked = booked.get(&(key.subtask, key.attempt));
                if booked.is_none_or(|booked| booked.scheme == Scheme::Account) {
                    continue;
                }
                found.attempts += 1;
                let entry = ledger.entry(key.clone()).await?;
                found.differences.extend(compare(&key, entry, outcome_of(wallet, &key).await?));
            }
        }
        for key in wallet.journalled().await? {
            let unknown = matches!(
                ledger.entry(key.clone()).await,
                Err(LedgerError::UnknownRun { .. } | LedgerError::UnknownKey { .. })
            );
            if unknown && outcome_of(wallet, &key).await? != SettlementOutcome::Void {
                let what = format!("{key}: the journal has sats of it, and the ledger does not know it");
                found.differences.push(Difference { what, remedy: NO_LEDGER });
            }
        }
        wallet.audit_mints(&mut found).await?;
        Ok(found)
    }
    .boxed()
}

async fn keys_of(ledger: &Ledger, run: &std::sync::Arc<str>) -> Result<BTreeSet<Key>, LedgerError> {
    let rows = ledger.history(run.clone()).await?.into_iter();
    let keys = rows.filter_map(|row| match row.event {
        HistoryEvent::Reservation { key, .. } => Some(key),
        HistoryEvent::Limit(_) => None,
    });
    Ok(keys.collect())
}

/// What the two books say of one attempt, where the ledger's word is final.
fn compare(key: &Key, entry: Entry, outcome: SettlementOutcome) -> Option<Difference> {
    if !matches!(entry.state, State::Settled | State::Returned) {
        return None;
    }
    let difference = |what: String, remedy| Some(Difference { what: format!("{key}: {what}"), remedy });
    let paid = entry.actual;
    match outcome {
        SettlementOutcome::Void | SettlementOutcome::Back { .. } if paid > Sats::ZERO => difference(
            format!("the ledger says that {paid} were paid, and the journal knows of no such payment"),
            PAID_UNKNOWN,
        ),
        SettlementOutcome::Paid { price, .. } if paid == Sats::ZERO => difference(
            format!("the ledger says that nothing was paid, and the journal says {price}"),
            FREE_BUT_OUT,
        ),
        SettlementOutcome::Waiting { .. } if paid == Sats::ZERO => difference(
            "the ledger counts its sats as available, but the journal has them in escrow".to_owned(),
            FREE_BUT_OUT,
        ),
        SettlementOutcome::Paid { price, .. } if price != paid => difference(
            format!("the ledger says that {paid} were paid, and the journal says {price}"),
            OTHER_AMOUNT,
        ),
        _ => None,
    }
}

/// Proofs that a mint is asked about, and what it means if it calls some spent.
struct Asked {
    proofs: Vec<Proof>,
    what: String,
    remedy: &'static str,
}

impl CashuWallet {
    /// Attempts of which the journal has anything, however they are paid.
    async fn journalled(&self) -> Result<BTreeSet<Key>, WalletError> {
        let locks = self.locks(None).await?.into_iter().map(|row| row.key);
        let debts = self.debts(None).await?.into_iter().map(|row| row.debt.key);
        let prepaid = self.prepaid(None).await?.into_iter().map(|row| row.key);
        Ok(locks.chain(debts).chain(prepaid).collect())
    }

    /// Asks every mint where the proofs are that the books call unspent; none waits for another one.
    async fn audit_mints(&self, found: &mut WalletAudit) -> Result<(), WalletError> {
        let mut by_mint: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
        for rule in self.mints().await? {
            let wallet = self.known_mint(&parse_mint(&rule.url)?)?;
            let proofs = wallet.get_unspent_proofs().await.map_err(WalletError::internal)?;
            let what = "that the wallet counts as available".to_owned();
            by_mint.entry(rule.url).or_default().push(Asked { proofs, what, remedy: SPENT_ELSEWHERE });
        }
        for (key, lock) in self.locks_in_escrow().await? {
            let (mint, what) = (lock.mint.clone(), format!("that are in escrow for {key}"));
            by_mint.entry(mint).or_default().push(Asked { proofs: lock.to_proofs()?, what, remedy: TAKEN });
        }
        for (job, lock) in self.claims_in_escrow().await? {
            let (mint, what) = (lock.mint.clone(), format!("that were promised for job {job}"));
            by_mint.entry(mint).or_default().push(Asked {
                proofs: lock.to_proofs()?,
                what,
                remedy: PROMISED,
            });
        }
        let each = by_mint.into_iter().map(|(mint, asked)| self.audit_mint(mint, asked));
        for part in join_all(each).await {
            let part: WalletAudit = part?;
            found.proofs += part.proofs;
            found.differences.extend(part.differences);
            found.unasked.extend(part.unasked);
        }
        Ok(())
    }

    async fn audit_mint(&self, mint: String, asked: Vec<Asked>) -> Result<WalletAudit, WalletError> {
        let mut found = WalletAudit::default();
        let all: Vec<Proof> = asked.iter().flat_map(|asked| asked.proofs.iter().cloned()).collect();
        if all.is_empty() {
            return Ok(found);
        }
        let wallet = self.known_mint(&parse_mint(&mint)?)?;
        let told = match states(&wallet, &mint, &all).await {
            Ok(told) => told,
            Err(error) => {
                found.unasked.push(error.to_string());
                return Ok(found);
            }
        };
        let told: HashMap<_, _> = told.into_iter().map(|proof| (proof.y, proof.state)).collect();
        for Asked { proofs, what, remedy } in asked {
            let mut gone = Sats::ZERO;
            for proof in proofs {
                found.proofs += 1;
                let y = proof.y().map_err(WalletError::internal)?;
                if told.get(&y) == Some(&ProofState::Spent) {
                    gone = gone.saturating_add(Sats(proof.amount.to_u64()));
                }
            }
            if gone > Sats::ZERO {
                found
                    .differences
                    .push(Difference { what: format!("{mint} says that {gone} {what} are spent"), remedy });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
