//! A job of which the texts are in a blob, and the blob.

use frlm_protocol::{JobRequest, SealedBlob};
use nostr::Event;
use serde_json::{Value, json};

use super::{Case, NOW, job, keys};

/// The texts of the job, with a key and a nonce that no other blob may have.
fn blob() -> SealedBlob {
    SealedBlob::seal_with(&job().apart(), [11; 32], [12; 24]).unwrap()
}

pub fn beside_a_blob() -> Case {
    let name = "job beside a blob";
    let pointer = blob().at(vec![format!("https://blobs.example/{}", blob().sha256()).parse().unwrap()]);
    let to = keys("provider").public_key();
    let event = job().to_event_beside(&pointer, to, &keys("asker"), NOW).unwrap();
    let reads = Box::new(move |event: &Event| {
        let mut received = JobRequest::from_event(event, &keys("provider")).unwrap();
        assert_eq!(received.blob.as_ref(), Some(&pointer), "{name}");
        received.complete(&pointer.open(blob().bytes()).unwrap()).unwrap();
        assert_eq!(received.request, job(), "{name}");
    });
    Case { name, from: "asker", to: Some("provider"), event, reads }
}

pub fn written_blob() -> Value {
    json!({"key": "0b".repeat(32), "nonce": "0c".repeat(24), "plaintext": job().apart(),
           "sha256": blob().sha256().to_string(), "size": blob().bytes().len()})
}
