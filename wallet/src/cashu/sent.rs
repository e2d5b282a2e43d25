//! Tokens that this wallet has made: until somebody has taken one, its sats are neither here nor gone.
//!
//! The library keeps a record of each until it knows that its proofs are spent; the text of the token is in it, so
//! that one that was lost on its way can be read again, or redeemed again.

use std::collections::HashSet;
use std::fmt;

use cdk::mint_url::MintUrl;
use cdk::nuts::{CurrencyUnit, Proofs, PublicKey, State};
use cdk::wallet::types::{OperationData, ProofInfo, ReceiveSagaState, SendSagaState, WalletSagaState};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use uuid::Uuid;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::address::parse_mint;
use crate::mint::asking::bounded;
use crate::mint::health::Ask;
use crate::mint::swap::{states, ys};

/// A token that nobody has taken, as far as that is known.
#[derive(Clone, PartialEq, Eq)]
pub struct SentToken {
    /// Unique in this wallet.
    pub id: String,
    /// The mint that redeems it.
    pub mint: String,
    /// What it is good for.
    pub amount: Sats,
    /// When it was made; seconds since 1970.
    pub at_secs: u64,
    /// The token itself: anybody who reads it has the sats.
    pub text: String,
}

impl fmt::Debug for SentToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SentToken")
            .field("id", &self.id)
            .field("mint", &self.mint)
            .field("amount", &self.amount)
            .field("at_secs", &self.at_secs)
            .finish_non_exhaustive()
    }
}

/// A token with what it is made of.
pub(super) struct Known {
    pub(super) operation: Uuid,
    pub(super) token: SentToken,
    pub(super) proofs: Proofs,
}

