//! Text in any encoding.

mod stream;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_16BE, UTF_16LE};

use crate::event::{Refusal, Warning};
use crate::output::Output;

pub use stream::Decoding;

/// A NUL this near the front means that the bytes are no text.
const BINARY_PROBE_BYTES: usize = 64 << 10;

/// How many bytes are looked at to guess their encoding, from the first that is not ASCII.
const GUESS_BYTES: usize = 1 << 20;

/// How many code units are looked at to tell UTF-16 without a byte order mark.
const UTF16_PROBE_UNITS: usize = 16 << 10;

/// Share of replaced characters, in percent, above which the bytes are no text.
const MAX_REPLACED_PERCENT: usize = 20;

/// Share of control characters, in percent, above which a guessed text is none.
const MAX_CONTROL_PERCENT: usize = 5;

/// Text, and what it took to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text; what was no text is U+FFFD.
    pub text: String,
    /// The encoding's name, if the text does not say it and it is not UTF-8.
    pub guessed: Option<&'static str>,
    /// Byte sequences that were replaced.
    pub replaced: u32,
}

/// Decodes text: by its byte order mark, as UTF-8 if it is, else by what its bytes look like. Line breaks stay as they are.
pub fn decode(bytes: &[u8]) -> Decoded {
    if let Some(units) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(units, u16::from_le_bytes);
    }
    if let Some(units) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(units, u16::from_be_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8(rest).0;
    }
    if let Some(encoding) = evident_utf16(bytes) {
        let unit = if encoding == UTF_16LE { u16::from_le_bytes } else { u16::from_be_bytes };
        return Decoded { guessed: Some(encoding.name()), ..utf16(bytes, unit) };
    }
    let (decoded, beyond_ascii) = utf8(bytes);
    let tail = cut_off_bytes(bytes);
    let cut_off = decoded.replaced == 1 && (tail > 1 || tail == 1 && beyond_ascii > 0);
    if decoded.replaced == 0 {
        return iso_2022_jp(bytes).unwrap_or(decoded);
    }
    // Other encodings hardly ever form characters of UTF-8: a text with more characters than errors is damaged UTF-8.
    if beyond_ascii > decoded.replaced || cut_off {
        return decoded;
    }
    guessed(bytes)
}

/// Decodes text that says how it is encoded, by the label that the web uses. An unknown label is `None`.
pub(crate) fn decode_as(label: &[u8], bytes: &[u8]) -> Option<Decoded> {
    let encoding = Encoding::for_label(label)?;
    if encoding == encoding_rs::UTF_8 {
        let (decoded, beyond_ascii) = utf8(bytes);
        let wrong = decoded.replaced > beyond_ascii;
        return Some(if wrong { guessed(bytes) } else { decoded });
    }
    let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
    let replaced = replacements(&text);
    Some(Decoded { text, guessed: None, replaced })
}

pub(crate) fn read(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Refusal> {
    let decoded = decode(bytes);
    if !is_text(&decoded) {
        return Err(binary());
    }
    if decoded.text.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    warn(&decoded, out);
    out.plain(decoded.text)
}

/// Says what was guessed and replaced.
pub(crate) fn warn(decoded: &Decoded, out: &mut Output<'_>) {
    if let Some(encoding) = decoded.guessed {
        out.warn(Warning::GuessedEncoding { encoding: encoding.to_owned() });
    }
    if decoded.replaced > 0 {
        out.warn(Warning::ReplacedBytes { sequences: decoded.replaced });
    }
}

/// Bytes that are no text, and no format that is known.
pub(crate) fn binary() -> Refusal {
    Refusal::Unsupported {
        what: "a binary file, not text".to_owned(),
        remedy: "convert it to text or PDF first, or leave it out".to_owned(),
    }
}

/// Whether the bytes are UTF-16 that does not say so: NULs stand in one half of the code units alone, and what is
/// decoded has no control characters.
pub(crate) fn evident_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let pairs = &pairs[..pairs.len().min(UTF16_PROBE_UNITS)];
    let first = pairs.iter().filter(|pair| pair[0] == 0).count();
    let second = pairs.iter().filter(|pair| pair[1] == 0).count();
    let enough = |nuls: usize| nuls >= 2 && nuls * 20 >= pairs.len();
    let encoding = match (first, second) {
        (0, nuls) if enough(nuls) => UTF_16LE,
        (nuls, 0) if enough(nuls) => UTF_16BE,
        _ => return None,
    };
    // The last unit may be the first half of a pair.
    let probe = &pairs[..pairs.len() - 1];
    let unit = if encoding == UTF_16LE { u16::from_le_bytes } else { u16::from_be_bytes };
    let text = char::decode_utf16(probe.iter().map(|pair| unit(*pair)));
    let is_text = |character: Result<char, _>| character.is_ok_and(|character| !is_no_text(character));
    text.into_iter().all(is_text).then_some(encoding)
}

