//! The relay's memory: bounded, and without what has expired.
//!
//! NIP-01 replacement, NIP-09 deletion and NIP-40 expiration happen here. When a bound is reached
//! the event with the oldest `created_at` goes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use nostr::filter::MatchEventOptions;
use nostr::{Alphabet, Event, EventId, Filter, JsonUtil, Kind, PublicKey, SingleLetterTag, Timestamp};

use crate::seen::Seen;

/// Deleted ids remembered, at least.
const DELETED_IDS: usize = 16_384;

const P_TAG: SingleLetterTag = SingleLetterTag::lowercase(Alphabet::P);

/// An event with its JSON, made once and sent many times.
#[derive(Debug)]
pub(super) struct StoredEvent {
    pub(super) event: Event,
    pub(super) json: String,
}

impl StoredEvent {
    pub(super) fn new(event: Event) -> Self {
        let json = event.as_json();
        Self { event, json }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Saved {
    New,
    Duplicate,
    Deleted,
    Expired,
    /// A newer version is stored.
    Outdated,
}

/// Replaceable events: kind, author and the `d` tag.
type Address = (Kind, PublicKey, String);

#[derive(Debug)]
pub(super) struct Store {
    max_events: usize,
    max_bytes: usize,
    bytes: usize,
    events: HashMap<EventId, Arc<StoredEvent>>,
    by_time: BTreeSet<(Timestamp, EventId)>,
    by_expiration: BTreeSet<(Timestamp, EventId)>,
    by_recipient: HashMap<String, BTreeSet<(Timestamp, EventId)>>,
    by_address: HashMap<Address, EventId>,
    deleted: Seen<EventId>,
}

impl Store {
    pub(super) fn new(max_events: usize, max_bytes: usize) -> Self {
        Self {
            max_events,
            max_bytes,
            bytes: 0,
            events: HashMap::new(),
            by_time: BTreeSet::new(),
            by_expiration: BTreeSet::new(),
            by_recipient: HashMap::new(),
            by_address: HashMap::new(),
            deleted: Seen::new(DELETED_IDS),
        }
    }

    pub(super) fn save(&mut self, stored: &Arc<StoredEvent>, now: Timestamp) -> Saved {
        self.remove_expired(now);
        let event = &stored.event;
        if self.events.contains_key(&event.id) {
            return Saved::Duplicate;
        }
        if self.deleted.contains(&event.id) {
            return Saved::Deleted;
        }
        if event.is_expired_at(&now) {
            return Saved::Expired;
        }
        // Ephemeral events are passed on and not kept.
        if event.kind.is_ephemeral() {
            return Saved::New;
        }
        if let Some(address) = address(event) {
            if let Some(current) = self.by_address.get(&address).and_then(|id| self.events.get(id)) {
                let current = &current.event;
                // Of two versions from the same second the lower id counts (NIP-01).
                let newer = (event.created_at, current.id) > (current.created_at, event.id);
                if !newer {
                    return Saved::Outdated;
                }
                let current = current.id;
                self.remove(&current);
            }
            self.by_address.insert(address, event.id);
        }
        if event.kind == Kind::EventDeletion {
            self.delete_for(event);
        }
        self.index(stored);
        while self.events.len() > self.max_events || self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.by_time.first().copied() else { break };
            self.remove(&oldest);
        }
        Saved::New
    }

    /// Matching events, newest first.
    pub(super) fn query(&self, filter: &Filter, now: Timestamp) -> Vec<Arc<StoredEvent>> {
        let limit = filter.limit.unwrap_or(usize::MAX);
        let fits = |stored: &&Arc<StoredEvent>| {
            filter.match_event(&stored.event, MatchEventOptions::new()) && !stored.event.is_expired_at(&now)
        };
        let found = |id: &EventId| self.events.get(id);
        if let Some(ids) = filter.ids.as_ref().filter(|ids| !ids.is_empty()) {
            return ids.iter().filter_map(found).filter(fits).take(limit).cloned().collect();
        }
        if let Some(recipients) = filter.generic_tags.get(&P_TAG) {
            let sets = recipients.iter().filter_map(|recipient| self.by_recipient.get(recipient));
            let times: BTreeSet<&(Timestamp, EventId)> = sets.flatten().collect();
            return times
                .iter()
                .rev()
                .filter_map(|(_, id)| found(id))
                .filter(fits)
                .take(limit)
                .cloned()
                .collect();
        }
        self.by_time.iter().rev().filter_map(|(_, id)| found(id)).filter(fits).take(limit).cloned().collect()
    }

    fn index(&mut self, stored: &Arc<StoredEvent>) {
        let event = &stored.event;
        let key = (event.created_at, event.id);
        self.bytes += stored.json.len();
        self.by_time.insert(key);
        if let Some(expiration) = event.tags.expiration() {
            self.by_expiration.insert((*expiration, event.id));
        }
        for recipient in recipients(event) {
            self.by_recipient.entry(recipient.to_owned()).or_default().insert(key);
        }
        self.events.insert(event.id, Arc::clone(stored));
    }

    fn remove(&mut self, id: &EventId) {
        let Some(stored) = self.events.remove(id) else { return };
        let event = &stored.event;
        let key = (event.created_at, event.id);
        self.bytes -= stored.json.len();
        self.by_time.remove(&key);
        if let Some(expiration) = event.tags.expiration() {
            self.by_expiration.remove(&(*expiration, event.id));
        }
        for recipient in recipients(event) {
            if let Some(set) = self.by_recipient.get_mut(recipient) {
                set.remove(&key);
                if set.is_empty() {
                    self.by_recipient.remove(recipient);
                }
            }
        }
        if let Some(address) = address(event)
            && self.by_address.get(&address) == Some(id)
        {
            self.by_address.remove(&address);
        }
    }

    fn remove_expired(&mut self, now: Timestamp) {
        while let Some((expiration, id)) = self.by_expiration.first().copied() {
            if expiration >= now {
                break;
            }
            self.remove(&id);
        }
    }

    /// Only own events can be deleted.
    fn delete_for(&mut self, deletion: &Event) {
        for id in deletion.tags.event_ids() {
            if self.events.get(id).is_some_and(|stored| stored.event.pubkey == deletion.pubkey) {
                self.remove(id);
                self.deleted.insert(*id);
            }
        }
    }
}

fn address(event: &Event) -> Option<Address> {
    if event.kind.is_replaceable() {
        return Some((event.kind, event.pubkey, String::new()));
    }
    let identifier = event.tags.identifier().unwrap_or_default();
    event.kind.is_addressable().then(|| (event.kind, event.pubkey, identifier.to_owned()))
}

fn recipients(event: &Event) -> impl Iterator<Item = &str> {
    event.tags.iter().filter_map(|tag| match tag.as_slice() {
        [name, recipient, ..] if name == "p" => Some(recipient.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use nostr::{EventBuilder, Keys, Tag};

    use super::*;

    const NOW: u64 = 1_700_000_000;

    fn now() -> Timestamp {
        Timestamp::from_secs(NOW)
    }

    fn event(keys: &Keys, kind: u16, text: &str, at: u64, tags: &[[&str; 2]]) -> Arc<StoredEvent> {
        let event = EventBuilder::new(Kind::Custom(kind), text)
            .tags(tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap()))
            .custom_created_at(Timestamp::from_secs(at))
            .sign_with_keys(keys)
            .unwrap();
        Arc::new(StoredEvent::new(event))
    }

    fn texts(store: &Store, filter: &Filter) -> Vec<String> {
        store.query(filter, now()).iter().map(|stored| stored.event.content.clone()).collect()
    }

    #[test]
    fn the_newest_come_first_and_the_limit_holds() {
        let (mut store, keys) = (Store::new(100, 1 << 20), Keys::generate());
        for number in 0..5 {
            assert_eq!(
                store.save(&event(&keys, 1, &number.to_string(), NOW + number, &[]), now()),
                Saved::New
            );
        }
        assert_eq!(texts(&store, &Filter::new().limit(2)), ["4", "3"]);
        assert_eq!(texts(&store, &Filter::new()).len(), 5);
    }

    #[test]
    fn memory_is_bounded_in_events_and_bytes_and_nothing_is_left_of_what_went() {
        let (keys, p) = (Keys::generate(), Keys::generate().public_key().to_hex());
        for (max_events, max_bytes) in [(10, usize::MAX), (usize::MAX, 6000)] {
            let mut store = Store::new(max_events, max_bytes);
            for number in 0..100 {
                store.save(
                    &event(&keys, 1, "x", NOW + number, &[["p", &p], ["expiration", "1800000000"]]),
                    now(),
                );
            }
            let left = store.events.len();
            assert!((5..=15).contains(&left), "{left}");
            assert_eq!(store.by_time.len(), left);
            assert_eq!(store.by_expiration.len(), left);
            assert_eq!(store.by_recipient[&p].len(), left);
        }
    }

    #[test]
    fn expired_events_are_neither_stored_nor_served() {
        let (mut store, keys) = (Store::new(100, 1 << 20), Keys::generate());
        assert_eq!(
            store.save(&event(&keys, 1, "old", NOW, &[["expiration", "1699999999"]]), now()),
            Saved::Expired
        );
        store.save(&event(&keys, 1, "soon", NOW, &[["expiration", "1700000010"]]), now());
        assert_eq!(texts(&store, &Filter::new()), ["soon"]);
        let later = Timestamp::from_secs(NOW + 11);
        assert!(store.query(&Filter::new(), later).is_empty());
        store.save(&event(&keys, 1, "other", NOW, &[]), later);
        assert_eq!(store.events.len(), 1);
    }

    #[test]
    fn a_newer_version_replaces_an_older_one_and_never_the_reverse() {
        let (mut store, keys) = (Store::new(100, 1 << 20), Keys::generate());
        let first = event(&keys, 31990, "first", NOW, &[["d", "a"]]);
        let second = event(&keys, 31990, "second", NOW + 1, &[["d", "a"]]);
        let other = event(&keys, 31990, "other", NOW, &[["d", "b"]]);
        assert_eq!(store.save(&second, now()), Saved::New);
        assert_eq!(store.save(&first, now()), Saved::Outdated);
        assert_eq!(store.save(&other, now()), Saved::New);
        let third = event(&keys, 31990, "third", NOW + 2, &[["d", "a"]]);
        assert_eq!(store.save(&third, now()), Saved::New);
        assert_eq!(texts(&store, &Filter::new()), ["third", "other"]);
    }

    #[test]
    fn authors_delete_their_own_events_and_no_others() {
        let (mut store, keys) = (Store::new(100, 1 << 20), Keys::generate());
        let job = event(&keys, 5050, "job", NOW, &[]);
        store.save(&job, now());
        let id = job.event.id.to_hex();
        store.save(&event(&Keys::generate(), 5, "", NOW, &[["e", &id]]), now());
        assert_eq!(texts(&store, &Filter::new().kind(Kind::Custom(5050))), ["job"]);
        store.save(&event(&keys, 5, "", NOW, &[["e", &id]]), now());
        assert!(texts(&store, &Filter::new().kind(Kind::Custom(5050))).is_empty());
        assert_eq!(store.save(&job, now()), Saved::Deleted);
    }

    #[test]
    fn events_are_found_by_recipient_and_by_id() {
        let (mut store, keys) = (Store::new(100, 1 << 20), Keys::generate());
        let (a, b) = (Keys::generate().public_key(), Keys::generate().public_key());
        let (to_a, to_b) = (["p", &a.to_hex()], ["p", &b.to_hex()]);
        store.save(&event(&keys, 6050, "both", NOW, &[to_a, to_b]), now());
        let single = event(&keys, 6050, "b", NOW + 1, &[to_b]);
        store.save(&single, now());
        assert_eq!(texts(&store, &Filter::new().pubkey(a)), ["both"]);
        assert_eq!(texts(&store, &Filter::new().pubkeys([a, b])), ["b", "both"]);
        assert_eq!(texts(&store, &Filter::new().pubkey(a).kind(Kind::Custom(7000))), [""; 0]);
        assert_eq!(texts(&store, &Filter::new().id(single.event.id)), ["b"]);
    }
}
