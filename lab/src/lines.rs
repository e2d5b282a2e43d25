//! Evaluation sets as JSON lines, packed or not.

use std::io::Read as _;
use std::path::Path;

/// The text of a file, unpacked where its name ends in `.gz`.
///
/// # Errors
///
/// If it cannot be read or unpacked, or is no UTF-8.
pub fn read(path: &Path) -> std::io::Result<String> {
    if path.extension().is_some_and(|extension| extension == "gz") {
        return unpack(std::fs::File::open(path)?);
    }
    std::fs::read_to_string(path)
}

/// The text in a packed stream.
///
/// # Errors
///
/// As [`read`].
pub fn unpack(packed: impl std::io::Read) -> std::io::Result<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_sets_are_read_though_they_are_packed() {
        for (name, lines) in [("eval", 4_000), ("brain-eval", 1_128)] {
            let path = format!("{}/../assets/model/{name}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(read(Path::new(&path)).unwrap().lines().count(), lines, "{name}");
        }
    }
}
