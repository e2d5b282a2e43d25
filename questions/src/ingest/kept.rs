//! Long texts, kept in a file of our own instead of in memory.
//!
//! ```text
//!   bytes ─► Decoding ─► Keeping ─► a file without a name ◄─ windows, ranges ─ Kept
//!                          │ it cannot be written (no room)
//!                          └──► memory
//! ```
//!
//! The user's own file may be written to, cut or replaced while a run reads it for hours; ours cannot. It has no name, so that
//! nobody else opens it and nothing of it is left behind, however the program ends.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::text::Text;

/// What is read at once where all of a text is read.
const WINDOW_BYTES: usize = 4 << 20;

/// The longest line that no window cuts.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// How far before a window's end a blank line is looked for, to cut there rather than between any two lines.
const PARAGRAPH_BYTES: usize = 64 << 10;

/// A text in a file. It is UTF-8.
pub(super) struct Kept {
    file: Mutex<File>,
    bytes: usize,
}

impl Kept {
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// A range of the text; it must begin and end between characters.
    pub fn range(&self, bytes: Range<usize>) -> String {
        into_text(self.read(bytes))
    }

    /// Fills a buffer with the bytes from there on, as far as there are any, and says how many those are.
    pub fn fill(&self, start: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.bytes.saturating_sub(start));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start as u64))?;
        file.read_exact(&mut buffer[..length])?;
        Ok(length)
    }

    /// A window of usual size.
    pub fn next_window(&self, start: usize) -> String {
        self.window(start, WINDOW_BYTES)
    }

    /// Some whole lines from a line's start, of about so many bytes.
    pub fn window(&self, start: usize, bytes: usize) -> String {
        let mut size = bytes;
        loop {
            let end = start.saturating_add(size).min(self.bytes);
            let mut window = self.read(start..end);
            if end == self.bytes {
                return into_text(window);
            }
            if let Some(cut) = line_end(&window) {
                window.truncate(cut);
                return into_text(window);
            }
            if size >= LONGEST_LINE_BYTES {
                window.truncate(character_end(&window));
                return into_text(window);
            }
            size = size.saturating_mul(2);
        }
    }

    fn read(&self, range: Range<usize>) -> Vec<u8> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a broken disk fails here. A part that could not be read must not look like one in which nothing was found.
        read_at(&mut file, range).expect("what was written to a file of our own can be read from it")
    }
}

/// Where the last line that ends in a window ends: behind a blank line near its end, if there is one.
fn line_end(window: &[u8]) -> Option<usize> {
    let near = window.len().saturating_sub(PARAGRAPH_BYTES);
    let blank = memchr::memmem::rfind(&window[near..], b"\n\n").map(|at| near + at + 2);
    blank.or_else(|| memchr::memrchr(b'\n', window).map(|newline| newline + 1))
}

/// Where the last whole character ends.
fn character_end(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn read_at(file: &mut File, range: Range<usize>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; range.len()];
    file.seek(SeekFrom::Start(range.start as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A text that is being written.
pub(super) struct Spool {
    file: Option<File>,
    bytes: usize,
    /// All of it, where it cannot be written.
    held: String,
}

impl Spool {
    /// In the first of these folders that takes a file, else in memory.
    pub fn begin(folders: &[&Path]) -> Self {
        let file = folders.iter().find_map(|folder| tempfile::tempfile_in(folder).ok());
        Self { file, bytes: 0, held: String::new() }
    }

    /// Appends text.
    ///
    /// # Errors
    ///
    /// What was written cannot be read back, and there is no room for more.
    pub fn push(&mut self, text: &str) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            match file.write_all(text.as_bytes()) {
                Ok(()) => {
                    self.bytes += text.len();
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(
                        "a long text is held in memory, because it cannot be written to a file: {error}"
                    );
                    self.held = into_text(read_at(file, 0..self.bytes)?);
                    self.file = None;
                }
            }
        }
        self.held.push_str(text);
        Ok(())
    }

    /// The text that was written.
    pub fn finish(self) -> Text {
        match self.file {
            Some(file) => Text::of_kept(Kept { file: Mutex::new(file), bytes: self.bytes }),
            None => Text::from(self.held),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    fn kept(text: &str) -> Text {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::begin(&[folder.path()]);
        for piece in text.as_bytes().chunks(7) {
            spool.push(std::str::from_utf8(piece).unwrap()).unwrap();
        }
        assert!(spool.file.is_some());
        spool.finish()
    }

    fn windows(text: &Text, bytes: usize) -> Vec<String> {
        let mut windows = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let window = text.kept().unwrap().window(start, bytes);
            start += window.len();
            windows.push(window);
        }
        windows
    }

    #[test]
    fn windows_end_with_lines_and_together_are_the_text() {
        let text = "one\ntwo and more\n\nthree\nfour\nfive, which is a long line\nsix";
        let kept = kept(text);
        for bytes in 1..30 {
            let windows = windows(&kept, bytes);
            assert_eq!(windows.concat(), text);
            assert!(windows[..windows.len() - 1].iter().all(|window| window.ends_with('\n')), "{windows:?}");
        }
        assert_eq!(windows(&kept, 20)[0], "one\ntwo and more\n\n");
    }

    #[test]
    fn a_kept_text_reads_like_one_in_memory() {
        for text in ["", "\n", "a", "a\r\nb\n\nlast", "one\ntwo\n"] {
            let (kept, held) = (kept(text), Text::from(text));
            assert_eq!(kept.whole(), held.whole());
            assert_eq!(kept.tokens(), held.tokens());
            for text in [&kept, &held] {
                let mut read = String::new();
                io::Read::read_to_string(&mut text.reader(), &mut read).unwrap();
                assert_eq!(read, text.whole());
            }
            assert!(kept.is_kept() && !held.is_kept());
            assert_eq!(kept.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
            assert_eq!(held.lines().collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_text_is_held_where_it_cannot_be_written() {
        let nowhere = tempfile::tempdir().unwrap().path().join("gone");
        let mut spool = Spool::begin(&[&nowhere]);
        spool.push("one\n").unwrap();
        assert!(spool.finish().kept().is_none());

        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "one\n").unwrap();
        let unwritable = File::open(file.path()).unwrap();
        let mut spool = Spool { file: Some(unwritable), bytes: 4, held: String::new() };
        spool.push("two\n").unwrap();
        let text = spool.finish();
        assert!(text.kept().is_none());
        assert_eq!(text.whole(), "one\ntwo\n");
    }
}
