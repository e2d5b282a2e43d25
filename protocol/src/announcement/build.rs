//! Writing announcements and heartbeats.

use nostr::{Event, Keys, Timestamp};
use serde_json::json;

use super::{Announcement, Heartbeat, PROVIDER_IDENTIFIER, Speed};
use crate::error::BuildError;
use crate::kinds::{ANNOUNCEMENT, HEARTBEAT, JOB_REQUEST, PROFILE_VERSION};
use crate::limits::{MAX_LIST_ENTRIES, MAX_NAME_BYTES};
use crate::seal::fits;
use crate::tags::{array, sign};

impl Announcement {
    /// The signed announcement, void after `expires_at` unless renewed.
    pub fn to_event(
        &self,
        expires_at: Timestamp,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        self.check()?;
        not_expired(expires_at, created_at)?;
        let mut content = json!({
            "name": self.name,
            "about": format!("Text generation with {}", self.model),
            "encryptionSupported": true,
            "supportsEncryption": true,
            // That word promises to take plain tokens with a job (NIP-90 as practised). Our peers lock theirs.
            "cashuAccepted": false,
            "frlm": {
                "version": PROFILE_VERSION,
                "model": self.model,
                "weights_hash": self.weights_hash,
                "quantisation": self.quantisation,
                "context_tokens": self.context_tokens,
                "prefill_tokens_per_sec": self.speed.map(Speed::prefill),
                "decode_tokens_per_sec": self.speed.map(Speed::decode),
                "price_msats_per_1k": self.price_msats_per_1k,
                "written_msats_per_1k": self.written_msats_per_1k,
                "least_msats": self.least_msats,
                "dialect": self.dialect,
                "concurrency": self.concurrency,
                "roles": self.roles,
                "mints": self.mints,
                "escrow_key": self.escrow_key,
                "pay_after_jobs": self.pay_after_jobs,
                "free_jobs_per_day": self.free_jobs_per_day,
                "accepts_open_jobs": self.accepts_open_jobs,
            },
        });
        if self.blob_bytes > 0 {
            content["frlm"]["blob_bytes"] = self.blob_bytes.into();
        }
        let content = content.to_string();
        fits("the announcement", &content)?;
        let tags = [
            array(["d", PROVIDER_IDENTIFIER]),
            array(["k", &JOB_REQUEST.as_u16().to_string()]),
            array(["expiration", &expires_at.as_secs().to_string()]),
        ];
        sign(ANNOUNCEMENT, content, tags, keys, created_at)
    }

    fn check(&self) -> Result<(), BuildError> {
        let names = [
            ("the provider's name", Some(&self.name)),
            ("the model's name", Some(&self.model)),
            ("the dialect", Some(&self.dialect)),
            ("the quantisation", self.quantisation.as_ref()),
        ];
        for (what, name) in names {
            let size = name.map_or(0, String::len);
            if size > MAX_NAME_BYTES {
                return Err(BuildError::TooLarge { what, size, limit: MAX_NAME_BYTES });
            }
        }
        for (what, list) in [("roles", &self.roles), ("mints", &self.mints)] {
            if list.len() > MAX_LIST_ENTRIES {
                return Err(BuildError::TooMany { what, count: list.len(), limit: MAX_LIST_ENTRIES });
            }
        }
        Ok(())
    }
}

impl Heartbeat {
    /// The signed sign of life.
    pub fn to_event(&self, keys: &Keys, created_at: Timestamp) -> Result<Event, BuildError> {
        not_expired(self.expires_at, created_at)?;
        let tags = [
            array(["d", PROVIDER_IDENTIFIER]),
            array(["queue", &self.queue_length.to_string()]),
            array(["expiration", &self.expires_at.as_secs().to_string()]),
        ];
        sign(HEARTBEAT, String::new(), tags, keys, created_at)
    }
}

fn not_expired(expires_at: Timestamp, created_at: Timestamp) -> Result<(), BuildError> {
    if expires_at > created_at {
        return Ok(());
    }
    Err(BuildError::AlreadyExpired { expires_at: expires_at.as_secs(), created_at: created_at.as_secs() })
}
