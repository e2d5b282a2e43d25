//! Between a mint and a Lightning wallet.

use std::time::Duration;

use super::{NwcError, NwcWallet};
use crate::amount::{Msats, Sats};
use crate::cashu::PaymentQuote;
use crate::error::WalletError;
use crate::mint::CashuWallet;

/// How long the mint may take to see a payment that the wallet has made.
const ARRIVAL: Duration = Duration::from_mins(1);

/// Why sats did not get from one to the other.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The Lightning wallet.
    #[error(transparent)]
    Lightning(#[from] NwcError),
    /// The mint.
    #[error(transparent)]
    Mint(#[from] WalletError),
}

/// Pays an invoice of a mint and takes the sats. Whether they arrive is the mint's word, not the
/// Lightning wallet's: a payment that nobody has confirmed is waited for all the same, and the wallet
/// takes what comes later when it is opened the next time.
///
/// # Errors
///
/// [`WalletError::NotPaid`] if nothing has arrived yet.
pub async fn fund(
    from: &NwcWallet,
    to: &CashuWallet,
    mint: &str,
    amount: Sats,
) -> Result<Sats, TransferError> {
    let invoice = to.invoice(mint, amount).await?;
    match from.pay(&invoice.bolt11, in_msats(amount)).await {
        Ok(_) => {}
        Err(NwcError::Unclear { payment_hash }) => {
            tracing::warn!(%payment_hash, "the wallet has not confirmed a payment; the mint is asked");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(to.receive_invoice(&invoice, ARRIVAL).await?)
}

/// Asks the Lightning wallet for an invoice, and the mint what paying it costs. Nothing moves before
/// the quote is paid ([`CashuWallet::pay`]).
///
/// # Errors
///
/// As the two of them.
pub async fn quote_withdrawal(
    to: &NwcWallet,
    from: &CashuWallet,
    mint: &str,
    amount: Sats,
) -> Result<PaymentQuote, TransferError> {
    let invoice = to.make_invoice(in_msats(amount), "FRLM").await?;
    Ok(from.payment_quote(mint, &invoice, in_msats(amount)).await?)
}

/// No amount of sats that exists is beyond this.
fn in_msats(amount: Sats) -> Msats {
    amount.to_msats().unwrap_or(Msats(u64::MAX))
}
