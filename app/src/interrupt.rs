//! Ctrl-C and SIGTERM: the first asks for a tidy end, the second ends at once.

use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Tokens that follow the user's signals while this value lives.
#[derive(Debug)]
pub struct Interrupt {
    /// Cancelled by the first signal.
    pub tidy: CancellationToken,
    /// Cancelled by the second.
    pub now: CancellationToken,
    _listener: AbortOnDropHandle<()>,
}

impl Interrupt {
    /// Starts to listen; from its return on, a signal no longer ends the process by itself. `said` is
    /// printed on stderr at the first signal.
    pub fn listen(said: &'static str) -> Self {
        let (tidy, now) = (CancellationToken::new(), CancellationToken::new());
        let (first, second) = (tidy.clone(), now.clone());
        let mut signals = Signals::register();
        let listener = tokio::spawn(async move {
            signals.next().await;
            note!("{said}");
            first.cancel();
            signals.next().await;
            second.cancel();
        });
        Self { tidy, now, _listener: AbortOnDropHandle::new(listener) }
    }
}

/// The user's signals. On a system that cannot tell us about one, it keeps its usual effect.
#[cfg(unix)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn register() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    async fn next(&mut self) {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let waiting = self.0.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures::future::select_all(waiting).await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn register() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
