//! An engine whose every step the test decides.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use frlm_inference::{
    Answer, Chunk, Dialect, FinishReason, Generation, GenerationRequest, LanguageModel, ModelError,
    ModelInfo, TokenLogprob, Usage,
};
use futures::StreamExt;
use futures::stream;
use tokio::sync::{Semaphore, watch};

use crate::PATIENCE;

type AnswerFunction = dyn Fn(&str) -> Result<String, ModelError> + Send + Sync;

/// Every generation passes a gate before it answers. Closed, it stays closed until the test lets
/// some pass.
#[derive(Clone)]
pub struct GatedModel {
    info: ModelInfo,
    answer: Arc<AnswerFunction>,
    gate: Arc<Semaphore>,
    prompts: Arc<Mutex<Vec<String>>>,
    running: Arc<watch::Sender<usize>>,
}

impl GatedModel {
    /// An engine whose gate stands open.
    pub fn open() -> Self {
        let model = Self::closed();
        model.let_pass(100_000);
        model
    }

    /// An engine whose gate is closed.
    pub fn closed() -> Self {
        Self {
            info: ModelInfo {
                name: "gated".to_owned(),
                weights_hash: Some("ab".repeat(32)),
                quantisation: None,
                context_tokens: 4096,
                concurrency: 1,
                constraints: false,
                dialect: Dialect::Json,
            },
            answer: Arc::new(|prompt| Ok(format!("re: {}", prompt.lines().last().unwrap_or_default()))),
            gate: Arc::new(Semaphore::new(0)),
            prompts: Arc::default(),
            running: Arc::new(watch::Sender::new(0)),
        }
    }

    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.info.concurrency = concurrency;
        self
    }

    pub fn answering(
        mut self,
        answer: impl Fn(&str) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.answer = Arc::new(answer);
        self
    }

    /// Lets so many generations through the gate.
    pub fn let_pass(&self, generations: usize) {
        self.gate.add_permits(generations);
    }

    /// The prompts so far, in the order in which they were begun.
    pub fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }

    /// Waits until so many generations run.
    pub async fn until_running(&self, generations: usize) {
        let mut running = self.running.subscribe();
        let reached = running.wait_for(|running| *running == generations);
        tokio::time::timeout(PATIENCE, reached).await.expect("the engine's load").unwrap();
    }
}

impl std::fmt::Debug for GatedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatedModel").field("info", &self.info).finish_non_exhaustive()
    }
}

#[async_trait]
impl LanguageModel for GatedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        request.check()?;
        let prompt = request.messages[0].content.clone();
        self.prompts.lock().unwrap().push(prompt.clone());
        let running = Running::start(&self.running);
        let (gate, answer) = (Arc::clone(&self.gate), Arc::clone(&self.answer));
        let started = stream::once(async { Ok(Chunk::Text("so far".to_owned())) });
        let rest = stream::once(async move {
            // Moved in, so that it lives as long as the stream does.
            let _running = running;
            gate.acquire().await.unwrap().forget();
            let text = answer(&prompt)?;
            Ok(Chunk::Done(Answer {
                logprobs: vec![TokenLogprob { token: text.clone(), logprob: -0.5, top: Vec::new() }],
                text,
                reasoning: None,
                usage: Usage { prompt_tokens: 7, completion_tokens: 3 },
                finish: FinishReason::Stop,
            }))
        });
        Ok(started.chain(rest).boxed())
    }
}

struct Running(Arc<watch::Sender<usize>>);

impl Running {
    fn start(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|running| *running += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}

/// Longer than any test takes, for limits that must not matter.
pub const NEVER: Duration = Duration::from_hours(1);
