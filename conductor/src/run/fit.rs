//! Whether a model of the user's may judge, before anything rests on its word: it is examined once in a run
//! (`verifier/src/consensus/exam.rs`).

use std::time::Duration;

use frlm_verifier::consensus::JudgeError;
use frlm_verifier::consensus::exam::Unfit;
use tokio::sync::OnceCell;

/// How much longer than for a ruling the run is patient with the examination before the first one.
const EXAM_PATIENCE: u32 = 3;

/// What the examination showed, once that is known.
pub(super) type Fit = OnceCell<Result<(), String>>;

/// Why a model may not judge now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotFit {
    /// It did not answer: whether it may judge is as open as before.
    Away(String),
    /// It did not pass.
    Unfit(String),
}

/// Whether a model passed its examination: by what is known, or by this.
pub(super) async fn examined(
    fit: &Fit,
    exam: impl Future<Output = Result<(), Unfit>>,
    patience: Duration,
) -> Result<(), NotFit> {
    let examining = fit.get_or_try_init(|| async move {
        match exam.await {
            Ok(()) => Ok(Ok(())),
            Err(Unfit::Judge(gone @ JudgeError::Model(_))) => Err(gone.to_string()),
            Err(why) => Ok(Err(why.to_string())),
        }
    });
    let longer = patience.saturating_mul(EXAM_PATIENCE);
    match tokio::time::timeout(longer, examining).await {
        Err(_) => Err(NotFit::Away(format!("no answer within {} s", longer.as_secs()))),
        Ok(Err(gone)) => Err(NotFit::Away(gone)),
        Ok(Ok(Err(why))) => Err(NotFit::Unfit(why.clone())),
        Ok(Ok(Ok(()))) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn who_was_away_or_slow_is_examined_again_and_who_failed_or_passed_is_not() {
        let patience = Duration::from_millis(1);
        let fit = Fit::new();
        let gone = ready(Err(JudgeError::Model("it restarts".to_owned()).into()));
        assert!(
            matches!(examined(&fit, gone, patience).await, Err(NotFit::Away(why)) if why.contains("restarts"))
        );
        assert!(matches!(examined(&fit, pending(), patience).await, Err(NotFit::Away(_))));
        let patience = Duration::from_secs(20);
        assert_eq!(examined(&fit, ready(Ok(())), patience).await, Ok(()));
        assert_eq!(examined(&fit, ready(Err(Unfit::Splits)), patience).await, Ok(()), "it has passed");
        let fit = Fit::new();
        let failed = Err(NotFit::Unfit(Unfit::Splits.to_string()));
        assert_eq!(examined(&fit, ready(Err(Unfit::Splits)), patience).await, failed);
        assert_eq!(examined(&fit, ready(Ok(())), patience).await, failed);
    }
}
