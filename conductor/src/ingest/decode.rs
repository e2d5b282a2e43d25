//! Bytes → text.

use std::borrow::Cow;

/// A NUL this near the front means that the bytes are no text.
const BINARY_PROBE_BYTES: usize = 64 * 1024;

/// Share of replaced characters, in percent, from which the text is in another encoding rather
/// than damaged.
const MAX_REPLACED_PERCENT: usize = 20;

/// Text, and what it cost to get it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub replaced_sequences: usize,
}

/// Why bytes are not a document; the message names the fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A PDF.
    #[error("a PDF file; convert it to text first, for example with `pdftotext`")]
    Pdf,
    /// An archive, or an office document, which is one.
    #[error("an archive or office document; unpack it or save it as plain text first")]
    Archive,
    /// An image, a program, a database.
    #[error("a binary file, not text; convert it to text first or leave it out")]
    Binary,
    /// Neither UTF-8 nor UTF-16.
    #[error("mostly not UTF-8; convert it first, for example with `iconv -f latin1 -t utf-8`")]
    Encoding,
}

/// Reads UTF-8, or UTF-16 behind a byte order mark; invalid sequences become U+FFFD and are
/// counted, and a byte order mark is removed.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    if bytes.starts_with(b"%PDF-") {
        return Err(NotText::Pdf);
    }
    if [
        &b"PK\x03\x04"[..],
        b"\x1f\x8b",
        b"7z\xbc\xaf",
        b"BZh9",
        b"\xfd7zXZ",
        b"\x28\xb5\x2f\xfd",
        b"\xd0\xcf\x11\xe0",
    ]
    .iter()
    .any(|magic| bytes.starts_with(magic))
    {
        return Err(NotText::Archive);
    }
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        return Err(NotText::Encoding);
    }
    let decoded = if let Some(units) = bytes.strip_prefix(b"\xff\xfe") {
        decode_utf16(units, u16::from_le_bytes)
    } else if let Some(units) = bytes.strip_prefix(b"\xfe\xff") {
        decode_utf16(units, u16::from_be_bytes)
    } else {
        decode_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
    };
    if memchr::memchr(0, &decoded.text.as_bytes()[..decoded.text.len().min(BINARY_PROBE_BYTES)]).is_some() {
        return Err(NotText::Binary);
    }
    if decoded.replaced_sequences > 0 {
        let characters = decoded.text.chars().filter(|character| !character.is_whitespace()).count();
        if decoded.replaced_sequences * 100 > characters * MAX_REPLACED_PERCENT {
            return Err(NotText::Encoding);
        }
    }
    Ok(decoded)
}

fn decode_utf8(bytes: &[u8]) -> Decoded<'_> {
    let mut text = String::new();
    let mut replaced_sequences = 0;
    for chunk in bytes.utf8_chunks() {
        // The common case is one valid chunk: then nothing is copied.
        if chunk.invalid().is_empty() && text.is_empty() {
            return Decoded { text: Cow::Borrowed(chunk.valid()), replaced_sequences };
        }
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced_sequences += 1;
        }
    }
    Decoded { text: Cow::Owned(text), replaced_sequences }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'static> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut replaced_sequences = rest.len();
    let mut text = String::with_capacity(bytes.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        text.push(character.unwrap_or_else(|_| {
            replaced_sequences += 1;
            char::REPLACEMENT_CHARACTER
        }));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Decoded { text: Cow::Owned(text), replaced_sequences }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text.into_owned()
    }

    #[test]
    fn byte_order_marks_are_removed_and_utf16_is_decoded() {
        assert_eq!(text(b"\xef\xbb\xbfhello"), "hello");
        assert_eq!(text(b"\xff\xfeh\0i\0"), "hi");
        assert_eq!(text(b"\xfe\xff\0h\0i"), "hi");
        assert_eq!(decode(b"\xff\xfeh\0\0\xd8i\0h\0h\0h\0h\0").unwrap().replaced_sequences, 1);
    }

    #[test]
    fn damaged_utf8_is_replaced_and_counted() {
        let decoded = decode(b"caf\xe9 and na\xefve people").unwrap();
        assert_eq!(decoded.text, "caf\u{fffd} and na\u{fffd}ve people");
        assert_eq!(decoded.replaced_sequences, 2);
    }

    #[test]
    fn other_encodings_and_binaries_are_refused_with_a_fix() {
        assert_eq!(decode(b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0"), Err(NotText::Encoding));
        assert_eq!(decode(b"\x7fELF\0\0"), Err(NotText::Binary));
        assert_eq!(decode(b"%PDF-1.7 ..."), Err(NotText::Pdf));
        assert_eq!(decode(b"PK\x03\x04..."), Err(NotText::Archive));
        assert!(NotText::Encoding.to_string().contains("iconv"));
    }
}
