//! Documents that programs upload before they ask about them (`/v1/files`).
//!
//! ```text
//!   POST ─► NAME.part ─► ID.data, then ID.json ─┬─ file_id in a question ─► a link in its folder, as long as it is asked
//!           (grows)      (both 0600)            └─ too old, the oldest beyond a bound, DELETE ─► ID.json goes, then ID.data
//! ```
//!
//! Each caller has files of its own: others neither see nor ask about them. What a killed process leaves (`.part`, data
//! without a record) goes with the next sweep, an hour later.
//!
//! This file keeps them; [`routes`]: the wire; [`form`]: an upload as it comes.

mod form;
pub mod routes;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use frlm_client::util::clock::unix_millis;
use frlm_client::util::files;
use nostr::Keys;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::refusal::Refusal;
use super::uploads::Upload;

/// What is unfinished for so long belongs to a process that died.
const UNFINISHED: Duration = Duration::from_hours(1);
const DATA: &str = "data";
const RECORD: &str = "json";
const PART: &str = ".part";

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Of one file.
    pub file_bytes: u64,
    /// Of one caller's files together.
    pub caller_bytes: u64,
    /// One caller's files.
    pub caller_files: usize,
    /// How long they are kept.
    pub age_secs: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { file_bytes: 256 << 20, caller_bytes: 1 << 30, caller_files: 1_000, age_secs: 7 * 24 * 60 * 60 }
    }
}

/// The uploaded files of a home.
#[derive(Debug)]
pub struct FileStore {
    folder: PathBuf,
    bounds: Bounds,
    /// Held by the one who adds or removes.
    turn: Mutex<()>,
}

/// What is known of a file, as it lies beside its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Whose it is.
    pub caller: String,
    /// As its caller named it.
    pub filename: String,
    /// What it is for, in the caller's words.
    pub purpose: String,
    /// Its size.
    pub bytes: u64,
    /// Unix milliseconds.
    pub created_at_ms: u64,
    /// Unix milliseconds.
    pub expires_at_ms: u64,
}

/// A file with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// `file-…`: nobody guesses it.
    pub id: String,
    /// The rest.
    pub record: Record,
}

impl FileStore {
    /// The files in a folder, which is made with the first of them.
    pub fn at(folder: PathBuf) -> Self {
        Self::within(folder, Bounds::default())
    }

    fn within(folder: PathBuf, bounds: Bounds) -> Self {
        Self { folder, bounds, turn: Mutex::default() }
    }

    /// How much is kept.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// A file to write to until [`FileStore::keep`]. Dropped, it is gone. Blocks.
    pub fn begin(&self) -> io::Result<NamedTempFile> {
        files::create_private_folder(&self.folder)?;
        tempfile::Builder::new().suffix(PART).tempfile_in(&self.folder)
    }

    /// Keeps what was written. What is too old goes, and the caller's oldest files where all of them would be too many. Blocks.
    pub fn keep(&self, written: NamedTempFile, record: Record) -> io::Result<StoredFile> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.sweep_now(record.created_at_ms)?;
        self.make_room(&record)?;
        let id = format!("file-{}", &Keys::generate().public_key().to_hex()[..32]);
        written.persist(self.path(&id, DATA))?;
        files::replace(&self.path(&id, RECORD), &serde_json::to_vec(&record)?, files::Access::Owner)?;
        Ok(StoredFile { id, record })
    }

    /// A caller's files, the oldest first. Blocks.
    pub fn list(&self, caller: &str) -> io::Result<Vec<StoredFile>> {
        let now = unix_millis();
        let mut found = self.all()?;
        found.retain(|file| file.record.caller == caller && file.record.expires_at_ms > now);
        Ok(found)
    }

    /// A caller's file. Blocks.
    pub fn find(&self, caller: &str, id: &str) -> Result<StoredFile, Refusal> {
        let record = self.read(id).filter(|record| record.caller == caller);
        let record = record.filter(|record| record.expires_at_ms > unix_millis());
        record.map(|record| StoredFile { id: id.to_owned(), record }).ok_or_else(|| {
            Refusal::not_found(format!(
                "there is no file {id}: it was never uploaded, was deleted, or is older than {} days",
                self.bounds.age_secs / (24 * 60 * 60)
            ))
        })
    }

    /// A caller's file as a document of a question. Blocks.
    pub fn document(&self, caller: &str, id: &str) -> Result<Upload, Refusal> {
        let file = self.find(caller, id)?;
        Ok(Upload::kept(&file.record.filename, self.path(id, DATA)))
    }

    /// Where a file's data lies.
    pub fn data(&self, file: &StoredFile) -> PathBuf {
        self.path(&file.id, DATA)
    }

    /// Deletes a caller's file. Blocks.
    pub fn delete(&self, caller: &str, id: &str) -> Result<(), Refusal> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.find(caller, id)?;
        self.remove(id).map_err(|error| Refusal::fault(format!("{id} cannot be deleted: {error}")))
    }

    /// Deletes what is too old. Blocks.
    pub fn sweep(&self) -> io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.sweep_now(unix_millis())
    }

    fn sweep_now(&self, now_ms: u64) -> io::Result<()> {
        let old = self.all()?.into_iter().filter(|file| file.record.expires_at_ms <= now_ms);
        for file in old {
            self.remove(&file.id)?;
        }
        for path in self.paths()? {
            let is_part = path.to_string_lossy().ends_with(PART);
            let is_orphan = kind(&path) == DATA && !path.with_extension(RECORD).exists();
            if (is_part || is_orphan) && is_older_than(&path, UNFINISHED) {
                gone(fs::remove_file(path))?;
            }
        }
        Ok(())
    }

    /// Deletes a caller's oldest files until another one fits.
    fn make_room(&self, new: &Record) -> io::Result<()> {
        let mut theirs = self.all()?;
        theirs.retain(|file| file.record.caller == new.caller);
        let mut bytes = theirs.iter().fold(new.bytes, |sum, file| sum.saturating_add(file.record.bytes));
        let mut count = theirs.len() + 1;
        for file in theirs {
            if bytes <= self.bounds.caller_bytes && count <= self.bounds.caller_files {
                break;
            }
            self.remove(&file.id)?;
            bytes -= file.record.bytes;
            count -= 1;
        }
        Ok(())
    }

    /// Everybody's files, the oldest first.
    fn all(&self) -> io::Result<Vec<StoredFile>> {
        let ids = self.paths()?.into_iter().filter(|path| kind(path) == RECORD);
        let ids = ids.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
        let mut found: Vec<StoredFile> =
            ids.filter_map(|id| self.read(&id).map(|record| StoredFile { id, record })).collect();
        found.sort_by(|a, b| (a.record.created_at_ms, &a.id).cmp(&(b.record.created_at_ms, &b.id)));
        Ok(found)
    }

    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let found = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            found => found?,
        };
        Ok(found.flatten().map(|entry| entry.path()).collect())
    }

    fn read(&self, id: &str) -> Option<Record> {
        let hex = id.strip_prefix("file-")?;
        // Nothing else names a file here: no path comes in by an id.
        if hex.len() != 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        serde_json::from_slice(&fs::read(self.path(id, RECORD)).ok()?).ok()
    }

    fn remove(&self, id: &str) -> io::Result<()> {
        gone(fs::remove_file(self.path(id, RECORD)))?;
        gone(fs::remove_file(self.path(id, DATA)))
    }

    fn path(&self, id: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{id}.{kind}"))
    }
}

