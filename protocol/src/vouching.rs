//! Who vouches for whom: follow lists (NIP-02) and labels (NIP-32) of keys whose word counts.
//!
//! Keys cost nothing, so what a stranger says of a provider says nothing. A user names a few keys. Whom these follow, and whom they
//! label as good, is vouched for:
//!
//! ```json
//! {"kind": 3, "tags": [["p","<key>"], …]}
//! {"kind": 1985, "tags": [["L","frlm.provider"], ["l","recommended","frlm.provider"], ["p","<key>"], …]}
//! {"kind": 1985, "tags": [["L","frlm.receipt"], …]}
//! ```
//!
//! A [receipt](crate::receipt) vouches for its provider if any job counted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nostr::{Event, PublicKey};

use crate::kinds::{FOLLOW_LIST, LABEL};
use crate::receipt::{RECEIPT_NAMESPACE, ReceiptLabel};
use crate::tags::{TagView, expect_kind};

/// The namespace of labels that say whose work is good.
pub const PROVIDER_NAMESPACE: &str = "frlm.provider";
/// The label of that namespace which vouches for a key.
pub const RECOMMENDED: &str = "recommended";
/// Namespaces of labels that are read.
pub const NAMESPACES: [&str; 2] = [PROVIDER_NAMESPACE, RECEIPT_NAMESPACE];

/// Who vouches for whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouching {
    by: BTreeMap<PublicKey, BTreeSet<PublicKey>>,
}

impl Vouching {
    /// What those that were `named` say by these events, and that each of them is good itself. Of the follow lists of a key the
    /// newest counts, labels count until they are deleted. Signatures are checked here: a list decides who is asked.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>, named: &[PublicKey]) -> Self {
        let counts: HashSet<&PublicKey> = named.iter().collect();
        let mut newest: HashMap<PublicKey, &Event> = HashMap::new();
        let mut vouching = Self::default();
        for event in events {
            if !counts.contains(&event.pubkey) || event.verify().is_err() {
                continue;
            }
            if event.kind == FOLLOW_LIST {
                let known = newest.entry(event.pubkey).or_insert(event);
                if known.created_at < event.created_at {
                    *known = event;
                }
            } else {
                vouching.add(event.pubkey, labelled(event));
            }
        }
        for (author, list) in newest {
            vouching.add(author, followed(list));
        }
        for key in named {
            vouching.add(*key, vec![*key]);
        }
        vouching
    }

    /// One that was written down before.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (PublicKey, PublicKey)>) -> Self {
        let mut vouching = Self::default();
        for (key, by) in pairs {
            vouching.add(by, vec![key]);
        }
        vouching
    }

    fn add(&mut self, by: PublicKey, keys: Vec<PublicKey>) {
        for key in keys {
            self.by.entry(key).or_default().insert(by);
        }
    }

    /// All keys that somebody vouches for, with those who do.
    pub fn iter(&self) -> impl Iterator<Item = (&PublicKey, &BTreeSet<PublicKey>)> {
        self.by.iter()
    }

    /// Who vouches for a key.
    pub fn by(&self, key: &PublicKey) -> impl Iterator<Item = &PublicKey> {
        self.by.get(key).into_iter().flatten()
    }

    /// Whether nobody is vouched for.
    pub fn is_empty(&self) -> bool {
        self.by.is_empty()
    }
}

/// Whom a list follows: none where it cannot be read.
fn followed(list: &Event) -> Vec<PublicKey> {
    if expect_kind(list, FOLLOW_LIST).is_err() {
        return Vec::new();
    }
    keys_of(&TagView::of_event(list))
}

/// Whom a label vouches for.
fn labelled(label: &Event) -> Vec<PublicKey> {
    if expect_kind(label, LABEL).is_err() {
        return Vec::new();
    }
    if let Ok(received) = ReceiptLabel::from_event(label) {
        let counted = received.receipt.accepted > 0;
        return counted.then_some(received.receipt.provider).into_iter().collect();
    }
    let tags = TagView::of_event(label);
    let recommends = tags.all("l").any(|values| {
        let value = |at: usize| values.get(at).map(String::as_str);
        (value(0), value(1)) == (Some(RECOMMENDED), Some(PROVIDER_NAMESPACE))
    });
    if recommends { keys_of(&tags) } else { Vec::new() }
}

