//! At which other relays providers are, by their relay lists (NIP-65).
//!
//! Lists are claims of strangers, and no relay is contacted that the user did not name: what is read here is shown to the user
//! (docs/decisions/0098-relay-lists-are-shown.md).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use frlm_protocol::kinds::RELAY_LIST;
use frlm_protocol::{ReceivedRelayList, RelayList};
use nostr::{Event, Filter, PublicKey, RelayUrl};

use crate::connection::Publisher;

/// How long relays have to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Providers whose lists are read at most: their keys fit into one question.
pub const MOST_ASKED: usize = 100;
/// Relays that are named at most.
const MOST_NAMED: usize = 5;

/// A relay that the user did not name, and how many of the providers say that they are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherRelay {
    /// Its address, as they write it.
    pub relay: String,
    /// How many of them.
    pub providers: usize,
}

impl std::fmt::Display for OtherRelay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({} of them)", self.relay, self.providers)
    }
}

/// Where these providers are beside the relays that are asked, most of them first.
pub async fn other_relays(publisher: &Publisher, providers: &[PublicKey]) -> Vec<OtherRelay> {
    let asked = providers.iter().copied().take(MOST_ASKED);
    if providers.is_empty() {
        return Vec::new();
    }
    let lists = Filter::new().kind(RELAY_LIST).authors(asked).limit(MOST_ASKED);
    let events = publisher.fetch(vec![lists], PATIENCE).await;
    let here: HashSet<RelayUrl> = publisher.relays().into_iter().map(|relay| relay.url).collect();
    count(&events, providers, &here)
}

fn count(events: &[Event], providers: &[PublicKey], here: &HashSet<RelayUrl>) -> Vec<OtherRelay> {
    let mut newest: HashMap<PublicKey, ReceivedRelayList> = HashMap::new();
    for event in events {
        let Ok(received) = RelayList::from_event(event) else { continue };
        if !providers.contains(&received.author) {
            continue;
        }
        let known = newest.entry(received.author).or_insert_with(|| received.clone());
        if known.created_at < received.created_at {
            *known = received;
        }
    }
    let mut counted: BTreeMap<RelayUrl, usize> = BTreeMap::new();
    for received in newest.into_values() {
        // One that stands there twice, once with a slash, is one.
        let urls: HashSet<RelayUrl> =
            received.list.relays.iter().filter_map(|address| RelayUrl::parse(address).ok()).collect();
        for url in urls.difference(here) {
            *counted.entry(url.clone()).or_default() += 1;
        }
    }
    let mut found: Vec<OtherRelay> = counted
        .into_iter()
        .map(|(url, providers)| OtherRelay {
            relay: url.as_str_without_trailing_slash().to_owned(),
            providers,
        })
        .collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.providers));
    found.truncate(MOST_NAMED);
    found
}

#[cfg(test)]
mod tests {
    use nostr::{Keys, Timestamp};

    use super::*;

    fn list(keys: &Keys, at: u64, relays: &[&str]) -> Event {
        let relays = relays.iter().map(|relay| (*relay).to_owned()).collect();
        RelayList { relays }.to_event(keys, Timestamp::from_secs(at)).unwrap()
    }

    #[test]
    fn relays_are_counted_by_each_provider_s_newest_list_without_own_ones() {
        let (one, other, stranger) = (Keys::generate(), Keys::generate(), Keys::generate());
        let events = [
            list(&one, 10, &["wss://old.example"]),
            list(&one, 20, &["wss://here.example", "wss://b.example", "wss://b.example/"]),
            list(&other, 20, &["wss://b.example", "wss://c.example"]),
            list(&stranger, 30, &["wss://stranger.example"]),
        ];
        let here = HashSet::from([RelayUrl::parse("wss://here.example/").unwrap()]);
        let found = count(&events, &[one.public_key(), other.public_key()], &here);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["wss://b.example (2 of them)", "wss://c.example (1 of them)"]);
    }

    #[test]
    fn no_list_names_more_relays_than_a_person_reads() {
        let keys = Keys::generate();
        let many: Vec<String> = (0..16).map(|number| format!("wss://r{number}.example")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(count(&[list(&keys, 1, &many)], &[keys.public_key()], &HashSet::new()).len(), MOST_NAMED);
    }
}
