//! Documents that somebody sent, read in a worker process: the near end.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;

use frlm_documents::{Event, Options, PageImage, Refusal};

use crate::exchange::{Exchange, Silence, exchange};
use crate::process::Starter;
use crate::wire::{
    Document, DocumentLine, LONGEST_PAGE_LINE, Limits, NOT_CONFINED, Page, PageLine, Request, TOO_MUCH, Work,
    longest_line,
};

/// The largest file that is read.
pub const MOST_FILE_BYTES: u64 = 1 << 30;

/// Why the reading of a file ended before the file did.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is larger than what is read.
    #[error("it is larger than {}; split it", size(MOST_FILE_BYTES))]
    TooLarge,
    /// It takes more memory than it may, in bytes.
    #[error("it takes more than {} of memory to read; split it, or save it again with the program that wrote it", size(*.0))]
    Memory(u64),
    /// It takes more time than it may, in milliseconds.
    #[error("reading it took more than {}; split it, or save it again with the program that wrote it", time(*.0))]
    Time(u64),
    /// More was found than may be told, in bytes.
    #[error("it holds more than {} to tell; split it", size(*.0))]
    Output(u64),
    /// Its parts lie deeper in one another than the reader's stack.
    #[error("its parts lie too deep in one another; save it again with the program that wrote it")]
    TooDeep,
    /// The worker died, of what is in the brackets.
    #[error("the reader crashed on it ({0}); nothing else did")]
    Crashed(String),
    /// There is no such page, or no picture of it.
    #[error(transparent)]
    Refused(Refusal),
    /// Its reader stopped it.
    #[error("reading it was cancelled")]
    Stopped,
    /// The system has nothing to limit the worker with. The user may allow the file to be read by
    /// [`frlm_documents::read`], in this process.
    #[error(
        "on this system nothing limits the process that reads it, and a file can harm its reader; allow it if you trust it"
    )]
    NotConfined,
    /// The worker could not be started.
    #[error("the process that reads documents could not be started: {0}")]
    Start(String),
}

impl DocumentError {
    /// Whether it says something about the file; otherwise it says something about this machine or its user, and another
    /// try may succeed.
    pub fn is_the_files(&self) -> bool {
        match self {
            Self::TooLarge
            | Self::Memory(_)
            | Self::Time(_)
            | Self::Output(_)
            | Self::TooDeep
            | Self::Crashed(_)
            | Self::Refused(_) => true,
            Self::Stopped | Self::NotConfined | Self::Start(_) => false,
        }
    }
}

/// Starts a worker process for every file.
#[derive(Debug, Clone)]
pub struct DocumentWorker {
    starter: Starter,
    limits: Limits,
}

impl DocumentWorker {
    /// Workers are started as `worker` with these arguments; what runs there calls [`crate::worker::serve`]
    /// before it does anything else.
    pub fn new(worker: impl Into<PathBuf>, arguments: &[&str], limits: Limits) -> Self {
        Self { starter: Starter::new(worker, arguments), limits }
    }

    /// Workers are this very program with one argument.
    ///
    /// Errors: the system does not say where this program lies.
    pub fn of_this_program(argument: &str, limits: Limits) -> io::Result<Self> {
        Ok(Self { starter: Starter::of_this_program(argument)?, limits })
    }

    /// Whether this system limits workers at all; elsewhere reading gives [`DocumentError::NotConfined`].
    pub const fn is_confined() -> bool {
        cfg!(unix)
    }

    /// Reads a file as [`frlm_documents::read`] does. Events are told as they come. Blocks for at most the limits' time, twice,
    /// the time to start, and the time that `sink` takes; or until `stop` is set.
    ///
    /// Errors: reading ended before the file did. What was told until then holds. The document that was open has been ended
    /// with the error's words ([`Refusal::Reader`]); what would have followed it in the file was not read.
    pub fn read(
        &self,
        name: &str,
        bytes: &[u8],
        options: &Options,
        stop: &AtomicBool,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), DocumentError> {
        let document =
            Document { name: name.to_owned(), bytes: bytes.len() as u64, options: options.clone() };
        let mut is_open = false;
        let longest = longest_line(options);
        let read = self.ask(Work::Document(document), bytes, stop, |worker| {
            loop {
                let line = worker.line(longest).map_err(|silence| self.error(silence))?;
                match serde_json::from_slice(&line) {
                    Ok(DocumentLine::Event(event)) => {
                        match event {
                            Event::Document { .. } => is_open = true,
                            Event::End(_) => is_open = false,
                            _ => {}
                        }
                        sink(event);
                    }
                    Ok(DocumentLine::Done) => return Ok(()),
                    Err(_) => return Err(nonsense()),
                }
            }
        });
        if let Err(error) = &read
            && is_open
        {
            sink(Event::End(Err(Refusal::Reader(error.to_string()))));
        }
        read
    }

