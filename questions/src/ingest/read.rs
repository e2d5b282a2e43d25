//! Paths → documents.

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frlm_documents::text::is_blank;
use frlm_documents::{Content, Format as FileFormat, IS_LINK, Refusal, Warning};
use frlm_protocol::{printable, shown_path};
use sha2::{Digest as _, Sha256};

use super::fragment::{Document, DocumentId};
use super::long::{self, HELD_BYTES, Long};
use super::names::Names;
use super::text::Text;
use super::warnings::{IngestWarning, files, notes};

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

/// Files that a message names; more are counted.
const MOST_NAMED: usize = 20;

/// Why there are no documents: a usage error.
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
    /// Something that no document is: a program, a font.
    #[error("{}: {reason}", shown_path(path))]
    NoDocument {
        /// As the user gave it.
        path: PathBuf,
        /// What it is.
        reason: String,
    },
    /// The user did not want to wait for the rest.
    #[error("reading the documents was stopped")]
    Stopped,
    /// A folder or an archive without a single readable document.
    #[error("{}: no readable documents in it; name the files you want read", shown_path(path))]
    NoDocuments {
        /// As the user gave it.
        path: PathBuf,
    },
    /// Several files, none of which can be read.
    #[error("no document can be read:{}", each(unread))]
    NoneRead {
        /// Each with the reason, and the fix.
        unread: Vec<IngestWarning>,
    },
}

impl IngestError {
    /// Whether a password, or another one, would open it.
    pub fn needs_password(&self) -> bool {
        match self {
            Self::Refused { reason, .. } => is_locked(reason),
            Self::NoneRead { unread } => unread.iter().any(IngestWarning::needs_password),
            _ => false,
        }
    }
}

/// A line for each, as far as anybody reads.
fn each(unread: &[IngestWarning]) -> String {
    let more = files(unread.len().saturating_sub(MOST_NAMED)).map(|more| format!("and {more} more"));
    let named = unread.iter().take(MOST_NAMED).map(ToString::to_string);
    named.chain(more).fold(String::new(), |text, line| text + "\n  " + &printable(&line))
}

