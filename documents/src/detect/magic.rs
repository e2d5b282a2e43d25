//! Files that tell what they are by their first bytes.

use crate::event::{LEAVE_OUT, Refusal};

const OCR: &str = "run text recognition (OCR) on it and give the text";
const TRANSCRIBE: &str = "write down what is said (speech recognition) and give the text";
const UNPACK: &str = "unpack it and give the files, or pack them as .zip";
const DATABASE: &str = "export the tables as CSV";

/// Beginnings, what they are, and what to do. A beginning that is all printable counts only in a file with a NUL near
/// the front, because text may begin with it.
const BEGINNINGS: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", OCR),
    (b"\xff\xd8\xff", "a JPEG picture", OCR),
    (b"GIF87a", "a GIF picture", OCR),
    (b"GIF89a", "a GIF picture", OCR),
    (b"II*\0", "a TIFF picture", OCR),
    (b"MM\0*", "a TIFF picture", OCR),
    (b"8BPS", "a Photoshop picture", OCR),
    (b"\0\0\x01\0", "an icon", LEAVE_OUT),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture", OCR),
    (b"AT&TFORM", "a DjVu document", "convert it to PDF with a text layer"),
    (b"ID3", "an MP3 recording", TRANSCRIBE),
    (b"\xff\xfb", "an MP3 recording", TRANSCRIBE),
    (b"\xff\xf3", "an MP3 recording", TRANSCRIBE),
    (b"OggS", "an Ogg recording", TRANSCRIBE),
    (b"fLaC", "a FLAC recording", TRANSCRIBE),
    (b"MThd", "a MIDI file", LEAVE_OUT),
    (b"\x1a\x45\xdf\xa3", "a Matroska or WebM video", TRANSCRIBE),
    (b"SQLite format 3\0", "an SQLite database", DATABASE),
    (b"\0\x01\0\0Standard ", "an Access database", DATABASE),
    (b"PAR1", "a Parquet file", DATABASE),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", DATABASE),
    (b"\x7fELF", "a program", LEAVE_OUT),
    (b"MZ", "a program", LEAVE_OUT),
    (b"\xfe\xed\xfa", "a program", LEAVE_OUT),
    (b"\xce\xfa\xed\xfe", "a program", LEAVE_OUT),
    (b"\xcf\xfa\xed\xfe", "a program", LEAVE_OUT),
    (b"\xca\xfe\xba\xbe", "a program", LEAVE_OUT),
    (b"\0asm", "a program", LEAVE_OUT),
    (b"GGUF", "a model", LEAVE_OUT),
    (b"\x93NUMPY", "a NumPy array", DATABASE),
    (b"OTTO", "a font", LEAVE_OUT),
    (b"\0\x01\0\0\0", "a font", LEAVE_OUT),
    (b"wOFF", "a font", LEAVE_OUT),
    (b"wOF2", "a font", LEAVE_OUT),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", UNPACK),
    (b"\x04\x22\x4d\x18", "an lz4 archive", UNPACK),
    (b"\x1f\x9d", "an archive of compress", UNPACK),
    (b"MSCF", "a cabinet archive", UNPACK),
    (b"\xff\x57\x50\x43", "a WordPerfect document", "save it as .docx"),
    (b"ITSF", "a help file (CHM)", "convert it to HTML or PDF"),
    (b"!BDN", "an Outlook mailbox (PST)", "export the messages as .eml or .mbox"),
    (b"\x78\x9f\x3e\x22", "an Outlook attachment (winmail.dat)", "ask its sender to send plain text or HTML"),
    (b"\xe4\x52\x5c\x7b", "a OneNote section", "export it as PDF or .docx"),
    (b"bplist00", "a binary property list", "convert it to XML or JSON"),
];

/// Beginnings of formats that are written as text.
const TEXT_BEGINNINGS: &[(&[u8], &str, &str)] = &[
    (b"{\\rtf", "a rich text document (RTF)", "save it as .docx"),
    (b"%!PS", "a PostScript document", "convert it to PDF, for example with ps2pdf"),
    (b"BZh", "a bzip2 archive", UNPACK),
];

