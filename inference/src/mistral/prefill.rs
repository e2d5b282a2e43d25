//! How likely weights find an answer that is already there: one pass over prompt and answer.
//!
//! A machine with the weights that a provider claims reads prompt and answer once, instead of writing the answer
//! again token by token (design.md, section 6). The engine breaks down over a batch that mixes such passes
//! with generation, and gives back one pass at a time; hence an engine of its own, which does nothing else:
//!
//! ```text
//! read() ── ids that are tokens? room for them? ── one pass at a time ──► engine: logits of every position
//!                                                                             │ the rows of the answer
//!                 caller ◄── ln p of each token, strongest rivals ◄───────────┘
//! ```

use std::sync::Arc;

use async_trait::async_trait;
use mistralrs::core::{NormalRequest, Request, RequestMessage, Response};
use mistralrs::{DType, SamplingParams, Tensor};
use tokio::sync::{Mutex, mpsc};

use super::generation::TokenText;
use super::sampler::{log_sum_exp, strongest};
use super::{Batching, MistralConfig, MistralModel, chat_messages};
use crate::{
    AnswerReader, GenerationRequest, LanguageModel as _, Message, ModelError, ModelInfo, RankedToken,
    ReadAnswer, TokenLogprob,
};

/// Weights that read answers and never write one.
pub struct MistralReader {
    model: MistralModel,
    /// Tokens that there are.
    vocabulary: usize,
    /// An answer's tokens as the engine writes them, without those that only steer it.
    text: TokenText,
    /// One pass at a time. What a pass left behind that nobody waited for: the engine still works on it, and
    /// would run the next one in the same batch.
    unread: Mutex<Option<mpsc::Receiver<Response>>>,
}

impl std::fmt::Debug for MistralReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MistralReader").field("info", &self.model.info).finish_non_exhaustive()
    }
}

impl MistralReader {
    /// Loads weights into one engine: single-threaded if the configuration asks for such engines, on all
    /// cores otherwise. Takes from milliseconds to minutes; may be dropped.
    pub async fn load(config: MistralConfig) -> Result<Self, ModelError> {
        let batching = match config.batching {
            Batching::Engines(_) => Batching::Engines(1),
            Batching::Auto | Batching::Batch(_) => Batching::Batch(1),
        };
        // What is kept of earlier prompts would be missing from the pass.
        let config = MistralConfig { batching, prefix_cache: None, ..config };
        let model = MistralModel::load(config).await?;
        if model.single_threaded {
            // A pass has no logits processor, which is what keeps an engine on its thread.
            model.generate(GenerationRequest::greedy(".", 2)).await?;
        }
        let tokenizer = model.pipeline.lock().await.tokenizer();
        let tokenizer = tokenizer.ok_or_else(|| failed("the model brings no tokenizer"))?;
        let vocabulary = tokenizer.get_vocab_size(true);
        let text: TokenText = Arc::new(move |tokens| tokenizer.decode(tokens, true).unwrap_or_default());
        Ok(Self { model, vocabulary, text, unread: Mutex::new(None) })
    }

    async fn prompt_tokens(&self, messages: &[Message]) -> Result<Vec<u32>, ModelError> {
        let request = GenerationRequest { messages: messages.to_vec(), ..GenerationRequest::greedy("", 1) };
        request.check()?;
        let RequestMessage::Chat { messages, .. } = chat_messages(&request) else {
            return Err(failed("the conversation is none"));
        };
        let pipeline = self.model.pipeline.lock().await;
        let (tokens, _) = pipeline
            .get_processor()
            .process(&*pipeline, messages, true, true, None, None, Vec::new())
            .map_err(|error| failed(&format!("the prompt cannot be put into tokens: {error:#}")))?;
        if tokens.is_empty() { Err(failed("the prompt has no tokens")) } else { Ok(tokens) }
    }

