//! Finds providers at relays so that no stranger can hide them (`docs/decisions/0086-discovery-that-nobody-floods.md`).
//!
//! A relay answers a filter with its newest few hundred events, and keys cost nothing. So nothing here rests on what a
//! relay returns first:
//!
//! ```text
//!  standing  announcements of our kind and name, from now on ─┐
//!            heartbeats of our name, from now on, by the gate ├──► Directory
//!            both of those that are sought, by author         │
//!  stored    announcements up to now, page after page ────────┤
//!                  └─► heartbeats of those that announced, ───┘
//!                      by author
//! ```
//!
//! The stored ones are read when this begins, and again from relays that come online later, for as long as a slow relay
//! takes.

use std::collections::HashSet;
use std::time::Duration;

use frlm_protocol::Announcement;
use frlm_protocol::announcement::PROVIDER_IDENTIFIER;
use frlm_protocol::kinds::{ANNOUNCEMENT, HEARTBEAT, JOB_REQUEST};
use frlm_protocol::limits::{ANNOUNCEMENT_LIFETIME_SECS, CLOCK_SLACK_SECS, MAX_HEARTBEAT_LIFETIME_SECS};
use frlm_relay::{Publisher, RelayMessage};
use nostr::{Alphabet, Event, Filter, PublicKey, SingleLetterTag, Timestamp};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::gate::Gate;
use super::listing::{Change, Directory};
use super::skew::ClockOff;

/// Authors that one question names: with their keys these are 17 KB, and no relay cuts the answer.
const AUTHORS_AT_ONCE: usize = 250;
/// Such questions at once: relays allow ten subscriptions and more of a client.
const MOST_ASKED: usize = 2;
/// How long announcements are gathered before the heartbeats of their authors are asked for.
const GATHER: Duration = Duration::from_millis(50);
/// A relay that sends nothing for so long has sent what it has.
const SILENCE: Duration = Duration::from_secs(10);
/// Stored events on their way to the reader.
const FOUND: usize = 1_024;
/// Events of one page.
const PAGE: usize = 500;

/// What is known of the providers at some relays, and the search for more.
pub struct Discovery {
    publisher: Publisher,
    directory: Directory,
    gate: Gate,
    /// Relays that were connected when stored events were asked for last.
    asked: HashSet<String>,
    /// Until all of them are read.
    reading: Option<StoredEvents>,
}

/// Stored events, while they are read.
struct StoredEvents {
    found: mpsc::Receiver<Event>,
    _task: AbortOnDropHandle<()>,
}

impl Discovery {
    /// Begins to look. Those that are `sought` are found however many others a relay knows.
    pub async fn begin(publisher: &Publisher, sought: &[PublicKey]) -> Self {
        let now = Timestamp::now();
        let recent = now - CLOCK_SLACK_SECS;
        let all = vec![announcements().since(recent), heartbeats().since(recent)];
        let gate = Gate::for_keys(sought);
        let at_the_gate = gate.clone();
        publisher.subscribe_to("directory", all, move |event| at_the_gate.lets_in(event)).await;
        let mut filters = Vec::new();
        for authors in sought.chunks(AUTHORS_AT_ONCE) {
            let authors = authors.iter().copied();
            let oldest = now - ANNOUNCEMENT_LIFETIME_SECS;
            filters.push(announcements().authors(authors.clone()).since(oldest));
            filters.push(heartbeats().authors(authors).since(now - MAX_HEARTBEAT_LIFETIME_SECS));
        }
        if !filters.is_empty() {
            // Apart, so that a relay that takes no filter of this size takes the others.
            publisher.subscribe("sought", filters).await;
        }
        Self {
            publisher: publisher.clone(),
            directory: Directory::naming(sought),
            gate,
            asked: connected(publisher),
            reading: Some(StoredEvents::begin(publisher)),
        }
    }

    /// Takes in what a relay said, whatever it is.
    pub fn heard(&mut self, message: &RelayMessage, now: Timestamp) -> Option<Change> {
        match message {
            RelayMessage::Event(event) => self.take(event, now),
            RelayMessage::Online(relay) if !self.asked.contains(relay.as_str()) => {
                // Those that were being read are read again: it is known of none how far it had come.
                self.asked = connected(&self.publisher);
                self.asked.insert(relay.to_string());
                self.reading = Some(StoredEvents::begin(&self.publisher));
                None
            }
            RelayMessage::Offline { relay, .. } => {
                self.asked.remove(relay.as_str());
                None
            }
            _ => None,
        }
    }

