//! Opening a websocket.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nostr::RelayUrl;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config};

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A larger message ends the connection, and would again after every reconnect. So this is far
/// beyond what relays pass on; what is too large for us is skipped after it was read.
const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;

/// Connects within `limit`; the error is words for people.
pub(super) async fn open(url: &RelayUrl, limit: Duration) -> Result<Socket, String> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let secure = url.as_str().starts_with("wss");
    let connector = if secure { Connector::Rustls(tls_config()?) } else { Connector::Plain };
    // One event is one small packet that somebody waits for: Nagle's algorithm would hold it back.
    let disable_nagle = true;
    let connecting =
        connect_async_tls_with_config(url.as_str(), Some(config), disable_nagle, Some(connector));
    match tokio::time::timeout(limit, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(error)) => Err(super::words(&error.to_string())),
        Err(_) => Err(format!("no answer within {} ms", limit.as_millis())),
    }
}

/// The system's trust store, and a provider named here: the default of rustls panics where two
/// providers are linked into one program, as they are in ours.
fn tls_config() -> Result<Arc<ClientConfig>, String> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    CONFIG
        .get_or_init(|| {
            let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .and_then(BuilderVerifierExt::with_platform_verifier)
                .map_err(|error| format!("TLS cannot be set up: {error}"))?
                .with_no_client_auth();
            Ok(Arc::new(config))
        })
        .clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_available_whatever_providers_are_linked() {
        tls_config().unwrap();
    }
}
