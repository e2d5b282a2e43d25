//! A model that never ends some of what it is asked, so that only who stops a run gets on, or fails at it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use frlm_inference::scripted::ScriptedModel;
use frlm_inference::{Dialect, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use tokio::sync::Notify;

/// The model. Clones are the same one.
#[derive(Debug, Clone)]
pub struct Stuck {
    at: &'static str,
    fails: bool,
    asked: Arc<Notify>,
    never: ScriptedModel,
    quick: ScriptedModel,
}

impl Stuck {
    /// One that never ends prompts which begin like this, and answers all others by a function.
    pub fn at(
        at: &'static str,
        dialect: Dialect,
        answer: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let never = ScriptedModel::new("stuck", |_| String::new()).with_latency(Duration::from_hours(24));
        let quick = ScriptedModel::new("stuck", answer);
        let never = never.with_dialect(dialect);
        Self { at, fails: false, asked: Arc::default(), never, quick }
    }

    /// The same that fails there at once.
    pub fn failing(self) -> Self {
        Self { fails: true, ..self }
    }

    /// Waits until it is asked what it never ends.
    pub async fn asked(&self) {
        let asked = tokio::time::timeout(Duration::from_mins(1), self.asked.notified()).await;
        asked.expect("it is asked within a minute");
    }

    /// Whether nobody waits any longer for what it never ends.
    pub fn is_let_go(&self) -> bool {
        self.never.running() == 0
    }
}

#[async_trait]
impl LanguageModel for Stuck {
    fn info(&self) -> &ModelInfo {
        self.never.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        if !request.messages.iter().any(|message| message.content.starts_with(self.at)) {
            return self.quick.stream(request).await;
        }
        if self.fails {
            return Err(ModelError::Failed("out of memory".to_owned()));
        }
        let generation = self.never.stream(request).await;
        self.asked.notify_one();
        generation
    }
}
