//! What this home knows of a provider, in a word and a figure.

use std::time::{SystemTime, UNIX_EPOCH};

use frlm_verifier::trust::{ExportedRecord, Reputation};

/// What follows from a record, in a word.
pub fn standing(reputation: &Reputation, record: &ExportedRecord) -> &'static str {
    match reputation.member(&record.provider) {
        _ if record.proven_lie => "lied",
        _ if record.excluded => "left out",
        Some(member) if reputation.has_record(member) => "known",
        _ => "newcomer",
    }
}

/// How far its word is believed in each kind of work that it did, 0..=1, with the name of the kind.
pub fn fidelities(reputation: &Reputation, record: &ExportedRecord) -> Vec<(String, f64)> {
    let Some(member) = reputation.member(&record.provider) else { return Vec::new() };
    let classes = record.classes.iter();
    classes.map(|(class, _)| (class.name().to_owned(), reputation.fidelity(member, class))).collect()
}

/// Seconds since 1970: records fade with time.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
