//! The events on their way to one relay.
//!
//! ```text
//!             take_next              OK true / duplicate
//! waiting ───────────────► sent ──────────────────────────► accepted
//!    ▲                      │ │     OK false
//!    │  connection lost,    │ └───────────────────────────► refused, in the relay's words
//!    └── rate-limited, ─────┘
//!        auth-required                        (either state, deadline over ──► refused)
//! ```
//!
//! An event is sent again after a lost connection: relays know it by its id and answer
//! `duplicate`, so nothing is published twice. What may be lost is not sent at all to a relay that has said lately that it
//! takes less.

use std::collections::{HashMap, VecDeque};

use nostr::{EventId, RelayUrl};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::pacing::Pacer;

/// Most events sent and not yet answered, so that a relay's buffers are not flooded.
const WINDOW: usize = 512;
/// Most events that wait for one relay, e.g. while it is away.
const MAX_WAITING: usize = 8192;

/// What is said of an event that may be lost, and was.
const LEFT_OUT: &str = "left out: this relay takes few events";

/// A relay's answer to one event.
#[derive(Debug)]
pub(super) enum Verdict {
    Accepted,
    Refused(String),
}

/// One event to publish.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) id: EventId,
    /// The whole `["EVENT", …]` message.
    pub(super) frame: Utf8Bytes,
    pub(super) deadline: Instant,
    /// It may be lost.
    pub(super) minor: bool,
    pub(super) reply: mpsc::Sender<(RelayUrl, Verdict)>,
}

#[derive(Debug)]
struct Entry {
    /// Order of publication.
    sequence: u64,
    frame: Utf8Bytes,
    deadline: Instant,
    minor: bool,
    replies: Vec<mpsc::Sender<(RelayUrl, Verdict)>>,
    sent: bool,
    last_words: Option<String>,
}

#[derive(Debug)]
pub(super) struct Outbound {
    relay: RelayUrl,
    entries: HashMap<EventId, Entry>,
    waiting: VecDeque<EventId>,
    next_sequence: u64,
    unanswered: usize,
    pacer: Pacer,
    max_frame_bytes: Option<usize>,
    /// Set while an answer to an authentication is awaited.
    held: bool,
}

impl Outbound {
    pub(super) fn new(relay: RelayUrl, events_per_second: Option<f64>) -> Self {
        Self {
            relay,
            entries: HashMap::new(),
            waiting: VecDeque::new(),
            next_sequence: 0,
            unanswered: 0,
            pacer: Pacer::new(events_per_second),
            max_frame_bytes: None,
            held: false,
        }
    }

    pub(super) fn limit_frames(&mut self, max_bytes: Option<usize>) {
        self.max_frame_bytes = max_bytes;
    }

    pub(super) fn enqueue(&mut self, outgoing: Outgoing) {
        if let Some(entry) = self.entries.get_mut(&outgoing.id) {
            entry.replies.push(outgoing.reply);
            entry.deadline = entry.deadline.max(outgoing.deadline);
            return;
        }
        if self.waiting.len() >= MAX_WAITING {
            let words = format!("{MAX_WAITING} events already wait for this relay");
            self.answer(&[outgoing.reply], &Verdict::Refused(words));
            return;
        }
        self.waiting.push_back(outgoing.id);
        self.next_sequence += 1;
        let entry = Entry {
            sequence: self.next_sequence,
            frame: outgoing.frame,
            deadline: outgoing.deadline,
            minor: outgoing.minor,
            replies: vec![outgoing.reply],
            sent: false,
            last_words: None,
        };
        self.entries.insert(outgoing.id, entry);
    }

