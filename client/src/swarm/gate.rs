//! Which signs of life are worth a look at their signature.
//!
//! A fresh key costs nothing, and one heartbeat of it costs each asker more than its sender: ten thousand of them would keep an
//! asker from the results that come behind. So those of keys that have announced themselves are looked at, and a few a second of
//! others: their announcement may come later, from another relay.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frlm_protocol::kinds::HEARTBEAT;
use frlm_util::rate::{Rate, TokenBucket};
use nostr::{Event, PublicKey};
use tokio::time::Instant;

/// Signs of life of keys that have announced nothing: so many at once, and so many a second.
const EARLY: Rate = Rate { per_second: 20.0, burst: 200.0 };
/// Keys that are let in; those behind them wait like keys that have announced nothing.
const MOST_KEYS: usize = 20_000;

/// Whose heartbeats are let in. Clones are the same gate.
#[derive(Debug, Clone)]
pub(super) struct Gate(Arc<Mutex<Inside>>);

#[derive(Debug)]
struct Inside {
    keys: HashSet<PublicKey>,
    early: TokenBucket,
    began: Instant,
}

impl Gate {
    /// One that lets these in from the beginning.
    pub fn for_keys(keys: &[PublicKey]) -> Self {
        let early = TokenBucket::with(EARLY.burst, Duration::ZERO);
        let inside = Inside { keys: keys.iter().copied().collect(), early, began: Instant::now() };
        Self(Arc::new(Mutex::new(inside)))
    }

    /// A key has announced itself.
    pub fn admit(&self, key: PublicKey) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inside.keys.len() < MOST_KEYS {
            inside.keys.insert(key);
        }
    }

    /// Whether an event whose signature nobody has looked at is worth a look.
    pub fn lets_in(&self, event: &Event) -> bool {
        if event.kind != HEARTBEAT {
            return true;
        }
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = inside.began.elapsed();
        inside.keys.contains(&event.pubkey) || inside.early.take(EARLY, now).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventBuilder, Keys, Kind};

    use super::*;

    fn event(keys: &Keys, kind: Kind) -> Event {
        EventBuilder::new(kind, "").sign_with_keys(keys).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_heartbeats_shuts_out_neither_who_announced_nor_results() {
        let [named, announced, later] = [(); 3].map(|()| Keys::generate());
        let gate = Gate::for_keys(&[named.public_key()]);
        gate.admit(announced.public_key());
        let flood = (0..1_000).filter(|_| gate.lets_in(&event(&Keys::generate(), HEARTBEAT))).count();
        assert_eq!(flood, 200);
        assert!(gate.lets_in(&event(&named, HEARTBEAT)) && gate.lets_in(&event(&announced, HEARTBEAT)));
        assert!(gate.lets_in(&event(&later, Kind::from_u16(6050))));
        assert!(!gate.lets_in(&event(&later, HEARTBEAT)));
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(gate.lets_in(&event(&later, HEARTBEAT)), "a few a second");
    }
}
