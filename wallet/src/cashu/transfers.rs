//! Sats that came in and went out over Lightning and as tokens, from the library's books. What runs paid through
//! escrow is in our own (`escrow`), and not here.

use cdk::wallet::types::{Transaction, TransactionDirection, TransactionStatus};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::amount::Sats;
use crate::error::WalletError;
use crate::mint::CashuWallet;

/// Sats that came in or went out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// When it was begun, or came to its end; seconds since 1970.
    pub at_secs: u64,
    /// The mint.
    pub mint: String,
    /// Whether they came in.
    pub incoming: bool,
    /// Whether they came or went as a token; otherwise over Lightning.
    pub as_token: bool,
    /// What the receiver got, or is to get.
    pub amount: Sats,
    /// What it cost on top; of one that is not over, the most that it can.
    pub fees: Sats,
    /// How it stands.
    pub state: TransferState,
}

/// How a transfer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferState {
    /// Under way; a token that nobody has taken.
    Pending,
    /// Over.
    Done,
    /// Over, and nothing was moved.
    Failed,
}

impl TransferState {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

impl CashuWallet {
    /// Sats in and out at the mints of the list, the newest first. No mint is asked.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn transfers(&self) -> BoxFuture<'_, Result<Vec<Transfer>, WalletError>> {
        async move {
            let mut transfers = Vec::new();
            for rule in self.mints().await? {
                let wallet = self.mint(&rule.url).await?;
                let booked = wallet.list_transactions(None).await.map_err(WalletError::internal)?;
                transfers.extend(booked.iter().map(|booked| transfer(&rule.url, booked)));
            }
            transfers.sort_by_key(|transfer| std::cmp::Reverse(transfer.at_secs));
            Ok(transfers)
        }
        .boxed()
    }
}

fn transfer(mint: &str, booked: &Transaction) -> Transfer {
    Transfer {
        at_secs: booked.timestamp,
        mint: mint.to_owned(),
        incoming: booked.direction == TransactionDirection::Incoming,
        as_token: booked.quote_id.is_none(),
        amount: Sats(booked.amount.to_u64()),
        fees: Sats(booked.fee.to_u64()),
        state: match booked.status {
            TransactionStatus::Pending => TransferState::Pending,
            TransactionStatus::Completed => TransferState::Done,
            TransactionStatus::Failed => TransferState::Failed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Msats;
    use crate::cashu::tests::{World, wallet_in};
    use crate::seed::Phrase;

    #[tokio::test]
    async fn what_came_and_what_went_is_listed_with_how_it_stands() {
        let world = World::new().await;
        let wallet = world.funded(100).await;
        let other = World::at_another_mint().await;
        let invoice = other.wallet().await.invoice(other.mint.url(), Sats(40)).await.unwrap().bolt11;
        let quote = wallet.payment_quote(world.mint.url(), &invoice, Msats(40_000)).await.unwrap();
        wallet.pay(&quote).await.unwrap();
        let token = wallet.send_token(world.mint.url(), Sats(20)).await.unwrap();
        let listed = async |wallet: &CashuWallet| {
            let transfers = wallet.transfers().await.unwrap();
            let mut found: Vec<_> = transfers
                .into_iter()
                .map(|each| (each.incoming, each.as_token, each.amount.0, each.fees.0, each.state.name()))
                .collect();
            found.sort_unstable();
            found
        };
        let paid = (false, false, 40, 1, "done");
        let funded = (true, false, 100, 0, "done");
        assert_eq!(listed(&wallet).await, [paid, (false, true, 20, 0, "pending"), funded]);

        let folder = tempfile::tempdir().unwrap();
        let receiver = wallet_in(folder.path(), &Phrase::generate().seed(), world.mint.url()).await;
        receiver.receive_token(&token).await.unwrap();
        wallet.look_up_tokens().await.unwrap();
        assert_eq!(listed(&wallet).await, [paid, (false, true, 20, 0, "done"), funded]);
        assert_eq!(listed(&receiver).await, [(true, true, 20, 0, "done")]);
    }
}