/// Whether it is a PDF: its header may stand behind a little junk, but not within a text that speaks of PDF.
pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    let front = &bytes[..bytes.len().min(1024)];
    let Some(at) = front.windows(5).position(|window| window == b"%PDF-") else {
        return false;
    };
    if at == 0 {
        return true;
    }
    let tail = &bytes[bytes.len().saturating_sub(2048)..];
    let ends_as_pdf = tail.windows(9).any(|window| window == b"startxref");
    let lines_begin = front[at - 1] != b' ' && front.get(at + 5).is_some_and(u8::is_ascii_digit);
    ends_as_pdf && lines_begin
}

/// Files that are not read, with what to do about them.
pub(super) fn unsupported(bytes: &[u8]) -> Option<Refusal> {
    let front = &bytes[..bytes.len().min(4096)];
    let has_nul = front.contains(&0);
    let refusal = |what: &str, remedy: &str| {
        Some(Refusal::Unsupported { what: what.to_owned(), remedy: remedy.to_owned() })
    };
    let sure = |magic: &[u8]| has_nul || !magic.iter().all(|byte| matches!(byte, b' '..=b'~'));
    for (magic, what, remedy) in BEGINNINGS {
        if bytes.starts_with(magic) && sure(magic) {
            return refusal(what, remedy);
        }
    }
    for (magic, what, remedy) in TEXT_BEGINNINGS {
        if bytes.starts_with(magic) && (*magic != b"BZh" || bytes.get(4..10) == Some(b"1AY&SY")) {
            return refusal(what, remedy);
        }
    }
    let at = |range: std::ops::Range<usize>| bytes.get(range).unwrap_or_default();
    if at(4..8) == b"ftyp" && has_nul {
        let picture =
            matches!(at(8..12), b"heic" | b"heix" | b"hevc" | b"mif1" | b"msf1" | b"avif" | b"avis");
        return if picture {
            refusal("a HEIC or AVIF picture", OCR)
        } else {
            refusal("a video or recording (MP4)", TRANSCRIBE)
        };
    }
    if bytes.starts_with(b"RIFF") && has_nul {
        return match at(8..12) {
            b"WEBP" => refusal("a WebP picture", OCR),
            b"WAVE" => refusal("a WAV recording", TRANSCRIBE),
            b"AVI " => refusal("an AVI video", TRANSCRIBE),
            _ => None,
        };
    }
    if bytes.starts_with(b"BM") && has_nul && at(6..10) == [0; 4] {
        return refusal("a BMP picture", OCR);
    }
    if matches!(at(60..68), b"BOOKMOBI" | b"TEXtREAd") && has_nul {
        return refusal("a Mobipocket or Kindle book", "convert it to .epub");
    }
    if at(32769..32774) == b"CD001" {
        return refusal("a disc image (ISO)", UNPACK);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> Option<String> {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len() + 600, 0);
        unsupported(&padded).map(|refusal| refusal.to_string())
    }

    #[test]
    fn every_beginning_is_told_with_a_remedy() {
        for (magic, what, remedy) in BEGINNINGS.iter().chain(TEXT_BEGINNINGS) {
            let bytes = if *magic == b"BZh" { b"BZh91AY&SY" } else { *magic };
            assert_eq!(refused(bytes), Some(format!("{what}: {remedy}")));
        }
    }

    #[test]
    fn formats_with_a_mark_further_in_are_told() {
        let told = |bytes: &[u8], what: &str| assert!(refused(bytes).unwrap().starts_with(what), "{what}");
        told(b"\0\0\0\x18ftypheic", "a HEIC");
        told(b"\0\0\0\x18ftypisom", "a video");
        told(b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP");
        told(b"RIFF\x10\0\0\0WAVEfmt ", "a WAV");
        told(b"BM\x36\0\x0c\0\0\0\0\0\x36", "a BMP");
        let mut book = vec![b'x'; 60];
        book.extend(b"BOOKMOBI");
        told(&book, "a Mobipocket");
        let mut disc = vec![0; 32769];
        disc.extend(b"CD001");
        told(&disc, "a disc image");
    }

    #[test]
    fn text_that_begins_like_a_binary_file_is_no_binary_file() {
        for text in ["MZ is a signature", "ID3 tags", "BM,price", "GIF89a is a format", "BZhx", "PAR1: par"] {
            assert_eq!(unsupported(text.as_bytes()), None, "{text}");
        }
        assert!(!is_pdf(b"A PDF begins with %PDF-1.7 and ends with startxref"));
        assert!(!is_pdf(b"line\n%PDF-1.7\nmore text"));
        assert!(is_pdf(b"\n\n%PDF-1.4 ... startxref\n12\n%%EOF"));
    }
}
