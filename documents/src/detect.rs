//! What a file is, by its bytes, and by its name where they cannot tell.

mod container;
mod magic;
mod text;

use crate::archive::is_tar;
use crate::event::Refusal;
use crate::format::Format;
use crate::plain;

/// A NUL this near the front means that the bytes are no text.
const BINARY_PROBE_BYTES: usize = 64 << 10;

impl Format {
    /// Tells what a file is; or that it is something which is not read, and what to do about it.
    pub fn detect(name: &str, bytes: &[u8]) -> Result<Self, Refusal> {
        let extension = extension(name);
        let extension = extension.as_str();
        if magic::is_pdf(bytes) {
            return Ok(Self::Pdf);
        }
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            return container::zip(extension, bytes);
        }
        if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
            return container::compound(extension, bytes);
        }
        if bytes.starts_with(b"\x1f\x8b\x08") {
            return Ok(Self::Gzip);
        }
        if is_tar(bytes) {
            return Ok(Self::Tar);
        }
        if let Some(refusal) = magic::unsupported(bytes) {
            return Err(refusal);
        }
        let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let utf16 = marked || plain::evident_utf16(bytes).is_some();
        let probe = &bytes[..bytes.len().min(BINARY_PROBE_BYTES)];
        if !utf16 && probe.contains(&0) {
            return Err(damaged(extension).unwrap_or_else(plain::binary));
        }
        Ok(text::detect(extension, bytes, utf16))
    }
}

/// What follows the last dot of a file's name, in small letters.
fn extension(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

/// A binary file without a known beginning whose name says what it should be.
fn damaged(extension: &str) -> Option<Refusal> {
    let format = match extension {
        "pdf" => Format::Pdf,
        "docx" => Format::Docx,
        "pptx" => Format::Pptx,
        "xlsx" => Format::Xlsx,
        "xls" => Format::Xls,
        "odt" => Format::Odt,
        "odp" => Format::Odp,
        "ods" => Format::Ods,
        "epub" => Format::Epub,
        "zip" => Format::Zip,
        "tar" => Format::Tar,
        "gz" | "tgz" => Format::Gzip,
        _ => return None,
    };
    Some(Refusal::damaged(format, "its first bytes are those of no such file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(name: &str, bytes: &[u8]) -> Result<Format, String> {
        Format::detect(name, bytes).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn bytes_decide_whatever_the_name_says() {
        assert_eq!(detected("notes.txt", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), Ok(Format::Pdf));
        assert_eq!(detected("table.xls", b"<html><table><tr><td>1</table>"), Ok(Format::Html));
        assert_eq!(detected("table.xls", b"a\tb\n1\t2\n"), Ok(Format::Plain));
        assert_eq!(detected("page", b"<!DOCTYPE html><title>x</title>"), Ok(Format::Html));
        assert_eq!(
            detected("x.pdf", b"\0\x01\x02\x03"),
            Err(Refusal::damaged(Format::Pdf, "its first bytes are those of no such file").to_string())
        );
    }

    #[test]
    fn a_binary_file_without_a_known_beginning_is_refused() {
        assert!(detected("data.bin", b"abc\0\x01\x02").unwrap_err().starts_with("a binary file"));
        assert_eq!(detected("x.txt", b""), Ok(Format::Plain));
    }

    #[test]
    fn utf16_is_no_binary_file() {
        let bytes: Vec<u8> = "Item,Price\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(detected("a.csv", &bytes), Ok(Format::Plain));
        let page: Vec<u8> = "\u{feff}<html><p>x".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(detected("a", &page), Ok(Format::Html));
    }

    #[test]
    fn names_without_an_extension_have_none() {
        assert_eq!(extension("a.b/README"), "");
        assert_eq!(extension("C:\\x\\Report.PDF"), "pdf");
    }
}
