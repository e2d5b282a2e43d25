//! Whose keys are in the state directory: a provider's, and an asker's.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhow::Context as _;
use frlm_util::files;
use nostr::Keys;

use super::Home;
use crate::failure::Failure;

const MOST_IDENTITIES: u32 = 64;

impl Home {
    /// As whom runs are known to providers, if they are to be, and since when (milliseconds since 1970): it is made when
    /// it is first asked for.
    pub fn asker_identity(&self) -> anyhow::Result<(Keys, i64)> {
        let path = self.private_file("asker.key");
        let context = || format!("cannot use the key file {}", path.display());
        let mut file = fs::OpenOptions::new().read(true).write(true).open(&path).with_context(context)?;
        // Two runs may begin at once, and must not make two.
        file.lock().with_context(context)?;
        let keys = keys_in(&mut file, &path)?;
        let made = file.metadata().and_then(|about| about.modified()).with_context(context)?;
        let since = made.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Ok((keys, i64::try_from(since).unwrap_or(i64::MAX)))
    }

    /// A provider's identity that no other process uses now: the first is `provider.key`, a second
    /// provider on the same home gets `provider-2.key`, and so on.
    pub fn provider_identity(&self) -> anyhow::Result<Identity> {
        for number in 1..=MOST_IDENTITIES {
            let name = if number == 1 { "provider.key".to_owned() } else { format!("provider-{number}.key") };
            if let Some(identity) = Identity::take(&self.root.join(name))? {
                return Ok(identity);
            }
        }
        Err(Failure::usage(format!(
            "{MOST_IDENTITIES} providers already run on {}; use another --home",
            self.root.display()
        ))
        .into())
    }

    /// The key under which `frlm serve --nostr` answers; one process at a time has it.
    pub fn service_identity(&self) -> anyhow::Result<Identity> {
        let taken = || {
            let root = self.root.display();
            Failure::usage(format!("another frlm serve --nostr answers from {root}; use another --home"))
        };
        Ok(Identity::take(&self.root.join("service.key"))?.ok_or_else(taken)?)
    }

    /// The first provider's public key; `None` before it was made.
    pub fn provider_key(&self) -> anyhow::Result<Option<nostr::PublicKey>> {
        let path = self.root.join("provider.key");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        // One that is being made is empty for a moment.
        let Some(text) = Some(text.trim()).filter(|text| !text.is_empty()) else { return Ok(None) };
        let keys = Keys::parse(text).with_context(|| format!("{} holds no secret key", path.display()))?;
        Ok(Some(keys.public_key()))
    }
}

/// A key pair, locked against use by another process while this value lives.
#[derive(Debug)]
pub struct Identity {
    /// The keys.
    pub keys: Keys,
    _lock: File,
}

impl Identity {
    fn take(path: &Path) -> anyhow::Result<Option<Self>> {
        let context = || format!("cannot use the key file {}", path.display());
        // Beside the key: on Windows nobody else could read a file that is locked, and the window shows whose key it is.
        let lock = files::open_private(&path.with_extension("lock")).with_context(context)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let mut file = files::open_private(path).with_context(context)?;
        if files::make_private(path).with_context(context)? > 0 {
            notice!(
                "{} could be read by other users of this machine; only you can read it now",
                path.display()
            );
        }
        // Earlier versions lock the key itself: one that still finishes its jobs while this one starts has it.
        match file.try_lock() {
            Ok(()) => file.unlock().with_context(context)?,
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let keys = keys_in(&mut file, path)?;
        Ok(Some(Self { keys, _lock: lock }))
    }
}

/// The keys in a file, which nobody else may be writing; new ones, and there from now on, if it is empty.
fn keys_in(file: &mut File, path: &Path) -> anyhow::Result<Keys> {
    let context = || format!("cannot use the key file {}", path.display());
    let mut text = String::new();
    file.read_to_string(&mut text).with_context(context)?;
    if text.trim().is_empty() {
        let keys = Keys::generate();
        file.write_all(keys.secret_key().to_secret_hex().as_bytes()).with_context(context)?;
        return Ok(keys);
    }
    Keys::parse(text.trim()).with_context(|| {
        format!("{} holds no secret key; move it away and a new one is made", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_providers_on_one_home_have_two_identities_that_last() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        assert_eq!(home.provider_key().unwrap(), None);
        let first = home.provider_identity().unwrap();
        assert_eq!(home.provider_key().unwrap(), Some(first.keys.public_key()));
        let second = home.provider_identity().unwrap();
        assert_ne!(first.keys.public_key(), second.keys.public_key());
        let key = first.keys.public_key();
        // On Windows a lock on the key itself would keep everybody from reading it.
        assert!(File::open(home.root().join("provider.key")).unwrap().try_lock().is_ok());
        drop(first);
        let again = home.provider_identity().unwrap();
        assert_eq!(again.keys.public_key(), key);
    }

    #[test]
    fn a_key_that_an_earlier_version_serves_under_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let first = home.provider_identity().unwrap().keys.public_key();
        // It locks the key itself, and knows of no other file.
        let theirs = File::open(home.root().join("provider.key")).unwrap();
        theirs.try_lock().unwrap();
        assert_ne!(home.provider_identity().unwrap().keys.public_key(), first);
        drop(theirs);
        assert_eq!(home.provider_identity().unwrap().keys.public_key(), first);
    }

    #[test]
    fn a_service_answers_under_one_key_in_one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let first = home.service_identity().unwrap();
        let refused = home.service_identity().unwrap_err().to_string();
        assert!(refused.contains("--home"), "{refused}");
        let key = first.keys.public_key();
        assert_ne!(key, home.provider_identity().unwrap().keys.public_key());
        drop(first);
        assert_eq!(home.service_identity().unwrap().keys.public_key(), key);
    }

    #[test]
    fn an_asker_is_known_by_one_key_from_when_it_was_first_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        let first = home.asker_identity().unwrap();
        assert!(first.1 > 0);
        assert_eq!(home.asker_identity().unwrap(), first);
        fs::write(home.root().join("asker.key"), "no key").unwrap();
        let error = home.asker_identity().unwrap_err().to_string();
        assert!(error.contains("asker.key") && error.contains("move it away"), "{error}");
    }
}
