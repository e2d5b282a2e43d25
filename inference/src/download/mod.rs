//! A file from an address that the user typed, into a folder: what came is kept, so that a download
//! that stops goes on where it stopped, and it is only called whole when its sha256 is as it should be.
//!
//! ```text
//!   NAME.part + NAME.part.json ── Range, If-Range ──► append … ──► sha256 ──► NAME
//!             ▲                                         │            │
//!             └── stopped, lost, disk full: kept ◄──────┘            └── another file: deleted
//! ```

use std::fs::TryLockError;
use std::io::SeekFrom;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use reqwest::header::{CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;
use url::Url;

/// A server that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(30);
/// Progress is told this often.
const PACE: Duration = Duration::from_millis(200);
/// How often a server may send on to another address, as browsers have it.
const MOST_REDIRECTS: usize = 10;
/// Bytes that are hashed at once.
const BLOCK: usize = 1 << 20;

/// What is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadRequest {
    /// From where.
    pub url: Url,
    /// What the file must hash to, if that is known.
    pub sha256: Option<[u8; 32]>,
    /// What it is called on this machine.
    pub name: String,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes on this machine.
    pub done: u64,
    /// Bytes of the whole file, if the server says.
    pub total: Option<u64>,
    /// Bytes per second since this start.
    pub per_second: u64,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is there.
    Done {
        /// Where.
        path: PathBuf,
        /// Its sha256, hex.
        sha256: String,
    },
    /// It was stopped; what came is kept.
    Stopped(u64),
}

