//! What relays and unknown keys send besides answers: counted, named if that helps, and limited in number.

use super::journal::Journal;
use std::collections::HashMap;
use std::sync::Arc;

use frlm_protocol::one_line;

use crate::swarm::ProviderId;
use crate::trace::{RunStage, TraceEvent};

/// The most events without effect (strays) that are recorded.
const MOST_STRAYS: usize = 1_000;
/// The most providers that are named although they cannot be asked.
const MOST_UNUSABLE: usize = 8;
/// Consecutive failed or outrun jobs after which a provider is excluded from the run. An answer resets the count.
const MOST_FAILURES: u32 = 6;
/// Complaints of relays that are kept.
const MOST_COMPLAINTS: usize = 8;

/// What was heard so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    strays: usize,
    unusable: usize,
    /// Relays have not sent all providers that they know.
    pub looking: bool,
    /// What relays refuse to take or to answer, in their words, each once, with the relay's name.
    complaints: Vec<String>,
    /// How many jobs each provider has given up, or left to a quicker one, since its last answer. A provider that answers now
    /// and then is worth asking.
    failures: HashMap<ProviderId, u32>,
}

impl Heard {
    /// Whether a provider that has given up one more job, or left it to somebody quicker, does so with all of them.
    pub fn fails_always(&mut self, provider: &ProviderId) -> bool {
        let failures = self.failures.entry(Arc::clone(provider)).or_default();
        *failures += 1;
        *failures == MOST_FAILURES
    }

    /// A provider has answered.
    pub fn answered(&mut self, provider: &ProviderId) {
        self.failures.remove(provider);
    }

    /// A relay's complaint, if it is news.
    pub fn complaint(&mut self, relay: &str, words: &str) -> Option<&str> {
        let complaint = format!("relay {relay} says: {}", one_line(words));
        if self.complaints.len() >= MOST_COMPLAINTS || self.complaints.contains(&complaint) {
            return None;
        }
        self.complaints.push(complaint);
        self.complaints.last().map(String::as_str)
    }

    /// Why the run cannot begin, with what relays say: it may be the cause.
    pub fn with_complaints(&self, reason: String) -> String {
        if self.complaints.is_empty() { reason } else { format!("{reason} ({})", self.complaints.join("; ")) }
    }
}

impl Heard {
    /// Says that somebody is there who cannot be asked. Only the first are named: keys cost nothing.
    pub fn cannot_ask(&mut self, journal: &mut Journal, why: &str) {
        self.unusable += 1;
        if self.unusable <= MOST_UNUSABLE {
            journal.notice(RunStage::Discover, why);
        }
    }

    /// Notes what does not count. Anyone who sees the run's key can send more of it than a journal
    /// should hold, so only the first are recorded.
    pub fn stray(&mut self, journal: &mut Journal, what: String) {
        self.strays += 1;
        if self.strays <= MOST_STRAYS {
            journal.emit(TraceEvent::Stray { what });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_abandons_every_job_is_left_alone_unlike_a_mixed_one() {
        let (mut heard, provider) = (Heard::default(), ProviderId::from("p"));
        assert_eq!((0..10).filter(|_| heard.fails_always(&provider)).count(), 1, "it is said once");
        heard.answered(&provider);
        for _ in 0..50 {
            assert!((0..5).all(|_| !heard.fails_always(&provider)));
            heard.answered(&provider);
        }
    }

    #[test]
    fn a_relay_is_quoted_once_for_each_thing_that_it_says_and_not_without_end() {
        let mut heard = Heard::default();
        assert_eq!(heard.with_complaints("nobody".to_owned()), "nobody");
        assert_eq!(heard.complaint("ws://a", "no"), Some("relay ws://a says: no"));
        assert_eq!(heard.complaint("ws://a", "no"), None);
        for number in 0..20 {
            heard.complaint("ws://a", &number.to_string());
        }
        let told = heard.with_complaints("nobody".to_owned());
        assert!(told.starts_with("nobody (relay ws://a says: no; ") && told.len() < 400, "{told}");
    }
}
