//! `frlm-lab model`: what a records model is worth, through the engine and the code of production.

mod arguments;
mod compound;
pub mod documents;
pub(super) mod end_to_end;
mod fragments;
mod hostile;
mod out_of_scope;
mod prompts;
mod remembering;
mod score;

use std::sync::Arc;
use std::time::Instant;

use frlm_inference::LanguageModel;

pub use arguments::LabModelArgs;
use frlm_client::home::Home;
use frlm_client::models;

/// Runs the experiment that the flags name; without any, the fragments.
pub async fn run(args: &LabModelArgs, home: &Home) -> anyhow::Result<()> {
    if let Some(relay) = &args.relay {
        let rig = end_to_end::Rig::of_others(relay)?;
        return Box::pin(end_to_end::run(rig, args, home)).await;
    }
    let began = Instant::now();
    // One single-threaded engine, so that the speed printed is that of one core.
    let model = models::open(args.model.as_deref().unwrap_or("embedded"), Some(1), home).await?;
    println!("model     {}, loaded in {} ms", model.info().name, began.elapsed().as_millis());
    let model: Arc<dyn LanguageModel> = model;
    if let Some(examples) = &args.examples {
        prompts::run(&*model, examples, args.limit).await
    } else if args.end_to_end {
        let rig = end_to_end::Rig::start(model).await?;
        Box::pin(end_to_end::run(rig, args, home)).await
    } else if args.hostile {
        hostile::run(model, args.limit).await
    } else if args.out_of_scope {
        Box::pin(out_of_scope::run(model, args.limit)).await
    } else {
        fragments::run(&*model, args.limit).await
    }
}
