//! What is too large for an event: bytes on a Blossom server (BUD-01, BUD-02), encrypted under a key of one job alone.
//!
//! ```text
//! blob = nonce (24 bytes) ‖ XChaCha20-Poly1305(key, nonce, plaintext), the plaintext filled up with spaces
//! ```
//!
//! The job says where the blob is, in its encrypted content (docs/protocol.md, section 6). The server sees random bytes, their
//! size and the key that signed the run's jobs.

mod authorization;

use std::fmt;

use chacha20poly1305::aead::{Aead as _, AeadCore as _, KeyInit as _, OsRng};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use nostr::hashes::hex::{DisplayHex as _, FromHex as _};
use nostr::hashes::{Hash as _, sha256};
use thiserror::Error;
use url::Url;

pub use self::authorization::{Authorization, AuthorizationError, BlobVerb};
use crate::error::{BuildError, ParseError};
use crate::limits::{MAX_BLOB_BYTES, MAX_BLOB_SERVERS, MAX_BLOB_URL_BYTES};
use crate::tags::{malformed, whole_number, within};

/// The tag that says where a job's blob is.
pub(crate) const TAG: &str = "blob";

const NONCE_BYTES: usize = 24;
/// Of what authenticates the bytes.
const SEAL_BYTES: usize = 16;
/// Plaintexts are filled up to a multiple of this, so that their sizes tell little.
const PADDED_TO: usize = 4_096;

/// Bytes that are ready to be put on a server, and the key that opens them.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedBlob {
    bytes: Vec<u8>,
    sha256: sha256::Hash,
    key: [u8; 32],
}

/// Where a blob is, what it must be, and the key that opens it.
#[derive(Clone, PartialEq, Eq)]
pub struct BlobPointer {
    sha256: sha256::Hash,
    size: usize,
    key: [u8; 32],
    urls: Vec<Url>,
}

/// Why bytes are not the blob that a job names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BlobError {
    /// Fewer or more of them.
    #[error("the blob has another size than the job says")]
    Size,
    /// Other ones.
    #[error("the blob is not the one that the job names: its hash is another")]
    Hash,
    /// The key opens something else.
    #[error("the blob cannot be decrypted with the key of the job")]
    Undecryptable,
}

impl SealedBlob {
    /// Encrypts under a fresh key.
    pub fn seal(plaintext: &str) -> Result<Self, BuildError> {
        let key = XChaCha20Poly1305::generate_key(&mut OsRng);
        let nonce = XChaCha20Poly1305::generate_nonce(&mut OsRng);
        Self::seal_with(plaintext, key.into(), nonce.into())
    }

    /// The same for a key and a nonce that were never used before; for tests of what is written.
    pub fn seal_with(plaintext: &str, key: [u8; 32], nonce: [u8; NONCE_BYTES]) -> Result<Self, BuildError> {
        let padded_bytes = plaintext.len().next_multiple_of(PADDED_TO);
        let size = padded_bytes + NONCE_BYTES + SEAL_BYTES;
        if size > MAX_BLOB_BYTES {
            return Err(BuildError::TooLarge { what: "the blob", size, limit: MAX_BLOB_BYTES });
        }
        let mut padded = plaintext.as_bytes().to_vec();
        padded.resize(padded_bytes, b' ');
        let sealed = XChaCha20Poly1305::new(&key.into())
            .encrypt(XNonce::from_slice(&nonce), padded.as_slice())
            .map_err(|error| BuildError::Encrypt(error.to_string()))?;
        let bytes = [nonce.as_slice(), &sealed].concat();
        Ok(Self { sha256: sha256::Hash::hash(&bytes), bytes, key })
    }

    /// What the server keeps.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// By which name the server keeps it.
    pub fn sha256(&self) -> sha256::Hash {
        self.sha256
    }

    /// How a job names it. Beside the job's own relays it is found without any address.
    pub fn at(&self, urls: Vec<Url>) -> BlobPointer {
        BlobPointer { sha256: self.sha256, size: self.bytes.len(), key: self.key, urls }
    }
}

impl BlobPointer {
    /// Bytes that the server keeps, by the word of the job.
    pub fn size(&self) -> usize {
        self.size
    }

    /// By which name the server keeps it.
    pub fn sha256(&self) -> sha256::Hash {
        self.sha256
    }

    /// Where it is said to be. Each is an address that a stranger chose.
    pub fn urls(&self) -> &[Url] {
        &self.urls
    }

    /// Whether these bytes are it.
    pub fn check(&self, bytes: &[u8]) -> Result<(), BlobError> {
        if bytes.len() != self.size {
            return Err(BlobError::Size);
        }
        if sha256::Hash::hash(bytes) == self.sha256 { Ok(()) } else { Err(BlobError::Hash) }
    }

