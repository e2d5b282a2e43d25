//! The time since 1970. A clock that is set before that says 0.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time since 1970.
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Seconds since 1970.
pub fn unix_secs() -> u64 {
    unix_time().as_secs()
}

/// Milliseconds since 1970.
pub fn unix_millis() -> u64 {
    u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970 as databases keep them.
pub fn unix_millis_signed() -> i64 {
    i64::try_from(unix_time().as_millis()).unwrap_or(i64::MAX)
}
