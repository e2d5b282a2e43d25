//! Reads a text that is too long to be held: bytes → characters → a file of our own, some megabytes at a time.

use std::io::{self, Read};
use std::path::Path;

use frlm_documents::text::is_blank;
use frlm_documents::{Decoding, Format};
use sha2::{Digest as _, Sha256};

use super::kept::Spool;
use super::text::Text;

/// A file up to this size is read in one piece, and its text held.
pub(super) const HELD_BYTES: u64 = 64 << 20;

/// What is read at once.
const CHUNK_BYTES: u64 = 4 << 20;

/// A long text, and what it took to get it.
pub(super) struct Long {
    pub text: Text,
    /// Of the bytes, hex.
    pub sha256: String,
    /// The encoding, if it was guessed.
    pub guessed: Option<&'static str>,
    /// Byte sequences that were replaced.
    pub replaced: u32,
    /// Whether there is nothing to ask about.
    pub is_blank: bool,
}

/// Whether a file that begins like this is text without blocks, which can be read in pieces. Of all other formats the whole file
/// is needed.
pub(super) fn is_text(name: &str, beginning: &[u8]) -> bool {
    matches!(Format::detect(name, beginning), Ok(Format::Plain))
}

/// Reads the rest of a text. `None`: it has more than so many bytes.
pub(super) fn read(
    beginning: &[u8],
    mut rest: impl Read,
    most_bytes: u64,
    folders: &[&Path],
) -> io::Result<Option<Long>> {
    let mut reading = Reading {
        decoding: Decoding::of(beginning),
        hash: Sha256::new(),
        spool: Spool::begin(folders),
        text: String::new(),
        is_blank: true,
    };
    for chunk in beginning.chunks(usize::try_from(CHUNK_BYTES).unwrap_or(usize::MAX)) {
        reading.take(chunk, false)?;
    }
    let mut bytes = beginning.len() as u64;
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        rest.by_ref().take(CHUNK_BYTES).read_to_end(&mut chunk)?;
        reading.take(&chunk, chunk.is_empty())?;
        if chunk.is_empty() {
            break;
        }
        bytes += chunk.len() as u64;
        if bytes > most_bytes {
            return Ok(None);
        }
    }
    let Reading { decoding, hash, spool, text: _, is_blank } = reading;
    Ok(Some(Long {
        text: spool.finish(),
        sha256: hex::encode(hash.finalize()),
        guessed: decoding.guessed,
        replaced: decoding.replaced,
        is_blank,
    }))
}

struct Reading {
    decoding: Decoding,
    hash: Sha256,
    spool: Spool,
    /// What the last bytes said.
    text: String,
    is_blank: bool,
}

impl Reading {
    fn take(&mut self, bytes: &[u8], is_last: bool) -> io::Result<()> {
        self.hash.update(bytes);
        self.text.clear();
        self.decoding.push(bytes, is_last, &mut self.text);
        self.is_blank = self.is_blank && is_blank(&self.text);
        self.spool.push(&self.text)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    fn long(beginning: &[u8], rest: &[u8], most_bytes: u64) -> Option<Long> {
        let folder = tempfile::tempdir().unwrap();
        read(beginning, rest, most_bytes, &[folder.path()]).unwrap()
    }

    #[test]
    fn a_long_text_is_kept_as_it_would_be_read_in_one() {
        let bytes = "one €\n".repeat(3).into_bytes();
        for cut in 0..bytes.len() {
            let (beginning, rest) = bytes.split_at(cut);
            let read = long(beginning, rest, 100).unwrap();
            assert_eq!(read.text.whole(), "one €\n".repeat(3));
            assert!(read.text.kept().is_some());
            assert_eq!(read.sha256, hex::encode(Sha256::digest(&bytes)));
            assert_eq!((read.guessed, read.replaced, read.is_blank), (None, 0, false));
        }
    }

    #[test]
    fn a_long_text_in_an_older_encoding_is_decoded_to_its_end() {
        let read = long(b"caf\xe9 na\xefve\n", b"cr\xe8me\n", 100).unwrap();
        assert_eq!(read.text.whole(), "café naïve\ncrème\n");
        assert_eq!(read.guessed, Some("windows-1252"));
    }

    #[test]
    fn a_text_beyond_the_limit_is_not_read() {
        assert!(long(b"one\n", b"two\n", 8).is_some());
        assert!(long(b"one\n", b"two\n", 7).is_none());
    }

    #[test]
    fn white_space_alone_is_no_text() {
        assert!(long(b" \n", b"\n \n", 100).unwrap().is_blank);
        assert!(!long(b" \n", b"x\n", 100).unwrap().is_blank);
    }

    #[test]
    fn only_text_without_blocks_is_read_in_pieces() {
        assert!(is_text("a.log", b"12:00 one\n"));
        assert!(!is_text("a.html", b"<html><p>one"));
        assert!(!is_text("a.zip", b"PK\x03\x04"));
        assert!(!is_text("a.bin", b"one\0two"));
    }
}
