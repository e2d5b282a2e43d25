//! The phrase at rest: XChaCha20-Poly1305 under a key that scrypt makes of a passphrase.
//!
//! Without a passphrase of the owner's the file is sealed with a random one that stands in a file
//! beside it (`wallet.key`, readable by its owner only): a copy of the seed file alone then tells
//! nothing, and anybody who reads the whole folder has the sats. `docs/money.md` says so too.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use frlm_util::files;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Phrase;
use crate::failpoint;

const FILE: &str = "seed.json";
const KEY_FILE: &str = "wallet.key";
/// Held while a seal is written: two processes at once would write over each other.
const LOCK_FILE: &str = "seed.lock";
const VERSION: u32 = 1;
/// What the sealed bytes are for; sealing for something else cannot be opened here.
const PURPOSE: &[u8] = b"frlm wallet seed";

/// Work that a guess at the passphrase costs: 32 MiB and about a tenth of a second.
const LOG2_ROUNDS: u8 = if cfg!(test) { 4 } else { 15 };
/// Files that ask for more are refused: opening them would take all the memory.
const MOST_LOG2_ROUNDS: u8 = 20;
const BLOCK_SIZE: u32 = 8;
const LANES: u32 = 1;

/// Why a seed could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// Nothing there yet.
    #[error("{}: there is no wallet here yet; make one with: frlm wallet create", .0.display())]
    Missing(PathBuf),
    /// There already.
    #[error("{}: there is a wallet here already; its sats would be lost with its seed", .0.display())]
    Exists(PathBuf),
    /// The passphrase, or the file, is not the right one.
    #[error(
        "{}: cannot be opened with this passphrase (FRLM_WALLET_PASSPHRASE); set the one that seals it, or take the wallet up \
         again from its recovery phrase in another home: frlm wallet create --restore",
        .0.display()
    )]
    WrongPassphrase(PathBuf),
    /// It was sealed with a passphrase and none was given.
    #[error("{}: sealed with a passphrase; set FRLM_WALLET_PASSPHRASE", .0.display())]
    PassphraseNeeded(PathBuf),
    /// The file makes no sense.
    #[error(
        "{}: damaged ({what}); move this file away, then restore it from the recovery phrase: \
         frlm wallet create --restore",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    version: u32,
    /// Whether the owner chose the passphrase.
    passphrase: bool,
    log2_rounds: u8,
    salt: String,
    nonce: String,
    words: String,
}

/// Whether a seed is kept in this folder.
pub fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// Seals a phrase into a folder that has none.
///
/// # Errors
///
/// If there is a seed already, or the file system refuses.
pub fn create(folder: &Path, phrase: &Phrase, passphrase: Option<&str>) -> Result<(), VaultError> {
    files::create_private_folder(folder).map_err(refused(folder))?;
    let _lock = lock(folder)?;
    let path = folder.join(FILE);
    if path.exists() {
        return Err(VaultError::Exists(path));
    }
    replace(&path, &seal(folder, phrase, passphrase)?, "vault.1")
}

/// Whether the seal takes a passphrase of the owner's.
///
/// # Errors
///
/// If there is no seed, or it cannot be read.
pub fn has_passphrase(folder: &Path) -> Result<bool, VaultError> {
    Ok(read(folder)?.passphrase)
}

/// Seals a phrase with another passphrase, or with none of the owner's. What is sealed by a key of the seed
/// ([`super::KeyAtRest`]) stays as it is. A process that dies meanwhile leaves the old seal or the new one.
///
/// # Errors
///
/// As [`open`], with the old passphrase; or the file system refuses.
pub fn change(folder: &Path, old: Option<&str>, new: Option<&str>) -> Result<(), VaultError> {
    // Without a seed there is nothing to lock either.
    read(folder)?;
    let _lock = lock(folder)?;
    let phrase = open(folder, old)?;
    let sealed = seal(folder, &phrase, new)?;
    replace(&folder.join(FILE), &sealed, "vault.1")?;
    failpoint::hit("vault.2");
    let key = folder.join(KEY_FILE);
    if new.is_some() && key.exists() {
        // It opens nothing any more, but for copies of the old file.
        fs::remove_file(&key).map_err(refused(&key))?;
    }
    Ok(())
}

