//! Who may ask. Without callers in the settings that is everybody at this machine: programs, and no web page,
//! which could otherwise spend sats through the browser of its visitor.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use nostr::hashes::{Hash as _, sha256};

use super::refusal::Refusal;
use frlm_client::config::CallerConfig;
use frlm_client::failure::Failure;

/// A shorter key can be guessed.
const SHORTEST_KEY: usize = 16;
/// The caller where none is in the settings.
const THIS_MACHINE: &str = "this machine";

/// The caller of a request, once it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedBy(pub String);

/// Those who may ask.
#[derive(Debug, Default)]
pub struct Callers(Vec<Caller>);

#[derive(Debug)]
struct Caller {
    name: String,
    /// Of the key: comparing digests takes as long for a key that is nearly right as for any other.
    digest: sha256::Hash,
}

impl Callers {
    /// Those of the settings, each with the key in the environment variable that it names.
    pub fn of(configs: &[CallerConfig]) -> anyhow::Result<Self> {
        let mut callers: Vec<Caller> = Vec::new();
        for config in configs {
            let wrong = |what: &str| {
                Failure::usage(format!("[[serve.callers]] {}: {} {what}", config.name, config.key_env))
            };
            let key = std::env::var(&config.key_env).map_err(|_| wrong("is not set in the environment"))?;
            if key.len() < SHORTEST_KEY {
                return Err(wrong("holds a key of less than 16 characters").into());
            }
            let digest = sha256::Hash::hash(key.as_bytes());
            if callers.iter().any(|known| known.name == config.name || known.digest == digest) {
                return Err(wrong("has a name or a key that another caller has").into());
            }
            callers.push(Caller { name: config.name.clone(), digest });
        }
        Ok(Self(callers))
    }

    /// Whether everybody who reaches the service may ask.
    pub fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    /// The caller's name.
    pub fn identify(&self, headers: &HeaderMap) -> Result<&str, Refusal> {
        if self.is_open() {
            return local(headers).map(|()| THIS_MACHINE);
        }
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let key = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default().trim();
        let digest = sha256::Hash::hash(key.as_bytes());
        let found = self.0.iter().find(|caller| caller.digest == digest);
        found.map(|caller| caller.name.as_str()).ok_or_else(|| {
            Refusal::unknown_caller("no known key came with the request: Authorization: Bearer KEY")
        })
    }
}

/// Refuses what comes from a web page, by its own word or because a foreign name was made to lead here.
fn local(headers: &HeaderMap) -> Result<(), Refusal> {
    if headers.contains_key(ORIGIN) {
        return Err(Refusal::forbidden("web pages may not ask; give the service keys ([[serve.callers]])"));
    }
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name =
        host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    let is_local = name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_local {
        Ok(())
    } else {
        Err(Refusal::forbidden(
            "without keys ([[serve.callers]]) only this machine may ask, at its own address",
        ))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn without_keys_programs_of_this_machine_may_ask_and_web_pages_may_not() {
        let open = Callers::default();
        for host in ["127.0.0.1:8080", "localhost", "[::1]:8080", "LOCALHOST:1"] {
            assert_eq!(open.identify(&headers(&[(HOST, host)])).unwrap(), THIS_MACHINE);
        }
        for host in ["evil.example:8080", "192.168.0.7:8080", ""] {
            assert!(open.identify(&headers(&[(HOST, host)])).is_err(), "{host}");
        }
        assert!(open.identify(&headers(&[(HOST, "localhost"), (ORIGIN, "http://evil.example")])).is_err());
    }

    #[test]
    fn with_keys_only_their_owners_may_ask_from_wherever() {
        let digest = |key: &str| sha256::Hash::hash(key.as_bytes());
        let callers = Callers(vec![
            Caller { name: "ann".to_owned(), digest: digest("a-key-of-ann-0001") },
            Caller { name: "bob".to_owned(), digest: digest("a-key-of-bob-0002") },
        ]);
        let ask = |value| callers.identify(&headers(&[(HOST, "example.org"), (AUTHORIZATION, value)]));
        assert_eq!(ask("Bearer a-key-of-bob-0002").unwrap(), "bob");
        for wrong in ["Bearer a-key-of-bob-0003", "a-key-of-bob-0002", "Bearer "] {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
        assert!(callers.identify(&headers(&[(HOST, "localhost")])).is_err());
    }
}
