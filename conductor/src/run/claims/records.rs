//! What is known of those who read and review, and what this run saw of them: pure.
//!
//! What it saw is kept one by one until it is written to the home, where another run may have written meanwhile.

use std::collections::{BTreeMap, HashMap, VecDeque};

use frlm_verifier::claims::{ClaimRecord, Observation};

use crate::swarm::ProviderId;

/// Of one provider so many observations wait to be written; records remember fewer claims.
const MOST_KEPT: usize = 1_200;

/// Records by provider.
#[derive(Debug, Default)]
pub(super) struct Records {
    known: HashMap<ProviderId, ClaimRecord>,
    /// Not written yet.
    seen: BTreeMap<ProviderId, VecDeque<Observation>>,
}

impl Records {
    /// Takes in what earlier runs knew; what this run has seen already counts on top.
    pub fn recall(&mut self, known: HashMap<String, ClaimRecord>) {
        for (name, mut record) in known {
            let id = ProviderId::from(name.as_str());
            for seen in self.seen.get(&id).into_iter().flatten() {
                record.observe(*seen);
            }
            self.known.insert(id, record);
        }
    }

    /// Of one provider; of a stranger an empty one.
    pub fn of(&self, id: &str) -> ClaimRecord {
        self.known.get(id).copied().unwrap_or_default()
    }

    /// Something was seen of a provider.
    pub fn observe(&mut self, id: &ProviderId, seen: Observation) {
        self.known.entry(id.clone()).or_default().observe(seen);
        let waiting = self.seen.entry(id.clone()).or_default();
        if waiting.len() == MOST_KEPT {
            waiting.pop_front();
        }
        waiting.push_back(seen);
    }

    /// What is to be written; it is not kept here.
    pub fn take_seen(&mut self) -> Vec<(ProviderId, Vec<Observation>)> {
        std::mem::take(&mut self.seen).into_iter().map(|(id, seen)| (id, seen.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: Observation = Observation::Claim { p_false: 0.0 };

    #[test]
    fn what_earlier_runs_knew_and_what_this_one_saw_count_together() {
        let mut records = Records::default();
        records.observe(&"a".into(), TRUE);
        let mut earlier = ClaimRecord::default();
        (0..20).for_each(|_| earlier.observe(TRUE));
        records.recall(HashMap::from([("a".to_owned(), earlier)]));
        assert!((records.of("a").reader().claims() - 21.0).abs() < 1e-9);
        assert!(records.of("b").reader().claims() < 1e-9);
        let seen = records.take_seen();
        assert_eq!(seen, [(ProviderId::from("a"), vec![TRUE])], "what was recalled is not written twice");
        assert!(records.take_seen().is_empty());
    }

    #[test]
    fn what_waits_to_be_written_is_bounded() {
        let mut records = Records::default();
        (0..2 * MOST_KEPT).for_each(|_| records.observe(&"a".into(), TRUE));
        assert_eq!(records.take_seen()[0].1.len(), MOST_KEPT);
    }
}
