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
//! it unclear until [`LINGER`] has passed.
//!
//! Another wallet of the same words takes the same counters, and the mint signs each of its outputs once: signatures
//! for outputs of an exchange whose inputs are unspent are that one's. Such an exchange can never be made; it is
//! abandoned, and the next one takes counters further on.
//!
//! Whoever wants the exchange may go away at any await: its plan is then kept as one without an
//! answer (the `in_hand` module), and [`CashuWallet::retry_unclear`] sees to it. It takes over what a process has left
//! that died, too, once nobody has asked for it for [`LINGER`]: programs that stay have the wallet open for days, and
//! nobody has it alone then.
//!
//! The plan says enough to make the very same request again: the inputs with their signatures,
//! and for each output either a NUT-13 counter or the lock that it belongs to. A mint signs a
//! blinded output once, so a replay can never pay twice.

mod blinding;
mod in_hand;
mod plans;

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use cdk::mint_url::MintUrl;
use cdk::nuts::{
    BlindSignature, BlindedMessage, CheckStateRequest, CurrencyUnit, Id, Keys, Proof, ProofState, PublicKey,
    RestoreRequest, State, SwapRequest,
};
use cdk::wallet::Wallet;
use cdk::wallet::types::ProofInfo;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use blinding::unblind;
pub(crate) use in_hand::InHand;
use plans::{adopt, end, insert, read_planned, set_asked};

use super::journal::now_ms;
use super::lightning::bounded;
use super::{CashuWallet, Recovery, WalletError};
use crate::escrow;

/// How long a request that nobody answered may still arrive at its mint.
const LINGER: Duration = Duration::from_mins(10);
/// Counters that are left to another wallet of the same words when it turns out to be ahead. A third of what a
/// recovery looks at before it believes that nothing more comes.
pub(super) const SKIPPED: u32 = 100;
/// Proofs that a mint is asked about in one request: mints refuse longer lists.
const MOST_ASKED: usize = 100;

/// What an exchange is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Own sats into locks.
    Lock,
    /// Released locks into a provider's own sats.
    Redeem,
    /// Locks, with the provider's signature or after the locktime, back into the payer's own sats.
    Reclaim,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Lock, Self::Redeem, Self::Reclaim];

    /// The name in the journal and of the failpoints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Redeem => "redeem",
            Self::Reclaim => "reclaim",
        }
    }
}

/// Where an output's secret and blinding factor come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// The seed, by NUT-13: the wallet's own.
    Own {
        /// The keyset's counter.
        counter: u32,
    },
    /// A lock's nonce.
    Lock {
        /// The lock.
        id: String,
        /// Which of its proofs.
        index: u32,
        /// The whole secret with its conditions.
        secret: String,
    },
}

/// One output of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Output {
    /// In sats; one of the keyset's denominations.
    pub amount: u64,
    /// How it is made.
    pub origin: Origin,
}

/// An exchange that is about to happen.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub kind: Kind,
    pub mint: MintUrl,
    pub operation: Uuid,
    pub keyset: Id,
    pub inputs: Vec<Proof>,
    pub outputs: Vec<Output>,
    /// Locks or claims that it is for.
    pub subjects: Vec<String>,
}

impl Planned {
    /// Whether an earlier copy of the request can still reach the mint.
    fn may_still_arrive(&self) -> bool {
        let linger = i64::try_from(LINGER.as_millis()).unwrap_or(i64::MAX);
        matches!(
            self.asked,
            Asked::At(asked) | Asked::Again(asked) if now_ms().saturating_sub(asked) < linger
        )
    }
}

impl Plan {
    /// Inputs less outputs: what the mint takes.
    pub fn fee(&self) -> u64 {
        let inputs: u64 = self.inputs.iter().map(|proof| proof.amount.to_u64()).sum();
        let outputs: u64 = self.outputs.iter().map(|output| output.amount).sum();
        inputs.saturating_sub(outputs)
    }
}

/// A planned exchange in the journal.
#[derive(Debug)]
pub(crate) struct Planned {
    pub plan: Plan,
    pub asked: Asked,
}

/// Whether the mint was asked for an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Not yet.
    Never,
    /// For the first time, and the answer is waited for.
    Now,
    /// Last at this moment (milliseconds since 1970) without a clear answer.
    At(i64),
    /// As at that moment, and again: the answer is waited for.
    Again(i64),
}

