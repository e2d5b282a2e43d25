//! Paths → documents.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use frlm_documents::text::is_blank;
use frlm_documents::{Content, Format as FileFormat, Refusal, Warning};
use frlm_protocol::{one_line, shown_path};
use ignore::WalkBuilder;
use sha2::{Digest as _, Sha256};

use super::fragment::{Document, DocumentId};
use super::long::{self, HELD_BYTES, Long};
use super::text::Text;

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Largest file that is read; a larger one is more likely a mistake than a document.
const MAX_DOCUMENT_BYTES: u64 = 1 << 30;

/// How a password is given.
const ENCRYPTED: &str = "it is encrypted; give its password (on the command line with --password-file PATH)";

/// What was read, and what was not.
#[derive(Debug, Clone)]
pub struct Ingested {
    /// In the order of the paths, a folder's files by path.
    pub documents: Vec<Document>,
    /// What the user should know about them.
    pub warnings: Vec<IngestWarning>,
}

/// A path that the user named and that cannot be read: a usage error.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// No such file.
    #[error("{}: no such file or folder; check the path", shown_path(path))]
    Missing {
        /// As the user gave it.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: cannot be read ({source}); check its permissions", shown_path(path))]
    Unreadable {
        /// As the user gave it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A device, a socket.
    #[error(
        "{}: not a regular file; to read a stream, pipe it in and give `-` as the path",
        shown_path(path)
    )]
    NotAFile {
        /// As the user gave it.
        path: PathBuf,
    },
    /// Nothing in it.
    #[error("{}: the file holds no text; give a file with content", shown_path(path))]
    Empty {
        /// As the user gave it.
        path: PathBuf,
    },
    /// Beyond the limit.
    #[error("{}: larger than {} MiB; split it into several files", shown_path(path), limit_bytes >> 20)]
    TooLarge {
        /// As the user gave it.
        path: PathBuf,
        /// Largest size that is read.
        limit_bytes: u64,
    },
    /// Something that is not read.
    #[error("{}: {reason}", shown_path(path))]
    Refused {
        /// As the user gave it.
        path: PathBuf,
        /// What it is, and the fix.
        reason: String,
    },
    /// The user did not want to wait for the rest.
    #[error("reading the documents was stopped")]
    Stopped,
    /// A folder without a single readable document.
    #[error("{}: no readable documents in this folder; name the files you want read", shown_path(path))]
    EmptyFolder {
        /// As the user gave it.
        path: PathBuf,
    },
}

impl IngestError {
    /// Whether a password, or another one, would open it.
    pub fn needs_password(&self) -> bool {
        matches!(self, Self::Refused { reason, .. } if is_locked(reason))
    }
}

/// Whether a file was refused for want of the right password.
fn is_locked(reason: &str) -> bool {
    reason == ENCRYPTED || reason == Refusal::WrongPassword.to_string()
}

/// Something that was left out or changed while the rest was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IngestWarning {
    /// A hidden file or folder inside a folder.
    SkippedHidden {
        /// Where it is.
        path: PathBuf,
    },
    /// A file inside a folder that could not be used.
    Skipped {
        /// Where it is.
        path: PathBuf,
        /// Why, with the fix.
        reason: String,
    },
    /// Bytes that were not valid text were replaced by U+FFFD.
    Replaced {
        /// The document's name.
        name: String,
        /// How many sequences.
        sequences: usize,
    },
    /// A document of which only the beginning was read.
    Partly {
        /// The document's name.
        name: String,
        /// Why, with the fix.
        reason: String,
    },
    /// Something that was left out of a document, or guessed.
    Noted {
        /// The document's name.
        name: String,
        /// What.
        note: String,
    },
}

impl IngestWarning {
    /// Whether a password, or another one, would open what was skipped.
    pub fn needs_password(&self) -> bool {
        matches!(self, Self::Skipped { reason, .. } if is_locked(reason))
    }
}

