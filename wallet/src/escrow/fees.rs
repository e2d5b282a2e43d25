//! What a mint takes for moving sats: a rate for each proof that is spent, rounded up for each exchange.

use std::collections::HashMap;

use cdk::nuts::{Id, Keys};
use cdk::wallet::Wallet;

use super::lock::MOST_PROOFS;
use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::CashuWallet;
use crate::mint::asking::bounded;

/// The fee rate of each keyset, in thousandths of a sat per proof.
pub(super) async fn rates(mint: &str, wallet: &Wallet) -> Result<HashMap<Id, u64>, WalletError> {
    let keysets = bounded(mint, wallet.get_keyset_fees_and_amounts()).await?;
    Ok(keysets.into_iter().map(|(id, keyset)| (id, keyset.fee())).collect())
}

/// The dearest rate at which own sats may have to be spent: those of an older keyset may cost more than the active one's.
pub(super) fn dearest(active: u64, rates: &HashMap<Id, u64>) -> u64 {
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

pub(super) fn fee(input_fee_ppk: u64, proofs: u64) -> Sats {
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
