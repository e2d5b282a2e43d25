//! A relay that can be stopped and started again at the same address, without its memory.

use std::net::SocketAddr;

use frlm_relay::{EmbeddedRelay, EmbeddedRelayConfig};
use nostr::RelayUrl;

pub struct TestRelay {
    running: Option<EmbeddedRelay>,
    address: SocketAddr,
    url: RelayUrl,
}

impl TestRelay {
    pub async fn start() -> Self {
        let relay = listen(SocketAddr::from(([127, 0, 0, 1], 0))).await;
        Self { address: relay.address(), url: relay.url(), running: Some(relay) }
    }

    pub fn url(&self) -> RelayUrl {
        self.url.clone()
    }

    pub async fn stop(&mut self) {
        if let Some(relay) = self.running.take() {
            relay.shutdown().await;
        }
    }

    pub async fn restart(&mut self) {
        self.stop().await;
        self.running = Some(listen(self.address).await);
    }
}

async fn listen(address: SocketAddr) -> EmbeddedRelay {
    EmbeddedRelay::start(EmbeddedRelayConfig::at(address)).await.unwrap()
}
