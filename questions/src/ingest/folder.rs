//! What lies in a folder that the user named.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder};

use super::read::{IngestError, Reader};
use super::warnings::IngestWarning;

impl Reader<'_> {
    /// Reads what is below a folder. What cannot be read is set aside.
    pub(super) fn read_folder(&mut self, folder: &Path) -> Result<(), IngestError> {
        let hidden = Arc::new(Mutex::new(Vec::new()));
        let skipped = Arc::clone(&hidden);
        let before = self.ingested.documents.len();
        let is_shown = move |entry: &DirEntry| {
            let shown = entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
            if !shown
                && !is_housekeeping(entry.file_name())
                && let Ok(mut skipped) = skipped.lock()
            {
                skipped.push(entry.path().to_owned());
            }
            shown
        };
        let mut is_read_already = false;
        for entry in walk(folder).filter_entry(is_shown).build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let (path, reason) = place_and_reason(&error, folder);
                    let name = self.name_below(folder, path);
                    self.leave_unread(path, name, reason);
                    continue;
                }
            };
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.is_some_and(|kind| kind.is_file()) {
                let name = self.name_below(folder, path);
                match self.read_file(path, name.clone()) {
                    Ok(is_new) => is_read_already |= !is_new,
                    Err(IngestError::Stopped) => return Err(IngestError::Stopped),
                    Err(error) => self.turn_away(path, name, &error),
                }
            } else if kind.is_some_and(|kind| kind.is_dir()) {
                // What lies below it follows.
            } else if entry.path_is_symlink() {
                self.skip(path, "a symbolic link; name it to have it read");
            } else {
                self.skip(path, "a pipe, a socket or a device, and no file");
            }
        }
        if let Ok(mut hidden) = hidden.lock() {
            hidden.sort();
            let found = hidden.drain(..).map(|path| IngestWarning::SkippedHidden { path });
            self.ingested.warnings.extend(found);
        }
        if self.ingested.documents.len() == before && !is_read_already {
            return Err(IngestError::NoDocuments { path: folder.to_owned() });
        }
        Ok(())
    }

    /// What a file in a folder is called: its path below that at least.
    fn name_below(&self, folder: &Path, path: &Path) -> String {
        self.names.of(path, path.strip_prefix(folder).unwrap_or(path).components().count())
    }
}

/// What a folder cannot be walked for, and where.
fn place_and_reason<'a>(error: &'a ignore::Error, folder: &'a Path) -> (&'a Path, String) {
    match error {
        ignore::Error::WithDepth { err, .. } => place_and_reason(err, folder),
        ignore::Error::WithPath { path, err } => (path, err.to_string()),
        other => (folder, other.to_string()),
    }
}

/// The user named this folder: what lies above it has no say, what it says itself does.
pub(super) fn walk(folder: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false)
        .git_ignore(true)
        .ignore(true)
        .require_git(false)
        .sort_by_file_path(Path::cmp);
    walk
}

/// Files that keep house for other programs; a warning about each would only be noise.
fn is_housekeeping(name: &OsStr) -> bool {
    [".git", ".gitignore", ".gitattributes", ".gitmodules", ".ignore", ".DS_Store"]
        .iter()
        .any(|known| name == *known)
}
