//! Bytes → events, with files inside of files.

use crate::event::{Event, Warning};
use crate::format::Format;
use crate::output::{Inner, Output};
use crate::{archive, mail, office, pdf, plain, subtitles, web};

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What opens it, if it is encrypted.
    pub password: Option<String>,
    /// How much of it is read.
    pub limits: Limits,
}

/// How much is read. What is more is refused in words; the limits of memory and time are the worker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let detected = Format::detect(name, bytes);
        let format = detected.as_ref().copied().unwrap_or(Format::Plain);
        (self.sink)(Event::Document { name: name.to_owned(), format });
        let mut output = Output::new(self.options, &mut self.text_bytes, &mut *self.sink);
        let ended = detected.and_then(|format| match format {
            Format::Plain => plain::read(bytes, &mut output),
            Format::Pdf => pdf::read(bytes, &mut output),
            Format::Docx => office::docx(bytes, &mut output),
            Format::Pptx => office::pptx(bytes, &mut output),
            Format::Xlsx => office::xlsx(bytes, &mut output),
            Format::Xls => office::xls(bytes, &mut output),
            Format::Odt => office::odt(bytes, &mut output),
            Format::Odp => office::odp(bytes, &mut output),
            Format::Ods => office::ods(bytes, &mut output),
            Format::Html => web::html(bytes, &mut output),
            Format::Epub => web::epub(bytes, &mut output),
            Format::Eml => mail::eml(bytes, &mut output),
            Format::Mbox => mail::mbox(bytes, &mut output),
            Format::Zip => archive::zip(bytes, &mut output),
            Format::Tar => archive::tar(bytes, &mut output),
            Format::Gzip => archive::gzip(name, bytes, &mut output),
            Format::Srt | Format::Vtt => subtitles::read(format, bytes, &mut output),
        });
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
