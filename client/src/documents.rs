//! Documents of every format: what is no text is read in a worker process with limits, and what was read is kept.
//!
//! ```text
//!   bytes ──sha256──► kept? ──yes──► documents
//!                       │ no
//!                       └──► worker (frlm_sandbox) ──► documents ──► kept
//! ```
//!
//! Reading a document again at every pause in typing would take seconds. What is kept lies in the folder `documents` of the
//! home, for its owner alone; the oldest goes first once there is too much. What a password opened is never kept. The tables of
//! long texts lie in the folder `tables` (`frlm_tables::Store`).

mod cache;
pub mod listing;
mod pasted;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

pub use frlm_documents::PageImage;
use frlm_documents::{Document, Refusal};
use frlm_protocol::shown_path;
use frlm_questions::ingest::{self, DocumentReader, IngestError, Ingested};

pub use cache::{Cache, KeptDocument};
pub use frlm_tables::Store as TableStore;
pub use pasted::keep_pasted;

use crate::failure::Failure;
use crate::home::Home;

/// The environment variable that holds the password of encrypted documents.
pub const PASSWORD: &str = "FRLM_DOCUMENT_PASSWORD";

/// A password that opens encrypted documents. It is printed nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub String);

impl std::fmt::Debug for Password {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Password")
    }
}

/// Reads documents.
#[derive(Clone, Default)]
pub struct Documents {
    /// The folder of the home, where long texts are kept while they are read.
    home: Option<PathBuf>,
    cache: Option<Cache>,
    tables: Option<TableStore>,
    password: Option<Password>,
    prompt: Option<Prompt>,
    unconfined: bool,
    memory: Option<Memory>,
    watcher: Option<Watcher>,
    #[cfg(test)]
    held_bytes: Option<u64>,
}

/// The documents that were read last, while their files stay as they are. Clones share them.
#[derive(Clone, Default)]
pub struct Memory {
    last: Arc<Mutex<Option<Remembered>>>,
    /// Held while documents are read: two who want the same read it once.
    reading: Arc<Mutex<()>>,
}

struct Remembered {
    stamp: Vec<(PathBuf, u64, SystemTime)>,
    password: Option<Password>,
    read: Ingested,
}

/// Is told the name of each file before it is read; `false` stops the reading.
#[derive(Clone)]
struct Watcher(Arc<dyn Fn(&str) -> bool + Send + Sync>);

/// Is given the name of an encrypted document, and asks its user for the password.
type AskPassword = dyn Fn(&str) -> Option<Password> + Send + Sync;

#[derive(Clone)]
struct Prompt {
    ask: Arc<AskPassword>,
    /// What opened the document before: one password often opens them all.
    last: Arc<Mutex<Option<Password>>>,
}

/// Without passwords.
impl std::fmt::Debug for Documents {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Documents").field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// More text than this is read again, rather than held in memory beside the run that reads it.
const MOST_REMEMBERED: usize = 64 << 20;

impl Documents {
    /// As the settings of a home say; what is read is kept there.
    pub fn of(home: &Home) -> Self {
        let password = std::env::var(PASSWORD).ok().filter(|password| !password.is_empty()).map(Password);
        let settings = home.config().map(|config| config.documents).unwrap_or_default();
        let cache = settings.cache.then(|| Cache::at(home.documents()));
        let tables = settings.cache.then(|| TableStore::at(home.tables()));
        let folder = Some(home.root().to_owned());
        Self { home: folder, cache, tables, password, unconfined: settings.unconfined, ..Self::default() }
    }

    /// Where tables of long texts are kept for the next question, if they are.
    pub fn tables(&self) -> Option<&TableStore> {
        self.tables.as_ref()
    }

    /// With the password that opens encrypted documents.
    #[must_use]
    pub fn with_password(self, password: Option<Password>) -> Self {
        Self { password: password.or(self.password), ..self }
    }

    /// Asks for the password of each encrypted document, until one opens it or the user gives none.
    #[must_use]
    pub fn prompting(self, ask: impl Fn(&str) -> Option<Password> + Send + Sync + 'static) -> Self {
        Self { prompt: Some(Prompt { ask: Arc::new(ask), last: Arc::default() }), ..self }
    }

