//! Which relays a key uses (NIP-65).
//!
//! A provider says where it listens, so that askers at one of its relays learn of the others. Nobody is led anywhere by it:
//! addresses are claims of strangers, to be shown to a person (docs/decisions/0098-relay-lists-are-shown.md).

use std::net::IpAddr;

use nostr::{Event, Keys, PublicKey, Timestamp};
use url::{Host, Url};

use crate::error::{BuildError, ParseError};
use crate::job::is_relay_address;
use crate::kinds::RELAY_LIST;
use crate::limits::MAX_RELAYS;
use crate::tags::{TagView, array, expect_kind, sign};

/// The relays where a key is reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RelayList {
    /// Addresses, each once.
    pub relays: Vec<String>,
}

/// A list as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRelayList {
    /// Whose it is.
    pub author: PublicKey,
    /// From when: of two by one key the later counts.
    pub created_at: Timestamp,
    /// What it says.
    pub list: RelayList,
}

impl RelayList {
    /// What others may know of these relays: addresses that lead anywhere from elsewhere, without names and passwords. Where
    /// all of them are of this machine or network, so are those who read the list, and all are told.
    pub fn public<'a>(relays: impl IntoIterator<Item = &'a str>) -> Self {
        let tellable =
            |url: &Url| url.username().is_empty() && url.password().is_none() && url.query().is_none();
        let urls: Vec<(&str, Url)> = relays
            .into_iter()
            .filter_map(|address| Some((address, Url::parse(address).ok()?)))
            .filter(|(_, url)| tellable(url))
            .collect();
        let any_public = urls.iter().any(|(_, url)| is_public(url));
        let told = urls.iter().filter(|(_, url)| !any_public || is_public(url));
        Self { relays: told.map(|(address, _)| (*address).to_owned()).take(MAX_RELAYS).collect() }
    }

    /// The signed event. Every relay is for both directions.
    pub fn to_event(&self, keys: &Keys, created_at: Timestamp) -> Result<Event, BuildError> {
        if self.relays.len() > MAX_RELAYS {
            return Err(BuildError::TooMany { what: "relays", count: self.relays.len(), limit: MAX_RELAYS });
        }
        let tags = self.relays.iter().map(|relay| array(["r", relay]));
        sign(RELAY_LIST, String::new(), tags, keys, created_at)
    }

    /// Reads a list: where its author is reached, and not where it only writes. What is no address is left out.
    pub fn from_event(event: &Event) -> Result<ReceivedRelayList, ParseError> {
        expect_kind(event, RELAY_LIST)?;
        let mut relays: Vec<String> = Vec::new();
        for values in TagView::of_event(event).all("r") {
            let [address, rest @ ..] = values else { continue };
            let is_read = rest.first().is_none_or(|marker| marker != "write");
            if is_read && is_relay_address(address) && !relays.contains(address) && relays.len() < MAX_RELAYS
            {
                relays.push(address.clone());
            }
        }
        Ok(ReceivedRelayList { author: event.pubkey, created_at: event.created_at, list: Self { relays } })
    }
}

/// Whether an address leads to the same place from everywhere.
fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.')
                && ![".local", ".localhost", ".internal", ".lan", ".home"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        Some(Host::Ipv4(address)) => is_public_address(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_public_address(IpAddr::V6(address)),
        None => false,
    }
}

fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            // 100.64.0.0/10 is shared by the customers of one network.
            let is_shared = first == 100 && (64..128).contains(&second);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || is_shared)
        }
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => is_public_address(IpAddr::V4(address)),
            None => {
                !(address.is_loopback()
                    || address.is_unspecified()
                    || address.is_unique_local()
                    || address.is_unicast_link_local())
            }
        },
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod tests {
    use nostr::{EventBuilder, Tag};

    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let keys = Keys::generate();
        let list = RelayList { relays: vec!["wss://a.example".to_owned(), "ws://b.example:7777".to_owned()] };
        let event = list.to_event(&keys, Timestamp::from_secs(1_000)).unwrap();
        let read = RelayList::from_event(&event).unwrap();
        assert_eq!((read.author, read.list), (keys.public_key(), list));
    }

    #[test]
    fn relays_that_are_only_written_to_and_what_is_no_address_are_left_out() {
        let tags = [
            vec!["r", "wss://both.example"],
            vec!["r", "wss://read.example", "read"],
            vec!["r", "wss://write.example", "write"],
            vec!["r", "https://page.example"],
            vec!["r", "wss://both.example"],
            vec!["r"],
        ];
        let tags = tags.into_iter().map(|tag| Tag::parse(tag).unwrap());
        let many = (0..40).map(|number| Tag::parse(["r", &format!("wss://r{number}.example")]).unwrap());
        let event = EventBuilder::new(RELAY_LIST, "").tags(tags.chain(many));
        let read = RelayList::from_event(&event.sign_with_keys(&Keys::generate()).unwrap()).unwrap();
        assert_eq!(read.list.relays[..3], ["wss://both.example", "wss://read.example", "wss://r0.example"]);
        assert_eq!(read.list.relays.len(), MAX_RELAYS);
    }

    #[test]
    fn private_relays_and_addresses_with_secrets_are_told_to_nobody_else() {
        let told = RelayList::public([
            "ws://127.0.0.1:7777",
            "ws://10.1.2.3",
            "ws://[fd00::1]:80",
            "ws://nas.local",
            "ws://nas",
            "wss://me:secret@relay.example",
            "wss://relay.example/?token=secret",
            "wss://relay.example",
            "ws://[2001:db8::1]:7777",
        ]);
        assert_eq!(told.relays, ["wss://relay.example", "ws://[2001:db8::1]:7777"]);
        let local = RelayList::public(["ws://127.0.0.1:7777", "ws://me:secret@127.0.0.1:1"]);
        assert_eq!(local.relays, ["ws://127.0.0.1:7777"], "who reads it is here, too");
    }
}