fn is_text(decoded: &Decoded) -> bool {
    let mut probe = decoded.text.bytes().take(BINARY_PROBE_BYTES);
    if probe.any(|byte| byte == 0) {
        return false;
    }
    if decoded.replaced > 0 {
        let characters = decoded.text.chars().filter(|character| !character.is_whitespace()).count();
        if decoded.replaced as usize * 100 > characters * MAX_REPLACED_PERCENT {
            return false;
        }
    }
    if decoded.guessed.is_some() {
        let probe = || decoded.text.chars().take(BINARY_PROBE_BYTES);
        let controls = probe().filter(|character| is_no_text(*character)).count();
        return controls * 100 <= probe().count() * MAX_CONTROL_PERCENT;
    }
    true
}

/// A control character that no text has. Terminals' escapes and backspaces stand in logs.
fn is_no_text(character: char) -> bool {
    character.is_control()
        && !matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{8}' | '\u{1b}' | '\u{85}')
}

/// Decodes UTF-8, and counts the characters beyond ASCII.
fn utf8(bytes: &[u8]) -> (Decoded, u32) {
    let mut text = String::with_capacity(bytes.len());
    let (mut replaced, mut beyond_ascii) = (0_u32, 0_u32);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced = replaced.saturating_add(1);
        }
    }
    if replaced > 0 {
        let characters = text.chars().filter(|character| !character.is_ascii()).count();
        beyond_ascii = u32::try_from(characters).unwrap_or(u32::MAX).saturating_sub(replaced);
    }
    (Decoded { text, guessed: None, replaced }, beyond_ascii)
}

/// How many bytes of a character that is not complete end what is UTF-8 otherwise.
fn cut_off_bytes(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        _ => 0,
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0_u32;
    let half = (!rest.is_empty()).then_some(0xd800);
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair)).chain(half)) {
        text.push(character.unwrap_or_else(|_| {
            replaced = replaced.saturating_add(1);
            char::REPLACEMENT_CHARACTER
        }));
    }
    Decoded { text, guessed: None, replaced }
}

/// Japanese mail: ASCII with escapes that switch to other character sets.
fn iso_2022_jp(bytes: &[u8]) -> Option<Decoded> {
    let escape = |window: &[u8]| window == b"\x1b$B" || window == b"\x1b$@";
    if !bytes.is_ascii() || !bytes.windows(3).any(escape) {
        return None;
    }
    let (text, wrong) = ISO_2022_JP.decode_without_bom_handling(bytes);
    (!wrong).then(|| Decoded { text: text.into_owned(), guessed: Some(ISO_2022_JP.name()), replaced: 0 })
}

/// What the bytes look like, if they are no UTF-8.
fn likely_encoding(bytes: &[u8]) -> &'static Encoding {
    let start = Encoding::ascii_valid_up_to(bytes).saturating_sub(1 << 10);
    let end = bytes.len().min(start + GUESS_BYTES);
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&bytes[start..end], end == bytes.len());
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

