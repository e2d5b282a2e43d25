//! Who may put a blob on a server, and take it away: signed events of kind 24242 in an HTTP header.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::general_purpose::{self, GeneralPurpose};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use nostr::hashes::sha256;
use nostr::{Event, JsonUtil, Keys, Timestamp};
use thiserror::Error;

use crate::error::BuildError;
use crate::kinds::BLOB_AUTHORIZATION;
use crate::limits::CLOCK_SLACK_SECS;
use crate::tags::{TagView, array, sign};

/// The header's scheme.
const SCHEME: &str = "Nostr ";
/// Longest header that is looked at.
const MAX_HEADER_BYTES: usize = 8_192;
/// Programs write either alphabet, with padding or without.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// What is done to a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobVerb {
    /// It is put on a server.
    Upload,
    /// It is taken away.
    Delete,
}

impl BlobVerb {
    fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Delete => "delete",
        }
    }
}

/// Leave to do one thing to one blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authorization {
    /// What.
    pub verb: BlobVerb,
    /// To which.
    pub sha256: sha256::Hash,
    /// Until when it holds. The embedded server keeps what is uploaded as long.
    pub expires_at: Timestamp,
}

/// Why an authorisation does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AuthorizationError {
    /// None there, or none that can be read.
    #[error("the header Authorization holds no event of kind 24242")]
    Unreadable,
    /// Of tomorrow.
    #[error("the authorisation is dated ahead")]
    Ahead,
    /// Of yesterday.
    #[error("the authorisation has expired, or does not say until when it holds")]
    Expired,
    /// For something else.
    #[error("the authorisation is for another action")]
    Verb,
    /// For another blob.
    #[error("the authorisation names another blob")]
    Blob,
}

impl Authorization {
    /// The header's value.
    pub fn to_header(&self, keys: &Keys, now: Timestamp) -> Result<String, BuildError> {
        let verb = self.verb.name();
        let tags = [
            array(["t", verb]),
            array(["x", &self.sha256.to_string()]),
            array(["expiration", &self.expires_at.as_secs().to_string()]),
        ];
        let event = sign(BLOB_AUTHORIZATION, format!("{verb} a blob"), tags, keys, now)?;
        Ok(format!("{SCHEME}{}", general_purpose::STANDARD.encode(event.as_json())))
    }

    /// The event in a header's value. Its signature is the caller's business.
    pub fn event_in(header: &str) -> Result<Event, AuthorizationError> {
        let scheme = header.get(..SCHEME.len()).filter(|_| header.len() <= MAX_HEADER_BYTES);
        if !scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME)) {
            return Err(AuthorizationError::Unreadable);
        }
        let text = header[SCHEME.len()..].trim();
        let decoded = [STANDARD, URL_SAFE]
            .iter()
            .find_map(|alphabet| GeneralPurpose::new(alphabet, LENIENT).decode(text).ok());
        let event = decoded.and_then(|json| Event::from_json(json).ok());
        event.filter(|event| event.kind == BLOB_AUTHORIZATION).ok_or(AuthorizationError::Unreadable)
    }

    /// Reads a verified event as leave to do this to this blob.
    pub fn from_event(
        event: &Event,
        verb: BlobVerb,
        sha256: sha256::Hash,
        now: Timestamp,
    ) -> Result<Self, AuthorizationError> {
        let tags = TagView::of_event(event);
        if event.created_at > now + CLOCK_SLACK_SECS {
            return Err(AuthorizationError::Ahead);
        }
        let expires_at = tags.expiration().filter(|until| *until > now).ok_or(AuthorizationError::Expired)?;
        if tags.first("t") != Some(verb.name()) {
            return Err(AuthorizationError::Verb);
        }
        let named = tags.all("x").filter_map(|values| values.first());
        if !named.into_iter().any(|name| name.eq_ignore_ascii_case(&sha256.to_string())) {
            return Err(AuthorizationError::Blob);
        }
        Ok(Self { verb, sha256, expires_at })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use nostr::hashes::Hash as _;

    use super::*;

    const NOW: Timestamp = Timestamp::from_secs(1_790_000_000);

    fn leave() -> Authorization {
        Authorization { verb: BlobVerb::Upload, sha256: sha256::Hash::hash(b"x"), expires_at: NOW + 60_u64 }
    }

    #[test]
    fn an_authorisation_holds_for_one_action_one_blob_and_its_time() {
        let event = Authorization::event_in(&leave().to_header(&Keys::generate(), NOW).unwrap()).unwrap();
        event.verify().unwrap();
        let (upload, blob) = (BlobVerb::Upload, leave().sha256);
        let read = |verb, blob, now| Authorization::from_event(&event, verb, blob, now);
        assert_eq!(read(upload, blob, NOW), Ok(leave()));
        assert_eq!(read(BlobVerb::Delete, blob, NOW), Err(AuthorizationError::Verb));
        assert_eq!(read(upload, sha256::Hash::hash(b"y"), NOW), Err(AuthorizationError::Blob));
        assert_eq!(read(upload, blob, NOW + 60_u64), Err(AuthorizationError::Expired));
        assert_eq!(read(upload, blob, NOW - 121_u64), Err(AuthorizationError::Ahead));
    }

    #[test]
    fn headers_are_read_in_either_alphabet_and_nonsense_is_none() {
        let header = leave().to_header(&Keys::generate(), NOW).unwrap();
        let bare = header.replace('+', "-").replace('/', "_").replace('=', "");
        assert_eq!(Authorization::event_in(&bare).unwrap(), Authorization::event_in(&header).unwrap());
        for odd in ["", "Nostr", "Bearer abc", "Nostr ???", "Nostr e30=", "Nöstr x"] {
            assert_eq!(Authorization::event_in(odd), Err(AuthorizationError::Unreadable), "{odd}");
        }
    }
}
