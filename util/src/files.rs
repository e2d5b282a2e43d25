//! Files that are replaced whole or not at all, and files and folders for their owner alone.
//!
//! The new content is written to a file in the same folder and made durable. Then that file takes the name, and the name is
//! made durable. A reader sees the old file or the new one, and so does the next process after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone (0600).
    Owner,
    /// Those whom the process's umask allows.
    Umask,
}

/// Replaces a file, or makes it. Several processes may do so at once: the last one wins. What a killed process leaves has
/// a name that nobody knows, so this is not for content that must be found to be deleted. Blocks.
pub fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    if access == Access::Umask {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    let mut file = builder.prefix(".frlm-").tempfile_in(folder_of(path))?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_name(path)
}

/// The same for those who hold a lock on the file, and for its owner's eyes alone. What a killed process leaves has one
/// name ([`unfinished`]). Blocks.
pub fn replace_under_lock(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::begin(path)?;
    replacement.write_all(content)?;
    replacement.sync()?;
    replacement.take_name()?;
    sync_name(path)
}

/// [`replace_under_lock`] in its steps.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    path: PathBuf,
}

impl Replacement {
    /// Begins with an empty file.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self { file: options.open(unfinished(path))?, path: path.to_owned() })
    }

    /// Makes durable what was written.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Takes the place of the file. [`sync_name`] makes that durable.
    pub fn take_name(self) -> io::Result<()> {
        let Self { file, path } = self;
        drop(file);
        fs::rename(unfinished(&path), path)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Where a [`Replacement`] is written until it takes the name.
pub fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("part")
}

/// Makes a new name as durable as the content behind it.
#[cfg(unix)]
pub fn sync_name(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

/// Elsewhere a folder cannot be opened like a file. NTFS keeps a journal of its names: after a crash there is the old one or
/// the new one.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub fn sync_name(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a folder that only its owner may enter (0700), and those above it that are missing. One that is there stays as it
/// is.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file to read and write that only its owner may read (0600), and makes it where there is none. SQLite gives its side
/// files the same rights.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.create(true).read(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Takes everybody's rights but the owner's from a file, or from a folder and everything in it, and says how many had some.
/// Links are not followed. What is not there is no error.
#[cfg(unix)]
pub fn make_private(path: &Path) -> io::Result<usize> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        return Ok(0);
    }
    let mode = found.permissions().mode();
    let mut changed = 0;
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))?;
        changed += 1;
    }
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            changed += make_private(&entry?.path())?;
        }
    }
    Ok(changed)
}

/// Elsewhere a new file has the rights of its folder, which in a user's own folders are the user's.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub fn make_private(_path: &Path) -> io::Result<usize> {
    Ok(0)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        for content in ["first", "second"] {
            replace(&path, content.as_bytes(), Access::Owner).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        replace_under_lock(&path, b"third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
        assert_eq!(names(folder.path()), ["settings.toml"]);
    }

    #[test]
    fn what_cannot_take_the_name_leaves_the_old_content_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"new", Access::Owner).is_err());
        assert!(path.is_dir());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn an_unfinished_replacement_changes_nothing_and_is_found_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.json");
        replace_under_lock(&path, b"old").unwrap();
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.write_all(b"half").unwrap();
        drop(replacement);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_to_string(unfinished(&path)).unwrap(), "half");
        replace_under_lock(&path, b"new").unwrap();
        assert!(!unfinished(&path).exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_the_owners_alone_stays_so() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        replace_under_lock(&path, b"a").unwrap();
        assert_eq!(mode(), 0o600);
        replace(&path, b"b", Access::Owner).unwrap();
        assert_eq!(mode(), 0o600);
        // As an ordinary new file is made here.
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "").unwrap();
        replace(&path, b"c", Access::Umask).unwrap();
        assert_eq!(mode(), fs::metadata(ordinary).unwrap().permissions().mode() & 0o777);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_could_read_becomes_private_and_links_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "").unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o644)).unwrap();
        let own = folder.path().join("own/deep");
        create_private_folder(&own).unwrap();
        assert_eq!((mode(&own), mode(own.parent().unwrap())), (0o700, 0o700));
        drop(open_private(&own.join("new")).unwrap());
        assert_eq!(mode(&own.join("new")), 0o600);
        assert_eq!(make_private(&own).unwrap(), 0, "nothing is there to be taken");
        fs::write(own.join("old"), "").unwrap();
        for (path, mode) in [(own.join("old"), 0o664), (own.clone(), 0o755)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink(&elsewhere, own.join("link")).unwrap();
        assert_eq!(make_private(&own).unwrap(), 2);
        assert_eq!((mode(&own), mode(&own.join("old")), mode(&elsewhere)), (0o700, 0o600, 0o644));
        assert_eq!(make_private(&folder.path().join("nothing")).unwrap(), 0);
    }
}
