//! The one directory that holds settings, runs, the ledger and keys.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context as _;
use frlm_protocol::shown_path;
use frlm_wallet::{Ledger, Money};
use nostr::Keys;

use crate::config::Config;
use crate::failure::Failure;

/// The state directory. Only its owner can read it: it holds secret keys.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Opens or creates the directory.
    pub fn open(given: Option<PathBuf>) -> anyhow::Result<Self> {
        let root = match given {
            Some(root) => root,
            None => directories::ProjectDirs::from("", "", "frlm")
                .ok_or_else(|| Failure::usage("no home directory is known; name one with --home DIR"))?
                .data_dir()
                .to_owned(),
        };
        // Messages name files in it, and some of them are made where nobody strips them.
        if root.to_string_lossy().chars().any(char::is_control) {
            return Err(Failure::usage(format!(
                "the name of the state directory {} has a line break or another control character in it; choose \
                 another with --home DIR",
                shown_path(&root)
            ))
            .into());
        }
        create_private(&root).with_context(|| {
            format!("cannot create the state directory {}; choose another with --home DIR", root.display())
        })?;
        Ok(Self { root })
    }

    /// Recorded runs.
    pub fn store(&self) -> PathBuf {
        self.private_file("runs.db")
    }

    /// The ledger.
    pub fn ledger(&self) -> PathBuf {
        self.private_file("ledger.db")
    }

    /// The ledger, opened, with the limits of the settings in force.
    pub async fn open_ledger(&self) -> anyhow::Result<Ledger> {
        let limits = self.config()?.limits.into();
        let ledger = Ledger::open(self.ledger()).await?;
        if ledger.usage().await?.limits != limits {
            ledger.set_limits(limits).await?;
        }
        Ok(ledger)
    }

    /// What is known of providers from earlier runs.
    pub fn reputation(&self) -> PathBuf {
        self.private_file("reputation.db")
    }

    /// What the user knows to be true; seldom there.
    pub fn known(&self) -> PathBuf {
        self.root.join("known.db")
    }

    /// The same for whoever writes into it: now it is there.
    pub fn known_to_write(&self) -> PathBuf {
        self.private_file("known.db")
    }

    /// What runs have learned of roles and venues.
    pub fn routing(&self) -> PathBuf {
        self.root.join("routing.json")
    }

    /// What runs have taught about plans, and about how well the swarm serves.
    pub fn brain(&self) -> PathBuf {
        self.root.join("brain.json")
    }

    /// The latest training of routing.
    pub fn routing_training(&self) -> PathBuf {
        self.root.join("routing-training.json")
    }

    /// What people thought of answers.
    pub fn ratings(&self) -> PathBuf {
        self.private_file("feedback.jsonl")
    }

    /// The user's own thresholds for what is decided after the stages of a run; seldom there.
    pub fn priors(&self) -> PathBuf {
        self.root.join("priors.json")
    }

    /// A file that only its owner can read, also where the directory was there before us and others may
    /// enter it. SQLite gives its side files the same rights.
    fn private_file(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        // It exists already, or whoever opens it next reports what is wrong.
        let _ = options.open(&path);
        path
    }

    /// The wallet: its sealed seed and its books.
    pub fn wallet(&self) -> PathBuf {
        self.root.join("wallet")
    }

    /// What the sats of its wallet are: play money only where a demo left it and said so.
    pub fn money(&self) -> Money {
        if self.play_money().exists() { Money::Play } else { Money::Real }
    }

    /// Says that the sats of its wallet are play money, before it has any.
    pub fn mark_as_play(&self) -> io::Result<()> {
        create_private(&self.wallet())?;
        fs::write(self.play_money(), format!("{}\n", Money::Play.unit()))
    }

    fn play_money(&self) -> PathBuf {
        self.wallet().join("play-money")
    }

    /// Unpacked weights of the embedded model.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// The signed events that answered a run, one per line.
    pub fn events_file(&self, run: &str) -> PathBuf {
        self.root.join(format!("run-{run}.events.jsonl"))
    }

    /// Deletes the signed events that answered a run; it may have none.
    pub fn delete_events(&self, run: &str) -> anyhow::Result<()> {
        let path = self.events_file(run);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot delete {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// The settings file.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The settings; an absent file means defaults.
    pub fn config(&self) -> anyhow::Result<Config> {
        Config::load(&self.config_file())
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

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
}

impl Home {
    /// The first provider's public key; `None` before it was made.
    #[cfg(any(feature = "desktop", test))]
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

    /// Whether a process carries a run out; in doubt it does. Looking claims nothing, and leaves the file where it is:
    /// whoever claims the run at this moment has it open.
    pub fn is_under_way(&self, id: &str) -> bool {
        match File::open(self.run_lock(id)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    fn run_lock(&self, id: &str) -> PathBuf {
        self.root.join(format!("run-{id}.lock"))
    }

    /// Claims a run for this process.
    pub fn claim_run(&self, id: &str) -> anyhow::Result<RunClaim> {
        let path = self.run_lock(id);
        let context = || format!("cannot claim the run with {}", path.display());
        let mut waited = 0;
        loop {
            let lock = File::create(&path).with_context(context)?;
            match lock.try_lock() {
                Ok(()) if is_named(&path, &lock).with_context(context)? => {
                    return Ok(RunClaim { path, _lock: lock });
                }
                // Whoever had the run removed this very file: a lock on it says nothing to whoever comes next.
                Ok(()) => {}
                // Whoever only looks whether the run is under way shares the lock, and lets go of it at once.
                Err(fs::TryLockError::WouldBlock)
                    if waited < MOST_WAITS && lock.try_lock_shared().is_ok() =>
                {
                    drop(lock);
                    waited += 1;
                    std::thread::sleep(LOOK);
                }
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(Failure::usage(format!(
                        "run {id} is under way in another process; wait for it or stop it"
                    ))
                    .into());
                }
                Err(fs::TryLockError::Error(error)) => return Err(error).with_context(context),
            }
        }
    }
}

/// Whether a file is still the one of this name.
fn is_named(path: &Path, file: &File) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(is_same(&found, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

const MOST_IDENTITIES: u32 = 64;

/// Far longer than it takes to look whether a run is under way.
const LOOK: Duration = Duration::from_millis(1);
/// Somebody may look again and again, or be stopped while it looks: after a second a claim is refused.
const MOST_WAITS: u32 = 1_000;

/// Says that a run is under way in this process; another one that wants to resume it is refused.
#[derive(Debug)]
pub struct RunClaim {
    path: PathBuf,
    _lock: File,
}

impl RunClaim {
    /// Where the signed events of the run are kept.
    pub fn events_file(&self) -> PathBuf {
        self.path.with_extension("events.jsonl")
    }
}

impl Drop for RunClaim {
    fn drop(&mut self) {
        // The lock goes with the file handle; the empty file is only litter.
        let _ = fs::remove_file(&self.path);
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
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        // Beside the key: on Windows nobody else could read a file that is locked, and the window shows whose key it is.
        let lock = options.open(path.with_extension("lock")).with_context(context)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let mut file = options.open(path).with_context(context)?;
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

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere a file that is open keeps its name.
#[cfg(not(unix))]
fn is_same(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn create_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> std::io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn private(options: &mut fs::OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut fs::OpenOptions) {}

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

    #[test]
    fn a_state_directory_whose_name_breaks_lines_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Home::open(Some(folder.path().join("a\nfrlm: paid"))).unwrap_err().to_string();
        assert!(error.contains("--home DIR") && !error.contains('\n'), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
    }

    #[cfg(unix)]
    #[test]
    fn records_in_a_directory_that_others_may_enter_are_still_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        for path in [home.store(), home.ledger(), home.reputation(), home.known_to_write()] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn whoever_looks_whether_a_run_is_under_way_takes_nothing_from_whoever_claims_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        assert!(!home.is_under_way("abc"));
        assert!(!home.run_lock("abc").exists(), "looking makes no file");
        // As a killed process leaves it, and as one has it that is about to lock it.
        let opened = File::create(home.run_lock("abc")).unwrap();
        assert!(!home.is_under_way("abc"));
        assert!(home.run_lock("abc").exists(), "a lock on a file that is gone would claim nothing");
        opened.try_lock().unwrap();
        assert!(home.is_under_way("abc"));
        drop(opened);
        let claim = home.claim_run("abc").unwrap();
        assert!(home.is_under_way("abc"));
        drop(claim);
        assert!(!home.is_under_way("abc"));
    }

    #[test]
    fn a_claim_never_fails_because_somebody_looks() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::SeqCst) {
                        home.is_under_way("abc");
                    }
                });
            }
            let refused = (0..2_000).find_map(|_| home.claim_run("abc").err());
            done.store(true, Ordering::SeqCst);
            assert!(refused.is_none(), "{refused:?}");
        });
    }

    #[test]
    fn events_that_cannot_be_deleted_are_named_and_a_run_without_any_is_none_the_worse() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        home.delete_events("abc").unwrap();
        fs::write(home.events_file("abc"), "{}").unwrap();
        home.delete_events("abc").unwrap();
        assert!(!home.events_file("abc").exists());
        // No file can be deleted where a folder is.
        fs::create_dir(home.events_file("abc")).unwrap();
        let error = home.delete_events("abc").unwrap_err().to_string();
        assert!(error.contains("run-abc.events.jsonl"), "{error}");
    }

    #[test]
    fn a_run_is_claimed_by_one_at_a_time_however_often_it_is_let_go() {
        use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let (claimed, twice, claims) = (AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let Ok(claim) = home.claim_run("abc") else { continue };
                        twice.fetch_or(claimed.swap(true, Ordering::SeqCst), Ordering::SeqCst);
                        claims.fetch_add(1, Ordering::SeqCst);
                        std::thread::yield_now();
                        claimed.store(false, Ordering::SeqCst);
                        drop(claim);
                    }
                });
            }
        });
        assert!(claims.load(Ordering::SeqCst) > 0 && !twice.load(Ordering::SeqCst));
    }

    #[test]
    fn a_run_under_way_cannot_be_claimed_twice() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let claim = home.claim_run("abc").unwrap();
        assert!(home.claim_run("abc").unwrap_err().to_string().contains("under way"));
        drop(claim);
        assert!(home.claim_run("abc").is_ok());
    }
}
