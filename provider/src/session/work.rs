//! Keys that have shown proof of work (docs/decisions/0109-vouching-and-proof-of-work.md).

use std::collections::HashMap;

use frlm_protocol::work;
use nostr::{Event, PublicKey, Timestamp};

/// How long the work of one job counts for its key.
const COUNTS_FOR_SECS: u64 = 600;
/// Keys that are remembered.
const MOST_KEYS: usize = 8_192;

/// Who has shown as much work as is asked for.
#[derive(Debug)]
pub(super) struct ShownWork {
    /// Bits that are asked for; 0: none.
    bits: u8,
    until: HashMap<PublicKey, Timestamp>,
}

impl ShownWork {
    pub fn asking_for(bits: u8) -> Self {
        Self { bits, until: HashMap::new() }
    }

    /// Bits that are asked for, if any are.
    pub fn asked(&self) -> Option<u8> {
        Some(self.bits).filter(|bits| *bits > 0)
    }

    /// Takes note of what a job shows.
    pub fn see(&mut self, job: &Event, now: Timestamp) {
        if self.bits == 0 || work::shown(job) < self.bits {
            return;
        }
        if self.until.len() >= MOST_KEYS {
            self.until.retain(|_, until| *until > now);
        }
        if self.until.len() < MOST_KEYS {
            self.until.insert(job.pubkey, now + COUNTS_FOR_SECS);
        }
    }

    /// Whether a key has shown enough a short while ago.
    pub fn has(&self, key: &PublicKey, now: Timestamp) -> bool {
        self.until.get(key).is_some_and(|until| *until > now)
    }
}
