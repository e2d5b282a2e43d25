//! What relays and strangers say beside the work: counted, named where it helps, and bounded.

use frlm_protocol::one_line;

/// Things that came and did not count, that are recorded.
const MOST_STRAYS: usize = 1_000;
/// Providers that are named although they cannot be asked.
const MOST_UNUSABLE: usize = 8;
/// Complaints of relays that are kept.
const MOST_COMPLAINTS: usize = 8;

/// What was heard so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    strays: usize,
    unusable: usize,
    /// Relays have not sent all providers that they know.
    pub looking: bool,
    /// What relays say that they do not take or answer, each once, with the relay's name.
    complaints: Vec<String>,
}

impl Heard {
    /// Whether one more stray is worth recording.
    pub fn is_stray_worth_recording(&mut self) -> bool {
        self.strays += 1;
        self.strays <= MOST_STRAYS
    }

    /// Whether one more provider that cannot be asked is worth naming: keys cost nothing.
    pub fn is_unusable_worth_naming(&mut self) -> bool {
        self.unusable += 1;
        self.unusable <= MOST_UNUSABLE
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

#[cfg(test)]
mod tests {
    use super::*;

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
