//! An engine that is asked each prompt once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use frlm_inference::{Answer, Chunk, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};
use futures::StreamExt as _;
use futures::stream;

/// Remembers greedy answers. Three providers with the same weights give the same greedy answers to the
/// same prompts, so that an experiment on accuracy need not compute them three times. Never used where
/// time is measured.
#[derive(Debug)]
pub struct Remembering {
    inner: Arc<dyn LanguageModel>,
    known: Mutex<HashMap<(String, usize), Answer>>,
}

impl Remembering {
    /// Wraps an engine.
    pub fn new(inner: Arc<dyn LanguageModel>) -> Self {
        Self { inner, known: Mutex::default() }
    }

    /// Different prompts that were asked.
    pub fn asked(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[async_trait]
impl LanguageModel for Remembering {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let prompt: String = request.messages.iter().map(|message| message.content.as_str()).collect();
        let key = (prompt, request.max_tokens);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let answer = if let Some(answer) = known {
            answer
        } else {
            let answer = self.inner.generate(request).await?;
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, answer.clone());
            answer
        };
        Ok(stream::iter([Ok(Chunk::Text(answer.text.clone())), Ok(Chunk::Done(answer))]).boxed())
    }
}
