//! The same for scripts.

use frlm_conductor::swarm::ProviderInfo;
use frlm_protocol::printable;
use serde_json::{Value, json};

use super::super::Prepared;
use super::{Estimate, Reader};

impl Estimate {
    /// For scripts. Of a program nothing is foreseen but what one question to a fragment costs.
    pub fn json(&self, prepared: &Prepared) -> Value {
        let (request, policy) = (&prepared.request, &prepared.policy);
        let provider = |info: &ProviderInfo| {
            json!({
                "provider": *info.id,
                "name": printable(&info.name),
                "model": printable(&info.model.name),
                "read_msats_per_1k": info.tariff.read_per_1k.0,
                "written_msats_per_1k": info.tariff.written_per_1k.0,
                "least_sats": info.tariff.least.0,
                "free_jobs": info.tariff.free_jobs,
            })
        };
        let reader = |reader: &Reader| json!({ "who": reader.who, "host": printable(&reader.host) });
        let program = request.program.as_ref();
        let swarm = request.uses_swarm() && !prepared.by_code();
        let subtasks = match program {
            Some(_) => Value::Null,
            None => json!({ "first": self.first, "later": self.subtasks.len() - self.first }),
        };
        json!({
            "program": program.map(|program| json!({ "name": program.name, "sha256": program.sha256 })),
            "documents": prepared.documents.names,
            "unread": prepared.documents.unread,
            "fragments": prepared.fragments.len(),
            "bytes": self.bytes,
            "subtasks": subtasks,
            "may_take_steps": self.may_take_steps(),
            "own_model_reads_first": prepared.asks_own_model(),
            "provider_reads_first": self.provider_reads_first(),
            "reused": {
                "parts": self.reused.parts,
                "claims": self.reused.claims,
                "saved_sats": self.reused.sats,
            },
            "verification": policy.verification.to_string(),
            "relays": if swarm { request.relays.as_slice() } else { &[] },
            "providers": self.providers.iter().map(provider).collect::<Vec<_>>(),
            "unreachable": self.unreachable.as_deref().map(printable),
            "in_plain": self.readers.iter().map(reader).collect::<Vec<_>>(),
            "time": self.time.map(|time| json!({ "first_answers_secs": time.as_secs().max(1) })),
            "cost": {
                "for": if program.is_some() { "each question to a fragment" } else { "the whole question" },
                "low_sats": self.quote.low.0,
                "expected_sats": self.quote.expected.0,
                "high_sats": self.quote.high.0,
                "given_sats": self.quote.given.0,
                "fees_sats": self.fees.map(|fees| fees.0),
                "limit_sats": policy.budget.0,
            },
        })
    }
}
