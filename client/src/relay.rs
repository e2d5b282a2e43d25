//! What front ends see of `frlm_relay`: relays. Items are named one by one.

pub use frlm_relay::{
    ConnectError, ConnectOptions, Connection, EmbeddedRelay, EmbeddedRelayConfig, Incoming, Publisher,
    RelayMessage, RelayStatus, parse_relay_url,
};
