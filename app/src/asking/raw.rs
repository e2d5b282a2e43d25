//! The signed Nostr events that answered a run, kept as they came, so that anybody can check id and
//! signature again. They are a record beside the record: a run neither needs nor waits for them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use frlm_protocol::kinds::{JOB_FEEDBACK, JOB_RESULT};
use nostr::Event;
use tokio::sync::mpsc;

/// Events that wait for the disk; what comes beyond them is left out.
const QUEUE: usize = 1_024;
/// Bytes that are kept of one run; what comes beyond them is left out.
const MOST_BYTES: u64 = 16 << 20;

/// Writes the answers among the events that it is sent, until the sender is gone.
pub fn keep(path: PathBuf) -> mpsc::Sender<Box<Event>> {
    let (sender, mut events) = mpsc::channel::<Box<Event>>(QUEUE);
    // A thread, since it does nothing but wait and write. Whoever holds the sender owns it: it ends when
    // that is dropped, or with the process, and then what still waits is not kept.
    let writer = move || {
        let mut kept = fs::metadata(&path).map_or(0, |file| file.len());
        while let Some(event) = events.blocking_recv() {
            if event.kind != JOB_RESULT && event.kind != JOB_FEEDBACK {
                continue;
            }
            let line = nostr::JsonUtil::as_json(&*event) + "\n";
            if kept + line.len() as u64 > MOST_BYTES {
                return;
            }
            kept += line.len() as u64;
            if let Err(error) = append(&path, &line) {
                tracing::warn!(%error, path = %path.display(), "a signed event was not kept");
                return;
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("signed-events".to_owned()).spawn(writer) {
        tracing::warn!(%error, "the signed events of this run are not kept");
    }
    sender
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(line.as_bytes())
}

/// The kept events that answer a job, in the order in which they came. Blocks.
#[cfg(feature = "desktop")]
pub fn answers(path: &Path, job: &str) -> std::io::Result<Vec<Event>> {
    use std::io::BufRead as _;

    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for line in std::io::BufReader::new(file).lines() {
        let line = line?;
        // Most lines are other jobs': looking for the id is cheaper than reading each.
        if line.contains(job)
            && let Ok(event) = <Event as nostr::JsonUtil>::from_json(&line)
            && event.tags.event_ids().any(|id| id.to_hex() == job)
        {
            found.push(event);
        }
    }
    Ok(found)
}

#[cfg(all(test, feature = "desktop"))]
mod tests {
    use nostr::{EventBuilder, EventId, Keys, Tag};

    use super::*;

    #[tokio::test]
    async fn answers_are_kept_signed_and_found_by_their_job() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.events.jsonl");
        let (keys, job) = (Keys::generate(), EventId::from_byte_array([7; 32]));
        let event = |kind, job| {
            let built = EventBuilder::new(kind, "secret").tag(Tag::event(job)).sign_with_keys(&keys);
            Box::new(built.unwrap())
        };
        let sender = keep(path.clone());
        let (result, other) = (event(JOB_RESULT, job), EventId::from_byte_array([8; 32]));
        for sent in [event(nostr::Kind::TextNote, job), event(JOB_RESULT, other), result.clone()] {
            sender.send(sent).await.unwrap();
        }
        drop(sender);
        let read = || answers(&path, &job.to_hex()).unwrap();
        while read().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(read(), [*result]);
        assert!(read()[0].verify().is_ok());
        assert!(answers(&folder.path().join("none"), &job.to_hex()).unwrap().is_empty());
    }
}
