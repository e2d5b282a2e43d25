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
//! `duplicate`, so nothing is published twice. To a relay that has said lately that it takes less, signs of life and what is
//! wanted for long go first, and what may be lost is not sent at all. A relay that refuses a kind is not sent that kind again
//! for a while. One that does not say which event it refuses is sent one at a time.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use nostr::{EventId, Kind, RelayUrl};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::limits::RelayLimits;
use super::pacing::Pacer;

/// Most events sent and not yet answered, so that a relay's buffers are not flooded.
const WINDOW: usize = 512;
/// How long a relay that names no event is left alone before it is sent one at a time: answers that are under way come
/// meanwhile, and are about none of those.
const QUIET: Duration = Duration::from_secs(1);
/// Most events that wait for one relay, e.g. while it is away.
const MAX_WAITING: usize = 8192;

/// Events that are wanted for long between two others, where a relay is short and has both: a sign of life must not be lost
/// for good.
const WANTED_PER_OTHER: u32 = 3;
/// Events of one kind that a relay refuses in the same words, one after the other, before it refuses the kind.
const MOST_REFUSED: u32 = 3;
/// How long a relay is not sent a kind that it refuses.
const REFUSED_FOR: Duration = Duration::from_mins(10);

/// What is said of an event that a newer one of its kind replaces.
const REPLACED: &str = "a newer event takes its place";
/// What is said of an event that may be lost, and was.
const LEFT_OUT: &str = "left out: this relay takes few events";

/// A relay's answer to one event.
#[derive(Debug)]
pub(super) enum Verdict {
    Accepted,
    /// The relay does not have it.
    Refused(String),
    /// The relay said nothing in time, and may have it.
    Unanswered,
}

/// How much an event matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// It may be lost.
    Minor,
    /// It is tried once.
    Usual,
    /// It is wanted for long: where a relay is short, it goes before most others.
    Wanted,
    /// Where a relay is short it goes before all others, and a newer one of its kind takes its place.
    Vital,
}

/// A kind that a relay refuses.
#[derive(Debug)]
struct Refused {
    words: String,
    times: u32,
    until: Instant,
}

/// One event to publish.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) id: EventId,
    pub(super) kind: Kind,
    /// Characters of its content.
    pub(super) content: usize,
    /// The whole `["EVENT", …]` message.
    pub(super) frame: Utf8Bytes,
    pub(super) deadline: Instant,
    pub(super) weight: Weight,
    pub(super) reply: mpsc::Sender<(RelayUrl, Verdict)>,
}

#[derive(Debug)]
struct Entry {
    /// Order of publication.
    sequence: u64,
    kind: Kind,
    content: usize,
    frame: Utf8Bytes,
    deadline: Instant,
    weight: Weight,
    replies: Vec<mpsc::Sender<(RelayUrl, Verdict)>>,
    sent: bool,
    last_message: Option<String>,
}

