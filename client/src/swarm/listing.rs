//! Who can be asked now: a fold over announcements and heartbeats.
//!
//! A provider is listed from its announcement and its first sign of life on; it drops out when its
//! last sign of life expires. Work is one, too: a relay that takes few events may take results and no heartbeat. Everything listed is a claim. Signs of life of keys that announced nothing take no place
//! of those that did, and what is dated ahead counts for nothing.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use frlm_conductor::swarm::{EscrowOffer, ProviderId, ProviderInfo, Tariff};
use frlm_inference::Dialect;
use frlm_protocol::announcement::{ReceivedAnnouncement, ReceivedHeartbeat};
use frlm_protocol::kinds::{ANNOUNCEMENT, HEARTBEAT, JOB_FEEDBACK, JOB_RESULT, PROFILE_VERSION};
use frlm_protocol::limits::{CLOCK_SLACK_SECS, MAX_HEARTBEAT_LIFETIME_SECS};
use frlm_protocol::{Announcement, Heartbeat, ModelIdentity, one_line};
use frlm_wallet::Msats;
use nostr::{Event, PublicKey, Timestamp};

use super::skew::{ClockOff, Skew};

/// What an event changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The provider can be asked, or asks for something else than before.
    Seen(Box<ProviderInfo>),
    /// Another number of jobs waits there.
    Load {
        /// Whose heartbeat says so.
        provider: ProviderId,
        /// Jobs that wait.
        queue_length: u32,
    },
    /// The provider is gone.
    Gone(ProviderId),
    /// A provider is there that cannot be asked: why, in words.
    Unusable(String),
}

#[derive(Debug, Default)]
struct Listing {
    announced: Option<ReceivedAnnouncement>,
    alive_until: Option<Timestamp>,
    heartbeat_at: Option<Timestamp>,
    listed: bool,
    /// Whether it was said that it speaks another profile.
    named: bool,
    /// Jobs that wait there, and what was last told of them.
    queue_length: u32,
    told_queue: u32,
}

/// Keys that are remembered at most. When a relay names more, those that are not listed now go first.
const MOST_PROVIDERS: usize = 20_000;

/// Signs of life that are kept for an announcement that comes after them, on another relay.
const MOST_EARLY: usize = 1_024;

/// How long a result, or a word about a job, is a sign of life. A relay that has taken all that it takes in a minute may take
/// no heartbeat for as long.
const WORK_IS_LIFE_SECS: u64 = 90;

/// A sign of life that counts for no longer than this is a farewell.
const FAREWELL_SECS: u64 = 2;

/// The providers of one set of relays.
#[derive(Debug)]
pub struct Directory {
    most: usize,
    listings: HashMap<PublicKey, Listing>,
    expiries: BTreeSet<(Timestamp, PublicKey)>,
    /// How many of them are listed now.
    listed: usize,
    /// Those that are remembered however many others there are.
    named: HashSet<PublicKey>,
    /// Signs of life of keys that have announced nothing so far, the oldest first.
    early: VecDeque<ReceivedHeartbeat>,
    skew: Skew,
}

impl Default for Directory {
    fn default() -> Self {
        Self::naming(&[])
    }
}

impl Directory {
    /// An empty one, in which these always have a place.
    pub fn naming(named: &[PublicKey]) -> Self {
        Self {
            most: MOST_PROVIDERS,
            listings: HashMap::new(),
            expiries: BTreeSet::new(),
            listed: 0,
            named: named.iter().copied().collect(),
            early: VecDeque::new(),
            skew: Skew::default(),
        }
    }

    /// Takes in an event of a relay, whatever it is. Foreign offers are none of ours: their models answer in no dialect
    /// that runs speak.
    pub fn heard(&mut self, event: &Event, now: Timestamp) -> Option<Change> {
        if event.kind == ANNOUNCEMENT {
            let announced = Announcement::from_event(event).ok()?;
            match announced.profile.as_deref()? {
                PROFILE_VERSION => self.announced(announced, now),
                other => self.speaks_otherwise(announced.provider, other),
            }
        } else if event.kind == HEARTBEAT {
            self.alive(&Heartbeat::from_event(event).ok()?, now)
        } else {
            if event.kind == JOB_RESULT || event.kind == JOB_FEEDBACK {
                self.worked(event.pubkey, event.created_at, now);
            }
            None
        }
    }

