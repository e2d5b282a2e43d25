//! Who vouches for whom, by the keys of `[trust] follow` (docs/decisions/0109-vouching-and-proof-of-work.md).
//!
//! Relays are asked for the follow lists and labels of those keys, and whom of them providers are. That is kept in the home
//! for a while: a list that each run asked for would tell relays which runs are of one user.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use frlm_conductor::swarm::ProviderId;
use frlm_protocol::kinds::{FOLLOW_LIST, LABEL};
use frlm_protocol::limits::ANNOUNCEMENT_LIFETIME_SECS;
use frlm_protocol::vouching::NAMESPACES;
use frlm_protocol::{Announcement, Vouching};
use frlm_relay::{ConnectOptions, Connection, Publisher};
use frlm_util::clock::unix_secs;
use frlm_util::files;
use nostr::{Alphabet, Event, Filter, Keys, PublicKey, RelayUrl, SingleLetterTag, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::TrustConfig;
use crate::failure::Failure;
use crate::home::Home;
use crate::provider_record::short;
use crate::swarm::discovery::announcements;

/// How long what relays said counts, before they are asked again.
const KEPT_FOR_SECS: u64 = 900;
/// How long relays have for one answer, and for all of them.
const PATIENCE: Duration = Duration::from_secs(3);
const MOST_TIME: Duration = Duration::from_secs(10);
/// Labels that are read at most, and keys of which it is asked whether they are providers, so many at once.
const MOST_LABELS: usize = 500;
const MOST_VOUCHED: usize = 5_000;
const AUTHORS_AT_ONCE: usize = 250;
/// Providers that a run asks relays for by their keys because somebody vouches for them.
const MOST_SOUGHT: usize = 150;

/// Who vouches for whom, and who of them is a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched {
    /// Who vouches for whom.
    pub vouching: Vouching,
    /// Those that had announced themselves when relays were asked.
    pub providers: Vec<PublicKey>,
    /// What went wrong when they were asked, in words.
    pub failure: Option<String>,
}

/// What is kept of it.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    read_at: u64,
    follow: Vec<String>,
    /// Who vouches for each key.
    by: BTreeMap<String, Vec<String>>,
    providers: Vec<String>,
}

impl Vouched {
    /// Keys of providers that relays are asked for by name, those with most vouchers first.
    pub fn sought(&self) -> Vec<PublicKey> {
        let mut providers = self.providers.clone();
        providers.sort_by_key(|key| std::cmp::Reverse(self.vouching.by(key).count()));
        providers.truncate(MOST_SOUGHT);
        providers
    }

    /// All keys that are vouched for, as a run names them.
    pub fn ids(&self) -> impl Iterator<Item = ProviderId> {
        self.vouching.iter().map(|(key, _)| key.to_hex().into())
    }

    /// Who vouches for a provider, for people: empty where nobody does.
    pub fn in_words(&self, provider: &PublicKey) -> String {
        let by = self.vouching.by(provider);
        let names: Vec<String> =
            by.map(|by| if by == provider { "you".to_owned() } else { short(&by.to_hex()) }).collect();
        names.join(", ")
    }

    /// Providers that somebody vouches for, of these that have a record and of those that had announced themselves when relays
    /// were asked.
    fn among<'a>(&self, recorded: impl IntoIterator<Item = &'a str>) -> BTreeSet<PublicKey> {
        let recorded = recorded.into_iter().filter_map(|key| PublicKey::from_hex(key).ok());
        let keys = recorded.chain(self.providers.iter().copied());
        keys.filter(|key| self.vouching.by(key).next().is_some()).collect()
    }

    /// A line for each provider that somebody vouches for; nothing where nobody does.
    pub fn lines<'a>(&self, recorded: impl IntoIterator<Item = &'a str>) -> String {
        let line =
            |key: &PublicKey| format!("{} is vouched for by {}\n", short(&key.to_hex()), self.in_words(key));
        self.among(recorded).iter().map(line).collect()
    }

    /// Records for programs with who vouches for each, and with those that have no record.
    pub fn beside(&self, records: impl IntoIterator<Item = Value>) -> Vec<Value> {
        let mut rows: Vec<Value> = records.into_iter().collect();
        let recorded: Vec<String> =
            rows.iter().filter_map(|row| row["provider"].as_str().map(str::to_owned)).collect();
        let vouched = self.among(recorded.iter().map(String::as_str));
        for key in vouched.iter().map(PublicKey::to_hex).filter(|key| !recorded.contains(key)) {
            rows.push(json!({"provider": key, "standing": "newcomer", "answers": 0}));
        }
        for row in &mut rows {
            let key = row["provider"].as_str().and_then(|key| PublicKey::from_hex(key).ok());
            let by = key.map(|key| self.vouching.by(&key).map(PublicKey::to_hex).collect::<Vec<_>>());
            row["vouched_by"] = by.unwrap_or_default().into();
        }
        rows
    }

    /// What a run's record says of it; `None` where nobody vouches for anybody.
    pub fn note(&self) -> Option<String> {
        if let Some(failure) = &self.failure {
            return Some(format!("follow lists and labels of [trust] follow could not be read: {failure}"));
        }
        let keys = self.vouching.iter().count();
        (keys > 0).then(|| {
            let providers = self.providers.len();
            format!("{keys} keys are vouched for, {providers} of them providers: in a crowd these are asked before unknown ones")
        })
    }

    fn read(home: &Home, follow: &[String]) -> Option<(Self, u64)> {
        let text = std::fs::read(home.vouching()).ok()?;
        let file: File = serde_json::from_slice(&text).ok()?;
        let key = |hex: &String| PublicKey::from_hex(hex).ok();
        let pairs = file.by.iter().flat_map(|(who, by)| by.iter().map(move |by| (key(who), key(by))));
        let pairs = pairs.filter_map(|(who, by)| Some((who?, by?)));
        let vouched = Self {
            vouching: Vouching::from_pairs(pairs),
            providers: file.providers.iter().filter_map(key).collect(),
            failure: None,
        };
        (file.follow == follow).then_some((vouched, file.read_at))
    }

    fn write(&self, home: &Home, follow: &[String], read_at: u64) -> anyhow::Result<()> {
        let by = |(who, by): (&PublicKey, &BTreeSet<PublicKey>)| {
            (who.to_hex(), by.iter().map(PublicKey::to_hex).collect())
        };
        let file = File {
            read_at,
            follow: follow.to_owned(),
            by: self.vouching.iter().map(by).collect(),
            providers: self.providers.iter().map(PublicKey::to_hex).collect(),
        };
        let text = serde_json::to_vec(&file)?;
        Ok(files::replace(&home.vouching(), &text, files::Access::Owner)?)
    }
}

