//! Reading announcements and heartbeats, ours and foreign ones.

use nostr::{Event, Timestamp};
use serde_json::{Map, Value};

use super::{Announcement, Heartbeat, ReceivedAnnouncement, ReceivedHeartbeat, Speed};
use crate::error::ParseError;
use crate::kinds::{ANNOUNCEMENT, HEARTBEAT, JOB_REQUEST};
use crate::limits::{MAX_HEARTBEAT_LIFETIME_SECS, MAX_LIST_ENTRIES, MAX_NAME_BYTES};
use crate::result::is_sha256;
use crate::tags::{TagView, expect_kind, finite_number, malformed, whole_number};
use crate::text::cut;
use crate::work;

impl Announcement {
    /// Reads an announcement of a provider that takes text generation jobs.
    ///
    /// Foreign metadata is read as far as it goes; fields of ours with a wrong type are unknown
    /// (empty or zero) rather than fatal. A foreign offer of another kind is refused.
    pub fn from_event(event: &Event) -> Result<ReceivedAnnouncement, ParseError> {
        expect_kind(event, ANNOUNCEMENT)?;
        let tags = TagView::of_event(event);
        let request_kind = Some(u64::from(JOB_REQUEST.as_u16()));
        if !tags.all("k").any(|values| values.first().and_then(|kind| whole_number(kind)) == request_kind) {
            return Err(malformed("the announcement", "it offers no text generation"));
        }
        let metadata = match serde_json::from_str(&event.content) {
            Ok(Value::Object(metadata)) => metadata,
            // NIP-89 allows an empty content: the profile of the key then describes the provider.
            _ if event.content.trim().is_empty() => Map::new(),
            Ok(_) => return Err(malformed("the announcement", "the content is not an object")),
            Err(error) => return Err(malformed("the announcement", error)),
        };
        let ours = metadata.get("frlm").and_then(Value::as_object);
        let announcement = match ours {
            Some(fields) => our_offer(&metadata, fields),
            None => foreign_offer(&metadata),
        };
        let supports_encryption = ours.is_some()
            || ["encryptionSupported", "supportsEncryption"].iter().any(|name| truthy(metadata.get(*name)));
        Ok(ReceivedAnnouncement {
            provider: event.pubkey,
            announcement,
            profile: ours.map(|fields| name(fields, "version")),
            supports_encryption,
            flat_price_msats: ours.is_none().then(|| flat_price(&metadata)).flatten(),
            pow_bits: work::shown(event),
            created_at: event.created_at,
            expires_at: tags.expiration(),
        })
    }
}

impl Heartbeat {
    /// Reads a sign of life.
    ///
    /// One that claims to last longer than [`MAX_HEARTBEAT_LIFETIME_SECS`] is cut to that, so that
    /// nobody stays listed by one old event. Whether it is over is for the caller, who has a clock.
    pub fn from_event(event: &Event) -> Result<ReceivedHeartbeat, ParseError> {
        expect_kind(event, HEARTBEAT)?;
        let tags = TagView::of_event(event);
        let claimed = tags.expiration().ok_or(ParseError::MissingExpiration)?;
        let longest = event.created_at.as_secs().saturating_add(MAX_HEARTBEAT_LIFETIME_SECS);
        let queue_length = tags.first("queue").and_then(whole_number).unwrap_or(0);
        Ok(ReceivedHeartbeat {
            provider: event.pubkey,
            heartbeat: Heartbeat {
                queue_length: u32::try_from(queue_length).unwrap_or(u32::MAX),
                expires_at: claimed.min(Timestamp::from_secs(longest)),
            },
            created_at: event.created_at,
        })
    }
}

