//! Tables of large files, kept in a folder for the next question about the same file.
//!
//! ```text
//!   hash, name, options ─► kept? ─ yes ─► its database, which is only read
//!                            │ no
//!                            └─► block by block ─► a new file (0600) ─► durable ─► its name
//! ```

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use frlm_util::files;
use frlm_util::kept::{self, Kept, Room};
use sha2::{Digest as _, Sha256};

use crate::error::LoadError;
use crate::options::LoadOptions;
use crate::read::Format;
use crate::source::Source;
use crate::table::Table;

/// What was kept by another version is made again: it may have typed the columns otherwise.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/2");

/// All that is kept.
const MOST_BYTES: u64 = 4 << 30;

/// What was not used for so long goes.
const UNUSED: Duration = Duration::from_hours(24 * 30);

/// Held while a table is made: two who want the same make it once.
static MAKING: Mutex<()> = Mutex::new(());

/// A folder of tables. Each lies in a file for its owner alone.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    most_bytes: u64,
}

/// A table that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTable {
    /// The name of the file that it was made of.
    pub name: String,
    /// Bytes of its database.
    pub bytes: u64,
    /// When it was made or asked last.
    pub used: SystemTime,
}

impl Store {
    /// In this folder, which is made when something is kept.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder, most_bytes: MOST_BYTES }
    }

    /// With another bound of all that is kept, in bytes; the table that was made last stays.
    #[must_use]
    pub fn bounded(self, most_bytes: u64) -> Self {
        Self { most_bytes, ..self }
    }

    /// The table of a file, as [`Table::load_source`] has it. One that is read block by block is made once and kept; `hash` tells
    /// its bytes from all others. Where it cannot be kept it is made in a file without a name. Blocks.
    pub fn load(
        &self,
        name: &str,
        hash: &str,
        source: &Arc<dyn Source>,
        options: &LoadOptions,
    ) -> Result<Table, LoadError> {
        let Some(format) = Table::blocks_of(name, source.as_ref(), options)? else {
            return Table::load_whole(name, source.as_ref(), options);
        };
        let path = self.path(name, hash, options);
        let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match crate::kept::open(&path, name, Arc::clone(source), options) {
            Some(table) => Ok(table),
            None => self.make(&path, name, source, format, options),
        };
        if made.is_ok() {
            self.tidy(&path);
        }
        match made {
            Err(LoadError::Read(_) | LoadError::Store(_)) => {
                Table::load_blocks(name, Arc::clone(source), format, options, None)
            }
            made => made,
        }
    }

    /// Everything that is kept, what was used last first. Blocks.
    pub fn list(&self) -> io::Result<Vec<KeptTable>> {
        let described = |file: Kept| {
            let name = || file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            KeptTable {
                name: crate::kept::file_name(&file.path).unwrap_or_else(name),
                bytes: file.bytes,
                used: file.used,
            }
        };
        Ok(kept::list(&self.folder)?.into_iter().map(described).collect())
    }

    /// Deletes everything that is kept, and says how many tables that were. Blocks.
    pub fn clear(&self) -> io::Result<usize> {
        kept::clear(&self.folder)
    }

    fn make(
        &self,
        path: &Path,
        name: &str,
        source: &Arc<dyn Source>,
        format: Format,
        options: &LoadOptions,
    ) -> Result<Table, LoadError> {
        files::create_private_folder(&self.folder)?;
        let file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        // Closed before it is made durable: nothing of it is then left in memory.
        let table = Table::load_blocks(name, Arc::clone(source), format, options, Some(file.path()))?;
        crate::kept::describe(&table, name)?;
        drop(table);
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        files::sync_name(path)?;
        crate::kept::open(path, name, Arc::clone(source), options)
            .ok_or_else(|| io::Error::other("a table that was just made cannot be opened").into())
    }

    /// Notes the use of a table, and deletes what was not used for long, or for the longest time where there is too much.
    fn tidy(&self, used: &Path) {
        kept::touch(used);
        let room = Room { most_bytes: self.most_bytes, unused: Some(UNUSED) };
        // What cannot be deleted now is tried again with the next table.
        let _ = kept::make_room(&self.folder, room, Some(used));
    }

    fn path(&self, name: &str, hash: &str, options: &LoadOptions) -> PathBuf {
        let LoadOptions { separator, date_order, format, .. } = options;
        let key = Sha256::digest(format!("{VERSION} {hash} {separator:?} {date_order:?} {format:?} {name}"));
        self.folder.join(format!("{}.db", hex::encode(key)))
    }
}