    /// A listed provider works: so it is alive, unless it has said farewell.
    fn worked(&mut self, provider: PublicKey, at: Timestamp, now: Timestamp) {
        let until = at.min(now) + WORK_IS_LIFE_SECS;
        let Some(listing) = self.listings.get_mut(&provider).filter(|known| known.listed) else { return };
        let Some(before) = listing.alive_until.filter(|before| *before > now + FAREWELL_SECS) else { return };
        if until > before {
            listing.alive_until = Some(until);
            self.expiries.remove(&(before, provider));
            self.expiries.insert((until, provider));
        }
    }

    /// A peer of ours speaks another profile: it is named once, as long as it is remembered.
    fn speaks_otherwise(&mut self, provider: PublicKey, version: &str) -> Option<Change> {
        let listing = self.listing(provider)?;
        if std::mem::replace(&mut listing.named, true) {
            return None;
        }
        let older = whole(version).zip(whole(PROFILE_VERSION)).is_some_and(|(its, ours)| its < ours);
        let fix = if older { "it has to be updated" } else { "update this program to ask it" };
        let (provider, version) = (provider.to_hex(), one_line(version));
        let why = format!(
            "provider {provider} speaks version {version} of the profile, and this program {PROFILE_VERSION}: {fix}"
        );
        Some(Change::Unusable(why))
    }

    /// Takes in an announcement.
    pub fn announced(&mut self, announcement: ReceivedAnnouncement, now: Timestamp) -> Option<Change> {
        let provider = announcement.provider;
        if self.is_ahead(provider, announcement.created_at, now) {
            return None;
        }
        let listing = self.listing(provider)?;
        if listing.announced.as_ref().is_some_and(|known| known.created_at > announcement.created_at) {
            return None;
        }
        let changed =
            listing.announced.as_ref().is_none_or(|known| known.announcement != announcement.announcement);
        listing.announced = Some(announcement);
        let early = self.early.iter().position(|heartbeat| heartbeat.provider == provider);
        if let Some(heartbeat) = early.and_then(|index| self.early.remove(index))
            && let Some(change) = self.alive(&heartbeat, now)
        {
            return Some(change);
        }
        self.refresh(provider, now, changed)
    }

    /// Takes in a sign of life of a provider that is announced, or keeps it for a while where it is not.
    pub fn alive(&mut self, received: &ReceivedHeartbeat, now: Timestamp) -> Option<Change> {
        let provider = received.provider;
        if self.is_ahead(provider, received.created_at, now) {
            return None;
        }
        let Some(listing) = self.listings.get_mut(&provider).filter(|known| known.announced.is_some()) else {
            self.came_early(*received);
            return None;
        };
        self.skew.hear(provider, received.created_at, now);
        let latest = now + MAX_HEARTBEAT_LIFETIME_SECS;
        if listing.heartbeat_at.is_some_and(|known| known > received.created_at) {
            return None;
        }
        listing.heartbeat_at = Some(received.created_at);
        listing.queue_length = received.heartbeat.queue_length;
        let until = received.heartbeat.expires_at.min(latest);
        let before = listing.alive_until.replace(until);
        if let Some(before) = before {
            self.expiries.remove(&(before, provider));
        }
        self.expiries.insert((until, provider));
        self.refresh(provider, now, false)
    }

    /// How far this machine's clock is from those of the providers, the first time that it is known to be wrong.
    pub fn clock_off(&mut self) -> Option<ClockOff> {
        self.skew.off_once()
    }

