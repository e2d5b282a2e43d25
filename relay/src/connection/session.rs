//! One websocket's life: everything between *online* and *offline*.
//!
//! The writer is a future of its own, fed through a queue, and nothing here waits for anything but
//! the next thing to happen. So reading never waits for writing: a relay that stops reading while
//! it writes to us cannot block us both for ever.

use std::collections::{BTreeSet, HashMap};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::SplitSink;
use futures::{FutureExt, SinkExt, StreamExt};
use nostr::{
    ClientMessage, Event, EventBuilder, EventId, Filter, JsonUtil, RelayMessage as Wire, SubscriptionId,
    Timestamp,
};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::ended::EndedSubscriptions;
use super::incoming::{RelayMessage, Room};
use super::limits;
use super::link::{Command, Fetch, Link, TICK};
use super::position::{Position, matches_any};
use super::socket::Socket;
use crate::words::words;

/// A silent relay is asked for a sign of life this often.
const PING_EVERY: Duration = Duration::from_secs(15);
/// A relay that says nothing for this long is gone.
const SILENCE_LIMIT: Duration = Duration::from_secs(40);
/// Commands taken at a time.
const BATCH: usize = 64;
/// Larger messages are skipped: no relay that is known passes on more than 512 KiB. What is too large for its reader is
/// passed on all the same: whose job it is learns that.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// How long saying goodbye may take.
const CLOSE_LIMIT: Duration = Duration::from_millis(500);
/// A relay that wants us to prove who we are more often gets no further answers.
const MAX_CHALLENGES: usize = 8;
/// A relay that sends this many events with a wrong id or signature is not used any longer.
const MAX_FORGED: usize = 100;

pub(super) struct Session<'a> {
    link: &'a mut Link,
    outbox: mpsc::UnboundedSender<Message>,
    fetches: HashMap<String, Fetch>,
    auth: Auth,
    challenges: usize,
    /// Subscriptions and questions that the relay closed for want of authentication.
    awaiting_auth: BTreeSet<String>,
    /// Those that it closed for other reasons.
    ended: EndedSubscriptions,
    began: (Instant, Timestamp),
    last_heard: Instant,
    last_ping: Instant,
    forged: usize,
    /// The relay has said on this connection that it takes only so much.
    told_limit: bool,
}

enum Auth {
    /// Not demanded so far.
    None,
    /// Our answer to a challenge is under way.
    Pending(EventId),
    /// Over, with or without success: what is refused now stays refused.
    Over,
}

impl<'a> Session<'a> {
    /// Runs until the connection ends; `None` when cancelled, else why it ended.
    pub(super) async fn run(link: &'a mut Link, socket: Socket) -> Option<String> {
        let (sink, mut stream) = socket.split();
        // Bounded by the window of `Outbound`, the number of subscriptions and that of challenges.
        let (outbox, queue) = mpsc::unbounded_channel();
        let mut writer = pin!(write(sink, queue));
        let mut reading_limits = pin!(if link.shared.options.read_limits {
            limits::fetch(link.url.clone()).left_future()
        } else {
            std::future::pending().right_future()
        });
        let mut limits_known = false;
        let now = Instant::now();
        let mut session = Self {
            link,
            outbox,
            fetches: HashMap::new(),
            auth: Auth::None,
            challenges: 0,
            awaiting_auth: BTreeSet::new(),
            ended: EndedSubscriptions::default(),
            began: (now, Timestamp::now()),
            last_heard: now,
            last_ping: now,
            forged: 0,
            told_limit: false,
        };
        session.request_all();
        session.link.online();
        let mut commands = Vec::with_capacity(BATCH);
        let mut tick = tokio::time::interval(TICK);
        loop {
            let wake = session.send_waiting();
            tokio::select! {
                () = session.link.cancel.cancelled() => {
                    session.send(Message::Close(None));
                    drop(session);
                    let _ = tokio::time::timeout(CLOSE_LIMIT, writer).await;
                    return None;
                }
                reason = &mut writer => return Some(reason),
                frame = stream.next() => match frame {
                    Some(Ok(frame)) => if let Some(reason) = session.heard(&frame) { return Some(reason) },
                    Some(Err(error)) => return Some(session.link.broke_off(&error)),
                    None => return Some("the relay closed the connection".to_owned()),
                },
                _ = session.link.commands.recv_many(&mut commands, BATCH) => {
                    commands.drain(..).for_each(|command| session.handle_command(command));
                }
                () = session.link.ask_again.notified() => session.request_all(),
                document = &mut reading_limits, if !limits_known => {
                    limits_known = true;
                    session.link.outbound.apply_limits(document.limitation);
                    session.link.document.send_replace(Some(document));
                }
                () = sleep_until(wake) => {}
                now = tick.tick() => if let Some(reason) = session.look_after(now) { return Some(reason) },
            }
        }
    }