    /// The plaintext, where these bytes are it.
    pub fn open(&self, bytes: &[u8]) -> Result<String, BlobError> {
        self.check(bytes)?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES).ok_or(BlobError::Undecryptable)?;
        let opened = XChaCha20Poly1305::new(&self.key.into())
            .decrypt(XNonce::from_slice(nonce), sealed)
            .map_err(|_| BlobError::Undecryptable)?;
        String::from_utf8(opened).map_err(|_| BlobError::Undecryptable)
    }

    /// `["blob", SHA256, SIZE, KEY, URL, …]`.
    pub fn to_tag(&self) -> Vec<String> {
        let named = [TAG.to_owned(), self.sha256.to_string(), self.size.to_string()];
        let key = [self.key.as_slice().to_lower_hex_string()];
        named.into_iter().chain(key).chain(self.urls.iter().map(ToString::to_string)).collect()
    }

    /// Reads what follows the tag's name. Addresses that are no blob's are left out.
    pub(crate) fn from_values(values: &[String]) -> Result<Self, ParseError> {
        let [sha256, size, key, urls @ ..] = values else { return Err(malformed(TAG, "too few values")) };
        let sha256: sha256::Hash = sha256.parse().map_err(|error| malformed(TAG, error))?;
        let size = whole_number(size).and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or_else(|| malformed(TAG, "the size is no number"))?;
        within("bytes in a blob", size, MAX_BLOB_BYTES)?;
        let key = <[u8; 32]>::from_hex(key).map_err(|error| malformed(TAG, error))?;
        let urls = urls.iter().filter_map(|url| address(url, sha256)).take(MAX_BLOB_SERVERS).collect();
        Ok(Self { sha256, size, key, urls })
    }
}

/// An address of this very blob, and of nothing else that a server may have: who follows it asks for no other path.
fn address(text: &str, sha256: sha256::Hash) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= MAX_BLOB_URL_BYTES)?;
    let file = url.path().strip_prefix('/')?;
    let (name, extension) = file.split_once('.').unwrap_or((file, ""));
    let is_blob =
        name == sha256.to_string() && extension.bytes().all(|letter| letter.is_ascii_alphanumeric());
    let is_plain = url.query().is_none() && url.fragment().is_none();
    let is_bare = url.username().is_empty() && url.password().is_none();
    let is_http = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_blob && is_plain && is_bare && is_http).then_some(url)
}

impl fmt::Debug for SealedBlob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("SealedBlob");
        shown.field("sha256", &self.sha256).field("size", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for BlobPointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("BlobPointer");
        shown.field("sha256", &self.sha256).field("size", &self.size).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn sealed(text: &str) -> SealedBlob {
        SealedBlob::seal_with(text, KEY, [9; 24]).unwrap()
    }

    fn read(tag: &[String]) -> Result<BlobPointer, ParseError> {
        BlobPointer::from_values(&tag[1..])
    }

    #[test]
    fn what_is_sealed_is_opened_and_its_size_tells_little() {
        let (short, longer) =
            (SealedBlob::seal("[]").unwrap(), SealedBlob::seal(&"x".repeat(4_096)).unwrap());
        assert_eq!(short.bytes().len(), longer.bytes().len());
        let pointer = read(&short.at(Vec::new()).to_tag()).unwrap();
        assert_eq!(pointer.open(short.bytes()).unwrap().trim_end(), "[]");
        assert_ne!(SealedBlob::seal("[]").unwrap().key, short.key, "each has a key of its own");
    }

    #[test]
    fn other_bytes_another_size_and_another_key_are_told_apart() {
        let blob = sealed("[]");
        let pointer = blob.at(Vec::new());
        assert_eq!(pointer.open(&blob.bytes()[1..]), Err(BlobError::Size));
        let mut other = blob.bytes().to_vec();
        other[100] ^= 1;
        assert_eq!(pointer.open(&other), Err(BlobError::Hash));
        let mut tag = pointer.to_tag();
        tag[3] = "00".repeat(32);
        assert_eq!(read(&tag).unwrap().open(blob.bytes()), Err(BlobError::Undecryptable));
    }

    #[test]
    fn only_addresses_of_the_very_blob_are_kept() {
        let blob = sealed("[]");
        let name = blob.sha256().to_string();
        let good = [format!("https://a.example/{name}"), format!("http://b.example:8080/{name}.bin")];
        let bad = [
            format!("file:///{name}"),
            format!("https://a.example/admin/{name}"),
            format!("https://a.example/{name}?delete=all"),
            format!("https://me:secret@a.example/{name}"),
            format!("https://a.example/{}", "0".repeat(64)),
            format!("gopher://a.example/{name}"),
            "https://a.example/".to_owned(),
        ];
        let mut tag = blob.at(Vec::new()).to_tag();
        tag.extend(bad.into_iter().chain(good.clone()));
        let kept: Vec<String> = read(&tag).unwrap().urls().iter().map(ToString::to_string).collect();
        assert_eq!(kept, good);
    }

    #[test]
    fn a_blob_beyond_every_limit_is_neither_written_nor_read() {
        let large = "x".repeat(MAX_BLOB_BYTES);
        assert!(matches!(SealedBlob::seal(&large), Err(BuildError::TooLarge { .. })));
        let mut tag = sealed("[]").at(Vec::new()).to_tag();
        tag[2] = (MAX_BLOB_BYTES + 1).to_string();
        assert!(matches!(read(&tag), Err(ParseError::TooLarge { .. })));
        tag[2] = "many".to_owned();
        assert!(matches!(read(&tag), Err(ParseError::Malformed { .. })));
    }

    #[test]
    fn no_key_is_printed() {
        let blob = sealed("a secret");
        let printed = format!("{blob:?} {:?}", blob.at(Vec::new()));
        assert!(
            !printed.contains(&KEY.as_slice().to_lower_hex_string()) && !printed.contains("7, 7"),
            "{printed}"
        );
    }
}
