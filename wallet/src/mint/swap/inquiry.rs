//! What a mint knows of an exchange that it has not answered, or refused.

use std::collections::HashMap;

use cdk::nuts::{
    BlindSignature, BlindedMessage, CheckStateRequest, Proof, ProofState, PublicKey, RestoreRequest, State,
};
use cdk::wallet::Wallet;

use super::SKIPPED;
use super::exchange::{Failed, Kind, Origin, Plan, Planned};
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::asking::bounded;

/// Proofs that a mint is asked about in one request: mints refuse longer lists.
const MOST_ASKED: usize = 100;

/// What the mint knows of an exchange's outputs.
pub(super) enum Outputs {
    /// It was made: the signatures, in their order.
    Signed(Vec<BlindSignature>),
    /// Some were signed, and not for this exchange.
    Taken,
    /// None was signed.
    Fresh,
}

impl CashuWallet {
    /// What the mint knows of an exchange's outputs: whether it was made (NUT-09).
    pub(super) async fn look_up(
        &self,
        wallet: &Wallet,
        plan: &Plan,
        messages: &[BlindedMessage],
    ) -> Result<Outputs, WalletError> {
        let mint = plan.mint.to_string();
        let request = RestoreRequest { outputs: messages.to_vec() };
        let response = bounded(&mint, wallet.mint_connector().post_restore(request)).await?;
        let mut signed: HashMap<PublicKey, BlindSignature> = response
            .outputs
            .into_iter()
            .map(|output| output.blinded_secret)
            .zip(response.signatures)
            .collect();
        let found: Vec<_> =
            messages.iter().filter_map(|message| signed.remove(&message.blinded_secret)).collect();
        if found.is_empty() {
            return Ok(Outputs::Fresh);
        }
        if found.len() < messages.len() {
            return Ok(Outputs::Taken);
        }
        // The outputs of a lock are of this one alone; others could be those of another wallet of the same words.
        if plan.kind == Kind::Lock {
            return Ok(Outputs::Signed(found));
        }
        let states = states(wallet, &mint, &plan.inputs).await?;
        if states.iter().any(|state| matches!(state.state, State::Pending)) {
            return Err(WalletError::Unclear { mint, reason: "its inputs are being spent".to_owned() });
        }
        let is_made = states.iter().all(|state| state.state == State::Spent);
        Ok(if is_made { Outputs::Signed(found) } else { Outputs::Taken })
    }

    /// Why an exchange was not made; or its signatures, if it was made while that was found out.
    pub(super) async fn why_not(
        &self,
        wallet: &Wallet,
        planned: &Planned,
        messages: &[BlindedMessage],
        error: WalletError,
    ) -> Result<Vec<BlindSignature>, Failed> {
        let plan = &planned.plan;
        let mint = plan.mint.to_string();
        match &error {
            WalletError::AlreadySpent => return Err(Failed::InputsSpent(error)),
            refusal if refusal.is_refusal() && !planned.may_still_arrive() => {
                return Err(Failed::Refused(error));
            }
            _ => {}
        }
        let states = states(wallet, &mint, &plan.inputs).await;
        if !states.is_ok_and(|states| states.iter().any(|state| state.state == State::Spent)) {
            let refused = error.is_refusal();
            return Err(if refused { Failed::StillUnclear(error) } else { Failed::Unclear(error) });
        }
        // Spent by now: by an earlier copy of this request, or by somebody else. Which of the two is
        // certain only when looked at afterwards.
        match self.look_up(wallet, plan, messages).await.map_err(Failed::Unclear)? {
            Outputs::Signed(signatures) => Ok(signatures),
            Outputs::Taken | Outputs::Fresh => Err(Failed::InputsSpent(error)),
        }
    }

    /// Ends an exchange of whose outputs the mint has signed some for another one. Were it made, its inputs would be
    /// spent since then; and it will not be made any more. Or its signatures, if it was made while that was found out: a
    /// mint that is at it may name its outputs one by one, and has named those that it had signed by then (Nutshell 0.20.2).
    pub(super) async fn counter_collision(
        &self,
        wallet: &Wallet,
        planned: &Planned,
        messages: &[BlindedMessage],
        error: WalletError,
    ) -> Result<Vec<BlindSignature>, Failed> {
        let plan = &planned.plan;
        let mint = plan.mint.to_string();
        let states = states(wallet, &mint, &plan.inputs).await.map_err(Failed::Unclear)?;
        if states.iter().any(|state| state.state == State::Spent) {
            return match self.look_up(wallet, plan, messages).await.map_err(Failed::Unclear)? {
                Outputs::Signed(signatures) => Ok(signatures),
                Outputs::Taken | Outputs::Fresh => Err(Failed::InputsSpent(error)),
            };
        }
        if states.len() != plan.inputs.len() || states.iter().any(|state| state.state != State::Unspent) {
            return Err(Failed::Unclear(error));
        }
        let last = plan.outputs.iter().filter_map(|output| match output.origin {
            Origin::Own { counter } => Some(counter),
            Origin::Lock { .. } => None,
        });
        let on = last.max().unwrap_or_default().saturating_add(SKIPPED);
        if let Err(error) = self.raise_counter(&plan.keyset, on).await {
            tracing::warn!(%error, "the next exchange takes the counters after these, one by one");
        }
        Err(Failed::Refused(WalletError::CounterCollision { mint }))
    }
}

/// What the mint says of proofs (NUT-07), and nothing else: the library's own way of asking forgets
/// those that are spent. They may be inputs of an exchange that was made and whose outputs are still
/// to come; until then they stand for them.
pub(crate) async fn states(
    wallet: &Wallet,
    mint: &str,
    proofs: &[Proof],
) -> Result<Vec<ProofState>, WalletError> {
    let mut states = Vec::with_capacity(proofs.len());
    for some in ys(proofs)?.chunks(MOST_ASKED) {
        let request = CheckStateRequest { ys: some.to_vec() };
        states.extend(bounded(mint, wallet.mint_connector().post_check_state(request)).await?.states);
    }
    Ok(states)
}

pub(crate) fn ys(proofs: &[Proof]) -> Result<Vec<PublicKey>, WalletError> {
    proofs.iter().map(|proof| proof.y().map_err(WalletError::internal)).collect()
}
