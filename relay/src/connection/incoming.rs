//! What relays say, on its way to the reader.
//!
//! Events are read by turns of their keys, and those of preferred keys first (`turns`).
//!
//! A slow reader must neither block publishing nor lose events silently. So the queue is bounded
//! by messages and bytes, for events of preferred keys and for others apart; an event that finds it full is counted, not remembered as seen, and
//! fetched again: once the reader has caught up it gets [`RelayMessage::Dropped`], and every
//! relay is asked for the standing subscriptions again, which repeats stored events.
//!
//! ```text
//!            event, room               reader below half
//! flowing ───────────────► flowing    ┌──────────────────► flowing, REQs repeated
//!    │ event, full                    │
//!    └──────────────► overflowing ────┘
//!                     count += 1
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nostr::{Event, EventId, PublicKey, RelayUrl};
use tokio::sync::{Notify, mpsc};

use super::core::Core;
use super::turns::ReadOrder;
use crate::seen::Seen;

/// Something a relay said, or something that happened to a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelayMessage {
    /// An event that matches a standing subscription. Id and signature are verified; each id comes
    /// once, however many relays send it.
    Event(Box<Event>),
    /// The relay can be used; standing subscriptions are on their way to it.
    Online(RelayUrl),
    /// The relay cannot be used; it is being tried again.
    Offline {
        /// Which.
        relay: RelayUrl,
        /// In the relay's words, or the system's.
        reason: String,
    },
    /// Words for people.
    Notice {
        /// From which relay.
        relay: RelayUrl,
        /// Bounded and printable.
        text: String,
    },
    /// The relay ended a standing subscription. It is asked for again after a while.
    Closed {
        /// Which relay.
        relay: RelayUrl,
        /// The subscription's name.
        subscription: String,
        /// In the relay's words.
        reason: String,
    },
    /// The reader was too slow for this many deliveries. Those that relays store come again.
    Dropped {
        /// Deliveries, counted per relay: one event from two relays counts twice.
        count: u64,
    },
}

/// The receiving end of a connection.
#[derive(Debug)]
pub struct Incoming {
    inbox: Arc<Inbox>,
    core: Arc<Core>,
    copies: Option<mpsc::Sender<Box<Event>>>,
}

impl Incoming {
    pub(super) fn new(inbox: Arc<Inbox>, core: Arc<Core>) -> Self {
        Self { inbox, core, copies: None }
    }

    /// An event record gets a copy of every event that is read from here. Reading never waits
    /// for them: what does not fit into their channel is left out.
    #[must_use]
    pub fn copied_to(mut self, copies: mpsc::Sender<Box<Event>>) -> Self {
        self.copies = Some(copies);
        self
    }

    /// The next message; `None` once the connection was shut down and everything is read.
    ///
    /// Dropping the returned future loses nothing.
    pub async fn recv(&mut self) -> Option<RelayMessage> {
        loop {
            match self.inbox.take() {
                Taken::Message(message) => {
                    if matches!(message, RelayMessage::Dropped { .. }) {
                        self.core.ask_again();
                    }
                    if let (Some(copies), RelayMessage::Event(event)) = (&self.copies, &message) {
                        let _ = copies.try_send(event.clone());
                    }
                    return Some(message);
                }
                Taken::Nothing => self.inbox.arrived.notified().await,
                Taken::End => return None,
            }
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Publishing may go on; nobody is left to read.
        self.inbox.close();
    }
}

enum Taken {
    Message(RelayMessage),
    Nothing,
    End,
}

/// What the queue has for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Free,
    /// The event is counted as dropped.
    Full,
    /// The reader has the event, or reads no more.
    NotNeeded,
}

#[derive(Debug)]
pub(super) struct Inbox {
    state: Mutex<State>,
    arrived: Notify,
    max_messages: usize,
    max_bytes: usize,
}

#[derive(Debug)]
struct State {
    queue: ReadOrder,
    dropped: u64,
    seen: Seen<EventId>,
    closed: bool,
}

impl Inbox {
    pub(super) fn new(max_messages: usize, max_bytes: usize, seen_ids: usize) -> Self {
        let state = State { queue: ReadOrder::new(), dropped: 0, seen: Seen::new(seen_ids), closed: false };
        Self { state: Mutex::new(state), arrived: Notify::new(), max_messages, max_bytes }
    }

    /// Whether an event would be delivered if it turned out to be genuine. Asked before its
    /// signature is checked, which costs more; nothing is delivered on the strength of the answer.
    pub(super) fn wants(&self, event: &Event, bytes: usize) -> Room {
        let mut state = self.lock();
        if state.closed || state.seen.contains(&event.id) {
            return Room::NotNeeded;
        }
        if self.is_full(&state, &event.pubkey, bytes) {
            state.dropped += 1;
            return Room::Full;
        }
        Room::Free
    }

