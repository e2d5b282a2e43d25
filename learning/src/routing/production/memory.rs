//! Where production mode keeps its account between runs, and how several processes share it.
//!
//! ```text
//!   run A: load ─► decides by its copy ─► … ─► add what A served ─┐  one at a time: lock, read the latest,
//!   run B: load ─► decides by its copy ─► … ─► add what B served ─┴─ replay, write whole, unlock
//! ```
//!
//! What was served is replayed onto the latest account, so that of two runs at the same time none undoes what
//! the other has learned.

use std::path::{Path, PathBuf};

use super::ProductionSettings;
use super::account::{Account, Served};
use crate::routing::space::Space;
use crate::saved::{self, SavedError, Stamp};

/// What the file says it is.
pub const STAMP: Stamp = Stamp { format: "frlm-routing-account", version: 1 };

/// The file that holds an account.
#[derive(Debug, Clone)]
pub struct RoutingMemory {
    path: PathBuf,
}

/// What happened since the account was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct News {
    pub(super) served: Vec<Served>,
    pub(super) refused: u64,
    pub(super) unroutable: u64,
}

impl News {
    /// Requests that are waiting to be written.
    pub fn len(&self) -> usize {
        self.served.len()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why an account could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// Its parts do not fit each other.
    #[error("{0} is damaged: its tables have another shape than its names; move it away to start over")]
    Unsound(PathBuf),
    /// There are too many names.
    #[error(transparent)]
    Space(#[from] crate::routing::space::SpaceError),
}

impl RoutingMemory {
    /// The account in this file, whether it is there already or not.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The account; `None` if there is none yet. Blocks.
    pub fn load(&self) -> Result<Option<Account>, MemoryError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let account: Account = saved::read(&self.path, STAMP)?;
        if account.is_sound() { Ok(Some(account)) } else { Err(MemoryError::Unsound(self.path.clone())) }
    }

    /// Adds what was served, in the names of `space`, to the latest account. Blocks while another process
    /// does the same.
    pub fn add(&self, space: &Space, news: &News, settings: &ProductionSettings) -> Result<(), MemoryError> {
        let _held = saved::lock(&self.path)?;
        let mut account = match self.load()? {
            Some(account) => account.joined(space)?,
            None => Account::fresh(space.clone()),
        };
        account.refused += news.refused;
        account.unroutable += news.unroutable;
        for served in &news.served {
            account.replay(served, space, settings.online_learning, settings.log_entries);
        }
        saved::write(&self.path, STAMP, &account)?;
        Ok(())
    }

    /// Counts requests that a service refused because their callers had had their share; `false` where there is
    /// no account yet. Blocks while another process writes.
    pub fn add_refused(&self, count: u64) -> Result<bool, MemoryError> {
        let _held = saved::lock(&self.path)?;
        let Some(mut account) = self.load()? else { return Ok(false) };
        account.refused = account.refused.saturating_add(count);
        saved::write(&self.path, STAMP, &account)?;
        Ok(true)
    }

    /// Has a person's rating of a run's answer, 0..=1, speak for those of the run's decisions that nobody else
    /// checked; how many there were, 0 where the rating came before. Blocks while another process writes.
    pub fn rate(&self, run: &str, share: f64, settings: &ProductionSettings) -> Result<u64, MemoryError> {
        let _held = saved::lock(&self.path)?;
        let Some(mut account) = self.load()? else { return Ok(0) };
        let decisions = account.rate(run, share, &settings.reward, settings.online_learning);
        if decisions > 0 {
            saved::write(&self.path, STAMP, &account)?;
        }
        Ok(decisions)
    }

    /// Starts over; `false` if there was nothing.
    pub fn forget(&self) -> Result<bool, MemoryError> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(SavedError::Disk { what: "remove", path: self.path.clone(), source }.into()),
        }
    }
}
