//! `frlm relay`: the embedded relay.

use std::net::{Ipv4Addr, SocketAddr};

use frlm_client::relay::{EmbeddedRelay, EmbeddedRelayConfig};

use crate::cli::RelayArgs;
use crate::interrupt::Interrupt;
use frlm_client::failure::Failure;
use frlm_client::home::Home;

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7777);

/// Serves until interrupted.
pub async fn run(args: &RelayArgs, home: &Home) -> anyhow::Result<()> {
    let config = home.config()?;
    let listen = args.listen.or(config.relay.listen).unwrap_or(DEFAULT_LISTEN);
    let mut limits = args.like.map_or_else(|| EmbeddedRelayConfig::at(listen), |like| like.at(listen));
    if args.no_blobs || config.relay.no_blobs {
        limits.blobs = None;
    }
    let relay = EmbeddedRelay::start(limits).await.map_err(Failure::usage)?;
    let interrupt = Interrupt::listen("closing");
    let url = relay.url();
    say!("{url}");
    note!("relay on {url}; join with: frlm provide --relay {url}");
    if !listen.ip().is_loopback() {
        note!("note: {listen} can be reached from other machines; events are kept in memory only");
    }
    interrupt.tidy.cancelled().await;
    tokio::select! {
        () = relay.shutdown() => {}
        () = interrupt.now.cancelled() => {}
    }
    Ok(())
}
