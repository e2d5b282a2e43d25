//! Providers whose answers are read by the weights that they claim (tier 3, prefill audit), on real engines: two run
//! those weights, one runs them with noise, one commits to nonsense and one to nothing.

use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::{Content, Value, write};
use candle_core::{Device, Tensor};
use frlm_conductor::run::prefill::WeightsAtHand;
use frlm_conductor::trace::{AuditFinding, TraceEvent};
use frlm_inference::embedded::{self, WEIGHTS};
use frlm_inference::mistral::{Batching, MistralConfig, MistralModel};
use frlm_inference::{
    Answer, Chunk, Dialect, Generation, GenerationRequest, LanguageModel, ModelError, ModelInfo,
};
use frlm_verifier::VerificationPolicy;
use frlm_verifier::trust::ReputationStore;
use futures::StreamExt as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::common::{Asker, orders, provider, relay};

/// Weights under another's name.
#[derive(Debug)]
struct Claiming {
    model: Arc<dyn LanguageModel>,
    info: ModelInfo,
    reports: Reports,
}

/// What an engine says of its tokens.
#[derive(Debug, Clone, Copy)]
enum Reports {
    Truth,
    /// Tokens that are none.
    Nonsense,
    Nothing,
}

#[async_trait]
impl LanguageModel for Claiming {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn stream(&self, request: GenerationRequest) -> Result<Generation, ModelError> {
        let reports = self.reports;
        let reported = move |chunk| match (chunk, reports) {
            (Ok(Chunk::Done(mut answer)), Reports::Nonsense) => {
                answer.logprobs.iter_mut().for_each(|token| token.id = Some(u32::MAX));
                Ok(Chunk::Done(answer))
            }
            (Ok(Chunk::Done(answer)), Reports::Nothing) => {
                Ok(Chunk::Done(Answer { logprobs: Vec::new(), ..answer }))
            }
            (other, _) => other,
        };
        Ok(self.model.stream(request).await?.map(reported).boxed())
    }
}

/// The embedded weights, each changed by up to 2 %: nearly all that they write is the same.
fn noisy(folder: &Path) -> PathBuf {
    let mut reader = Cursor::new(WEIGHTS);
    let content = Content::read(&mut reader).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut names: Vec<&String> = content.tensor_infos.keys().collect();
    names.sort();
    let mut changed = |name: &str| {
        let exact = content.tensor(&mut reader, name, &Device::Cpu).unwrap();
        let format = exact.dtype();
        let exact = exact.dequantize(&Device::Cpu).unwrap();
        let mut values: Vec<f32> = exact.flatten_all().unwrap().to_vec1().unwrap();
        for value in &mut values {
            *value *= 1.0 + rng.random_range(-0.02_f32..0.02);
        }
        let changed = Tensor::from_vec(values, exact.shape(), &Device::Cpu).unwrap();
        QTensor::quantize(&changed, format).unwrap()
    };
    let tensors: Vec<(&str, QTensor)> =
        names.iter().map(|name| (name.as_str(), changed(name.as_str()))).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
    let metadata: Vec<(&str, &Value)> =
        content.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let path = folder.join("noisy.gguf");
    write(&mut BufWriter::new(File::create(&path).unwrap()), &metadata, &tensors).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(debug_assertions, ignore = "the engine is too slow without optimisation")]
async fn a_provider_with_other_weights_than_claimed_is_found_and_no_other() {
    let (relay, home) = (relay().await, tempfile::tempdir().unwrap());
    let models = home.path().join("models");
    let honest = || embedded::load(&models, 1);
    let info = honest().await.unwrap().info().clone();
    let config = MistralConfig {
        dialect: Dialect::Records,
        force_cpu: true,
        batching: Batching::Engines(1),
        ..MistralConfig::new(noisy(home.path()))
    };
    let swapped: Arc<dyn LanguageModel> = Arc::new(MistralModel::load(config).await.unwrap());
    assert_ne!(swapped.info().weights_hash, info.weights_hash);
    let claiming = |model, reports| Arc::new(Claiming { model, info: info.clone(), reports });
    let a = provider("a", &relay.url(), honest().await.unwrap()).await;
    let b = provider("b", &relay.url(), honest().await.unwrap()).await;
    let cheat = provider("cheat", &relay.url(), claiming(swapped, Reports::Truth)).await;
    let garbling = claiming(honest().await.unwrap(), Reports::Nonsense);
    let garbler = provider("garbler", &relay.url(), garbling).await;
    let silent = provider("silent", &relay.url(), claiming(honest().await.unwrap(), Reports::Nothing)).await;

    let (memory, folder) = (ReputationStore::at(home.path().join("reputation.db")), models.clone());
    let weights = WeightsAtHand::new(embedded::weights_hash(), move || {
        let folder = folder.clone();
        Box::pin(async move { embedded::reader(&folder).await })
    });
    let mut asker =
        Asker { enough: 5, memory: Some(memory.clone()), audits: Some(weights), ..Asker::default() };
    asker.policy.verification = VerificationPolicy::DEFAULT;
    // Each of the five gets some sixty jobs, and one in five of them is audited; which two of its three answers are
    // committed to follows from all three.
    let outcome = asker.ask(&relay.url(), orders(600, 3), home.path()).await;

    let found = |key: &str, wanted: fn(&AuditFinding) -> bool| {
        outcome.count(|event| {
            matches!(event, TraceEvent::Audited { provider, finding, .. } if provider == key && wanted(finding))
        })
    };
    let another = |finding: &AuditFinding| *finding == AuditFinding::AnotherModel;
    let [a, b, cheat, garbler, silent] =
        [a, b, cheat, garbler, silent].map(|provider| provider.public_key().to_hex());
    assert!(found(&cheat, another) > 0);
    assert_eq!([&a, &b, &garbler, &silent].map(|key| found(key, another)), [0; 4]);
    assert!(found(&a, |finding| *finding == AuditFinding::Fits) > 0);
    let unreadable = |finding: &AuditFinding| matches!(finding, AuditFinding::Unreadable(_));
    assert!(found(&garbler, unreadable) > 0 && found(&silent, unreadable) > 0);
    assert_eq!([&a, &b].map(|key| found(key, unreadable)), [0, 0]);
    let put_out = outcome.count(|event| {
        matches!(event, TraceEvent::Notice { says, .. }
            if says.starts_with(&cheat) && says.contains("other weights than it claims"))
    });
    assert_eq!(put_out, 1);
    let reputation = memory.load(0).unwrap();
    let lied = |key: &str| reputation.member(key).is_some_and(|member| reputation.has_lied(member));
    assert_eq!([&a, &b, &cheat, &garbler, &silent].map(|key| lied(key)), [false, false, true, false, false]);
    let records = reputation.export().providers;
    let hidden = |key: &String| {
        records
            .iter()
            .find(|record| record.provider == *key)
            .map_or(0, |record| record.audits.nothing_to_read)
    };
    assert!(hidden(&garbler) > 0 && hidden(&silent) > 0);
    assert_eq!([hidden(&a), hidden(&b)], [0, 0]);
    let answer = outcome.result.unwrap();
    assert!(answer.answer.starts_with("120 "), "{}", answer.answer);
}
