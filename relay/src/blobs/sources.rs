//! From where blobs are fetched: a stranger's address must not make this machine ask its own network for something.

use std::error::Error as _;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::{BlobOptions, TransferError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How far a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Beside a relay of ours, or at a server that the user named: wherever that is.
    Named,
    /// To public addresses alone.
    Public,
}

/// How far a request to this address may go, if it may be made.
pub(super) fn reach(url: &Url, options: &BlobOptions) -> Result<Reach, TransferError> {
    let is_named = options.servers.iter().any(|server| server.origin() == url.origin());
    if is_named {
        return Ok(Reach::Named);
    }
    // An address in numbers is not looked up, so that nothing else would look at it.
    let literal = match url.host() {
        Some(Host::Ipv4(ip)) => Some(IpAddr::V4(ip)),
        Some(Host::Ipv6(ip)) => Some(IpAddr::V6(ip)),
        Some(Host::Domain(_)) | None => None,
    };
    if literal.is_some_and(|ip| !is_public(ip)) {
        return Err(TransferError::Private);
    }
    if options.from_anywhere { Ok(Reach::Public) } else { Err(TransferError::NotAllowed) }
}

/// Whether a request failed because all addresses of its host are private.
pub(super) fn is_private(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<PrivateHost>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// One client for each reach, because making one reads the system's certificates. It follows no redirect, uses no proxy, and
/// keeps no connection, which would belong to the runtime that opened it.
pub(crate) fn client(reach: Reach) -> Result<&'static reqwest::Client, TransferError> {
    static CLIENTS: [OnceLock<Option<reqwest::Client>>; 2] = [OnceLock::new(), OnceLock::new()];
    let make = || {
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT_TIMEOUT);
        let builder = match reach {
            Reach::Named => builder,
            Reach::Public => builder.dns_resolver(Arc::new(PublicHosts)),
        };
        builder.build().inspect_err(|error| tracing::warn!(%error, "no client for blobs")).ok()
    };
    let at = usize::from(reach == Reach::Public);
    CLIENTS[at].get_or_init(make).as_ref().ok_or(TransferError::Unreachable)
}

/// Looks names up and drops private addresses. The connection is made to what is left: a name that is looked up twice could
/// be somewhere else the second time.
#[derive(Debug)]
struct PublicHosts;

/// A name of which every address is private.
#[derive(Debug)]
struct PrivateHost;

impl fmt::Display for PrivateHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name stands for private addresses only")
    }
}

impl std::error::Error for PrivateHost {}

impl Resolve for PublicHosts {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> =
                found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(PrivateHost.into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address is one of the internet's, and of nobody's own network or machine.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_for_protocols = (a, b, c) == (192, 0, 0);
    let is_for_measurements = a == 198 && (18..20).contains(&b);
    let is_reserved = a == 0 || a >= 224;
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_measurements
        || is_reserved)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, ..] = ip.segments();
    // Global unicast, without what leads through tunnels to addresses of version 4, and without documentation.
    let is_global = (0x2000..0x4000).contains(&a);
    let is_tunnel = a == 0x2002 || (a == 0x2001 && b < 0x0200);
    let is_documentation = (a, b) == (0x2001, 0x0db8) || (a == 0x3fff && b < 0x1000);
    // An interface's own tunnel (ISATAP) ends in 0:5efe and an address of version 4.
    let is_isatap = ip.segments()[5] == 0x5efe && c != 0;
    is_global && !is_tunnel && !is_documentation && !is_isatap
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(url: &str, options: &BlobOptions) -> Result<Reach, TransferError> {
        reach(&Url::parse(url).unwrap(), options)
    }

    #[test]
    fn private_addresses_are_told_from_public_ones_however_they_are_written() {
        let anywhere = BlobOptions { from_anywhere: true, ..BlobOptions::default() };
        for private in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.0.8",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[::ffff:10.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001:0:1::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[ff02::1]",
            "[2001:db8::1]",
        ] {
            assert_eq!(
                asked(&format!("http://{private}/"), &anywhere),
                Err(TransferError::Private),
                "{private}"
            );
        }
        for public in ["9.9.9.9", "172.15.0.1", "100.63.0.1", "[2620:fe::fe]", "blobs.example"] {
            assert_eq!(asked(&format!("https://{public}/"), &anywhere), Ok(Reach::Public), "{public}");
        }
    }

    #[test]
    fn a_server_that_is_named_may_be_anywhere_and_others_are_not_asked() {
        let named = BlobOptions {
            servers: vec![Url::parse("http://10.0.0.7:3000").unwrap()],
            ..BlobOptions::default()
        };
        assert_eq!(asked("http://10.0.0.7:3000/x", &named), Ok(Reach::Named));
        for other in ["http://10.0.0.7:3001/x", "http://10.0.0.7/x", "https://10.0.0.7:3000/x"] {
            assert_eq!(asked(other, &named), Err(TransferError::Private), "{other}");
        }
        assert_eq!(asked("https://blobs.example/x", &named), Err(TransferError::NotAllowed));
    }

    #[tokio::test]
    async fn a_name_that_stands_for_this_machine_is_not_followed() {
        // Whatever the port: the name is looked up first.
        let asking = client(Reach::Public).unwrap().get("http://localhost:1/").send();
        let error = asking.await.unwrap_err();
        assert!(is_private(&error), "{error:?}");
    }
}
