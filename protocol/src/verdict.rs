//! What became of a provider's answers (kind 7002): the asker tells it, encrypted, of several jobs at once.
//!
//! ```json
//! [["p","<provider>"], ["encrypted"], ["expiration","…"]]
//! ```
//!
//! The content is a NIP-44 text: `{"verdicts":[{"job":"…","accepted":true,"fitness":0.56,"change":0.06,"credits":40,
//! "feedback":"…"}]}`. All of it is the asker's own opinion: fitness and credits are a score, never sats
//! (seeds/verifier-block.md, "Fitness Updates"). Nothing is paid or owed by it: that is what a settlement is for.

use nostr::{Event, EventId, Keys, PublicKey, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::{BuildError, ParseError};
use crate::kinds::VERDICT;
use crate::seal::{open, seal};
use crate::tags::{TagView, array, expect_kind, malformed, sign};

const WHAT: &str = "the verdicts";

/// Verdicts in one event: few enough to fit whatever the feedback says.
pub const MOST_VERDICTS: usize = 32;
/// Characters of a feedback that are written, and read.
const LONGEST_FEEDBACK: usize = 100;

/// What an asker thinks of the answer to one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The request event's id.
    pub job: EventId,
    /// Whether it is the accepted answer, or says the same.
    pub accepted: bool,
    /// The provider's fitness in this asker's eyes after that, 0..=1; four digits of it travel.
    pub fitness: f64,
    /// How it moved; 0 does not travel.
    #[serde(default, skip_serializing_if = "is_default")]
    pub change: f64,
    /// The score earned; 0 does not travel.
    #[serde(default, skip_serializing_if = "is_default")]
    pub credits: u32,
    /// In words.
    #[serde(default, skip_serializing_if = "is_default")]
    pub feedback: String,
}

/// Verdicts as they arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedVerdicts {
    /// The key that signed them: it must be the asker of each job.
    pub author: PublicKey,
    /// What it thinks.
    pub verdicts: Vec<Verdict>,
}

#[derive(Serialize, Deserialize)]
struct Content {
    verdicts: Vec<Verdict>,
}

/// The signed event about at most [`MOST_VERDICTS`] jobs; what is more is left out. Relays may forget it after
/// `expires_at`.
pub fn to_event(
    verdicts: &[Verdict],
    recipient: PublicKey,
    expires_at: Timestamp,
    keys: &Keys,
    created_at: Timestamp,
) -> Result<Event, BuildError> {
    let verdicts = verdicts.iter().take(MOST_VERDICTS).cloned().map(bounded).collect();
    let text = serde_json::to_string(&Content { verdicts })
        .map_err(|error| BuildError::Encrypt(error.to_string()))?;
    let content = seal(keys, &recipient, WHAT, &text)?;
    let tags = [
        array(["p", &recipient.to_hex()]),
        array(["encrypted"]),
        array(["expiration", &expires_at.as_secs().to_string()]),
    ];
    sign(VERDICT, content, tags, keys, created_at)
}

/// Reads verdicts that reached the owner of `keys`. Whether their author asked for the jobs is for the caller, who
/// knows the jobs.
pub fn from_event(event: &Event, keys: &Keys) -> Result<ReceivedVerdicts, ParseError> {
    expect_kind(event, VERDICT)?;
    if !TagView::of_event(event).names(&keys.public_key()) {
        return Err(ParseError::NotForUs);
    }
    let (text, _) = open(keys, &event.pubkey, &event.content)?;
    let content: Content = serde_json::from_str(&text).map_err(|error| malformed(WHAT, error))?;
    let verdicts = content.verdicts.into_iter().take(MOST_VERDICTS).map(bounded).collect();
    Ok(ReceivedVerdicts { author: event.pubkey, verdicts })
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Within its bounds, with four digits: what is no number is nothing.
fn bounded(verdict: Verdict) -> Verdict {
    let within = |value: f64, least: f64| {
        if value.is_finite() { (value.clamp(least, 1.0) * 10_000.0).round() / 10_000.0 } else { 0.0 }
    };
    let feedback = match verdict.feedback.char_indices().nth(LONGEST_FEEDBACK) {
        Some((end, _)) => verdict.feedback[..end].to_owned(),
        None => verdict.feedback,
    };
    Verdict {
        fitness: within(verdict.fitness, 0.0),
        change: within(verdict.change, -1.0),
        feedback,
        ..verdict
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use super::*;

    fn verdict(feedback: &str) -> Verdict {
        Verdict {
            job: EventId::all_zeros(),
            accepted: true,
            fitness: 0.56,
            change: 0.06,
            credits: 40,
            feedback: feedback.to_owned(),
        }
    }

    fn round_trip(verdicts: &[Verdict]) -> (ReceivedVerdicts, Keys) {
        let (asker, provider, other) = (Keys::generate(), Keys::generate(), Keys::generate());
        let now = Timestamp::from_secs(1_790_000_000);
        let event = to_event(verdicts, provider.public_key(), now + 60_u64, &asker, now).unwrap();
        assert_eq!(from_event(&event, &other), Err(ParseError::NotForUs));
        assert!(!event.content.contains("fitness"));
        (from_event(&event, &provider).unwrap(), asker)
    }

    #[test]
    fn verdicts_survive_the_wire_and_are_for_their_recipient_only() {
        let two =
            [verdict("Correct answer."), Verdict { accepted: false, change: -0.03, ..verdict("Wrong.") }];
        let (back, asker) = round_trip(&two);
        assert_eq!((back.author, back.verdicts.as_slice()), (asker.public_key(), &two[..]));
    }

    #[test]
    fn a_verdict_travels_without_what_says_nothing() {
        let verdict = Verdict { fitness: 0.123_456_789, change: 0.0, credits: 0, ..verdict("Not compared.") };
        let text = serde_json::to_string(&bounded(verdict.clone())).unwrap();
        assert!(
            text.ends_with("\"accepted\":true,\"fitness\":0.1235,\"feedback\":\"Not compared.\"}"),
            "{text}"
        );
        let back: Verdict = serde_json::from_str(&text).unwrap();
        assert_eq!(back, Verdict { fitness: 0.1235, ..verdict });
    }

    #[test]
    fn however_many_and_long_they_are_they_fit_into_one_event() {
        let long = Verdict { fitness: f64::INFINITY, change: -7.0, ..verdict(&"…".repeat(10_000)) };
        let (back, _) = round_trip(&vec![long; 500]);
        assert_eq!(back.verdicts.len(), MOST_VERDICTS);
        let one = &back.verdicts[0];
        assert!((one.fitness - 0.0).abs() < 1e-9 && (one.change + 1.0).abs() < 1e-9);
        assert_eq!(one.feedback.chars().count(), LONGEST_FEEDBACK);
    }
}