    /// The next message to put on the wire, or when to ask again (`None`: when something changes).
    pub(super) fn take_next(&mut self, now: Instant) -> Result<Utf8Bytes, Option<Instant>> {
        loop {
            let Some(id) = self.waiting.front().copied() else { return Err(None) };
            let unsent = self.entries.get(&id).filter(|entry| !entry.sent);
            let Some((size, minor)) = unsent.map(|entry| (entry.frame.len(), entry.minor)) else {
                // Answered or expired while it waited.
                self.waiting.pop_front();
                continue;
            };
            if let Some(limit) = self.max_frame_bytes.filter(|limit| size > *limit) {
                self.waiting.pop_front();
                let words = format!("the message takes {size} bytes and this relay takes at most {limit}");
                self.settle(&id, &Verdict::Refused(words));
                continue;
            }
            if minor && self.pacer.is_short(now) {
                self.waiting.pop_front();
                self.settle(&id, &Verdict::Refused(LEFT_OUT.to_owned()));
                continue;
            }
            if self.held || self.unanswered >= WINDOW {
                return Err(None);
            }
            self.pacer.take(now).map_err(Some)?;
            self.waiting.pop_front();
            self.unanswered += 1;
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.sent = true;
                return Ok(entry.frame.clone());
            }
        }
    }

    /// Takes the relay's `OK` message; `can_authenticate` says whether `auth-required` is hopeful.
    pub(super) fn answered(
        &mut self,
        id: &EventId,
        ok: bool,
        words: &str,
        can_authenticate: bool,
        now: Instant,
    ) {
        if ok || words.starts_with("duplicate:") {
            self.pacer.accepted();
            self.settle(id, &Verdict::Accepted);
        } else if words.starts_with("rate-limited:") {
            self.pacer.rate_limited(now);
            self.wait_again(id, words);
        } else if words.starts_with("auth-required:") && can_authenticate {
            self.held = true;
            self.wait_again(id, words);
        } else {
            self.settle(id, &Verdict::Refused(words.to_owned()));
        }
    }

    /// The relay complained in words that name no event.
    pub(super) fn slow_down(&mut self, now: Instant) {
        self.pacer.rate_limited(now);
    }

    /// An authentication was answered, either way.
    pub(super) fn release(&mut self) {
        self.held = false;
    }

    /// The connection is gone: everything unanswered goes first when it is back.
    pub(super) fn disconnected(&mut self) {
        self.held = false;
        self.unanswered = 0;
        let mut lost: Vec<(u64, EventId)> = Vec::new();
        for (id, entry) in &mut self.entries {
            if std::mem::take(&mut entry.sent) {
                lost.push((entry.sequence, *id));
            }
        }
        lost.sort_unstable_by(|a, b| b.cmp(a));
        for (_, id) in lost {
            self.waiting.push_front(id);
        }
    }

    /// Gives up what nobody waits for any more.
    pub(super) fn expire(&mut self, now: Instant, otherwise: &str) {
        let over: Vec<EventId> =
            self.entries.iter().filter(|(_, entry)| entry.deadline <= now).map(|(id, _)| *id).collect();
        for id in over {
            let words = self.entries.get_mut(&id).and_then(|entry| entry.last_words.take());
            self.settle(&id, &Verdict::Refused(words.unwrap_or_else(|| otherwise.to_owned())));
        }
    }

    fn wait_again(&mut self, id: &EventId, words: &str) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        if std::mem::take(&mut entry.sent) {
            self.unanswered = self.unanswered.saturating_sub(1);
            self.waiting.push_front(*id);
        }
        entry.last_words = Some(words.to_owned());
    }

    fn settle(&mut self, id: &EventId, verdict: &Verdict) {
        let Some(entry) = self.entries.remove(id) else { return };
        if entry.sent {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
        self.answer(&entry.replies, verdict);
    }

    fn answer(&self, replies: &[mpsc::Sender<(RelayUrl, Verdict)>], verdict: &Verdict) {
        for reply in replies {
            let verdict = match verdict {
                Verdict::Accepted => Verdict::Accepted,
                Verdict::Refused(words) => Verdict::Refused(words.clone()),
            };
            // The channel has room for one answer per relay; a publisher that gave up is no error.
            let _ = reply.try_send((self.relay.clone(), verdict));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    type Answers = mpsc::Receiver<(RelayUrl, Verdict)>;

    fn outbound() -> Outbound {
        Outbound::new(RelayUrl::parse("ws://127.0.0.1:1").unwrap(), None)
    }

    fn outgoing(number: u8, deadline: Instant) -> (Outgoing, Answers) {
        let (reply, answers) = mpsc::channel(1);
        let id = EventId::from_byte_array([number; 32]);
        let frame = format!("frame {number}").into();
        (Outgoing { id, frame, deadline, minor: false, reply }, answers)
    }

    #[test]
    fn what_may_be_lost_is_kept_from_a_relay_that_is_short() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let ((minor, mut lost), (other, mut kept)) = (outgoing(1, soon()), outgoing(2, soon()));
        let id = other.id;
        outbound.enqueue(other);
        assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 2");
        outbound.enqueue(Outgoing { minor: true, ..minor });
        outbound.answered(&id, false, "rate-limited: 20 a minute", false, now);
        let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
        assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 2");
        assert!(outbound.take_next(at + Duration::from_secs(1)).is_err());
        assert!(matches!(lost.try_recv().unwrap().1, Verdict::Refused(words) if words == LEFT_OUT));
        assert!(kept.try_recv().is_err());
        // A relay that has not complained for long takes everything.
        let much_later = at + Duration::from_mins(30);
        let (minor, _answers) = outgoing(3, much_later + Duration::from_secs(10));
        outbound.enqueue(Outgoing { minor: true, ..minor });
        assert_eq!(outbound.take_next(much_later).unwrap().as_str(), "frame 3");
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    #[test]
    fn unanswered_events_are_sent_again_after_a_lost_connection() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let (first, mut answers) = outgoing(1, soon());
        let id = first.id;
        outbound.enqueue(first);
        assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 1");
        assert!(outbound.take_next(now).is_err());
        outbound.disconnected();
        assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 1");
        outbound.answered(&id, false, "duplicate: have it", false, now);
        assert!(matches!(answers.try_recv().unwrap().1, Verdict::Accepted));
        assert!(outbound.entries.is_empty());
    }

    #[test]
    fn a_rate_limited_event_waits_and_is_sent_again() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let (first, mut answers) = outgoing(1, soon());
        let id = first.id;
        outbound.enqueue(first);
        outbound.take_next(now).unwrap();
        outbound.answered(&id, false, "rate-limited: slow down", false, now);
        let at = outbound.take_next(now).unwrap_err().unwrap();
        assert!(at > now && answers.try_recv().is_err());
        assert_eq!(outbound.take_next(at + Duration::from_millis(50)).unwrap().as_str(), "frame 1");
        outbound.expire(soon() + Duration::from_secs(1), "no answer");
        let (_, verdict) = answers.try_recv().unwrap();
        assert!(matches!(verdict, Verdict::Refused(words) if words == "rate-limited: slow down"));
    }

    #[test]
    fn events_wait_for_authentication_only_when_it_is_possible() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let (first, mut answers) = outgoing(1, soon());
        let id = first.id;
        outbound.enqueue(first);
        outbound.take_next(now).unwrap();
        outbound.answered(&id, false, "auth-required: who are you", true, now);
        assert!(outbound.take_next(now).is_err());
        outbound.release();
        outbound.take_next(now).unwrap();
        outbound.answered(&id, false, "auth-required: who are you", false, now);
        assert!(matches!(answers.try_recv().unwrap().1, Verdict::Refused(_)));
    }

    #[test]
    fn a_frame_over_the_relay_s_limit_is_refused_without_being_sent() {
        let mut outbound = outbound();
        outbound.limit_frames(Some(3));
        let (first, mut answers) = outgoing(1, soon());
        outbound.enqueue(first);
        assert!(outbound.take_next(Instant::now()).is_err());
        assert!(
            matches!(answers.try_recv().unwrap().1, Verdict::Refused(words) if words.contains("at most 3"))
        );
    }

    #[test]
    fn the_same_event_published_twice_is_sent_once_and_answered_twice() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let ((first, mut a), (second, mut b)) = (outgoing(1, soon()), outgoing(1, soon()));
        let id = first.id;
        outbound.enqueue(first);
        outbound.enqueue(second);
        outbound.take_next(now).unwrap();
        assert!(outbound.take_next(now).is_err());
        outbound.answered(&id, true, "", false, now);
        assert!(a.try_recv().is_ok() && b.try_recv().is_ok());
    }
}