fn kind(path: &Path) -> &str {
    path.extension().and_then(|kind| kind.to_str()).unwrap_or_default()
}

fn is_older_than(path: &Path, age: Duration) -> bool {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|since| since > age))
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    struct Scratch {
        store: FileStore,
        _folder: tempfile::TempDir,
    }

    impl Scratch {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let bounds = Bounds { file_bytes: 100, caller_bytes: 10, caller_files: 3, age_secs: 60 };
            Self { store: FileStore::within(folder.path().join("files"), bounds), _folder: folder }
        }

        /// Keeps a file that was uploaded so many milliseconds after another.
        fn keep(&self, caller: &str, content: &str, later_ms: u64) -> StoredFile {
            let mut file = self.store.begin().unwrap();
            file.write_all(content.as_bytes()).unwrap();
            let created_at_ms = unix_millis() + later_ms;
            let record = Record {
                caller: caller.to_owned(),
                filename: format!("{content}.txt"),
                purpose: "user_data".to_owned(),
                bytes: content.len() as u64,
                created_at_ms,
                expires_at_ms: created_at_ms + 60_000,
            };
            self.store.keep(file, record).unwrap()
        }

        fn names(&self, caller: &str) -> Vec<String> {
            self.store.list(caller).unwrap().into_iter().map(|file| file.record.filename).collect()
        }
    }

    #[test]
    fn the_oldest_files_of_a_caller_make_room_for_a_new_one() {
        let scratch = Scratch::new();
        let theirs = scratch.keep("ben", "ben", 0);
        for (later_ms, content) in (0..).zip(["a", "b", "c", "d"]) {
            scratch.keep("ada", content, later_ms * 10);
        }
        assert_eq!(scratch.names("ada"), ["b.txt", "c.txt", "d.txt"], "three at most");
        scratch.keep("ada", "123456789", 50);
        assert_eq!(scratch.names("ada"), ["d.txt", "123456789.txt"], "ten bytes at most");
        assert_eq!(scratch.names("ben"), ["ben.txt"], "others keep theirs");
        scratch.store.delete("ben", &theirs.id).unwrap();
        assert!(scratch.names("ben").is_empty());
        let left = fs::read_dir(&scratch.store.folder).unwrap().count();
        assert_eq!(left, 4, "two files, a record each");
    }

    #[test]
    fn a_file_is_seen_by_its_caller_alone_and_until_it_is_too_old() {
        let scratch = Scratch::new();
        let file = scratch.keep("ada", "a", 0);
        assert_eq!(scratch.store.find("ada", &file.id).unwrap(), file);
        for (caller, id) in
            [("ben", file.id.as_str()), ("ada", "file-1"), ("ada", "../../config.toml"), ("ada", "")]
        {
            assert!(scratch.store.find(caller, id).is_err(), "{id}");
            assert!(scratch.store.delete(caller, id).is_err(), "{id}");
        }
        let old = Record { expires_at_ms: 1, ..file.record.clone() };
        fs::write(scratch.store.path(&file.id, RECORD), serde_json::to_vec(&old).unwrap()).unwrap();
        assert!(scratch.store.find("ada", &file.id).is_err() && scratch.names("ada").is_empty());
        scratch.store.sweep().unwrap();
        assert_eq!(fs::read_dir(&scratch.store.folder).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_of_the_home_can_read_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let scratch = Scratch::new();
        let file = scratch.keep("ada", "a", 0);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(scratch.store.folder.clone()), 0o700);
        assert_eq!(mode(scratch.store.data(&file)), 0o600);
        assert_eq!(mode(scratch.store.path(&file.id, RECORD)), 0o600);
    }
}
