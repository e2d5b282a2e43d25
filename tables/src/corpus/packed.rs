//! Files of the corpus, of which the large ones lie there compressed.

use std::fs::File;
use std::path::{Path, PathBuf};

/// A file as it was written: itself, or what `file.gz` holds, put into `folder`.
pub fn unpacked(path: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    if path.exists() {
        return Ok(path.to_owned());
    }
    let name = path.file_name().unwrap_or_default();
    let packed = File::open(path.with_file_name(format!("{}.gz", name.to_string_lossy())))?;
    let unpacked = folder.join(name);
    std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut File::create(&unpacked)?)?;
    Ok(unpacked)
}
