//! Documents that were read, kept under the hash of their bytes.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use frlm_documents::Document;
use frlm_util::files::{self, Access};
use frlm_util::kept::{self, Kept, Room};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What was kept by another version of the readers is read again.
const VERSION: u32 = 2;
/// All that is kept.
const MOST_BYTES: u64 = 512 << 20;
/// What is read faster than it is looked up.
const LEAST_BYTES: usize = 4 << 10;

/// A folder of documents that were read.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// One file that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptDocument {
    /// The path by which it was read first.
    pub name: String,
    /// Bytes of what is kept.
    pub bytes: u64,
    /// When it was read or found last.
    pub used: SystemTime,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    version: u32,
    name: String,
    documents: Vec<Document>,
}

/// The beginning of an [`Entry`], for lists.
#[derive(Deserialize)]
struct Head {
    name: String,
}

impl Cache {
    /// In this folder, which is made when something is kept.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What was read of a file with these bytes, under the name that it has now.
    pub(super) fn find(&self, name: &str, bytes: &[u8]) -> Option<Vec<Document>> {
        let path = self.path(name, bytes);
        let entry: Entry = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        if entry.version != VERSION {
            return None;
        }
        kept::touch(&path);
        let renamed = |mut document: Document| {
            let inside = document.name.strip_prefix(&entry.name).unwrap_or_default();
            document.name = format!("{name}{inside}");
            document
        };
        Some(entry.documents.into_iter().map(renamed).collect())
    }

    /// Keeps what was read. That it could not be kept costs time later, and nothing else.
    pub(super) fn keep(&self, name: &str, bytes: &[u8], documents: &[Document]) {
        let entry = Entry { version: VERSION, name: name.to_owned(), documents: documents.to_vec() };
        if bytes.len() < LEAST_BYTES {
            return;
        }
        let written = serde_json::to_vec(&entry).map_err(io::Error::other).and_then(|content| {
            if content.len() as u64 > MOST_BYTES / 4 {
                return Ok(());
            }
            files::create_private_folder(&self.folder)?;
            let room = Room { most_bytes: MOST_BYTES - content.len() as u64, unused: None };
            kept::make_room(&self.folder, room, None)?;
            files::replace(&self.path(name, bytes), &content, Access::Owner)
        });
        if let Err(error) = written {
            tracing::debug!("a document is not kept: {error}");
        }
    }

    /// Everything that is kept, what was used last first. Blocks.
    pub fn list(&self) -> io::Result<Vec<KeptDocument>> {
        let described = |file: Kept| {
            let head: Option<Head> =
                fs::read(&file.path).ok().and_then(|content| serde_json::from_slice(&content).ok());
            let name = || file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            KeptDocument {
                name: head.map_or_else(name, |head| head.name),
                bytes: file.bytes,
                used: file.used,
            }
        };
        Ok(kept::list(&self.folder)?.into_iter().map(described).collect())
    }

    /// Deletes everything that is kept, and says how many files that were. Blocks.
    pub fn clear(&self) -> io::Result<usize> {
        kept::clear(&self.folder)
    }

    fn path(&self, name: &str, bytes: &[u8]) -> PathBuf {
        // The extension has a say in what a file is.
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let mut hash = Sha256::new_with_prefix(bytes);
        hash.update(extension.unwrap_or_default());
        self.folder.join(format!("{}.json", hex::encode(hash.finalize())))
    }
}

#[cfg(test)]
mod tests {
    use frlm_documents::{Content, Format};

    use super::*;

    fn document(name: &str) -> Document {
        Document {
            name: name.to_owned(),
            format: Format::Pdf,
            title: None,
            content: Content::Plain("The rent is 1200.".to_owned()),
            warnings: Vec::new(),
            ended: Ok(()),
        }
    }

    #[test]
    fn what_was_read_is_found_under_another_name_and_not_for_other_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("documents"));
        let bytes = vec![7; LEAST_BYTES];
        cache.keep("box.zip", &bytes, &[document("box.zip"), document("box.zip/a.pdf")]);
        let found = cache.find("other.zip", &bytes).unwrap();
        let names: Vec<_> = found.iter().map(|document| document.name.as_str()).collect();
        assert_eq!(names, ["other.zip", "other.zip/a.pdf"]);
        assert_eq!(cache.find("other.pdf", &bytes), None);
        assert_eq!(cache.find("box.zip", &vec![8; LEAST_BYTES]), None);
        let listed = cache.list().unwrap();
        assert_eq!((listed.len(), listed[0].name.as_str()), (1, "box.zip"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(
                (mode(&cache.folder), mode(&kept::list(&cache.folder).unwrap()[0].path)),
                (0o700, 0o600)
            );
        }
        assert_eq!(cache.clear().unwrap(), 1);
        assert_eq!(cache.find("box.zip", &bytes), None);
    }

    #[test]
    fn a_damaged_entry_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned());
        let bytes = vec![7; LEAST_BYTES];
        cache.keep("a.pdf", &bytes, &[document("a.pdf")]);
        fs::write(&kept::list(folder.path()).unwrap()[0].path, "{}").unwrap();
        assert_eq!(cache.find("a.pdf", &bytes), None);
    }
}