    /// Keeps texts of files that are longer than this in files.
    #[cfg(test)]
    #[must_use]
    pub fn holding(self, held_bytes: u64) -> Self {
        Self { held_bytes: Some(held_bytes), ..self }
    }

    /// Looks there before it reads, and leaves there what it read.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Tells the name of each file before it is read; `false` stops the reading.
    #[must_use]
    pub fn watched(self, watcher: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { watcher: Some(Watcher(Arc::new(watcher))), ..self }
    }

    /// Draws a page of a PDF in the worker, with these quotes marked. Blocks.
    pub fn page(&self, path: &Path, number: u32, quotes: &[String]) -> anyhow::Result<PageImage> {
        use anyhow::Context as _;
        let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", shown_path(path)))?;
        built_in::page(&bytes, number, quotes, self.password()).map_err(anyhow::Error::msg)
    }

    /// Reads files and folders; what cannot be read is set aside with a warning. Blocks.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Ingested, IngestError> {
        let _reading =
            self.memory.as_ref().map(|memory| memory.reading.lock().unwrap_or_else(PoisonError::into_inner));
        // Before the reading: what changes meanwhile is read again next time.
        let stamp = self.memory.as_ref().and_then(|_| ingest::stamp(paths));
        if let Some(known) = stamp.as_ref().and_then(|stamp| self.recall(stamp)) {
            return Ok(known);
        }
        let read = ingest::read_documents(paths, self)?;
        if let Some(stamp) = stamp {
            self.remember(stamp, &read);
        }
        Ok(read)
    }

    fn password(&self) -> Option<&str> {
        self.password.as_ref().map(|password| password.0.as_str())
    }

    /// Reads an encrypted document with a password that its user is asked for; `None` where none opens it.
    fn unlock(&self, name: &str, bytes: &[u8]) -> Result<Option<Vec<Document>>, String> {
        let Some(Prompt { ask, last }) = &self.prompt else { return Ok(None) };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut password = last.clone().or_else(|| ask(name));
        while let Some(tried) = password {
            let (read, _) = built_in::read(name, bytes, Some(&tried.0), self.unconfined)?;
            if !is_locked(&read) {
                *last = Some(tried);
                return Ok(Some(read));
            }
            password = ask(name);
        }
        Ok(None)
    }

    fn recall(&self, stamp: &[(PathBuf, u64, SystemTime)]) -> Option<Ingested> {
        let memory = self.memory.as_ref()?.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = memory.as_ref()?;
        (known.stamp == stamp && known.password == self.password).then(|| known.read.clone())
    }

    fn remember(&self, stamp: Vec<(PathBuf, u64, SystemTime)>, read: &Ingested) {
        let Some(memory) = &self.memory else { return };
        let bytes: usize = read.documents.iter().map(|document| document.text.len()).sum();
        let remembered = (bytes <= MOST_REMEMBERED).then(|| Remembered {
            stamp,
            password: self.password.clone(),
            read: read.clone(),
        });
        *memory.last.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
    }
}

