//! From what a user types to a loaded model.
//!
//! | text | model |
//! |---|---|
//! | `embedded` | the small model inside the binary |
//! | `/models/qwen3-4b.gguf` | a GGUF file |
//! | `/models/qwen3-4b/` | a folder with `config.json`, `tokenizer.json` and safetensors |
//! | `http://127.0.0.1:8080/v1#qwen3-4b` | an OpenAI-compatible endpoint and its model's name |
//! | `https://host/v1?key_env=HOST_KEY#name` | the same; the key is in the environment variable `HOST_KEY` |
//! | `http://host/v1?context=32768#name` | the same; prompt and answer may have 32,768 tokens |

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use url::{Host, Url};

use crate::openai::{ApiKey, OpenAiConfig, OpenAiModel, SENSIBLE};
use crate::{Dialect, LanguageModel, ModelError};

/// Where a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// Inside the binary.
    Embedded,
    /// A GGUF file or a safetensors folder.
    Path(PathBuf),
    /// An OpenAI-compatible endpoint.
    Endpoint {
        /// E.g. `http://127.0.0.1:8080/v1`.
        base_url: Url,
        /// The name the endpoint knows the model by.
        model: String,
        /// The environment variable that holds the key.
        key_env: Option<String>,
        /// Tokens that prompt and answer may fill together, where the address says so.
        context_tokens: Option<usize>,
    },
}

impl ModelSource {
    /// The host that reads what the model is asked; `None` where that is this machine.
    pub fn remote_host(&self) -> Option<String> {
        let Self::Endpoint { base_url, .. } = self else { return None };
        let is_here = match base_url.host() {
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
            None => false,
        };
        (!is_here).then(|| base_url.host_str().unwrap_or_default().to_owned())
    }
}

/// Which model to open, and how. Parsed from text; everything but the source has a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    /// Where the model is.
    pub source: ModelSource,
    /// The name to announce it under; by default the file's, folder's or endpoint's name for it.
    pub name: Option<String>,
    /// How tasks are put to it; by default `Records` for the embedded model and `Json` for others.
    pub dialect: Option<Dialect>,
    /// Tokens that prompt and answer may fill together; by default what the weights, the address or the endpoint say.
    pub context_tokens: Option<usize>,
    /// Engines to run side by side on the CPU; by default one per core for small models.
    pub engines: Option<usize>,
    /// The endpoint's key; wins over `key_env`.
    pub api_key: Option<ApiKey>,
    /// Where the embedded model is unpacked; by default the platform's cache folder.
    pub cache_dir: Option<PathBuf>,
}

impl From<ModelSource> for ModelSpec {
    fn from(source: ModelSource) -> Self {
        Self {
            source,
            name: None,
            dialect: None,
            context_tokens: None,
            engines: None,
            api_key: None,
            cache_dir: None,
        }
    }
}

/// Why a text names no model. Says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing was given.
    #[error("no model is named; write `embedded`, a path to a .gguf file, or http://host/v1#model-name")]
    Empty,
    /// Not a web address.
    #[error("`{text}` is no web address ({reason}); write for example http://127.0.0.1:8080/v1#model-name")]
    BadAddress {
        /// What was given, without its query.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An address without a model.
    #[error("`{0}` does not say which model; add `#` and the endpoint's name for it, as in {0}#model-name")]
    NoModelName(String),
    /// A password or key inside the address.
    #[error(
        "keys do not belong into an address, which ends up in logs; set an environment variable and add ?key_env=ITS_NAME before the `#`"
    )]
    KeyInAddress,
    /// No number of tokens that a model could read.
    #[error("context={0} is no number of tokens; give one from 256 on, as in context=32768")]
    BadContext(String),
    /// Another query parameter.
    #[error(
        "`{0}` is not understood in a model's address; only key_env=ENVIRONMENT_VARIABLE and context=TOKENS are"
    )]
    UnknownParameter(String),
}

