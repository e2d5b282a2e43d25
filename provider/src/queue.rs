//! Waiting jobs: bounded, and fair between askers.
//!
//! Every asker has a line of its own and the lines take turns, so an asker with 1,000 jobs delays
//! another's single job by one turn. When all places are taken, a newcomer gets the last place of
//! the longest line, as long as that line stays the longer one: no asker can fill the queue for
//! the others.

use std::collections::{HashMap, VecDeque};

use nostr::PublicKey;

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    lines: HashMap<PublicKey, VecDeque<T>>,
    /// Askers with a line, next turn first.
    turns: VecDeque<PublicKey>,
    length: usize,
    limit: usize,
}

/// What became of a job that came to the queue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pushed<T> {
    /// It waits.
    Waiting,
    /// It waits in the place of this one.
    Displaced(T),
    /// There is no place; here it is again.
    Full(T),
}

impl<T> FairQueue<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { lines: HashMap::new(), turns: VecDeque::new(), length: 0, limit }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.lines.values().flatten()
    }

    pub(crate) fn push(&mut self, asker: PublicKey, item: T) -> Pushed<T> {
        if self.length < self.limit {
            self.append(asker, item);
            return Pushed::Waiting;
        }
        let own = self.lines.get(&asker).map_or(0, VecDeque::len);
        let longest =
            self.lines.iter().max_by_key(|(_, line)| line.len()).map(|(key, line)| (*key, line.len()));
        match longest {
            Some((other, length)) if length >= own + 2 => {
                let displaced = self.lines.get_mut(&other).and_then(VecDeque::pop_back);
                self.length -= 1;
                self.append(asker, item);
                displaced.map_or(Pushed::Waiting, Pushed::Displaced)
            }
            _ => Pushed::Full(item),
        }
    }

    /// The next job, by turns.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let asker = self.turns.pop_front()?;
        let line = self.lines.get_mut(&asker)?;
        let item = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&asker);
        } else {
            self.turns.push_back(asker);
        }
        self.length -= usize::from(item.is_some());
        item
    }

    /// Takes one job of `asker` out of its line.
    pub(crate) fn remove(&mut self, asker: &PublicKey, matches: impl Fn(&T) -> bool) -> Option<T> {
        let line = self.lines.get_mut(asker)?;
        let at = line.iter().position(matches)?;
        let item = line.remove(at);
        if line.is_empty() {
            self.lines.remove(asker);
            self.turns.retain(|key| key != asker);
        }
        self.length -= usize::from(item.is_some());
        item
    }

    /// Takes everything, by turns.
    pub(crate) fn drain(&mut self) -> Vec<T> {
        std::iter::from_fn(|| self.pop()).collect()
    }

    fn append(&mut self, asker: PublicKey, item: T) {
        let line = self.lines.entry(asker).or_default();
        if line.is_empty() {
            self.turns.push_back(asker);
        }
        line.push_back(item);
        self.length += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nostr::Keys;
    use proptest::prelude::*;

    fn keys<const N: usize>() -> [PublicKey; N] {
        std::array::from_fn(|_| Keys::generate().public_key())
    }

    #[test]
    fn a_single_job_waits_for_one_turn_of_a_thousand_jobs() {
        let [greedy, modest] = keys();
        let mut queue = FairQueue::new(2000);
        for n in 0..1000 {
            queue.push(greedy, n);
        }
        queue.push(modest, 5000);
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(0), Some(5000), Some(1)]);
    }

    #[test]
    fn a_full_queue_gives_way_at_the_end_of_the_longest_line() {
        let [greedy, modest, late] = keys();
        let mut queue = FairQueue::new(4);
        for n in 0..4 {
            assert_eq!(queue.push(greedy, n), Pushed::Waiting);
        }
        assert_eq!(queue.push(greedy, 4), Pushed::Full(4));
        assert_eq!(queue.push(modest, 10), Pushed::Displaced(3));
        assert_eq!(queue.push(modest, 11), Pushed::Displaced(2));
        assert_eq!(queue.push(modest, 12), Pushed::Full(12));
        // Both lines have two jobs now; either may give way.
        assert!(matches!(queue.push(late, 20), Pushed::Displaced(1 | 11)));
        assert_eq!(queue.len(), 4);
    }

    #[test]
    fn a_removed_job_leaves_no_empty_turn() {
        let [one, other] = keys();
        let mut queue = FairQueue::new(8);
        queue.push(one, 1);
        queue.push(other, 2);
        assert_eq!(queue.remove(&other, |item| *item == 1), None);
        assert_eq!(queue.remove(&one, |item| *item == 1), Some(1));
        assert_eq!(queue.drain(), [2]);
        assert_eq!((queue.len(), queue.pop()), (0, None));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_limit_holds(steps in proptest::collection::vec((0..4_usize, any::<bool>()), 0..200)) {
            let askers: [PublicKey; 4] = keys();
            let mut queue = FairQueue::new(16);
            let (mut pushed, mut out) = (0_usize, Vec::new());
            for (asker, push) in steps {
                if push {
                    match queue.push(askers[asker], pushed) {
                        Pushed::Waiting => {}
                        Pushed::Displaced(item) | Pushed::Full(item) => out.push(item),
                    }
                    pushed += 1;
                } else {
                    out.extend(queue.pop());
                }
                prop_assert!(queue.len() <= 16);
                prop_assert_eq!(queue.iter().count(), queue.len());
            }
            out.extend(queue.drain());
            out.sort_unstable();
            prop_assert_eq!(out, (0..pushed).collect::<Vec<_>>());
        }
    }
}
