//! What front ends see of `frlm_wallet`: money. Items are named one by one.

pub use frlm_wallet::{
    CashuWallet, Key, Ledger, LedgerError, Money, Msats, Sats, SettlementOutcome, WalletError, reconcile,
};

/// As [`frlm_wallet::cashu`].
pub mod cashu {
    pub use frlm_wallet::cashu::{Invoice, PaymentQuote, Transfer, TransferState};
}

/// As [`frlm_wallet::debts`].
pub mod debts {
    pub use frlm_wallet::debts::{CREDIT_LINES_OVERALL, DebtRow, DebtState};
}

/// As [`frlm_wallet::escrow`].
pub mod escrow {
    pub use frlm_wallet::escrow::{Earning, LockRow};
}

/// As [`frlm_wallet::ledger`].
pub mod ledger {
    pub use frlm_wallet::ledger::{
        Entry, HistoryEvent, HistoryRow, Limit, RunBudget, State, Transition, Usage,
    };
}

/// As [`frlm_wallet::nwc`].
pub mod nwc {
    pub use frlm_wallet::nwc::{NwcWallet, fund, quote_withdrawal};
}

/// As [`frlm_wallet::seed`].
pub mod seed {
    pub use frlm_wallet::seed::{Phrase, Zeroizing, is_word_at, places_to_ask};
}
