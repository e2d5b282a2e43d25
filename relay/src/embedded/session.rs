//! NIP-01 with one client.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use frlm_util::rate::{Rate, TokenBucket};
use futures::stream::SplitSink;
use futures::{SinkExt, StreamExt};
use nostr::{ClientMessage, Event, Filter, JsonUtil, Kind, Timestamp};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::hub::{Hub, Peer, message};
use super::store::{Saved, StoredEvent};

/// Longest subscription name (NIP-01).
const MAX_NAME_BYTES: usize = 64;
/// Most filters in one subscription.
pub(super) const MAX_FILTERS: usize = 64;
const AUTH_REQUIRED: &str = "auth-required: this relay takes nothing from clients that it does not know";
/// How far the date of a client's answer may be from now (NIP-42).
const AUTH_SLACK_SECS: u64 = 600;
/// How long saying goodbye may take.
const CLOSE_LIMIT: Duration = Duration::from_millis(300);

pub(super) async fn run(hub: Arc<Hub>, socket: WebSocket, cancel: CancellationToken) {
    let Some((peer, queue)) = hub.join() else {
        goodbye(socket, close_code::AGAIN, "the relay is full").await;
        return;
    };
    let (sink, mut stream) = socket.split();
    if hub.config.auth_required {
        peer.send(message(&json!(["AUTH", peer.challenge])));
    }
    let mut writer = std::pin::pin!(write(sink, queue, Arc::clone(&peer)));
    let mut allowance = Allowance::new(hub.config.events_per_minute);
    let ending = loop {
        // The writer comes first, so that a client that only asks cannot starve its answers.
        tokio::select! {
            biased;
            () = cancel.cancelled() => break Some((close_code::AWAY, "the relay is shutting down")),
            () = peer.overrun.cancelled() => break Some((close_code::POLICY, "reading too slowly")),
            sink = &mut writer => { drop(sink); break None }
            frame = stream.next() => match frame {
                Some(Ok(Message::Text(text))) => answer(&hub, &peer, text.as_str(), &mut allowance),
                Some(Ok(Message::Binary(_))) => notice(&peer, "binary messages mean nothing here"),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
            }
        }
    };
    hub.leave(&peer);
    if let Some((code, reason)) = ending {
        peer.send(Utf8Bytes::from_static(END_OF_QUEUE));
        if let Ok(Some(sink)) = tokio::time::timeout(CLOSE_LIMIT, writer).await {
            let _ = tokio::time::timeout(CLOSE_LIMIT, close(sink, code, reason)).await;
        }
    }
}

/// Not a NIP-01 message: tells the writer to hand the socket back.
const END_OF_QUEUE: &str = "";

/// Writes until the queue ends, then hands the socket back; many messages per flush where many
/// wait. `None` when the socket failed.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut queue: mpsc::UnboundedReceiver<Utf8Bytes>,
    peer: Arc<Peer>,
) -> Option<SplitSink<WebSocket, Message>> {
    while let Some(mut text) = queue.recv().await {
        loop {
            if text.is_empty() {
                return Some(sink);
            }
            let bytes = text.len();
            sink.feed(Message::Text(text)).await.ok()?;
            peer.written(bytes);
            match queue.try_recv() {
                Ok(next) => text = next,
                Err(_) => break,
            }
        }
        sink.flush().await.ok()?;
    }
    None
}

async fn goodbye(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let _ = tokio::time::timeout(CLOSE_LIMIT, socket.send(Message::Close(Some(frame)))).await;
}

async fn close(mut sink: SplitSink<WebSocket, Message>, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let _ = sink.send(Message::Close(Some(frame))).await;
}

fn answer(hub: &Hub, peer: &Peer, text: &str, allowance: &mut Allowance) {
    match ClientMessage::from_json(text) {
        Ok(ClientMessage::Event(event)) => publish(hub, peer, event.into_owned(), text.len(), allowance),
        Ok(ClientMessage::Req { subscription_id, filters }) => {
            let filters: Vec<Filter> = filters.into_iter().map(std::borrow::Cow::into_owned).collect();
            subscribe(hub, peer, subscription_id.as_str(), &filters);
        }
        Ok(ClientMessage::Close(name)) => {
            peer.subscriptions().remove(name.as_str());
        }
        Ok(ClientMessage::Auth(event)) => authenticate(peer, &event),
        Ok(_) => notice(peer, "unsupported: this relay speaks EVENT, REQ, CLOSE and AUTH"),
        Err(error) => notice(peer, &format!("invalid: {error}")),
    }
}

