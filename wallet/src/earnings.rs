//! What a provider has earned and is owed, from the claims of escrow and the debts of credit lines.

use crate::debts::unpaid_where;
use crate::error::WalletError;
use crate::escrow::Earning;
use crate::escrow::claims::earnings_where;
use crate::mint::CashuWallet;

impl CashuWallet {
    /// Everything that was ever accepted or is owed, oldest first.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn earnings(&self) -> Result<Vec<Earning>, WalletError> {
        self.earnings_since(0).await
    }

    /// As [`Self::earnings`], of what has changed at this moment (milliseconds since 1970) or later.
    ///
    /// # Errors
    ///
    /// If the file fails.
    pub async fn earnings_since(&self, at_unix_ms: i64) -> Result<Vec<Earning>, WalletError> {
        self.inner
            .journal
            .write(move |transaction| {
                let mut earnings = earnings_where(transaction, "at_ms >= ?1", at_unix_ms)?;
                earnings.extend(unpaid_where(transaction, "at_ms >= ?1", at_unix_ms)?);
                earnings.sort_by_key(|earning| earning.at_unix_ms);
                Ok(earnings)
            })
            .await
    }
}