    /// Draws a page as [`frlm_documents::page`] does, counted from 1, with `scale` pixels for each point and the quotes marked.
    pub fn page(
        &self,
        bytes: &[u8],
        number: u32,
        scale: f32,
        quotes: &[String],
        password: Option<&str>,
        stop: &AtomicBool,
    ) -> Result<PageImage, DocumentError> {
        let options = Options { password: password.map(str::to_owned), ..Options::default() };
        let page = Page { bytes: bytes.len() as u64, number, scale, quotes: quotes.to_vec(), options };
        self.ask(Work::Page(page), bytes, stop, |worker| {
            let line = worker.line(LONGEST_PAGE_LINE).map_err(|silence| self.error(silence))?;
            match serde_json::from_slice(&line) {
                Ok(PageLine::Image { width, height, marks }) => {
                    let pixels = u64::from(width) * u64::from(height);
                    let rgba =
                        worker.exactly(pixels.saturating_mul(4)).map_err(|silence| self.error(silence))?;
                    Ok(PageImage { width, height, rgba, marks })
                }
                Ok(PageLine::Refused(refusal)) => Err(DocumentError::Refused(refusal)),
                Err(_) => Err(nonsense()),
            }
        })
    }

    fn ask<T>(
        &self,
        work: Work,
        bytes: &[u8],
        stop: &AtomicBool,
        listener: impl FnOnce(&mut Exchange<'_>) -> Result<T, DocumentError>,
    ) -> Result<T, DocumentError> {
        if !Self::is_confined() {
            return Err(DocumentError::NotConfined);
        }
        if bytes.len() as u64 > MOST_FILE_BYTES {
            return Err(DocumentError::TooLarge);
        }
        let start = |error: &dyn std::fmt::Display| DocumentError::Start(error.to_string());
        let mut request =
            serde_json::to_vec(&Request { limits: self.limits, work }).map_err(|error| start(&error))?;
        request.push(b'\n');
        exchange(&self.starter, &self.limits, (&request, bytes), stop, listener)
            .map_err(|error| start(&error))?
    }

    /// What it means that nothing more comes.
    fn error(&self, silence: Silence) -> DocumentError {
        let Limits { time_ms, memory_bytes, output_bytes, .. } = self.limits;
        match silence {
            Silence::Stopped => DocumentError::Stopped,
            Silence::Late => DocumentError::Time(time_ms),
            Silence::TooMuch => DocumentError::Output(output_bytes as u64),
            Silence::Ended(status, _) if code(status) == Some(NOT_CONFINED) => DocumentError::NotConfined,
            Silence::Ended(status, _) if code(status) == Some(TOO_MUCH) => {
                DocumentError::Output(output_bytes as u64)
            }
            Silence::Ended(status, _) if is_out_of_time(status) => DocumentError::Time(time_ms),
            // The words of Rust's runtime; a worker has no others.
            Silence::Ended(_, words) if words.contains("memory allocation") => {
                DocumentError::Memory(memory_bytes)
            }
            Silence::Ended(_, words) if words.contains("overflowed its stack") => DocumentError::TooDeep,
            Silence::Ended(status, _) => {
                let how = status.map_or_else(|| "how is not known".to_owned(), |status| status.to_string());
                DocumentError::Crashed(how)
            }
        }
    }
}

/// What it said is no word of ours, so nothing that it says is believed.
fn nonsense() -> DocumentError {
    DocumentError::Crashed("it spoke nonsense".to_owned())
}

fn code(status: Option<ExitStatus>) -> Option<u8> {
    status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok())
}

#[cfg(unix)]
fn is_out_of_time(status: Option<ExitStatus>) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.and_then(|status| status.signal());
    signal == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn is_out_of_time(_status: Option<ExitStatus>) -> bool {
    false
}

fn size(bytes: u64) -> String {
    let (gib, mib) = (bytes >> 30, bytes.div_ceil(1 << 20));
    if gib << 30 == bytes { format!("{gib} GiB") } else { format!("{mib} MiB") }
}

fn time(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { format!("{} s", ms / 1_000) } else { format!("{ms} ms") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_as_people_write_them() {
        assert!(DocumentError::Memory(1 << 30).to_string().starts_with("it takes more than 1 GiB of memory"));
        assert!(DocumentError::Memory(128 << 20).to_string().contains("128 MiB"));
        assert!(DocumentError::Time(30_000).to_string().starts_with("reading it took more than 30 s"));
        assert!(DocumentError::Time(1_500).to_string().contains("1500 ms"));
    }
}
