//! What was learned, in files that are never seen half written.
//!
//! A file is one JSON object `{"format":"frlm-…","version":1,"body":…}`. It is written aside, made durable and
//! renamed. It is for its owner alone: what was learned tells what was asked.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use frlm_util::files::{self, Replacement};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failpoint;

/// What a file says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its kind.
    pub format: &'static str,
    /// Raised whenever older programs could not read it.
    pub version: u32,
}

/// Why something could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// The disk.
    #[error("cannot {what} {path}: {source}")]
    Disk {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Not one of these files, or a damaged one.
    #[error("{path} holds no {wanted} ({source}); move it away to start over")]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What it should hold.
        wanted: &'static str,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Written by another version of the program.
    #[error(
        "{path} is {format} version {version}, this program reads {} version {}; move it away to start over",
        wanted.format,
        wanted.version
    )]
    Other {
        /// Where.
        path: PathBuf,
        /// What it says it is.
        format: String,
        /// And which version.
        version: u32,
        /// What it should be.
        wanted: Stamp,
    },
}

#[derive(Serialize)]
struct Outgoing<'a, Body> {
    format: &'static str,
    version: u32,
    body: &'a Body,
}

#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Incoming<Body> {
    body: Body,
}

/// Stores a state; a reader sees the old one or the new one.
pub fn write<Body: Serialize>(path: &Path, stamp: Stamp, body: &Body) -> Result<(), SavedError> {
    let disk = |what| move |source| SavedError::Disk { what, path: path.to_owned(), source };
    let mut file = Replacement::begin(path).map_err(disk("create"))?;
    failpoint::hit("saved.1");
    let text = serde_json::to_vec(&Outgoing { format: stamp.format, version: stamp.version, body })
        .map_err(|error| disk("write")(io::Error::other(error)))?;
    file.write_all(&text).map_err(disk("write"))?;
    failpoint::hit("saved.2");
    file.sync().map_err(disk("write"))?;
    failpoint::hit("saved.3");
    file.take_name().map_err(disk("replace"))?;
    failpoint::hit("saved.4");
    files::sync_name(path).map_err(disk("make durable"))
}

/// Removes what a write that was killed may have left of a new state. The caller holds the lock.
pub fn clear_unfinished(path: &Path) -> Result<(), SavedError> {
    let aside = files::unfinished(path);
    match fs::remove_file(&aside) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(SavedError::Disk { what: "remove", path: aside, source })
        }
        _ => Ok(()),
    }
}

/// Keeps others who ask for the same file from it while the handle lives; blocks until they are done. The lock is on a
/// file beside it: the file itself is replaced whenever it is written.
pub fn lock(path: &Path) -> Result<File, SavedError> {
    let path = path.with_extension("lock");
    let disk = |source| SavedError::Disk { what: "lock", path: path.clone(), source };
    let held = File::create(&path).map_err(disk)?;
    held.lock().map_err(disk)?;
    Ok(held)
}

/// Reads a state.
pub fn read<Body: DeserializeOwned>(path: &Path, wanted: Stamp) -> Result<Body, SavedError> {
    let damaged = |source| SavedError::Damaged { path: path.to_owned(), wanted: wanted.format, source };
    let text =
        fs::read(path).map_err(|source| SavedError::Disk { what: "read", path: path.to_owned(), source })?;
    let Head { format, version } = serde_json::from_slice(&text).map_err(damaged)?;
    if (format.as_str(), version) != (wanted.format, wanted.version) {
        return Err(SavedError::Other { path: path.to_owned(), format, version, wanted });
    }
    serde_json::from_slice::<Incoming<Body>>(&text).map(|incoming| incoming.body).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{Learner, LoadSettings, Router, STAMP, space::Space};

    #[test]
    fn a_router_comes_back_as_it_was_and_other_files_are_refused_with_advice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("routing.json");
        for learner in [Learner::q_table, Learner::linear] {
            let space = Space::seed();
            let router = Router::new(space.clone(), learner(&space), LoadSettings::default());
            write(&path, STAMP, &router).unwrap();
            assert_eq!(read::<Router>(&path, STAMP).unwrap(), router);
        }
        assert!(!path.with_extension("part").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&path, r#"{"format":"frlm-routing","version":9,"body":{}}"#).unwrap();
        assert!(read::<Router>(&path, STAMP).unwrap_err().to_string().contains("version 9"));
        fs::write(&path, "{").unwrap();
        assert!(read::<Router>(&path, STAMP).unwrap_err().to_string().contains("move it away"));
        let missing = read::<Router>(&folder.path().join("none"), STAMP).unwrap_err();
        assert!(matches!(missing, SavedError::Disk { what: "read", .. }));
    }
}
