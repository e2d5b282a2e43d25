//! Which processes are alive.
//!
//! Each open ledger, and each open wallet, holds an operating-system lock on a file of its own for as long as it lives.
//! The system drops the lock with the process, however it dies, so that a free lock means a dead
//! owner; process numbers would be reused.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use frlm_util::files;

/// Between the ledger's file name and the owner's number.
const SUFFIX: &str = "-owner-";

/// The proof that this ledger, or this wallet, is alive.
#[derive(Debug)]
pub(crate) struct Owner {
    /// Never reused within a file.
    pub id: i64,
    path: PathBuf,
    _lock: File,
}

impl Owner {
    /// Takes the lock of a new owner.
    pub fn claim(ledger: &Path, id: i64) -> io::Result<Self> {
        let path = lock_path(ledger, id);
        let file = files::open_private(&path)?;
        file.try_lock().map_err(io::Error::from)?;
        Ok(Self { id, path, _lock: file })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A file that stays behind is only untidy: its lock is free.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
impl Owner {
    /// Frees the lock as the system does for a process that was killed: the file stays.
    pub fn abandon(self) {
        let Self { id: _, path: _, _lock: lock } = &self;
        let _ = lock.unlock();
        std::mem::forget(self);
    }
}

/// Whether an owner still runs. When in doubt it does: recovery can wait.
pub(crate) fn is_alive(ledger: &Path, id: i64) -> bool {
    match File::open(lock_path(ledger, id)) {
        Ok(file) => file.try_lock_shared().is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Removes what dead owners left behind. Only for the holder of the ledger's write lock, or of the wallet alone: a new
/// owner's file exists for a moment before it is locked.
pub(crate) fn sweep(ledger: &Path) {
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = ledger.file_name().and_then(|name| name.to_str()) else { return };
    let Ok(files) = std::fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let found = file.file_name();
        let id =
            found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix(SUFFIX)?.parse().ok());
        if id.is_some_and(|id| !is_alive(ledger, id)) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

fn lock_path(ledger: &Path, id: i64) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(format!("{SUFFIX}{id}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_alive_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("ledger.sqlite");
        let owner = Owner::claim(&ledger, 7).unwrap();
        assert!(is_alive(&ledger, 7));
        assert!(!is_alive(&ledger, 8));
        drop(owner);
        assert!(!is_alive(&ledger, 7));
        Owner::claim(&ledger, 9).unwrap().abandon();
        let living = Owner::claim(&ledger, 10).unwrap();
        sweep(&ledger);
        assert!(is_alive(&ledger, 10));
        drop(living);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
