//! From a path to engines.

use std::path::Path;
use std::sync::Arc;

use mistralrs::core::{AddModelConfig, Pipeline, SchedulerConfig};
use mistralrs::model_builder_trait::{build_gguf_pipeline, build_model_from_pipeline, build_text_pipeline};
use mistralrs::{
    GgufModelBuilder, MemoryGpuConfig, Model, PagedAttentionConfig, PagedAttentionMetaBuilder,
    TextModelBuilder, TokenSource, best_device,
};
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use super::generation::TokenText;
use super::pool::EnginePool;
use super::{Batching, MistralConfig, MistralModel, cores};
use crate::gguf::{self, GgufHeader};
use crate::{ModelError, ModelInfo, weights};

/// Up to this size a model is quicker on one thread per request than on all of them together.
const SMALL_WEIGHTS_BYTES: u64 = 128 << 20;
/// Requests in one batch on a GPU.
const GPU_BATCH: usize = 32;
/// Numbers in a head of attention for which mistral.rs has paged kernels; with others its first step fails.
const PAGED_HEADS: [usize; 8] = [64, 80, 96, 112, 128, 192, 256, 512];

pub(super) type SharedPipeline = Arc<Mutex<dyn Pipeline>>;
/// What mistral.rs makes an engine of.
type Built = (SharedPipeline, SchedulerConfig, AddModelConfig);

/// How the engines of a model are laid out.
struct Layout {
    engines: usize,
    lanes_each: usize,
    single_threaded: bool,
}

pub(super) async fn load(config: MistralConfig) -> Result<MistralModel, ModelError> {
    let shown = config.path.display().to_string();
    let runtime = Handle::current();
    // Reading weights blocks for as long as it takes, and malformed ones make mistral.rs panic: both
    // belong on a thread of their own.
    let loading = tokio::task::spawn_blocking(move || load_blocking(&config, &runtime));
    let failed = |reason: String| ModelError::Load { model: shown.clone(), reason };
    match loading.await {
        Ok(loaded) => loaded.map_err(failed),
        Err(_) => Err(failed("the file is damaged or of a kind that mistral.rs cannot run".to_owned())),
    }
}

fn load_blocking(config: &MistralConfig, runtime: &Handle) -> Result<MistralModel, String> {
    let header = check_files(&config.path)?;
    let size_bytes = weights::size_bytes(&config.path).map_err(|error| error.to_string())?;
    let weights_hash = weights::hash(&config.path).map_err(|error| error.to_string())?;
    let device = best_device(config.force_cpu).map_err(|error| format!("no device to run on: {error}"))?;
    let layout = layout(config.batching, device.is_cpu(), size_bytes);
    let mut engines = Vec::with_capacity(layout.engines);
    let mut first_pipeline = None;
    let mut lanes_each = layout.lanes_each;
    for _ in 0..layout.engines {
        let loaded = runtime.block_on(engine(config, layout.lanes_each, !device.is_cpu()))?;
        first_pipeline.get_or_insert(loaded.pipeline);
        engines.push(loaded.model);
        lanes_each = lanes_each.min(loaded.lanes);
    }
    let pipeline = first_pipeline.ok_or("at least one engine is needed")?;
    let known = inspect(&pipeline)?;
    let context_tokens = config.context_tokens.unwrap_or(known.max_tokens).min(known.max_tokens);
    let pool = EnginePool::new(engines, lanes_each);
    let info = ModelInfo {
        name: config.name.clone(),
        weights_hash: Some(weights_hash),
        quantisation: header.and_then(|header| header.quantisation),
        context_tokens,
        concurrency: pool.lanes(),
        // One more for each engine, so that it has its next request before this one is read.
        in_flight: pool.lanes() + layout.engines,
        constraints: known.constraints,
        dialect: config.dialect,
    };
    tracing::debug!(?info, "model loaded");
    Ok(MistralModel {
        info,
        pool,
        pipeline,
        token_text: known.token_text,
        end_tokens: known.end_tokens,
        single_threaded: layout.single_threaded,
    })
}

/// Refuses what mistral.rs would panic at or look for on a hub; returns a GGUF file's header.
fn check_files(path: &Path) -> Result<Option<GgufHeader>, String> {
    if !path.exists() {
        return Err("there is no such file".to_owned());
    }
    if path.is_dir() {
        for needed in ["config.json", "tokenizer.json"] {
            if !path.join(needed).is_file() {
                return Err(format!(
                    "this folder has no {needed}; name a .gguf file or a complete safetensors folder"
                ));
            }
        }
        return Ok(None);
    }
    let header = gguf::read_header(path).map_err(|error| error.to_string())?;
    if !header.has_tokenizer {
        return Err("the file brings no tokenizer; convert the model again with one".to_owned());
    }
    if !header.has_chat_template {
        return Err("the file brings no chat template; convert the model again with one".to_owned());
    }
    Ok(Some(header))
}

fn layout(batching: Batching, on_cpu: bool, size_bytes: u64) -> Layout {
    match batching {
        Batching::Engines(engines) => {
            Layout { engines: engines.max(1), lanes_each: 1, single_threaded: on_cpu }
        }
        // On the CPU, mistral.rs 0.8.1 mixes up the attention of requests that are decoded together:
        // all of a batch get the last one's answer. One request at a time there, always.
        Batching::Batch(_) if on_cpu => Layout { engines: 1, lanes_each: 1, single_threaded: false },
        Batching::Batch(size) => Layout { engines: 1, lanes_each: size.max(1), single_threaded: false },
        Batching::Auto if !on_cpu => Layout { engines: 1, lanes_each: GPU_BATCH, single_threaded: false },
        Batching::Auto if size_bytes <= SMALL_WEIGHTS_BYTES => {
            Layout { engines: cores(), lanes_each: 1, single_threaded: true }
        }
        Batching::Auto => Layout { engines: 1, lanes_each: 1, single_threaded: false },
    }
}

