//! From `--model` to a loaded model.

use std::sync::Arc;

use frlm_conductor::run::prefill::WeightsAtHand;
use frlm_inference::open::{ModelSource, ModelSpec};
use frlm_inference::{Dialect, LanguageModel};

use crate::config::VenueConfig;
use crate::failure::Failure;
use crate::home::Home;

/// Opens a model by what the user typed. `engines`: how many single-threaded engines on a CPU.
pub async fn open(text: &str, engines: Option<usize>, home: &Home) -> anyhow::Result<Arc<dyn LanguageModel>> {
    open_as(text, None, engines, home).await
}

/// The same for a model to which tasks are put in this dialect, whatever is usual for its kind.
pub async fn open_as(
    text: &str,
    dialect: Option<Dialect>,
    engines: Option<usize>,
    home: &Home,
) -> anyhow::Result<Arc<dyn LanguageModel>> {
    let mut spec: ModelSpec = text.parse().map_err(Failure::usage)?;
    if let ModelSource::Path(path) = &spec.source
        && !path.exists()
    {
        return Err(Failure::usage(format!(
            "--model {text}: there is no such file or folder; name a .gguf file, a safetensors folder, \
             http://HOST/v1#NAME or embedded (frlm models list shows what is here)"
        ))
        .into());
    }
    spec.dialect = dialect.or(spec.dialect);
    spec.engines = engines;
    spec.cache_dir = Some(home.models());
    if let Ok(key) = std::env::var(API_KEY) {
        spec.api_key = Some(frlm_inference::open::ApiKey::new(key));
    }
    Ok(frlm_inference::open::open(&spec).await?)
}

/// Opens a venue of the user's own. Only the key that the venue names is sent there.
pub async fn open_venue(venue: &VenueConfig, home: &Home) -> anyhow::Result<Arc<dyn LanguageModel>> {
    let wrong = |error: String| Failure::usage(format!("[[venues]] {}: {error}", venue.name));
    let mut spec: ModelSpec = venue.model.parse().map_err(|error| wrong(format!("{error}")))?;
    spec.cache_dir = Some(home.models());
    if let Some(name) = &venue.key_env {
        let key = std::env::var(name).map_err(|_| wrong(format!("{name} is not set in the environment")))?;
        spec.api_key = Some(frlm_inference::open::ApiKey::new(key));
    }
    Ok(frlm_inference::open::open(&spec).await?)
}

/// Weights to read answers by: the embedded ones, where this program has them. They are loaded for the first answer.
#[cfg(feature = "embedded")]
#[expect(clippy::unnecessary_wraps, reason = "a program without the embedded weights has none")]
pub fn at_hand(home: &Home) -> Option<WeightsAtHand> {
    let folder = home.models();
    Some(WeightsAtHand::new(frlm_inference::embedded::weights_hash(), move || {
        let folder = folder.clone();
        Box::pin(async move { frlm_inference::embedded::reader(&folder).await })
    }))
}

/// The same where it has none.
#[cfg(not(feature = "embedded"))]
pub fn at_hand(_: &Home) -> Option<WeightsAtHand> {
    None
}

/// Environment variable with the key for HTTP endpoints.
const API_KEY: &str = "FRLM_API_KEY";
