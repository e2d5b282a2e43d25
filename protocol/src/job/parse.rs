//! Reading job requests: whatever a NIP-90 client sends is taken as far as it makes sense.

use nostr::{Event, EventId, JsonUtil, Keys};
use serde_json::Value;

use super::{
    Audience, Encryption, Input, InputSource, JobRequest, Mode, OutputConstraint, ReceivedJob, Validate,
};
use crate::blob::{self, BlobPointer};
use crate::certificate::Certificate;
use crate::error::ParseError;
use crate::kinds::JOB_REQUEST;
use crate::limits::{
    MAX_ANSWERS, MAX_INPUTS, MAX_NAME_BYTES, MAX_RELAYS, MAX_REPEATED_REQUEST_BYTES, MAX_TAGS,
};
use crate::seal::{looks_sealed, open};
use crate::tags::{TagView, expect_kind, finite_number, malformed, unquoted, whole_number, within};
use crate::text::cut;

impl JobRequest {
    /// Reads a request that reached the owner of `keys`.
    ///
    /// The signature is the caller's business. Accepted beyond the specification: no `i` at all
    /// (the prompt is then looked for in `prompt` and in the content), `i` with two elements or a
    /// type of its own, `top-k`, parameters as one JSON object, relay lists in any shape, amounts
    /// that are no numbers, NIP-04, an `encrypted` tag that is missing, and any content on plain
    /// jobs. Refused: other kinds, jobs addressed to other keys, jobs that say they are encrypted
    /// and are not (for us), and parts of our own profile that this version cannot honour.
    pub fn from_event(event: &Event, keys: &Keys) -> Result<ReceivedJob, ParseError> {
        expect_kind(event, JOB_REQUEST)?;
        let us = keys.public_key();
        let outer = TagView::of_event(event);
        let to_us = outer.names(&us);
        if outer.has("p") && !to_us {
            return Err(ParseError::NotForUs);
        }
        let (mut inner, encryption) = decrypted_tags(event, keys, &outer)?;
        let sealed = encryption != Encryption::None;
        // What an encrypted job says about itself stands inside; outside, a relay or a careless
        // client may have added anything.
        let view = if sealed { TagView::of_arrays(&inner) } else { outer };
        let mut request = described_work(&view)?;
        // In plain sight it is nobody's any more.
        request.payment = request.payment.filter(|_| sealed);
        request.certificate = request.certificate.filter(|_| sealed);
        request.validate = request.validate.filter(|_| sealed);
        if request.inputs.is_empty() && request.instruction.is_empty() && !sealed {
            request.inputs.extend(prompt_in_content(event));
        }
        let outer = TagView::of_event(event);
        request.expires_at = outer.expiration().or_else(|| view.expiration());
        if request.relays.is_empty() {
            request.relays = relay_addresses(&outer);
        }
        let is_ours = sealed && request.profile.is_some();
        let named = view.all(blob::TAG).next().filter(|_| is_ours);
        let blob = named.map(BlobPointer::from_values).transpose()?;
        let mut raw_tags: Vec<Vec<String>> = event.tags.iter().map(|tag| tag.as_slice().to_vec()).collect();
        raw_tags.append(&mut inner);
        let request_json = request
            .profile
            .is_none()
            .then(|| event.as_json())
            .filter(|json| json.len() <= MAX_REPEATED_REQUEST_BYTES);
        Ok(ReceivedJob {
            id: event.id,
            asker: event.pubkey,
            audience: if to_us { Audience::Directed(us) } else { Audience::Open },
            request,
            blob,
            encryption,
            created_at: event.created_at,
            raw_tags,
            request_json,
        })
    }
}

/// The tag array inside an encrypted content; empty for plain jobs.
fn decrypted_tags(
    event: &Event,
    keys: &Keys,
    outer: &TagView<'_>,
) -> Result<(Vec<Vec<String>>, Encryption), ParseError> {
    let plain = (Vec::new(), Encryption::None);
    let (text, encryption) = if outer.has("encrypted") {
        if !outer.names(&keys.public_key()) {
            return Err(ParseError::NotForUs);
        }
        open(keys, &event.pubkey, &event.content)?
    } else if looks_sealed(&event.content) && !outer.has("i") {
        match open(keys, &event.pubkey, &event.content) {
            Ok(opened) => opened,
            Err(_) => return Ok(plain),
        }
    } else {
        return Ok(plain);
    };
    Ok((tag_arrays(&text)?, encryption))
}

/// Tags as JSON; scalars that are not strings are read as their text. Any other plaintext is one
/// prompt, as the simplest clients send it.
fn tag_arrays(text: &str) -> Result<Vec<Vec<String>>, ParseError> {
    let Ok(Value::Array(tags)) = serde_json::from_str(text) else {
        return Ok(vec![vec!["i".to_owned(), text.to_owned(), "text".to_owned()]]);
    };
    within("encrypted tags", tags.len(), MAX_TAGS)?;
    let tags = tags.into_iter().filter_map(|tag| match tag {
        Value::Array(values) => Some(values.into_iter().map(scalar_text).collect()),
        _ => None,
    });
    Ok(tags.collect())
}

pub(super) fn scalar_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