    /// Drops providers that gave no sign of life in time.
    pub fn expire(&mut self, now: Timestamp) -> Vec<Change> {
        let mut gone = Vec::new();
        while let Some((until, provider)) = self.expiries.first().copied() {
            if until > now {
                break;
            }
            self.expiries.pop_first();
            gone.extend(self.refresh(provider, now, false));
        }
        gone
    }

    /// Whether something is dated so far ahead that it counts for nothing: it would count until then, whatever comes after it.
    /// It is this machine's clock that may be wrong.
    fn is_ahead(&mut self, provider: PublicKey, dated: Timestamp, now: Timestamp) -> bool {
        let ahead = dated > now + CLOCK_SLACK_SECS;
        if ahead {
            self.skew.hear(provider, dated, now);
        }
        ahead
    }

    fn came_early(&mut self, heartbeat: ReceivedHeartbeat) {
        self.early.retain(|known| known.provider != heartbeat.provider);
        if self.early.len() >= MOST_EARLY {
            self.early.pop_front();
        }
        self.early.push_back(heartbeat);
    }

    fn listing(&mut self, provider: PublicKey) -> Option<&mut Listing> {
        let is_known = self.named.contains(&provider) || self.listings.contains_key(&provider);
        if self.listings.len() >= self.most && !is_known {
            if self.listed >= self.most {
                // All of them are at work: nobody is looked through for each key that comes.
                return None;
            }
            self.listings.retain(|_, listing| listing.listed);
            // Signs of life of forgotten keys must not pile up either.
            let listings = &self.listings;
            self.expiries.retain(|(_, key)| listings.contains_key(key));
        }
        Some(self.listings.entry(provider).or_default())
    }

    fn refresh(&mut self, provider: PublicKey, now: Timestamp, changed: bool) -> Option<Change> {
        let listing = self.listings.get_mut(&provider)?;
        let alive = listing.alive_until.is_some_and(|until| until > now);
        let was_listed = listing.listed;
        if let (Some(announced), true) = (&listing.announced, alive) {
            listing.listed = true;
            self.listed += usize::from(!was_listed);
            if !was_listed || changed {
                listing.told_queue = listing.queue_length;
                return Some(Change::Seen(Box::new(info(announced, listing.queue_length))));
            }
            let told = std::mem::replace(&mut listing.told_queue, listing.queue_length);
            (told != listing.queue_length).then(|| Change::Load {
                provider: provider.to_hex().into(),
                queue_length: listing.queue_length,
            })
        } else {
            listing.listed = false;
            self.listed -= usize::from(was_listed);
            was_listed.then(|| Change::Gone(provider.to_hex().into()))
        }
    }
}

fn whole(version: &str) -> Option<u32> {
    version.trim().parse().ok()
}

fn info(received: &ReceivedAnnouncement, queue_length: u32) -> ProviderInfo {
    let announcement = &received.announcement;
    ProviderInfo {
        id: received.provider.to_hex().into(),
        name: announcement.name.clone(),
        model: ModelIdentity {
            name: announcement.model.clone(),
            weights_hash: announcement.weights_hash.clone(),
        },
        // A dialect we do not know is that of a newer peer; plain instructions are the safe guess.
        dialect: if announcement.dialect == "records" { Dialect::Records } else { Dialect::Json },
        context_tokens: announcement.context_tokens as usize,
        speed: announcement.speed,
        workers: announcement.concurrency.max(1),
        queue_length,
        tariff: Tariff {
            read_per_1k: Msats(announcement.price_msats_per_1k),
            written_per_1k: Msats(
                announcement.written_msats_per_1k.unwrap_or(announcement.price_msats_per_1k),
            ),
            // Beyond any budget where it is beyond counting.
            least: Msats(announcement.least_msats).ceil_to_sats(),
            free_jobs: announcement.free_jobs_per_day,
        },
        trusted: false,
        escrow: announcement.escrow_key.clone().map(|key| EscrowOffer {
            key,
            mints: announcement.mints.clone(),
            pay_after_jobs: announcement.pay_after_jobs,
        }),
        flat_price: None,
        pow_bits: received.pow_bits,
        blob_bytes: announcement.blob_bytes,
    }
}

