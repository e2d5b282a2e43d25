//! The provider's side after a release: signatures are taken, and what they open is exchanged for own sats.

use std::collections::BTreeSet;

use cdk::nuts::{Id, Proof};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use rusqlite::{Transaction, params};

use super::claims::{claim, claim_state, claims_in, plan_redeem};
use super::fees::{fee_of, rates, shares};
use super::lock::Release;
use super::payer::{ByKeyset, Signed, holds_up_itself_alone, proofs_in};
use crate::amount::Sats;
use crate::error::WalletError;
use crate::failpoint;
use crate::journal::{now_ms, to_json};
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::sizes::Chunks;
use crate::mint::swap::{Done, Kind, Planned};

impl CashuWallet {
    /// Takes payers' signatures. Those that fit are durable when it returns; the locks they open
    /// are named. One that comes after the locktime is taken too: the lock may still be there.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn released(&self, releases: Vec<Release>) -> Result<Vec<String>, WalletError> {
        let work = move |transaction: &Transaction<'_>| {
            let mut opened = Vec::new();
            for release in releases {
                let Some((lock, _)) = claim(transaction, &release.lock)? else { continue };
                if !lock.is_signed_by(&lock.cosign, &release.signatures) {
                    continue;
                }
                // Once each: what turned out to be gone is not looked at again and again.
                let moved = transaction.execute(
                    "UPDATE claims SET state = 'released', released = ?2, at_ms = ?3
                     WHERE id = ?1 AND (state = 'accepted' OR (state = 'lost' AND released IS NULL))",
                    params![release.lock, to_json(&release.signatures)?, now_ms()],
                )?;
                if moved > 0 {
                    opened.push(release.lock);
                }
            }
            Ok(opened)
        };
        self.inner.journal.write(work).await
    }

    /// Exchanges everything that was released for own sats, as much of one mint at once as it takes. Returns what
    /// arrived; what a mint does not answer clearly stays released and is tried again.
    ///
    /// # Errors
    ///
    /// If a file fails, or a mint does; what lies at the others is redeemed all the same.
    pub fn redeem(&self) -> BoxFuture<'_, Result<Sats, WalletError>> {
        async move {
            let mints = self.redeemable().await?;
            let (mut received, mut failed) = (Sats::ZERO, None);
            // Locktimes run at the other mints too.
            for each in join_all(mints.iter().map(|mint| self.redeem_from(mint))).await {
                match each {
                    Ok(more) => received = received.saturating_add(more),
                    Err(error) => drop(failed.get_or_insert(error)),
                }
            }
            failed.map_or(Ok(received), Err)
        }
        .boxed()
    }

    /// Mints at which something was released that is not redeemed.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn redeemable(&self) -> Result<BTreeSet<String>, WalletError> {
        let released = self.inner.journal.write(|transaction| claims_in(transaction, "released")).await?;
        Ok(released.into_iter().map(|(lock, _)| lock.mint).collect())
    }

    /// As [`Self::redeem`], at one mint alone.
    ///
    /// # Errors
    ///
    /// If a file fails, or the mint does.
    pub fn redeem_from<'a>(&'a self, mint: &'a str) -> BoxFuture<'a, Result<Sats, WalletError>> {
        async move {
            let released = self.inner.journal.write(|transaction| claims_in(transaction, "released")).await?;
            let mut groups = ByKeyset::new();
            for (lock, signatures) in released.into_iter().filter(|(lock, _)| lock.mint == mint) {
                let own = lock.sign(&self.inner.escrow.provider_lock_key(&lock.id))?;
                let proofs = lock.signed_proofs(&[&own, &signatures])?;
                groups.entry((lock.mint.clone(), lock.keyset)).or_default().push((lock, proofs));
            }
            let (mut received, mut failed) = (Sats::ZERO, None);
            for ((mint, keyset), locks) in groups {
                let (more, error) = self.redeem_at(&mint, keyset, locks).await;
                received = received.saturating_add(more);
                failed = failed.or(error);
            }
            failed.map_or(Ok(received), Err)
        }
        .boxed()
    }

    /// What arrived of the released locks of one mint and keyset, and why the rest did not.
    async fn redeem_at(&self, mint: &str, keyset: Id, locks: Vec<Signed>) -> (Sats, Option<WalletError>) {
        let (mut received, mut failed) = (Sats::ZERO, None);
        let sizes = match self.sizes_of(mint, &locks).await {
            Ok(sizes) => sizes,
            Err(error) => return (received, Some(error)),
        };
        let mut chunks = Chunks::of(&sizes, locks, proofs_in);
        while let Some(chunk) = chunks.next() {
            match self.redeem_at_once(mint, keyset, chunk.clone()).await {
                Ok(more) => received = received.saturating_add(more),
                Err(error) => {
                    let Err(error) = chunks.refused(chunk, error) else { continue };
                    let goes_on = holds_up_itself_alone(&error);
                    failed.get_or_insert(error);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        (received, failed)
    }

    async fn redeem_at_once(&self, mint: &str, keyset: Id, locks: Vec<Signed>) -> Result<Sats, WalletError> {
        let subjects: Vec<String> = locks.iter().map(|(lock, _)| lock.id.clone()).collect();
        let amounts: Vec<Sats> = locks.iter().map(|(lock, _)| lock.amount().unwrap_or_default()).collect();
        let counts: Vec<u64> = locks.iter().map(|(lock, _)| lock.proofs.len() as u64).collect();
        let inputs: Vec<Proof> = locks.into_iter().flat_map(|(_, proofs)| proofs).collect();
        let plan = self.plan_own(Kind::Redeem, mint, keyset, inputs, subjects.clone()).await?;
        let rate =
            rates(mint, &*self.known_mint(&parse_mint(mint)?)?).await?.get(&keyset).copied().unwrap_or(0);
        let fees = shares(Sats(plan.fee()), counts.into_iter().map(|count| Sats(fee_of(rate, count))));
        let net = amounts.into_iter().zip(fees).map(|(amount, fee)| amount.saturating_sub(fee));
        let received: Vec<(String, Sats)> = subjects.into_iter().zip(net).collect();
        failpoint::hit("redeem.0");
        let guard = self.begin(plan, move |transaction| plan_redeem(transaction, &received)).await?;
        Ok(self.carry_out(guard).await?.sats())
    }
}

/// Writes down that released locks are the provider's own sats now.
pub(super) async fn finish_redeem(
    wallet: &CashuWallet,
    planned: &Planned,
    done: &Done,
) -> Result<(), WalletError> {
    let subjects = planned.plan.subjects.clone();
    let rows = move |transaction: &Transaction<'_>| {
        subjects.iter().try_for_each(|id| claim_state(transaction, id, "redeeming", "redeemed"))
    };
    wallet.finish(planned, done, rows).await
}