fn seal(folder: &Path, phrase: &Phrase, passphrase: Option<&str>) -> Result<Vec<u8>, VaultError> {
    let damaged = |what: String| VaultError::Damaged { path: folder.join(FILE), what };
    let own = passphrase.map(|words| Zeroizing::new(words.to_owned()));
    let secret = match own {
        Some(words) => words,
        None => key_file(folder)?,
    };
    let salt: [u8; 16] = rand::random();
    let nonce: [u8; 24] = rand::random();
    let words = Zeroizing::new(phrase.reveal());
    let sealed = cipher(&secret, &salt, LOG2_ROUNDS)
        .encrypt(XNonce::from_slice(&nonce), Payload { msg: words.as_bytes(), aad: PURPOSE })
        .map_err(|_| damaged("cannot seal".to_owned()))?;
    let file = Sealed {
        version: VERSION,
        passphrase: passphrase.is_some(),
        log2_rounds: LOG2_ROUNDS,
        salt: hex::encode(salt),
        nonce: hex::encode(nonce),
        words: hex::encode(sealed),
    };
    serde_json::to_vec_pretty(&file).map_err(|error| damaged(error.to_string()))
}

/// Opens what [`create`] sealed.
///
/// # Errors
///
/// [`VaultError::Missing`], [`VaultError::PassphraseNeeded`], [`VaultError::WrongPassphrase`], or
/// trouble with the file.
pub fn open(folder: &Path, passphrase: Option<&str>) -> Result<Phrase, VaultError> {
    let path = folder.join(FILE);
    let damaged = |what: &str| VaultError::Damaged { path: path.clone(), what: what.to_owned() };
    let file = read(folder)?;
    let secret = match (file.passphrase, passphrase) {
        (true, None) => return Err(VaultError::PassphraseNeeded(path)),
        (true, Some(words)) => Zeroizing::new(words.to_owned()),
        (false, _) => {
            let key = folder.join(KEY_FILE);
            let text = fs::read_to_string(&key).map_err(refused(&key))?;
            Zeroizing::new(text.trim().to_owned())
        }
    };
    let bytes = |text: &str| hex::decode(text).map_err(|error| damaged(&error.to_string()));
    let (salt, nonce, sealed) = (bytes(&file.salt)?, bytes(&file.nonce)?, bytes(&file.words)?);
    if nonce.len() != 24 {
        return Err(damaged("the nonce has the wrong length"));
    }
    let words = cipher(&secret, &salt, file.log2_rounds)
        .decrypt(XNonce::from_slice(&nonce), Payload { msg: &sealed, aad: PURPOSE })
        .map(Zeroizing::new)
        .map_err(|_| {
            if file.passphrase {
                VaultError::WrongPassphrase(path.clone())
            } else {
                damaged(&format!(
                    "{KEY_FILE} beside it is not its key; put the right one back if you have it"
                ))
            }
        })?;
    let words = std::str::from_utf8(&words).map_err(|error| damaged(&error.to_string()))?;
    Phrase::parse(words).map_err(|error| damaged(&error.to_string()))
}

fn read(folder: &Path) -> Result<Sealed, VaultError> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Err(VaultError::Missing(path));
    }
    let damaged = |what: String| VaultError::Damaged { path: path.clone(), what };
    let json = fs::read(&path).map_err(refused(&path))?;
    let file: Sealed = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
    if file.version != VERSION || file.log2_rounds > MOST_LOG2_ROUNDS {
        return Err(damaged("written by another version".to_owned()));
    }
    Ok(file)
}

fn cipher(secret: &str, salt: &[u8], log2_rounds: u8) -> XChaCha20Poly1305 {
    let parameters = scrypt::Params::new(log2_rounds, BLOCK_SIZE, LANES, 32)
        .expect("at most 2^20 rounds of a block of 8 are valid parameters");
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(secret.as_bytes(), salt, &parameters, key.as_mut_slice())
        .expect("32 bytes are a valid length");
    XChaCha20Poly1305::new_from_slice(key.as_slice()).expect("32 bytes are a key")
}

fn key_file(folder: &Path) -> Result<Zeroizing<String>, VaultError> {
    let path = folder.join(KEY_FILE);
    if let Ok(text) = fs::read_to_string(&path) {
        return Ok(Zeroizing::new(text.trim().to_owned()));
    }
    let key = Zeroizing::new(hex::encode(rand::random::<[u8; 32]>()));
    replace(&path, key.as_bytes(), "vault.0")?;
    Ok(key)
}

