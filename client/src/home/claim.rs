//! Who carries a run out: one process at a time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use super::Home;
use crate::failure::Failure;

/// Far longer than it takes to look whether a run is under way.
const LOOK: Duration = Duration::from_millis(1);
/// Somebody may look again and again, or be stopped while it looks: after a second a claim is refused.
const MOST_WAITS: u32 = 1_000;

impl Home {
    /// Whether a process carries a run out; in doubt it does. Looking claims nothing, and leaves the file where it is:
    /// the process that claims the run at this moment has it open.
    pub fn is_under_way(&self, id: &str) -> bool {
        match File::open(self.run_lock(id)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    fn run_lock(&self, id: &str) -> PathBuf {
        self.root.join(format!("run-{id}.lock"))
    }

    /// Claims a run for this process. Where another process looks at the run, a claim waits a little, on a thread that
    /// may block.
    pub async fn claim_run(&self, id: &str) -> anyhow::Result<RunClaim> {
        let (home, id) = (self.clone(), id.to_owned());
        tokio::task::spawn_blocking(move || home.claim_run_blocking(&id)).await?
    }

    fn claim_run_blocking(&self, id: &str) -> anyhow::Result<RunClaim> {
        let path = self.run_lock(id);
        let context = || format!("cannot claim the run with {}", path.display());
        let mut waited = 0;
        loop {
            let lock = File::create(&path).with_context(context)?;
            match lock.try_lock() {
                Ok(()) if is_named(&path, &lock).with_context(context)? => {
                    return Ok(RunClaim { path, _lock: lock });
                }
                // The run's last holder removed this very file: a lock on it says nothing to the next one.
                Ok(()) => {}
                // A process that only looks whether the run is under way shares the lock, and releases it at once.
                Err(fs::TryLockError::WouldBlock)
                    if waited < MOST_WAITS && lock.try_lock_shared().is_ok() =>
                {
                    drop(lock);
                    waited += 1;
                    std::thread::sleep(LOOK);
                }
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(Failure::usage(format!(
                        "run {id} is running in another process; wait for it or stop it"
                    ))
                    .into());
                }
                Err(fs::TryLockError::Error(error)) => return Err(error).with_context(context),
            }
        }
    }
}

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

/// Whether a file is still the one of this name.
fn is_named(path: &Path, file: &File) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(is_same(&found, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_whether_a_run_is_under_way_does_not_disturb_its_claim() {
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
        let claim = home.claim_run_blocking("abc").unwrap();
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
            let refused = (0..2_000).find_map(|_| home.claim_run_blocking("abc").err());
            done.store(true, Ordering::SeqCst);
            assert!(refused.is_none(), "{refused:?}");
        });
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
                        let Ok(claim) = home.claim_run_blocking("abc") else { continue };
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
        let claim = home.claim_run_blocking("abc").unwrap();
        assert!(
            home.claim_run_blocking("abc").unwrap_err().to_string().contains("is running in another process")
        );
        drop(claim);
        assert!(home.claim_run_blocking("abc").is_ok());
    }

    /// On one thread: a claim that blocked it would wait in vain.
    #[tokio::test]
    async fn a_claim_that_waits_lets_other_tasks_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let looking = File::create(home.run_lock("abc")).unwrap();
        looking.lock_shared().unwrap();
        let looked = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            drop(looking);
        };
        let (claim, ()) = tokio::join!(home.claim_run("abc"), looked);
        assert!(claim.is_ok(), "{claim:?}");
    }
}