fn guessed(bytes: &[u8]) -> Decoded {
    let encoding = likely_encoding(bytes);
    let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
    let replaced = replacements(&text);
    Decoded { text, guessed: Some(encoding.name()), replaced }
}

fn replacements(text: &str) -> u32 {
    u32::try_from(text.matches(char::REPLACEMENT_CHARACTER).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_removed_and_utf16_is_decoded() {
        assert_eq!(decode(b"\xef\xbb\xbfhello").text, "hello");
        assert_eq!(decode(b"\xff\xfeh\0i\0").text, "hi");
        assert_eq!(decode(b"\xfe\xff\0h\0i").text, "hi");
        assert_eq!(decode(b"\xff\xfeh\0\0\xd8i\0h\0h\0h\0h\0").replaced, 1);
        assert_eq!(decode(b"\xff\xfeh\0i\0!").text, "hi\u{fffd}");
    }

    #[test]
    fn utf16_without_a_mark_is_told_by_its_nuls() {
        let bytes: Vec<u8> = "Miete: 1200 €\r\nPreis".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let decoded = decode(&bytes);
        assert_eq!((decoded.text.as_str(), decoded.guessed), ("Miete: 1200 €\r\nPreis", Some("UTF-16LE")));
        let bytes: Vec<u8> = "Миру мир и хлеб".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&bytes).text, "Миру мир и хлеб");
        assert_eq!(evident_utf16(b"\x7fELF\0\0\0\x01\0"), None);
    }

    #[test]
    fn text_in_an_older_encoding_is_read_and_the_guess_named() {
        let decoded = decode(b"caf\xe9 and na\xefve people");
        assert_eq!((decoded.text.as_str(), decoded.guessed), ("café and naïve people", Some("windows-1252")));
        let decoded = decode(b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0, \xea\xe0\xea \xe4\xe5\xeb\xe0?");
        assert_eq!((decoded.text.as_str(), decoded.guessed), ("Привет мир, как дела?", Some("windows-1251")));
    }

    #[test]
    fn damaged_utf8_is_replaced_and_counted() {
        let mut bytes = "Größe, Übung, Äpfel".as_bytes().to_vec();
        bytes.insert(7, 0xff);
        let decoded = decode(&bytes);
        assert_eq!((decoded.replaced, decoded.guessed), (1, None));
        assert!(decoded.text.contains("Übung") && decoded.text.contains('\u{fffd}'));
    }

    #[test]
    fn utf8_cut_off_within_a_character_stays_utf8() {
        let bytes = "the price is 5 €".as_bytes();
        let decoded = decode(&bytes[..bytes.len() - 1]);
        assert_eq!((decoded.text.as_str(), decoded.guessed), ("the price is 5 \u{fffd}", None));
    }

    #[test]
    fn japanese_mail_is_read_by_its_escapes() {
        let decoded = decode(b"\x1b$B$3$s$K$A$O\x1b(B");
        assert_eq!((decoded.text.as_str(), decoded.guessed), ("こんにちは", Some("ISO-2022-JP")));
    }

    #[test]
    fn a_label_that_lies_is_not_believed() {
        assert_eq!(decode_as(b"utf-8", b"caf\xe9 cr\xe8me").unwrap().text, "café crème");
        assert_eq!(decode_as(b"latin1", b"caf\xe9").unwrap().text, "café");
        assert_eq!(decode_as(b"nonsense", b"x"), None);
    }

    #[test]
    fn bytes_that_are_mostly_replaced_are_no_text() {
        assert!(!is_text(&Decoded { text: "\u{fffd}a\u{fffd}b".to_owned(), guessed: None, replaced: 2 }));
        assert!(!is_text(&decode(b"ab\0cd")));
        assert!(!is_text(&decode(b"\x01\x02\xe9\x03\x04\xe8\x05\x06\x0f")));
    }
}
