//! A wire that can be cut: a TCP proxy between a peer and its relay.

use std::net::SocketAddr;
use std::time::Duration;

use nostr::RelayUrl;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

/// What a slow relay takes for each message.
pub const DELAY: Duration = Duration::from_millis(300);

/// What the wire does with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Passes them on.
    Whole,
    /// Is severed: connections break and new ones are turned away.
    Cut,
    /// Passes them on, each handful after [`DELAY`].
    Slow,
    /// Swallows them: connections stay open and say nothing more.
    Silent,
}

/// Listens on a port of its own and passes bytes to and from the relay.
pub struct Proxy {
    address: SocketAddr,
    wire: watch::Sender<Wire>,
    _task: AbortOnDropHandle<()>,
}

impl Proxy {
    pub async fn to(relay: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (wire, state) = watch::channel(Wire::Whole);
        let task = tokio::spawn(async move {
            let mut links = JoinSet::new();
            while let Ok((near, _)) = listener.accept().await {
                if *state.borrow() == Wire::Cut {
                    continue;
                }
                let Ok(far) = TcpStream::connect(relay).await else { continue };
                let (near_in, near_out) = near.into_split();
                let (far_in, far_out) = far.into_split();
                links.spawn(carry(near_in, far_out, state.clone()));
                links.spawn(carry(far_in, near_out, state.clone()));
            }
        });
        Self { address, wire, _task: AbortOnDropHandle::new(task) }
    }

    pub fn url(&self) -> RelayUrl {
        RelayUrl::parse(&format!("ws://{}", self.address)).unwrap()
    }

    pub fn set(&self, wire: Wire) {
        self.wire.send_replace(wire);
    }
}

async fn carry(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut state: watch::Receiver<Wire>,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        tokio::select! {
            changed = state.changed() => {
                if changed.is_err() || *state.borrow() == Wire::Cut {
                    return;
                }
            }
            read = from.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    let wire = *state.borrow();
                    if wire == Wire::Slow {
                        tokio::time::sleep(DELAY).await;
                    }
                    let passes = matches!(wire, Wire::Whole | Wire::Slow);
                    if passes && to.write_all(&buffer[..count]).await.is_err() {
                        return;
                    }
                }
            },
        }
    }
}
