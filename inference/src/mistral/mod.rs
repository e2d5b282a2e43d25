//! GGUF and safetensors weights in this process, by mistral.rs.
//!
//! Layout: [`MistralModel`] here, `load` (from a path to engines), `pool` (who may use which engine),
//! `sampler` (drawing tokens and recording how likely they were), `generation` (from the engine's
//! responses to chunks), `prefill` (how likely an answer is that is already there), `threads` (one
//! thread per small engine).
//!
//! ```text
//! stream() ── check ── too long? ── a free lane ──► engine thread: prefill, decode
//!                                       ▲             │ TokenPicker (holds the lane)
//!                     or in line for ───┘── freed ◄───┤ when the engine drops the request
//!                                                      ▼
//!                               caller ◄── chunks ◄── bounded channel
//! ```
//!
//! - Dropping the stream closes the channel; the engine ends the request at its next token, and only
//!   then is the lane free again.
//! - Nothing is fetched from the network: only local paths are passed on, and a folder that lacks a
//!   file is refused before mistral.rs would look for it on a hub.
//! - mistral.rs reports through `tracing` only; it logs under the targets `mistralrs*`.

mod generation;
#[cfg(all(test, feature = "cuda"))]
mod gpu_tests;
mod load;
mod pool;
mod prefill;
mod sampler;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod threads;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use mistralrs::core::{NormalRequest, Request, RequestMessage, Response};
use mistralrs::{CustomLogitsProcessor, RequestBuilder, RequestLike, SamplingParams, TextMessageRole};
use serde_json::Value;
use tokio::sync::mpsc;

use self::generation::{Running, TokenText};
use self::load::SharedPipeline;
use self::pool::{EnginePool, Wanting};
pub use self::prefill::MistralReader;
use self::sampler::{StepLog, TokenPicker};
use crate::stop::StopScanner;
use crate::{
    Answer, Constraint, Dialect, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo, Role,
};

/// Tokens that a chat template may add per message; none is known to add as many.
const TEMPLATE_TOKENS_PER_MESSAGE: usize = 64;

/// Requests of one reader that wait in the pool's line together: enough to spare most wakings, few enough
/// that others get their turn.
const PREFERRED_BATCH_SIZE: usize = 16;

/// How requests share the hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batching {
    /// A batch on a GPU; on the CPU one single-threaded engine per core for small weights, one engine
    /// with all cores for large ones.
    Auto,
    /// This many single-threaded engines, one request each. Each loads the weights itself.
    Engines(usize),
    /// One engine that runs up to this many requests together on a GPU, and one at a time on all
    /// cores otherwise.
    Batch(usize),
}

/// Which weights to load, and how to run them.
#[derive(Debug, Clone)]
pub struct MistralConfig {
    /// A `.gguf` file, or a folder with `config.json`, `tokenizer.json` and safetensors.
    pub path: PathBuf,
    /// The name to announce.
    pub name: String,
    /// How tasks are put to the model.
    pub dialect: Dialect,
    /// Tokens that prompt and answer may fill together; never more than the weights allow.
    pub context_tokens: Option<usize>,
    /// Stay on the CPU even where a GPU was compiled in.
    pub force_cpu: bool,
    /// How requests share the hardware.
    pub batching: Batching,
    /// Sequences whose prompt computations each engine keeps for prompts that begin alike.
    pub prefix_cache: Option<usize>,
}

impl MistralConfig {
    /// The usual settings for weights at a path; the name is the file's without its extension.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name =
            path.file_stem().map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Self {
            path,
            name,
            dialect: Dialect::Json,
            context_tokens: None,
            force_cpu: false,
            batching: Batching::Auto,
            prefix_cache: None,
        }
    }
}

/// A model that runs in this process.
pub struct MistralModel {
    info: ModelInfo,
    pool: Arc<EnginePool>,
    /// Of the first engine; counts the tokens of prompts that may be too long.
    pipeline: SharedPipeline,
    token_text: TokenText,
    end_tokens: Arc<[u32]>,
    single_threaded: bool,
}

impl MistralModel {
    /// Loads weights. Takes from milliseconds to minutes; may be dropped.
    pub async fn load(config: MistralConfig) -> Result<Self, ModelError> {
        load::load(config).await
    }

    /// How many further requests would start at once.
    #[cfg(test)]
    fn free_lanes(&self) -> usize {
        self.pool.free_lanes()
    }

    /// Refuses a prompt that leaves no room for its answer.
    async fn check_length(&self, request: &GenerationRequest) -> Result<(), ModelError> {
        let available = self.info.context_tokens;
        let messages = &request.messages;
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        // Every token covers at least a byte: most prompts are seen to fit without counting tokens,
        // which would cost a small model as much as some steps.
        if bytes + (messages.len() + 1) * TEMPLATE_TOKENS_PER_MESSAGE + request.max_tokens <= available {
            return Ok(());
        }
        let pipeline = self.pipeline.lock().await;
        let RequestMessage::Chat { messages, .. } = chat_messages(request) else {
            return Ok(());
        };
        let (tokens, _) = pipeline
            .get_processor()
            .process(&*pipeline, messages, true, true, None, None, Vec::new())
            .map_err(|error| {
                ModelError::Failed(format!("the prompt cannot be put into tokens: {error:#}"))
            })?;
        let needed = tokens.len() + request.max_tokens;
        if needed > available { Err(ModelError::TooLong { needed, available }) } else { Ok(()) }
    }
}

