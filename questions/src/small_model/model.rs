//! The small model's weights: loaded when they are first asked, once for everybody in this process.
//!
//! ```text
//!   not loaded ──first question──► loading ──► loaded ──► answers, one after the other
//!        ▲                            │           │
//!        └──────── it failed ─────────┴───────────┘ the engine broke down: the next question loads it again
//! ```
//!
//! Loading is a task of its own: a run that is cancelled or out of time leaves it to those that still wait, or to
//! the next one.

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{GenerationRequest, LanguageModel, ModelError};
use futures::future::BoxFuture;
use tokio::sync::Mutex;

/// Weights on their way into memory.
pub type Loading = BoxFuture<'static, Result<Arc<dyn LanguageModel>, ModelError>>;

/// The model. It is loaded when it is first asked; clones share it.
#[derive(Clone)]
pub struct SmallModel {
    load: Arc<dyn Fn() -> Loading + Send + Sync>,
    /// Locked while it is loaded.
    loaded: Arc<Mutex<Option<Arc<dyn LanguageModel>>>>,
}

impl SmallModel {
    /// One that is loaded this way.
    pub fn new(load: impl Fn() -> Loading + Send + Sync + 'static) -> Self {
        Self { load: Arc::new(load), loaded: Arc::default() }
    }

    /// One that is loaded already.
    pub fn of(model: Arc<dyn LanguageModel>) -> Self {
        Self::new(move || {
            let model = Arc::clone(&model);
            Box::pin(async move { Ok(model) })
        })
    }

    /// Whether both are one model, loaded once.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
    }

    /// What it writes; it is left alone after `timeout`. The error says why there is no text. A caller that drops the future
    /// waits for nothing.
    pub(super) async fn write(
        &self,
        request: GenerationRequest,
        timeout: Duration,
    ) -> Result<String, String> {
        let writing = async {
            let model = self.loaded().await?;
            let answer = model.generate(request).await;
            if let Err(ModelError::Failed(_)) = &answer {
                // While somebody has the lock, its successor is being loaded.
                if let Ok(mut loaded) = self.loaded.try_lock() {
                    // Somebody else may have seen it before, and its successor is there.
                    loaded.take_if(|held| Arc::ptr_eq(held, &model));
                }
            }
            answer.map(|answer| answer.text).map_err(|error| error.to_string())
        };
        match tokio::time::timeout(timeout, writing).await {
            Ok(written) => written,
            Err(_) => Err(format!("no answer within {} s", timeout.as_secs())),
        }
    }

    /// The model. The first caller has it loaded, and the others wait.
    async fn loaded(&self) -> Result<Arc<dyn LanguageModel>, String> {
        let mut loaded = Arc::clone(&self.loaded).lock_owned().await;
        if let Some(model) = &*loaded {
            return Ok(Arc::clone(model));
        }
        let loading = (self.load)();
        // A task of its own, with the lock: if this run no longer waits, the next one finds what it began.
        let loading =
            tokio::spawn(async move { loading.await.map(|model| Arc::clone(loaded.insert(model))) });
        match loading.await {
            Ok(loaded) => loaded.map_err(|error| error.to_string()),
            Err(lost) => Err(lost.to_string()),
        }
    }
}

impl std::fmt::Debug for SmallModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SmallModel").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use frlm_inference::scripted::ScriptedModel;
    use frlm_inference::{Generation, ModelInfo};
    use futures::FutureExt as _;
    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    const TIMEOUT: Duration = Duration::from_mins(1);

    fn request() -> GenerationRequest {
        GenerationRequest::greedy("say", 8)
    }

    fn echo() -> Arc<dyn LanguageModel> {
        Arc::new(ScriptedModel::new("small", |prompt| format!("{prompt} it")))
    }

    /// One that waits for a permit before it is loaded, and counts how often it was begun.
    fn gated(gate: &Arc<Semaphore>, begun: &Arc<AtomicUsize>) -> SmallModel {
        let (gate, begun) = (Arc::clone(gate), Arc::clone(begun));
        SmallModel::new(move || {
            begun.fetch_add(1, Ordering::SeqCst);
            let gate = Arc::clone(&gate);
            Box::pin(async move {
                let _open = gate.acquire().await.expect("the gate stays");
                Ok(echo())
            })
        })
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn runs_that_ask_at_the_same_time_load_it_once_and_all_are_answered() {
        let (gate, begun) = (Arc::new(Semaphore::new(1)), Arc::default());
        let model = gated(&gate, &begun);
        assert_eq!(begun.load(Ordering::SeqCst), 0, "nobody has asked yet");
        let runs = (0..16).map(|_| {
            let model = model.clone();
            tokio::spawn(async move { model.write(request(), TIMEOUT).await })
        });
        for said in join_all(runs).await {
            assert_eq!(said.unwrap().as_deref(), Ok("say it"));
        }
        assert_eq!(begun.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn who_no_longer_waits_leaves_the_loading_to_the_next() {
        let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::default());
        let model = gated(&gate, &begun);
        let late = model.write(request(), Duration::from_millis(20)).await;
        assert!(late.as_ref().is_err_and(|why| why.starts_with("no answer within")), "{late:?}");
        assert!(
            model.write(request(), TIMEOUT).now_or_never().is_none(),
            "dropped like a run that is stopped"
        );
        gate.add_permits(1);
        assert_eq!(model.write(request(), TIMEOUT).await.as_deref(), Ok("say it"));
        assert_eq!(begun.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn weights_that_did_not_load_are_tried_again_by_the_next_who_asks() {
        let begun = Arc::new(AtomicUsize::new(0));
        let tries = Arc::clone(&begun);
        let model = SmallModel::new(move || {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            Box::pin(async move {
                let (model, reason) = ("frlm-brain".to_owned(), "the disk is full".to_owned());
                if first { Err(ModelError::Load { model, reason }) } else { Ok(echo()) }
            })
        });
        let why = model.write(request(), TIMEOUT).await.unwrap_err();
        assert!(why.contains("the disk is full"), "{why}");
        assert_eq!(model.write(request(), TIMEOUT).await.as_deref(), Ok("say it"));
        assert_eq!(begun.load(Ordering::SeqCst), 2);
    }

    /// A model whose engine has stopped.
    #[derive(Debug)]
    struct Stopped(ScriptedModel);

    #[async_trait]
    impl LanguageModel for Stopped {
        fn info(&self) -> &ModelInfo {
            self.0.info()
        }

        async fn stream(&self, _: GenerationRequest) -> Result<Generation, ModelError> {
            Err(ModelError::Failed("the engine stopped".to_owned()))
        }
    }

    #[tokio::test]
    async fn an_engine_that_broke_down_is_not_asked_for_ever() {
        let begun = Arc::new(AtomicUsize::new(0));
        let tries = Arc::clone(&begun);
        let model = SmallModel::new(move || {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            let stopped: Arc<dyn LanguageModel> =
                Arc::new(Stopped(ScriptedModel::new("small", str::to_owned)));
            Box::pin(async move { Ok(if first { stopped } else { echo() }) })
        });
        let why = model.write(request(), TIMEOUT).await.unwrap_err();
        assert!(why.contains("the engine stopped"), "{why}");
        assert_eq!(model.write(request(), TIMEOUT).await.as_deref(), Ok("say it"));
        assert_eq!(model.write(request(), TIMEOUT).await.as_deref(), Ok("say it"));
        assert_eq!(begun.load(Ordering::SeqCst), 2);
    }
}
