//! What the blob server keeps: in memory, bounded, each blob until it expires.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use axum::body::Bytes;
use frlm_protocol::limits::MAX_BLOB_BYTES;
use nostr::hashes::sha256;
use nostr::{PublicKey, Timestamp};
use thiserror::Error;

/// What a small blob counts as: its entry takes room, too.
const LEAST_COUNTED: usize = 4_096;

/// How much the blob server keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobLimits {
    /// Largest blob in bytes.
    pub max_bytes: usize,
    /// Most bytes of one key.
    pub max_key_bytes: usize,
    /// Most bytes in all.
    pub max_total_bytes: usize,
    /// How long a blob is kept at most, whatever its authorisation says.
    pub longest: Duration,
}

impl Default for BlobLimits {
    fn default() -> Self {
        Self {
            max_bytes: MAX_BLOB_BYTES,
            max_key_bytes: 64 * 1024 * 1024,
            max_total_bytes: 256 * 1024 * 1024,
            longest: Duration::from_hours(24),
        }
    }
}

/// Why a blob is not kept, or not taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum ShelfError {
    #[error("the blob has {size} bytes, and at most {limit} are taken")]
    TooLarge { size: usize, limit: usize },
    #[error(
        "this key has blobs of {0} bytes here, which is the most: wait until they expire, or delete some"
    )]
    KeyFull(usize),
    #[error("this server is full: come back when some of its blobs have expired")]
    Full,
    #[error("the blob is not here, or not any more")]
    Missing,
    #[error("another key uploaded the blob")]
    NotTheirs,
}

#[derive(Debug)]
struct Kept {
    bytes: Bytes,
    owner: PublicKey,
    uploaded: Timestamp,
    expires_at: Timestamp,
}

#[derive(Debug)]
pub(super) struct Shelf {
    limits: BlobLimits,
    blobs: HashMap<sha256::Hash, Kept>,
    by_expiration: BTreeSet<(Timestamp, sha256::Hash)>,
    of_keys: HashMap<PublicKey, usize>,
    total: usize,
}

impl Shelf {
    pub(super) fn new(limits: BlobLimits) -> Self {
        Self {
            limits,
            blobs: HashMap::new(),
            by_expiration: BTreeSet::new(),
            of_keys: HashMap::new(),
            total: 0,
        }
    }

    /// Whether this key may put so many bytes more here.
    pub(super) fn has_room(
        &mut self,
        owner: &PublicKey,
        size: usize,
        now: Timestamp,
    ) -> Result<(), ShelfError> {
        self.remove_expired(now);
        let BlobLimits { max_bytes, max_key_bytes, max_total_bytes, .. } = self.limits;
        if size > max_bytes {
            return Err(ShelfError::TooLarge { size, limit: max_bytes });
        }
        let of_key = self.of_keys.get(owner).copied().unwrap_or(0);
        if of_key + counted(size) > max_key_bytes {
            return Err(ShelfError::KeyFull(of_key));
        }
        if self.total + counted(size) > max_total_bytes { Err(ShelfError::Full) } else { Ok(()) }
    }

    /// Keeps a blob, and says since when. One that is here stays with the key that brought it first, and as long as either
    /// key wants.
    pub(super) fn put(
        &mut self,
        sha256: sha256::Hash,
        bytes: Bytes,
        owner: PublicKey,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<Timestamp, ShelfError> {
        self.remove_expired(now);
        let expires_at = expires_at.min(now + self.limits.longest.as_secs());
        if let Some(kept) = self.blobs.get_mut(&sha256) {
            if kept.expires_at < expires_at {
                self.by_expiration.remove(&(kept.expires_at, sha256));
                self.by_expiration.insert((expires_at, sha256));
                kept.expires_at = expires_at;
            }
            return Ok(kept.uploaded);
        }
        self.has_room(&owner, bytes.len(), now)?;
        let counted = counted(bytes.len());
        self.total += counted;
        *self.of_keys.entry(owner).or_default() += counted;
        self.by_expiration.insert((expires_at, sha256));
        self.blobs.insert(sha256, Kept { bytes, owner, uploaded: now, expires_at });
        Ok(now)
    }

    pub(super) fn get(&mut self, sha256: &sha256::Hash, now: Timestamp) -> Option<Bytes> {
        self.remove_expired(now);
        self.blobs.get(sha256).map(|kept| kept.bytes.clone())
    }

    pub(super) fn delete(
        &mut self,
        sha256: &sha256::Hash,
        key: &PublicKey,
        now: Timestamp,
    ) -> Result<(), ShelfError> {
        self.remove_expired(now);
        let kept = self.blobs.get(sha256).ok_or(ShelfError::Missing)?;
        if kept.owner != *key {
            return Err(ShelfError::NotTheirs);
        }
        self.remove(*sha256);
        Ok(())
    }

    pub(super) fn remove_expired(&mut self, now: Timestamp) {
        while let Some((expires_at, sha256)) = self.by_expiration.first().copied() {
            if expires_at > now {
                break;
            }
            self.remove(sha256);
        }
    }

    fn remove(&mut self, sha256: sha256::Hash) {
        let Some(kept) = self.blobs.remove(&sha256) else { return };
        self.by_expiration.remove(&(kept.expires_at, sha256));
        let counted = counted(kept.bytes.len());
        self.total -= counted;
        if let Some(of_key) = self.of_keys.get_mut(&kept.owner) {
            *of_key -= counted;
            if *of_key == 0 {
                self.of_keys.remove(&kept.owner);
            }
        }
    }
}

fn counted(size: usize) -> usize {
    size.max(LEAST_COUNTED)
}

#[cfg(test)]
mod tests {
    use nostr::Keys;
    use nostr::hashes::Hash as _;

