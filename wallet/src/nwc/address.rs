//! A wallet connection as its owner hands it out: `nostr+walletconnect://KEY?relay=…&secret=…`.

use std::fmt;
use std::str::FromStr;

use nostr::{Keys, PublicKey, RelayUrl, SecretKey};

const SCHEMES: [&str; 2] = ["nostr+walletconnect://", "nostr+walletconnect:"];

/// Where a wallet is, and the key that may use it. Its owner can spend what the wallet allows.
#[derive(Clone)]
pub struct NwcAddress {
    /// The wallet's key.
    pub wallet: PublicKey,
    /// Where it listens.
    pub relays: Vec<RelayUrl>,
    pub(super) keys: Keys,
}

/// Why it is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NwcAddressError {
    /// Another kind of text.
    #[error("a wallet connection begins with nostr+walletconnect://")]
    Scheme,
    /// A part is missing or cannot be read.
    #[error("the wallet connection has no proper {0}; copy it again from your wallet")]
    Part(&'static str),
}

impl NwcAddress {
    /// The public key that the wallet knows us by.
    pub fn client(&self) -> PublicKey {
        self.keys.public_key()
    }
}

impl FromStr for NwcAddress {
    type Err = NwcAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = SCHEMES
            .iter()
            .find_map(|scheme| text.trim().strip_prefix(scheme))
            .ok_or(NwcAddressError::Scheme)?;
        let (key, query) = rest.split_once('?').ok_or(NwcAddressError::Part("parameters"))?;
        let wallet = PublicKey::from_hex(key).map_err(|_| NwcAddressError::Part("wallet key"))?;
        let (mut relays, mut secret) = (Vec::new(), None);
        // A key that is given twice means whichever comes last, except for relays, which add up.
        for (name, value) in nostr::types::url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "relay" => {
                    relays.push(RelayUrl::parse(&value).map_err(|_| NwcAddressError::Part("relay"))?);
                }
                "secret" => {
                    let parsed = SecretKey::from_hex(&value).map_err(|_| NwcAddressError::Part("secret"))?;
                    secret = Some(parsed);
                }
                _ => {}
            }
        }
        if relays.is_empty() {
            return Err(NwcAddressError::Part("relay"));
        }
        let keys = Keys::new(secret.ok_or(NwcAddressError::Part("secret"))?);
        Ok(Self { wallet, relays, keys })
    }
}

impl fmt::Debug for NwcAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NwcAddress").field("relays", &self.relays).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_nip_47_is_read() {
        let text = "nostr+walletconnect://b889ff5b1513b641e2a139f661a661364979c5beee91842f8f0ef42ab558e9d4?relay=wss%3A%2F%2Frelay.damus.io&secret=71a8c14c1407c113601079c4302dab36460f0ccd0ad506f1f2dc73b5100e4f3c";
        let address: NwcAddress = text.parse().unwrap();
        assert_eq!(address.relays[0].to_string(), "wss://relay.damus.io");
        assert_eq!(
            address.wallet.to_hex(),
            "b889ff5b1513b641e2a139f661a661364979c5beee91842f8f0ef42ab558e9d4"
        );
        let shown = format!("{address:?}");
        assert!(!shown.contains("71a8c14c"), "{shown}");
        for wrong in ["", "lnbc1", "nostr+walletconnect://b889?relay=wss://a", &text[..110]] {
            assert!(wrong.parse::<NwcAddress>().is_err(), "{wrong}");
        }
    }
}
