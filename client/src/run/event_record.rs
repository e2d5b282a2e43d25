//! The signed Nostr events of a run, kept as they left and as they came, so that anybody can check id and
//! signature again. They are a record beside the record: a run neither needs nor waits for them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use frlm_protocol::kinds::{CANCELLATION, JOB_FEEDBACK, JOB_REQUEST, JOB_RESULT, SETTLEMENT};
use frlm_relay::{Incoming, Publisher};
use nostr::{Event, Kind};
use tokio::sync::mpsc;

/// Events that wait for the disk; what comes beyond them is left out.
const QUEUE: usize = 1_024;
/// Bytes that are kept of one run; what comes beyond them is left out.
const MOST_BYTES: u64 = 32 << 20;
/// Bytes beyond which jobs are left out: they hold the documents, and answers must have room.
const MOST_BYTES_OF_JOBS: u64 = 16 << 20;
/// What a run and its providers say to each other.
const KINDS: [Kind; 5] = [JOB_REQUEST, JOB_RESULT, JOB_FEEDBACK, SETTLEMENT, CANCELLATION];

/// A connection of which a record is kept.
pub(super) fn kept((publisher, incoming): (Publisher, Incoming), path: PathBuf) -> (Publisher, Incoming) {
    let record = keep(path);
    (publisher.copied_to(record.clone()), incoming.copied_to(record))
}

/// Writes the events of these kinds that it is sent, until every sender is gone.
fn keep(path: PathBuf) -> mpsc::Sender<Box<Event>> {
    let (sender, events) = mpsc::channel(QUEUE);
    // A thread, since it does nothing but wait and write. The holder of the sender owns it: it ends when
    // that is dropped, or with the process, and then what still waits is not kept.
    let writer = move || write(&path, events);
    if let Err(error) = std::thread::Builder::new().name("signed-events".to_owned()).spawn(writer) {
        tracing::warn!(%error, "the signed events of this run are not kept");
    }
    sender
}

/// Until every sender is gone, or as much is kept as may be. Blocks.
fn write(path: &Path, mut events: mpsc::Receiver<Box<Event>>) {
    let mut kept = fs::metadata(path).map_or(0, |file| file.len());
    while let Some(event) = events.blocking_recv() {
        if !KINDS.contains(&event.kind) {
            continue;
        }
        let line = nostr::JsonUtil::as_json(&*event) + "\n";
        if event.kind == JOB_REQUEST && kept + line.len() as u64 > MOST_BYTES_OF_JOBS {
            continue;
        }
        if kept + line.len() as u64 > MOST_BYTES {
            return;
        }
        kept += line.len() as u64;
        if let Err(error) = append(path, &line) {
            tracing::warn!(%error, path = %path.display(), "a signed event was not kept");
            return;
        }
    }
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(line.as_bytes())
}

/// The kept events about a job, itself among them, each once, in the order in which they left or came. Blocks.
pub fn about(path: &Path, job: &str) -> std::io::Result<Vec<Event>> {
    use std::io::BufRead as _;

    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found: Vec<Event> = Vec::new();
    for line in std::io::BufReader::new(file).lines() {
        let line = line?;
        // Most lines are other jobs': looking for the id is cheaper than reading each.
        if line.contains(job)
            && let Ok(event) = <Event as nostr::JsonUtil>::from_json(&line)
            && (event.id.to_hex() == job || event.tags.event_ids().any(|id| id.to_hex() == job))
            // What no relay had taken was said again.
            && found.iter().all(|known| known.id != event.id)
        {
            found.push(event);
        }
    }
    Ok(found)
}

/// What an encrypted event between a run's key and a provider says; `None` if it is not one of them.
pub fn opened(event: &Event, keys: &nostr::Keys) -> Option<String> {
    let ours = keys.public_key();
    let peer = if event.pubkey == ours { event.tags.public_keys().next().copied()? } else { event.pubkey };
    nostr::nips::nip44::decrypt(keys.secret_key(), &peer, &event.content).ok()
}

#[cfg(test)]
mod tests {
    use nostr::nips::nip44;
    use nostr::{EventBuilder, EventId, Keys, Tag};

    use super::*;

    #[test]
    fn answers_are_kept_signed_and_found_by_their_job() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.events.jsonl");
        let (keys, job) = (Keys::generate(), EventId::from_byte_array([7; 32]));
        let event = |kind, job| {
            let built = EventBuilder::new(kind, "secret").tag(Tag::event(job)).sign_with_keys(&keys);
            Box::new(built.unwrap())
        };
        let (sender, events) = mpsc::channel(QUEUE);
        let place = path.clone();
        let writer = std::thread::spawn(move || write(&place, events));
        let (result, other) = (event(JOB_RESULT, job), EventId::from_byte_array([8; 32]));
        for sent in [event(Kind::TextNote, job), event(JOB_RESULT, other), result.clone(), result.clone()] {
            sender.blocking_send(sent).unwrap();
        }
        let last = event(SETTLEMENT, job);
        sender.blocking_send(last.clone()).unwrap();
        drop(sender);
        // It ends with the last sender, and has written everything by then.
        writer.join().unwrap();
        let read = about(&path, &job.to_hex()).unwrap();
        assert_eq!(read, [*result, *last]);
        assert!(read[0].verify().is_ok());
        assert!(about(&folder.path().join("none"), &job.to_hex()).unwrap().is_empty());
    }

    #[test]
    fn a_job_is_found_by_its_id_and_opened_only_by_the_key_that_sent_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.events.jsonl");
        let (run, provider) = (Keys::generate(), Keys::generate());
        let sealed =
            nip44::encrypt(run.secret_key(), &provider.public_key(), "copy status", nip44::Version::V2)
                .unwrap();
        let job = EventBuilder::new(JOB_REQUEST, sealed).tag(Tag::public_key(provider.public_key()));
        let job = job.sign_with_keys(&run).unwrap();
        append(&path, &(nostr::JsonUtil::as_json(&job) + "\n")).unwrap();
        assert_eq!(about(&path, &job.id.to_hex()).unwrap(), std::slice::from_ref(&job));
        assert_eq!(opened(&job, &run).as_deref(), Some("copy status"));
        assert_eq!(opened(&job, &provider).as_deref(), Some("copy status"), "it is for both of them");
        assert_eq!(opened(&job, &Keys::generate()), None);
    }
}