impl fmt::Display for IngestWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SkippedHidden { path } => {
                write!(formatter, "{}: skipped, hidden; name it to have it read", shown_path(path))
            }
            Self::Skipped { path, reason } => write!(formatter, "{}: skipped, {reason}", shown_path(path)),
            Self::Partly { name, reason } => {
                write!(formatter, "{}: only its beginning was read; {reason}", one_line(name))
            }
            Self::Noted { name, note } => write!(formatter, "{}: {}", one_line(name), one_line(note)),
            Self::Replaced { name, sequences } => write!(
                formatter,
                "{}: {sequences} invalid byte sequence{} replaced; convert it to UTF-8 to keep them",
                one_line(name),
                if *sequences == 1 { "" } else { "s" }
            ),
        }
    }
}

/// Reads the formats that can harm their reader, in a worker process: PDF, Office, mail, archives.
pub trait DocumentReader {
    /// The documents of a file; or why there are none, with the fix. Blocks.
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Vec<frlm_documents::Document>, String>;

    /// Told of every file before it is read; `false` ends the reading.
    fn begins(&self, _name: &str) -> bool {
        true
    }

    /// Where long texts are kept while they are read, in files without names; else in the system's folder for such.
    fn keeps_in(&self) -> Option<&Path> {
        None
    }

    /// The most bytes of a file whose text is held in memory.
    fn held_bytes(&self) -> u64 {
        HELD_BYTES
    }
}

/// Reads text alone, for programs without a worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOnly;

impl DocumentReader for TextOnly {
    fn read(&self, _name: &str, _bytes: &[u8]) -> Result<Vec<frlm_documents::Document>, String> {
        Err("this program reads text alone; give the file's text".to_owned())
    }
}

/// Reads files, and whole folders with `.gitignore` respected; `-` is standard input. `reader` reads what is no text.
///
/// A path named twice, directly or through a folder, is read once.
///
/// # Errors
///
/// A path given here must be readable; what is found inside a folder only warns.
pub fn read_documents(paths: &[PathBuf], reader: &dyn DocumentReader) -> Result<Ingested, IngestError> {
    let mut reader = Reader::new(reader);
    for path in paths {
        reader.read_path(path)?;
    }
    Ok(reader.ingested)
}

/// The same, but what cannot be read is set aside with a warning.
///
/// # Errors
///
/// Why the first one cannot be read, where none can.
pub fn read_what_can_be(paths: &[PathBuf], reader: &dyn DocumentReader) -> Result<Ingested, IngestError> {
    let mut reader = Reader::new(reader);
    let mut first = None;
    for path in paths {
        if let Err(error) = reader.read_path(path) {
            if matches!(error, IngestError::Stopped) {
                return Err(error);
            }
            let reason = why(&error);
            // What lies in an archive is named already.
            if !reader.ingested.warnings.iter().any(|known| names(known, path)) {
                reader.skip(path.clone(), reason);
            }
            first.get_or_insert(error);
        }
    }
    match first {
        Some(error) if reader.ingested.documents.is_empty() => Err(error),
        _ => Ok(reader.ingested),
    }
}

/// Whether a warning is about this file.
fn names(warning: &IngestWarning, path: &Path) -> bool {
    matches!(warning, IngestWarning::Skipped { path: skipped, .. } if skipped == path)
}

/// Why a file is not read, without its name.
fn why(error: &IngestError) -> String {
    match error {
        IngestError::Empty { .. } => "empty".to_owned(),
        IngestError::Refused { reason, .. } => reason.clone(),
        IngestError::Unreadable { source, .. } => source.to_string(),
        IngestError::Missing { .. } => "no such file or folder".to_owned(),
        other => other.to_string(),
    }
}

fn unreadable(path: &Path, source: io::Error) -> IngestError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        IngestError::Missing { path }
    } else {
        IngestError::Unreadable { path, source }
    }
}