/// The password that stands in a file, without the line break behind it.
pub fn password_from(path: &Path) -> anyhow::Result<Password> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("{}: the password cannot be read ({error})", shown_path(path)))
    })?;
    Ok(Password(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Whether a file was refused for want of the right password.
fn is_locked(read: &[Document]) -> bool {
    read.iter().any(|document| matches!(document.ended, Err(Refusal::Encrypted | Refusal::WrongPassword)))
}

impl DocumentReader for Documents {
    fn begins(&self, name: &str) -> bool {
        self.watcher.as_ref().is_none_or(|watcher| (watcher.0)(name))
    }

    /// The system's folder for such files often lies in memory.
    fn keeps_in(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    #[cfg(test)]
    fn held_bytes(&self) -> u64 {
        self.held_bytes.unwrap_or(u64::MAX - 1)
    }

    fn read(&self, name: &str, bytes: &[u8]) -> Result<Vec<Document>, String> {
        if let Some(kept) = self.cache.as_ref().and_then(|cache| cache.find(name, bytes)) {
            return Ok(kept);
        }
        let (read, is_whole) = built_in::read(name, bytes, self.password(), self.unconfined)?;
        if is_locked(&read)
            && let Some(read) = self.unlock(name, bytes)?
        {
            return Ok(read);
        }
        // What a worker could not finish may be read tomorrow, by a better one or with more time.
        let whole = is_whole && read.iter().all(|document| document.ended.is_ok());
        if self.password.is_none()
            && whole
            && let Some(cache) = &self.cache
        {
            cache.keep(name, bytes, &read);
        }
        Ok(read)
    }
}

fn in_process(name: &str, bytes: &[u8], password: Option<&str>) -> Vec<Document> {
    let options = frlm_documents::Options {
        password: password.map(str::to_owned),
        ..frlm_documents::Options::default()
    };
    let mut collector = frlm_documents::Collector::default();
    frlm_documents::read(name, bytes, &options, &mut |event| collector.push(event));
    collector.finish()
}

/// Why nothing but text is read where nothing limits its reader.
fn unlimited(why: &str) -> String {
    format!(
        "{why}, and a file of this format can harm a reader without limits. Give its text instead, or allow it with \
         `unconfined = true` under [documents] in config.toml"
    )
}

#[cfg(feature = "sandbox")]
mod built_in {
    use std::sync::atomic::AtomicBool;

    use frlm_documents::{Collector, Document, Options, PageImage, Warning};
    use frlm_sandbox::{DocumentError, DocumentWorker, Limits};

    use crate::sandbox::WORKER;

    /// Pixels for each point of a page: sharp at twice the width of the column that shows it.
    const SCALE: f32 = 2.0;

    fn worker() -> Result<DocumentWorker, String> {
        DocumentWorker::of_this_program(WORKER, Limits::DOCUMENTS)
            .map_err(|error| format!("its reader cannot be started: {error}"))
    }

    pub fn page(
        bytes: &[u8],
        number: u32,
        quotes: &[String],
        password: Option<&str>,
    ) -> Result<PageImage, String> {
        let stop = AtomicBool::new(false);
        worker()?.page(bytes, number, SCALE, quotes, password, &stop).map_err(|error| error.to_string())
    }

    pub fn read(
        name: &str,
        bytes: &[u8],
        password: Option<&str>,
        unconfined: bool,
    ) -> Result<(Vec<Document>, bool), String> {
        let worker = worker()?;
        let options = Options { password: password.map(str::to_owned), ..Options::default() };
        let mut collector = Collector::default();
        let stop = AtomicBool::new(false);
        match worker.read(name, bytes, &options, &stop, &mut |event| collector.push(event)) {
            Ok(()) => Ok((collector.finish(), true)),
            Err(DocumentError::NotConfined) if unconfined => {
                Ok((super::in_process(name, bytes, password), true))
            }
            Err(DocumentError::NotConfined) => {
                Err(super::unlimited("this system does not limit what a program may take"))
            }
            Err(error) => {
                let mut read = collector.finish();
                let inside = read.len() > 1;
                match read.first_mut() {
                    None => Err(error.to_string()),
                    Some(first) => {
                        // The document that was open says so itself; those that follow it in an archive cannot.
                        if inside {
                            let (name, reason) = ("(what follows)".to_owned(), error.to_string());
                            first.warnings.push(Warning::Skipped { name, reason });
                        }
                        Ok((read, false))
                    }
                }
            }
        }
    }
}

#[cfg(not(feature = "sandbox"))]
mod built_in {
    use frlm_documents::{Document, PageImage};

    pub fn page(
        _bytes: &[u8],
        _number: u32,
        _quotes: &[String],
        _password: Option<&str>,
    ) -> Result<PageImage, String> {
        Err(super::unlimited("this build has no worker (feature sandbox)"))
    }

    pub fn read(
        name: &str,
        bytes: &[u8],
        password: Option<&str>,
        unconfined: bool,
    ) -> Result<(Vec<Document>, bool), String> {
        if unconfined {
            return Ok((super::in_process(name, bytes, password), true));
        }
        Err(super::unlimited("this build has no worker (feature sandbox)"))
    }
}
