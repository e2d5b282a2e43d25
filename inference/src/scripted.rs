//! A stand-in for benchmarks and tests: answers come from a supplied function after a fixed delay.
//!
//! Whatever it "knows" is what the caller's function returns, so users meet it only where the output says so
//! (`frlm demo --recorded`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use tokio::sync::Semaphore;

use crate::stop::StopScanner;
use crate::{
    Answer, Chunk, Dialect, FinishReason, Generation, GenerationRequest, LanguageModel, ModelError,
    ModelInfo, RankedToken, TokenLogprob, Usage,
};

type AnswerFunction = dyn Fn(&str) -> String + Send + Sync;

/// A model for benchmarks and tests whose answers come from a function of the last message.
///
/// A token is a word with the white space behind it. Latency passes before the first token; at most
/// `concurrency` requests run at a time, further ones wait. Constraints are not enforced: the function
/// is expected to honour them.
///
/// ```
/// use frlm_inference::scripted::ScriptedModel;
/// use frlm_inference::{GenerationRequest, LanguageModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), frlm_inference::ModelError> {
/// let model = ScriptedModel::new("scripted", |prompt| prompt.to_uppercase());
/// let answer = model.generate(GenerationRequest::greedy("hello", 8)).await?;
/// assert_eq!(answer.text, "HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    info: ModelInfo,
    answer: Arc<AnswerFunction>,
    latency: Duration,
    token_interval: Duration,
    logprob: Option<f32>,
    lanes: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
}

impl ScriptedModel {
    /// A model that answers at once, one request at a time.
    pub fn new(name: &str, answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self {
            info: ModelInfo {
                name: name.to_owned(),
                weights_hash: Some(crate::weights::hash_bytes(name.as_bytes())),
                quantisation: None,
                context_tokens: 8192,
                concurrency: 1,
                in_flight: 1,
                constraints: false,
                dialect: Dialect::Records,
            },
            answer: Arc::new(answer),
            latency: Duration::ZERO,
            token_interval: Duration::ZERO,
            logprob: None,
            lanes: Arc::new(Semaphore::new(1)),
            running: Arc::default(),
        }
    }

    /// Time before the first token of every answer.
    #[must_use]
    pub fn with_latency(mut self, latency: Duration) -> Self {
        self.latency = latency;
        self
    }

    /// Time before every further token.
    #[must_use]
    pub fn with_token_interval(mut self, interval: Duration) -> Self {
        self.token_interval = interval;
        self
    }

    /// How many requests run at a time (at least one).
    #[must_use]
    pub fn with_concurrency(mut self, concurrency: usize) -> Self {
        self.info.concurrency = concurrency.max(1);
        self.info.in_flight = self.info.concurrency;
        self.lanes = Arc::new(Semaphore::new(self.info.concurrency));
        self
    }

    /// How tasks are to be put to it.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.info.dialect = dialect;
        self
    }

    /// Words that prompt and answer may fill together.
    #[must_use]
    pub fn with_context_tokens(mut self, tokens: usize) -> Self {
        self.info.context_tokens = tokens;
        self
    }

    /// Claims these weights; `None`: as somewhere else, where nobody knows them.
    #[must_use]
    pub fn with_weights_hash(mut self, hash: Option<String>) -> Self {
        self.info.weights_hash = hash;
        self
    }

    /// The ln p it reports for every token; without it, it reports none.
    #[must_use]
    pub fn with_logprob(mut self, logprob: f32) -> Self {
        self.logprob = Some(logprob);
        self
    }

    /// How many generations are running now.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }
}

impl std::fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("info", &self.info)
            .field("latency", &self.latency)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl LanguageModel for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        request.check()?;
        let prompt_tokens: usize =
            request.messages.iter().map(|message| words(&message.content).count()).sum();
        let needed = prompt_tokens + request.max_tokens;
        if needed > self.info.context_tokens {
            return Err(ModelError::TooLong { needed, available: self.info.context_tokens });
        }
        let lane = Arc::clone(&self.lanes).acquire_owned().await.ok();
        let running = Running::start(&self.running);
        let prompt = request.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
        let plan = self.plan((self.answer)(prompt).as_str(), prompt_tokens, &request);
        let (latency, interval) = (self.latency, self.token_interval);
        let chunks = stream::iter(plan).enumerate().then(move |(index, chunk)| {
            let done = matches!(chunk, Chunk::Done(_));
            let delay = if index == 0 { latency } else { interval };
            async move {
                if index == 0 || !done {
                    pause(delay).await;
                }
                Ok(chunk)
            }
        });
        // The lane and the count go with the stream: dropping it frees both.
        Ok(chunks
            .map(move |chunk| {
                let _held = (&lane, &running);
                chunk
            })
            .boxed())
    }
}

impl ScriptedModel {
    fn plan(&self, whole: &str, prompt_tokens: usize, request: &GenerationRequest) -> Vec<Chunk> {
        let mut scanner = StopScanner::new(request.stop.clone());
        let mut chunks = Vec::new();
        let mut text = String::new();
        let mut logprobs = Vec::new();
        let mut written = 0;
        let mut finish = FinishReason::Stop;
        let mut stopped = false;
        for word in words(whole) {
            if written == request.max_tokens {
                finish = FinishReason::Length;
                break;
            }
            written += 1;
            if let Some(logprob) = self.logprob {
                let top = RankedToken { id: None, text: word.to_owned(), logprob };
                let top = (0..request.top_logprobs.min(1)).map(|_| top.clone()).collect();
                logprobs.push(TokenLogprob { id: None, token: word.to_owned(), logprob, top });
            }
            let released = scanner.push(word);
            text.push_str(&released.text);
            chunks.push(Chunk::Text(released.text));
            if released.stopped {
                stopped = true;
                break;
            }
        }
        if !stopped {
            let rest = scanner.finish();
            text.push_str(&rest);
            chunks.push(Chunk::Text(rest));
        }
        chunks.retain(|chunk| !matches!(chunk, Chunk::Text(text) if text.is_empty()));
        let usage = Usage { prompt_tokens: prompt_tokens as u64, completion_tokens: written as u64 };
        chunks.push(Chunk::Done(Answer { text, reasoning: None, logprobs, usage, finish }));
        chunks
    }
}

/// Words with the white space behind them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

async fn pause(delay: Duration) {
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}

/// Counts a running generation for as long as it lives.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn start(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::conformance::conformance;

    fn talker() -> ScriptedModel {
        ScriptedModel::new("scripted", |prompt| format!("{prompt} one two three four five six seven"))
    }

    conformance!(plain, async { talker() });
    conformance!(slow, async {
        talker()
            .with_latency(Duration::from_millis(5))
            .with_token_interval(Duration::from_millis(1))
            .with_logprob(-0.1)
    });

    #[tokio::test]
    async fn requests_beyond_the_concurrency_wait() {
        let latency = Duration::from_millis(40);
        let model = talker().with_latency(latency).with_concurrency(2);
        let start = Instant::now();
        let requests = (0..4).map(|_| model.generate(GenerationRequest::greedy("go", 64)));
        for answer in futures::future::join_all(requests).await {
            answer.expect("an answer");
        }
        assert!(start.elapsed() >= latency * 2, "two at a time need two rounds");
        assert_eq!(model.running(), 0);
    }

    #[tokio::test]
    async fn a_dropped_generation_frees_its_place() {
        let model = talker().with_latency(Duration::from_hours(1));
        let generation = model.stream(GenerationRequest::greedy("go", 64)).await.expect("a stream");
        assert_eq!(model.running(), 1);
        drop(generation);
        assert_eq!(model.running(), 0);
    }
}