/// An engine, and how many requests it may run together.
struct Loaded {
    pipeline: SharedPipeline,
    model: Model,
    lanes: usize,
}

async fn engine(config: &MistralConfig, batch: usize, on_gpu: bool) -> Result<Loaded, String> {
    let (pipeline, scheduler, add) =
        if on_gpu { build_on_gpu(config, batch).await? } else { build(config, batch, None).await? };
    // Without pages some layers may be on the CPU, where requests that are decoded together are mixed up.
    let is_paged = pipeline.lock().await.get_metadata().cache_config.is_some();
    let lanes = if on_gpu && !is_paged { 1 } else { batch };
    let model = build_model_from_pipeline(Arc::clone(&pipeline), scheduler, add).await;
    Ok(Loaded { pipeline, model, lanes })
}

/// With pages for a full batch of full contexts; where those do not fit, with as many as the rest of the GPU's memory
/// holds; without pages where there is no kernel for the model's heads.
async fn build_on_gpu(config: &MistralConfig, batch: usize) -> Result<Built, String> {
    /// Of each request of a batch, where no context length is configured.
    const USUAL_CONTEXT_TOKENS: usize = 4096;
    /// Of the GPU's memory; the rest is for what a step computes.
    const MOST_OF_MEMORY: f32 = 0.9;
    let tokens = config.context_tokens.unwrap_or(USUAL_CONTEXT_TOKENS).saturating_mul(batch);
    let built = match build(config, batch, Some(MemoryGpuConfig::ContextSize(tokens))).await {
        Err(error) => {
            tracing::debug!(%error, "no room for a full batch");
            build(config, batch, Some(MemoryGpuConfig::Utilization(MOST_OF_MEMORY))).await?
        }
        Ok(built) => built,
    };
    let heads_are_paged = {
        let metadata = built.0.lock().await.get_metadata();
        metadata.model_metadata.as_ref().is_none_or(|model| PAGED_HEADS.contains(&model.k_head_dim()))
    };
    if heads_are_paged {
        return Ok(built);
    }
    drop(built);
    build(config, batch, None).await
}

async fn build(
    config: &MistralConfig,
    batch: usize,
    memory: Option<MemoryGpuConfig>,
) -> Result<Built, String> {
    let paged = memory.map(paged_attention).transpose()?;
    let built = if config.path.is_dir() {
        let mut builder = TextModelBuilder::new(config.path.display())
            .with_token_source(TokenSource::None)
            .with_max_num_seqs(batch)
            .with_prefix_cache_n(config.prefix_cache);
        if config.force_cpu {
            builder = builder.with_force_cpu();
        }
        if let Some(paged) = paged {
            builder = builder.with_paged_attn(paged);
        }
        build_text_pipeline(builder).await
    } else {
        let folder =
            config.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = config.path.file_name().unwrap_or_default().to_string_lossy();
        let mut builder = GgufModelBuilder::new(folder.display(), vec![file])
            .with_token_source(TokenSource::None)
            .with_max_num_seqs(batch)
            .with_prefix_cache_n(config.prefix_cache);
        if config.force_cpu {
            builder = builder.with_force_cpu();
        }
        if let Some(paged) = paged {
            builder = builder.with_paged_attn(paged);
        }
        build_gguf_pipeline(builder).await
    };
    built.map_err(|error| format!("{error:#}"))
}

fn paged_attention(memory: MemoryGpuConfig) -> Result<PagedAttentionConfig, String> {
    PagedAttentionMetaBuilder::default().with_gpu_memory(memory).build().map_err(|error| format!("{error:#}"))
}

/// What must be known of a loaded model.
struct Known {
    token_text: TokenText,
    /// Tokens that end a turn.
    end_tokens: Arc<[u32]>,
    max_tokens: usize,
    /// Whether the grammar engine knows how a turn ends; without that, constrained text has no end.
    constraints: bool,
}

fn inspect(pipeline: &SharedPipeline) -> Result<Known, String> {
    let pipeline =
        pipeline.try_lock().map_err(|_| "the engine is busy before its first request".to_owned())?;
    if pipeline.get_chat_template().is_some_and(|template| template.is_harmony_format()) {
        return Err("gpt-oss models need a vocabulary that mistral.rs fetches from the network; \
                    serve them with llama.cpp and name its address instead"
            .to_owned());
    }
    let tokenizer = pipeline.tokenizer().ok_or("the model brings no tokenizer")?;
    let metadata = pipeline.get_metadata();
    let mut end_tokens = metadata.eos_tok.clone();
    // The grammar engine finds its end token by well-known names. It may be another one than the
    // model's own, or, where no name is known, any token at all.
    let grammar_end = metadata.tok_env().map(|env| env.tok_trie().eos_token());
    let is_special = |&token: &u32| tokenizer.decode(&[token], true).is_ok_and(|text| text.is_empty());
    let grammar_end = grammar_end.filter(is_special);
    end_tokens.extend(grammar_end);
    Ok(Known {
        end_tokens: end_tokens.into(),
        max_tokens: metadata.max_seq_len,
        constraints: grammar_end.is_some(),
        token_text: Arc::new(move |tokens| tokenizer.decode(tokens, false).unwrap_or_default()),
    })
}
