//! What the fuzz targets share: bytes read as a file of one format. A panic is a finding; a refusal is not.

use std::io::{Cursor, Write as _};

use frlm_documents::text::{self, TextKind};
use frlm_documents::{Collector, Decoding, Limits, Options};
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

/// Reads bytes as a file of this name, whose reader is a library that panics on damaged files.
pub fn read_by_library(name: &str, bytes: &[u8]) {
    let_library_panic();
    read(name, bytes);
}

/// Draws the first page of a PDF, and looks for a quote on it.
pub fn draw(bytes: &[u8]) {
    let_library_panic();
    let options = Options { limits: LIMITS, ..Options::default() };
    let quotes = ["the rent is 1200".to_owned()];
    let drawn = std::panic::catch_unwind(|| frlm_documents::page(bytes, 1, 1.0, &quotes, &options));
    if let Ok(Ok(image)) = drawn {
        assert_eq!(image.rgba.len(), image.width as usize * image.height as usize * 4);
    }
}

/// Decodes bytes whole and in pieces, and looks for lines and rows in them.
pub fn read_text(bytes: &[u8]) {
    let text = frlm_documents::decode(bytes).text;
    let (mut decoding, mut in_pieces) = (Decoding::of(bytes), String::new());
    for piece in bytes.chunks(7) {
        decoding.push(piece, false, &mut in_pieces);
    }
    decoding.push(b"", true, &mut in_pieces);
    for name in ["a", "a.csv", "a.json", "a.log", "a.md", "a.rs"] {
        TextKind::detect(name, &text);
    }
    let mut end = 0;
    for line in text::lines(&text) {
        let bytes = line.bytes();
        assert!(bytes.start >= end && text.get(bytes.clone()).is_some(), "a line that is none");
        end = bytes.end;
    }
    for delimiter in *b",;\t|" {
        let mut end = 0;
        for row in text::rows(&text, delimiter) {
            assert!(row.bytes.start >= end && text.get(row.bytes.clone()).is_some(), "a row that is none");
            end = row.bytes.end;
        }
    }
}

/// Panics of libraries are caught, and the file is refused; what is looked for is a panic of our own, a loop, or memory without
/// a bound.
fn let_library_panic() {
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
}

/// Reads bytes as a part of an Office package, and as each part that it names beside it: `related` says what they are to it.
/// The package has the parts that are `given`, too.
pub fn read_office(name: &str, given: &[(&str, &str)], part: &str, related: &[(&str, &str)], bytes: &[u8]) {
    let (folder, file) = part.rsplit_once('/').expect("a part lies in a folder");
    let relation = |(number, (kind, target)): (u32, &(&str, &str))| {
        format!(r#"<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>"#)
    };
    let relations: String = (1..).zip(related).map(relation).collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let of_relations = format!("{folder}/_rels/{file}.rels");
    let mut beside: Vec<String> = related.iter().map(|(_, target)| format!("{folder}/{target}")).collect();
    // Notes at the foot and at the end stand in one.
    beside.dedup();
    let mut parts = vec![
        ("[Content_Types].xml", Some("<Types/>")),
        (of_relations.as_str(), Some(relations.as_str())),
        (part, None),
    ];
    parts.extend(given.iter().map(|(part, content)| (*part, Some(*content))));
    parts.extend(beside.iter().map(|part| (part.as_str(), None)));
    read_packed(name, &parts, bytes);
}

/// Reads bytes as content and styles of an OpenDocument file.
pub fn read_open_document(name: &str, kind: &str, bytes: &[u8]) {
    let kind = format!("application/vnd.oasis.opendocument.{kind}");
    read_packed(
        name,
        &[("mimetype", Some(kind.as_str())), ("content.xml", None), ("styles.xml", None)],
        bytes,
    );
}

/// Reads bytes as each part of an archive that has no content here.
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
