//! What a run may still reserve, as far as it decides over that itself.

use frlm_wallet::{Ledger, LedgerError, Sats};

use crate::trace::TraceEvent;

/// What the ledger has for a run, less what is about to be reserved. What other runs take of limits that they share is not in it.
#[derive(Debug, Default)]
pub(in crate::run) struct Left(Sats);

impl Left {
    /// What the ledger says. To be asked for before the first reservation.
    pub async fn of(ledger: &Ledger, run: &str) -> Result<Self, LedgerError> {
        Ok(Self(ledger.budget(run).await?.available))
    }

    /// What may still be reserved.
    pub fn available(&self) -> Sats {
        self.0
    }

    /// So much is about to be reserved.
    pub fn take(&mut self, sats: Sats) {
        self.0 = self.0.saturating_sub(sats);
    }

    /// So much is free again, or the limit was raised by it.
    pub fn add(&mut self, sats: Sats) {
        self.0 = self.0.saturating_add(sats);
    }

    /// What events say came back of reservations.
    pub fn add_refunds(&mut self, events: &[TraceEvent]) {
        for event in events {
            if let TraceEvent::BudgetSettle { refunded_sats, .. } = event {
                self.add(Sats(*refunded_sats));
            }
        }
    }
}
