//! In which order the reader gets what waits for it.
//!
//! ```text
//!  words of relays and about them ─► first, by turns with events
//!  events of preferred keys, by turns of their keys ─► seven of eight ─┐
//!  events of other keys, by turns of their keys ─────► one of eight ───┴─► reader
//! ```
//!
//! Keys cost nothing. In one queue a thousand fresh ones would have everybody wait until each of their events was read, and one key
//! with a thousand events would, too. Events of one key stay in their order.

use std::collections::{HashMap, VecDeque};

use nostr::{Event, PublicKey};

use super::incoming::RelayMessage;
use crate::seen::Seen;

/// While events of preferred keys wait, one event of so many is another key's.
const PER_OTHER: u32 = 8;
/// Preferred keys that are remembered, at least.
const MOST_PREFERRED: usize = 8_192;

#[derive(Debug)]
pub(super) struct ReadOrder {
    told: VecDeque<RelayMessage>,
    preferred: Turns,
    others: Turns,
    keys: Seen<PublicKey>,
    /// Events of preferred keys that were read since the last other one.
    in_a_row: u32,
    /// The last that was read was no event: a relay that chatters holds none up.
    told_last: bool,
}

/// Events of several keys, of which each has its turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    lines: HashMap<PublicKey, VecDeque<(Box<Event>, usize)>>,
    /// Each key that has a line, once.
    next: VecDeque<PublicKey>,
    length: usize,
    bytes: usize,
}

impl ReadOrder {
    pub fn new() -> Self {
        Self {
            told: VecDeque::new(),
            preferred: Turns::default(),
            others: Turns::default(),
            keys: Seen::new(MOST_PREFERRED),
            in_a_row: 0,
            told_last: false,
        }
    }

    /// Events of this key go before others, those that wait already among them.
    pub fn prefer(&mut self, key: PublicKey) {
        self.keys.insert(key);
        for (event, bytes) in self.others.take_line(&key) {
            self.preferred.push(event, bytes);
        }
    }

    /// Events of this key that come from now on wait like those of any other.
    pub fn neglect(&mut self, key: &PublicKey) {
        self.keys.remove(key);
    }

    /// Where events of this key wait.
    pub fn of(&self, key: &PublicKey) -> &Turns {
        if self.keys.contains(key) { &self.preferred } else { &self.others }
    }

    pub fn push(&mut self, event: Event, bytes: usize) {
        let is_preferred = self.keys.contains(&event.pubkey);
        let lane = if is_preferred { &mut self.preferred } else { &mut self.others };
        lane.push(Box::new(event), bytes);
    }

    pub fn tell(&mut self, message: RelayMessage) {
        self.told.push_back(message);
    }

    pub fn pop(&mut self) -> Option<RelayMessage> {
        let has_events = self.preferred.length + self.others.length > 0;
        if !(self.told_last && has_events)
            && let Some(told) = self.told.pop_front()
        {
            self.told_last = true;
            return Some(told);
        }
        self.told_last = false;
        let is_others_turn = self.in_a_row + 1 >= PER_OTHER && self.others.length > 0;
        if !is_others_turn && let Some(event) = self.preferred.pop() {
            self.in_a_row = self.in_a_row.saturating_add(1);
            return Some(RelayMessage::Event(event));
        }
        self.in_a_row = 0;
        self.others.pop().map(RelayMessage::Event)
    }

    /// Everything that waits.
    pub fn len(&self) -> usize {
        self.told.len() + self.preferred.length + self.others.length
    }

    /// Whether no more than so many events of each kind wait, and no more bytes of them.
    pub fn holds_at_most(&self, messages: usize, bytes: usize) -> bool {
        [&self.preferred, &self.others].iter().all(|lane| lane.length <= messages && lane.bytes <= bytes)
    }
}

impl Turns {
    /// Whether an event of this size fits in.
    pub fn has_room(&self, size: usize, most_events: usize, most_bytes: usize) -> bool {
        self.length < most_events && self.bytes + size <= most_bytes
    }

    fn push(&mut self, event: Box<Event>, bytes: usize) {
        let line = self.lines.entry(event.pubkey).or_default();
        if line.is_empty() {
            self.next.push_back(event.pubkey);
        }
        line.push_back((event, bytes));
        self.length += 1;
        self.bytes += bytes;
    }

