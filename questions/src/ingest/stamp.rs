//! Whether files are still those that were read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::folder::walk;
use super::read::STANDARD_INPUT;

/// Path, size and time of every file that would be read: the same stamp means the same documents. `None` where nobody can
/// know without reading, as of a pipe.
pub fn stamp(paths: &[PathBuf]) -> Option<Vec<(PathBuf, u64, SystemTime)>> {
    let mut stamped = Vec::new();
    for path in paths {
        if path.as_os_str() == STANDARD_INPUT {
            return None;
        }
        let metadata = std::fs::metadata(path).ok()?;
        if metadata.is_file() {
            stamped.push(of(path)?);
        } else if metadata.is_dir() {
            for entry in walk(path).build().flatten() {
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    stamped.push(of(entry.path())?);
                }
            }
        } else {
            return None;
        }
    }
    Some(stamped)
}

fn of(path: &Path) -> Option<(PathBuf, u64, SystemTime)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((path.to_owned(), metadata.len(), metadata.modified().ok()?))
}
