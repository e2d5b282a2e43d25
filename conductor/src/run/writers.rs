//! How much a writer can read at once. The plan divides notes that are more than that
//! ([`frlm_questions::plan::Contexts`]).

use frlm_questions::plan::{Contexts, Skill, context_of_key};

use super::RunSetup;
use super::peers::Peers;

/// How much a writer is assumed to read and write at once before a provider was seen: as much as most general models that
/// people run at home.
const ASSUMED_TOKENS: usize = 8_192;

/// How much those who may write read at once.
pub(super) fn contexts_of_writers(peers: &Peers, setup: &RunSetup) -> Contexts {
    let words = Skill::Words as u8;
    let enough = setup.policy.verification.first_replicas() as usize;
    if let Some(here) = peers.contexts(words, enough) {
        return here;
    }
    // A run that goes on plans before it has seen anybody: as it did before it was stopped, for what was verified then
    // counts only where the same notes are read together.
    let before = setup.known.outcomes.keys().filter_map(|key| context_of_key(key)).max();
    let own =
        setup.candidates.fallback.as_ref().filter(|own| Skill::of_dialect(own.dialect) & words == words);
    Contexts::same(before.or(own.map(|own| own.context_tokens)).unwrap_or(ASSUMED_TOKENS))
}
