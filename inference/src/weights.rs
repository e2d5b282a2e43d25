//! The identity of weights: sha256 over the files that hold them.
//!
//! Two providers run the same model exactly if these hashes agree, so the hash covers weights only,
//! not configuration files, whose line ends and comments differ between copies.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

const READ_BYTES: usize = 1 << 20;

/// sha256 over a weight file, or over all `*.safetensors` files of a folder in name order, as hex.
///
/// Reads everything: seconds for a large model. Call it off the async threads.
pub fn hash(path: &Path) -> io::Result<String> {
    let files = if path.is_dir() { safetensors_files(path)? } else { vec![path.to_owned()] };
    if files.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no .safetensors files in this folder"));
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; READ_BYTES];
    for file in files {
        let mut file = File::open(file)?;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
        }
    }
    Ok(hex::encode(hasher.finalize()))
}

/// sha256 over bytes in memory, as hex.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// How many bytes the weights take on disk.
pub fn size_bytes(path: &Path) -> io::Result<u64> {
    if !path.is_dir() {
        return Ok(path.metadata()?.len());
    }
    safetensors_files(path)?.iter().map(|file| Ok(file.metadata()?.len())).sum()
}

fn safetensors_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "safetensors") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_bytes_have_one_hash() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("w.gguf");
        let bytes = vec![7_u8; READ_BYTES + 3];
        std::fs::write(&path, &bytes).expect("writable");
        assert_eq!(hash(&path).expect("readable"), hash_bytes(&bytes));
        assert_eq!(size_bytes(&path).expect("readable"), bytes.len() as u64);
    }

    #[test]
    fn a_folder_hashes_its_safetensors_in_name_order_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("writable");
        write("b.safetensors", "two");
        write("a.safetensors", "one");
        let before = hash(folder.path()).expect("readable");
        write("config.json", "{}");
        assert_eq!(hash(folder.path()).expect("readable"), before);
        assert_eq!(before, hash_bytes(b"onetwo"));
    }

    #[test]
    fn a_folder_without_weights_says_so() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(hash(folder.path()).expect_err("nothing to hash").to_string().contains("safetensors"));
    }
}