    /// Logits of `count` positions from `first` on, after so many tokens.
    async fn pass(&self, tokens: Vec<u32>, first: usize, count: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut unread = self.unread.lock().await;
        if let Some(mut abandoned) = unread.take() {
            // Ends with its answer, or with the engine.
            let _: Option<Response> = abandoned.recv().await;
        }
        // Room for everything that the engine may say of one pass.
        let (response, responses) = mpsc::channel(4);
        let sender = self.model.pool.only_engine().map_err(|error| failed(&error))?;
        let request = Request::Normal(Box::new(raw_request(tokens, response)));
        sender.send(request).await.map_err(|_| failed("the engine stopped"))?;
        // From here on a pass may be given up only by leaving its receiver to the next one.
        let found = unread.insert(responses).recv().await;
        *unread = None;
        match found {
            Some(Response::Raw { logits_chunks, .. }) => rows(&logits_chunks, first, count),
            Some(Response::ValidationError(error)) => Err(ModelError::Invalid(error.to_string())),
            Some(Response::InternalError(error)) => Err(failed(&error.to_string())),
            Some(Response::ModelError(error, _)) => Err(ModelError::Failed(error)),
            Some(_) => Err(failed("the engine sent a response of another kind")),
            None => Err(failed("the engine broke down over the pass")),
        }
    }

    fn token(&self, logits: &[f32], token: u32, top: usize) -> Result<TokenLogprob, ModelError> {
        let logit = logits.get(token as usize).copied().ok_or_else(|| no_token(token))?;
        let normaliser = log_sum_exp(logits);
        let text = |id: u32| (self.model.token_text)(&[id]);
        let ranked = |(id, logit): (u32, f32)| RankedToken {
            id: Some(id),
            text: text(id),
            logprob: (logit - normaliser).min(0.0),
        };
        Ok(TokenLogprob {
            id: Some(token),
            token: text(token),
            logprob: (logit - normaliser).min(0.0),
            top: strongest(logits, top).into_iter().map(ranked).collect(),
        })
    }
}

#[async_trait]
impl AnswerReader for MistralReader {
    fn info(&self) -> &ModelInfo {
        &self.model.info
    }

    async fn read(&self, messages: &[Message], answer: &[u32], top: usize) -> Result<ReadAnswer, ModelError> {
        if answer.is_empty() {
            return Err(ModelError::Invalid("the answer to be read has no tokens".to_owned()));
        }
        // The engine would break down over it.
        if let Some(unknown) = answer.iter().find(|token| **token as usize >= self.vocabulary) {
            return Err(no_token(*unknown));
        }
        let mut tokens = self.prompt_tokens(messages).await?;
        let prompt = tokens.len();
        tokens.extend_from_slice(answer);
        let (needed, available) = (tokens.len(), self.model.info.context_tokens);
        if needed > available {
            return Err(ModelError::TooLong { needed, available });
        }
        // The row before a token says how likely that token was.
        let rows = self.pass(tokens, prompt - 1, answer.len()).await?;
        let tokens = rows.iter().zip(answer).map(|(row, token)| self.token(row, *token, top));
        Ok(ReadAnswer { text: (self.text)(answer), tokens: tokens.collect::<Result<_, _>>()? })
    }
}

fn raw_request(tokens: Vec<u32>, response: mpsc::Sender<Response>) -> NormalRequest {
    NormalRequest {
        messages: RequestMessage::CompletionTokens(tokens),
        sampling_params: SamplingParams { max_len: Some(1), ..SamplingParams::neutral() },
        response,
        return_logprobs: false,
        is_streaming: false,
        id: 0,
        constraint: mistralrs::Constraint::None,
        suffix: None,
        tools: None,
        tool_choice: None,
        logits_processors: None,
        return_raw_logits: true,
        web_search_options: None,
        model_id: None,
        truncate_sequence: false,
    }
}

/// These rows of the logits, which come in chunks of (positions, vocabulary) or (1, positions, vocabulary).
fn rows(chunks: &[Tensor], first: usize, count: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    let read = || {
        let flat = chunks.iter().map(|chunk| {
            let words = chunk.dims().last().copied().unwrap_or_default();
            chunk.reshape(((), words))
        });
        let flat = flat.collect::<mistralrs::Result<Vec<Tensor>>>()?;
        Tensor::cat(&flat, 0)?.narrow(0, first, count)?.to_dtype(DType::F32)?.to_vec2::<f32>()
    };
    read().map_err(|error: <mistralrs::Result<()> as super::sampler::IntoError>::Error| {
        failed(&format!("the pass has another length: {error}"))
    })
}

fn no_token(id: u32) -> ModelError {
    ModelError::Invalid(format!("there is no token {id}"))
}

fn failed(what: &str) -> ModelError {
    ModelError::Failed(what.to_owned())
}
