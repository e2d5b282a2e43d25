//! The user's own model: for local runs, and as the fallback.

use std::sync::Arc;

use frlm_inference::LanguageModel;

use super::Prepared;
use crate::failure::Failure;
use crate::home::Home;
use crate::models;

/// The model that the user configured, if any: for local runs and as the fallback.
pub async fn own_model(prepared: &Prepared, home: &Home) -> anyhow::Result<Option<Arc<dyn LanguageModel>>> {
    match (&prepared.request.model, prepared.request.local) {
        (Some(model), _) => Ok(Some(models::open(model, None, home).await?)),
        (None, false) => Ok(None),
        (None, true) => Err(Failure::usage(
            "--local needs a model of yours: --model PATH.gguf, --model http://HOST/v1#NAME, or \
             --model embedded (it copies fields out of records and can do nothing else)",
        )
        .into()),
    }
}
