//! A model whose use is counted.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use frlm_inference::{Chunk, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo, Usage};
use futures::{StreamExt, TryStreamExt};

/// Hands every request on, and adds up what was read and written for it: a judge says what it found, and not what that
/// took.
#[derive(Debug)]
pub(crate) struct Metered {
    model: Arc<dyn LanguageModel>,
    used: Arc<Mutex<Usage>>,
}

impl Metered {
    pub(crate) fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model, used: Arc::default() }
    }

    /// What all requests that have ended took.
    pub(crate) fn used(&self) -> Usage {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LanguageModel for Metered {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let used = Arc::clone(&self.used);
        let chunks = self.model.stream(request).await?.inspect_ok(move |chunk| {
            if let Chunk::Done(answer) = chunk {
                *used.lock().unwrap_or_else(PoisonError::into_inner) += answer.usage;
            }
        });
        Ok(chunks.boxed())
    }
}
