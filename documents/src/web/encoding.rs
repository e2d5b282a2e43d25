//! How a page is encoded: by its byte order mark, by what it says in its head, else by its bytes.

use crate::plain::{self, Decoded};

/// A page says its encoding within so many bytes.
const HEAD_BYTES: usize = 4 << 10;

pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let marked = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| bytes.starts_with(mark));
    if marked || plain::evident_utf16(bytes).is_some() {
        return plain::decode(bytes);
    }
    let declared = declared(&bytes[..bytes.len().min(HEAD_BYTES)]);
    // What is readable without decoding cannot be UTF-16, whatever it says.
    let declared = declared.filter(|label| !label.to_ascii_lowercase().starts_with(b"utf-16"));
    declared.and_then(|label| plain::decode_as(label, bytes)).unwrap_or_else(|| plain::decode(bytes))
}

/// The label behind the first `charset=`, or the `encoding=` of an XML declaration.
fn declared(head: &[u8]) -> Option<&[u8]> {
    let xml = head.trim_ascii_start().starts_with(b"<?xml").then(|| {
        let end = head.windows(2).position(|window| window == b"?>").unwrap_or(head.len());
        label_behind(&head[..end], b"encoding")
    });
    xml.flatten().or_else(|| label_behind(head, b"charset"))
}

fn label_behind<'a>(head: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let mut at = 0;
    while let Some(found) =
        head[at..].windows(word.len()).position(|window| window.eq_ignore_ascii_case(word))
    {
        at += found + word.len();
        let rest = head[at..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=") else {
            continue;
        };
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:.".contains(byte));
        let label = &rest[..end.unwrap_or(rest.len())];
        if !label.is_empty() {
            return Some(label);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_decoded_as_it_says() {
        assert_eq!(decode(b"<meta charset=iso-8859-2><p>\xb5").text, "<meta charset=iso-8859-2><p>ľ");
        let page = b"<meta http-equiv=content-type content='text/html; charset=Shift_JIS'>\x82\xa0";
        assert!(decode(page).text.ends_with('あ'));
        assert!(
            decode(b"<?xml version='1.0' encoding='windows-1251'?><p>\xcc\xe8\xf0").text.ends_with("Мир")
        );
    }

    #[test]
    fn a_page_that_says_nothing_or_lies_is_guessed() {
        assert!(decode(b"<p>caf\xe9 cr\xe8me").text.ends_with("café crème"));
        assert!(decode(b"<meta charset=utf-8><p>caf\xe9 cr\xe8me").text.ends_with("café crème"));
        assert!(decode("<meta charset=utf-16><p>ü".as_bytes()).text.ends_with('ü'));
        assert!(decode("<meta charset=nonsense><p>ü".as_bytes()).text.ends_with('ü'));
        assert!(decode("<p>charset of ü".as_bytes()).text.ends_with('ü'));
    }
}