    fn take(&mut self, event: &Event, now: Timestamp) -> Option<Change> {
        if event.kind == ANNOUNCEMENT {
            self.gate.admit(event.pubkey);
        }
        self.directory.heard(event, now)
    }

    /// The next change by stored events; pends for ever once all of them are read. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Found {
        let Some(reading) = &mut self.reading else { return std::future::pending().await };
        if let Some(event) = reading.found.recv().await {
            return Found::Event(self.take(&event, Timestamp::now()));
        }
        self.reading = None;
        Found::All
    }

    /// Drops those that gave no sign of life in time.
    pub fn expire(&mut self, now: Timestamp) -> Vec<Change> {
        self.directory.expire(now)
    }

    /// How far this machine's clock is from those of the providers, the first time that it is known to be wrong.
    pub fn clock_off(&mut self) -> Option<ClockOff> {
        self.directory.clock_off()
    }
}

/// What reading stored events came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// One was read, and may have changed something.
    Event(Option<Change>),
    /// Every relay has sent all that it had.
    All,
}

/// Announcements of providers, of any time.
pub fn announcements() -> Filter {
    let of_kind = SingleLetterTag::lowercase(Alphabet::K);
    Filter::new()
        .kind(ANNOUNCEMENT)
        .identifier(PROVIDER_IDENTIFIER)
        .custom_tag(of_kind, JOB_REQUEST.as_u16().to_string())
}

fn heartbeats() -> Filter {
    Filter::new().kind(HEARTBEAT).identifier(PROVIDER_IDENTIFIER)
}

/// The relays that can be asked now.
fn connected(publisher: &Publisher) -> HashSet<String> {
    let relays = publisher.relays().into_iter();
    relays.filter(|relay| relay.connected).map(|relay| relay.url.to_string()).collect()
}

impl StoredEvents {
    fn begin(publisher: &Publisher) -> Self {
        let (sender, found) = mpsc::channel(FOUND);
        let task = tokio::spawn(read_stored(publisher.clone(), sender));
        Self { found, _task: AbortOnDropHandle::new(task) }
    }
}

async fn read_stored(publisher: Publisher, found: mpsc::Sender<Event>) {
    let now = Timestamp::now();
    // What is dated ahead would stand on the first page for as long as its author likes.
    let latest = now + CLOCK_SLACK_SECS;
    let oldest = now - ANNOUNCEMENT_LIFETIME_SECS;
    let mut stored = publisher.stored(announcements().since(oldest).until(latest).limit(PAGE)).await;
    let (mut known, mut waiting, mut asking) = (HashSet::new(), Vec::new(), JoinSet::new());
    let mut has_more = true;
    while has_more || !waiting.is_empty() || !asking.is_empty() {
        let may_ask = asking.len() < MOST_ASKED && !waiting.is_empty();
        if may_ask && (!has_more || waiting.len() >= AUTHORS_AT_ONCE) {
            let authors = waiting.split_off(waiting.len().saturating_sub(AUTHORS_AT_ONCE));
            asking.spawn(read_heartbeats(publisher.clone(), authors, found.clone()));
            continue;
        }
        tokio::select! {
            event = stored.recv(), if has_more => match event {
                None => has_more = false,
                Some(event) => {
                    let is_ours = Announcement::from_event(&event).is_ok_and(|it| it.profile.is_some());
                    if is_ours && known.insert(event.pubkey) {
                        waiting.push(event.pubkey);
                    }
                    if found.send(event).await.is_err() {
                        return;
                    }
                }
            },
            () = tokio::time::sleep(GATHER), if has_more && may_ask => {
                let authors = std::mem::take(&mut waiting);
                asking.spawn(read_heartbeats(publisher.clone(), authors, found.clone()));
            }
            () = tokio::time::sleep(SILENCE), if has_more => has_more = false,
            Some(_) = asking.join_next(), if !asking.is_empty() => {}
        }
    }
}

async fn read_heartbeats(publisher: Publisher, authors: Vec<PublicKey>, found: mpsc::Sender<Event>) {
    let oldest = Timestamp::now() - MAX_HEARTBEAT_LIFETIME_SECS;
    let limit = authors.len();
    let mut stored = publisher.stored(heartbeats().authors(authors).since(oldest).limit(limit)).await;
    while let Ok(Some(event)) = tokio::time::timeout(SILENCE, stored.recv()).await {
        if found.send(event).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
