//! What waits for mints: in tasks, so that commands never do.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::Payments;

/// Something that waits for mints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Errand {
    /// Redeems what is released at one mint.
    Redeem(String),
    /// Checks pay that has come for debts.
    Check,
    /// Makes again what no mint has answered, and gives up what has expired.
    Look,
}

/// Errands that are under way, one of each kind; those at different mints are of different kinds.
#[derive(Debug, Default)]
pub(super) struct Errands {
    under_way: Vec<Errand>,
    /// Wanted once more while they were under way.
    again: Vec<Errand>,
    tasks: JoinSet<(Errand, bool, Arc<Payments>)>,
}

impl Errands {
    /// Begins an errand, or has it done once more after the one that is under way.
    pub fn begin(&mut self, errand: Errand, payments: &Arc<Payments>) {
        if self.under_way.contains(&errand) {
            if !self.again.contains(&errand) {
                self.again.push(errand);
            }
            return;
        }
        self.under_way.push(errand.clone());
        let payments = Arc::clone(payments);
        self.tasks.spawn(async move {
            let redeemable = payments.run_errand(&errand).await;
            (errand, redeemable, payments)
        });
    }

    /// Waits until one has ended: whether there may be something to redeem. Nothing where none is under way.
    pub async fn ended(&mut self) -> Option<bool> {
        let Ok((errand, redeemable, payments)) = self.tasks.join_next().await? else {
            // Only a panic of it, which says so itself. What was under way is not known any more.
            self.under_way.clear();
            return Some(false);
        };
        self.under_way.retain(|under_way| *under_way != errand);
        if let Some(index) = self.again.iter().position(|again| *again == errand) {
            self.again.swap_remove(index);
            self.begin(errand, &payments);
        }
        Some(redeemable)
    }

    /// Waits until all have ended.
    pub async fn all(&mut self) {
        while self.ended().await.is_some() {}
    }
}
