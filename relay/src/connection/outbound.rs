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
//! `duplicate`, so nothing is published twice. What is wanted for long, such as a result, goes before most else: a thousand refusals
//! hold none up. To a relay that has said lately that it takes less, signs of life go first, and what may be lost is not sent at all. A relay that refuses a kind is not sent that kind again
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

/// Events that are wanted for long between two others, where there are both: a sign of life must not be lost for good.
const WANTED_PER_OTHER: u32 = 3;
/// Events of one kind that a relay refuses in the same words, one after the other, before it refuses the kind.
const MOST_REFUSED: u32 = 3;
/// How long a relay is not sent a kind that it refuses.
const REFUSED_FOR: Duration = Duration::from_mins(10);

/// What is said of an event that a newer one of its kind replaces.
const REPLACED: &str = "a newer event takes its place";
/// What is said of an event that may be lost, and was.
const LEFT_OUT: &str = "not published: this relay accepts few events";

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
    /// It is wanted for long: it goes before most others.
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
    /// Those that are wanted for long.
    wanted: VecDeque<EventId>,
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
            wanted: VecDeque::new(),
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
        if self.queue(outgoing.weight).len() >= MAX_WAITING {
            let words = format!("{MAX_WAITING} events already wait for this relay");
            self.answer(&[outgoing.reply], &Verdict::Refused(words));
            return;
        }
        if outgoing.weight == Weight::Vital {
            self.replace(outgoing.kind);
        }
        self.queue(outgoing.weight).push_back(outgoing.id);
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
            self.forget_settled();
            let (weight, at) = self.first(now);
            let Some(id) = self.queue(weight).get(at).copied() else { return Err(None) };
            let Some(unsent) = self.entries.get(&id) else { return Err(None) };
            if let Some(why) = self.why_not(unsent, now) {
                self.queue(weight).remove(at);
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
            self.queue(weight).remove(at);
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

    /// Where events of this weight wait.
    fn queue(&mut self, weight: Weight) -> &mut VecDeque<EventId> {
        if weight == Weight::Wanted { &mut self.wanted } else { &mut self.waiting }
    }

    /// Forgets those at the front that were answered or expired while they waited, so that both queues show what they have.
    fn forget_settled(&mut self) {
        let entries = &self.entries;
        for queue in [&mut self.waiting, &mut self.wanted] {
            while queue.front().is_some_and(|id| entries.get(id).is_none_or(|entry| entry.sent)) {
                queue.pop_front();
            }
        }
    }

    /// The queue and the place of the event that goes next.
    fn first(&self, now: Instant) -> (Weight, usize) {
        let is_vital = |id: &EventId| {
            self.entries.get(id).is_some_and(|entry| entry.weight == Weight::Vital && !entry.sent)
        };
        if self.pacer.is_short(now)
            && let Some(at) = self.waiting.iter().position(is_vital)
        {
            return (Weight::Vital, at);
        }
        let is_its_turn = self.wanted_in_a_row < WANTED_PER_OTHER || self.waiting.is_empty();
        let weight = if is_its_turn && !self.wanted.is_empty() { Weight::Wanted } else { Weight::Usual };
        (weight, 0)
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

    /// Notes what may be refused for its kind, or for its sender. Other refusals say something of one event.
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
        let mut lost: Vec<(u64, EventId, Weight)> = Vec::new();
        for (id, entry) in &mut self.entries {
            if std::mem::take(&mut entry.sent) {
                lost.push((entry.sequence, *id, entry.weight));
            }
        }
        lost.sort_unstable_by_key(|(sequence, _, _)| std::cmp::Reverse(*sequence));
        for (_, id, weight) in lost {
            self.queue(weight).push_front(id);
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
        entry.last_message = Some(words.to_owned());
        if std::mem::take(&mut entry.sent) {
            let weight = entry.weight;
            self.unanswered = self.unanswered.saturating_sub(1);
            self.queue(weight).push_front(*id);
        }
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
mod tests;
