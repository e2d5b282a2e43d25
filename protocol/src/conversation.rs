//! The keys under which two parties write to each other (NIP-44), remembered.
//!
//! A conversation key depends on the two parties alone, and to agree on it takes longer than to encrypt a job
//! with it. Peers that work together write hundreds of times.

use std::num::NonZero;
use std::sync::{LazyLock, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lru::LruCache;
use nostr::nips::nip44::v2::{self, ConversationKey};
use nostr::nips::nip44::{self, Version};
use nostr::{Keys, PublicKey};

/// Conversations that are remembered; about 100 bytes each.
const MOST: NonZero<usize> = NonZero::new(4_096).expect("it is not 0");

/// By our key and theirs. The result of a pure function, so that it matters to nobody who computed it.
static KNOWN: LazyLock<Mutex<LruCache<(PublicKey, PublicKey), ConversationKey>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(MOST)));

/// Encrypts for `recipient`: NIP-44 version 2, in base64.
pub(crate) fn encrypt(keys: &Keys, recipient: &PublicKey, plaintext: &str) -> Result<String, nip44::Error> {
    let key = match known(keys, recipient) {
        Some(key) => key,
        None => derive(keys, recipient)?,
    };
    remember(keys, recipient, key);
    Ok(STANDARD.encode(v2::encrypt_to_bytes(&key, plaintext.as_bytes())?))
}

/// Decrypts what `sender` wrote. Only what opens is worth remembering: strangers write what they like.
pub(crate) fn decrypt(keys: &Keys, sender: &PublicKey, content: &str) -> Result<String, nip44::Error> {
    let payload = STANDARD.decode(content)?;
    match payload.first() {
        Some(version) => Version::try_from(*version)?,
        None => return Err(nip44::Error::VersionNotFound),
    };
    let (key, is_new) = match known(keys, sender) {
        Some(key) => (key, false),
        None => (derive(keys, sender)?, true),
    };
    let text = v2::decrypt_to_bytes(&key, &payload)?;
    if is_new {
        remember(keys, sender, key);
    }
    String::from_utf8(text).map_err(|_| nip44::Error::Utf8Encode)
}

fn derive(keys: &Keys, peer: &PublicKey) -> Result<ConversationKey, nip44::Error> {
    ConversationKey::derive(keys.secret_key(), peer)
}

fn known(keys: &Keys, peer: &PublicKey) -> Option<ConversationKey> {
    // A panic elsewhere cannot leave half a key.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&(keys.public_key(), *peer)).copied()
}

fn remember(keys: &Keys, peer: &PublicKey, key: ConversationKey) {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).put((keys.public_key(), *peer), key);
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    #[test]
    fn each_side_reads_the_other_and_any_implementation_at_first_and_later() {
        let (one, other) = (Keys::generate(), Keys::generate());
        for round in 0..3 {
            let text = format!("round {round}");
            let sealed = encrypt(&one, &other.public_key(), &text).unwrap();
            assert_eq!(decrypt(&other, &one.public_key(), &sealed).unwrap(), text);
            assert_eq!(nip44::decrypt(other.secret_key(), &one.public_key(), &sealed).unwrap(), text);
            let theirs = nip44::encrypt(other.secret_key(), &one.public_key(), &text, Version::V2).unwrap();
            assert_eq!(decrypt(&one, &other.public_key(), &theirs).unwrap(), text);
        }
        assert!(known(&one, &other.public_key()).is_some());
    }

    #[test]
    fn what_does_not_open_is_an_error_and_is_not_remembered() {
        let (us, stranger) = (Keys::generate(), Keys::generate());
        let meant_for_others = encrypt(&stranger, &Keys::generate().public_key(), "hello").unwrap();
        for content in [meant_for_others.as_str(), "", "A", "Ag==", "AAAA", "no base64!", "//8="] {
            assert!(decrypt(&us, &stranger.public_key(), content).is_err(), "{content}");
        }
        assert!(known(&us, &stranger.public_key()).is_none());
    }

    #[test]
    fn two_who_write_to_the_same_one_have_different_keys() {
        let (one, two, peer) = (Keys::generate(), Keys::generate(), Keys::generate());
        let sealed = encrypt(&one, &peer.public_key(), "from one").unwrap();
        encrypt(&two, &peer.public_key(), "from two").unwrap();
        assert!(decrypt(&peer, &two.public_key(), &sealed).is_err());
        assert_eq!(decrypt(&peer, &one.public_key(), &sealed).unwrap(), "from one");
    }
}
