//! Jobs of which a part travels apart from its event, as a blob.
//!
//! Apart go the texts alone: what a job costs, how it is paid and when it is over stay in the event, so that a provider can
//! refuse it, and return its pay, without having fetched anything.

use nostr::{Event, Keys, PublicKey, Timestamp};
use serde_json::Value;

use super::parse::{described_work, scalar_text};
use super::{Audience, JobRequest, ReceivedJob};
use crate::blob::BlobPointer;
use crate::error::{BuildError, ParseError};
use crate::limits::{MAX_PLAINTEXT_BYTES, MAX_TAGS};
use crate::seal::sealed_chars;
use crate::tags::{TagView, malformed, within};

/// Names of the parameters that are texts.
const TEXTS: [&str; 2] = ["instruction", "constraint"];

impl JobRequest {
    /// Whether all of it may travel in one event, as far as this protocol goes.
    pub fn fits_into_event(&self) -> bool {
        self.work_json().len() <= MAX_PLAINTEXT_BYTES
    }

    /// Characters that the content of the directed event takes, if all of it travels there.
    pub fn content_chars(&self) -> usize {
        sealed_chars(self.work_json().len())
    }

    /// What may travel apart, as the plaintext of a blob.
    pub fn apart(&self) -> String {
        super::build::as_json(self.work_tags().into_iter().filter(|tag| travels_apart(tag))).to_string()
    }

    /// The signed event of a directed job whose texts are in a blob.
    pub fn to_event_beside(
        &self,
        blob: &BlobPointer,
        provider: PublicKey,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        let stays = self.work_tags().into_iter().filter(|tag| !travels_apart(tag));
        let work = super::build::as_json(stays.chain([blob.to_tag()]));
        self.sign(Audience::Directed(provider), &work.to_string(), keys, created_at)
    }
}

impl ReceivedJob {
    /// Puts in what came apart. Of the blob only texts count: what it says of pay, model or time would not be what the job
    /// was taken for.
    pub fn complete(&mut self, plaintext: &str) -> Result<(), ParseError> {
        let what = "the blob";
        let tags: Vec<Value> = match serde_json::from_str(plaintext) {
            Ok(Value::Array(tags)) => tags,
            Ok(_) => return Err(malformed(what, "no list of tags")),
            Err(error) => return Err(malformed(what, error)),
        };
        within("tags in the blob", tags.len(), MAX_TAGS)?;
        let texts = tags.into_iter().filter_map(|tag| match tag {
            Value::Array(values) => Some(values.into_iter().map(scalar_text).collect::<Vec<_>>()),
            _ => None,
        });
        let mut all = self.raw_tags.clone();
        all.extend(texts.filter(|tag| travels_apart(tag)));
        let request = described_work(&TagView::of_arrays(&all))?;
        let (expires_at, relays) = (self.request.expires_at, std::mem::take(&mut self.request.relays));
        self.request = JobRequest { relays, expires_at, ..request };
        (self.raw_tags, self.blob) = (all, None);
        Ok(())
    }
}

