//! Relays with the limits of those elsewhere, for tests.

use std::net::SocketAddr;

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

    /// Such a relay at this address.
    pub fn at(self, listen: SocketAddr) -> EmbeddedRelayConfig {
        let usual = EmbeddedRelayConfig::at(listen);
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
