//! An upload as it comes: a form of several parts, of which the file goes to the disk as it arrives.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use frlm_client::protocol::printable;
use frlm_client::util::clock::unix_millis;
use multer::{Field, Multipart};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;

use super::super::body::broken;
use super::super::refusal::Refusal;
use super::{FileStore, Record, StoredFile};

/// Parts of a form.
const MOST_PARTS: usize = 16;
/// Bytes of a part that is no file.
const MOST_VALUE_BYTES: usize = 1_024;
/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 255;
/// What is read of a file that is too long, so that its sender hears why.
const MOST_SKIPPED_BYTES: u64 = 64 << 20;

/// A file that was received, and is not kept yet.
struct Received {
    name: String,
    bytes: u64,
    written: NamedTempFile,
}

/// Reads an upload to its end, and keeps its file.
pub async fn upload(
    store: &Arc<FileStore>,
    caller: String,
    headers: &HeaderMap,
    body: Body,
) -> Result<StoredFile, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(kind).map_err(|_| {
        Refusal::invalid("send a form with the parts file and purpose: Content-Type: multipart/form-data")
    })?;
    let mut form = Multipart::new(body.into_data_stream(), boundary);
    let (mut values, mut file) = (HashMap::new(), None);
    for _ in 0..MOST_PARTS {
        let Some(field) = form.next_field().await.map_err(|error| broken(&error))? else {
            let received = file.ok_or_else(|| Refusal::field("file", "the form has no part `file`"))?;
            let record = record(caller, &received, &values, store.bounds().age_secs)?;
            let store = Arc::clone(store);
            let kept = tokio::task::spawn_blocking(move || store.keep(received.written, record)).await;
            return kept
                .map_err(|error| Refusal::fault(error.to_string()))?
                .map_err(|error| not_kept(&error));
        };
        match field.name().map(str::to_owned).as_deref() {
            Some("file") if file.is_none() => file = Some(receive(store, field).await?),
            name => {
                let name = name.unwrap_or_default().to_owned();
                let value = value(&name, field).await?;
                values.insert(name, value);
            }
        }
    }
    Err(Refusal::invalid(format!("a form has {MOST_PARTS} parts at most")))
}

async fn receive(store: &Arc<FileStore>, mut field: Field<'static>) -> Result<Received, Refusal> {
    let most = store.bounds().file_bytes;
    let name = printable(field.file_name().unwrap_or_default()).chars().take(LONGEST_NAME).collect();
    let opening = {
        let store = Arc::clone(store);
        tokio::task::spawn_blocking(move || {
            let written = store.begin()?;
            let file = written.as_file().try_clone()?;
            Ok((written, file))
        })
    };
    let opened = opening.await.map_err(|error| Refusal::fault(error.to_string()))?;
    let (written, file) = opened.map_err(|error| not_kept(&error))?;
    let (mut file, mut bytes) = (tokio::fs::File::from_std(file), 0);
    while let Some(chunk) = field.chunk().await.map_err(|error| broken(&error))? {
        bytes += chunk.len() as u64;
        if bytes > most {
            skip(field).await;
            return Err(Refusal::too_large("the file", most, "split it into several files").at("file"));
        }
        file.write_all(&chunk).await.map_err(|error| not_kept(&error))?;
    }
    file.sync_all().await.map_err(|error| not_kept(&error))?;
    Ok(Received { name, bytes, written })
}

async fn skip(mut field: Field<'static>) {
    let mut skipped = 0;
    while let Ok(Some(chunk)) = field.chunk().await {
        skipped += chunk.len() as u64;
        if skipped > MOST_SKIPPED_BYTES {
            return;
        }
    }
}

async fn value(name: &str, mut field: Field<'static>) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| broken(&error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST_VALUE_BYTES {
            let words = format!("a part of a form that is no file has {MOST_VALUE_BYTES} bytes at most");
            return Err(Refusal::field(name, words));
        }
    }
    String::from_utf8(bytes).map_err(|_| Refusal::field(name, "this part of the form is not UTF-8"))
}

