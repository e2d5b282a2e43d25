//! OpenAI-compatible HTTP endpoints: llama.cpp's server, vLLM, Ollama, hosted services.
//!
//! Layout: [`OpenAiModel`] here, `wire` (what goes over the line), `sse` (server-sent events with
//! limits), `reading` (from events to chunks), `refusal` (from error responses to [`ModelError`]s), `context` (what it
//! reads at most), `key` (what the endpoint asks to be shown).
//!
//! What differs from weights in this process:
//! - The weights are out of reach, so there is no weights hash, and the context length is what the
//!   configuration says, else what the endpoint says, else a guess: an endpoint's own refusal of a long prompt arrives as
//!   [`ModelError::Failed`].
//! - Of the constraints only [`Constraint::JsonSchema`] exists in this protocol; others are
//!   [`ModelError::Unsupported`]. Endpoints may ignore the schema: check the text.
//! - Dropping a generation closes the connection, at which the servers named above stop working.
//! - The server is not trusted: lines, bodies and error texts are bounded, redirects are refused (a
//!   key must not travel to another host) and control characters never reach a terminal.

mod context;
mod key;
mod reading;
mod refusal;
mod sse;
#[cfg(test)]
mod tests;
mod wire;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use url::Url;

pub(crate) use context::SENSIBLE;
pub use key::ApiKey;

use crate::{Constraint, Dialect, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo};

const ENGINE: &str = "an OpenAI-compatible endpoint";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How to reach an endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiConfig {
    /// E.g. `http://127.0.0.1:8080/v1`.
    pub base_url: Url,
    /// The name the endpoint knows the model by.
    pub model: String,
    /// The name it is announced under.
    pub name: String,
    /// Sent as a bearer token.
    pub api_key: Option<ApiKey>,
    /// The longest silence that is waited through, before the first byte and between any two.
    pub timeout: Duration,
    /// How tasks are put to the model.
    pub dialect: Dialect,
    /// Tokens that prompt and answer may fill together.
    pub context_tokens: usize,
    /// How many requests to keep in flight.
    pub concurrency: usize,
    /// Ask for log-probabilities. Some hosted models refuse the parameter.
    pub logprobs: bool,
}

impl OpenAiConfig {
    /// The usual settings for a model of an endpoint.
    pub fn new(base_url: Url, model: &str) -> Self {
        Self {
            base_url,
            model: model.to_owned(),
            name: model.to_owned(),
            api_key: None,
            timeout: Duration::from_mins(2),
            dialect: Dialect::Json,
            context_tokens: 8192,
            concurrency: 4,
            logprobs: true,
        }
    }
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiModel {
    info: ModelInfo,
    client: reqwest::Client,
    endpoint: Endpoint,
    model: String,
    logprobs: bool,
}

/// An address, fit to show.
#[derive(Debug, Clone)]
struct Endpoint {
    chat_url: Url,
    models_url: Url,
    /// Scheme, host, port and path: nothing secret.
    shown: String,
    api_key: Option<ApiKey>,
}

impl Endpoint {
    fn unavailable(&self, reason: impl Into<String>) -> ModelError {
        ModelError::Unavailable { endpoint: self.shown.clone(), reason: reason.into() }
    }

    /// Text of the server, fit to show: short, without control characters and without the key.
    fn quote(&self, text: &str) -> String {
        const MAX_CHARS: usize = 300;
        let mut text: String = text.trim().chars().filter(|letter| !letter.is_control()).collect();
        if let Some(key) = &self.api_key {
            text = text.replace(key.expose(), "…");
        }
        text.chars().take(MAX_CHARS).collect()
    }
}

impl OpenAiModel {
    /// Prepares a client. Contacts nobody.
    pub fn new(config: OpenAiConfig) -> Result<Self, ModelError> {
        let mut base_url = config.base_url;
        let stripped = base_url.set_username("").and_then(|()| base_url.set_password(None));
        base_url.set_query(None);
        base_url.set_fragment(None);
        let shown = base_url.to_string();
        let load_error = |reason: String| ModelError::Load { model: shown.clone(), reason };
        if stripped.is_err() || !matches!(base_url.scheme(), "http" | "https") {
            return Err(load_error("an endpoint's address starts with http:// or https://".to_owned()));
        }
        let below = |name: &str| {
            let mut url = base_url.clone();
            url.set_path(&format!("{}/{name}", base_url.path().trim_end_matches('/')));
            url
        };
        let (chat_url, models_url) = (below("chat/completions"), below("models"));
        let mut client = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(config.timeout)
            .redirect(reqwest::redirect::Policy::none());
        if is_loopback(&base_url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| load_error(format!("no HTTP client: {error}")))?;
        Ok(Self {
            info: ModelInfo {
                name: config.name,
                weights_hash: None,
                quantisation: None,
                context_tokens: config.context_tokens,
                concurrency: config.concurrency.max(1),
                in_flight: config.concurrency.max(1),
                constraints: true,
                dialect: config.dialect,
            },
            client,
            // An empty key is none: it would be found between any two letters of what the server says.
            endpoint: Endpoint {
                chat_url,
                models_url,
                shown,
                api_key: config.api_key.filter(|key| !key.expose().is_empty()),
            },
            model: config.model,
            logprobs: config.logprobs,
        })
    }

    /// Asks the endpoint how many tokens the model reads. Where it does not say, what was set stays.
    pub async fn learn_context(&mut self) {
        let Ok(list) = self.with_key(self.client.get(self.endpoint.models_url.clone())) else { return };
        if let Some(tokens) = context::said(list, &self.model).await {
            self.info.context_tokens = tokens;
        }
    }

    fn post(&self, body: &wire::ChatRequest) -> Result<reqwest::RequestBuilder, ModelError> {
        let post =
            self.client.post(self.endpoint.chat_url.clone()).header(ACCEPT, "text/event-stream").json(body);
        self.with_key(post)
    }

    fn with_key(&self, mut request: reqwest::RequestBuilder) -> Result<reqwest::RequestBuilder, ModelError> {
        if let Some(key) = &self.endpoint.api_key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(|_| {
                self.endpoint.unavailable("the key has letters that no HTTP header may carry")
            })?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        Ok(request)
    }
}

#[async_trait]
impl LanguageModel for OpenAiModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        request.check()?;
        if let Some(Constraint::Regex(_) | Constraint::Lark(_)) = &request.constraint {
            return Err(ModelError::Unsupported {
                engine: ENGINE,
                what: "enforce a regular expression or grammar; only JSON schemas exist in its protocol"
                    .to_owned(),
            });
        }
        let body = wire::ChatRequest::new(&self.model, &request, self.logprobs);
        let response =
            self.post(&body)?.send().await.map_err(|error| refusal::transport(&self.endpoint, &error))?;
        if !response.status().is_success() {
            return Err(refusal::read(&self.endpoint, &self.model, response).await);
        }
        Ok(reading::chunks(response, self.endpoint.clone(), request.max_tokens))
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
