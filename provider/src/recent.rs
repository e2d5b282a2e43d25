//! What is remembered of the latest jobs: so many, and then the oldest one is forgotten for each that comes.

use std::collections::{BTreeMap, HashMap};

use nostr::EventId;

/// A bounded memory of jobs.
#[derive(Debug)]
pub(crate) struct Recent<V> {
    most: usize,
    /// The number of the next one.
    next: u64,
    by_age: BTreeMap<u64, EventId>,
    jobs: HashMap<EventId, (u64, V)>,
}

impl<V> Recent<V> {
    /// Of so many jobs at most.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, next: 0, by_age: BTreeMap::new(), jobs: HashMap::new() }
    }

    /// A job that is remembered already is the latest one again.
    pub(crate) fn remember(&mut self, job: EventId, value: V) {
        self.forget(&job);
        if self.jobs.len() >= self.most
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.jobs.remove(&oldest);
        }
        self.by_age.insert(self.next, job);
        self.jobs.insert(job, (self.next, value));
        self.next += 1;
    }

    pub(crate) fn get(&self, job: &EventId) -> Option<&V> {
        self.jobs.get(job).map(|(_, value)| value)
    }

    pub(crate) fn forget(&mut self, job: &EventId) -> Option<V> {
        let (age, value) = self.jobs.remove(job)?;
        self.by_age.remove(&age);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(number: u8) -> EventId {
        EventId::from_byte_array([number; 32])
    }

    #[test]
    fn the_oldest_is_forgotten_for_each_that_comes_and_no_other() {
        let mut recent = Recent::of(3);
        for number in 0..3 {
            recent.remember(job(number), number);
        }
        // Heard of again: it is not the oldest any more.
        recent.remember(job(0), 10);
        recent.remember(job(3), 3);
        let known: Vec<Option<u8>> = (0..4).map(|number| recent.get(&job(number)).copied()).collect();
        assert_eq!(known, [Some(10), None, Some(2), Some(3)]);
    }

    #[test]
    fn what_is_forgotten_makes_room() {
        let mut recent = Recent::of(2);
        for number in 0..100 {
            recent.remember(job(number), ());
            assert_eq!(recent.forget(&job(number)), Some(()));
            assert_eq!(recent.forget(&job(number)), None);
        }
        recent.remember(job(1), ());
        recent.remember(job(2), ());
        assert!(recent.get(&job(1)).is_some() && recent.get(&job(2)).is_some());
        assert_eq!((recent.by_age.len(), recent.jobs.len()), (2, 2), "nothing else is kept");
    }
}
