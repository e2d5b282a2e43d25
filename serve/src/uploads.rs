//! Documents of a question, in a folder of their own that goes when the question is answered.

use std::collections::HashSet;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use tempfile::TempDir;

use frlm_client::home::Home;

/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 100;

/// A document as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// A plain file name; empty for a text.
    name: String,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Bytes(Vec<u8>),
    /// Of a file that lies in the home already.
    At(PathBuf),
}

/// The documents of a question in their folder.
#[derive(Debug)]
pub struct Kept {
    /// Goes when this is dropped.
    pub folder: TempDir,
    /// Their names, as citations give them.
    pub names: Vec<String>,
}

impl Upload {
    /// A file. Of its name only the last part counts, and of that no more than letters, digits, spaces and `._-`.
    pub fn file(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: plain(name), content: Content::Bytes(bytes) }
    }

    /// A file that lies in the home already, under another name.
    pub fn kept(name: &str, path: PathBuf) -> Self {
        Self { name: plain(name), content: Content::At(path) }
    }

    /// A text without a name.
    pub fn text(text: String) -> Self {
        Self { name: String::new(), content: Content::Bytes(text.into_bytes()) }
    }
}

fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().filter(|c| c.is_alphanumeric() || " ._-".contains(*c)).take(LONGEST_NAME);
    let name: String = kept.collect();
    name.trim_matches(['.', ' ']).to_owned()
}

/// Writes the documents under names that differ. Blocks.
pub fn keep(uploads: &[Upload], home: &Home) -> std::io::Result<Kept> {
    // The home is its owner's alone, and so is what lies in it.
    let folder = tempfile::Builder::new().prefix("asked-").tempdir_in(home.root())?;
    let (mut taken, mut names) = (HashSet::new(), Vec::new());
    for (number, upload) in (1..).zip(uploads) {
        let mut name =
            if upload.name.is_empty() { format!("text-{number}.txt") } else { upload.name.clone() };
        // Some file systems tell no case.
        while !taken.insert(name.to_lowercase()) {
            name = format!("{number}-{name}");
        }
        let path = folder.path().join(&name);
        match &upload.content {
            Content::Bytes(bytes) => write(&path, bytes)?,
            Content::At(kept) => link(kept, &path)?,
        }
        names.push(name);
    }
    Ok(Kept { folder, names })
}

impl Kept {
    /// A text about the documents with the names that their sender knows.
    pub fn as_sent(&self, text: &str) -> String {
        text.replace(&format!("{}{MAIN_SEPARATOR}", self.folder.path().display()), "")
    }
}

/// The question is answered from it also where it is deleted meanwhile.
fn link(kept: &Path, path: &Path) -> std::io::Result<()> {
    std::fs::hard_link(kept, path).or_else(|_| std::fs::copy(kept, path).map(|_| ()))
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
        let Kept { folder, names } = keep(&uploads, &home).unwrap();
        assert_eq!(names, ["passwd", "a.log", "3-A.LOG", "gitignore", "text-5.txt", "text-6.txt"]);
        for name in names {
            assert!(folder.path().join(name).is_file());
        }
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