#[cfg(test)]
mod tests {
    use frlm_protocol::{Announcement, Heartbeat, Speed};
    use nostr::{EventBuilder, Keys, Tag};

    use super::*;

    fn announcement(keys: &Keys, at: u64, price: u64) -> ReceivedAnnouncement {
        let announcement = Announcement {
            name: "p".to_owned(),
            model: "m".to_owned(),
            weights_hash: None,
            quantisation: None,
            context_tokens: 1024,
            speed: Speed::new(1_000.0, f64::from(u32::try_from(price).unwrap())),
            price_msats_per_1k: price,
            written_msats_per_1k: None,
            least_msats: 0,
            dialect: "records".to_owned(),
            concurrency: 1,
            roles: Vec::new(),
            mints: Vec::new(),
            escrow_key: None,
            pay_after_jobs: 0,
            free_jobs_per_day: 0,
            accepts_open_jobs: false,
            blob_bytes: 0,
        };
        let event = announcement.to_event(Timestamp::from(at + 600), keys, Timestamp::from(at)).unwrap();
        Announcement::from_event(&event).unwrap()
    }

    fn heartbeat(keys: &Keys, at: u64, until: u64) -> ReceivedHeartbeat {
        heartbeat_with(keys, at, until, 0)
    }

    fn heartbeat_with(keys: &Keys, at: u64, until: u64, queue_length: u32) -> ReceivedHeartbeat {
        let heartbeat = Heartbeat { queue_length, expires_at: Timestamp::from(until) };
        let event = heartbeat.to_event(keys, Timestamp::from(at)).unwrap();
        Heartbeat::from_event(&event).unwrap()
    }

