//! Bounds on what is unpacked, counted on the bytes that come out.

use std::io::Read;

/// Characters of the longest name of a file inside.
const NAME_CHARACTERS: usize = 400;

/// Why a file inside was not, or not completely, unpacked.
pub(crate) enum Trouble {
    /// More comes out than is read.
    TooLarge,
    /// It cannot be unpacked from here on.
    Damaged,
}

/// Everything up to `limit` bytes, and what is wrong. Nothing that is too large is kept.
pub(crate) fn unpack(from: impl Read, limit: u64) -> (Vec<u8>, Option<Trouble>) {
    let mut bytes = Vec::new();
    let ended = from.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    if bytes.len() as u64 > limit {
        return (Vec::new(), Some(Trouble::TooLarge));
    }
    (bytes, ended.is_err().then_some(Trouble::Damaged))
}

/// A name that leads nowhere but into its archive, in words that can be shown. Nothing is left of `..`.
pub(crate) fn safe_name(name: &str) -> Option<String> {
    let parts = name.split(['/', '\\']).map(|part| {
        let kept: String = part.chars().filter(|character| !is_unsafe(*character)).collect();
        kept.trim().to_owned()
    });
    let is_drive = |part: &str| part.len() == 2 && part.ends_with(':');
    let parts: Vec<String> = parts
        .enumerate()
        .filter(|(index, part)| !(matches!(part.as_str(), "" | "." | "..") || *index == 0 && is_drive(part)))
        .map(|(_, part)| part)
        .collect();
    let safe: String = parts.join("/");
    let count = safe.chars().count();
    // The end tells what the file is.
    let safe: String = safe.chars().skip(count.saturating_sub(NAME_CHARACTERS)).collect();
    (!safe.is_empty()).then_some(safe)
}

/// Control characters, and those that turn the direction of text, which can disguise an extension.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Files that an operating system leaves behind.
pub(super) fn is_litter(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    name.starts_with("__MACOSX/")
        || name.contains("/__MACOSX/")
        || file.starts_with("._")
        || matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_lead_out_of_their_archive() {
        let safe = |name: &str| safe_name(name).unwrap_or_default();
        assert_eq!(safe("../../etc/passwd"), "etc/passwd");
        assert_eq!(safe("/root/./a.txt"), "root/a.txt");
        assert_eq!(safe("C:\\Users\\a.txt"), "Users/a.txt");
        assert_eq!(safe("a\u{202e}txt\u{0}.exe\n"), "atxt.exe");
        assert_eq!(safe("../.."), "");
        assert!(safe(&format!("{}.pdf", "x".repeat(9000))).ends_with("x.pdf"));
        assert_eq!(safe(&"ü".repeat(9000)).chars().count(), NAME_CHARACTERS);
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        assert_eq!(unpack(&b"abc"[..], 3).0, b"abc");
        let (kept, trouble) = unpack(&b"abcd"[..], 3);
        assert!(kept.is_empty() && matches!(trouble, Some(Trouble::TooLarge)));
    }
}
