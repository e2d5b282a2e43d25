//! Proof of work (NIP-13): a key that has shown some is not one of thousands that cost nothing.
//!
//! The id of an event begins with so many zero bits, and its `nonce` tag names them, so that luck alone shows nothing:
//!
//! ```json
//! ["nonce", "100000048213", "16"]
//! ```

use nostr::hashes::{Hash as _, HashEngine as _, sha256};
use nostr::nips::nip13::get_leading_zero_bits;
use nostr::{Event, Keys};
use serde_json::json;

use crate::tags::{TagView, array, sign};

const NONCE: &str = "nonce";
/// Numbers are tried from here on: all have as many digits.
const FIRST: u64 = 100_000_000_000;
const LAST: u64 = 999_999_999_999;
/// Tries between two questions whether to go on.
const TRIES_AT_ONCE: u64 = 1_024;

/// Bits of work that an event shows: as many as its tag names, if its id has them.
pub fn shown(event: &Event) -> u8 {
    let named =
        TagView::of_event(event).all(NONCE).next().and_then(|values| values.get(1)?.parse::<u8>().ok());
    named.filter(|bits| get_leading_zero_bits(event.id.as_bytes()) >= *bits).unwrap_or(0)
}

/// The same event with so many bits of work, signed again. `None` where `go_on` said no, which it is asked now and then, or
/// where the event is another key's. Each bit takes twice as many tries; each try reads the whole event.
pub fn mine(event: &Event, keys: &Keys, bits: u8, mut go_on: impl FnMut() -> bool) -> Option<Event> {
    let tags: Vec<Vec<String>> = event
        .tags
        .iter()
        .map(|tag| tag.as_slice().to_vec())
        .filter(|tag| tag.first().is_none_or(|name| name != NONCE))
        .collect();
    let with = |number: u64| {
        let nonce = array([NONCE, &number.to_string(), &bits.to_string()]);
        tags.iter().cloned().chain([nonce]).collect::<Vec<_>>()
    };
    let text = json!([0, event.pubkey, event.created_at, event.kind, with(FIRST), event.content]).to_string();
    // Texts hold no bare quotation mark, so that only a tag looks like this; the last one is ours.
    let before = format!("[\"{NONCE}\",\"");
    let at = text.rfind(&before)? + before.len();
    let (start, rest) = text.as_bytes().split_at(at);
    let rest = rest.get(FIRST.to_string().len()..)?;
    let mut begun = sha256::Hash::engine();
    begun.input(start);
    let mut tried = 0_u64;
    let found = (FIRST..=LAST).find_map(|number| {
        if tried.is_multiple_of(TRIES_AT_ONCE) && !go_on() {
            return Some(None);
        }
        tried += 1;
        let mut engine = begun.clone();
        engine.input(number.to_string().as_bytes());
        engine.input(rest);
        let id = sha256::Hash::from_engine(engine);
        (get_leading_zero_bits(id.as_byte_array()) >= bits).then_some(Some(number))
    });
    let event = sign(event.kind, event.content.clone(), with(found??), keys, event.created_at).ok()?;
    (shown(&event) >= bits).then_some(event)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use nostr::{EventBuilder, EventId, Kind, Tag, Timestamp};

    use super::*;

    fn event(keys: &Keys, content: &str, tags: &[&[&str]]) -> Event {
        let tags = tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap());
        let event = EventBuilder::new(Kind::Custom(5050), content).tags(tags);
        event.custom_created_at(Timestamp::from_secs(1_790_000_000)).sign_with_keys(keys).unwrap()
    }

    #[test]
    fn mined_work_is_shown_and_the_event_is_the_same_otherwise() {
        let keys = Keys::generate();
        let hex = Keys::generate().public_key().to_hex();
        let odd = "a \"nonce\" [\"nonce\",\"1\"] \n\u{1}\u{2028} ü \\";
        let before = event(&keys, odd, &[&["nonce", "7", "30"], &["p", &hex], &["x", odd]]);
        let mined = mine(&before, &keys, 10, || true).unwrap();
        assert!(mined.verify().is_ok() && shown(&mined) == 10, "{mined:?}");
        assert_eq!(
            (&mined.content, mined.kind, mined.created_at),
            (&before.content, before.kind, before.created_at)
        );
        let tags = |event: &Event| {
            let all = event.tags.iter().map(|tag| tag.as_slice().to_vec());
            all.filter(|tag| tag[0] != NONCE).collect::<Vec<_>>()
        };
        assert_eq!(tags(&mined), tags(&before));
        assert_eq!(mined.tags.len(), before.tags.len(), "one nonce");
    }

    #[test]
    fn only_bits_that_are_named_and_there_count() {
        let keys = Keys::generate();
        // Of the specification's example.
        let id = "000006d8c378af1779d2feebc7603a125d99eca0ccf1085959b307f64e5dd358";
        let with = |tags: &[&[&str]]| {
            let mut event = event(&keys, "", tags);
            event.id = EventId::from_hex(id).unwrap();
            shown(&event)
        };
        assert_eq!(with(&[&["nonce", "776797", "20"]]), 20, "it has 21");
        assert_eq!(with(&[&["nonce", "776797", "22"]]), 0);
        for unnamed in [
            &[] as &[&[&str]],
            &[&["nonce", "776797"]],
            &[&["nonce"]],
            &[&["nonce", "1", "x"]],
            &[&["nonce", "1", "300"]],
        ] {
            assert_eq!(with(unnamed), 0, "luck shows nothing: {unnamed:?}");
        }
    }

    #[test]
    fn mining_ends_when_it_is_told_to_and_for_a_key_of_somebody_else() {
        let (keys, other) = (Keys::generate(), Keys::generate());
        let before = event(&keys, "x", &[]);
        let mut asked = 0;
        let mined = mine(&before, &keys, 60, || {
            asked += 1;
            asked < 4
        });
        assert_eq!((mined, asked), (None, 4));
        assert_eq!(
            mine(&before, &other, 12, || true).filter(|mined| mined.pubkey == keys.public_key()),
            None
        );
    }
}