/// What an exchange gave.
#[derive(Debug)]
pub(crate) struct Done {
    /// In the order of the plan's outputs.
    pub proofs: Vec<Proof>,
}

/// How an exchange ended without result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The mint refused; the inputs are as they were.
    Refused(WalletError),
    /// Somebody else has spent inputs.
    InputsSpent(WalletError),
    /// Not known; the plan stays and is looked at again.
    Unclear(WalletError),
    /// As unclear as before: the mint refused this time, and an earlier copy may still arrive.
    StillUnclear(WalletError),
}

impl Failed {
    /// Whether the exchange may still be made.
    fn is_open(&self) -> bool {
        matches!(self, Self::Unclear(_) | Self::StillUnclear(_))
    }

    /// In words for whoever wanted the exchange. Only of one that is over is it said that nothing
    /// has moved.
    fn into_error(self, mint: &MintUrl) -> WalletError {
        match self {
            Self::Refused(error) | Self::InputsSpent(error) => error,
            Self::Unclear(error) | Self::StillUnclear(error) => in_doubt(mint, error),
        }
    }
}

/// What the mint knows of an exchange's outputs.
enum Outputs {
    /// It was made: the signatures, in their order.
    Signed(Vec<BlindSignature>),
    /// Some were signed, and not for this exchange.
    Taken,
    /// None was signed.
    Fresh,
}