/// What relays said last; nobody is asked. Blocks.
pub fn last_known(home: &Home, settings: &TrustConfig) -> anyhow::Result<Vouched> {
    let follow = named(settings)?;
    if follow.is_empty() {
        return Ok(Vouched::default());
    }
    Ok(Vouched::read(home, &follow).map_or_else(Vouched::default, |(vouched, _)| vouched))
}

/// The same, asked of these relays where it is too old. Relays that cannot be reached leave what was known before.
pub async fn current(home: &Home, settings: &TrustConfig, relays: &[RelayUrl]) -> anyhow::Result<Vouched> {
    let follow = named(settings)?;
    if follow.is_empty() {
        return Ok(Vouched::default());
    }
    let now = unix_secs();
    let (before, read_at) = Vouched::read(home, &follow).unwrap_or_default();
    if now.saturating_sub(read_at) < KEPT_FOR_SECS {
        return Ok(before);
    }
    let keys: Vec<PublicKey> = follow.iter().filter_map(|hex| PublicKey::from_hex(hex).ok()).collect();
    match tokio::time::timeout(MOST_TIME, ask(relays, &keys)).await {
        Ok(Ok(vouched)) => {
            if let Err(error) = vouched.write(home, &follow, now) {
                tracing::warn!(%error, "who vouches for whom is not kept");
            }
            Ok(vouched)
        }
        Ok(Err(error)) => Ok(Vouched { failure: Some(error), ..before }),
        Err(_) => Ok(Vouched { failure: Some("the relays took too long".to_owned()), ..before }),
    }
}

/// The keys of the settings, as hex.
fn named(settings: &TrustConfig) -> anyhow::Result<Vec<String>> {
    let key = |name: &String| {
        let mistake =
            || Failure::usage(format!("[trust] follow {name}: not a public key; use an npub1… address"));
        PublicKey::parse(name).map(|key| key.to_hex()).map_err(|_| mistake())
    };
    Ok(settings.follow.iter().map(key).collect::<Result<_, _>>()?)
}

/// Asks relays. The connection has a key of its own, so that nothing links the question to a run.
async fn ask(relays: &[RelayUrl], named: &[PublicKey]) -> Result<Vouched, String> {
    let options = ConnectOptions { auth_keys: Some(Keys::generate()), ..ConnectOptions::default() };
    let connected = Connection::connect(relays, options).await;
    let (publisher, _incoming) = connected.map_err(|error| error.to_string())?;
    let lists = Filter::new().kind(FOLLOW_LIST).authors(named.iter().copied()).limit(named.len());
    let of_namespace = SingleLetterTag::uppercase(Alphabet::L);
    let labels = Filter::new()
        .kind(LABEL)
        .authors(named.iter().copied())
        .custom_tags(of_namespace, NAMESPACES)
        .limit(MOST_LABELS);
    let events: Vec<Event> = publisher.fetch(vec![lists, labels], PATIENCE).await;
    let vouching = Vouching::of(&events, named);
    let providers = announced(&publisher, &vouching).await;
    publisher.shutdown().await;
    Ok(Vouched { vouching, providers, failure: None })
}

