//! Opening a websocket.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nostr::RelayUrl;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config, tungstenite,
};

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A larger message ends the connection. So this is far beyond what relays pass on; what is too large for us is skipped after
/// it was read.
pub(super) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;

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
        Ok(Err(error)) => Err(crate::words::words(&in_words(&error))),
        Err(_) => Err(format!("no answer within {} ms", limit.as_millis())),
    }
}

/// What the system says, without the library's word for its kind. A server that answers a secure greeting in plain text is no
/// damaged relay: it was addressed as what it is not.
fn in_words(error: &tungstenite::Error) -> String {
    let tungstenite::Error::Io(error) = error else { return error.to_string() };
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match tls {
        Some(rustls::Error::InvalidMessage(_)) => {
            "no TLS is spoken there; try ws:// instead of wss://".to_owned()
        }
        _ => error.to_string(),
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
    use std::io::{Read as _, Write as _};

    use super::*;

    #[tokio::test]
    async fn a_relay_without_tls_is_not_called_corrupt() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = RelayUrl::parse(&format!("wss://{}", listener.local_addr().unwrap())).unwrap();
        let relay = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
            // Closing over an unread greeting would reset the connection, and the answer with it.
            while stream.read(&mut [0; 1_024]).is_ok_and(|read| read > 0) {}
        });
        let refused = open(&url, Duration::from_secs(10)).await.map(drop).unwrap_err();
        assert_eq!(refused, "no TLS is spoken there; try ws:// instead of wss://");
        relay.join().unwrap();
    }

    #[test]
    fn tls_is_available_whatever_providers_are_linked() {
        tls_config().unwrap();
    }
}