/// Writes a file whole or not at all, for its owner's eyes only, and on the disk before anything depends on it.
fn replace(path: &Path, bytes: &[u8], failpoint: &'static str) -> Result<(), VaultError> {
    let write = || {
        let mut next = files::Replacement::begin(path)?;
        next.write_all(bytes)?;
        next.sync()?;
        failpoint::hit(failpoint);
        next.take_name()?;
        files::sync_name(path)
    };
    write().map_err(refused(path))
}

/// Nobody else writes a seal in this folder while the file is open.
fn lock(folder: &Path) -> Result<fs::File, VaultError> {
    let path = folder.join(LOCK_FILE);
    let held = files::open_private(&path).map_err(refused(&path))?;
    held.lock().map_err(refused(&path))?;
    Ok(held)
}

fn refused(path: &Path) -> impl FnOnce(std::io::Error) -> VaultError {
    let path = path.to_owned();
    move |source| VaultError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_phrase_opens_with_its_passphrase_only() {
        let folder = tempfile::tempdir().unwrap();
        let phrase = Phrase::generate();
        assert!(matches!(open(folder.path(), None), Err(VaultError::Missing(_))));
        assert!(matches!(change(folder.path(), None, None), Err(VaultError::Missing(_))));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
        create(folder.path(), &phrase, Some("correct horse")).unwrap();
        assert_eq!(open(folder.path(), Some("correct horse")).unwrap(), phrase);
        assert!(matches!(open(folder.path(), Some("wrong")), Err(VaultError::WrongPassphrase(_))));
        assert!(matches!(open(folder.path(), None), Err(VaultError::PassphraseNeeded(_))));
        assert!(matches!(create(folder.path(), &phrase, None), Err(VaultError::Exists(_))));
    }

    #[test]
    fn without_a_passphrase_the_key_lies_beside_the_seed() {
        let folder = tempfile::tempdir().unwrap();
        // None of these words is one of the file's own, as a random one may be.
        let phrase =
            Phrase::parse("legal winner thank year wave sausage worth useful legal winner thank yellow")
                .unwrap();
        create(folder.path(), &phrase, None).unwrap();
        assert_eq!(open(folder.path(), None).unwrap(), phrase);
        let seed = fs::read_to_string(folder.path().join(FILE)).unwrap();
        for word in phrase.reveal().split(' ').filter(|word| word.len() > 4) {
            assert!(!seed.contains(word));
        }
        #[cfg(unix)]
        for file in [FILE, KEY_FILE] {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
        fs::remove_file(folder.path().join(KEY_FILE)).unwrap();
        assert!(open(folder.path(), None).unwrap_err().to_string().contains(KEY_FILE));
    }

    #[test]
    fn a_key_that_does_not_open_the_seed_blames_no_passphrase() {
        let folder = tempfile::tempdir().unwrap();
        create(folder.path(), &Phrase::generate(), None).unwrap();
        fs::write(folder.path().join(KEY_FILE), "00").unwrap();
        let error = open(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains(KEY_FILE) && error.contains("--restore"), "{error}");
        assert!(!error.contains("FRLM_WALLET_PASSPHRASE"), "{error}");
    }

    #[test]
    fn another_passphrase_takes_the_place_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let (phrase, here) = (Phrase::generate(), folder.path());
        create(here, &phrase, None).unwrap();
        let next = files::unfinished(&here.join(FILE));
        fs::write(&next, "left by a process that died").unwrap();
        assert!(!has_passphrase(here).unwrap());
        change(here, None, Some("one")).unwrap();
        assert!(has_passphrase(here).unwrap() && !here.join(KEY_FILE).exists() && !next.exists());
        assert!(matches!(change(here, Some("other"), Some("two")), Err(VaultError::WrongPassphrase(_))));
        assert!(matches!(change(here, None, Some("two")), Err(VaultError::PassphraseNeeded(_))));
        change(here, Some("one"), Some("two")).unwrap();
        assert!(matches!(open(here, Some("one")), Err(VaultError::WrongPassphrase(_))));
        assert_eq!(open(here, Some("two")).unwrap(), phrase);
        change(here, Some("two"), None).unwrap();
        assert_eq!(open(here, None).unwrap(), phrase);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{").unwrap();
        let error = open(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("seed.json: damaged"), "{error}");
    }
}
