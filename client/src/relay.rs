//! What front ends see of `frlm_relay`: relays. Items are named one by one.

pub use frlm_relay::{
    ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, Publisher, RelayMessage,
    RelayProfile, RelayStatus, parse_relay_url,
};
