//! How strangers learn that questions can be brought here: a NIP-89 announcement of a name of its own, so that no run takes
//! this service for a provider of single parts.

use std::time::Duration;

use frlm_client::protocol::kinds::{ANNOUNCEMENT, JOB_REQUEST};
use frlm_client::protocol::limits::MAX_BLOB_BYTES;
use nostr::{Event, EventBuilder, Keys, Tag, Timestamp};
use serde_json::json;

/// The `d` tag: one service per key. Providers of parts have another.
pub const IDENTIFIER: &str = "frlm-questions";
/// How often it is renewed.
pub const RENEWED: Duration = Duration::from_mins(20);
/// Void after so long: relays that lose a renewal keep the one before.
const LIFETIME_SECS: u64 = 3 * RENEWED.as_secs();

/// Announces the service of `keys`, each time later than before.
#[derive(Debug)]
pub struct Announcer {
    keys: Keys,
    open_jobs: bool,
    last: Option<Timestamp>,
}

impl Announcer {
    pub fn new(keys: Keys, open_jobs: bool) -> Self {
        Self { keys, open_jobs, last: None }
    }

    /// What can be asked here, and how.
    pub fn announcement(&mut self, now: Timestamp) -> anyhow::Result<Event> {
        self.lasting(LIFETIME_SECS, now)
    }

    /// The same, over in a second; `None` where nothing was announced.
    pub fn farewell(&mut self, now: Timestamp) -> Option<anyhow::Result<Event>> {
        self.last.map(|_| self.lasting(1, now))
    }

    fn lasting(&mut self, secs: u64, now: Timestamp) -> anyhow::Result<Event> {
        // Relays keep the newest by whole seconds.
        let at = self.last.map_or(now, |last| now.max(last + 1_u64));
        self.last = Some(at);
        let text = json!({ "required": false, "values": ["text/plain", "application/json"] });
        let content = json!({
            "name": "FRLM",
            "about": "Answers questions over documents, read and verified by several providers, with citations. Documents \
                      are inputs of type text; the question is the parameter instruction, or the last input.",
            "encryptionSupported": true,
            "supportsEncryption": true,
            "cashuAccepted": false,
            "openJobs": self.open_jobs,
            "blobBytes": MAX_BLOB_BYTES,
            "nip90Params": { "instruction": { "required": false }, "output": text },
        });
        let tags = [["d", IDENTIFIER], ["k", &JOB_REQUEST.as_u16().to_string()]];
        let tags = tags.into_iter().map(Tag::parse).collect::<Result<Vec<_>, _>>()?;
        let event = EventBuilder::new(ANNOUNCEMENT, content.to_string())
            .tags(tags)
            .tag(Tag::expiration(at + secs))
            .custom_created_at(at)
            .sign_with_keys(&self.keys)?;
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_announcement_replaces_the_one_before_and_the_farewell_ends_it() {
        let mut announcer = Announcer::new(Keys::generate(), false);
        let now = Timestamp::from_secs(1_800_000_000);
        assert!(announcer.farewell(now).is_none(), "nobody knows of it");
        let (first, second) = (announcer.announcement(now).unwrap(), announcer.announcement(now).unwrap());
        assert!(second.created_at > first.created_at && second.tags.identifier() == Some(IDENTIFIER));
        assert_eq!(first.tags.expiration(), Some(&(now + LIFETIME_SECS)));
        let last = announcer.farewell(now).unwrap().unwrap();
        assert!(last.created_at > second.created_at);
        assert_eq!(last.tags.expiration(), Some(&(last.created_at + 1_u64)));
    }
}
