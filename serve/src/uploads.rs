//! Documents of a question, in a folder of their own that goes when the question is answered.

use std::collections::HashSet;
use std::path::{MAIN_SEPARATOR, Path};

use frlm_client::documents::Documents;
use tempfile::TempDir;

use frlm_client::home::Home;

/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 100;

/// A document as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// A plain file name; empty for a text.
    name: String,
    bytes: Vec<u8>,
}

impl Upload {
    /// A file. Of its name only the last part counts, and of that no more than letters, digits, spaces and `._-`.
    pub fn file(name: &str, bytes: Vec<u8>) -> Self {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let kept = last.chars().filter(|c| c.is_alphanumeric() || " ._-".contains(*c)).take(LONGEST_NAME);
        let name: String = kept.collect();
        Self { name: name.trim_matches(['.', ' ']).to_owned(), bytes }
    }

    /// A text without a name.
    pub fn text(text: String) -> Self {
        Self { name: String::new(), bytes: text.into_bytes() }
    }
}

/// Writes the documents under names that differ. Blocks.
pub fn keep(uploads: &[Upload], home: &Home) -> std::io::Result<TempDir> {
    // The home is its owner's alone, and so is what lies in it.
    let folder = tempfile::Builder::new().prefix("asked-").tempdir_in(home.root())?;
    let mut taken = HashSet::new();
    for (number, upload) in (1..).zip(uploads) {
        let mut name =
            if upload.name.is_empty() { format!("text-{number}.txt") } else { upload.name.clone() };
        // Some file systems tell no case.
        while !taken.insert(name.to_lowercase()) {
            name = format!("{number}-{name}");
        }
        write(&folder.path().join(name), &upload.bytes)?;
    }
    Ok(folder)
}

/// Why a document in the folder cannot be read, under the name that its sender knows; `None` if all can. Blocks.
pub fn unreadable(folder: &Path, documents: &Documents) -> Option<String> {
    let found = std::fs::read_dir(folder).ok()?;
    let error = found.flatten().find_map(|entry| documents.read(&[entry.path()]).err())?;
    Some(error.to_string().replace(&format!("{}{MAIN_SEPARATOR}", folder.display()), ""))
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder_and_apart() {
        let root = tempfile::tempdir().unwrap();
        let home = Home::open(Some(root.path().to_owned())).unwrap();
        let upload = |name: &str| Upload::file(name, name.as_bytes().to_vec());
        let uploads = [
            upload("../../etc/passwd"),
            upload("..\\a.log"),
            upload("A.LOG"),
            upload(".gitignore"),
            upload(".."),
            Upload::text("words".to_owned()),
        ];
        let folder = keep(&uploads, &home).unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["3-A.LOG", "a.log", "gitignore", "passwd", "text-5.txt", "text-6.txt"]);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