/// Devices such as /dev/zero never end; a pipe, as from `<(command)`, does.
fn is_readable_stream(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        metadata.is_file() || metadata.file_type().is_fifo()
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

pub(super) struct Reader<'a> {
    formats: &'a dyn DocumentReader,
    /// A text beyond this is kept in a file.
    pub(super) held_bytes: u64,
    pub(super) ingested: Ingested,
    /// Canonical paths that were read.
    seen: HashSet<PathBuf>,
    names: HashSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(reader: &'a dyn DocumentReader) -> Self {
        Self {
            formats: reader,
            held_bytes: reader.held_bytes(),
            ingested: Ingested { documents: Vec::new(), warnings: Vec::new() },
            seen: HashSet::new(),
            names: HashSet::new(),
        }
    }

    pub(super) fn read_path(&mut self, path: &Path) -> Result<(), IngestError> {
        if path.as_os_str() == STANDARD_INPUT {
            return self.read_standard_input();
        }
        let metadata = std::fs::metadata(path).map_err(|source| unreadable(path, source))?;
        if metadata.is_dir() {
            self.read_folder(path)
        } else if is_readable_stream(&metadata) {
            let name = self.name_for(path, 1);
            self.read_file(path, name)
        } else {
            Err(IngestError::NotAFile { path: path.to_owned() })
        }
    }

    fn read_standard_input(&mut self) -> Result<(), IngestError> {
        let path = PathBuf::from(STANDARD_INPUT);
        if !self.seen.insert(path.clone()) {
            return Ok(());
        }
        self.read_stream(&path, "(standard input)".to_owned(), io::stdin().lock())
    }

    fn read_file(&mut self, path: &Path, name: String) -> Result<(), IngestError> {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.seen.contains(&canonical) {
            return Ok(());
        }
        if !self.formats.begins(&name) {
            return Err(IngestError::Stopped);
        }
        let file = std::fs::File::open(path).map_err(|source| unreadable(path, source))?;
        self.read_stream(path, name, file)?;
        self.seen.insert(canonical);
        Ok(())
    }

    fn read_stream(&mut self, path: &Path, name: String, source: impl io::Read) -> Result<(), IngestError> {
        let failed = |source| unreadable(path, source);
        let too_large = || IngestError::TooLarge { path: path.to_owned(), limit_bytes: MAX_DOCUMENT_BYTES };
        let mut source = source.take(MAX_DOCUMENT_BYTES + 1);
        let mut bytes = Vec::new();
        source.by_ref().take(self.held_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > self.held_bytes && long::is_text(&name, &bytes) {
            let temporary = std::env::temp_dir();
            let folders: Vec<&Path> = self.formats.keeps_in().into_iter().chain([&*temporary]).collect();
            let read = long::read(&bytes, source, MAX_DOCUMENT_BYTES, &folders).map_err(failed)?;
            return self.add_decoded(path, name, read.ok_or_else(too_large)?);
        }
        source.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
            return Err(too_large());
        }
        self.add(path, name, &bytes)
    }

    fn read_folder(&mut self, folder: &Path) -> Result<(), IngestError> {
        let hidden = Arc::new(Mutex::new(Vec::new()));
        let skipped = Arc::clone(&hidden);
        let mut usable = 0;
        let walk = walk(folder)
            .filter_entry(move |entry| {
                let shown = entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
                if !shown
                    && !is_housekeeping(entry.file_name())
                    && let Ok(mut skipped) = skipped.lock()
                {
                    skipped.push(entry.path().to_owned());
                }
                shown
            })
            .build();
        for entry in walk {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    usable += usize::from(self.read_found(folder, entry.path())?);
                }
                Ok(entry) if entry.path_is_symlink() => {
                    self.skip(entry.path().to_owned(), "a symbolic link; name it to have it read".to_owned());
                }
                Ok(_) => {}
                Err(error) => self.skip(folder.to_owned(), error.to_string()),
            }
        }
        if let Ok(mut hidden) = hidden.lock() {
            hidden.sort();
            let found = hidden.drain(..).map(|path| IngestWarning::SkippedHidden { path });
            self.ingested.warnings.extend(found);
        }
        if usable == 0 { Err(IngestError::EmptyFolder { path: folder.to_owned() }) } else { Ok(()) }
    }

    /// What a document is called: as little of its path as tells it from the others, and so many components at least.
    /// Providers read it, and where the asker keeps a document is none of their business.
    fn name_for(&self, path: &Path, least: usize) -> String {
        let components: Vec<_> = path.components().collect();
        let name = |count: usize| {
            components[components.len() - count..].iter().collect::<PathBuf>().display().to_string()
        };
        let counts = least.clamp(1, components.len().max(1))..=components.len();
        counts.map(name).find(|name| !self.names.contains(name)).unwrap_or_else(|| path.display().to_string())
    }

    /// Reads a file of a folder, and says whether it is now among the documents.
    fn read_found(&mut self, folder: &Path, path: &Path) -> Result<bool, IngestError> {
        let within = path.strip_prefix(folder).unwrap_or(path).components().count();
        let name = self.name_for(path, within);
        match self.read_file(path, name) {
            Ok(()) => Ok(true),
            Err(IngestError::Stopped) => Err(IngestError::Stopped),
            Err(error) => {
                let reason = why(&error);
                // What cannot be read inside of it is named already.
                if !self.ingested.warnings.iter().any(|known| names(known, path)) {
                    self.skip(path.to_owned(), reason);
                }
                Ok(false)
            }
        }
    }

    fn skip(&mut self, path: PathBuf, reason: String) {
        self.ingested.warnings.push(IngestWarning::Skipped { path, reason });
    }

    fn add(&mut self, path: &Path, name: String, bytes: &[u8]) -> Result<(), IngestError> {
        let refused = |reason: String| IngestError::Refused { path: path.to_owned(), reason };
        let format = FileFormat::detect(&name, bytes).map_err(|reason| refused(reason.to_string()))?;
        if format == FileFormat::Plain {
            return self.add_text(path, name, bytes);
        }
        let read = if format.needs_worker() {
            self.formats.read(&name, bytes).map_err(refused)?
        } else {
            in_process(&name, bytes)
        };
        let sha256 = hex::encode(Sha256::digest(bytes));
        let before = self.ingested.documents.len();
        let mut why = None;
        for document in read {
            if let Some(reason) = self.add_read(document, &sha256) {
                why.get_or_insert(reason);
            }
        }
        match why {
            // An archive with readable files is readable; what was not is warned of.
            Some(reason) if self.ingested.documents.len() == before => Err(refused(reason)),
            None if self.ingested.documents.len() == before => {
                Err(IngestError::Empty { path: path.to_owned() })
            }
            _ => Ok(()),
        }
    }

    fn add_text(&mut self, path: &Path, name: String, bytes: &[u8]) -> Result<(), IngestError> {
        let frlm_documents::Decoded { text, guessed, replaced } = frlm_documents::decode(bytes);
        let sha256 = hex::encode(Sha256::digest(bytes));
        let is_blank = is_blank(&text);
        self.add_decoded(path, name, Long { text: text.into(), sha256, guessed, replaced, is_blank })
    }

    fn add_decoded(&mut self, path: &Path, name: String, read: Long) -> Result<(), IngestError> {
        let Long { text, sha256, guessed, replaced, is_blank } = read;
        if is_blank {
            return Err(IngestError::Empty { path: path.to_owned() });
        }
        if let Some(encoding) = guessed {
            self.warn(&name, &Warning::GuessedEncoding { encoding: encoding.to_owned() });
        }
        if replaced > 0 {
            self.warn(&name, &Warning::ReplacedBytes { sequences: replaced });
        }
        let replaced_sequences = replaced as usize;
        self.push(Document { replaced_sequences, ..Document::of(name, text, sha256) });
        Ok(())
    }

    /// Takes in a document that was read elsewhere; or says why there is nothing of it.
    fn add_read(&mut self, document: frlm_documents::Document, file_sha256: &str) -> Option<String> {
        let only_holds_files = document.only_holds_files();
        let frlm_documents::Document { name, format: _, title, content, warnings, ended } = document;
        let usable = !is_blank(content.text());
        let reason = match (&ended, usable) {
            (Err(Refusal::Encrypted), _) => Some(ENCRYPTED.to_owned()),
            (Err(reason), _) => Some(reason.to_string()),
            (Ok(()), false) if !only_holds_files => Some(Refusal::Empty.to_string()),
            (Ok(()), _) => None,
        };
        for note in notes(&warnings) {
            self.warn(&name, &note);
        }
        if usable {
            if let Some(reason) = &reason {
                let partly = IngestWarning::Partly { name: name.clone(), reason: reason.clone() };
                self.ingested.warnings.push(partly);
            }
            // Files of one archive have hashes of their own.
            let sha256 = hex::encode(Sha256::digest(format!("{file_sha256} {name}")));
            let (text, transcript) = match content {
                Content::Plain(text) => (text.into(), None),
                Content::Blocks(transcript) => {
                    let transcript = Arc::new(transcript);
                    (Text::of_transcript(Arc::clone(&transcript)), Some(transcript))
                }
            };
            self.push(Document { title, transcript, ..Document::of(name, text, sha256) });
            return None;
        }
        if let Some(reason) = &reason {
            self.skip(PathBuf::from(&name), reason.clone());
        }
        reason
    }

    fn warn(&mut self, name: &str, warning: &Warning) {
        let name = name.to_owned();
        self.ingested.warnings.push(match warning {
            Warning::ReplacedBytes { sequences } => {
                IngestWarning::Replaced { name, sequences: *sequences as usize }
            }
            Warning::Skipped { name: inside, reason } => IngestWarning::Skipped {
                path: PathBuf::from(format!("{name}/{inside}")),
                reason: reason.clone(),
            },
            other => IngestWarning::Noted { name, note: other.to_string() },
        });
    }

    fn push(&mut self, document: Document) {
        self.names.insert(document.name.clone());
        let id = DocumentId(u32::try_from(self.ingested.documents.len()).unwrap_or(u32::MAX));
        self.ingested.documents.push(Document { id, ..document });
    }
}