/// Whom of those that are vouched for providers are.
async fn announced(publisher: &Publisher, vouching: &Vouching) -> Vec<PublicKey> {
    let keys: Vec<PublicKey> = vouching.iter().map(|(key, _)| *key).take(MOST_VOUCHED).collect();
    let oldest = Timestamp::now() - ANNOUNCEMENT_LIFETIME_SECS;
    let mut found = Vec::new();
    for keys in keys.chunks(AUTHORS_AT_ONCE) {
        let filter = announcements().authors(keys.iter().copied()).since(oldest).limit(keys.len());
        for event in publisher.fetch(vec![filter], PATIENCE).await {
            let is_ours = Announcement::from_event(&event).is_ok_and(|offer| offer.profile.is_some());
            if is_ours && keys.contains(&event.pubkey) && !found.contains(&event.pubkey) {
                found.push(event.pubkey);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use frlm_protocol::vouching::{PROVIDER_NAMESPACE, RECOMMENDED};
    use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
    use nostr::{EventBuilder, Kind, Tag, ToBech32 as _};

    use super::*;
    use crate::failure::render_error;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().join("home"))).unwrap();
        (folder, home)
    }

    fn said(by: &Keys, kind: Kind, tags: &[&[&str]]) -> Event {
        let tags = tags.iter().map(|tag| Tag::parse(tag.iter().copied()).unwrap());
        EventBuilder::new(kind, "").tags(tags).sign_with_keys(by).unwrap()
    }

    #[tokio::test]
    async fn follow_lists_and_labels_of_named_keys_are_read_and_kept() {
        let (_folder, home) = home();
        let relay =
            EmbeddedRelay::start(EmbeddedRelayConfig::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let [user, stranger, followed, labelled, other] = std::array::from_fn(|_| Keys::generate());
        let hex = |keys: &Keys| keys.public_key().to_hex();
        let recommended = ["l", RECOMMENDED, PROVIDER_NAMESPACE];
        let events = [
            said(&user, FOLLOW_LIST, &[&["p", &hex(&followed)]]),
            said(&user, LABEL, &[&["L", PROVIDER_NAMESPACE], &recommended, &["p", &hex(&labelled)]]),
            said(&stranger, FOLLOW_LIST, &[&["p", &hex(&other)]]),
        ];
        let relays = [relay.url().clone()];
        let (publisher, _incoming) = Connection::connect(&relays, ConnectOptions::default()).await.unwrap();
        for event in &events {
            publisher.publish(event).await.unwrap();
        }
        let settings = TrustConfig { follow: vec![user.public_key().to_bech32().unwrap()] };
        let vouched = current(&home, &settings, &relays).await.unwrap();
        let by = |vouched: &Vouched, keys: &Keys| vouched.in_words(&keys.public_key());
        let name = short(&hex(&user));
        assert_eq!(by(&vouched, &followed), name);
        assert_eq!((by(&vouched, &labelled), by(&vouched, &user)), (name, "you".to_owned()));
        assert!(by(&vouched, &other).is_empty(), "nobody named its follower");
        assert_eq!(vouched.ids().count(), 3);
        // It is kept, also where no relay is there.
        relay.shutdown().await;
        assert_eq!(last_known(&home, &settings).unwrap(), vouched);
        assert_eq!(current(&home, &settings, &relays).await.unwrap(), vouched);
        let others = TrustConfig { follow: vec![hex(&stranger)] };
        assert_eq!(last_known(&home, &others).unwrap(), Vouched::default(), "it is of other keys");
        let unread = current(&home, &others, &[]).await.unwrap();
        assert!(unread.note().unwrap().contains("could not be read"), "{unread:?}");
    }

    #[test]
    fn providers_are_listed_with_who_vouches_for_them_and_people_are_not() {
        let [voucher, recorded, fresh, person, other] =
            std::array::from_fn(|_| Keys::generate().public_key());
        let vouching = Vouching::from_pairs([recorded, fresh, person].map(|key| (key, voucher)));
        let all = Vouched { vouching, providers: vec![fresh], failure: None };
        let keys = [recorded.to_hex(), other.to_hex()];
        let rows = all.beside(keys.iter().map(|key| json!({"provider": key, "standing": "known"})));
        let row =
            |at: usize| (rows[at]["provider"].as_str().unwrap(), rows[at]["standing"].as_str().unwrap());
        assert_eq!(rows.len(), 3, "{rows:?}");
        assert_eq!((row(1), row(2)), ((&*keys[1], "known"), (&*fresh.to_hex(), "newcomer")));
        let by = |at: usize| rows[at]["vouched_by"].clone();
        assert_eq!([by(0), by(1), by(2)], [json!([voucher.to_hex()]), json!([]), json!([voucher.to_hex()])]);
        let lines = all.lines(keys.iter().map(String::as_str));
        let of_fresh = format!("{} is vouched for by {}", short(&fresh.to_hex()), short(&voucher.to_hex()));
        assert!(lines.lines().count() == 2 && lines.contains(&of_fresh), "{lines}");
        assert_eq!(Vouched::default().lines([]), "");
    }

    #[test]
    fn what_is_no_key_is_a_mistake_of_use_and_is_named() {
        let (_folder, home) = home();
        let settings = TrustConfig { follow: vec!["mara".to_owned()] };
        let (words, code) = render_error(&last_known(&home, &settings).unwrap_err());
        assert!(words.contains("[trust] follow mara: not a public key") && code == 2, "{words}");
    }
}
