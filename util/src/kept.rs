//! Files that a folder keeps as long as they are used: listed by their last use, and deleted where they are old or too many.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// When it was made or used last.
    pub used: SystemTime,
    /// Its size.
    pub bytes: u64,
    /// Where it lies.
    pub path: PathBuf,
}

/// How much may be kept, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The most bytes of all files together.
    pub most_bytes: u64,
    /// What was not used for so long goes; `None`: nothing goes by its age.
    pub unused: Option<Duration>,
}

/// The files of a folder, what was used last first; none where there is no folder. Blocks.
pub fn list(folder: &Path) -> io::Result<Vec<Kept>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut kept = Vec::new();
    for entry in entries {
        let entry = entry?;
        let metadata = match entry.metadata() {
            // Another process may have deleted it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata?,
        };
        if metadata.is_file() {
            kept.push(Kept { used: metadata.modified()?, bytes: metadata.len(), path: entry.path() });
        }
    }
    kept.sort_by(|left, right| (right.used, &right.path).cmp(&(left.used, &left.path)));
    Ok(kept)
}

/// Notes that a file is used now. Where that cannot be noted, the time of its making decides when it goes. Blocks.
pub fn touch(path: &Path) {
    let _ = fs::File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Deletes all files of a folder, and says how many that were. Blocks.
pub fn clear(folder: &Path) -> io::Result<usize> {
    let kept = list(folder)?;
    for file in &kept {
        fs::remove_file(&file.path)?;
    }
    Ok(kept.len())
}

/// Deletes what is too old, and what was not used for the longest time until all that stays has room; `stays` is never deleted. Blocks.
pub fn make_room(folder: &Path, room: Room, stays: Option<&Path>) -> io::Result<()> {
    let kept = list(folder)?;
    let mut taken: u64 = kept.iter().map(|file| file.bytes).sum();
    let mut failed = Ok(());
    for file in kept.iter().rev() {
        let is_old = room.unused.is_some_and(|unused| file.used.elapsed().is_ok_and(|age| age > unused));
        if stays == Some(file.path.as_path()) || !is_old && taken <= room.most_bytes {
            continue;
        }
        // What cannot be deleted, since it is open, does not keep the others.
        match fs::remove_file(&file.path) {
            Ok(()) => taken -= file.bytes,
            Err(error) => failed = Err(error),
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of ten bytes each, used so many days ago.
    fn folder(days: &[u64]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for day in days {
            let path = folder.path().join(format!("{day}"));
            fs::write(&path, [7; 10]).unwrap();
            let used = SystemTime::now() - Duration::from_hours(24 * day);
            fs::File::options().append(true).open(&path).unwrap().set_modified(used).unwrap();
        }
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |file: Kept| file.path.file_name().unwrap().to_string_lossy().into_owned();
        list(folder).unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let folder = folder(&[3, 1, 2]);
        assert_eq!(names(folder.path()), ["1", "2", "3"]);
        let room = Room { most_bytes: 20, unused: None };
        make_room(folder.path(), room, None).unwrap();
        assert_eq!(names(folder.path()), ["1", "2"]);
        touch(&folder.path().join("2"));
        assert_eq!(names(folder.path()), ["2", "1"]);
    }

    #[test]
    fn what_is_old_goes_and_what_is_in_use_stays() {
        let folder = folder(&[40, 50, 1]);
        let room = Room { most_bytes: 1_000, unused: Some(Duration::from_hours(24 * 30)) };
        make_room(folder.path(), room, Some(&folder.path().join("50"))).unwrap();
        assert_eq!(names(folder.path()), ["1", "50"]);
        assert_eq!((clear(folder.path()).unwrap(), names(folder.path()).len()), (2, 0));
    }

    #[test]
    fn a_folder_that_is_not_there_keeps_nothing() {
        let folder = folder(&[]).path().join("none");
        assert_eq!(list(&folder).unwrap(), []);
        assert_eq!(clear(&folder).unwrap(), 0);
    }
}