fn record(
    caller: String,
    received: &Received,
    values: &HashMap<String, String>,
    age_secs: u64,
) -> Result<Record, Refusal> {
    let seconds = "expires_after[seconds]";
    let wished = values.get(seconds).map(|wished| {
        let secs = wished.parse::<u64>().ok().filter(|secs| *secs > 0);
        secs.ok_or_else(|| Refusal::field(seconds, "a whole number of seconds from 1"))
    });
    let secs = wished.transpose()?.unwrap_or(age_secs).min(age_secs);
    let created_at_ms = unix_millis();
    let purpose = values.get("purpose").map_or("user_data", |purpose| purpose.trim());
    Ok(Record {
        caller,
        filename: received.name.clone(),
        purpose: printable(purpose).into_owned(),
        bytes: received.bytes,
        created_at_ms,
        expires_at_ms: created_at_ms.saturating_add(secs.saturating_mul(1_000)),
    })
}

fn not_kept(error: &std::io::Error) -> Refusal {
    Refusal::fault(format!("the file cannot be kept: {error}"))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::Bounds;
    use super::*;

    /// What a store of files of at most 100 bytes says to a form of such parts.
    async fn sent(parts: &[(&str, String)]) -> Result<StoredFile, Refusal> {
        let folder = tempfile::tempdir().unwrap();
        let bounds = Bounds { file_bytes: 100, ..Bounds::default() };
        let store = Arc::new(FileStore::within(folder.path().to_owned(), bounds));
        let mut form = String::new();
        for (head, content) in parts {
            // Writing to a string cannot fail.
            let _ = write!(form, "--b\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n");
        }
        let headers = [(CONTENT_TYPE, "multipart/form-data; boundary=b".parse().unwrap())];
        let headers = headers.into_iter().collect();
        let sent = upload(&store, "ada".to_owned(), &headers, Body::from(form + "--b--\r\n")).await;
        let kept = std::fs::read_dir(folder.path()).map_or(0, Iterator::count);
        assert_eq!(kept, if sent.is_ok() { 2 } else { 0 }, "nothing is left of an upload that failed");
        sent
    }

    #[tokio::test]
    async fn a_file_that_is_too_long_is_told_the_limit_and_not_kept() {
        let file = "name=\"file\"; filename=\"a.log\"";
        assert_eq!(sent(&[(file, "a".repeat(100))]).await.unwrap().record.bytes, 100);
        let body = sent(&[(file, "a".repeat(101))]).await.unwrap_err().body();
        assert_eq!(
            (&body["error"]["param"], &body["error"]["code"]),
            (&"file".into(), &"request_too_large".into())
        );
        assert!(body["error"]["message"].as_str().unwrap().contains("100 bytes"), "{body}");
    }

    #[tokio::test]
    async fn a_form_may_shorten_the_life_of_its_file_and_not_lengthen_it() {
        let file = ("name=\"file\"; filename=\"a.log\"", "a".to_owned());
        let after = |secs: &str| ("name=\"expires_after[seconds]\"", secs.to_owned());
        for (secs, kept_secs) in [("3600", 3_600), ("99999999999", Bounds::default().age_secs)] {
            let record = sent(&[after(secs), file.clone()]).await.unwrap().record;
            assert_eq!(record.expires_at_ms - record.created_at_ms, kept_secs * 1_000);
        }
        assert!(sent(&[file, after("soon")]).await.is_err());
    }

    #[tokio::test]
    async fn forms_without_a_file_or_with_too_much_are_refused() {
        let file = ("name=\"file\"", "a".to_owned());
        let value = ("name=\"a\"", "a".to_owned());
        for parts in
            [vec![], vec![value.clone()], vec![value; 20], vec![("name=\"a\"", "a".repeat(2_000)), file]]
        {
            assert!(sent(&parts).await.is_err(), "{}", parts.len());
        }
    }
}
