//! Who is at the relays now. One connection for each set of relays serves previews, quotes and the list of providers; it is
//! kept for a minute after the last one looked.
//!
//! ```text
//!   watch ──► connect ──► On ⇄ Unreachable (all relays gone; they are tried again)
//!                │ no relay reached
//!                └──► Unreachable ── 5 s, or `retry` ──► connect
//! ```

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use frlm_conductor::swarm::ProviderInfo;
use frlm_relay::{ConnectError, ConnectOptions, Connection, Incoming, Publisher, RelayStatus};
use nostr::{Keys, RelayUrl, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::swarm::discovery::{Discovery, Found};
use crate::swarm::listing::Change;

/// How long a connection is kept that nobody looks at.
const LINGER: Duration = Duration::from_mins(1);
/// How often relays are looked at, and providers that gave no sign of life are dropped.
const TICK: Duration = Duration::from_millis(250);
/// Between two tries to reach relays that are all gone.
const RETRY: Duration = Duration::from_secs(5);
/// How long relays have to send what they know, after they are connected.
const FIRST_LOOK: Duration = Duration::from_millis(1_500);
/// How long a slow relay has, at most.
const LONGEST_LOOK: Duration = Duration::from_secs(20);

/// How the connection to a set of relays stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Link {
    /// It is being made.
    #[default]
    Connecting,
    /// At least one relay is there.
    On {
        /// Since then.
        since: Instant,
    },
    /// No relay is there, and why. They are tried again.
    Unreachable(String),
}

/// Who is at a set of relays.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Whether relays are there at all.
    pub link: Link,
    /// Each of them.
    pub relays: Vec<RelayStatus>,
    /// Who can be asked. Everything in it is a claim.
    pub providers: Vec<ProviderInfo>,
    /// Whether the relays have sent all providers that they knew.
    pub complete: bool,
}

/// The providers at relays. Clones share the connections.
#[derive(Clone, Default)]
pub struct ProviderDirectory {
    watches: Arc<Mutex<Watches>>,
}

type Watches = HashMap<Vec<RelayUrl>, Watched>;

struct Watched {
    view: watch::Sender<View>,
    retry: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl ProviderDirectory {
    /// Who is at these relays, from now on.
    pub fn watch(&self, relays: &[RelayUrl]) -> watch::Receiver<View> {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let found = watches.entry(relays.to_vec()).or_insert_with(|| {
            let (view, _) = watch::channel(View::default());
            let retry = Arc::new(Notify::new());
            let task = keep(relays.to_vec(), view.clone(), retry.clone(), Arc::downgrade(&self.watches));
            Watched { view, retry, _task: AbortOnDropHandle::new(tokio::spawn(task)) }
        });
        found.view.subscribe()
    }

    /// Connects at once to relays that could not be reached, instead of at the next regular try.
    pub fn retry(&self, relays: &[RelayUrl]) {
        let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watched) = watches.get(relays) {
            watched.retry.notify_waiters();
        }
    }

    /// Who is at these relays once they had a moment to tell; or why none was reached.
    pub async fn providers(&self, relays: &[RelayUrl]) -> Result<Vec<ProviderInfo>, String> {
        let mut view = self.watch(relays);
        loop {
            let complete = view.borrow_and_update().complete;
            let look = if complete { FIRST_LOOK } else { LONGEST_LOOK };
            let left = match &view.borrow().link {
                Link::Connecting => look,
                Link::On { since } => look.saturating_sub(since.elapsed()),
                Link::Unreachable(why) => return Err(why.clone()),
            };
            if left.is_zero() {
                return Ok(view.borrow().providers.clone());
            }
            // What is heard meanwhile is looked at when the time is over. The sender lives as long as this directory.
            let ended = |view: &View| matches!(view.link, Link::Unreachable(_)) || view.complete != complete;
            let _ = tokio::time::timeout(left, view.wait_for(ended)).await;
        }
    }
}

/// Listens until nobody has looked for a while.
async fn keep(
    relays: Vec<RelayUrl>,
    view: watch::Sender<View>,
    retry: Arc<Notify>,
    watches: Weak<Mutex<Watches>>,
) {
    let listening = async {
        loop {
            listen(&relays, &view).await;
            tokio::select! {
                () = tokio::time::sleep(RETRY) => {}
                () = retry.notified() => view.send_modify(|view| view.link = Link::Connecting),
            }
        }
    };
    let unwatched = async {
        loop {
            view.closed().await;
            tokio::time::sleep(LINGER).await;
            let Some(watches) = watches.upgrade() else { return };
            // Who begins to look holds this lock.
            let mut watches = watches.lock().unwrap_or_else(PoisonError::into_inner);
            if view.is_closed() {
                watches.remove(&relays);
                return;
            }
        }
    };
    tokio::select! {
        () = listening => {}
        () = unwatched => {}
    }
}

/// Listens until the connection ends; it is closed when this future is dropped.
async fn listen(relays: &[RelayUrl], view: &watch::Sender<View>) {
    // A key of this connection alone: relays that want one learn nothing by it.
    let options = ConnectOptions { auth_keys: Some(Keys::generate()), ..ConnectOptions::default() };
    match Connection::connect(relays, options).await {
        Ok((publisher, incoming)) => hear(&publisher, incoming, view).await,
        Err(error) => view.send_modify(|view| {
            if let ConnectError::Unreachable { relays } = &error {
                view.relays.clone_from(relays);
            }
            view.link = Link::Unreachable(error.to_string());
            view.providers.clear();
        }),
    }
}