impl FromStr for ModelSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let source = if text.is_empty() {
            return Err(SpecError::Empty);
        } else if text == "embedded" {
            ModelSource::Embedded
        } else if lower.starts_with("http://") || lower.starts_with("https://") {
            parse_endpoint(text)?
        } else {
            ModelSource::Path(PathBuf::from(text))
        };
        Ok(source.into())
    }
}

fn parse_endpoint(text: &str) -> Result<ModelSource, SpecError> {
    let shown = || text.split(['?', '#']).next().unwrap_or_default().to_owned();
    let mut url = Url::parse(text)
        .map_err(|error| SpecError::BadAddress { text: shown(), reason: error.to_string() })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SpecError::KeyInAddress);
    }
    let (mut key_env, mut context_tokens) = (None, None);
    for (name, value) in url.query_pairs() {
        match name.as_ref() {
            "key_env" if !value.is_empty() => key_env = Some(value.into_owned()),
            "context" => context_tokens = Some(tokens(&value)?),
            "key" | "api_key" | "token" => return Err(SpecError::KeyInAddress),
            other => return Err(SpecError::UnknownParameter(other.to_owned())),
        }
    }
    let model = text.split_once('#').map(|(_, model)| model.trim().to_owned()).unwrap_or_default();
    if model.is_empty() {
        return Err(SpecError::NoModelName(shown()));
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(ModelSource::Endpoint { base_url: url, model, key_env, context_tokens })
}

fn tokens(text: &str) -> Result<usize, SpecError> {
    let number = text.parse::<usize>().ok().filter(|number| SENSIBLE.contains(number));
    number.ok_or_else(|| SpecError::BadContext(text.to_owned()))
}

/// Opens a model: loads weights, or prepares the client of an endpoint, which is asked no more than how much it reads, and
/// that only where nobody has said it.
pub async fn open(spec: &ModelSpec) -> Result<Arc<dyn LanguageModel>, ModelError> {
    match &spec.source {
        ModelSource::Embedded => open_embedded(spec).await,
        ModelSource::Path(path) => open_path(path.clone(), spec).await,
        ModelSource::Endpoint { base_url, model, key_env, context_tokens } => {
            let mut config = OpenAiConfig::new(base_url.clone(), model);
            config.api_key = match (&spec.api_key, key_env) {
                (Some(key), _) => Some(key.clone()),
                (None, Some(variable)) => Some(key_from_env(base_url, variable)?),
                (None, None) => None,
            };
            if let Some(name) = &spec.name {
                config.name.clone_from(name);
            }
            config.dialect = spec.dialect.unwrap_or(config.dialect);
            let said = spec.context_tokens.or(*context_tokens);
            config.context_tokens = said.unwrap_or(config.context_tokens);
            let mut model = OpenAiModel::new(config)?;
            if said.is_none() {
                model.learn_context().await;
            }
            Ok(Arc::new(model))
        }
    }
}

fn key_from_env(base_url: &Url, variable: &str) -> Result<ApiKey, ModelError> {
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(ApiKey::new(key.trim())),
        _ => Err(ModelError::Load {
            model: base_url.to_string(),
            reason: format!("the environment variable {variable} is not set; put the endpoint's key there"),
        }),
    }
}

#[cfg(feature = "embedded")]
async fn open_embedded(spec: &ModelSpec) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let cache_dir = spec.cache_dir.clone().unwrap_or_else(crate::embedded::default_cache_dir);
    crate::embedded::load(&cache_dir, spec.engines.unwrap_or_else(crate::mistral::cores)).await
}

#[cfg(not(feature = "embedded"))]
#[expect(clippy::unused_async, reason = "the other build of this function loads weights")]
async fn open_embedded(_spec: &ModelSpec) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let reason =
        "this build has no model inside (feature `embedded`); name a .gguf file or an endpoint instead";
    Err(ModelError::Load { model: "embedded".to_owned(), reason: reason.to_owned() })
}