/// Whether a file was refused for want of the right password.
pub(super) fn is_locked(reason: &str) -> bool {
    reason == ENCRYPTED || reason == Refusal::WrongPassword.to_string()
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

/// Reads files, and whole folders with `.gitignore` respected; `-` is standard input. `reader` reads what is no text. What
/// cannot be read is set aside with a warning.
///
/// A path named twice, directly or through a folder, is read once.
///
/// # Errors
///
/// Where a path does not exist, and where nothing can be read: then each file with its reason.
pub fn read_documents(paths: &[PathBuf], reader: &dyn DocumentReader) -> Result<Ingested, IngestError> {
    let mut reader = Reader::new(reader);
    let mut first = None;
    for path in paths {
        match reader.read_path(path) {
            Ok(()) => {}
            // A user who was misunderstood should not have to pay for it.
            Err(error @ (IngestError::Missing { .. } | IngestError::Stopped)) => return Err(error),
            Err(error) => {
                let name = reader.names.of(path, 1);
                reader.turn_away(path, name, &error);
                first.get_or_insert(error);
            }
        }
    }
    let Some(first) = first.filter(|_| reader.ingested.documents.is_empty()) else {
        return Ok(reader.ingested);
    };
    let mut unread = reader.ingested.warnings;
    unread.retain(|warning| matches!(warning, IngestWarning::Unread { .. } | IngestWarning::Skipped { .. }));
    match (&first, unread.len()) {
        (IngestError::NoDocuments { .. }, 0) => Err(first),
        (IngestError::NoDocuments { .. }, _) | (_, 2..) => Err(IngestError::NoneRead { unread }),
        _ => Err(first),
    }
}

/// Why a file is not read, without its name.
fn why(error: &IngestError) -> String {
    match error {
        IngestError::Empty { .. } => "empty".to_owned(),
        IngestError::Refused { reason, .. } | IngestError::NoDocument { reason, .. } => reason.clone(),
        IngestError::Unreadable { source, .. } => format!("{source}; check its permissions"),
        IngestError::Missing { .. } => "no such file or folder".to_owned(),
        IngestError::NotAFile { .. } => {
            "not a regular file; to read a stream, pipe it in and give `-`".to_owned()
        }
        IngestError::TooLarge { limit_bytes, .. } => {
            format!("larger than {} MiB; split it into several files", limit_bytes >> 20)
        }
        other => other.to_string(),
    }
}

/// What a refusal makes of a file.
fn turned_away(path: &Path, refusal: &Refusal) -> IngestError {
    let path = path.to_owned();
    match refusal {
        Refusal::Encrypted => IngestError::Refused { path, reason: ENCRYPTED.to_owned() },
        refusal if refusal.is_no_document() => IngestError::NoDocument { path, reason: refusal.to_string() },
        refusal => IngestError::Refused { path, reason: refusal.to_string() },
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
    /// Canonical paths that were looked at.
    seen: HashSet<PathBuf>,
    pub(super) names: Names,
}

impl<'a> Reader<'a> {
    pub(super) fn new(reader: &'a dyn DocumentReader) -> Self {
        Self {
            formats: reader,
            held_bytes: reader.held_bytes(),
            ingested: Ingested { documents: Vec::new(), warnings: Vec::new() },
            seen: HashSet::new(),
            names: Names::default(),
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
            let name = self.names.of(path, 1);
            self.read_file(path, name).map(|_| ())
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

    /// Reads a file, unless it was looked at before: that is `false`.
    pub(super) fn read_file(&mut self, path: &Path, name: String) -> Result<bool, IngestError> {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(canonical) {
            return Ok(false);
        }
        if !self.formats.begins(&name) {
            return Err(IngestError::Stopped);
        }
        let file = std::fs::File::open(path).map_err(|source| unreadable(path, source))?;
        self.read_stream(path, name, file).map(|()| true)
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

    /// Says what a file that gave no document is: something that is missing, or nothing that anybody misses. What lies in a
    /// folder or an archive is named already.
    pub(super) fn turn_away(&mut self, path: &Path, name: String, error: &IngestError) {
        match error {
            IngestError::NoDocuments { .. } => {}
            IngestError::Empty { .. } | IngestError::NoDocument { .. } => self.skip(path, &why(error)),
            error => self.leave_unread(path, name, why(error)),
        }
    }

    pub(super) fn skip(&mut self, path: &Path, reason: &str) {
        let (path, reason) = (path.to_owned(), reason.to_owned());
        self.ingested.warnings.push(IngestWarning::Skipped { path, reason });
    }

    pub(super) fn leave_unread(&mut self, path: &Path, name: String, reason: String) {
        self.names.take(&name);
        self.ingested.warnings.push(IngestWarning::Unread { path: path.to_owned(), name, reason });
    }

    fn add(&mut self, path: &Path, name: String, bytes: &[u8]) -> Result<(), IngestError> {
        let format = FileFormat::detect(&name, bytes).map_err(|refusal| turned_away(path, &refusal))?;
        if format == FileFormat::Plain {
            return self.add_text(path, name, bytes);
        }
        let read = if format.needs_worker() {
            let refused = |reason| IngestError::Refused { path: path.to_owned(), reason };
            self.formats.read(&name, bytes).map_err(refused)?
        } else {
            in_process(&name, bytes)
        };
        let sha256 = hex::encode(Sha256::digest(bytes));
        let (documents, warnings) = (self.ingested.documents.len(), self.ingested.warnings.len());
        let mut of_file = None;
        for document in read {
            let inside = document.name.strip_prefix(&name).unwrap_or(&document.name).trim_start_matches('/');
            let at = if inside.is_empty() { path.to_owned() } else { path.join(inside) };
            let (is_file, inner) = (inside.is_empty(), document.name.clone());
            match self.add_read(document, &at, &sha256) {
                None => {}
                Some(refusal) if is_file => of_file = Some(refusal),
                Some(refusal) => self.turn_away(&at, inner, &turned_away(&at, &refusal)),
            }
        }
        let gave_documents = self.ingested.documents.len() > documents;
        match of_file.map(|refusal| turned_away(path, &refusal)) {
            // What was read of it holds.
            Some(error) if gave_documents => {
                self.ingested.warnings.push(IngestWarning::Partly { name, reason: why(&error) });
                Ok(())
            }
            Some(error) => {
                // One reason is enough for all that lies in it.
                self.ingested.warnings.truncate(warnings);
                Err(error)
            }
            None if gave_documents => Ok(()),
            None if self.ingested.warnings.len() > warnings => {
                Err(IngestError::NoDocuments { path: path.to_owned() })
            }
            None => Err(IngestError::Empty { path: path.to_owned() }),
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
            self.warn(&name, path, &Warning::GuessedEncoding { encoding: encoding.to_owned() });
        }
        if replaced > 0 {
            self.warn(&name, path, &Warning::ReplacedBytes { sequences: replaced });
        }
        let replaced_sequences = replaced as usize;
        self.push(Document { replaced_sequences, ..Document::of(name, text, sha256) });
        Ok(())
    }

    /// Takes in a document that was read elsewhere; or says why there is nothing of it. `at`: where it lies.
    fn add_read(
        &mut self,
        document: frlm_documents::Document,
        at: &Path,
        file_sha256: &str,
    ) -> Option<Refusal> {
        let only_holds_files = document.only_holds_files();
        let frlm_documents::Document { name, format: _, title, content, warnings, ended } = document;
        let usable = !is_blank(content.text());
        for note in notes(&warnings) {
            self.warn(&name, at, &note);
        }
        let refusal = match ended {
            Err(refusal) => Some(refusal),
            Ok(()) if usable || only_holds_files => None,
            Ok(()) => Some(Refusal::Empty),
        };
        if !usable {
            return refusal;
        }
        if let Some(refusal) = refusal {
            let reason = why(&turned_away(at, &refusal));
            self.ingested.warnings.push(IngestWarning::Partly { name: name.clone(), reason });
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
        None
    }

    fn warn(&mut self, name: &str, at: &Path, warning: &Warning) {
        let name = name.to_owned();
        let warning = match warning {
            Warning::ReplacedBytes { sequences } => {
                IngestWarning::Replaced { name, sequences: *sequences as usize }
            }
            Warning::Skipped { name: inside, reason } if reason == IS_LINK => {
                return self.skip(&at.join(inside), reason);
            }
            Warning::Skipped { name: inside, reason } => {
                return self.leave_unread(&at.join(inside), format!("{name}/{inside}"), reason.clone());
            }
            other => IngestWarning::Noted { name, note: other.to_string() },
        };
        self.ingested.warnings.push(warning);
    }

    fn push(&mut self, document: Document) {
        self.names.take(&document.name);
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