async fn hear(publisher: &Publisher, mut incoming: Incoming, view: &watch::Sender<View>) {
    let mut discovery = Discovery::begin(publisher, &[]).await;
    view.send_modify(|view| {
        view.link = Link::On { since: Instant::now() };
        view.complete = false;
    });
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = incoming.recv() => match message {
                None => return,
                Some(message) => {
                    if let Some(change) = discovery.heard(&message, Timestamp::now()) {
                        view.send_if_modified(|view| view.take(change));
                    }
                }
            },
            found = discovery.next() => match found {
                Found::Event(Some(change)) => {
                    view.send_if_modified(|view| view.take(change));
                }
                Found::Event(None) => {}
                Found::All => view.send_modify(|view| view.complete = true),
            },
            _ = tick.tick() => {
                let gone = discovery.expire(Timestamp::now());
                view.send_if_modified(|view| {
                    let fewer = !gone.is_empty();
                    for gone in gone {
                        view.take(gone);
                    }
                    view.relays_are(publisher.relays()) || fewer
                });
            }
        }
    }
}

impl View {
    /// Takes in what changed; `false` if that shows nowhere.
    fn take(&mut self, change: Change) -> bool {
        match change {
            Change::Seen(info) => {
                match self.providers.iter_mut().find(|known| known.id == info.id) {
                    Some(known) => *known = *info,
                    None => self.providers.push(*info),
                }
                true
            }
            Change::Gone(id) => {
                self.providers.retain(|known| known.id != id);
                true
            }
            // How long its queue is changes all the time, and nobody who looks is shown it. A run says who cannot be asked.
            Change::Load { .. } | Change::Unusable(_) => false,
        }
    }

    /// Takes in how the relays stand; `false` if they stood so before.
    fn relays_are(&mut self, relays: Vec<RelayStatus>) -> bool {
        if relays == self.relays {
            return false;
        }
        let lost = relays.iter().all(|relay| !relay.connected);
        match self.link {
            Link::On { .. } if lost => {
                let why = relays.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                self.link = Link::Unreachable(why);
            }
            Link::Unreachable(_) if !lost => self.link = Link::On { since: Instant::now() },
            Link::Connecting | Link::On { .. } | Link::Unreachable(_) => {}
        }
        self.relays = relays;
        true
    }
}

#[cfg(test)]
mod tests {
    use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
    use tokio::time::timeout;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    async fn a_relay() -> (EmbeddedRelay, RelayUrl) {
        let relay =
            EmbeddedRelay::start(EmbeddedRelayConfig::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let url = relay.url().clone();
        (relay, url)
    }

    #[tokio::test]
    async fn those_who_look_share_one_connection_and_a_second_look_takes_no_time() {
        let (relay, url) = a_relay().await;
        let directory = ProviderDirectory::default();
        assert!(directory.providers(std::slice::from_ref(&url)).await.unwrap().is_empty());
        let again = Instant::now();
        assert!(directory.clone().providers(std::slice::from_ref(&url)).await.unwrap().is_empty());
        assert!(again.elapsed() < FIRST_LOOK / 2, "it is asked what was heard meanwhile");
        assert_eq!(directory.watches.lock().unwrap().len(), 1);
        relay.shutdown().await;
    }

    #[tokio::test]
    async fn absent_relays_are_named_and_relays_that_disconnect_are_noticed() {
        let (relay, url) = a_relay().await;
        let directory = ProviderDirectory::default();
        let nowhere = RelayUrl::parse("ws://127.0.0.1:1").unwrap();
        let why = directory.providers(&[nowhere]).await.unwrap_err();
        assert!(why.contains("ws://127.0.0.1:1"), "{why}");
        let mut view = directory.watch(std::slice::from_ref(&url));
        timeout(SOON, view.wait_for(|view| matches!(view.link, Link::On { .. }))).await.unwrap().unwrap();
        relay.shutdown().await;
        timeout(SOON, view.wait_for(|view| matches!(view.link, Link::Unreachable(_))))
            .await
            .unwrap()
            .unwrap();
    }

    #[tokio::test]
    async fn a_retry_connects_before_the_next_regular_try() {
        let nowhere = [RelayUrl::parse("ws://127.0.0.1:1").unwrap()];
        let directory = ProviderDirectory::default();
        let mut view = directory.watch(&nowhere);
        let missed = timeout(SOON, view.wait_for(|view| matches!(view.link, Link::Unreachable(_)))).await;
        missed.unwrap().unwrap();
        directory.retry(&nowhere);
        // A regular try does not say that it connects.
        let tried = timeout(SOON, view.wait_for(|view| view.link == Link::Connecting)).await;
        tried.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_nobody_looks_at_is_closed_after_a_while() {
        let directory = ProviderDirectory::default();
        let nowhere = [RelayUrl::parse("ws://127.0.0.1:1").unwrap()];
        let view = directory.watch(&nowhere);
        drop(view);
        tokio::time::sleep(LINGER / 2).await;
        let view = directory.watch(&nowhere);
        tokio::time::sleep(LINGER).await;
        assert_eq!(directory.watches.lock().unwrap().len(), 1, "somebody looks");
        drop(view);
        tokio::time::sleep(LINGER + TICK).await;
        assert!(directory.watches.lock().unwrap().is_empty());
    }
}