#[derive(Debug)]
pub(super) struct Outbound {
    relay: RelayUrl,
    entries: HashMap<EventId, Entry>,
    waiting: VecDeque<EventId>,
    next_sequence: u64,
    unanswered: usize,
    pacer: Pacer,
    limits: RelayLimits,
    refused: HashMap<Kind, Refused>,
    /// Events that are wanted for long, since the last other one.
    wanted_in_a_row: u32,
    /// Set while an answer to an authentication is awaited.
    held: bool,
    /// Most events sent and not yet answered.
    window: usize,
    /// Until when nothing is sent to a relay that named no event.
    quiet_until: Option<Instant>,
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
            limits: RelayLimits::default(),
            refused: HashMap::new(),
            wanted_in_a_row: 0,
            held: false,
            window: WINDOW,
            quiet_until: None,
        }
    }

    /// The relay says what it takes.
    pub(super) fn apply_limits(&mut self, limits: RelayLimits) {
        self.limits = limits;
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
        if outgoing.weight == Weight::Vital {
            self.replace(outgoing.kind);
        }
        self.waiting.push_back(outgoing.id);
        self.next_sequence += 1;
        let entry = Entry {
            sequence: self.next_sequence,
            kind: outgoing.kind,
            content: outgoing.content,
            frame: outgoing.frame,
            deadline: outgoing.deadline,
            weight: outgoing.weight,
            replies: vec![outgoing.reply],
            sent: false,
            last_message: None,
        };
        self.entries.insert(outgoing.id, entry);
    }

    /// Gives up what a newer event of this kind replaces, as far as it has not left.
    fn replace(&mut self, kind: Kind) {
        let older = |entry: &Entry| entry.weight == Weight::Vital && entry.kind == kind && !entry.sent;
        let older: Vec<EventId> =
            self.entries.iter().filter(|(_, entry)| older(entry)).map(|(id, _)| *id).collect();
        for id in older {
            self.settle(&id, &Verdict::Refused(REPLACED.to_owned()));
        }
    }

    /// The next message to put on the wire, or when to ask again (`None`: when something changes).
    pub(super) fn take_next(&mut self, now: Instant) -> Result<Utf8Bytes, Option<Instant>> {
        loop {
            let at = self.first(now);
            let Some(id) = self.waiting.get(at).copied() else { return Err(None) };
            let Some(unsent) = self.entries.get(&id).filter(|entry| !entry.sent) else {
                // Answered or expired while it waited.
                self.waiting.remove(at);
                continue;
            };
            if let Some(why) = self.why_not(unsent, now) {
                self.waiting.remove(at);
                self.settle(&id, &Verdict::Refused(why));
                continue;
            }
            if self.held || self.unanswered >= self.window {
                return Err(None);
            }
            if let Some(until) = self.quiet_until.filter(|until| *until > now) {
                return Err(Some(until));
            }
            self.pacer.take(self.unanswered, now).map_err(Some)?;
            self.waiting.remove(at);
            self.unanswered += 1;
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.sent = true;
                self.wanted_in_a_row = match entry.weight {
                    Weight::Vital => self.wanted_in_a_row,
                    Weight::Wanted => self.wanted_in_a_row.saturating_add(1),
                    Weight::Minor | Weight::Usual => 0,
                };
                return Ok(entry.frame.clone());
            }
        }
    }

    /// The place of the event that goes next.
    fn first(&self, now: Instant) -> usize {
        if !self.pacer.is_short(now) {
            return 0;
        }
        let wanted = self.wanted_in_a_row < WANTED_PER_OTHER;
        let rank = |entry: &Entry| match entry.weight {
            Weight::Vital => 0,
            weight => 1 + u8::from((weight == Weight::Wanted) != wanted),
        };
        let unsent = |id: &EventId| self.entries.get(id).filter(|entry| !entry.sent);
        let ranked = self.waiting.iter().enumerate().filter_map(|(at, id)| Some((rank(unsent(id)?), at)));
        ranked.min().map_or(0, |(_, at)| at)
    }

    /// Why an event is not even sent, if it is not.
    fn why_not(&self, event: &Entry, now: Instant) -> Option<String> {
        let (size, content) = (event.frame.len(), event.content);
        if let Some(limit) = self.limits.max_message_length.filter(|limit| size > *limit) {
            return Some(format!("the message takes {size} bytes and this relay takes at most {limit}"));
        }
        if let Some(limit) = self.limits.max_content_length.filter(|limit| content > *limit) {
            return Some(format!(
                "the content has {content} characters and this relay takes at most {limit}"
            ));
        }
        let refused = self.refused.get(&event.kind);
        if let Some(refused) = refused.filter(|it| it.times >= MOST_REFUSED && it.until > now) {
            return Some(refused.words.clone());
        }
        (event.weight == Weight::Minor && self.pacer.is_short(now)).then(|| LEFT_OUT.to_owned())
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
            self.pacer.accepted(now);
            if let Some(entry) = self.entries.get(id) {
                self.refused.remove(&entry.kind);
            }
            self.settle(id, &Verdict::Accepted);
        } else if words.starts_with("rate-limited:") {
            self.pacer.rate_limited(now);
            self.wait_again(id, words);
        } else if words.starts_with("auth-required:") && can_authenticate {
            self.held = true;
            self.wait_again(id, words);
        } else {
            self.refuses(id, words, now);
            self.settle(id, &Verdict::Refused(words.to_owned()));
        }
    }

    /// Takes an `OK` that names no event. If one is out alone, it is meant. Of several any may be: they are sent again, one at a
    /// time.
    pub(super) fn answered_without_id(
        &mut self,
        ok: bool,
        words: &str,
        can_authenticate: bool,
        now: Instant,
    ) {
        if self.quiet_until.is_some_and(|until| until > now) {
            return;
        }
        let mut sent = self.entries.iter().filter(|(_, entry)| entry.sent).map(|(id, _)| *id);
        match (sent.next(), sent.next()) {
            (None, _) => {}
            (Some(only), None) => self.answered(&only, ok, words, can_authenticate, now),
            (Some(_), Some(_)) => {
                self.window = 1;
                self.quiet_until = Some(now + QUIET);
                self.send_again();
            }
        }
    }

    /// Notes what may be refused for its kind, or for who sends it. Other refusals say something of one event.
    fn refuses(&mut self, id: &EventId, words: &str, now: Instant) {
        let Some(kind) = self.entries.get(id).map(|entry| entry.kind) else { return };
        let names_kind = words.to_ascii_lowercase().contains("kind");
        if !names_kind && !words.starts_with("blocked:") && !words.starts_with("restricted:") {
            return;
        }
        let before = self.refused.get(&kind).filter(|before| before.words == words);
        let times = if names_kind { MOST_REFUSED } else { before.map_or(0, |before| before.times) + 1 };
        self.refused.insert(kind, Refused { words: words.to_owned(), times, until: now + REFUSED_FOR });
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
        // It may come back as another one.
        self.refused.clear();
        (self.window, self.quiet_until) = (WINDOW, None);
        self.send_again();
    }

    /// What was sent and has no answer waits again, before all that was not sent.
    fn send_again(&mut self) {
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

    /// Gives up what nobody waits for any more. An event that waits because the relay sent it back is one that the relay does
    /// not have.
    pub(super) fn expire(&mut self, now: Instant) {
        let over: Vec<EventId> =
            self.entries.iter().filter(|(_, entry)| entry.deadline <= now).map(|(id, _)| *id).collect();
        for id in over {
            let waiting = self.entries.get_mut(&id).filter(|entry| !entry.sent);
            let words = waiting.and_then(|entry| entry.last_message.take());
            self.settle(&id, &words.map_or(Verdict::Unanswered, Verdict::Refused));
        }
    }

    fn wait_again(&mut self, id: &EventId, words: &str) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        if std::mem::take(&mut entry.sent) {
            self.unanswered = self.unanswered.saturating_sub(1);
            self.waiting.push_front(*id);
        }
        entry.last_message = Some(words.to_owned());
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
                Verdict::Unanswered => Verdict::Unanswered,
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
        let (kind, content, weight) = (Kind::Custom(6050), 3, Weight::Usual);
        (Outgoing { id, kind, content, frame, deadline, weight, reply }, answers)
    }

    #[test]
    fn what_may_be_lost_is_kept_from_a_relay_that_is_short() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let ((minor, mut lost), (other, mut kept)) = (outgoing(1, soon()), outgoing(2, soon()));
        let id = other.id;
        outbound.enqueue(other);
        assert_eq!(outbound.take_next(now).unwrap().as_str(), "frame 2");
        outbound.enqueue(Outgoing { weight: Weight::Minor, ..minor });
        outbound.answered(&id, false, "rate-limited: 20 a minute", false, now);
        let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
        assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 2");
        assert!(outbound.take_next(at + Duration::from_secs(1)).is_err());
        assert!(matches!(lost.try_recv().unwrap().1, Verdict::Refused(words) if words == LEFT_OUT));
        assert!(kept.try_recv().is_err());
        // A relay that has not complained for long takes everything.
        let much_later = at + Duration::from_mins(30);
        let (minor, _answers) = outgoing(3, much_later + Duration::from_secs(10));
        outbound.enqueue(Outgoing { weight: Weight::Minor, ..minor });
        assert_eq!(outbound.take_next(much_later).unwrap().as_str(), "frame 3");
    }

    #[test]
    fn a_sign_of_life_goes_first_at_a_relay_that_is_short_and_only_the_newest() {
        let (mut outbound, now) = (outbound(), Instant::now());
        outbound.slow_down(now);
        let mut enqueue = |number: u8, weight| {
            let (event, answers) = outgoing(number, soon());
            let kind = if weight == Weight::Vital { Kind::Custom(31991) } else { event.kind };
            outbound.enqueue(Outgoing { kind, weight, ..event });
            answers
        };
        let _kept: Vec<Answers> = (1..=3).map(|number| enqueue(number, Weight::Wanted)).collect();
        let mut older = enqueue(4, Weight::Vital);
        let _newer = enqueue(5, Weight::Vital);
        assert!(matches!(older.try_recv().unwrap().1, Verdict::Refused(words) if words == REPLACED));
        let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
        assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 5");
        let later = at + Duration::from_millis(100);
        assert_eq!(outbound.take_next(later).unwrap().as_str(), "frame 1");
    }

    #[test]
    fn an_answer_without_an_id_is_that_of_the_only_event_that_is_out() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let (first, mut answers) = outgoing(1, soon());
        outbound.enqueue(first);
        outbound.take_next(now).unwrap();
        outbound.answered_without_id(false, "invalid: too large", false, now);
        assert!(
            matches!(answers.try_recv().unwrap().1, Verdict::Refused(words) if words == "invalid: too large")
        );
        outbound.answered_without_id(false, "invalid: too large", false, now);
    }

    #[test]
    fn events_that_an_answer_without_an_id_may_mean_are_sent_one_by_one() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let ((first, mut one), (second, mut other)) = (outgoing(1, soon()), outgoing(2, soon()));
        let id = second.id;
        outbound.enqueue(first);
        outbound.enqueue(second);
        assert!(outbound.take_next(now).is_ok() && outbound.take_next(now).is_ok());
        for _ in 0..2 {
            outbound.answered_without_id(false, "invalid: too large", false, now);
        }
        assert!(one.try_recv().is_err() && other.try_recv().is_err(), "nobody knows whose that was");
        let at = outbound.take_next(now).unwrap_err().unwrap();
        assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 1");
        assert!(outbound.take_next(at).is_err(), "one at a time");
        outbound.answered_without_id(false, "invalid: too large", false, at);
        assert!(matches!(one.try_recv().unwrap().1, Verdict::Refused(_)));
        assert_eq!(outbound.take_next(at).unwrap().as_str(), "frame 2");
        outbound.answered(&id, true, "", false, at);
        assert!(matches!(other.try_recv().unwrap().1, Verdict::Accepted));
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
        outbound.answered(&id, false, "rate-limited: slow down", false, at + Duration::from_secs(1));
        outbound.expire(soon() + Duration::from_secs(1));
        let (_, verdict) = answers.try_recv().unwrap();
        assert!(matches!(verdict, Verdict::Refused(words) if words == "rate-limited: slow down"));
    }

    #[test]
    fn an_event_that_a_relay_may_have_is_not_called_refused() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let (first, mut answers) = outgoing(1, soon());
        let id = first.id;
        outbound.enqueue(first);
        outbound.take_next(now).unwrap();
        outbound.answered(&id, false, "rate-limited: slow down", false, now);
        let at = outbound.take_next(now).unwrap_err().unwrap() + Duration::from_millis(50);
        outbound.take_next(at).unwrap();
        outbound.expire(soon() + Duration::from_secs(1));
        assert!(matches!(answers.try_recv().unwrap().1, Verdict::Unanswered), "it is out");
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
    fn a_message_over_the_relays_limit_is_refused_without_being_sent() {
        let limits = RelayLimits::default();
        let message = RelayLimits { max_message_length: Some(3), ..limits };
        let content = RelayLimits { max_content_length: Some(2), ..limits };
        for (limits, said) in [(message, "7 bytes and"), (content, "3 characters and")] {
            let mut outbound = outbound();
            outbound.apply_limits(limits);
            let (first, mut answers) = outgoing(1, soon());
            outbound.enqueue(first);
            assert!(outbound.take_next(Instant::now()).is_err());
            let Verdict::Refused(words) = answers.try_recv().unwrap().1 else { panic!("it is too large") };
            assert!(words.contains(said), "{words}");
        }
    }

    #[test]
    fn a_refused_kind_is_tried_again_later_and_a_refused_event_stays_alone() {
        let (mut outbound, now) = (outbound(), Instant::now());
        let mut publish = |number, at, words: &str| {
            let (event, _answers) = outgoing(number, at + Duration::from_secs(10));
            let id = event.id;
            outbound.enqueue(event);
            let is_sent = outbound.take_next(at).is_ok();
            outbound.answered(&id, words.is_empty(), words, false, at);
            is_sent
        };
        for number in 0..10 {
            assert!(publish(number, now, "invalid: larger than 100 bytes"), "the next one may be smaller");
        }
        assert!(publish(10, now, "blocked: kind 6050") && !publish(11, now, ""));
        assert!(publish(12, now + REFUSED_FOR, ""));
        assert!(publish(13, now + REFUSED_FOR, ""), "it takes the kind");
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