#[cfg(feature = "mistralrs")]
async fn open_path(path: PathBuf, spec: &ModelSpec) -> Result<Arc<dyn LanguageModel>, ModelError> {
    use crate::mistral::{Batching, MistralConfig, MistralModel};

    let mut config = MistralConfig::new(path);
    if let Some(name) = &spec.name {
        config.name.clone_from(name);
    }
    config.dialect = spec.dialect.unwrap_or(config.dialect);
    config.context_tokens = spec.context_tokens;
    config.batching = spec.engines.map_or(Batching::Auto, Batching::Engines);
    Ok(Arc::new(MistralModel::load(config).await?))
}

#[cfg(not(feature = "mistralrs"))]
#[expect(clippy::unused_async, reason = "the other build of this function loads weights")]
async fn open_path(path: PathBuf, _spec: &ModelSpec) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let reason = "this build runs no weights itself (feature `mistralrs`); name an endpoint instead";
    Err(ModelError::Load { model: path.display().to_string(), reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> ModelSource {
        text.parse::<ModelSpec>().expect(text).source
    }

    #[test]
    fn every_kind_of_text_finds_its_source() {
        assert_eq!(source(" embedded "), ModelSource::Embedded);
        assert_eq!(source("models/a.gguf"), ModelSource::Path("models/a.gguf".into()));
        let ModelSource::Endpoint { base_url, model, key_env, context_tokens } =
            source("http://h:1/v1?key_env=K&context=32768#org/name:tag")
        else {
            panic!("an endpoint");
        };
        assert_eq!((base_url.as_str(), model.as_str()), ("http://h:1/v1", "org/name:tag"));
        assert_eq!((key_env.as_deref(), context_tokens), (Some("K"), Some(32_768)));
    }

    #[test]
    fn an_endpoint_on_this_machine_is_no_other_host() {
        for here in [
            "embedded",
            "a.gguf",
            "http://127.1.2.3:8080/v1#m",
            "http://LOCALHOST/v1#m",
            "http://[::1]:1/v1#m",
        ] {
            assert_eq!(source(here).remote_host(), None, "{here}");
        }
        for (text, host) in [
            ("https://api.example.org/v1#m", "api.example.org"),
            ("http://10.0.0.5:8080/v1#m", "10.0.0.5"),
            ("http://localhost.example.org/v1#m", "localhost.example.org"),
        ] {
            assert_eq!(source(text).remote_host().as_deref(), Some(host));
        }
    }

    #[test]
    fn a_bad_text_is_answered_with_what_to_write_instead() {
        let message = |text: &str| text.parse::<ModelSpec>().expect_err(text).to_string();
        assert!(message("").contains("embedded"));
        assert!(message("http://host/v1").contains("http://host/v1#model-name"));
        assert!(message("http://#m").contains("http://127.0.0.1"));
        assert!(message("http://host/v1?temperature=1#m").contains("key_env"));
        for wrong in ["32k", "0", "255", "-1", ""] {
            let words = message(&format!("http://host/v1?context={wrong}#m"));
            assert!(words.contains("context=32768"), "{words}");
        }
    }

    #[test]
    fn a_key_in_an_address_is_refused_and_not_repeated() {
        for text in ["https://user:sesame@host/v1#m", "https://host/v1?key=sesame#m"] {
            let error = text.parse::<ModelSpec>().expect_err("refused");
            assert_eq!(error, SpecError::KeyInAddress);
            assert!(!error.to_string().contains("sesame"));
        }
    }

    #[test]
    fn a_key_never_shows_in_debug_output() {
        let mut spec: ModelSpec = "https://host/v1#m".parse().expect("well formed");
        spec.api_key = Some(ApiKey::new("sesame"));
        assert!(!format!("{spec:?}").contains("sesame"));
    }

    #[tokio::test]
    async fn a_missing_key_variable_is_named() {
        let spec: ModelSpec = "https://host/v1?key_env=FRLM_NO_SUCH_KEY#m".parse().expect("well formed");
        let error = open(&spec).await.expect_err("there is no key");
        assert!(error.to_string().contains("FRLM_NO_SUCH_KEY"));
    }
}
