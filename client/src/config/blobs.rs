//! `[blobs]`: where jobs go that are too large for an event, and from where they are fetched.

use std::time::Duration;

use frlm_relay::{BlobOptions, UrlError, parse_blob_server};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Blob servers of `ask`, `provide` and `serve`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlobsConfig {
    /// Blossom servers. Empty: those beside the relays.
    pub servers: Vec<String>,
    /// Whether a provider fetches blobs from every public address that a job names. The server there learns its address.
    pub from_anywhere: bool,
    /// Jobs of more encrypted characters travel as blobs, even where the relays would take them.
    pub over_chars: Option<usize>,
    /// Seconds that one blob may take.
    pub timeout: Option<u64>,
}

impl BlobsConfig {
    /// The same for a connection.
    pub fn options(&self) -> Result<BlobOptions, Failure> {
        let wrong = |error: UrlError| Failure::usage(format!("[blobs] servers: {error}"));
        let servers = self.servers.iter().map(|server| parse_blob_server(server).map_err(wrong));
        let servers = servers.collect::<Result<_, _>>()?;
        let usual = BlobOptions::default();
        Ok(BlobOptions {
            servers,
            from_anywhere: self.from_anywhere,
            over_chars: self.over_chars,
            timeout: self.timeout.map_or(usual.timeout, Duration::from_secs),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::code;

    #[test]
    fn servers_are_addresses_and_others_are_refused_with_the_fix() {
        let of = |server: &str| BlobsConfig { servers: vec![server.to_owned()], ..BlobsConfig::default() };
        let options = of(" https://blobs.example ").options().unwrap();
        assert_eq!(options.servers[0].as_str(), "https://blobs.example/");
        for odd in ["", "blobs.example", "ws://blobs.example", "https://"] {
            let failure = of(odd).options().unwrap_err();
            assert_eq!(failure.code, code::USAGE, "{odd}");
            assert!(format!("{failure:?}").contains("write https://HOST"), "{failure:?}");
        }
    }
}
