//! The models that ship inside the binary.
//!
//! `frlm-records` reads one record per prompt in the `records` dialect
//! (docs/decisions/0002-one-record-per-prompt.md). Its weights and the recipe that made them are in
//! `assets/model/`. It serves the demo, the tests and users who ask for it by name; it is never a
//! silent substitute for another model.
//!
//! `frlm-brain` knows the small steps of the brain (docs/decisions/0051-the-embedded-model-takes-questions-apart.md). It is
//! nobody's provider and answers no question: what it writes counts only where code finds nothing wrong with it.
//!
//! mistral.rs loads from paths, so the weights are unpacked into a cache folder first, in a file
//! named by their sha256: written aside and renamed, so that no one ever sees half of it, and checked
//! against the hash on every start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use frlm_util::files;

use crate::mistral::{Batching, MistralConfig, MistralModel, MistralReader};
use crate::{AnswerReader, Dialect, LanguageModel, ModelError, weights};

/// The name it is announced under.
pub const NAME: &str = "frlm-records";

/// The GGUF file.
pub static WEIGHTS: &[u8] = include_bytes!("../../assets/model/frlm-records.gguf");

/// What the model of the brain's small steps is called.
pub const SMALL_MODEL_NAME: &str = "frlm-brain";

/// Its GGUF file.
pub static SMALL_MODEL_WEIGHTS: &[u8] = include_bytes!("../../assets/model/frlm-brain.gguf");

/// sha256 over [`WEIGHTS`], hex: what providers of this model announce.
pub fn weights_hash() -> String {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| weights::hash_bytes(WEIGHTS)).clone()
}

/// Weights inside the binary.
#[derive(Debug, Clone)]
struct Inside {
    name: &'static str,
    bytes: &'static [u8],
    hash: String,
}

impl Inside {
    fn records() -> Self {
        Self { name: NAME, bytes: WEIGHTS, hash: weights_hash() }
    }

    fn small_model() -> Self {
        static HASH: OnceLock<String> = OnceLock::new();
        let hash = HASH.get_or_init(|| weights::hash_bytes(SMALL_MODEL_WEIGHTS)).clone();
        Self { name: SMALL_MODEL_NAME, bytes: SMALL_MODEL_WEIGHTS, hash }
    }

    fn load_error(&self, reason: String) -> ModelError {
        ModelError::Load { model: self.name.to_owned(), reason }
    }
}

/// Where the weights are unpacked unless the caller has a place for them.
pub fn default_cache_dir() -> PathBuf {
    directories::ProjectDirs::from("", "", "frlm")
        .map_or_else(|| std::env::temp_dir().join("frlm"), |folders| folders.cache_dir().to_owned())
        .join("models")
}

/// Unpacks the weights into `cache_dir` and loads them into single-threaded engines, which run as many
/// requests at a time; one per core is best.
pub async fn load(cache_dir: &Path, engines: usize) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Ok(Arc::new(MistralModel::load(config(&Inside::records(), cache_dir, engines).await?).await?))
}

/// The same for the model of the brain's small steps, in one engine. It announces the dialect of the records model, so
/// that nothing takes it for a model that answers in words.
pub async fn load_small_model(cache_dir: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Ok(Arc::new(MistralModel::load(config(&Inside::small_model(), cache_dir, 1).await?).await?))
}

/// Unpacks the weights into `cache_dir` and loads them into an engine that reads answers, for audits.
pub async fn reader(cache_dir: &Path) -> Result<Arc<dyn AnswerReader>, ModelError> {
    Ok(Arc::new(MistralReader::load(config(&Inside::records(), cache_dir, 1).await?).await?))
}

async fn config(inside: &Inside, cache_dir: &Path, engines: usize) -> Result<MistralConfig, ModelError> {
    let folder = cache_dir.to_owned();
    let wanted = inside.clone();
    let unpacked = tokio::task::spawn_blocking(move || unpack(&wanted, &folder)).await;
    let path = match unpacked {
        Ok(Ok(path)) => path,
        Ok(Err(error)) => {
            return Err(inside.load_error(format!(
                "cannot unpack it into {}: {error}; check the disk (space, quota, rights) or choose another place \
                 with --home",
                cache_dir.display()
            )));
        }
        Err(error) => return Err(inside.load_error(format!("unpacking it broke down: {error}"))),
    };
    Ok(MistralConfig {
        name: inside.name.to_owned(),
        dialect: Dialect::Records,
        force_cpu: true,
        batching: Batching::Engines(engines),
        ..MistralConfig::new(path)
    })
}

fn unpack(inside: &Inside, folder: &Path) -> io::Result<PathBuf> {
    let Inside { name, bytes, hash } = inside;
    // A folder of its own: mistral.rs also reads settings that lie beside a model.
    let folder = folder.join(format!("{name}-{hash}"));
    let path = folder.join(format!("{name}-{hash}.gguf"));
    if weights::hash(&path).is_ok_and(|found| found == *hash) {
        return Ok(path);
    }
    fs::create_dir_all(&folder)?;
    // Several processes may start at once: what each of them writes is the same.
    files::replace(&path, bytes, files::Access::Umask)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GenerationRequest;

    #[test]
    fn damaged_weights_in_the_cache_are_replaced() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let path = unpack(&Inside::records(), cache.path()).expect("unpacked");
        assert!(path.to_string_lossy().contains(&weights_hash()));
        fs::write(&path, b"GGUF damaged").expect("writable");
        let again = unpack(&Inside::records(), cache.path()).expect("unpacked again");
        assert_eq!(path, again);
        assert_eq!(fs::read(&path).expect("readable"), WEIGHTS);
        let beside = fs::read_dir(path.parent().expect("it lies in a folder")).expect("readable").count();
        assert_eq!(beside, 1, "nothing is left beside the weights");
        let other = unpack(&Inside::small_model(), cache.path()).expect("unpacked beside them");
        assert_ne!(path, other);
        assert_eq!(fs::read(&other).expect("readable"), SMALL_MODEL_WEIGHTS);
    }

    #[tokio::test]
    async fn an_unwritable_cache_is_an_error_with_its_place_and_its_fix() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let blocked = cache.path().join("file");
        fs::write(&blocked, b"in the way").expect("writable");
        let said =
            config(&Inside::records(), &blocked, 1).await.expect_err("nothing is unpacked").to_string();
        assert!(said.contains(&*blocked.to_string_lossy()) && said.contains("--home"), "{said}");
    }

    #[tokio::test(flavor = "multi_thread")]
    #[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
    async fn the_embedded_model_loads_and_names_itself() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let model = load(cache.path(), 1).await.expect("the weights load");
        let info = model.info();
        assert_eq!(info.name, NAME);
        assert_eq!(info.dialect, Dialect::Records);
        assert_eq!(info.weights_hash.as_deref(), Some(weights_hash().as_str()));
        assert_eq!(info.concurrency, 1);
    }

    #[tokio::test(flavor = "multi_thread")]
    #[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
    async fn the_model_of_the_brain_loads_and_says_a_clause() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let model = load_small_model(cache.path()).await.expect("the weights load");
        assert_eq!(model.info().name, SMALL_MODEL_NAME);
        let request = GenerationRequest::greedy("say\nhow many orders of user mara are shipped\n5", 40);
        let answer = model.generate(request).await.expect("an answer");
        assert_eq!(answer.text.trim(), "5 orders of user mara are shipped");
    }
}
