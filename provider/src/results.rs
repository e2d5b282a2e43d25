//! Results that were sent, kept to be sent again.
//!
//! A relay that lost its memory, or an asker that was away, asks by sending the same job again; then
//! the very same event is the answer, at no cost. Bounded by count and by bytes, oldest first out.

use std::collections::{HashMap, VecDeque};

use nostr::{Event, EventId, PublicKey, Timestamp};

/// An answered job's event and the moment after which nobody waits for it.
#[derive(Debug, Clone)]
pub(crate) struct SentResult {
    pub(crate) event: Event,
    pub(crate) wanted_until: Timestamp,
    /// Whether its asker has said what became of it.
    pub(crate) judged: bool,
}

impl SentResult {
    /// A result that nobody has judged.
    pub(crate) fn new(event: Event, wanted_until: Timestamp) -> Self {
        Self { event, wanted_until, judged: false }
    }
}

#[derive(Debug)]
pub(crate) struct SentResults {
    by_job: HashMap<EventId, SentResult>,
    oldest_first: VecDeque<EventId>,
    bytes: usize,
    max_count: usize,
    max_bytes: usize,
}

impl SentResults {
    pub(crate) fn new(max_count: usize, max_bytes: usize) -> Self {
        Self { by_job: HashMap::new(), oldest_first: VecDeque::new(), bytes: 0, max_count, max_bytes }
    }

    pub(crate) fn get(&self, job: &EventId) -> Option<&SentResult> {
        self.by_job.get(job)
    }

    /// Takes the asker's verdict about a job; `false` if no result of ours is for this key, or it has its verdict.
    pub(crate) fn judge(&mut self, job: &EventId, asker: &PublicKey) -> bool {
        let Some(result) = self.by_job.get_mut(job) else { return false };
        let is_for = result.event.tags.public_keys().any(|key| key == asker);
        is_for && !std::mem::replace(&mut result.judged, true)
    }

    /// Newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = (EventId, &SentResult)> {
        self.oldest_first.iter().rev().filter_map(|job| Some((*job, self.by_job.get(job)?)))
    }

    pub(crate) fn insert(&mut self, job: EventId, result: SentResult) {
        self.bytes += size(&result);
        if let Some(replaced) = self.by_job.insert(job, result) {
            self.bytes -= size(&replaced);
        } else {
            self.oldest_first.push_back(job);
        }
        while self.by_job.len() > self.max_count || self.bytes > self.max_bytes {
            let Some(oldest) = self.oldest_first.pop_front() else { break };
            if let Some(dropped) = self.by_job.remove(&oldest) {
                self.bytes -= size(&dropped);
            }
        }
    }
}

fn size(result: &SentResult) -> usize {
    let tags: usize = result.event.tags.iter().flat_map(nostr::Tag::as_slice).map(String::len).sum();
    result.event.content.len() + tags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::NOW;
    use nostr::{EventBuilder, Keys, Kind};

    fn result(content: &str) -> SentResult {
        let event = EventBuilder::new(Kind::Custom(6050), content).sign_with_keys(&Keys::generate()).unwrap();
        SentResult::new(event, NOW)
    }

    fn job(n: u8) -> EventId {
        EventId::from_byte_array([n; 32])
    }

    #[test]
    fn the_oldest_results_make_room() {
        let mut sent = SentResults::new(2, 1000);
        for n in 1..=3 {
            sent.insert(job(n), result("answer"));
        }
        assert!(sent.get(&job(1)).is_none());
        assert!(sent.get(&job(2)).is_some() && sent.get(&job(3)).is_some());
    }

    #[test]
    fn large_results_count_by_their_bytes() {
        let mut sent = SentResults::new(100, 1000);
        sent.insert(job(1), result(&"x".repeat(600)));
        sent.insert(job(1), result(&"y".repeat(600)));
        assert!(sent.get(&job(1)).is_some());
        sent.insert(job(2), result(&"z".repeat(600)));
        assert!(sent.get(&job(1)).is_none() && sent.get(&job(2)).is_some());
        assert_eq!(sent.bytes, 600);
    }
}