fn keys_of(tags: &TagView<'_>) -> Vec<PublicKey> {
    tags.all("p").filter_map(|values| PublicKey::from_hex(values.first()?).ok()).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use nostr::{EventBuilder, Keys, Kind, Tag, Timestamp};

    use super::*;

    fn said(keys: &Keys, kind: Kind, at: u64, tags: &[&[&str]]) -> Event {
        let tags = tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap());
        let event = EventBuilder::new(kind, "").tags(tags).allow_self_tagging();
        event.custom_created_at(Timestamp::from_secs(at)).sign_with_keys(keys).unwrap()
    }

    fn keys<const N: usize>() -> [(Keys, String); N] {
        std::array::from_fn(|_| {
            let keys = Keys::generate();
            let hex = keys.public_key().to_hex();
            (keys, hex)
        })
    }

    fn vouched(events: &[Event], named: &[&Keys]) -> Vec<String> {
        let named: Vec<PublicKey> = named.iter().map(|keys| keys.public_key()).collect();
        let vouching = Vouching::of(events, &named);
        let of_others = vouching.iter().filter(|(key, _)| !named.contains(key));
        of_others.map(|(key, _)| key.to_hex()).collect()
    }

    #[test]
    fn the_newest_follow_list_of_a_named_key_counts() {
        let [(user, _), (stranger, _), (_, old), (_, new), (_, other)] = keys();
        let events = [
            said(&user, FOLLOW_LIST, 20, &[&["p", &new], &["p", "no key"], &["p"]]),
            said(&user, FOLLOW_LIST, 10, &[&["p", &old]]),
            said(&stranger, FOLLOW_LIST, 30, &[&["p", &other]]),
        ];
        assert_eq!(vouched(&events, &[&user]), [new]);
    }

    #[test]
    fn labels_that_recommend_and_receipts_of_counted_work_vouch() {
        let [(user, _), (_, good), (_, other), (worked, _), (failed, _), (stranger, _)] = keys();
        let (kind, recommended) = (LABEL, ["l", RECOMMENDED, PROVIDER_NAMESPACE]);
        let receipt = |keys: &Keys, accepted| {
            let (provider, run) = (keys.public_key(), "ab".to_owned());
            let receipt = ReceiptLabel { provider, run, jobs: 3, accepted, paid_msats: 0 };
            receipt.to_event(&user, Timestamp::from_secs(1)).unwrap()
        };
        let events = [
            said(&user, kind, 1, &[&["L", PROVIDER_NAMESPACE], &recommended, &["p", &good]]),
            said(&stranger, kind, 1, &[&["L", PROVIDER_NAMESPACE], &recommended, &["p", &other]]),
            said(&user, kind, 1, &[&["l", RECOMMENDED, "ugc"], &["p", &other]]),
            said(&user, kind, 1, &[&["l", "bad", PROVIDER_NAMESPACE], &["p", &other]]),
            receipt(&worked, 2),
            receipt(&failed, 0),
        ];
        let mut wanted = [good, worked.public_key().to_hex()];
        wanted.sort();
        assert_eq!(vouched(&events, &[&user]), wanted);
    }

    #[test]
    fn a_forged_list_vouches_for_nobody() {
        let [(user, _), (liar, hex)] = keys();
        let mut forged = said(&liar, FOLLOW_LIST, 20, &[&["p", &hex]]);
        forged.pubkey = user.public_key();
        assert!(vouched(&[forged], &[&user]).is_empty());
    }

    #[test]
    fn a_named_key_is_good_itself_and_several_may_vouch_for_one() {
        let [(one, _), (two, _), (_, both)] = keys();
        let list = |keys: &Keys| said(keys, FOLLOW_LIST, 1, &[&["p", &both]]);
        let named = [one.public_key(), two.public_key()];
        let vouching = Vouching::of(&[list(&one), list(&two)], &named);
        assert_eq!(vouching.by(&PublicKey::from_hex(&both).unwrap()).count(), 2);
        assert_eq!(vouching.by(&named[0]).collect::<Vec<_>>(), [&named[0]]);
        let pairs = vouching.iter().flat_map(|(key, by)| by.iter().map(|by| (*key, *by)));
        assert_eq!(Vouching::from_pairs(pairs), vouching);
    }
}
