//! The names in a zip, read without unpacking anything and without trust.

/// How many names are looked at.
const MAX_NAMES: usize = 20_000;

/// How far from the end the end record is looked for: its comment may be as long.
const END_BYTES: usize = 66 << 10;

/// The names in a zip's list; those before its files, if there is no list. Names are told lossily.
pub(crate) fn list_zip(bytes: &[u8]) -> Vec<String> {
    let listed = central(bytes).unwrap_or_default();
    if listed.is_empty() { local(bytes) } else { listed }
}

fn central(bytes: &[u8]) -> Option<Vec<String>> {
    let from = bytes.len().saturating_sub(END_BYTES);
    let end = bytes[from..].windows(4).rposition(|window| window == b"PK\x05\x06")? + from;
    let size = u64::from(number(bytes, end + 12)?);
    let offset = u64::from(number(bytes, end + 16)?);
    // Bytes before the zip shift every offset: the list ends where the end record begins, but for large files.
    let start = usize::try_from((end as u64).checked_sub(size).unwrap_or(offset)).ok()?;
    let start =
        if bytes.get(start..)?.starts_with(b"PK\x01\x02") { start } else { usize::try_from(offset).ok()? };
    Some(entries(
        bytes,
        start,
        b"PK\x01\x02",
        28,
        |at| {
            let [name, extra, comment] = [28, 30, 32].map(|field| short(bytes, at + field));
            Some(46 + name? + extra? + comment?)
        },
        46,
    ))
}

fn local(bytes: &[u8]) -> Vec<String> {
    entries(
        bytes,
        0,
        b"PK\x03\x04",
        26,
        |at| {
            let [name, extra] = [26, 28].map(|field| short(bytes, at + field));
            Some(30 + name? + extra? + usize::try_from(number(bytes, at + 18)?).ok()?)
        },
        30,
    )
}

/// Names of entries that follow each other, as long as each begins as it should.
fn entries(
    bytes: &[u8],
    start: usize,
    signature: &[u8],
    length_at: usize,
    size: impl Fn(usize) -> Option<usize>,
    name_at: usize,
) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = start;
    while names.len() < MAX_NAMES && bytes.get(at..).is_some_and(|rest| rest.starts_with(signature)) {
        let Some((length, size)) = short(bytes, at + length_at).zip(size(at)) else {
            break;
        };
        let name = bytes.get(at + name_at..at + name_at + length).unwrap_or_default();
        names.push(String::from_utf8_lossy(name).into_owned());
        at += size;
    }
    names
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let field = bytes.get(at..)?.first_chunk::<2>()?;
    Some(usize::from(u16::from_le_bytes(*field)))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use super::*;

    #[test]
    fn names_are_listed_even_from_a_damaged_zip() {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["a.txt", "b/c.txt"] {
            let stored =
                zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            writer.start_file(name, stored).unwrap();
            writer.write_all(b"text").unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(list_zip(&bytes), ["a.txt", "b/c.txt"]);
        let mut shifted = b"#!/bin/sh\n".to_vec();
        shifted.extend(&bytes);
        assert_eq!(list_zip(&shifted), ["a.txt", "b/c.txt"]);
        assert_eq!(list_zip(&bytes[..bytes.len() - 60])[0], "a.txt");
        assert_eq!(list_zip(b"PK\x03\x04"), Vec::<String>::new());
    }
}