    #[test]
    fn a_provider_is_listed_while_it_gives_signs_of_life() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let at = |seconds: u64| Timestamp::from(1_000 + seconds);
        assert_eq!(directory.announced(announcement(&keys, 1_000, 5), at(0)), None);
        let seen = directory.alive(&heartbeat(&keys, 1_000, 1_020), at(0));
        assert!(matches!(&seen, Some(Change::Seen(info)) if info.tariff == Tariff::per_1k(Msats(5))));
        assert_eq!(directory.alive(&heartbeat(&keys, 1_010, 1_030), at(10)), None);
        assert!(directory.expire(at(25)).is_empty());
        assert!(matches!(directory.expire(at(31)).as_slice(), [Change::Gone(_)]));
        assert!(matches!(directory.alive(&heartbeat(&keys, 1_032, 1_050), at(32)), Some(Change::Seen(_))));
    }

    #[test]
    fn a_provider_whose_results_come_is_alive_until_it_says_farewell() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let at = |seconds: u64| Timestamp::from(1_000 + seconds);
        directory.announced(announcement(&keys, 1_000, 5), at(0));
        directory.alive(&heartbeat(&keys, 1_000, 1_060), at(0));
        let result = |seconds| {
            EventBuilder::new(JOB_RESULT, "").custom_created_at(at(seconds)).sign_with_keys(&keys).unwrap()
        };
        assert_eq!(directory.heard(&result(20), at(20)), None);
        assert!(directory.expire(at(109)).is_empty(), "a relay took its result and no heartbeat");
        assert!(matches!(directory.expire(at(110)).as_slice(), [Change::Gone(_)]));
        directory.heard(&result(111), at(111));
        assert!(matches!(directory.alive(&heartbeat(&keys, 1_112, 1_172), at(112)), Some(Change::Seen(_))));
        directory.alive(&heartbeat(&keys, 1_120, 1_121), at(120));
        directory.heard(&result(115), at(120));
        assert!(matches!(directory.expire(at(121)).as_slice(), [Change::Gone(_)]), "it has left");
    }

    #[test]
    fn a_sign_of_life_from_the_future_keeps_nobody_listed() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let at = |seconds: u64| Timestamp::from(1_000 + seconds);
        directory.announced(announcement(&keys, 1_000, 5), at(0));
        assert_eq!(directory.alive(&heartbeat(&keys, 2_000_000_000, 2_000_000_060), at(0)), None);
        assert_eq!(directory.alive(&heartbeat(&keys, 1_121, 1_300), at(0)), None);
        // A clock that is a little ahead is one of those that there are.
        let seen = directory.alive(&heartbeat(&keys, 1_120, 1_700), at(0));
        assert!(matches!(seen, Some(Change::Seen(_))));
        assert!(directory.expire(at(599)).is_empty());
        assert!(matches!(directory.expire(at(600)).as_slice(), [Change::Gone(_)]));
    }

    #[test]
    fn signs_of_life_tell_once_that_this_machines_clock_is_wrong() {
        let (mut directory, now) = (Directory::default(), Timestamp::from(10_000));
        for _ in 0..2 {
            assert_eq!(directory.clock_off(), None, "one alone may have lain at its relay");
            let keys = Keys::generate();
            directory.announced(announcement(&keys, 9_000, 5), now);
            directory.alive(&heartbeat(&keys, 9_400, 10_100), now);
        }
        assert_eq!(directory.clock_off(), Some(ClockOff { secs: 600, is_behind: false, providers: 2 }));
        assert_eq!(directory.clock_off(), None, "it was said");
        // What is dated ahead counts for nothing else, and nobody has to be known for it.
        let mut behind = Directory::default();
        assert_eq!(behind.alive(&heartbeat(&Keys::generate(), 10_600, 10_700), now), None);
        assert_eq!(behind.clock_off(), Some(ClockOff { secs: 600, is_behind: true, providers: 1 }));
    }

    #[test]
    fn an_offer_that_is_dated_ahead_never_stands_in_the_way_of_those_after_it() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let now = Timestamp::from(1_000);
        assert_eq!(directory.announced(announcement(&keys, 1_121, 9), now), None);
        directory.announced(announcement(&keys, 1_000, 5), now);
        let seen = directory.alive(&heartbeat(&keys, 1_000, 1_020), now);
        assert!(matches!(seen, Some(Change::Seen(info)) if info.tariff == Tariff::per_1k(Msats(5))));
    }

    #[test]
    fn a_flood_of_heartbeats_displaces_no_announcement_or_early_heartbeat() {
        let mut directory = Directory { most: 50, ..Directory::default() };
        let now = Timestamp::from(1_000);
        let (announced, early) = (Keys::generate(), Keys::generate());
        directory.announced(announcement(&announced, 1_000, 5), now);
        directory.alive(&heartbeat(&early, 1_000, 1_020), now);
        for _ in 0..500 {
            assert_eq!(directory.alive(&heartbeat(&Keys::generate(), 1_060, 1_600), now), None);
        }
        let alive = directory.alive(&heartbeat(&announced, 1_000, 1_020), now);
        assert!(matches!(alive, Some(Change::Seen(_))), "its announcement is still known");
        let alive = directory.announced(announcement(&early, 1_000, 5), now);
        assert!(matches!(alive, Some(Change::Seen(_))), "its heartbeat is still known");
        assert_eq!(directory.listings.len(), 2, "nobody else has a place");
    }

    #[test]
    fn a_queue_is_told_with_the_provider_and_then_whenever_it_changes() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let at = |seconds: u64| Timestamp::from(1_000 + seconds);
        directory.announced(announcement(&keys, 1_000, 5), at(0));
        let seen = directory.alive(&heartbeat_with(&keys, 1_000, 1_020, 7), at(0));
        assert!(matches!(&seen, Some(Change::Seen(info)) if info.queue_length == 7));
        assert_eq!(directory.alive(&heartbeat_with(&keys, 1_005, 1_025, 7), at(5)), None);
        let told = directory.alive(&heartbeat_with(&keys, 1_010, 1_030, 2), at(10));
        assert!(matches!(&told, Some(Change::Load { queue_length: 2, .. })), "{told:?}");
        assert_eq!(directory.announced(announcement(&keys, 1_011, 5), at(11)), None);
    }

    #[test]
    fn an_older_announcement_never_replaces_a_newer_one() {
        let (keys, mut directory) = (Keys::generate(), Directory::default());
        let now = Timestamp::from(1_000);
        directory.alive(&heartbeat(&keys, 1_000, 1_020), now);
        assert!(directory.announced(announcement(&keys, 1_000, 5), now).is_some());
        assert_eq!(directory.announced(announcement(&keys, 900, 1), now), None);
        let change = directory.announced(announcement(&keys, 1_001, 7), now);
        assert!(matches!(change, Some(Change::Seen(info)) if info.tariff == Tariff::per_1k(Msats(7))));
    }

    #[test]
    fn a_peer_of_another_profile_is_named_once_with_what_would_help() {
        let mut directory = Directory::default();
        let announced = |version: &str| {
            let content = format!(r#"{{"frlm":{{"version":{version:?}}}}}"#);
            let tags = [Tag::parse(["d", "frlm"]).unwrap(), Tag::parse(["k", "5050"]).unwrap()];
            EventBuilder::new(ANNOUNCEMENT, content).tags(tags).sign_with_keys(&Keys::generate()).unwrap()
        };
        for (version, fix) in
            [("0", "it has to be updated"), ("2", "update this program"), ("1b\n", "update this program")]
        {
            let event = announced(version);
            let change = directory.heard(&event, Timestamp::from(1_000));
            assert!(
                matches!(&change, Some(Change::Unusable(why)) if why.contains(fix) && !why.contains('\n')),
                "{change:?}"
            );
            assert_eq!(directory.heard(&event, Timestamp::from(1_001)), None);
        }
        let foreign = EventBuilder::new(ANNOUNCEMENT, "{}").tag(Tag::parse(["k", "5050"]).unwrap());
        let foreign = foreign.sign_with_keys(&Keys::generate()).unwrap();
        assert_eq!(directory.heard(&foreign, Timestamp::from(1_000)), None, "it is none of ours");
    }

    #[test]
    fn keys_that_show_no_life_do_not_keep_newcomers_out() {
        let mut directory = Directory { most: 2, ..Directory::default() };
        let now = Timestamp::from(1_000);
        let listed = Keys::generate();
        directory.announced(announcement(&listed, 1_000, 5), now);
        directory.alive(&heartbeat(&listed, 1_000, 1_020), now);
        // Announced, never alive; then one that only ever gave signs of life.
        directory.announced(announcement(&Keys::generate(), 1_000, 5), now);
        directory.alive(&heartbeat(&Keys::generate(), 1_000, 1_020), now);
        let newcomer = Keys::generate();
        directory.announced(announcement(&newcomer, 1_000, 5), now);
        let seen = directory.alive(&heartbeat(&newcomer, 1_000, 1_020), now);
        assert!(matches!(seen, Some(Change::Seen(_))));
        // Both are listed: now the directory is full of living providers.
        directory.announced(announcement(&Keys::generate(), 1_000, 5), now);
        assert_eq!(directory.listings.len(), 2);
        assert_eq!(directory.expire(Timestamp::from(2_000)).len(), 2);
        assert_eq!(directory.listed, 0);
    }

    #[test]
    fn who_is_named_has_a_place_however_many_others_are_alive() {
        let (named, now) = (Keys::generate(), Timestamp::from(1_000));
        let mut directory = Directory { most: 2, ..Directory::naming(&[named.public_key()]) };
        let mut come = |keys: &Keys| {
            directory.announced(announcement(keys, 1_000, 5), now);
            directory.alive(&heartbeat(keys, 1_000, 1_020), now).is_some()
        };
        assert!(come(&Keys::generate()) && come(&Keys::generate()));
        assert!(!come(&Keys::generate()), "it is full");
        assert!(come(&named));
    }
}
