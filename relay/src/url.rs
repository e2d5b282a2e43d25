//! Relay addresses as people type them.

use nostr::RelayUrl;
use thiserror::Error;
use url::Url;

/// Why something is no relay address, with the fix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Nothing was given.
    #[error("the relay address is empty: write ws://HOST:PORT or wss://HOST")]
    Empty,
    /// A host without a scheme.
    #[error("{given:?} is not a relay address: write {suggestion} (or wss:// if the relay has TLS)")]
    MissingScheme {
        /// What was given.
        given: String,
        /// What was probably meant.
        suggestion: String,
    },
    /// An address of something else.
    #[error("{0:?} is not a relay address: relays start with ws:// or wss://, e.g. ws://127.0.0.1:7777")]
    WrongScheme(String),
    /// Looks like a relay address and is none.
    #[error("{given:?} is not a relay address ({reason}): write ws://HOST:PORT or wss://HOST")]
    Invalid {
        /// What was given.
        given: String,
        /// What the parser says.
        reason: String,
    },
    /// Not where blobs are.
    #[error("{0:?} is not the address of a blob server: write https://HOST or http://HOST:PORT")]
    NoBlobServer(String),
}

/// Reads a relay address, strictly: `ws://` or `wss://` and a host.
pub fn parse_relay_url(text: &str) -> Result<RelayUrl, UrlError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    let lower = text.to_ascii_lowercase();
    // Checked as text: the URL parser would repair `ws:/host` and take `localhost:7777` for a scheme.
    if !lower.starts_with("ws://") && !lower.starts_with("wss://") {
        let scheme_like = ["ws:", "wss:", "http:", "https:"].iter().any(|scheme| lower.starts_with(scheme));
        if scheme_like || text.contains("://") || text.starts_with('-') {
            return Err(UrlError::WrongScheme(text.to_owned()));
        }
        let suggestion = format!("ws://{text}");
        return match RelayUrl::parse(&suggestion) {
            Ok(_) => Err(UrlError::MissingScheme { given: text.to_owned(), suggestion }),
            Err(_) => Err(UrlError::WrongScheme(text.to_owned())),
        };
    }
    let invalid = |reason: String| UrlError::Invalid { given: text.to_owned(), reason };
    let url = RelayUrl::parse(text).map_err(|error| invalid(error.to_string()))?;
    if url.host().is_none() {
        return Err(invalid("the host is missing".to_owned()));
    }
    Ok(url)
}

/// Reads the address of a blob server: `http://` or `https://`, a host, and nothing behind it, as BUD-01 has it.
pub fn parse_blob_server(text: &str) -> Result<Url, UrlError> {
    let wrong = || UrlError::NoBlobServer(text.to_owned());
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let is_root = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_bare = url.username().is_empty() && url.password().is_none();
    let is_http = matches!(url.scheme(), "http" | "https") && url.has_host();
    if is_root && is_bare && is_http { Ok(url) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relay_addresses_are_accepted() {
        for text in
            ["ws://127.0.0.1:7777", "wss://relay.example", " WSS://relay.example/path ", "ws://[::1]:80"]
        {
            assert!(parse_relay_url(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_fix() {
        for text in [
            "http:/nonsense",
            "https://relay.example",
            "ws:/host",
            "ws://",
            "wss://:80",
            "ftp://x",
            "--",
            "a b",
        ] {
            let words = parse_relay_url(text).unwrap_err().to_string();
            assert!(words.contains("ws://") && words.contains("wss://"), "{text}: {words}");
        }
        assert_eq!(parse_relay_url("  "), Err(UrlError::Empty));
    }

    #[test]
    fn blob_servers_are_addresses_without_a_path() {
        for text in ["https://blobs.example", " http://127.0.0.1:3000/ "] {
            assert!(parse_blob_server(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "blobs.example",
            "ws://blobs.example",
            "https://",
            "https://a/b",
            "https://u:p@a",
            "https://a?x",
        ] {
            let words = parse_blob_server(text).unwrap_err().to_string();
            assert!(words.contains("write https://HOST"), "{text}: {words}");
        }
    }

    #[test]
    fn a_forgotten_scheme_is_suggested() {
        let words = parse_relay_url("localhost:7777").unwrap_err().to_string();
        assert!(words.contains("write ws://localhost:7777"), "{words}");
    }
}