    use super::*;

    const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);

    fn limits() -> BlobLimits {
        BlobLimits {
            max_bytes: 10_000,
            max_key_bytes: 20_000,
            max_total_bytes: 30_000,
            longest: Duration::from_secs(100),
        }
    }

    fn blob(byte: u8, size: usize) -> (sha256::Hash, Bytes) {
        let bytes = vec![byte; size];
        (sha256::Hash::hash(&bytes), bytes.into())
    }

    fn key() -> PublicKey {
        Keys::generate().public_key()
    }

    #[test]
    fn a_blob_is_here_until_it_expires_and_no_longer_than_the_server_likes() {
        let mut shelf = Shelf::new(limits());
        for (byte, wanted, kept) in [(1, 60, 60), (2, 100_000, 100)] {
            let (name, bytes) = blob(byte, 10);
            shelf.put(name, bytes.clone(), key(), NOW + wanted, NOW).unwrap();
            assert_eq!(shelf.get(&name, NOW + (kept - 1)), Some(bytes));
            assert_eq!(shelf.get(&name, NOW + kept), None);
        }
        assert_eq!((shelf.total, shelf.of_keys.len(), shelf.by_expiration.len()), (0, 0, 0));
    }

    #[test]
    fn blobs_are_bounded_each_by_key_and_in_all() {
        let mut shelf = Shelf::new(limits());
        let owner = key();
        let mut put = |byte, size, owner| {
            let (name, bytes) = blob(byte, size);
            shelf.put(name, bytes, owner, NOW + 60_u64, NOW)
        };
        assert_eq!(put(1, 10_001, owner), Err(ShelfError::TooLarge { size: 10_001, limit: 10_000 }));
        assert_eq!((put(1, 10_000, owner), put(2, 10_000, owner)), (Ok(NOW), Ok(NOW)));
        // One byte counts as the entry that it needs.
        assert_eq!(put(3, 1, owner), Err(ShelfError::KeyFull(20_000)));
        assert_eq!((put(3, 1, key()), put(4, 1, key())), (Ok(NOW), Ok(NOW)));
        assert_eq!(put(5, 1, key()), Err(ShelfError::Full));
        // What is here needs no room.
        assert_eq!(put(1, 10_000, key()), Ok(NOW));
    }

    #[test]
    fn only_the_key_that_brought_a_blob_removes_it_and_frees_its_room() {
        let mut shelf = Shelf::new(limits());
        let (owner, (name, bytes)) = (key(), blob(1, 10_000));
        shelf.put(name, bytes, owner, NOW + 60_u64, NOW).unwrap();
        assert_eq!(shelf.delete(&name, &key(), NOW), Err(ShelfError::NotTheirs));
        assert_eq!(shelf.delete(&name, &owner, NOW), Ok(()));
        assert_eq!(shelf.delete(&name, &owner, NOW), Err(ShelfError::Missing));
        assert_eq!((shelf.total, shelf.of_keys.len(), shelf.by_expiration.len()), (0, 0, 0));
    }

    #[test]
    fn a_blob_that_is_brought_again_stays_as_long_as_either_wants() {
        let mut shelf = Shelf::new(limits());
        let (name, bytes) = blob(1, 10);
        for secs in [30, 60, 10] {
            shelf.put(name, bytes.clone(), key(), NOW + secs, NOW).unwrap();
        }
        assert!(shelf.get(&name, NOW + 59_u64).is_some());
        assert_eq!(shelf.get(&name, NOW + 60_u64), None);
        assert_eq!(shelf.by_expiration.len(), 0);
    }
}
