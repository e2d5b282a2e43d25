//! Text in any encoding, a piece at a time.

use encoding_rs::{Decoder, DecoderResult, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::{cut_off_bytes, evident_utf16, iso_2022_jp, likely_encoding, utf8};

/// How much one step writes at least: room for any character.
const MIN_ROOM: usize = 64;

/// Decodes a text that is too long to be held: as [`decode`](super::decode) would, if its beginning is like the rest of it.
pub struct Decoding {
    decoder: Decoder,
    /// The encoding's name, if the text does not say it and it is not UTF-8.
    pub guessed: Option<&'static str>,
    /// Byte sequences that were replaced so far.
    pub replaced: u32,
}

impl Decoding {
    /// Tells the encoding by a text's beginning, which is decoded with the rest. It should be some megabytes long.
    pub fn of(beginning: &[u8]) -> Self {
        let (encoding, is_guessed) = encoding(beginning);
        let guessed = is_guessed.then(|| encoding.name());
        // A mark is only taken away where it is what the encoding was told by.
        let decoder = if is_guessed {
            encoding.new_decoder_without_bom_handling()
        } else {
            encoding.new_decoder_with_bom_removal()
        };
        Self { decoder, guessed, replaced: 0 }
    }

    /// Decodes the next bytes, and appends them. `is_last` ends the text: what is not complete is replaced.
    pub fn push(&mut self, bytes: &[u8], is_last: bool, text: &mut String) {
        let mut rest = bytes;
        loop {
            text.reserve(rest.len().max(MIN_ROOM));
            let (result, read) = self.decoder.decode_to_string_without_replacement(rest, text, is_last);
            rest = &rest[read..];
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    self.replaced = self.replaced.saturating_add(1);
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
        }
    }
}

/// The encoding, and whether it was guessed.
fn encoding(beginning: &[u8]) -> (&'static Encoding, bool) {
    if beginning.starts_with(b"\xff\xfe") {
        return (UTF_16LE, false);
    }
    if beginning.starts_with(b"\xfe\xff") {
        return (UTF_16BE, false);
    }
    if beginning.starts_with(b"\xef\xbb\xbf") {
        return (UTF_8, false);
    }
    if let Some(encoding) = evident_utf16(beginning) {
        return (encoding, true);
    }
    // The beginning may end within a character.
    let whole = &beginning[..beginning.len() - cut_off_bytes(beginning)];
    let (decoded, beyond_ascii) = utf8(whole);
    if decoded.replaced == 0 {
        return if iso_2022_jp(whole).is_some() { (ISO_2022_JP, true) } else { (UTF_8, false) };
    }
    if beyond_ascii > decoded.replaced { (UTF_8, false) } else { (likely_encoding(whole), true) }
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;

    /// The text in pieces of so many bytes, and what was guessed and replaced.
    fn in_pieces(bytes: &[u8], size: usize) -> (String, Option<&'static str>, u32) {
        let mut decoding = Decoding::of(bytes);
        let mut text = String::new();
        for piece in bytes.chunks(size) {
            decoding.push(piece, false, &mut text);
        }
        decoding.push(b"", true, &mut text);
        (text, decoding.guessed, decoding.replaced)
    }

    #[test]
    fn a_text_in_pieces_is_the_text_in_one() {
        let utf16 = |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect();
        let texts: [Vec<u8>; 12] = [
            b"plain words\r\nand more\n".to_vec(),
            "Gr\u{f6}\u{df}e \u{20ac} \u{1f600} \u{fffd} end".as_bytes().to_vec(),
            b"\xef\xbb\xbfwith a mark".to_vec(),
            [b"\xff\xfe".to_vec(), utf16("a mark \u{1f600}\n", u16::to_le_bytes)].concat(),
            [b"\xfe\xff".to_vec(), utf16("a mark \u{20ac}\n", u16::to_be_bytes)].concat(),
            utf16("Miete: 1200 \u{20ac}\r\nPreis", u16::to_le_bytes),
            b"caf\xe9 and na\xefve people".to_vec(),
            b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0, \xea\xe0\xea \xe4\xe5\xeb\xe0?".to_vec(),
            "Gr\u{f6}\u{df}e, \u{c4}pfel".bytes().chain(*b"\xff, \xc3\xa4").collect(),
            b"\x1b$B$3$s$K$A$O\x1b(B".to_vec(),
            "the price is 5 \u{20ac}, 6 \u{20ac}".as_bytes()[..24].to_vec(),
            b"an odd \xff byte \xc3\xa4 \xc3\xb6 \xc3\xbc".to_vec(),
        ];
        for bytes in texts {
            let whole = decode(&bytes);
            for size in [1, 2, 3, 5, 64, 1000] {
                let (text, guessed, replaced) = in_pieces(&bytes, size);
                assert_eq!((text, guessed, replaced), (whole.text.clone(), whole.guessed, whole.replaced));
            }
        }
    }

    #[test]
    fn the_beginning_of_a_text_may_end_within_a_character() {
        let bytes = "only words here, and then 5 \u{20ac}".as_bytes();
        for end in 28..bytes.len() {
            assert_eq!(encoding(&bytes[..end]), (UTF_8, false), "{end}");
        }
    }
}
