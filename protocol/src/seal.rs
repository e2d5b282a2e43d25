//! Encryption of contents: NIP-44 and NIP-04 in; NIP-44 out, and NIP-04 to those alone who asked in it.

use nostr::nips::nip04;
use nostr::{Keys, PublicKey};
use serde::{Deserialize, Serialize};

use crate::conversation;
use crate::error::{BuildError, ParseError};
use crate::limits::MAX_PLAINTEXT_BYTES;
use crate::text::excerpt;

/// How a content was protected on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encryption {
    /// Plain text on the relay.
    None,
    /// The deprecated scheme: read, and written in answers to requests that came in it.
    Nip04,
    /// The current scheme.
    Nip44,
}

/// Shortest NIP-44 version 2 payload in base64 characters.
const MIN_NIP44_CHARACTERS: usize = 132;

pub(crate) fn seal(
    keys: &Keys,
    recipient: &PublicKey,
    what: &'static str,
    plaintext: &str,
) -> Result<String, BuildError> {
    sealable(what, plaintext)?;
    conversation::encrypt(keys, recipient, plaintext).map_err(|error| BuildError::Encrypt(error.to_string()))
}

/// Seals in the deprecated scheme, for those alone who asked in it.
pub(crate) fn seal_nip04(
    keys: &Keys,
    recipient: &PublicKey,
    what: &'static str,
    plaintext: &str,
) -> Result<String, BuildError> {
    sealable(what, plaintext)?;
    nip04::encrypt(keys.secret_key(), recipient, plaintext)
        .map_err(|error| BuildError::Encrypt(error.to_string()))
}

/// What is encrypted has a size, and not too much of it.
fn sealable(what: &'static str, plaintext: &str) -> Result<(), BuildError> {
    fits(what, plaintext)?;
    if plaintext.is_empty() { Err(BuildError::Empty(what)) } else { Ok(()) }
}

/// Characters of an encrypted content whose plaintext has so many bytes (NIP-44 version 2, in base64).
pub(crate) fn sealed_chars(bytes: usize) -> usize {
    // Version, nonce and code beside it; the length before it.
    const AROUND: usize = 1 + 32 + 32 + 2;
    let chunk = (bytes.next_power_of_two() / 8).max(32);
    let padded = bytes.max(1).next_multiple_of(chunk);
    (padded + AROUND).div_ceil(3) * 4
}

/// The size rule for encrypted and plain contents alike.
pub(crate) fn fits(what: &'static str, plaintext: &str) -> Result<(), BuildError> {
    let size = plaintext.len();
    if size > MAX_PLAINTEXT_BYTES {
        return Err(BuildError::TooLarge { what, size, limit: MAX_PLAINTEXT_BYTES });
    }
    Ok(())
}

pub(crate) fn open(
    keys: &Keys,
    sender: &PublicKey,
    content: &str,
) -> Result<(String, Encryption), ParseError> {
    let refused = |reason: String| ParseError::Undecryptable(excerpt(&reason));
    let content = content.trim();
    if looks_like_nip04(content) {
        return nip04::decrypt(keys.secret_key(), sender, content)
            .map(|text| (text, Encryption::Nip04))
            .map_err(|error| refused(error.to_string()));
    }
    conversation::decrypt(keys, sender, content)
        .map(|text| (text, Encryption::Nip44))
        .map_err(|error| refused(error.to_string()))
}

/// Opens what is encrypted to us and passes everything else through.
///
/// With `declared` (an `encrypted` tag) it must open; without, a content that merely looks
/// encrypted and does not open is taken for what it says.
pub(crate) fn open_if_sealed(
    keys: &Keys,
    sender: &PublicKey,
    content: &str,
    declared: bool,
) -> Result<(String, Encryption), ParseError> {
    if declared && !content.trim().is_empty() {
        return open(keys, sender, content);
    }
    if looks_sealed(content)
        && let Ok(opened) = open(keys, sender, content)
    {
        return Ok(opened);
    }
    Ok((content.to_owned(), Encryption::None))
}

pub(crate) fn looks_sealed(content: &str) -> bool {
    let content = content.trim();
    looks_like_nip04(content) || looks_like_nip44(content)
}

fn looks_like_nip04(content: &str) -> bool {
    content
        .rsplit_once("?iv=")
        .is_some_and(|(body, vector)| !body.is_empty() && is_base64(body) && is_base64(vector))
}

fn looks_like_nip44(content: &str) -> bool {
    // Version byte 0x02 makes base64 start with `Ag`..`Av`; `A` is enough to tell it from prose.
    content.len() >= MIN_NIP44_CHARACTERS && content.starts_with('A') && is_base64(content)
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}