    /// Delivers a verified event of this many bytes, unless another relay was faster.
    pub(super) fn deliver(&self, event: Event, bytes: usize) -> Room {
        let mut state = self.lock();
        if state.closed || state.seen.contains(&event.id) {
            return Room::NotNeeded;
        }
        if self.is_full(&state, &event.pubkey, bytes) {
            state.dropped += 1;
            return Room::Full;
        }
        state.seen.insert(event.id);
        state.queue.push(event, bytes);
        drop(state);
        self.arrived.notify_one();
        Room::Free
    }

    /// Tells what happened to a relay. Always queued: reconnects are paced, so there are few.
    pub(super) fn tell(&self, message: RelayMessage) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.queue.tell(message);
        drop(state);
        self.arrived.notify_one();
    }

    /// Passes on what a relay chose to say; chatter beyond the bound is not worth a count.
    pub(super) fn pass_on(&self, message: RelayMessage) {
        if self.lock().queue.len() < self.max_messages {
            self.tell(message);
        }
    }

    /// Events of this key are read before others, or are not any more.
    pub(super) fn prefer(&self, key: PublicKey, is_preferred: bool) {
        let mut state = self.lock();
        if is_preferred { state.queue.prefer(key) } else { state.queue.neglect(&key) }
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_one();
    }

    fn take(&self) -> Taken {
        let mut state = self.lock();
        let caught_up = state.queue.holds_at_most(self.max_messages / 2, self.max_bytes / 2);
        if state.dropped > 0 && caught_up {
            let count = std::mem::take(&mut state.dropped);
            return Taken::Message(RelayMessage::Dropped { count });
        }
        match state.queue.pop() {
            Some(message) => Taken::Message(message),
            None if state.closed => Taken::End,
            None => Taken::Nothing,
        }
    }

    fn is_full(&self, state: &State, key: &PublicKey, bytes: usize) -> bool {
        !state.queue.of(key).has_room(bytes, self.max_messages, self.max_bytes)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, and the state is valid between any two steps.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventBuilder, Keys, Kind};

    use super::*;

    fn event(text: &str) -> Event {
        EventBuilder::new(Kind::TextNote, text).sign_with_keys(&Keys::generate()).unwrap()
    }

    fn drain(inbox: &Inbox) -> Vec<RelayMessage> {
        std::iter::from_fn(|| match inbox.take() {
            Taken::Message(message) => Some(message),
            Taken::Nothing | Taken::End => None,
        })
        .collect()
    }

    #[test]
    fn an_event_from_two_relays_arrives_once() {
        let inbox = Inbox::new(8, 1000, 8);
        let event = event("x");
        inbox.deliver(event.clone(), 10);
        inbox.deliver(event.clone(), 10);
        assert_eq!(drain(&inbox), [RelayMessage::Event(Box::new(event.clone()))]);
        assert_eq!(inbox.wants(&event, 10), Room::NotNeeded);
    }

    #[test]
    fn what_does_not_fit_is_counted_and_may_come_again() {
        let inbox = Inbox::new(2, 1000, 8);
        let events: Vec<Event> = (0..4).map(|number| event(&number.to_string())).collect();
        for event in &events {
            inbox.deliver(event.clone(), 10);
        }
        let first = drain(&inbox);
        assert_eq!(first.len(), 3);
        assert!(first.contains(&RelayMessage::Dropped { count: 2 }));
        for event in &events {
            inbox.deliver(event.clone(), 10);
        }
        let again = drain(&inbox);
        let expected: Vec<_> =
            events[2..].iter().map(|event| RelayMessage::Event(Box::new(event.clone()))).collect();
        assert_eq!(again, expected);
    }

    #[test]
    fn a_flood_leaves_room_and_the_first_place_to_a_preferred_key() {
        let (inbox, known) = (Inbox::new(2, 1000, 8), Keys::generate());
        inbox.prefer(known.public_key(), true);
        let by_known = EventBuilder::new(Kind::TextNote, "known").sign_with_keys(&known).unwrap();
        for event in (0..4).map(|number| event(&number.to_string())).chain([by_known.clone()]) {
            inbox.deliver(event, 10);
        }
        let read = drain(&inbox);
        assert_eq!(read[0], RelayMessage::Event(Box::new(by_known)));
        assert!(read.len() == 4 && read.contains(&RelayMessage::Dropped { count: 2 }), "{read:?}");
    }

    #[test]
    fn the_bound_counts_bytes_too() {
        let inbox = Inbox::new(100, 25, 8);
        for number in 0..4 {
            inbox.deliver(event(&number.to_string()), 10);
        }
        let events = drain(&inbox).iter().filter(|m| matches!(m, RelayMessage::Event(_))).count();
        assert_eq!(events, 2);
    }
}
