//! What the fuzz targets share: bytes read as a file of one format. A panic is a finding; a refusal is not.

use std::io::{Cursor, Write as _};

use frlm_documents::{Collector, Limits, Options};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Small enough that a run finds a reader which does not count.
const LIMITS: Limits = Limits {
    text_bytes: 4 << 20,
    member_bytes: 1 << 20,
    unpacked_bytes: 4 << 20,
    files: 64,
    depth: 3,
    pages: 64,
    nesting: 64,
};

/// Reads bytes as a file of this name.
pub fn read(name: &str, bytes: &[u8]) {
    let options = Options { limits: LIMITS, ..Options::default() };
    let mut collector = Collector::default();
    frlm_documents::read(name, bytes, &options, &mut |event| collector.push(event));
    for document in collector.finish() {
        assert!(document.content.text().len() <= 8 << 20, "more text than the limit");
    }
}

/// Reads bytes as a file of this name, whose reader is a library that panics on damaged files. Those panics are caught, and the
/// file is refused; what is looked for is a panic of our own, a loop, or memory without a bound.
pub fn read_by_library(name: &str, bytes: &[u8]) {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_ours = panic.location().is_none_or(|location| location.file().contains("documents/"));
            if is_ours {
                abort(panic);
            }
        }));
    });
    read(name, bytes);
}

/// Reads bytes as the part of an archive that has no content here.
pub fn read_packed(name: &str, parts: &[(&str, Option<&str>)], bytes: &[u8]) {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (part, content) in parts {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let content = content.map_or(bytes, str::as_bytes);
        if archive.start_file(*part, stored).and_then(|()| Ok(archive.write_all(content)?)).is_err() {
            return;
        }
    }
    if let Ok(archive) = archive.finish() {
        read(name, &archive.into_inner());
    }
}
