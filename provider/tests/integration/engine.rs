//! An engine whose every step the test decides.

use std::sync::atomic::{AtomicUsize, Ordering};
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

use crate::TIMEOUT;

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
    most_running: Arc<AtomicUsize>,
    answered: Arc<watch::Sender<usize>>,
    /// Prompts with this text wait at a gate of their own.
    held: Option<&'static str>,
    held_gate: Arc<Semaphore>,
    preferred_batch_size: usize,
    /// The sizes of the handfuls that came, in their order.
    handfuls: Arc<Mutex<Vec<usize>>>,
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
                in_flight: 1,
                constraints: false,
                dialect: Dialect::Json,
            },
            answer: Arc::new(|prompt| Ok(format!("re: {}", prompt.lines().last().unwrap_or_default()))),
            gate: Arc::new(Semaphore::new(0)),
            prompts: Arc::default(),
            running: Arc::new(watch::Sender::new(0)),
            most_running: Arc::default(),
            answered: Arc::new(watch::Sender::new(0)),
            held: None,
            held_gate: Arc::new(Semaphore::new(0)),
            preferred_batch_size: 1,
            handfuls: Arc::default(),
        }
    }

    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.info.concurrency = concurrency;
        self.info.in_flight = concurrency;
        self
    }

    pub fn answering(
        mut self,
        answer: impl Fn(&str) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.answer = Arc::new(answer);
        self
    }

    /// As the embedded model: copies fields, and says `?` to everything else.
    pub fn of_records(mut self) -> Self {
        self.info.dialect = Dialect::Records;
        self.answering(|_| Ok("?".to_owned()))
    }

    /// Likes so many prompts at a time.
    pub fn preferring(mut self, preferred_batch_size: usize) -> Self {
        self.preferred_batch_size = preferred_batch_size;
        self
    }

    /// The sizes of the handfuls so far.
    pub fn handfuls(&self) -> Vec<usize> {
        self.handfuls.lock().unwrap().clone()
    }

    /// Keeps prompts with this text back until they are released.
    pub fn holding(mut self, text: &'static str) -> Self {
        self.held = Some(text);
        self
    }

    pub fn release_held(&self) {
        self.held_gate.add_permits(1000);
    }

    /// Lets so many generations through the gate.
    pub fn let_pass(&self, generations: usize) {
        self.gate.add_permits(generations);
    }

    /// The prompts so far, in the order in which they were begun.
    pub fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }

    /// The most generations that ran together so far.
    pub fn most_running(&self) -> usize {
        self.most_running.load(Ordering::SeqCst)
    }

    /// Waits until so many generations run.
    pub async fn until_running(&self, generations: usize) {
        until("running", &self.running, generations).await;
    }

    /// Waits until so many generations have ended with an answer.
    pub async fn until_answered(&self, generations: usize) {
        until("answered", &self.answered, generations).await;
    }
}

async fn until(what: &str, count: &watch::Sender<usize>, wanted: usize) {
    let mut count = count.subscribe();
    let reached = tokio::time::timeout(TIMEOUT, count.wait_for(|count| *count == wanted)).await;
    assert!(reached.is_ok(), "{wanted} generations were not {what} in time");
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
        self.most_running.fetch_max(*self.running.borrow(), Ordering::SeqCst);
        let (gate, answer) = (Arc::clone(&self.gate), Arc::clone(&self.answer));
        let held = self.held.filter(|text| prompt.contains(text)).map(|_| Arc::clone(&self.held_gate));
        let answered = Arc::clone(&self.answered);
        let started = stream::once(async { Ok(Chunk::Text("so far".to_owned())) });
        let rest = stream::once(async move {
            // Moved in, so that it lives as long as the stream does.
            let _running = running;
            gate.acquire().await.unwrap().forget();
            if let Some(held) = held {
                held.acquire().await.unwrap().forget();
            }
            let text = answer(&prompt)?;
            answered.send_modify(|answered| *answered += 1);
            Ok(Chunk::Done(Answer {
                logprobs: vec![TokenLogprob {
                    id: None,
                    token: text.clone(),
                    logprob: -0.5,
                    top: Vec::new(),
                }],
                text,
                reasoning: None,
                usage: Usage { prompt_tokens: 7, completion_tokens: 3 },
                finish: FinishReason::Stop,
            }))
        });
        Ok(started.chain(rest).boxed())
    }

    fn preferred_batch_size(&self) -> usize {
        self.preferred_batch_size
    }

    async fn generate_all(&self, requests: Vec<GenerationRequest>) -> Result<Vec<Answer>, ModelError> {
        self.handfuls.lock().unwrap().push(requests.len());
        futures::future::try_join_all(requests.into_iter().map(|request| self.generate(request))).await
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
