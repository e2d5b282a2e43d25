//! Writing job requests: one narrow form, checked before anything is signed.

use nostr::{Event, Keys, Timestamp};
use serde_json::{Value, json};

use super::{Audience, InputSource, JobRequest, Mode};
use crate::certificate::Certificate;
use crate::error::BuildError;
use crate::kinds::{JOB_REQUEST, PROFILE_VERSION};
use crate::limits::{DEFAULT_JOB_LIFETIME_SECS, MAX_INPUTS, MAX_OPEN_INPUT_BYTES, MAX_RELAYS};
use crate::seal::{fits, seal};
use crate::tags::{array, sign};

const WHAT: &str = "the job";

impl JobRequest {
    /// The signed request event.
    ///
    /// A job without an expiration gets one [`DEFAULT_JOB_LIFETIME_SECS`] after `created_at`. The
    /// event always says our own profile version, whatever [`JobRequest::profile`] holds.
    pub fn to_event(
        &self,
        audience: Audience,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        self.sign(audience, &self.work_json(), keys, created_at)
    }

    /// Signs what `work_json` says of the job.
    pub(super) fn sign(
        &self,
        audience: Audience,
        work_json: &str,
        keys: &Keys,
        created_at: Timestamp,
    ) -> Result<Event, BuildError> {
        self.check()?;
        let expires_at = self
            .expires_at
            .unwrap_or_else(|| Timestamp::from_secs(created_at.as_secs() + DEFAULT_JOB_LIFETIME_SECS));
        if expires_at <= created_at {
            return Err(BuildError::AlreadyExpired {
                expires_at: expires_at.as_secs(),
                created_at: created_at.as_secs(),
            });
        }
        let expiration = array(["expiration", &expires_at.as_secs().to_string()]);
        match audience {
            Audience::Directed(provider) => {
                let content = seal(keys, &provider, WHAT, work_json)?;
                let outer = [array(["p", &provider.to_hex()]), array(["encrypted"]), expiration];
                sign(JOB_REQUEST, content, outer, keys, created_at)
            }
            Audience::Open => {
                if self.payment.is_some() {
                    return Err(BuildError::OpenPayment);
                }
                if self.certificate.is_some() {
                    return Err(BuildError::OpenCertificate);
                }
                if self.validate.is_some() {
                    return Err(BuildError::OpenValidation);
                }
                self.check_open_inputs()?;
                fits(WHAT, work_json)?;
                let tags = self.work_tags().into_iter().chain([expiration]);
                sign(JOB_REQUEST, String::new(), tags, keys, created_at)
            }
        }
    }

    fn check(&self) -> Result<(), BuildError> {
        if self.instruction.is_empty() && self.inputs.is_empty() {
            return Err(BuildError::Empty(WHAT));
        }
        if self.inputs.len() > MAX_INPUTS {
            return Err(BuildError::TooMany { what: "inputs", count: self.inputs.len(), limit: MAX_INPUTS });
        }
        if self.relays.len() > MAX_RELAYS {
            return Err(BuildError::TooMany { what: "relays", count: self.relays.len(), limit: MAX_RELAYS });
        }
        if let Some(bad) = self.relays.iter().find(|relay| !super::parse::is_relay_address(relay)) {
            return Err(BuildError::BadRelay(bad.clone()));
        }
        for (name, number) in [("temperature", self.temperature), ("top_p", self.top_p)] {
            if number.is_some_and(|number| !number.is_finite()) {
                return Err(BuildError::NotFinite(name));
            }
        }
        Ok(())
    }

    fn check_open_inputs(&self) -> Result<(), BuildError> {
        let too_large = |data: &str| data.len() > MAX_OPEN_INPUT_BYTES;
        match self.inputs.iter().position(|input| too_large(&input.data)) {
            None => Ok(()),
            Some(index) => Err(BuildError::OpenInputTooLarge {
                index,
                size: self.inputs[index].data.len(),
                limit: MAX_OPEN_INPUT_BYTES,
            }),
        }
    }

    pub(super) fn work_json(&self) -> String {
        as_json(self.work_tags()).to_string()
    }

    /// The tags that describe the work, in the order of the module documentation.
    pub(super) fn work_tags(&self) -> Vec<Vec<String>> {
        let mut tags = vec![array(["frlm", PROFILE_VERSION])];
        for input in &self.inputs {
            tags.push(array(["i", &input.data, source_name(input.source)]));
        }
        let mut param = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                tags.push(array(["param", name, &value]));
            }
        };
        param("instruction", (!self.instruction.is_empty()).then(|| self.instruction.clone()));
        param("mode", (self.mode == Mode::Each).then(|| "each".to_owned()));
        // A constraint is built from JSON, strings and unit variants: it always serialises.
        param(
            "constraint",
            self.constraint.as_ref().and_then(|constraint| serde_json::to_string(constraint).ok()),
        );
        param("model", self.model.clone());
        param("max_tokens", self.max_tokens.map(|number| number.to_string()));
        param("temperature", self.temperature.map(|number| number.to_string()));
        param("top_p", self.top_p.map(|number| number.to_string()));
        param("top_k", self.top_k.map(|number| number.to_string()));
        if let Some(output) = &self.output {
            tags.push(array(["output", output]));
        }
        if let Some(bid_msats) = self.bid_msats {
            tags.push(array(["bid", &bid_msats.to_string()]));
        }
        if let Some(payment) = &self.payment {
            tags.push(array([if is_token(payment) { "cashu" } else { "payment" }, payment]));
        }
        tags.extend(self.certificate.as_ref().map(Certificate::to_tag));
        if let Some(validate) = &self.validate {
            let answers = serde_json::Value::from(validate.answers.clone()).to_string();
            tags.push(array(["validate", &validate.result.to_hex(), &answers]));
        }
        if !self.relays.is_empty() {
            tags.push(std::iter::once("relays".to_owned()).chain(self.relays.iter().cloned()).collect());
        }
        tags
    }
}

/// Tags as JSON. A constraint stands there as the object that it is: in a text each of its quotation marks is escaped.
pub(super) fn as_json(work: impl IntoIterator<Item = Vec<String>>) -> Value {
    let tag = |tag: Vec<String>| match tag.as_slice() {
        [param, name, text] if (param.as_str(), name.as_str()) == ("param", "constraint") => {
            json!([param, name, serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()))])
        }
        plain => json!(plain),
    };
    Value::Array(work.into_iter().map(tag).collect())
}

/// A token goes where foreign providers look for one.
fn is_token(payment: &str) -> bool {
    payment.starts_with("cashu")
}

fn source_name(source: InputSource) -> &'static str {
    match source {
        InputSource::Text => "text",
        InputSource::Url => "url",
        InputSource::Event => "event",
        InputSource::Job => "job",
    }
}