fn travels_apart(tag: &[String]) -> bool {
    match tag {
        [name, param, ..] if name == "param" => TEXTS.contains(&param.as_str()),
        [name, ..] => name == "i" || name == "validate",
        [] => false,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;
    use crate::blob::SealedBlob;
    use crate::certificate::Certificate;
    use crate::job::{Mode, OutputConstraint};

    const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);

    fn large(asker: &Keys) -> JobRequest {
        JobRequest {
            mode: Mode::Each,
            constraint: Some(OutputConstraint::Regex("[a-z\"]+".to_owned())),
            max_tokens: Some(64),
            bid_msats: Some(3_000),
            payment: Some("{}".to_owned()),
            certificate: Some(Certificate::sign(&Keys::generate(), &asker.public_key(), NOW + 60_u64)),
            expires_at: Some(NOW + 30_u64),
            profile: Some("1".to_owned()),
            ..JobRequest::over("copy status", (0..100).map(|_| "ä b ".repeat(200)), Mode::Each)
        }
    }

    #[test]
    fn a_job_and_its_blob_are_the_job_again() {
        let (asker, provider) = (Keys::generate(), Keys::generate());
        let request = large(&asker);
        assert!(request.to_event(Audience::Directed(provider.public_key()), &asker, NOW).is_err());
        let blob = SealedBlob::seal(&request.apart()).unwrap();
        let pointer = blob.at(Vec::new());
        let event = request.to_event_beside(&pointer, provider.public_key(), &asker, NOW).unwrap();
        assert!(event.content.chars().count() < 4_096);
        let mut job = JobRequest::from_event(&event, &provider).unwrap();
        // What pays and when it is over is known before anything is fetched.
        assert_eq!((job.request.bid_msats, job.request.max_tokens), (Some(3_000), Some(64)));
        assert_eq!((&job.request.payment, job.request.expires_at), (&request.payment, request.expires_at));
        assert!(job.request.inputs.is_empty());
        let named = job.blob.clone().unwrap();
        job.complete(&named.open(blob.bytes()).unwrap()).unwrap();
        assert_eq!((job.request, job.blob), (request, None));
    }

    #[test]
    fn the_size_of_a_content_is_known_before_it_is_written() {
        let (asker, provider) = (Keys::generate(), Keys::generate().public_key());
        for bytes in [1, 20, 31, 32, 33, 300, 1_025, 9_000, 20_000] {
            let request = JobRequest::over("", ["x".repeat(bytes)], Mode::Together);
            let event = request.to_event(Audience::Directed(provider), &asker, NOW).unwrap();
            assert_eq!(request.content_chars(), event.content.len(), "{bytes}");
        }
    }

    #[test]
    fn a_blob_changes_neither_pay_nor_time_and_nonsense_is_refused() {
        let (asker, provider) = (Keys::generate(), Keys::generate());
        let request = large(&asker);
        let pointer = SealedBlob::seal("[]").unwrap().at(Vec::new());
        let event = request.to_event_beside(&pointer, provider.public_key(), &asker, NOW).unwrap();
        let read = || JobRequest::from_event(&event, &provider).unwrap();
        let mut job = read();
        let odd = r#"[["bid","1"],["payment","x"],["param","max_tokens","9"],["expiration","1"],["i","text","text"],7]"#;
        job.complete(odd).unwrap();
        let found = (job.request.bid_msats, job.request.max_tokens, job.request.expires_at);
        assert_eq!(found, (Some(3_000), Some(64), request.expires_at));
        assert_eq!((job.request.inputs.len(), &job.request.payment), (1, &request.payment));
        for nonsense in ["", "{}", "[", "text"] {
            assert!(matches!(read().complete(nonsense), Err(ParseError::Malformed { .. })), "{nonsense}");
        }
    }

    #[test]
    fn blobs_of_open_and_of_foreign_jobs_are_not_looked_at() {
        let (asker, provider) = (Keys::generate(), Keys::generate());
        let tag = SealedBlob::seal("[]").unwrap().at(Vec::new()).to_tag();
        let foreign = serde_json::json!([["i", "a", "text"], tag]).to_string();
        let content = crate::seal::seal(&asker, &provider.public_key(), "the job", &foreign).unwrap();
        let outer =
            [crate::tags::array(["p", &provider.public_key().to_hex()]), vec!["encrypted".to_owned()]];
        let event = crate::tags::sign(crate::kinds::JOB_REQUEST, content, outer, &asker, NOW).unwrap();
        assert_eq!(JobRequest::from_event(&event, &provider).unwrap().blob, None);
        let open = [crate::tags::array(["frlm", "1"]), crate::tags::array(["i", "a", "text"]), tag];
        let event = crate::tags::sign(crate::kinds::JOB_REQUEST, String::new(), open, &asker, NOW).unwrap();
        assert_eq!(JobRequest::from_event(&event, &provider).unwrap().blob, None);
    }
}
