//! What is asked of a wallet and what it answers (NIP-47), as JSON.

use nostr::nips::{nip04, nip44};
use nostr::{Event, EventBuilder, Kind, PublicKey, SecretKey, Tag, TagKind, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{NwcAddress, NwcError};
use crate::amount::Msats;
use crate::peer_words;

/// A wallet's description of itself.
pub(super) const INFO: Kind = Kind::Custom(13194);
/// A request.
pub(super) const REQUEST: Kind = Kind::Custom(23194);
/// A response.
pub(super) const RESPONSE: Kind = Kind::Custom(23195);

/// How contents are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cipher {
    Nip44,
    /// Wallets that say nothing of their ciphers know only this one.
    Nip04,
}

impl Cipher {
    /// The best that a wallet offers in its description.
    pub fn offered_by(info: &Event) -> Self {
        let offered = info.tags.find(TagKind::custom("encryption")).and_then(|tag| tag.content());
        let modern = offered.is_some_and(|offered| offered.split([' ', ',']).any(|one| one == "nip44_v2"));
        if modern { Self::Nip44 } else { Self::Nip04 }
    }

    pub fn seal(self, key: &SecretKey, peer: &PublicKey, text: &str) -> Result<String, NwcError> {
        match self {
            Self::Nip44 => {
                nip44::encrypt(key, peer, text, nip44::Version::V2).map_err(|_| NwcError::Unreadable)
            }
            Self::Nip04 => nip04::encrypt(key, peer, text).map_err(|_| NwcError::Unreadable),
        }
    }

    pub fn open(self, key: &SecretKey, peer: &PublicKey, text: &str) -> Result<String, NwcError> {
        match self {
            Self::Nip44 => nip44::decrypt(key, peer, text).map_err(|_| NwcError::Unreadable),
            Self::Nip04 => nip04::decrypt(key, peer, text).map_err(|_| NwcError::Unreadable),
        }
    }
}

/// A signed request. One that arrives after `expires_at` must not be carried out.
pub(super) fn request(
    address: &NwcAddress,
    cipher: Cipher,
    method: &str,
    params: &Value,
    expires_at: Timestamp,
) -> Result<Event, NwcError> {
    let text = json!({ "method": method, "params": params }).to_string();
    let content = cipher.seal(address.keys.secret_key(), &address.wallet, &text)?;
    let mut tags = vec![Tag::public_key(address.wallet), Tag::expiration(expires_at)];
    if cipher == Cipher::Nip44 {
        tags.push(Tag::custom(TagKind::custom("encryption"), ["nip44_v2"]));
    }
    EventBuilder::new(REQUEST, content)
        .tags(tags)
        .sign_with_keys(&address.keys)
        .map_err(|_| NwcError::Unreadable)
}

#[derive(Deserialize)]
struct Envelope {
    result_type: String,
    #[serde(default)]
    error: Option<Refusal>,
    #[serde(default)]
    result: Option<Value>,
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
    #[serde(default)]
    message: String,
}

/// The answer to a request of ours: its author, signature and reference are checked here.
pub(super) fn response<T: DeserializeOwned>(
    address: &NwcAddress,
    cipher: Cipher,
    asked: &Event,
    method: &str,
    event: &Event,
) -> Result<T, NwcError> {
    let ours = event.tags.event_ids().any(|id| *id == asked.id);
    if event.pubkey != address.wallet || event.kind != RESPONSE || !ours || event.verify().is_err() {
        return Err(NwcError::Unreadable);
    }
    let text = cipher.open(address.keys.secret_key(), &address.wallet, &event.content)?;
    let answer: Envelope = serde_json::from_str(&text).map_err(|_| NwcError::Unreadable)?;
    if answer.result_type != method {
        return Err(NwcError::Unreadable);
    }
    match (answer.error, answer.result) {
        (Some(Refusal { code, message }), _) => {
            Err(NwcError::Refused { code: peer_words::safe(&code), message: peer_words::safe(&message) })
        }
        (None, Some(result)) => serde_json::from_value(result).map_err(|_| NwcError::Unreadable),
        (None, None) => Err(NwcError::Unreadable),
    }
}

/// `pay_invoice`
#[derive(Deserialize)]
pub(super) struct PayAnswer {
    pub preimage: String,
    #[serde(default)]
    pub fees_paid: Option<u64>,
}

/// `get_balance`
#[derive(Deserialize)]
pub(super) struct BalanceAnswer {
    pub balance: u64,
}

/// `make_invoice` and `lookup_invoice`
#[derive(Deserialize)]
pub(super) struct InvoiceAnswer {
    #[serde(default)]
    pub invoice: Option<String>,
    #[serde(default)]
    pub payment_hash: Option<String>,
    #[serde(default)]
    pub preimage: Option<String>,
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub settled_at: Option<u64>,
    #[serde(default)]
    pub fees_paid: Option<u64>,
}

impl InvoiceAnswer {
    pub fn fees(&self) -> Msats {
        Msats(self.fees_paid.unwrap_or(0))
    }
}