fn in_doubt(mint: &MintUrl, error: WalletError) -> WalletError {
    match error {
        WalletError::Unclear { .. } | WalletError::Lying { .. } => error,
        other => WalletError::Unclear { mint: mint.to_string(), reason: other.to_string() },
    }
}

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

    /// Outputs of the wallet's own, their counters taken durably.
    pub(crate) async fn own_outputs(
        &self,
        keyset: Id,
        keys: &Keys,
        amount: u64,
    ) -> Result<Vec<Output>, WalletError> {
        let parts = Self::split(keys, amount)?;
        let count = u32::try_from(parts.len()).map_err(WalletError::internal)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let after =
            self.inner.store.increment_keyset_counter(&keyset, count).await.map_err(WalletError::internal)?;
        let own = |(amount, counter)| Output { amount, origin: Origin::Own { counter } };
        Ok(parts.into_iter().zip(after - count..).map(own).collect())
    }

    /// Writes the plan of an exchange, together with `rows` of whoever wants it. The inputs, if
    /// they are the wallet's own, are reserved; if they are gone by now, nothing is left behind.
    pub(crate) async fn begin(
        &self,
        mut plan: Plan,
        rows: impl FnOnce(&Transaction<'_>) -> Result<(), rusqlite::Error> + Send + 'static,
    ) -> Result<InHand<'_>, WalletError> {
        // The order of outputs tells the mint nothing (NUT-03).
        plan.outputs.sort_by_key(|output| output.amount);
        let written = plan.clone();
        // In hand before it is written: whoever waits may go away between the commit and its news.
        let hand = InHand::new(self, Planned { plan, asked: Asked::Never });
        let work = move |transaction: &Transaction<'_>| {
            rows(transaction)?;
            insert(transaction, &written)
        };
        if let Err(error) = self.inner.journal.write(work).await {
            hand.over();
            return Err(error);
        }
        let plan = &hand.plan;
        crate::failpoint::hit(&format!("{}.1", plan.kind.name()));
        if plan.kind == Kind::Lock
            && let Err(error) = self.inner.store.reserve_proofs(ys(&plan.inputs)?, &plan.operation).await
        {
            self.abandon(&hand).await?;
            let mint = plan.mint.to_string();
            hand.over();
            return Err(WalletError::Unclear { mint, reason: error.to_string() });
        }
        crate::failpoint::hit(&format!("{}.2", plan.kind.name()));
        Ok(hand)
    }

    /// Makes a planned exchange, and ends it as far as that can be known. One that is unclear is
    /// kept for [`CashuWallet::retry_unclear`], and so is one whose maker goes away meanwhile.
    pub(crate) async fn carry_out(&self, mut hand: InHand<'_>) -> Result<Done, WalletError> {
        hand.ask();
        match self.execute(&hand).await {
            Ok(done) => {
                escrow::finish_swap(self, &hand, &done).await?;
                hand.over();
                Ok(done)
            }
            Err(failed) => Err(self.fail(hand, failed).await?),
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
                Outputs::Taken => return Err(self.outrun(&wallet, planned, error).await),
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
        // When it is finished anew, some may be here and spent already.
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

    /// Ends a plan that the mint has refused: inputs are free again.
    async fn abandon(&self, planned: &Planned) -> Result<(), WalletError> {
        let plan = &planned.plan;
        if plan.kind == Kind::Lock {
            self.inner.store.release_proofs(&plan.operation).await.map_err(WalletError::internal)?;
        }
        let (operation, kind, subjects) = (plan.operation, plan.kind, plan.subjects.clone());
        self.inner
            .journal
            .write(move |transaction| {
                // One that was never written has changed nothing that could be undone.
                if end(transaction, operation, "abandoned")? {
                    escrow::book::undone(transaction, kind, &subjects)?;
                }
                Ok(())
            })
            .await
    }

    /// Ends a plan of whose inputs somebody else has spent some: those are forgotten, and what
    /// shared the exchange with them is as it was before.
    async fn forget(&self, planned: &Planned) -> Result<(), WalletError> {
        let plan = &planned.plan;
        let wallet = self.known_mint(&plan.mint)?;
        let mint = plan.mint.to_string();
        // The mint says which, before anything is let go of.
        let states = states(&wallet, &mint, &plan.inputs).await?;
        let spent: HashSet<String> =
            states.iter().filter(|state| state.state == State::Spent).map(|state| state.y.to_hex()).collect();
        if plan.kind == Kind::Lock {
            self.inner.store.release_proofs(&plan.operation).await.map_err(WalletError::internal)?;
            let gone = ys(&plan.inputs)?.into_iter().filter(|y| spent.contains(&y.to_hex())).collect();
            self.inner.store.update_proofs_state(gone, State::Spent).await.map_err(WalletError::internal)?;
        }
        let (operation, kind, subjects) = (plan.operation, plan.kind, plan.subjects.clone());
        self.inner
            .journal
            .write(move |transaction| {
                escrow::book::lost(transaction, kind, &subjects, &spent)?;
                end(transaction, operation, "abandoned").map(drop)
            })
            .await
    }

    /// Ends a failed exchange as far as that can be known, and says why it failed. One that is
    /// unclear is kept for [`CashuWallet::retry_unclear`].
    async fn fail(&self, mut hand: InHand<'_>, failed: Failed) -> Result<WalletError, WalletError> {
        let mint = hand.plan.mint.clone();
        match &failed {
            Failed::Refused(_) => {
                self.abandon(&hand).await?;
                hand.over();
            }
            Failed::InputsSpent(_) => match self.forget(&hand).await {
                Ok(()) => hand.over(),
                Err(error) => {
                    self.keep(hand).await?;
                    return Err(in_doubt(&mint, error));
                }
            },
            Failed::Unclear(_) => self.keep(hand).await?,
            // This copy was answered; what may still arrive is older.
            Failed::StillUnclear(_) => {
                hand.answered();
                self.note_asked(&hand).await?;
            }
        }
        Ok(failed.into_error(&mint))
    }

    /// Keeps an exchange that got no clear answer.
    async fn keep(&self, mut hand: InHand<'_>) -> Result<(), WalletError> {
        hand.unanswered();
        self.note_asked(&hand).await.map(drop)
    }

    /// Writes down when the mint was last asked, for whoever comes after a crash; whether the exchange is planned
    /// still.
    async fn note_asked(&self, hand: &InHand<'_>) -> Result<bool, WalletError> {
        let operation = hand.plan.operation;
        let asked_ms = match hand.asked {
            Asked::Never | Asked::Now | Asked::Again(_) => now_ms(),
            Asked::At(asked_ms) => asked_ms,
        };
        self.inner.journal.write(move |transaction| set_asked(transaction, operation, asked_ms)).await
    }

    /// Makes again what a mint of this session has not answered clearly, or what somebody wanted
    /// who has gone away, a process that died included; says how many exchanges are over now.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn retry_unclear(&self) -> BoxFuture<'_, Result<usize, WalletError>> {
        async move {
            let waiting: Vec<InHand<'_>> = std::mem::take(&mut *self.unclear())
                .into_iter()
                .map(|planned| InHand::new(self, planned))
                .collect();
            let mut ended = 0;
            for hand in waiting {
                if hand.asked == Asked::Never {
                    self.abandon(&hand).await?;
                    hand.over();
                    ended += 1;
                } else {
                    ended += usize::from(self.see_to(hand).await?.is_none());
                }
            }
            let left: Vec<InHand<'_>> =
                self.orphans().await?.into_iter().map(|planned| InHand::new(self, planned)).collect();
            for hand in left {
                self.reserve_again(&hand).await?;
                ended += usize::from(self.see_to(hand).await?.is_none());
            }
            Ok(ended)
        }
        .boxed()
    }

    /// All exchanges that are not over, whoever sees to them.
    pub(super) async fn open_exchanges(&self) -> Result<Vec<Plan>, WalletError> {
        let planned = self.inner.journal.write(read_planned).await?;
        Ok(planned.into_iter().map(|planned| planned.plan).collect())
    }

    /// Exchanges that nobody sees to any more. Whoever is alive has asked for its own much later, or given them up
    /// within much less.
    async fn orphans(&self) -> Result<Vec<Planned>, WalletError> {
        let own: Vec<Uuid> = self.unclear().iter().map(|planned| planned.plan.operation).collect();
        let before = now_ms().saturating_sub(i64::try_from(LINGER.as_millis()).unwrap_or(i64::MAX));
        self.inner.journal.write(move |transaction| adopt(transaction, before, &own)).await
    }

    /// Keeps the inputs of a dead process's exchange aside: it may have died before it did. They are ours either way.
    async fn reserve_again(&self, planned: &Planned) -> Result<(), WalletError> {
        if planned.plan.kind == Kind::Lock {
            let ys = ys(&planned.plan.inputs)?;
            let _ = self.inner.store.reserve_proofs(ys, &planned.plan.operation).await;
        }
        Ok(())
    }

    /// Makes an exchange again; the reason if it is not over then either.
    async fn see_to(&self, mut hand: InHand<'_>) -> Result<Option<WalletError>, WalletError> {
        hand.ask();
        // Before it leaves: should this process die now, that copy may still arrive.
        if !self.note_asked(&hand).await? {
            // Somebody took it for abandoned, and has seen to it.
            hand.over();
            return Ok(None);
        }
        match self.execute(&hand).await {
            Ok(done) => {
                escrow::finish_swap(self, &hand, &done).await?;
                hand.over();
                Ok(None)
            }
            Err(failed) => {
                let open = failed.is_open();
                let error = self.fail(hand, failed).await?;
                Ok(open.then_some(error))
            }
        }
    }

    fn unclear(&self) -> MutexGuard<'_, Vec<Planned>> {
        self.inner.unclear.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes every planned exchange again. Only for a wallet that nobody else uses.
    pub(super) async fn recover_swaps(&self, recovery: &mut Recovery) -> Result<(), WalletError> {
        for planned in self.inner.journal.write(read_planned).await? {
            self.reserve_again(&planned).await?;
            match self.see_to(InHand::new(self, planned)).await? {
                None => recovery.swaps += 1,
                Some(error) => recovery.waiting.push(error.to_string()),
            }
        }
        Ok(())
    }

    /// Why an exchange was not made; or its signatures, if it was made while that was found out.
    async fn why_not(
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
            WalletError::Refused { .. } if !planned.may_still_arrive() => return Err(Failed::Refused(error)),
            _ => {}
        }
        let states = states(wallet, &mint, &plan.inputs).await;
        if !states.is_ok_and(|states| states.iter().any(|state| state.state == State::Spent)) {
            let refused = matches!(error, WalletError::Refused { .. });
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
    /// spent since then; and it will not be made any more.
    async fn outrun(&self, wallet: &Wallet, planned: &Planned, error: WalletError) -> Failed {
        let plan = &planned.plan;
        let mint = plan.mint.to_string();
        let states = match states(wallet, &mint, &plan.inputs).await {
            Ok(states) => states,
            Err(error) => return Failed::Unclear(error),
        };
        if states.iter().any(|state| state.state == State::Spent) {
            return Failed::InputsSpent(error);
        }
        if states.len() != plan.inputs.len() || states.iter().any(|state| state.state != State::Unspent) {
            return Failed::Unclear(error);
        }
        let last = plan.outputs.iter().filter_map(|output| match output.origin {
            Origin::Own { counter } => Some(counter),
            Origin::Lock { .. } => None,
        });
        let on = last.max().unwrap_or_default().saturating_add(SKIPPED);
        if let Err(error) = self.raise_counter(&plan.keyset, on).await {
            tracing::warn!(%error, "the next exchange takes the counters after these, one by one");
        }
        Failed::Refused(WalletError::Outrun { mint })
    }

    /// What the mint knows of an exchange's outputs: whether it was made (NUT-09).
    async fn look_up(
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
