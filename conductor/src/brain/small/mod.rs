//! A small model of this program's own for steps of the brain, where the user has no model that answers in words
//! (docs/decisions/0051-the-embedded-model-takes-questions-apart.md).
//!
//! It is not believed: what it writes counts only where code finds in it what was asked, in its order, and nothing else.
//! Where it says nothing that counts, the run goes on as if there were no such model.
//!
//! - [`split`]: a question that code cannot take apart, in parts
//! - [`clause`]: a part and its verified answer, as a clause

pub mod clause;
pub mod split;

use std::sync::Arc;
use std::time::Duration;

use frlm_inference::{GenerationRequest, LanguageModel, ModelError};
use futures::future::BoxFuture;
use tokio::sync::OnceCell;

type Loading = BoxFuture<'static, Result<Arc<dyn LanguageModel>, ModelError>>;

/// The model. It is loaded when it is first asked; clones share it.
#[derive(Clone)]
pub struct SmallModel {
    load: Arc<dyn Fn() -> Loading + Send + Sync>,
    loaded: Arc<OnceCell<Arc<dyn LanguageModel>>>,
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

    /// What it writes; it is left alone after `patience`. The error says why there is no text.
    async fn write(&self, request: GenerationRequest, patience: Duration) -> Result<String, String> {
        let writing = async {
            let model =
                self.loaded.get_or_try_init(|| (self.load)()).await.map_err(|error| error.to_string())?;
            let answer = model.generate(request).await;
            answer.map(|answer| answer.text).map_err(|error| error.to_string())
        };
        match tokio::time::timeout(patience, writing).await {
            Ok(written) => written,
            Err(_) => Err(format!("no answer within {} s", patience.as_secs())),
        }
    }
}

impl std::fmt::Debug for SmallModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SmallModel").field("loaded", &self.loaded.initialized()).finish_non_exhaustive()
    }
}

/// On one line: a line break would begin another part of a prompt.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