    /// Puts on the wire what may go now; returns when to try again.
    fn send_waiting(&mut self) -> Option<Instant> {
        loop {
            match self.link.outbound.take_next(Instant::now()) {
                Ok(frame) => self.send(Message::Text(frame)),
                Err(wake) => return wake,
            }
        }
    }

    fn send(&self, message: Message) {
        // The queue ends only with the writer, whose end the loop sees next.
        let _ = self.outbox.send(message);
    }

    fn send_request(&self, name: &str, filters: Vec<Filter>) {
        let request = ClientMessage::req(SubscriptionId::new(name), filters);
        self.send(Message::text(request.as_json()));
    }

    fn send_close(&self, name: &str) {
        self.send(Message::text(ClientMessage::close(SubscriptionId::new(name)).as_json()));
    }

    fn request_all(&mut self) {
        let names: Vec<String> = self.link.shared.subscriptions().keys().cloned().collect();
        for name in names {
            self.request(&name);
        }
    }

    /// Asks for a standing subscription: for all of it, or for what may have been missed.
    fn request(&mut self, name: &str) {
        let Some(subscription) = self.link.shared.subscriptions().get(name).map(Arc::clone) else { return };
        let now = self.wall_clock(Instant::now());
        let position = self
            .link
            .positions
            .entry(name.to_owned())
            .or_insert_with(|| Position::new(Arc::clone(&subscription)));
        if !position.is_of(&subscription) {
            *position = Position::new(subscription);
        }
        let mut filters = position.request(now);
        if self.link.asks_only_for_news(Instant::now()) {
            for filter in &mut filters {
                filter.since = filter.since.max(Some(now));
            }
        }
        self.send_request(name, filters);
    }

    /// The time by the wall clock. Where that went on and the connection's own clock stood still, the machine slept: it
    /// heard nothing then, although it reads its buffers afterwards. So the earlier time counts.
    fn wall_clock(&self, at: Instant) -> Timestamp {
        let (began, began_at) = self.began;
        (began_at + at.saturating_duration_since(began).as_secs()).min(Timestamp::now())
    }

    fn handle_command(&mut self, command: Command) {
        match command {
            Command::Publish(outgoing) => self.link.outbound.enqueue(outgoing),
            Command::Subscribe(name) => self.request(&name),
            // It ends here by being dropped, as where the relay is away.
            Command::Fetch(_) if self.link.asks_only_for_news(Instant::now()) => {}
            Command::Fetch(fetch) => {
                self.send_request(&fetch.name, fetch.filters.to_vec());
                self.fetches.insert(fetch.name.clone(), fetch);
            }
            Command::EndFetch(name) => {
                if self.fetches.remove(&name).is_some() {
                    self.send_close(&name);
                }
            }
        }
    }

    /// Takes a frame; returns a reason to end the connection.
    fn heard(&mut self, frame: &Message) -> Option<String> {
        self.last_heard = Instant::now();
        match frame {
            Message::Text(text) => self.heard_text(text.as_str()),
            Message::Close(Some(close)) if !close.reason.is_empty() => Some(words(close.reason.as_str())),
            Message::Close(_) => Some("the relay closed the connection".to_owned()),
            // Pongs have done their work by arriving; binary frames mean nothing here.
            _ => None,
        }
    }