impl std::fmt::Debug for MistralModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MistralModel").field("info", &self.info).finish_non_exhaustive()
    }
}

#[async_trait]
impl LanguageModel for MistralModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        Ok(self.start(request, true, None).await?.into_stream())
    }

    /// Whole answers wake their reader once instead of once per token. For a small model on a few
    /// cores that is worth a third of its speed.
    async fn generate(&self, request: GenerationRequest) -> Result<Answer, ModelError> {
        let streamed = needs_its_reader(&request);
        self.start(request, streamed, None).await?.into_answer().await
    }

    fn preferred_batch_size(&self) -> usize {
        PREFERRED_BATCH_SIZE
    }

    /// All of them wait in the pool's line at once, and their reader is woken when the last has ended:
    /// between answers of a few milliseconds every waking takes a core from an engine.
    async fn generate_all(&self, requests: Vec<GenerationRequest>) -> Result<Vec<Answer>, ModelError> {
        let (at_work, mut all_ended) = mpsc::channel(1);
        let mut running = Vec::with_capacity(requests.len());
        for request in requests {
            let streamed = needs_its_reader(&request);
            let at_work = (!streamed).then(|| at_work.clone());
            running.push(self.start(request, streamed, at_work).await?);
        }
        drop(at_work);
        // Nothing is ever sent: the channel ends with the last engine that holds its other end.
        let _: Option<Infallible> = all_ended.recv().await;
        let mut answers = Vec::with_capacity(running.len());
        for one in running {
            answers.push(one.into_answer().await?);
        }
        Ok(answers)
    }
}

/// Only a reader of the stream can end it at a stop text.
fn needs_its_reader(request: &GenerationRequest) -> bool {
    !request.stop.is_empty()
}

impl MistralModel {
    /// `at_work` is dropped when the engine is done with the request.
    async fn start(
        &self,
        request: GenerationRequest,
        streamed: bool,
        at_work: Option<mpsc::Sender<Infallible>>,
    ) -> Result<Running, ModelError> {
        request.check()?;
        if request.constraint.is_some() && !self.info.constraints {
            return Err(ModelError::Unsupported {
                engine: "mistral.rs",
                what: "enforce a constraint: the model's end token has a name it does not know".to_owned(),
            });
        }
        self.check_length(&request).await?;
        let log = StepLog::new();
        // Room for every token: a slow reader must not stall the other requests of a batch.
        let (responses, receiver) = mpsc::channel(request.max_tokens.saturating_add(8).min(1 << 20));
        let running = Running::new(
            receiver,
            Arc::clone(&log),
            StopScanner::new(request.stop.clone()),
            request.max_tokens,
            Arc::clone(&self.token_text),
            Arc::clone(&self.end_tokens),
        );
        let (end_tokens, single_threaded) = (Arc::clone(&self.end_tokens), self.single_threaded);
        let shared = Arc::clone(&log);
        let make = Box::new(move |lease| {
            let picker = TokenPicker {
                log: shared,
                sampling: request.sampling,
                top_logprobs: request.top_logprobs,
                end_tokens,
                single_threaded,
                _lease: lease,
                _at_work: at_work,
            };
            Request::Normal(Box::new(normal_request(request, responses, streamed, Arc::new(picker))))
        });
        self.pool.submit(Wanting { log, make })?;
        Ok(running)
    }
}

fn normal_request(
    request: GenerationRequest,
    response: mpsc::Sender<Response>,
    is_streaming: bool,
    picker: Arc<dyn CustomLogitsProcessor>,
) -> NormalRequest {
    NormalRequest {
        messages: chat_messages(&request),
        // The picker has already drawn when the engine looks: the engine just takes the best.
        sampling_params: SamplingParams {
            temperature: Some(0.0),
            max_len: Some(request.max_tokens),
            ..SamplingParams::neutral()
        },
        response,
        return_logprobs: false,
        is_streaming,
        id: 0,
        constraint: request.constraint.map_or(mistralrs::Constraint::None, engine_constraint),
        suffix: None,
        tools: None,
        tool_choice: None,
        logits_processors: Some(vec![picker]),
        return_raw_logits: false,
        web_search_options: None,
        model_id: None,
        truncate_sequence: false,
    }
}

/// How many engines a small model runs well with: one per core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn chat_messages(request: &GenerationRequest) -> RequestMessage {
    let with_message = |builder: RequestBuilder, message: &crate::Message| {
        let role = match message.role {
            Role::System => TextMessageRole::System,
            Role::User => TextMessageRole::User,
            Role::Assistant => TextMessageRole::Assistant,
        };
        builder.add_message(role, &message.content)
    };
    request.messages.iter().fold(RequestBuilder::new(), with_message).take_messages()
}

fn engine_constraint(constraint: Constraint) -> mistralrs::Constraint {
    match constraint {
        Constraint::Regex(regex) => mistralrs::Constraint::Regex(regex),
        Constraint::Lark(grammar) => mistralrs::Constraint::Lark(grammar),
        Constraint::JsonSchema(schema) => mistralrs::Constraint::JsonSchema(compact(schema)),
    }
}

/// Asks for JSON without white space: a small model that may put in as much as it likes tends never
/// to stop doing so.
fn compact(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.entry("x-guidance").or_insert_with(|| serde_json::json!({ "whitespace_flexible": false }));
    }
    schema
}