fn publish(hub: &Hub, peer: &Peer, event: Event, bytes: usize, allowance: &mut Allowance) {
    let id = event.id.to_hex();
    let reply = |ok: bool, words: &str| peer.send(message(&json!(["OK", id, ok, words])));
    if !peer.is_known.load(Ordering::Relaxed) {
        return reply(false, AUTH_REQUIRED);
    }
    if bytes > hub.config.max_event_bytes {
        return reply(false, &format!("invalid: larger than {} bytes", hub.config.max_event_bytes));
    }
    let most_chars = hub.config.max_content_chars;
    if event.content.chars().nth(most_chars).is_some() {
        return reply(false, &format!("invalid: content larger than {most_chars} characters"));
    }
    if !allowance.take(Instant::now()) {
        return reply(false, "rate-limited: slow down");
    }
    if event.verify().is_err() {
        return reply(false, "invalid: wrong id or signature");
    }
    match hub.accept(StoredEvent::new(event)) {
        Saved::New => reply(true, ""),
        Saved::Duplicate => reply(true, "duplicate: already stored"),
        Saved::Outdated => reply(true, "duplicate: a newer version is stored"),
        Saved::Deleted => reply(false, "blocked: deleted by its author"),
        Saved::Expired => reply(false, "invalid: expired"),
    }
}

fn subscribe(hub: &Hub, peer: &Peer, name: &str, filters: &[Filter]) {
    let refusal = {
        let subscriptions = peer.subscriptions();
        if !peer.is_known.load(Ordering::Relaxed) {
            Some(AUTH_REQUIRED.to_owned())
        } else if name.is_empty() || name.len() > MAX_NAME_BYTES {
            Some(format!("invalid: the name must have 1 to {MAX_NAME_BYTES} bytes"))
        } else if filters.len() > MAX_FILTERS {
            Some(format!("invalid: more than {MAX_FILTERS} filters"))
        } else if subscriptions.len() >= hub.config.max_subscriptions && !subscriptions.contains_key(name) {
            Some(format!("blocked: more than {} subscriptions", hub.config.max_subscriptions))
        } else {
            None
        }
    };
    match refusal {
        Some(words) => peer.send(message(&json!(["CLOSED", name, words]))),
        None => hub.subscribe(peer, name, filters),
    }
}

/// Takes a client's answer to the challenge (NIP-42). Which relay it names is not looked at: this one is reached under
/// several addresses.
fn authenticate(peer: &Peer, event: &Event) {
    let challenge = event.tags.iter().find_map(|tag| match tag.as_slice() {
        [name, challenge, ..] if name == "challenge" => Some(challenge.as_str()),
        _ => None,
    });
    let apart = Timestamp::now().as_secs().abs_diff(event.created_at.as_secs());
    let answers = event.kind == Kind::Authentication
        && challenge == Some(peer.challenge.as_str())
        && apart <= AUTH_SLACK_SECS
        && event.verify().is_ok();
    if answers {
        peer.is_known.store(true, Ordering::Relaxed);
    }
    let words = if answers { "" } else { "invalid: this answers no challenge of this relay" };
    peer.send(message(&json!(["OK", event.id.to_hex(), answers, words])));
}

fn notice(peer: &Peer, words: &str) {
    peer.send(message(&json!(["NOTICE", words])));
}

/// A client's share of events: a bucket of one minute's worth.
struct Allowance {
    rate: Rate,
    bucket: TokenBucket,
    began: Instant,
}

impl Allowance {
    fn new(per_minute: u32) -> Self {
        let rate = Rate::per_minute(per_minute);
        Self { rate, bucket: TokenBucket::with(rate.burst, Duration::ZERO), began: Instant::now() }
    }

    fn take(&mut self, now: Instant) -> bool {
        self.bucket.take(self.rate, now.saturating_duration_since(self.began)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_used_up_and_comes_back() {
        let mut allowance = Allowance::new(60);
        let start = allowance.began;
        assert_eq!((0..100).filter(|_| allowance.take(start)).count(), 60);
        assert!(allowance.take(start + Duration::from_millis(1100)));
        assert!(!allowance.take(start + Duration::from_millis(1200)));
    }
}
