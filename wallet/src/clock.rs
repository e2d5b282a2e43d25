//! What time it is: of the system, or of a test that cannot wait for a locktime.

use std::fmt;
use std::sync::Arc;

/// Tells the time; clones tell the same.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The system's.
    pub fn system() -> Self {
        Self::from_fn(frlm_util::clock::unix_secs)
    }

    /// One that answers with what a function says, in seconds since 1970.
    pub fn from_fn(now_secs: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_secs))
    }

    /// Seconds since 1970.
    pub fn now_secs(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Clock").field(&self.now_secs()).finish()
    }
}