    fn pop(&mut self) -> Option<Box<Event>> {
        let key = self.next.pop_front()?;
        let line = self.lines.get_mut(&key)?;
        let (event, bytes) = line.pop_front()?;
        if line.is_empty() {
            self.lines.remove(&key);
        } else {
            self.next.push_back(key);
        }
        self.length -= 1;
        self.bytes -= bytes;
        Some(event)
    }

    fn take_line(&mut self, key: &PublicKey) -> VecDeque<(Box<Event>, usize)> {
        let Some(line) = self.lines.remove(key) else { return VecDeque::new() };
        self.next.retain(|other| other != key);
        self.length -= line.len();
        self.bytes -= line.iter().map(|(_, bytes)| bytes).sum::<usize>();
        line
    }
}

#[cfg(test)]
mod tests {
    use nostr::{EventBuilder, Keys, Kind, RelayUrl};

    use super::*;

    fn event(keys: &Keys, text: &str) -> Event {
        EventBuilder::new(Kind::TextNote, text).sign_with_keys(keys).unwrap()
    }

    fn read(queue: &mut ReadOrder) -> Vec<String> {
        let texts = std::iter::from_fn(|| match queue.pop()? {
            RelayMessage::Event(event) => Some(event.content),
            other => Some(format!("{other:?}")),
        });
        texts.collect()
    }

    #[test]
    fn each_key_has_its_turn_and_its_events_stay_in_their_order() {
        let (mut queue, [flood, one, two]) = (ReadOrder::new(), [(); 3].map(|()| Keys::generate()));
        for number in 0..4 {
            queue.push(event(&flood, &format!("flood {number}")), 10);
        }
        queue.push(event(&one, "one"), 10);
        queue.push(event(&two, "two 1"), 10);
        queue.push(event(&two, "two 2"), 10);
        let order = ["flood 0", "one", "two 1", "flood 1", "two 2", "flood 2", "flood 3"];
        assert_eq!(read(&mut queue), order);
        assert!(queue.holds_at_most(0, 0) && queue.others.lines.is_empty() && queue.others.next.is_empty());
    }

    #[test]
    fn events_of_preferred_keys_go_first_and_leave_one_turn_of_eight() {
        let (mut queue, known) = (ReadOrder::new(), Keys::generate());
        for number in 0..10 {
            queue.push(event(&Keys::generate(), &format!("other {number}")), 10);
        }
        // What came before its key was preferred goes first, too.
        queue.push(event(&known, "known 0"), 10);
        queue.prefer(known.public_key());
        for number in 1..20 {
            queue.push(event(&known, &format!("known {number}")), 10);
        }
        let order = read(&mut queue);
        let last = order.iter().position(|text| text == "known 19").unwrap();
        let before = order[..last].iter().filter(|text| text.starts_with("other")).count();
        assert_eq!((order[0].as_str(), before, order.len()), ("known 0", 2, 30));
        queue.neglect(&known.public_key());
        queue.push(event(&Keys::generate(), "other"), 10);
        queue.push(event(&known, "known"), 10);
        assert_eq!(read(&mut queue), ["other", "known"]);
    }

    #[test]
    fn a_relay_that_chatters_holds_no_event_up() {
        let (mut queue, key) = (ReadOrder::new(), Keys::generate());
        let relay = RelayUrl::parse("ws://127.0.0.1:1").unwrap();
        for number in 0..3 {
            queue.tell(RelayMessage::Notice { relay: relay.clone(), text: "x".to_owned() });
            queue.push(event(&key, &format!("event {number}")), 10);
        }
        let order = read(&mut queue);
        let is_event: Vec<bool> = order.iter().map(|text| text.starts_with("event")).collect();
        assert_eq!(is_event, [false, true, false, true, false, true]);
    }

    #[test]
    fn a_crowd_that_fills_its_lane_leaves_room_for_preferred_keys() {
        let (mut queue, known) = (ReadOrder::new(), Keys::generate());
        for _ in 0..4 {
            queue.push(event(&Keys::generate(), "other"), 10);
        }
        queue.prefer(known.public_key());
        let stranger = Keys::generate().public_key();
        assert!(!queue.of(&stranger).has_room(10, 4, 1_000) && !queue.of(&stranger).has_room(10, 5, 45));
        assert!(queue.of(&known.public_key()).has_room(10, 4, 1_000));
    }
}