pub(super) fn described_work(tags: &TagView<'_>) -> Result<JobRequest, ParseError> {
    within("inputs", tags.all("i").count(), MAX_INPUTS)?;
    let profile = tags.first("frlm").map(|version| cut(version, MAX_NAME_BYTES).to_owned());
    let params = params(tags);
    let param = |names: &[&str]| {
        params.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.as_str())
    };
    let number = |names: &[&str]| param(names).and_then(whole_number);
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let mut inputs: Vec<Input> = tags.all("i").filter_map(input).collect();
    let instruction = param(&["instruction"]).unwrap_or_default().to_owned();
    if inputs.is_empty() && instruction.is_empty() {
        let prompt = param(&["prompt", "text"]).filter(|prompt| !prompt.is_empty());
        inputs.extend(prompt.map(|prompt| Input { data: prompt.to_owned(), source: InputSource::Text }));
    }
    Ok(JobRequest {
        instruction,
        inputs,
        mode: mode(param(&["mode"]), profile.is_some())?,
        max_tokens: number(&["max_tokens", "max-tokens", "max_new_tokens"]).map(small),
        temperature: param(&["temperature"]).and_then(finite_number),
        top_p: param(&["top_p", "top-p"]).and_then(finite_number),
        top_k: number(&["top_k", "top-k"]).map(small),
        model: param(&["model"])
            .map(|name| cut(unquoted(name), MAX_NAME_BYTES).to_owned())
            .filter(|name| !name.is_empty()),
        constraint: constraint(param(&["constraint"]), profile.is_some())?,
        output: tags.first("output").map(|output| cut(output, MAX_NAME_BYTES).to_owned()),
        bid_msats: tags.first("bid").and_then(whole_number),
        payment: tags.first("payment").map(str::to_owned),
        certificate: tags.all("certificate").find_map(Certificate::from_values),
        validate: validate(tags)?,
        relays: relay_addresses(tags),
        expires_at: None,
        profile,
    })
}

/// An `i` tag: data, then perhaps a type, a relay and a marker.
fn input(values: &[String]) -> Option<Input> {
    let data = values.first()?.clone();
    // Unknown types are text: the data then reaches the model, and nothing is fetched.
    let source = match values.get(1).map(|source| source.trim().to_ascii_lowercase()).as_deref() {
        Some("url") => InputSource::Url,
        Some("event") => InputSource::Event,
        Some("job") => InputSource::Job,
        _ => InputSource::Text,
    };
    Some(Input { data, source })
}

/// Every parameter, whether it stands in a tag of its own or in a JSON object.
fn params(tags: &TagView<'_>) -> Vec<(String, String)> {
    let mut params = Vec::new();
    for values in tags.all("param").chain(tags.all("params")) {
        match values {
            [object] => {
                if let Ok(Value::Object(entries)) = serde_json::from_str(object) {
                    params.extend(entries.into_iter().map(|(name, value)| (name, scalar_text(value))));
                }
            }
            [name, value, ..] => params.push((name.trim().to_ascii_lowercase(), value.clone())),
            [] => {}
        }
    }
    params
}

fn mode(value: Option<&str>, ours: bool) -> Result<Mode, ParseError> {
    match value {
        Some("each") => Ok(Mode::Each),
        Some(other) if ours && other != "together" => Err(malformed("mode", other)),
        _ => Ok(Mode::Together),
    }
}

/// A constraint of ours must be honoured or refused. A foreign parameter of that name may mean
/// anything.
fn constraint(value: Option<&str>, ours: bool) -> Result<Option<OutputConstraint>, ParseError> {
    let Some(value) = value else { return Ok(None) };
    match serde_json::from_str(value) {
        Ok(constraint) => Ok(Some(constraint)),
        Err(error) if ours => Err(malformed("constraint", error)),
        Err(_) => Ok(None),
    }
}

/// Answers that are to be checked. A tag of that name that cannot be read is refused: an asker that meant it
/// would take our own answer for a verdict.
fn validate(tags: &TagView<'_>) -> Result<Option<Validate>, ParseError> {
    let Some(values) = tags.all("validate").next() else { return Ok(None) };
    let what = "validate";
    let [result, answers, ..] = values else { return Err(malformed(what, "no result and answers")) };
    let result = EventId::from_hex(result).map_err(|error| malformed(what, error))?;
    let answers: Vec<String> = serde_json::from_str(answers).map_err(|error| malformed(what, error))?;
    within("answers to validate", answers.len(), MAX_ANSWERS)?;
    Ok(Some(Validate { result, answers }))
}

/// `["relays","wss://a","wss://b"]` and its disguises: several tags, or several addresses in one
/// value, separated by commas or blanks, perhaps as a JSON list. Others are skipped.
fn relay_addresses(tags: &TagView<'_>) -> Vec<String> {
    tags.all("relays")
        .flatten()
        .flat_map(|value| value.split(|mark: char| mark == ',' || mark.is_whitespace()))
        .map(|address| address.trim_matches(|mark| matches!(mark, '"' | '\'' | '[' | ']')))
        .filter(|address| is_relay_address(address))
        .take(MAX_RELAYS)
        .map(str::to_owned)
        .collect()
}

pub(crate) fn is_relay_address(address: &str) -> bool {
    address.len() <= MAX_NAME_BYTES
        && !address.contains(|mark: char| mark.is_whitespace() || mark == ',')
        && url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "ws" | "wss") && url.has_host())
}

/// More than a third of the requests in the wild have no `i`; then the content may be the prompt.
fn prompt_in_content(event: &Event) -> Option<Input> {
    let content = event.content.trim();
    (!content.is_empty() && !looks_sealed(content))
        .then(|| Input { data: content.to_owned(), source: InputSource::Text })
}