/// Why it failed. What came is kept unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// An address that cannot be fetched from.
    #[error("{0}")]
    DownloadRequest(String),
    /// Nobody answers, or not to the end.
    #[error("{url}: {reason}; the part already downloaded is kept, and the download resumes from there")]
    Network {
        /// From where.
        url: Url,
        /// What happened.
        reason: String,
    },
    /// The server does not give it.
    #[error("{url} answers {status}")]
    Refused {
        /// From where.
        url: Url,
        /// What it says.
        status: StatusCode,
    },
    /// Something was fetched, but not that.
    #[error("the file is not the one that was named: its sha256 is {found}; it was deleted")]
    AnotherFile {
        /// What it is, hex.
        found: String,
    },
    /// Another process, or another window, fetches it.
    #[error("{name} is being fetched already; wait for that, or stop it and ask again")]
    UnderWay {
        /// Which file.
        name: String,
    },
    /// The disk.
    #[error(
        "{path}: {source}; free some space or choose another folder; the part already downloaded is kept"
    )]
    Disk {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl DownloadRequest {
    /// From what was typed. A file that comes over plain HTTP from another machine must be named by
    /// its sha256: anybody on the way could change it.
    ///
    /// # Errors
    ///
    /// [`DownloadError::DownloadRequest`] with what is wrong.
    pub fn parse(url: &str, sha256: &str) -> Result<Self, DownloadError> {
        let wrong = |why: &str| DownloadError::DownloadRequest(why.to_owned());
        let url: Url =
            url.trim().parse().map_err(|_| wrong("that is no address; it begins with https://"))?;
        let sha256 = match sha256.trim() {
            "" => None,
            typed => {
                let mut digest = [0; 32];
                hex::decode_to_slice(typed, &mut digest)
                    .map_err(|_| wrong("a sha256 has 64 digits of 0-9 and a-f"))?;
                Some(digest)
            }
        };
        if !matches!(url.scheme(), "https" | "http") {
            return Err(wrong("only https and http can be fetched from"));
        }
        if url.scheme() == "http" && !is_here(&url) && sha256.is_none() {
            return Err(wrong("over plain http name its sha256: anybody on the way could change it"));
        }
        let name = url.path_segments().and_then(Iterator::last).unwrap_or_default();
        let safe = |character: char| character.is_ascii_alphanumeric() || "-_.+".contains(character);
        if !name.to_ascii_lowercase().ends_with(".gguf") || name.starts_with('.') || !name.chars().all(safe) {
            return Err(wrong("the address must end with the file: NAME.gguf"));
        }
        Ok(Self { name: name.to_owned(), url, sha256 })
    }

    /// How servers may send on to other addresses: what holds for the one that was typed holds for each of them.
    fn redirects(&self) -> Policy {
        let (is_checked, begins_here) = (self.sha256.is_some(), is_here(&self.url));
        Policy::custom(move |attempt| {
            let next = attempt.url();
            if attempt.previous().len() > MOST_REDIRECTS {
                attempt.error(format!("it sends on more than {MOST_REDIRECTS} times"))
            } else if next.scheme() == "https" || is_checked || (begins_here && is_here(next)) {
                attempt.follow()
            } else {
                let why = "it sends on to plain http, where anybody on the way could change the file: name its sha256";
                attempt.error(why)
            }
        })
    }
}

/// Whether nobody is on the way to it.
fn is_here(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// What tells one version of a file from another, kept beside what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    url: String,
    tag: Option<String>,
}

/// Fetches it into a folder, from where an earlier try stopped. `tell` hears of progress.
///
/// # Errors
///
/// Each says what became of what had come.
pub async fn fetch(
    order: &DownloadRequest,
    folder: &Path,
    stop: &CancellationToken,
    mut tell: impl FnMut(Progress),
) -> Result<Outcome, DownloadError> {
    let places = Places::new(folder, &order.name);
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |source| DownloadError::Disk { path, source }
    };
    tokio::fs::create_dir_all(folder).await.map_err(disk(folder))?;
    let (mut done, mut hash) = (0, Sha256::new());
    let known = places.version().await;
    if known.as_ref().is_some_and(|known| known.url == order.url.as_str() && known.tag.is_some()) {
        (done, hash) = hashed(&places.part).await.map_err(disk(&places.part))?;
    }
    let response = ask(order, done, known.as_ref()).await?;
    let total = match response.status() {
        StatusCode::PARTIAL_CONTENT if starts_at(&response) == Some(done) => {
            response.content_length().map(|rest| rest.saturating_add(done))
        }
        // All of it came before, and the last time ended before it was checked.
        StatusCode::RANGE_NOT_SATISFIABLE if done > 0 => return conclude(order, &places, hash).await,
        StatusCode::OK => {
            // From the start: there was nothing, or it has changed since.
            (done, hash) = (0, Sha256::new());
            response.content_length()
        }
        status => return Err(DownloadError::Refused { url: order.url.clone(), status }),
    };
    let Some(mut file) = places.open(done).await.map_err(disk(&places.part))? else {
        return Err(DownloadError::UnderWay { name: order.name.clone() });
    };
    places.keep(&Version::of(order, &response)).await.map_err(disk(&places.version))?;
    let (began, before, mut told) = (Instant::now(), done, None::<Instant>);
    let mut chunks = response.bytes_stream();
    loop {
        let chunk = tokio::select! {
            biased;
            () = stop.cancelled() => {
                file.flush().await.map_err(disk(&places.part))?;
                return Ok(Outcome::Stopped(done));
            }
            chunk = tokio::time::timeout(SILENCE, chunks.next()) => chunk,
        };
        let chunk = match chunk {
            Ok(None) => break,
            Ok(Some(Ok(chunk))) => chunk,
            failed => {
                // What was written so far must be there when it goes on.
                file.flush().await.map_err(disk(&places.part))?;
                let reason = match failed {
                    Ok(Some(Err(error))) => words(&error.without_url()),
                    _ => format!("nothing came for {} s", SILENCE.as_secs()),
                };
                return Err(DownloadError::Network { url: order.url.clone(), reason });
            }
        };
        file.write_all(&chunk).await.map_err(disk(&places.part))?;
        hash.update(&chunk);
        done += chunk.len() as u64;
        if told.is_none_or(|told| told.elapsed() >= PACE) {
            told = Some(Instant::now());
            let seconds = began.elapsed().as_millis().max(1);
            let per_second = u128::from(done - before).saturating_mul(1_000) / seconds;
            tell(Progress { done, total, per_second: u64::try_from(per_second).unwrap_or(u64::MAX) });
        }
    }
    file.sync_all().await.map_err(disk(&places.part))?;
    if total.is_some_and(|total| total != done) {
        let reason = format!("it ended after {done} bytes");
        return Err(DownloadError::Network { url: order.url.clone(), reason });
    }
    conclude(order, &places, hash).await
}