fn our_offer(metadata: &Map<String, Value>, fields: &Map<String, Value>) -> Announcement {
    Announcement {
        name: name(metadata, "name"),
        model: name(fields, "model"),
        weights_hash: optional_name(fields, "weights_hash").filter(|hash| is_sha256(hash)),
        quantisation: optional_name(fields, "quantisation"),
        context_tokens: small(fields, "context_tokens"),
        speed: speed(fields),
        // An unreadable price must never read as free.
        price_msats_per_1k: number(fields.get("price_msats_per_1k")).unwrap_or(u64::MAX),
        written_msats_per_1k: price(fields, "written_msats_per_1k"),
        least_msats: price(fields, "least_msats").unwrap_or(0),
        dialect: name(fields, "dialect"),
        concurrency: small(fields, "concurrency"),
        roles: names(fields, "roles"),
        mints: names(fields, "mints"),
        escrow_key: optional_name(fields, "escrow_key").filter(|key| is_curve_key(key)),
        pay_after_jobs: small(fields, "pay_after_jobs"),
        free_jobs_per_day: small(fields, "free_jobs_per_day"),
        accepts_open_jobs: truthy(fields.get("accepts_open_jobs")),
        blob_bytes: small(fields, "blob_bytes"),
    }
}

fn foreign_offer(metadata: &Map<String, Value>) -> Announcement {
    // nostrdvm lists the models it can run as the values of a parameter.
    let model = metadata
        .get("nip90Params")
        .and_then(|params| params.get("model")?.get("values")?.get(0)?.as_str())
        .map(|model| cut(model, MAX_NAME_BYTES).to_owned());
    Announcement {
        name: name(metadata, "name"),
        model: model.unwrap_or_else(|| name(metadata, "model")),
        weights_hash: None,
        quantisation: None,
        context_tokens: 0,
        speed: None,
        price_msats_per_1k: 0,
        written_msats_per_1k: None,
        least_msats: 0,
        dialect: String::new(),
        concurrency: 0,
        roles: Vec::new(),
        mints: Vec::new(),
        escrow_key: None,
        pay_after_jobs: 0,
        free_jobs_per_day: 0,
        accepts_open_jobs: true,
        blob_bytes: 0,
    }
}

/// A price that need not be named. One that is named and cannot be read must never read as free.
fn price(fields: &Map<String, Value>, key: &str) -> Option<u64> {
    let named = fields.get(key).filter(|value| !value.is_null())?;
    Some(number(Some(named)).unwrap_or(u64::MAX))
}

/// Both or nothing: a speed that cannot be read, or that no machine has, is none.
fn speed(fields: &Map<String, Value>) -> Option<Speed> {
    let named = |key: &str| match fields.get(key)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => finite_number(text),
        _ => None,
    };
    Speed::new(named("prefill_tokens_per_sec")?, named("decode_tokens_per_sec")?)
}

/// `"amount": "free"`, a number of millisats, or a number as text.
fn flat_price(metadata: &Map<String, Value>) -> Option<u64> {
    match metadata.get("amount") {
        Some(Value::String(words)) if words.trim().eq_ignore_ascii_case("free") => Some(0),
        other => number(other),
    }
}

fn optional_name(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(|text| cut(text, MAX_NAME_BYTES).to_owned())
}

fn name(fields: &Map<String, Value>, key: &str) -> String {
    optional_name(fields, key).unwrap_or_default()
}

fn names(fields: &Map<String, Value>, key: &str) -> Vec<String> {
    let entries = fields.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    entries
        .iter()
        .filter_map(Value::as_str)
        .map(|text| cut(text, MAX_NAME_BYTES).to_owned())
        .take(MAX_LIST_ENTRIES)
        .collect()
}

/// A compressed public key as hex; whether it lies on the curve is for the wallet.
fn is_curve_key(text: &str) -> bool {
    text.len() == 66 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn number(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => whole_number(text),
        _ => None,
    }
}

fn small(fields: &Map<String, Value>, key: &str) -> u32 {
    u32::try_from(number(fields.get(key)).unwrap_or(0)).unwrap_or(u32::MAX)
}

fn truthy(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => text.trim().eq_ignore_ascii_case("true"),
        _ => false,
    }
}
