//! How the owner of a provider tells it to end.

use tokio_util::sync::CancellationToken;

/// How to end a provider. Clones end the same one.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Takes no more jobs, refuses those that wait, lets those that run finish within
    /// [`crate::ProviderConfig::graceful_limit`], withdraws the offer.
    pub graceful: CancellationToken,
    /// Drops everything at once; askers get a last word if that is possible in half a second.
    pub immediate: CancellationToken,
}
