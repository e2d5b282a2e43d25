//! What a dead process left, looked at when a wallet is opened: at all mints at once, so that none waits for another.
//!
//! A mint that has not said a word for a moment is left alone, and rests ([`crate::mint::health`]). What it has of ours stays
//! where it is: exchanges are made again by whatever looks after the wallet, the library's own operations the next time
//! that the wallet is opened by somebody who has it alone.

use std::collections::BTreeMap;
use std::time::Instant;

use cdk::mint_url::MintUrl;
use cdk::wallet::types::{SendSagaState, WalletSaga, WalletSagaState};
use futures::future::join_all;

use crate::error::{WalletError, in_words};
use crate::escrow::refund;
use crate::mint::address::parse_mint;
use crate::mint::asking::timeout;
use crate::mint::health::Ask;
use crate::mint::swap::{Planned, SwapGuard};
use crate::mint::{CashuWallet, Recovery};

/// What is to be looked at, at one mint.
#[derive(Default)]
struct Left {
    exchanges: Vec<Planned>,
    /// Tokens that were on their way back.
    tokens: Vec<WalletSaga>,
    is_allowed: bool,
    /// Whether something there is due by now.
    is_due: bool,
}

impl CashuWallet {
    /// Only for a wallet that nobody else uses.
    pub(super) async fn recover_alone(&self, ask: Ask) -> Result<Recovery, WalletError> {
        self.name_token_proofs(true).await?;
        self.keep_unsent_tokens().await?;
        let mut left: BTreeMap<MintUrl, Left> = BTreeMap::new();
        for planned in self.planned_exchanges().await? {
            left.entry(planned.plan.mint.clone()).or_default().exchanges.push(planned);
        }
        for token in self.coming_back().await? {
            left.entry(token.mint_url.clone()).or_default().tokens.push(token);
        }
        for mint in refund::expired(self).await?.into_keys() {
            left.entry(mint).or_default().is_due = true;
        }
        for rule in self.mints().await? {
            left.entry(parse_mint(&rule.url)?).or_default().is_allowed = true;
        }
        let resting = self.inner.health.resting(ask);
        let each = left.into_iter().map(|(mint, left)| {
            let rests = resting.contains(&mint);
            async move {
                if rests {
                    self.leave(&mint, left).await
                } else {
                    self.recover_patiently(&mint, left, ask).await
                }
            }
        });
        let mut recovery = Recovery::default();
        for found in join_all(each).await {
            let found: Result<Recovery, WalletError> = found;
            recovery.add(found?);
        }
        Ok(recovery)
    }

    /// Asks nothing of a mint that rests: exchanges are taken over, and made again once its pause is over.
    async fn leave(&self, mint: &MintUrl, left: Left) -> Result<Recovery, WalletError> {
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let sent = WalletSagaState::Send(SendSagaState::TokenCreated);
        let is_busy = sagas.iter().any(|saga| saga.mint_url == *mint && saga.state != sent);
        let waits = is_busy || left.is_due || !left.exchanges.is_empty();
        let guards: Vec<SwapGuard<'_>> =
            left.exchanges.into_iter().map(|planned| SwapGuard::new(self, planned)).collect();
        for guard in &guards {
            self.reserve_again(guard).await?;
        }
        let waiting = if waits { vec![self.rests(mint)] } else { Vec::new() };
        Ok(Recovery { waiting, ..Recovery::default() })
    }

    async fn recover_patiently(
        &self,
        mint: &MintUrl,
        mut left: Left,
        ask: Ask,
    ) -> Result<Recovery, WalletError> {
        let began = Instant::now();
        let tokens = std::mem::take(&mut left.tokens);
        let found = self.unless_silent(mint, ask, self.recover_at(mint, left, began)).await;
        // Whatever became of it: the library has dropped their records before it asked.
        if self.list_again(tokens).await? > 0 && !self.inner.health.missed_since(mint, began) {
            self.look_up_tokens_at(Ask::Due, Some(mint)).await?;
        }
        found.unwrap_or_else(|| Ok(Recovery { waiting: vec![self.rests(mint)], ..Recovery::default() }))
    }

    async fn recover_at(&self, mint: &MintUrl, left: Left, began: Instant) -> Result<Recovery, WalletError> {
        let mut recovery = Recovery::default();
        // A mint that has fallen silent is not asked for the rest.
        let answers = || !self.inner.health.missed_since(mint, began);
        // Exchanges first: they hold sats that the rest may need.
        self.recover_swaps(left.exchanges, &mut recovery).await?;
        if left.is_allowed && answers() {
            let wallet = self.known_mint(mint)?;
            match tokio::time::timeout(timeout(), wallet.recover_incomplete_sagas()).await {
                Ok(Ok(report)) => {
                    recovery.completed += report.recovered;
                    recovery.undone += report.compensated;
                    if report.skipped + report.failed > 0 {
                        let count = report.skipped + report.failed;
                        let what = if count == 1 { "operation is" } else { "operations are" };
                        recovery.waiting.push(format!("{mint}: {count} {what} not over"));
                    }
                }
                Ok(Err(error)) => recovery.waiting.push(format!("{mint}: {}", in_words(&error))),
                Err(_) => recovery.waiting.push(format!("{mint}: no answer")),
            }
            if answers() {
                self.recover_invoices(&mint.to_string(), &wallet, &mut recovery).await;
            }
        }
        if answers() {
            recovery.completed += self.look_up_planned(None, Ask::All, Some(mint)).await?;
        }
        if answers() {
            if let Some(rows) = refund::expired(self).await?.remove(mint) {
                Box::pin(refund::refund_at(self, mint, rows, &mut recovery)).await?;
            }
        } else {
            recovery.waiting.push(self.rests(mint));
        }
        Ok(recovery)
    }
}
