//! Bytes → events, with files inside of files.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use crate::event::{Event, Refusal, Warning};
use crate::format::Format;
use crate::output::{Inner, Output};
use crate::{archive, mail, office, pdf, plain, subtitles, web};

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What opens it, if it is encrypted.
    pub password: Option<String>,
    /// How much of it is read.
    pub limits: Limits,
}

/// How much is read. What is more is refused in words; the limits of memory and time are the worker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of text, over all documents in a file.
    pub text_bytes: u64,
    /// Bytes of one unpacked member (an entry of a zip, a stream), however small it lies in the file.
    pub member_bytes: u64,
    /// Bytes of all unpacked members together.
    pub unpacked_bytes: u64,
    /// Files inside of a file.
    pub files: u32,
    /// Files inside of files inside of files.
    pub depth: u32,
    /// Pages, slides, sheets, chapters or messages of a document.
    pub pages: u32,
    /// Elements within elements.
    pub nesting: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 256 << 20,
            member_bytes: 128 << 20,
            unpacked_bytes: 512 << 20,
            files: 10_000,
            depth: 4,
            pages: 100_000,
            nesting: 256,
        }
    }
}

/// Reads a file, and the files inside of it. Each document is begun, told, and ended; what cannot be read is ended with its
/// reason, and the others are read all the same.
pub fn read(name: &str, bytes: &[u8], options: &Options, sink: &mut dyn FnMut(Event)) {
    let mut reading = Reading { options, sink, text_bytes: 0, files: 0 };
    reading.file(name, bytes, 0);
}

struct Reading<'a> {
    options: &'a Options,
    sink: &'a mut dyn FnMut(Event),
    text_bytes: u64,
    files: u32,
}

impl Reading<'_> {
    fn file(&mut self, name: &str, bytes: &[u8], depth: u32) {
        let detected = guarded(|| Format::detect(name, bytes));
        let format = detected.as_ref().copied().unwrap_or(Format::Plain);
        (self.sink)(Event::Document { name: name.to_owned(), format });
        let mut output = Output::new(self.options, &mut self.text_bytes, &mut *self.sink);
        let ended = detected.and_then(|format| guarded(|| read_as(format, name, bytes, &mut output)));
        let mut inner = std::mem::take(&mut output.inner).into_iter();
        let mut skip = |name: String, reason: &str| {
            (self.sink)(Event::Warning(Warning::Skipped { name, reason: reason.to_owned() }));
        };
        let mut read = Vec::new();
        for found in inner.by_ref() {
            if depth >= self.options.limits.depth {
                skip(found.name, "it lies in too many archives, one inside of the other");
            } else if self.files >= self.options.limits.files {
                skip(found.name, "too many files lie before it");
            } else {
                self.files += 1;
                read.push(found);
            }
        }
        (self.sink)(Event::End(ended));
        for Inner { name: inside, bytes } in read {
            self.file(&format!("{name}/{inside}"), &bytes, depth + 1);
        }
    }
}

/// A reader that panics has crashed on one document; the files that were found until then are read.
fn guarded<T>(reader: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(reader)).unwrap_or_else(|_| Err(Refusal::crashed()))
}

fn read_as(format: Format, name: &str, bytes: &[u8], output: &mut Output<'_>) -> Result<(), Refusal> {
    match format {
        Format::Plain => plain::read(bytes, output),
        Format::Pdf => pdf::read(bytes, output),
        Format::Docx => office::docx(bytes, output),
        Format::Pptx => office::pptx(bytes, output),
        Format::Xlsx => office::xlsx(bytes, output),
        Format::Xls => office::xls(bytes, output),
        Format::Odt => office::odt(bytes, output),
        Format::Odp => office::odp(bytes, output),
        Format::Ods => office::ods(bytes, output),
        Format::Html => web::html(bytes, output),
        Format::Epub => web::epub(bytes, output),
        Format::Eml => mail::eml(bytes, output),
        Format::Mbox => mail::mbox(bytes, output),
        Format::Zip => archive::zip(bytes, output),
        Format::Tar => archive::tar(bytes, output),
        Format::Gzip => archive::gzip(name, bytes, output),
        Format::Srt | Format::Vtt => subtitles::read(format, bytes, output),
    }
}
