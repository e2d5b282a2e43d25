//! Relays with the limits of those elsewhere, to try peers against.

use std::net::SocketAddr;
use std::str::FromStr;

use super::EmbeddedRelayConfig;

/// A relay elsewhere by its default limits, as they were found in November 2026, or one habit that relays have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelayProfile {
    /// Events of 64 KiB, 200 subscriptions, 500 events for one filter.
    Strfry,
    /// 102,400 characters, 10 subscriptions, 720 events an hour; an hour's worth at once counts as a minute's here.
    Nostream,
    /// Messages of 128 KiB.
    NostrRsRelay,
    /// Messages of 512 KiB, 20 subscriptions, 300 events for one filter.
    Rnostr,
    /// 4,096 characters.
    PythonNostrRelay,
    /// Nothing before NIP-42.
    Authenticating,
}

impl RelayProfile {
    /// Each of them.
    pub const ALL: [Self; 6] = [
        Self::Strfry,
        Self::Nostream,
        Self::NostrRsRelay,
        Self::Rnostr,
        Self::PythonNostrRelay,
        Self::Authenticating,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strfry => "strfry",
            Self::Nostream => "nostream",
            Self::NostrRsRelay => "nostr-rs-relay",
            Self::Rnostr => "rnostr",
            Self::PythonNostrRelay => "python-nostr-relay",
            Self::Authenticating => "auth",
        }
    }

    /// Such a relay at this address.
    pub fn at(self, listen: SocketAddr) -> EmbeddedRelayConfig {
        // None of them has a blob server beside it.
        let usual = EmbeddedRelayConfig { blobs: None, ..EmbeddedRelayConfig::at(listen) };
        match self {
            Self::Strfry => EmbeddedRelayConfig {
                max_event_bytes: 65_536,
                max_subscriptions: 200,
                max_limit: 500,
                ..usual
            },
            Self::Nostream => EmbeddedRelayConfig {
                max_content_chars: 102_400,
                max_subscriptions: 10,
                events_per_minute: 720,
                ..usual
            },
            Self::NostrRsRelay => EmbeddedRelayConfig { max_event_bytes: 131_072, ..usual },
            Self::Rnostr => EmbeddedRelayConfig {
                max_event_bytes: 524_288,
                max_content_chars: 524_288,
                max_subscriptions: 20,
                max_limit: 300,
                ..usual
            },
            Self::PythonNostrRelay => EmbeddedRelayConfig { max_content_chars: 4_096, ..usual },
            Self::Authenticating => EmbeddedRelayConfig { auth_required: true, ..usual },
        }
    }
}

impl FromStr for RelayProfile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is unknown; give one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_is_found_by_its_name_and_a_wrong_name_lists_them() {
        for profile in RelayProfile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        let words = "nosuch".parse::<RelayProfile>().unwrap_err();
        assert!(words.contains("strfry, nostream") && words.contains("auth"), "{words}");
    }
}
