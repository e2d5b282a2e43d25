//! A run's receipt for one provider, made public: a NIP-32 label (kind 1985).
//!
//! Signed with the run's own key, which signed the jobs too: a reader that saw one of them on a relay can tell
//! that this is its asker's word. Nobody has to believe it, and nothing is published unless the user
//! says so.
//!
//! ```json
//! [["L","frlm.receipt"], ["l","paid","frlm.receipt"], ["p","<provider>"], ["run","…"],
//!  ["jobs","12"], ["accepted","11"], ["amount","33000"]]
//! ```

use nostr::{Event, Keys, PublicKey, Timestamp};

use crate::error::{BuildError, ParseError};
use crate::kinds::LABEL;
use crate::limits::MAX_NAME_BYTES;
use crate::tags::{TagView, array, expect_kind, malformed, sign, whole_number};
use crate::text::cut;

/// The namespace of these labels.
pub const RECEIPT_NAMESPACE: &str = "frlm.receipt";

/// What became of a provider's jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptVerdict {
    /// Some of its answers counted and were paid.
    Paid,
    /// Some of its answers counted; it works for nothing.
    Accepted,
    /// None of its answers counted.
    Rejected,
}

/// A receipt for one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptLabel {
    /// Whose work it was.
    pub provider: PublicKey,
    /// The run's id.
    pub run: String,
    /// Jobs that it was given.
    pub jobs: u64,
    /// Jobs that counted.
    pub accepted: u64,
    /// Millisats that it got.
    pub paid_msats: u64,
}

/// A receipt as it arrived: a claim of its signer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedReceipt {
    /// The run's key.
    pub asker: PublicKey,
    /// What it says.
    pub receipt: ReceiptLabel,
}

impl ReceiptLabel {
    /// In a word.
    pub fn verdict(&self) -> ReceiptVerdict {
        match (self.accepted, self.paid_msats) {
            (0, 0) => ReceiptVerdict::Rejected,
            (_, 0) => ReceiptVerdict::Accepted,
            _ => ReceiptVerdict::Paid,
        }
    }

    /// The signed label.
    pub fn to_event(&self, keys: &Keys, created_at: Timestamp) -> Result<Event, BuildError> {
        let word = match self.verdict() {
            ReceiptVerdict::Paid => "paid",
            ReceiptVerdict::Accepted => "accepted",
            ReceiptVerdict::Rejected => "rejected",
        };
        let tags = [
            array(["L", RECEIPT_NAMESPACE]),
            array(["l", word, RECEIPT_NAMESPACE]),
            array(["p", &self.provider.to_hex()]),
            array(["run", cut(&self.run, MAX_NAME_BYTES)]),
            array(["jobs", &self.jobs.to_string()]),
            array(["accepted", &self.accepted.to_string()]),
            array(["amount", &self.paid_msats.to_string()]),
        ];
        sign(LABEL, String::new(), tags, keys, created_at)
    }

    /// Reads a label of this namespace; others are none of ours.
    pub fn from_event(event: &Event) -> Result<ReceivedReceipt, ParseError> {
        expect_kind(event, LABEL)?;
        let tags = TagView::of_event(event);
        let what = "the receipt";
        if tags.first("L") != Some(RECEIPT_NAMESPACE) {
            return Err(malformed(what, "it is a label of another namespace"));
        }
        let provider = tags.first("p").and_then(|key| PublicKey::from_hex(key).ok());
        let number = |name: &'static str| {
            tags.first(name)
                .and_then(whole_number)
                .ok_or_else(|| malformed(what, format!("no proper {name}")))
        };
        let receipt = Self {
            provider: provider.ok_or_else(|| malformed(what, "no proper provider"))?,
            run: cut(tags.first("run").unwrap_or_default(), MAX_NAME_BYTES).to_owned(),
            jobs: number("jobs")?,
            accepted: number("accepted")?,
            paid_msats: number("amount")?,
        };
        if receipt.accepted > receipt.jobs {
            return Err(malformed(what, "more jobs counted than were given"));
        }
        Ok(ReceivedReceipt { asker: event.pubkey, receipt })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use nostr::{EventBuilder, Tag, TagKind};

    use super::*;

    #[test]
    fn a_receipt_survives_the_wire_and_is_a_label_of_its_namespace() {
        let (run, provider) = (Keys::generate(), Keys::generate().public_key());
        for (accepted, paid_msats, verdict) in [
            (2, 4_000, ReceiptVerdict::Paid),
            (2, 0, ReceiptVerdict::Accepted),
            (0, 0, ReceiptVerdict::Rejected),
        ] {
            let receipt = ReceiptLabel { provider, run: "ab12".to_owned(), jobs: 3, accepted, paid_msats };
            assert_eq!(receipt.verdict(), verdict);
            let event = receipt.to_event(&run, Timestamp::from_secs(1_790_000_000)).unwrap();
            assert_eq!(event.kind.as_u16(), 1985);
            let received = ReceiptLabel::from_event(&event).unwrap();
            assert_eq!(received, ReceivedReceipt { asker: run.public_key(), receipt });
        }
    }

    #[test]
    fn labels_that_make_no_sense_are_refused() {
        let label = |tags: Vec<Tag>| {
            let event = EventBuilder::new(LABEL, "").tags(tags).sign_with_keys(&Keys::generate()).unwrap();
            ReceiptLabel::from_event(&event)
        };
        let tag = |name: &str, value: &str| Tag::custom(TagKind::custom(name), [value]);
        let provider = Keys::generate().public_key().to_hex();
        assert!(label(vec![tag("L", "ugc"), tag("p", &provider)]).is_err());
        let ours = || vec![tag("L", RECEIPT_NAMESPACE), tag("p", &provider), tag("amount", "1")];
        assert!(label(ours()).is_err());
        let more = [ours(), vec![tag("jobs", "1"), tag("accepted", "2")]].concat();
        assert!(label(more).is_err());
        let nobody =
            vec![tag("L", RECEIPT_NAMESPACE), tag("jobs", "1"), tag("accepted", "1"), tag("amount", "1")];
        assert!(label(nobody).is_err());
    }
}
