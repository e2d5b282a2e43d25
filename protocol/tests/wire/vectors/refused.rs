//! Jobs that are refused.

use frlm_protocol::RefusalReason;
use nostr::Event;
use serde_json::{Value, json};

use super::{NOW, job_of, keys, later};

/// Jobs that a provider refuses: name, event, reason.
pub fn refused() -> Vec<(&'static str, Event, RefusalReason)> {
    let of = |work: Value, created_at| job_of(&work, &keys("provider"), created_at);
    let copy = || json!([["frlm", "1"], ["i", "a=1", "text"], ["param", "instruction", "copy a"]]);
    let with = |tag: Value| {
        let mut tags = copy();
        tags.as_array_mut().unwrap().push(tag);
        of(tags, NOW)
    };
    let unsupported = RefusalReason::Unsupported;
    vec![
        ("encrypted to another key", job_of(&copy(), &keys("identity"), NOW), unsupported),
        ("an unknown mode", with(json!(["param", "mode", "all"])), unsupported),
        (
            "an unknown constraint",
            with(json!(["param", "constraint", "{\"type\":\"gbnf\",\"value\":\"x\"}"])),
            unsupported,
        ),
        ("dated a day ahead", of(copy(), later(86_400)), unsupported),
        ("an address to fetch", with(json!(["i", "https://example.org", "url"])), unsupported),
        ("no token", with(json!(["param", "max_tokens", "0"])), unsupported),
        ("nothing to do", of(json!([["frlm", "1"]]), NOW), unsupported),
        ("another model", with(json!(["param", "model", "another"])), RefusalReason::WrongModel),
    ]
}
