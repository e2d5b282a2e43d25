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
    /// Starts to listen. `said` is printed on stderr at the first signal.
    pub fn listen(said: &'static str) -> Self {
        let (tidy, now) = (CancellationToken::new(), CancellationToken::new());
        let (first, second) = (tidy.clone(), now.clone());
        let listener = tokio::spawn(async move {
            signal().await;
            eprintln!("{said}");
            first.cancel();
            signal().await;
            second.cancel();
        });
        Self { tidy, now, _listener: AbortOnDropHandle::new(listener) }
    }
}

/// Waits for the next signal. A system that cannot tell us about signals never interrupts.
#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    let _ = tokio::signal::ctrl_c().await;
}