impl CashuWallet {
    /// Tokens that nobody has taken, as far as that is known here; the oldest first. No mint is asked.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn tokens_out(&self) -> Result<Vec<SentToken>, WalletError> {
        Ok(self.known_tokens().await?.into_iter().map(|known| known.token).collect())
    }

    /// Asks the mints which tokens were taken, and forgets those; says how many.
    ///
    /// # Errors
    ///
    /// If a file fails. A mint that does not answer is asked again the next time.
    pub fn look_up_tokens(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        self.look_up_tokens_at(Ask::All, None).boxed()
    }

    /// As [`Self::look_up_tokens`], at these mints, or at one of them; none waits for another one.
    pub(crate) async fn look_up_tokens_at(
        &self,
        ask: Ask,
        only: Option<&MintUrl>,
    ) -> Result<usize, WalletError> {
        // What became of those on their way back is found by the process that finishes it.
        let arriving = self.arriving().await?;
        let mut known = self.known_tokens().await?;
        known.retain(|known| {
            ys(&known.proofs).is_ok_and(|coins| !coins.iter().any(|coin| arriving.contains(coin)))
        });
        let mut mints: HashSet<MintUrl> =
            known.iter().filter_map(|known| parse_mint(&known.token.mint).ok()).collect();
        let resting = self.inner.health.resting(ask);
        mints.retain(|mint| !resting.contains(mint) && only.is_none_or(|only| only == mint));
        let known = &known;
        let each = mints.into_iter().map(|mint| async move {
            let mint = mint.to_string();
            let here: Vec<&Known> = known.iter().filter(|known| known.token.mint == mint).collect();
            // One that is away holds up no other.
            self.taken_at(&mint, &here).await.unwrap_or_else(|error| {
                tracing::debug!(%error, "nobody says which tokens were taken");
                0
            })
        });
        Ok(join_all(each).await.into_iter().sum())
    }

    /// Takes a token back that nobody has taken: what arrived, fees taken off.
    ///
    /// # Errors
    ///
    /// As [`CashuWallet::receive_token`]; [`WalletError::AlreadySpent`] if somebody was quicker.
    pub async fn reclaim_token(&self, id: &str) -> Result<Sats, WalletError> {
        let found = self.known_tokens().await?.into_iter().find(|known| known.token.id == id);
        let known = found.ok_or(WalletError::AlreadySpent)?;
        let token = &known.token;
        self.refuse_arriving(&token.mint, &ys(&known.proofs)?).await?;
        // A mint that does not even say whether it was taken is not asked to exchange it: nothing is left in doubt.
        if self.taken_at(&token.mint, &[&known]).await? > 0 {
            return Err(WalletError::AlreadySpent);
        }
        let received = self.receive_token(&token.text).await;
        if received.is_err() {
            // Perhaps somebody was quicker; then it is not listed any more.
            self.look_up_tokens().await?;
        }
        received
    }

    /// Says of what each token is made of whose it is. The library asks about those proofs, when it looks at what a
    /// dead process left, and says it of none that it has exchanged others for: it would find those spent, and forget
    /// a token that nobody has taken.
    ///
    /// `alone`: nobody else has the wallet, so that what is not on its way to the mint will never be. The library
    /// would forget the proofs of a token that was being redeemed again, and the token after them.
    pub(crate) async fn name_token_proofs(&self, alone: bool) -> Result<(), WalletError> {
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let unasked = WalletSagaState::Receive(ReceiveSagaState::ProofsPending);
        let leaving: HashSet<Uuid> =
            sagas.into_iter().filter(|saga| saga.state != unasked).map(|saga| saga.id).collect();
        for Known { operation, token, proofs } in self.known_tokens().await? {
            let here =
                self.inner.store.get_proofs_by_ys(ys(&proofs)?).await.map_err(WalletError::internal)?;
            let Ok(mint) = parse_mint(&token.mint) else { continue };
            let mut named = Vec::new();
            for proof in proofs {
                let y = proof.y().map_err(WalletError::internal)?;
                match here.iter().find(|known| known.y == y) {
                    Some(known) if known.used_by_operation.is_none() => {
                        named.push(ProofInfo { used_by_operation: Some(operation), ..known.clone() });
                    }
                    Some(known)
                        if alone
                            && known.state == State::Pending
                            && known.used_by_operation.is_some_and(|by| !leaving.contains(&by)) =>
                    {
                        let (state, used_by_operation) = (State::PendingSpent, Some(operation));
                        named.push(ProofInfo { state, used_by_operation, ..known.clone() });
                    }
                    // Named, or on its way back.
                    Some(_) => {}
                    // Taking it back failed.
                    None => named.push(
                        ProofInfo::new_with_operations(
                            proof,
                            mint.clone(),
                            State::PendingSpent,
                            CurrencyUnit::Sat,
                            Some(operation),
                            None,
                        )
                        .map_err(WalletError::internal)?,
                    ),
                }
            }
            if !named.is_empty() {
                self.inner.store.update_proofs(named, Vec::new()).await.map_err(WalletError::internal)?;
            }
        }
        Ok(())
    }

    pub(super) async fn known_tokens(&self) -> Result<Vec<Known>, WalletError> {
        let sagas = self.inner.store.get_incomplete_sagas().await.map_err(WalletError::internal)?;
        let mut known: Vec<Known> = sagas
            .into_iter()
            .filter(|saga| matches!(saga.state, WalletSagaState::Send(SendSagaState::TokenCreated)))
            .filter_map(|saga| {
                let OperationData::Send(sent) = saga.data else { return None };
                let token = SentToken {
                    id: saga.id.to_string(),
                    mint: saga.mint_url.to_string(),
                    amount: Sats(sent.amount.to_u64()),
                    at_secs: saga.created_at,
                    text: sent.token?,
                };
                Some(Known { operation: saga.id, token, proofs: sent.proofs? })
            })
            .collect();
        known.sort_by_key(|known| known.token.at_secs);
        Ok(known)
    }

    /// How many of these tokens of one mint were taken; their records are gone then.
    async fn taken_at(&self, mint: &str, tokens: &[&Known]) -> Result<usize, WalletError> {
        let wallet = self.known_mint(&parse_mint(mint)?)?;
        let proofs: Proofs = tokens.iter().flat_map(|known| known.proofs.iter().cloned()).collect();
        let states = states(&wallet, mint, &proofs).await?;
        let spent: HashSet<PublicKey> =
            states.into_iter().filter(|state| state.state == State::Spent).map(|state| state.y).collect();
        let mut taken = 0;
        for known in tokens {
            if ys(&known.proofs)?.iter().all(|y| spent.contains(y)) {
                taken += usize::from(bounded(mint, wallet.check_send_status(known.operation)).await?);
            }
        }
        Ok(taken)
    }
}