    fn heard_text(&mut self, text: &str) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        // Unreadable messages are skipped: relays speak dialects.
        let Ok(message) = Wire::from_json(text) else {
            self.heard_dialect(text);
            return None;
        };
        match message {
            Wire::Event { subscription_id, event } => {
                return self.heard_event(subscription_id.as_str(), event.into_owned(), text.len());
            }
            Wire::Ok { event_id, status, message } => {
                self.heard_ok(Some(&event_id), status, &words(&message));
            }
            Wire::EndOfStoredEvents(subscription) => self.heard_end(subscription.as_str()),
            Wire::Closed { subscription_id, message } => {
                self.heard_closed(subscription_id.as_str(), &words(&message));
            }
            Wire::Notice(text) => self.heard_notice(words(&text)),
            Wire::Auth { challenge } => self.authenticate(&challenge),
            _ => {}
        }
        None
    }

    fn heard_end(&mut self, name: &str) {
        if let Some(position) = self.link.positions.get_mut(name) {
            position.stored_events_ended();
        }
        let Some(fetch) = self.fetches.get_mut(name) else { return };
        let wanted = !fetch.found.is_closed();
        match fetch.pages.as_mut().filter(|_| wanted).and_then(|pages| pages.next(&fetch.filters)) {
            Some(filters) => self.send_request(name, filters),
            None => self.handle_command(Command::EndFetch(name.to_owned())),
        }
    }

    fn heard_event(&mut self, name: &str, event: Event, bytes: usize) -> Option<String> {
        // What nobody asked for, or has already, or cannot take, is not worth a signature check.
        let room = match self.fetches.get(name) {
            Some(fetch) if matches_any(&fetch.filters, &event) => Room::Free,
            None if self.is_wanted(name, &event) => self.link.shared.inbox.wants(&event, bytes),
            _ => Room::NotNeeded,
        };
        match room {
            Room::Free => {}
            Room::Full => {
                self.missed(name);
                return None;
            }
            Room::NotNeeded => return None,
        }
        if event.verify().is_err() {
            self.forged += 1;
            tracing::warn!(relay = %self.link.url, event = %event.id, "event with a wrong id or signature");
            return (self.forged >= MAX_FORGED).then(|| "the relay keeps sending forged events".to_owned());
        }
        match self.fetches.get_mut(name) {
            Some(fetch) => {
                if let Some(pages) = &mut fetch.pages {
                    pages.heard(event.created_at);
                }
                // A full channel holds as many events as a fetch returns at most.
                drop(fetch.found.try_send(event));
            }
            None => {
                if self.link.shared.inbox.deliver(event, bytes) == Room::Full {
                    self.missed(name);
                }
            }
        }
        None
    }

    /// The reader has no room for an event of a standing subscription.
    fn missed(&mut self, name: &str) {
        let now = self.wall_clock(Instant::now());
        if let Some(position) = self.link.positions.get_mut(name) {
            position.missed(now);
        }
    }

    fn is_wanted(&self, name: &str, event: &Event) -> bool {
        let subscription = self.link.shared.subscriptions().get(name).map(Arc::clone);
        subscription.is_some_and(|subscription| subscription.is_for(event))
    }

    /// Takes the relay's answer to an event: `None` where it does not say which.
    fn heard_ok(&mut self, id: Option<&EventId>, ok: bool, words: &str) {
        if matches!(&self.auth, Auth::Pending(pending) if id == Some(pending)) {
            self.auth = Auth::Over;
            if !ok {
                self.link.remember_words(words);
            }
            self.link.outbound.release();
            for name in std::mem::take(&mut self.awaiting_auth) {
                match self.fetches.get(&name) {
                    Some(fetch) => self.send_request(&name, fetch.filters.to_vec()),
                    None => self.request(&name),
                }
            }
            return;
        }
        if !ok && !words.starts_with("duplicate:") {
            self.link.remember_words(words);
        }
        // Other refusals are told to those who publish; this one they are spared.
        if !ok && words.starts_with("rate-limited:") && !std::mem::replace(&mut self.told_limit, true) {
            let relay = self.link.url.clone();
            self.link.shared.inbox.pass_on(RelayMessage::Notice { relay, text: words.to_owned() });
        }
        let (can_authenticate, now) = (self.can_authenticate(), Instant::now());
        if !ok && words.starts_with("rate-limited:") {
            self.link.complained(now);
        }
        match id {
            Some(id) => self.link.outbound.answered(id, ok, words, can_authenticate, now),
            None => self.link.outbound.answered_without_id(ok, words, can_authenticate, now),
        }
    }

    /// Some relays answer an event without naming it: `["OK","",false,"…"]`.
    fn heard_dialect(&mut self, text: &str) {
        if let Ok((verb, id, ok, said)) = serde_json::from_str::<(String, String, bool, String)>(text)
            && (verb.as_str(), id.as_str()) == ("OK", "")
        {
            self.heard_ok(None, ok, &words(&said));
        }
    }

    fn heard_closed(&mut self, name: &str, reason: &str) {
        let can_come_back = reason.starts_with("auth-required:") && self.can_authenticate();
        if self.fetches.contains_key(name) {
            if can_come_back {
                self.awaiting_auth.insert(name.to_owned());
            } else {
                self.fetches.remove(name);
                self.complained(name, reason);
            }
            return;
        }
        if !self.link.shared.subscriptions().contains_key(name) {
            return;
        }
        let now = self.wall_clock(Instant::now());
        if let Some(position) = self.link.positions.get_mut(name) {
            position.ended(now);
        }
        if can_come_back {
            self.awaiting_auth.insert(name.to_owned());
            return;
        }
        self.ended.ended(name, Instant::now());
        self.complained(name, reason);
    }

    /// The relay does not answer a subscription or a question, and says why.
    fn complained(&self, name: &str, reason: &str) {
        self.link.remember_words(reason);
        self.link.shared.inbox.pass_on(RelayMessage::Closed {
            relay: self.link.url.clone(),
            subscription: name.to_owned(),
            reason: reason.to_owned(),
        });
    }

    fn heard_notice(&mut self, text: String) {
        let lower = text.to_ascii_lowercase();
        if lower.contains("rate") && lower.contains("limit") {
            let now = Instant::now();
            self.link.outbound.slow_down(now);
            self.link.complained(now);
        }
        self.link.remember_words(&text);
        self.link.shared.inbox.pass_on(RelayMessage::Notice { relay: self.link.url.clone(), text });
    }

    fn can_authenticate(&self) -> bool {
        self.link.shared.options.auth_keys.is_some() && !matches!(self.auth, Auth::Over)
    }

    /// Answers a NIP-42 challenge, if we were given keys for it.
    fn authenticate(&mut self, challenge: &str) {
        let Some(keys) = &self.link.shared.options.auth_keys else { return };
        self.challenges += 1;
        if self.challenges > MAX_CHALLENGES {
            return;
        }
        let answer = EventBuilder::auth(challenge, self.link.url.clone()).sign_with_keys(keys);
        match answer {
            Ok(event) => {
                self.auth = Auth::Pending(event.id);
                self.send(Message::text(ClientMessage::auth(event).as_json()));
            }
            Err(error) => self.link.remember_words(&format!("authentication failed: {error}")),
        }
    }

    /// Regular care; returns a reason to end the connection.
    fn look_after(&mut self, now: Instant) -> Option<String> {
        self.link.outbound.expire(now);
        for name in self.ended.due(now) {
            self.request(&name);
        }
        let silence = now.saturating_duration_since(self.last_heard);
        if silence >= SILENCE_LIMIT {
            return Some(format!("no sign of life for {} s", silence.as_secs()));
        }
        if silence >= PING_EVERY && now.saturating_duration_since(self.last_ping) >= PING_EVERY {
            self.last_ping = now;
            self.send(Message::Ping(Vec::new().into()));
        }
        None
    }
}

impl Drop for Session<'_> {
    /// What the relay said until its last sign of life is here.
    fn drop(&mut self) {
        let heard_until = self.wall_clock(self.last_heard);
        for position in self.link.positions.values_mut() {
            position.ended(heard_until);
        }
    }
}

/// Writes until the queue or the socket ends; many messages per flush where many wait.
async fn write(mut sink: SplitSink<Socket, Message>, mut queue: mpsc::UnboundedReceiver<Message>) -> String {
    let failed = |error: tokio_tungstenite::tungstenite::Error| words(&error.to_string());
    while let Some(message) = queue.recv().await {
        if let Err(error) = sink.feed(message).await {
            return failed(error);
        }
        while let Ok(message) = queue.try_recv() {
            if let Err(error) = sink.feed(message).await {
                return failed(error);
            }
        }
        if let Err(error) = sink.flush().await {
            return failed(error);
        }
    }
    "closed".to_owned()
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
