//! The counters of the wallet's own outputs (NUT-13).
//!
//! A search by the words gives up after a few hundred counters without a coin, and an exchange that is refused leaves
//! its own unused. A mint may refuse for hours while somebody tries again every half a minute. So the counters of what
//! was certainly never signed are taken again before new ones, by this process: the next one leaves a gap of one
//! exchange at most.

use std::collections::{BTreeSet, HashMap};
use std::sync::{MutexGuard, PoisonError};

use cdk::nuts::{Id, Keys};

use super::exchange::{Origin, Output, Plan};
use crate::error::WalletError;
use crate::mint::CashuWallet;

/// Counters that can be taken again, by keyset.
pub(in crate::mint) type Spare = HashMap<Id, BTreeSet<u32>>;

impl CashuWallet {
    /// Outputs of the wallet's own, their counters taken durably.
    pub(crate) async fn own_outputs(
        &self,
        keyset: Id,
        keys: &Keys,
        amount: u64,
    ) -> Result<Vec<Output>, WalletError> {
        let parts = Self::split(keys, amount)?;
        let mut counters = self.take_spare(&keyset, parts.len());
        let missing = u32::try_from(parts.len() - counters.len()).map_err(WalletError::internal)?;
        if missing > 0 {
            let after = self.inner.store.increment_keyset_counter(&keyset, missing).await;
            let after = after.map_err(WalletError::internal)?;
            counters.extend(after - missing..after);
        }
        let own = |(amount, counter)| Output { amount, origin: Origin::Own { counter } };
        Ok(parts.into_iter().zip(counters).map(own).collect())
    }

    /// Nothing was signed for an exchange, and nothing will be.
    pub(super) fn spare(&self, plan: &Plan) {
        let own = plan.outputs.iter().filter_map(|output| match output.origin {
            Origin::Own { counter } => Some(counter),
            Origin::Lock { .. } => None,
        });
        self.spared().entry(plan.keyset).or_default().extend(own);
    }

    fn take_spare(&self, keyset: &Id, most: usize) -> Vec<u32> {
        let mut spared = self.spared();
        let Some(here) = spared.get_mut(keyset) else { return Vec::new() };
        std::iter::from_fn(|| here.pop_first()).take(most).collect()
    }

    fn spared(&self) -> MutexGuard<'_, Spare> {
        self.inner.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use crate::cashu::tests::{World, available};
    use crate::escrow::LockOrder;
    use crate::{Clock, Key, Sats};

    #[tokio::test]
    async fn a_mint_that_refuses_again_and_again_uses_up_no_counters() {
        let world = World::new().await;
        let wallet = world.funded(64).await;
        let url = world.mint.url();
        let keyset = wallet.mint(url).await.unwrap().active_keyset().await.unwrap().id;
        let counter = async || wallet.inner.store.increment_keyset_counter(&keyset, 0).await.unwrap();
        let lock = async |subtask: u32| {
            let order = LockOrder {
                key: Key::new("run", subtask, 0),
                peer: "npub".to_owned(),
                provider: wallet.provider_key(),
                price: Sats(13),
                most: None,
                locktime: Clock::system().now_secs() + 3_600,
            };
            wallet.lock_all(url, vec![order]).await
        };
        world.line.refuse_exchanges();
        assert!(lock(1).await.unwrap_err().is_certain());
        let next = counter().await;
        for subtask in 2..5 {
            assert!(lock(subtask).await.unwrap_err().is_certain());
            assert_eq!(counter().await, next);
        }
        world.line.set_faults(0);
        lock(5).await.unwrap();
        assert_eq!((counter().await, available(&wallet).await), (next, 64 - 13));
        // What is signed is never taken again.
        lock(6).await.unwrap();
        assert!(counter().await > next);
        assert_eq!(available(&wallet).await, 64 - 2 * 13);
    }
}