async fn ask(order: &DownloadRequest, done: u64, known: Option<&Version>) -> Result<Response, DownloadError> {
    let lost = |error: reqwest::Error| DownloadError::Network {
        url: order.url.clone(),
        reason: words(&error.without_url()),
    };
    let client =
        Client::builder().connect_timeout(SILENCE).redirect(order.redirects()).build().map_err(lost)?;
    let mut request = client.get(order.url.clone());
    if let (1.., Some(tag)) = (done, known.and_then(|known| known.tag.as_ref())) {
        // A server whose file has changed answers with the whole of it.
        request = request.header(RANGE, format!("bytes={done}-")).header(IF_RANGE, tag);
    }
    request.send().await.map_err(lost)
}

/// An error with what caused it: the cause says that nobody listens.
fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

/// Where a part of a file begins.
fn starts_at(response: &Response) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

/// Checks the whole file and gives it its name.
async fn conclude(order: &DownloadRequest, places: &Places, hash: Sha256) -> Result<Outcome, DownloadError> {
    let found: [u8; 32] = hash.finalize().into();
    let named = hex::encode(found);
    let disk = |source| DownloadError::Disk { path: places.whole.clone(), source };
    if order.sha256.is_some_and(|wanted| wanted != found) {
        tokio::fs::remove_file(&places.part).await.map_err(disk)?;
        let _ = tokio::fs::remove_file(&places.version).await;
        return Err(DownloadError::AnotherFile { found: named });
    }
    tokio::fs::rename(&places.part, &places.whole).await.map_err(disk)?;
    let _ = tokio::fs::remove_file(&places.version).await;
    Ok(Outcome::Done { path: places.whole.clone(), sha256: named })
}

/// What is on the disk already, hashed.
async fn hashed(path: &Path) -> std::io::Result<(u64, Sha256)> {
    let mut file = match File::open(path).await {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((0, Sha256::new())),
        Err(error) => return Err(error),
    };
    let (mut done, mut hash, mut block) = (0, Sha256::new(), vec![0; BLOCK]);
    loop {
        let count = file.read(&mut block).await?;
        if count == 0 {
            return Ok((done, hash));
        }
        hash.update(&block[..count]);
        done += count as u64;
    }
}

impl Version {
    fn of(order: &DownloadRequest, response: &Response) -> Self {
        let text = |name| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        // A weak tag does not promise the same bytes (RFC 9110, 13.1.5).
        let strong = text(ETAG).filter(|tag| !tag.starts_with("W/"));
        Self { url: order.url.to_string(), tag: strong.or_else(|| text(LAST_MODIFIED)) }
    }
}

/// Where things are kept.
struct Places {
    whole: PathBuf,
    part: PathBuf,
    version: PathBuf,
}

impl Places {
    fn new(folder: &Path, name: &str) -> Self {
        let place = |end: &str| folder.join(format!("{name}{end}"));
        Self { whole: place(""), part: place(".part"), version: place(".part.json") }
    }

    async fn version(&self) -> Option<Version> {
        serde_json::from_slice(&tokio::fs::read(&self.version).await.ok()?).ok()
    }

    async fn keep(&self, version: &Version) -> std::io::Result<()> {
        tokio::fs::write(&self.version, serde_json::to_vec(version)?).await
    }

    /// The part, to be written from there on by nobody else: what two write into one file is neither's, and each would
    /// find its own bytes to be right. `None` while another one has it.
    async fn open(&self, done: u64) -> std::io::Result<Option<File>> {
        let mut options = tokio::fs::OpenOptions::new();
        options.create(true).write(true).truncate(false);
        let file = options.open(&self.part).await?.into_std().await;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Where a system has no locks it is left to the caller.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut file = File::from_std(file);
        // Since its bytes were counted another one may have written more, or given the file its name.
        let as_counted = done == 0 || file.metadata().await?.len() == done;
        if !as_counted || !tokio::fs::try_exists(&self.part).await? {
            return Ok(None);
        }
        file.set_len(done).await?;
        file.seek(SeekFrom::Start(done)).await?;
        Ok(Some(file))
    }
}

#[cfg(test)]
mod tests;
