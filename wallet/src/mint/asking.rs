//! Asking a mint: how long it is waited for, and whether it is asked at all while it rests after a silence ([`super::health`]).

use std::time::{Duration, Instant};

use cdk::mint_url::MintUrl;
use futures::future::BoxFuture;

use super::CashuWallet;
use super::address::parse_mint;
use super::health::{Ask, SilentMint};
use crate::error::WalletError;

/// How long a mint may take for one answer. Afterwards nobody knows what it did.
const MINT_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a mint that is asked in passing is waited for until its first word.
const GRACE: Duration = Duration::from_secs(2);

/// A mint's answer, or the doubt that no answer leaves. Boxed: the library's futures are large.
pub(crate) fn bounded<'a, T: Send + 'a>(
    mint: &'a str,
    work: impl Future<Output = Result<T, cdk::Error>> + Send + 'a,
) -> BoxFuture<'a, Result<T, WalletError>> {
    let work = Box::pin(work);
    Box::pin(async move {
        let timeout = timeout();
        match tokio::time::timeout(timeout, work).await {
            Ok(result) => result.map_err(|error| WalletError::from_mint(mint, &error)),
            Err(_) => Err(WalletError::Unclear {
                mint: mint.to_owned(),
                reason: format!("no answer within {} s", timeout.as_secs()),
            }),
        }
    })
}

/// How long a mint is waited for.
#[cfg(not(test))]
pub(crate) fn timeout() -> Duration {
    MINT_TIMEOUT
}

/// As long, unless a test of stalling mints says otherwise.
#[cfg(test)]
pub(crate) fn timeout() -> Duration {
    TIMEOUT.try_with(|timeout| *timeout).unwrap_or(MINT_TIMEOUT)
}

#[cfg(test)]
tokio::task_local! {
    /// A shorter patience with mints.
    pub(crate) static TIMEOUT: Duration;
}

impl CashuWallet {
    /// Mints that did not answer when they were asked last.
    pub fn silent_mints(&self) -> Vec<SilentMint> {
        self.inner.health.all_silent()
    }

    /// Whether a mint does not answer, so that wallet maintenance leaves it alone for now.
    pub fn is_resting(&self, mint: &str) -> bool {
        let resting = self.inner.health.resting(Ask::Due);
        parse_mint(mint).is_ok_and(|mint| resting.contains(&mint))
    }

    /// In words, why a mint is left alone now.
    pub(crate) fn rests(&self, mint: &MintUrl) -> String {
        let url = mint.to_string();
        let silent = self.silent_mints().into_iter().find(|silent| silent.url == url);
        silent.map_or_else(|| format!("{url} is asked again soon"), |silent| silent.to_string())
    }

    /// What comes of work at a mint. Nothing, in passing, where it has not said a word for a moment: it rests then, and
    /// exchanges that the work had in hand go back to those that are made again.
    pub(crate) async fn unless_silent<T>(
        &self,
        mint: &MintUrl,
        ask: Ask,
        work: impl Future<Output = T> + Send,
    ) -> Option<T> {
        let began = Instant::now();
        let mut work = Box::pin(work);
        if ask != Ask::Passing {
            return Some(work.await);
        }
        if let Ok(done) = tokio::time::timeout(GRACE.min(timeout()), &mut work).await {
            return Some(done);
        }
        if self.inner.health.heard_since(mint, began) {
            return Some(work.await);
        }
        drop(work);
        self.inner.health.silent(mint, "no answer when it was asked in passing".to_owned()).await;
        None
    }
}
