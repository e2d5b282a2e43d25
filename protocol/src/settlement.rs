//! What becomes of a job's pay (kind 7001): our own peers tell each other, encrypted.
//!
//! ```json
//! [["e","<job>"], ["p","<the other party>"], ["encrypted"], ["expiration","…"]]
//! ```
//!
//! The content is a NIP-44 text: `{"settlement":"released","payload":"…"}`. What the payload means
//! is the wallet's business.

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::{BuildError, ParseError};
use crate::kinds::SETTLEMENT;
use crate::seal::{open, seal};
use crate::tags::{TagView, array, malformed, sign};

const WHAT: &str = "the settlement";

/// A word about a job's pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "settlement", content = "payload")]
pub enum Settlement {
    /// From the asker: the work is accepted; with this the provider can take its pay.
    Released(String),
    /// From the asker: pay for work that was done without any; these sats can be taken at once.
    Paid {
        /// What locks them, in the wallet's words.
        lock: String,
        /// What opens them.
        release: String,
    },
    /// From the asker: the work does not count; the provider may give the pay back.
    Declined,
    /// From the provider: with this the asker can reclaim the pay at once.
    Returned(String),
}

/// A settlement as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSettlement {
    /// The key that signed it: it must be the other party of the job.
    pub author: PublicKey,
    /// The request event's id.
    pub job: EventId,
    /// What it says.
    pub settlement: Settlement,
}

impl Settlement {
    /// The signed event, which relays may forget after `expires_at`.
    pub fn to_event(
        &self,
        job: EventId,
        recipient: PublicKey,
        expires_at: Timestamp,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        let text = serde_json::to_string(self).map_err(|error| BuildError::Encrypt(error.to_string()))?;
        let content = seal(keys, &recipient, WHAT, &text)?;
        let tags = [
            array(["e", &job.to_hex()]),
            array(["p", &recipient.to_hex()]),
            array(["encrypted"]),
            array(["expiration", &expires_at.as_secs().to_string()]),
        ];
        sign(SETTLEMENT, content, tags, keys, created_at)
    }

    /// Reads a settlement that reached the owner of `keys`. Whether its author is a party of the
    /// job is for the caller, who knows the job.
    pub fn from_event(event: &Event, keys: &Keys) -> Result<ReceivedSettlement, ParseError> {
        let (_, job) = TagView::about_a_job(event, SETTLEMENT, &keys.public_key())?;
        let (text, _) = open(keys, &event.pubkey, &event.content)?;
        let settlement = serde_json::from_str(&text).map_err(|error| malformed(WHAT, error))?;
        Ok(ReceivedSettlement { author: event.pubkey, job, settlement })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    #[test]
    fn a_settlement_survives_the_wire_and_is_for_its_recipient_only() {
        let (asker, provider, other) = (Keys::generate(), Keys::generate(), Keys::generate());
        let now = Timestamp::from_secs(1_790_000_000);
        for settlement in [
            Settlement::Released("{}".to_owned()),
            Settlement::Paid { lock: "{}".to_owned(), release: "[\"a\"]".to_owned() },
            Settlement::Declined,
            Settlement::Returned(String::new()),
        ] {
            let event = settlement
                .to_event(EventId::all_zeros(), provider.public_key(), now + 60_u64, &asker, now)
                .unwrap();
            let back = Settlement::from_event(&event, &provider).unwrap();
            assert_eq!((back.author, back.settlement), (asker.public_key(), settlement));
            assert_eq!(Settlement::from_event(&event, &other), Err(ParseError::NotForUs));
        }
    }
}
