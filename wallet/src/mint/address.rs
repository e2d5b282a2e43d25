//! Addresses of mints: which are taken, and which are the same.

use std::str::FromStr as _;

use cdk::mint_url::MintUrl;
use url::{Host, Url};

use crate::error::WalletError;

/// An address as mints are told apart by: without a slash at the end.
pub(crate) fn parse_mint(url: &str) -> Result<MintUrl, WalletError> {
    let bad = || WalletError::BadMint(url.to_owned());
    let parsed = MintUrl::from_str(url.trim()).map_err(|_| bad())?;
    let address = Url::parse(&parsed.to_string()).map_err(|_| bad())?;
    // What stands before the host or behind the path is no part of a mint's address, and may make it look like another's.
    let plain = address.username().is_empty()
        && address.password().is_none()
        && address.query().is_none()
        && address.fragment().is_none();
    let near = match address.scheme() {
        "https" => true,
        // Tokens over plain HTTP are anyone's on the way; only this machine is near enough, or Tor, which encrypts.
        "http" => is_loopback(&parsed) || is_onion(&address),
        _ => false,
    };
    if plain && near { Ok(parsed) } else { Err(bad()) }
}

/// A mint's address as a URL parser writes it: however it was spelled, one mint has one.
pub(super) fn canonical(mint: &MintUrl) -> String {
    let spelled = mint.to_string();
    Url::parse(&spelled).map_or(spelled, |url| url.as_str().trim_end_matches('/').to_owned())
}

pub(crate) fn is_loopback(mint: &MintUrl) -> bool {
    let address = Url::parse(&mint.to_string());
    match address.as_ref().map(Url::host) {
        Ok(Some(Host::Domain(name))) => name == "localhost",
        Ok(Some(Host::Ipv4(address))) => address.is_loopback(),
        Ok(Some(Host::Ipv6(address))) => address.is_loopback(),
        Ok(None) | Err(_) => false,
    }
}

/// A hidden service of Tor: 56 letters and digits, then `.onion`.
fn is_onion(address: &Url) -> bool {
    let Some(Host::Domain(name)) = address.host() else { return false };
    let service = name.strip_suffix(".onion").and_then(|name| name.rsplit('.').next());
    service.is_some_and(|service| {
        service.len() == 56 && service.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for good in
            ["https://mint.example/", "http://127.0.0.1:3338", "http://localhost:1", "http://[::1]:3338"]
        {
            assert!(parse_mint(good).is_ok(), "{good}");
        }
        let onion = format!("{}.onion", "a2".repeat(28));
        assert!(parse_mint(&format!("http://{onion}/Bitcoin")).is_ok());
        for bad in [
            "http://mint.example",
            "http://10.0.0.1:3338",
            "mint",
            "",
            "http://127.0.0.1.evil.example",
            "http://evil.example/.onion",
            "http://evil.example?x=.onion",
            "http://mint.onion",
            "http://localhost:80@evil.example",
            "https://mint.example@evil.example",
            "https://mint.example/?key=1",
            "ftp://localhost",
        ] {
            assert!(matches!(parse_mint(bad), Err(WalletError::BadMint(_))), "{bad}");
        }
    }
}
