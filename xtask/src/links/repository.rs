//! The files of the repository that git tracks or would track, with the text of those that people write.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::document::Document;
use super::is_a;

/// Extensions of files whose comments or text may hold links and citations.
const WRITTEN: &[&str] = &["lark", "md", "py", "rs", "sh", "toml"];

/// Paths relative to the root, with `/`, and the text of written files. Other files have an empty text.
pub struct Repository {
    files: BTreeMap<String, String>,
}

impl Repository {
    /// Reads what `git ls-files` lists under `root`, new files that are not ignored included.
    pub fn read(root: &Path) -> Result<Self, String> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("git ls-files: {error}"))?;
        if !listed.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim()));
        }
        let mut files = BTreeMap::new();
        for path in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|path| !path.is_empty()) {
            let place = root.join(path);
            // A file that was deleted and not yet committed is still listed.
            if !place.exists() {
                continue;
            }
            let written = path == ".ci/run" || WRITTEN.iter().any(|extension| is_a(path, extension));
            let text = if written {
                std::fs::read_to_string(&place).map_err(|error| format!("{path}: {error}"))?
            } else {
                String::new()
            };
            files.insert(path.to_owned(), text);
        }
        Ok(Self { files })
    }

    /// A repository of `(path, text)` pairs, for tests.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() }
    }

    /// Every file with its text.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The text of the file at `path`; empty where people do not write it.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether `path` is a file, or a folder that holds one.
    pub fn contains(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let below = self.files.range(folder.clone()..).next();
        self.files.contains_key(path) || below.is_some_and(|(file, _)| file.starts_with(&folder))
    }

    /// The Markdown file at `path`, taken apart.
    pub fn document(&self, path: &str) -> Option<Document> {
        self.text(path).map(Document::of)
    }
}

/// `target` as seen from the folder of the file `from`. `None` if it leaves the repository.
pub fn relative(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
