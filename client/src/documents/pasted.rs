//! Pasted texts become files of the home, so that citations can be looked up later.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nostr::hashes::{Hash as _, sha256};

/// Writes a text to a file that is named by its hash: a path that runs cite never comes to stand for another text.
/// Blocks.
pub fn keep_pasted(text: &str, folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let hash = sha256::Hash::hash(text.as_bytes()).to_string();
    // A longer name where a file of the short one is damaged, or has a text whose hash begins like this.
    for digits in [8, 16, 64] {
        let path = folder.join(format!("pasted-{}.txt", &hash[..digits]));
        match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(text.as_bytes()).map(|()| path),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if fs::read(&path)? == text.as_bytes() => return Ok(path),
            Err(_) => {}
        }
    }
    Err(io::Error::other("every name for it is taken; delete what is damaged in the folder of pasted texts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_text_is_never_overwritten_by_another() {
        let folder = tempfile::tempdir().unwrap();
        let keep = |text: &str| keep_pasted(text, &folder.path().join("pasted")).unwrap();
        let (first, second) = (keep("first"), keep("second"));
        assert_eq!(keep("second"), second, "the same text is kept once");
        fs::remove_file(&first).unwrap();
        let third = keep("third");
        assert_eq!(fs::read_to_string(&second).unwrap(), "second");
        assert_eq!(fs::read_to_string(&third).unwrap(), "third");
        // A write that was killed.
        fs::write(&second, "sec").unwrap();
        let again = keep("second");
        assert_eq!((fs::read_to_string(&again).unwrap().as_str(), again == second), ("second", false));
    }
}
