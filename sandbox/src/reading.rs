//! A worker that reads a document: its bytes come in whole before the walls go up, and what is found goes out line by line.
//!
//! ```text
//!   request, bytes in ─► a thread with a deep stack ─► confined, all threads ─► read ─► a line out for each event ─► done
//!                                                          │
//!                                        a panic ─► the document is refused in words, the others are read
//!                                        memory, stack ─► the system's last words on standard error, and death
//!                                        time ─► death by its own signal
//! ```

use std::io::{self, BufRead, BufWriter, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use frlm_documents::{Event, PageImage, Refusal};

use crate::confine::{Confined, confine};
use crate::wire::{Document, DocumentLine, End, Limits, Page, PageLine, TOO_MUCH, longest_line};

/// What a reader may take for calls within calls. Readers bound the depth of what they read; this is for libraries that do not.
const STACK_BYTES: usize = 64 << 20;
/// What is gathered before it is written.
const GATHERED_BYTES: usize = 64 << 10;

/// Reads the document whose bytes follow on standard input.
pub(crate) fn read(document: Document, limits: Limits, input: &mut impl BufRead) -> Result<(), End> {
    let bytes = taken_in(document.bytes, input).map_err(|_| End::Broken)?;
    // What a panic says may be the document's words, and standard error is for the system's.
    std::panic::set_hook(Box::new(|_| ()));
    confined(limits, move || {
        let mut lines = Lines::new(&limits, &document);
        frlm_documents::read(&document.name, &bytes, &document.options, &mut |event| lines.tell(event));
        lines.end()
    })
}

/// Draws a page of the document whose bytes follow on standard input.
pub(crate) fn page(page: Page, limits: Limits, input: &mut impl BufRead) -> Result<(), End> {
    let bytes = taken_in(page.bytes, input).map_err(|_| End::Broken)?;
    std::panic::set_hook(Box::new(|_| ()));
    confined(limits, move || {
        let Page { number, scale, quotes, options, .. } = page;
        let draw = || frlm_documents::page(&bytes, number, scale, &quotes, &options);
        let crashed = |_| Err(Refusal::Reader("the reader crashed on it; nothing else did".to_owned()));
        let (line, pixels) = match catch_unwind(AssertUnwindSafe(draw)).unwrap_or_else(crashed) {
            Ok(PageImage { width, height, rgba, marks }) => (PageLine::Image { width, height, marks }, rgba),
            Err(refusal) => (PageLine::Refused(refusal), Vec::new()),
        };
        let mut line = serde_json::to_vec(&line).map_err(|_| End::Broken)?;
        line.push(b'\n');
        let mut output = io::stdout().lock();
        let written = output.write_all(&line).and_then(|()| output.write_all(&pixels));
        written.and_then(|()| output.flush()).map_err(|_| End::Broken)
    })
}

/// Works in a thread with a deep stack, behind the walls.
pub(crate) fn confined(
    limits: Limits,
    work: impl FnOnce() -> Result<(), End> + Send + 'static,
) -> Result<(), End> {
    let reader = std::thread::Builder::new().name("reader".to_owned()).stack_size(STACK_BYTES);
    let reader = reader.spawn(move || {
        // Here, so that the stack and what the allocator sets aside for a thread count as taken.
        confine(&limits, Confined::Documents).map_err(|_| End::NotConfined)?;
        work()
    });
    reader.map_err(|_| End::NotConfined)?.join().unwrap_or(Err(End::Broken))
}

/// The bytes of the document, all of them.
pub(crate) fn taken_in(length: u64, input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let whole = usize::try_from(length).map_err(io::Error::other)?;
    bytes.try_reserve_exact(whole).map_err(io::Error::other)?;
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() == whole { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The lines that tell what was found, as many and as long as the limits say.
struct Lines {
    output: Counted<BufWriter<io::StdoutLock<'static>>>,
    longest: u64,
}

impl Lines {
    fn new(limits: &Limits, document: &Document) -> Self {
        let output = BufWriter::with_capacity(GATHERED_BYTES, io::stdout().lock());
        let longest = longest_line(&document.options);
        Self { output: Counted { output, line: longest, all: limits.output_bytes as u64 }, longest }
    }

    /// Nobody can be told that it is too much, or that nobody listens: the process ends.
    fn tell(&mut self, event: Event) {
        // What stands between two documents is told at once: whatever comes next, those before it are read.
        let at_once = matches!(event, Event::Document { .. } | Event::End(_));
        let written = self.line(&DocumentLine::Event(event));
        let written = written.and_then(|()| if at_once { self.output.flush() } else { Ok(()) });
        if let Err(error) = written {
            let code = if error.kind() == io::ErrorKind::FileTooLarge { TOO_MUCH } else { 1 };
            std::process::exit(i32::from(code));
        }
    }

    fn end(mut self) -> Result<(), End> {
        self.line(&DocumentLine::Done).and_then(|()| self.output.flush()).map_err(|_| End::Broken)
    }

    fn line(&mut self, line: &DocumentLine) -> io::Result<()> {
        self.output.line = self.longest;
        serde_json::to_writer(&mut self.output, line)?;
        self.output.write_all(b"\n")
    }
}

/// Writes so many bytes in a line and in all, and no more.
struct Counted<W> {
    output: W,
    line: u64,
    all: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        let left = |before: u64| before.checked_sub(written as u64).ok_or(io::ErrorKind::FileTooLarge);
        (self.line, self.all) = (left(self.line)?, left(self.all)?);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_comes_in_short_is_none() {
        assert_eq!(taken_in(3, &mut &b"abcd"[..]).unwrap(), b"abc");
        assert!(taken_in(5, &mut &b"abcd"[..]).is_err());
        assert!(taken_in(u64::MAX, &mut &b"abcd"[..]).is_err());
    }

    #[test]
    fn no_more_is_written_than_the_limits_say() {
        let mut counted = Counted { output: Vec::new(), line: 4, all: 6 };
        counted.write_all(b"1234").unwrap();
        counted.line = 4;
        let error = counted.write_all(b"567").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
