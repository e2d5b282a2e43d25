//! How many tokens a model of an endpoint reads, where the endpoint says so in its list of models.
//!
//! OpenAI's protocol has no field for it; servers add their own: vLLM `max_model_len`, OpenRouter and Together
//! `context_length`, Groq `context_window`, Mistral `max_context_length`, llama.cpp `meta.n_ctx`. Others, such as Ollama,
//! say nothing.

use std::time::Duration;

use futures::StreamExt;
use reqwest::{RequestBuilder, Response};
use serde_json::Value;

/// An endpoint that says nothing for so long is not waited for: the usual setting does.
const TIMEOUT: Duration = Duration::from_secs(3);
/// A list of thousands of models is shorter.
const MOST_BYTES: usize = 8 << 20;
/// In this order: what is served now before what the model was made for.
const FIELDS: [&str; 5] =
    ["/max_model_len", "/meta/n_ctx", "/context_length", "/context_window", "/max_context_length"];
/// What a server may say: fewer tokens hold no task, and no model reads more.
pub(crate) const SENSIBLE: std::ops::RangeInclusive<usize> = 256..=16_777_216;

/// What the endpoint says of a model; `None` where it says nothing of use.
pub(super) async fn said(list: RequestBuilder, model: &str) -> Option<usize> {
    let asking = async {
        let response = list.send().await.ok()?;
        if response.status().is_success() { whole(response).await } else { None }
    };
    let body = tokio::time::timeout(TIMEOUT, asking).await.ok()??;
    found(&serde_json::from_slice(&body).ok()?, model)
}

async fn whole(response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let mut parts = response.bytes_stream();
    while let Some(part) = parts.next().await {
        let part = part.ok()?;
        if body.len() + part.len() > MOST_BYTES {
            return None;
        }
        body.extend_from_slice(&part);
    }
    Some(body)
}

fn found(list: &Value, model: &str) -> Option<usize> {
    let models = list["data"].as_array()?;
    // A server with one model answers with that one, whatever it is called.
    let entry = match models.as_slice() {
        [only] => only,
        several => several.iter().find(|entry| entry["id"] == model)?,
    };
    let tokens = FIELDS.iter().find_map(|field| entry.pointer(field)?.as_u64())?;
    usize::try_from(tokens).ok().filter(|tokens| SENSIBLE.contains(tokens))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_server_says_it_in_its_own_field() {
        for entry in [
            json!({ "id": "m", "max_model_len": 32_768 }),
            json!({ "id": "m", "meta": { "n_ctx": 32_768, "n_ctx_train": 131_072 } }),
            json!({ "id": "m", "context_length": 32_768 }),
            json!({ "id": "m", "context_window": 32_768 }),
            json!({ "id": "m", "max_context_length": 32_768 }),
        ] {
            let others = json!({ "data": [{ "id": "other", "max_model_len": 4_096 }, entry] });
            assert_eq!(found(&others, "m"), Some(32_768), "{entry}");
            assert_eq!(found(&json!({ "data": [entry] }), "another name"), Some(32_768));
        }
    }

    #[test]
    fn what_says_nothing_of_use_is_nothing() {
        for list in [
            json!({ "data": [{ "id": "m" }] }),
            json!({ "data": [{ "id": "m", "max_model_len": 3 }] }),
            json!({ "data": [{ "id": "m", "max_model_len": u64::MAX }] }),
            json!({ "data": [{ "id": "m", "max_model_len": "much" }] }),
            json!({ "data": [{ "id": "a", "max_model_len": 4_096 }, { "id": "b", "max_model_len": 4_096 }] }),
            json!({ "data": [] }),
            json!("models"),
        ] {
            assert_eq!(found(&list, "m"), None, "{list}");
        }
    }
}
