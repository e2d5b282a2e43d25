//! From `--model` to a loaded model.

#[cfg(feature = "embedded")]
use std::collections::BTreeMap;
#[cfg(feature = "embedded")]
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "embedded")]
use std::sync::{Mutex, PoisonError};

use frlm_conductor::run::prefill::WeightsAtHand;
use frlm_inference::ApiKey;
use frlm_inference::open::{ModelSource, ModelSpec};
use frlm_inference::{Dialect, LanguageModel};
use frlm_questions::small_model::SmallModel;

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
    let mut spec = spec_of(text)?;
    spec.dialect = dialect.or(spec.dialect);
    spec.engines = engines;
    spec.cache_dir = Some(home.models());
    spec.api_key = key_for(&spec.source, std::env::var(API_KEY).ok());
    Ok(frlm_inference::open::open(&spec).await?)
}

/// Whether what the user typed can be a model, without loading it.
pub fn check(text: &str) -> anyhow::Result<()> {
    spec_of(text).map(drop)
}

/// Whether what the user typed is a general model, as far as that can be told without loading it: the one inside the program only copies fields.
pub fn is_general(text: &str) -> bool {
    text.parse::<ModelSpec>().is_ok_and(|spec| spec.source != ModelSource::Embedded)
}

fn spec_of(text: &str) -> anyhow::Result<ModelSpec> {
    let spec: ModelSpec = text.parse().map_err(Failure::usage)?;
    if let ModelSource::Path(path) = &spec.source
        && !path.exists()
    {
        return Err(Failure::usage(format!(
            "--model {text}: there is no such file or folder; name a .gguf file, a safetensors folder, \
             http://HOST/v1#NAME or embedded (frlm models list shows what is here)"
        ))
        .into());
    }
    Ok(spec)
}

/// The key of [`API_KEY`], where it may go: an address that names a variable of its own gets the key in that.
fn key_for(source: &ModelSource, key: Option<String>) -> Option<ApiKey> {
    if matches!(source, ModelSource::Endpoint { key_env: Some(_), .. }) {
        return None;
    }
    key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()).map(ApiKey::new)
}

/// Opens a venue of the user's own. Only the key that the venue names is sent there.
pub async fn open_venue(venue: &VenueConfig, home: &Home) -> anyhow::Result<Arc<dyn LanguageModel>> {
    let wrong = |error: String| Failure::usage(format!("[[venues]] {}: {error}", venue.name));
    let mut spec: ModelSpec = venue.model.parse().map_err(|error| wrong(format!("{error}")))?;
    if venue.context.is_some_and(|tokens| tokens < LEAST_CONTEXT) {
        return Err(wrong(format!("context must be at least {LEAST_CONTEXT} tokens")).into());
    }
    spec.context_tokens = venue.context;
    spec.cache_dir = Some(home.models());
    if let Some(name) = &venue.key_env {
        let key = std::env::var(name).map_err(|_| wrong(format!("{name} is not set in the environment")))?;
        spec.api_key = Some(ApiKey::new(key.trim()));
    }
    Ok(frlm_inference::open::open(&spec).await?)
}

/// Weights to read answers by: the embedded ones, where this program has them. They are loaded for the first answer.
#[cfg(feature = "embedded")]
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

/// The small model, where this program has its weights: one for each folder of weights, loaded when
/// it is first asked and shared by all runs of this process.
#[cfg(feature = "embedded")]
pub fn small(home: &Home) -> Option<SmallModel> {
    static MODELS: Mutex<BTreeMap<PathBuf, SmallModel>> = Mutex::new(BTreeMap::new());
    // Nothing that can panic happens while the lock is held.
    let mut known = MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    let model = known.entry(home.models()).or_insert_with_key(|folder| {
        let folder = folder.clone();
        SmallModel::new(move || {
            let folder = folder.clone();
            Box::pin(async move { frlm_inference::embedded::load_small_model(&folder).await })
        })
    });
    Some(model.clone())
}

/// The same where it has none.
#[cfg(not(feature = "embedded"))]
pub fn small(_: &Home) -> Option<SmallModel> {
    None
}

/// Fewer tokens hold no task.
const LEAST_CONTEXT: usize = 256;
/// Environment variable with the key for HTTP endpoints.
const API_KEY: &str = "FRLM_API_KEY";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_no_address_that_names_its_own_and_blanks_are_none() {
        let key_for = |text: &str, key: &str| {
            let spec: ModelSpec = text.parse().unwrap();
            super::key_for(&spec.source, Some(key.to_owned()))
        };
        assert_eq!(key_for("https://one.example/v1#m", " sesame\n"), Some(ApiKey::new("sesame")));
        assert_eq!(key_for("https://other.example/v1?key_env=OTHER_KEY#m", "sesame"), None);
        assert_eq!(key_for("https://one.example/v1#m", " "), None);
    }

    #[cfg(feature = "embedded")]
    #[test]
    fn one_folder_always_gives_the_same_model_and_another_gives_its_own() {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, other] = homes.each_ref().map(|folder| Home::open(Some(folder.path().to_owned())).unwrap());
        let (first, again) = (small(&one).unwrap(), small(&one).unwrap());
        assert!(first.is_same(&again) && !first.is_same(&small(&other).unwrap()));
    }

    #[tokio::test]
    async fn a_venue_reads_as_much_as_its_settings_say() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Some(folder.path().to_owned())).unwrap();
        let venue = |context| VenueConfig {
            name: "office".to_owned(),
            model: "http://127.0.0.1:1/v1#m".to_owned(),
            price: 0,
            key_env: None,
            context: Some(context),
        };
        let model = open_venue(&venue(32_768), &home).await.unwrap();
        assert_eq!(model.info().context_tokens, 32_768);
        let error = open_venue(&venue(10), &home).await.unwrap_err().to_string();
        assert!(error.contains("office") && error.contains("at least 256"), "{error}");
    }
}
