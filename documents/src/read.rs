//! Bytes → events, with files inside of files.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::event::{Event, Refusal, Warning};
use crate::format::Format;
use crate::options::Options;
use crate::output::{Inner, Output};
use crate::{archive, mail, office, pdf, plain, subtitles, web};

/// Reads a file, and the files inside of it. Each document is begun, told, and ended; what cannot be read is ended with its
/// reason, and the others are read all the same.
pub fn read(name: &str, bytes: &[u8], options: &Options, sink: &mut dyn FnMut(Event)) {
    let unpacked_left = options.limits.unpacked_bytes;
    let mut reading = Reading { options, sink, text_bytes: 0, unpacked_left, files: 0 };
    reading.file(name, bytes, 0);
}

struct Reading<'a> {
    options: &'a Options,
    sink: &'a mut dyn FnMut(Event),
    text_bytes: u64,
    unpacked_left: u64,
    files: u32,
}

impl Reading<'_> {
    fn file(&mut self, name: &str, bytes: &[u8], depth: u32) {
        let detected = guarded(|| Format::detect(name, bytes));
        let format = detected.as_ref().copied().unwrap_or(Format::Plain);
        (self.sink)(Event::Document { name: name.to_owned(), format });
        let mut output = Output::new(self.options, &mut self.text_bytes, &mut *self.sink);
        output.unpacked_left = self.unpacked_left;
        let ended = detected.and_then(|format| guarded(|| read_as(format, name, bytes, &mut output)));
        self.unpacked_left = output.unpacked_left;
        let inner = std::mem::take(&mut output.inner);
        let inner = self.admitted(inner, depth);
        (self.sink)(Event::End(ended));
        for Inner { name: inside, bytes } in inner {
            self.file(&format!("{name}/{inside}"), &bytes, depth + 1);
        }
    }

    /// The files inside that are read, each with a name of its own. The others are named in a warning.
    fn admitted(&mut self, found: Vec<Inner>, depth: u32) -> Vec<Inner> {
        let limits = self.options.limits;
        let left = if depth >= limits.depth { 0 } else { limits.files.saturating_sub(self.files) as usize };
        let reason = if depth >= limits.depth {
            "it lies in too many archives, one inside of the other"
        } else {
            "too many files lie before it"
        };
        let skipped = found.len().saturating_sub(left);
        let mut names = HashMap::new();
        let mut admitted = Vec::new();
        for (index, mut inner) in found.into_iter().enumerate() {
            if index < left {
                inner.name = unique(inner.name, &mut names);
                admitted.push(inner);
            } else if index < left + NAMED_SKIPPED {
                let reason = reason.to_owned();
                (self.sink)(Event::Warning(Warning::Skipped { name: inner.name, reason }));
            }
        }
        if skipped > NAMED_SKIPPED {
            let words = match skipped - NAMED_SKIPPED {
                1 => "one more file skipped for the same reason".to_owned(),
                more => format!("{more} more files skipped for the same reason"),
            };
            (self.sink)(Event::Warning(Warning::Other(words)));
        }
        self.files += u32::try_from(admitted.len()).unwrap_or(u32::MAX);
        admitted
    }
}

/// How many files that are skipped for one reason are named.
const NAMED_SKIPPED: usize = 20;

/// A name that no other file beside it has: `report (2).pdf`. `names` knows the last number of each.
fn unique(name: String, names: &mut HashMap<String, u32>) -> String {
    let Some(mut number) = names.get(&name).copied() else {
        names.insert(name.clone(), 1);
        return name;
    };
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let dot = name[file..].rfind('.').filter(|dot| *dot > 0).map_or(name.len(), |dot| file + dot);
    let numbered = loop {
        number += 1;
        let numbered = format!("{} ({number}){}", &name[..dot], &name[dot..]);
        if !names.contains_key(&numbered) {
            break numbered;
        }
    };
    names.insert(name, number);
    names.insert(numbered.clone(), 1);
    numbered
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_of_one_name_are_told_apart() {
        let mut names = HashMap::new();
        let names: Vec<String> = ["a/b.pdf", "a/b.pdf", "a/b.pdf", "c", "c", ".x", ".x"]
            .into_iter()
            .map(|name| unique(name.to_owned(), &mut names))
            .collect();
        assert_eq!(names, ["a/b.pdf", "a/b (2).pdf", "a/b (3).pdf", "c", "c (2)", ".x", ".x (2)"]);
    }

    #[test]
    fn files_inside_of_files_are_read_to_a_depth() {
        use std::io::Write as _;
        let mut bytes = b"the innermost text".to_vec();
        for _ in 0..6 {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        let mut told = Vec::new();
        read("a", &bytes, &Options::default(), &mut |event| match event {
            Event::Document { name, .. } => told.push(name),
            Event::Warning(warning) => told.push(warning.to_string()),
            _ => {}
        });
        assert_eq!(told.len(), 6);
        assert_eq!(told[4], "a/content/content/content/content");
        assert_eq!(told[5], "content: skipped, it lies in too many archives, one inside of the other");
    }
}