/// Formats of text that have blocks of their own.
fn in_process(name: &str, bytes: &[u8]) -> Vec<frlm_documents::Document> {
    let mut collector = frlm_documents::Collector::default();
    frlm_documents::read(name, bytes, &frlm_documents::Options::default(), &mut |event| {
        collector.push(event);
    });
    collector.finish()
}

/// Warnings of which many are alike (one for each page of a scan) become one.
fn notes(warnings: &[Warning]) -> Vec<Warning> {
    let mut pages = Vec::new();
    let mut notes = Vec::new();
    for warning in warnings {
        match warning {
            Warning::PageWithoutText { page } => pages.push(*page),
            other => notes.push(other.clone()),
        }
    }
    match pages.as_slice() {
        [] => {}
        [page] => notes.push(Warning::PageWithoutText { page: *page }),
        pages => notes.push(Warning::Other(format!(
            "pages {} have no text layer (scans or pictures)",
            page_ranges(pages)
        ))),
    }
    let unknown = notes.iter().filter(|note| matches!(note, Warning::UnknownGlyphs { .. })).count();
    if unknown > 3 {
        notes.retain(|note| !matches!(note, Warning::UnknownGlyphs { .. }));
        notes.push(Warning::Other(format!(
            "{unknown} pages have characters that cannot be told from their font"
        )));
    }
    notes
}

/// `3, 5-7, 12` of pages in rising order.
fn page_ranges(pages: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let words = ranges.iter().map(
        |(first, last)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        },
    );
    words.collect::<Vec<_>>().join(", ")
}

/// The user named this folder: what lies above it has no say, what it says itself does.
pub(super) fn walk(folder: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false)
        .git_ignore(true)
        .ignore(true)
        .require_git(false)
        .sort_by_file_path(Path::cmp);
    walk
}

/// Files that keep house for other programs; a warning about each would only be noise.
fn is_housekeeping(name: &std::ffi::OsStr) -> bool {
    [".git", ".gitignore", ".gitattributes", ".gitmodules", ".ignore", ".DS_Store"]
        .iter()
        .any(|known| name == *known)
}
