//! A set of ids, or of keys, that forgets the oldest: two generations, the older one dropped when the
//! younger is full. It remembers at least `capacity` and at most twice as many.

use std::collections::HashSet;
use std::hash::Hash;

#[derive(Debug)]
pub(crate) struct Seen<T> {
    young: HashSet<T>,
    old: HashSet<T>,
    capacity: usize,
}

impl<T: Eq + Hash> Seen<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { young: HashSet::new(), old: HashSet::new(), capacity: capacity.max(1) }
    }

    pub(crate) fn contains(&self, id: &T) -> bool {
        self.young.contains(id) || self.old.contains(id)
    }

    pub(crate) fn insert(&mut self, id: T) {
        if self.young.len() >= self.capacity {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(id);
    }

    pub(crate) fn remove(&mut self, id: &T) {
        self.young.remove(id);
        self.old.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use nostr::EventId;

    use super::*;

    fn id(number: u16) -> EventId {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        EventId::from_byte_array(bytes)
    }

    #[test]
    fn the_latest_ids_are_remembered_and_memory_is_bounded() {
        let mut seen = Seen::new(100);
        for number in 0..1000 {
            seen.insert(id(number));
        }
        assert!((900..1000).all(|number| seen.contains(&id(number))));
        assert!(!seen.contains(&id(0)));
        assert!(seen.young.len() + seen.old.len() <= 200);
    }
}
