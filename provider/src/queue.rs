//! Waiting jobs: bounded, and fair between askers by the work that they cause.
//!
//! Every asker has a line of its own. The next job comes from the asker with the least work done so far. A new asker
//! starts with as much as the asker that is served now. So large jobs wait for small ones, however many keys sent more. A
//! full queue drops the job that would run last if the new one would run earlier: no asker can fill the queue for the
//! others. Keys cost nothing, so a thousand keys could; therefore guests, of whom nothing is known, do not get all places.
//!
//! Work is counted in tokens: those read and at most written, until the actual number is known.

use std::collections::{HashMap, VecDeque};

use nostr::PublicKey;

/// Askers whose work is remembered while they have no line.
const MOST_REMEMBERED: usize = 4_096;

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    lines: HashMap<PublicKey, Line<T>>,
    /// The work that askers have had, those without a line included.
    had: HashMap<PublicKey, u64>,
    /// Work of the asker that was served last. A new asker starts with as much.
    now: u64,
    arrivals: u64,
    length: usize,
    limit: usize,
    /// Jobs of guests that wait, and most of them.
    guests: usize,
    most_guests: usize,
}

#[derive(Debug)]
struct Line<T> {
    jobs: VecDeque<Waiting<T>>,
    /// Work of all of them.
    work: u64,
    /// Which of two that had as much comes first.
    arrival: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    work: u64,
    guest: bool,
    item: T,
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
    /// With so many places, of which guests get all but those that are `reserved`.
    pub(crate) fn new(limit: usize, reserved: usize) -> Self {
        Self {
            lines: HashMap::new(),
            had: HashMap::new(),
            now: 0,
            arrivals: 0,
            length: 0,
            limit,
            guests: 0,
            most_guests: limit.saturating_sub(reserved),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.lines.values().flat_map(|line| &line.jobs).map(|waiting| &waiting.item)
    }

    /// Takes in a job that causes so much work, of a guest or of somebody of whom something is known.
    pub(crate) fn push(&mut self, asker: PublicKey, work: u64, guest: bool, item: T) -> Pushed<T> {
        // Then only another guest's place will do.
        let by_guests = guest && self.guests >= self.most_guests;
        if self.length < self.limit && !by_guests {
            self.append(asker, Waiting { work, guest, item });
            return Pushed::Waiting;
        }
        let gives_way = |waiting: &Waiting<T>| waiting.guest || !by_guests;
        let waiting = self.lines.get(&asker).map_or(0, |line| line.work);
        let own = self.had_by(&asker).saturating_add(waiting).saturating_add(work);
        let others =
            self.lines.iter().filter(|(key, line)| **key != asker && line.jobs.iter().any(gives_way));
        let last =
            others.map(|(key, line)| (self.had_by(key).saturating_add(line.work), line.arrival, *key)).max();
        let Some((_, _, other)) = last.filter(|(end, _, _)| *end > own) else { return Pushed::Full(item) };
        let displaced = self.take(&other, |line| line.jobs.iter().rposition(gives_way).unwrap_or(0));
        self.append(asker, Waiting { work, guest, item });
        displaced.map_or(Pushed::Waiting, Pushed::Displaced)
    }

    /// The next job of those askers, and the work that it causes.
    pub(crate) fn pop_of(&mut self, may: impl Fn(&PublicKey, u64) -> bool) -> Option<(u64, T)> {
        let next = |(key, line): &(&PublicKey, &Line<T>)| (self.had_by(key), line.arrival);
        let first = |line: &Line<T>| line.jobs.front().map_or(0, |waiting| waiting.work);
        let lines = self.lines.iter().filter(|(key, line)| may(key, first(line)));
        let asker = *lines.min_by_key(next)?.0;
        let work = first(self.lines.get(&asker)?);
        self.now = self.had_by(&asker);
        let item = self.take(&asker, |_| 0)?;
        self.charge(asker, self.now.saturating_add(work));
        Some((work, item))
    }

    /// A job that was taken from here has caused other work than was expected.
    pub(crate) fn caused(&mut self, asker: PublicKey, expected: u64, work: u64) {
        if let Some(had) = self.had.get_mut(&asker) {
            *had = had.saturating_sub(expected).saturating_add(work);
        }
    }

    /// Takes one job of `asker` out of its line.
    pub(crate) fn remove(&mut self, asker: &PublicKey, matches: impl Fn(&T) -> bool) -> Option<T> {
        let at = self.lines.get(asker)?.jobs.iter().position(|waiting| matches(&waiting.item))?;
        self.take(asker, |_| at)
    }

    /// Takes everything, by turns.
    pub(crate) fn drain(&mut self) -> Vec<T> {
        std::iter::from_fn(|| self.pop_of(|_, _| true)).map(|(_, item)| item).collect()
    }

    fn append(&mut self, asker: PublicKey, waiting: Waiting<T>) {
        self.arrivals += 1;
        self.guests += usize::from(waiting.guest);
        let empty = Line { jobs: VecDeque::new(), work: 0, arrival: self.arrivals };
        let line = self.lines.entry(asker).or_insert(empty);
        line.work = line.work.saturating_add(waiting.work);
        line.jobs.push_back(waiting);
        self.length += 1;
    }

    fn take(&mut self, asker: &PublicKey, at: impl Fn(&Line<T>) -> usize) -> Option<T> {
        let line = self.lines.get_mut(asker)?;
        let Waiting { work, guest, item } = line.jobs.remove(at(line))?;
        line.work = line.work.saturating_sub(work);
        if line.jobs.is_empty() {
            self.lines.remove(asker);
        }
        self.length -= 1;
        self.guests -= usize::from(guest);
        Some(item)
    }

    fn had_by(&self, asker: &PublicKey) -> u64 {
        self.had.get(asker).map_or(self.now, |had| (*had).max(self.now))
    }

    fn charge(&mut self, asker: PublicKey, had: u64) {
        if self.had.len() >= MOST_REMEMBERED {
            // An asker that has had no more than the one served now counts as new.
            self.had.retain(|_, had| *had > self.now);
        }
        // Thousands of keys at once are one flood under many names.
        if self.had.len() >= MOST_REMEMBERED {
            self.had.clear();
        }
        self.had.insert(asker, had);
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

    fn pop<T>(queue: &mut FairQueue<T>) -> Option<T> {
        queue.pop_of(|_, _| true).map(|(_, item)| item)
    }

    #[test]
    fn askers_share_by_work_and_not_by_jobs() {
        let [hog, modest] = keys();
        let mut queue = FairQueue::new(200, 0);
        queue.push(hog, 1_000, true, "hog");
        assert_eq!(pop(&mut queue), Some("hog"));
        for _ in 0..50 {
            queue.push(modest, 10, true, "modest");
            queue.push(hog, 1_000, true, "hog");
        }
        // The hog has had as much as a hundred of the others' jobs.
        assert!((0..50).all(|_| pop(&mut queue) == Some("modest")));
        assert_eq!(pop(&mut queue), Some("hog"));
    }

    #[test]
    fn who_comes_back_with_an_empty_line_has_had_what_it_had() {
        let [hog, modest] = keys();
        let mut queue = FairQueue::new(200, 0);
        for _ in 0..3 {
            queue.push(hog, 1_000, true, "hog");
            pop(&mut queue);
        }
        queue.push(hog, 1_000, true, "hog");
        queue.push(modest, 10, true, "modest");
        assert_eq!(pop(&mut queue), Some("modest"), "it came later");
        queue.push(modest, 10, true, "modest");
        assert_eq!(pop(&mut queue), Some("modest"));
        // Most of what was feared was not written.
        queue.caused(hog, 1_000, 5);
        queue.push(modest, 10, true, "modest");
        assert_eq!(pop(&mut queue), Some("hog"));
    }

    #[test]
    fn a_full_queue_of_single_jobs_gives_way_to_a_smaller_one() {
        let [late, later, large] = keys();
        let mut queue = FairQueue::new(50, 0);
        for number in 0..50 {
            queue.push(Keys::generate().public_key(), 500, true, number);
        }
        assert!(matches!(queue.push(late, 20, true, 100), Pushed::Displaced(_)));
        assert_eq!(queue.push(large, 500, true, 101), Pushed::Full(101));
        assert_eq!(pop(&mut queue).map(|job| job < 50), Some(true), "it came before");
        assert!(matches!(queue.push(later, 20, true, 102), Pushed::Waiting));
    }

    #[test]
    fn a_single_job_waits_for_one_turn_of_a_thousand_jobs() {
        let [greedy, modest] = keys();
        let mut queue = FairQueue::new(2000, 0);
        for n in 0..1000 {
            queue.push(greedy, 1, true, n);
        }
        queue.push(modest, 1, true, 5000);
        assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], [Some(0), Some(5000), Some(1)]);
    }

    #[test]
    fn a_full_queue_gives_way_at_the_end_of_the_longest_line() {
        let [greedy, modest, late] = keys();
        let mut queue = FairQueue::new(4, 0);
        for n in 0..4 {
            assert_eq!(queue.push(greedy, 1, true, n), Pushed::Waiting);
        }
        assert_eq!(queue.push(greedy, 1, true, 4), Pushed::Full(4));
        assert_eq!(queue.push(modest, 1, true, 10), Pushed::Displaced(3));
        assert_eq!(queue.push(modest, 1, true, 11), Pushed::Displaced(2));
        assert_eq!(queue.push(modest, 1, true, 12), Pushed::Full(12));
        // Both lines have two jobs now; either may give way.
        assert!(matches!(queue.push(late, 1, true, 20), Pushed::Displaced(1 | 11)));
        assert_eq!(queue.len(), 4);
    }

    #[test]
    fn guests_do_not_fill_the_places_that_are_not_for_them() {
        let [payer, other] = keys();
        let mut queue = FairQueue::new(10, 2);
        let mut come = |work| queue.push(Keys::generate().public_key(), work, true, "guest");
        assert!((0..8).all(|_| come(10) == Pushed::Waiting));
        assert_eq!(come(10), Pushed::Full("guest"));
        assert_eq!(come(5), Pushed::Displaced("guest"), "guests give way to each other");
        for _ in 0..2 {
            assert_eq!(queue.push(payer, 1_000, false, "payer"), Pushed::Waiting, "however large it is");
        }
        assert_eq!(queue.push(Keys::generate().public_key(), 1, true, "guest"), Pushed::Displaced("guest"));
        assert_eq!(
            queue.push(payer, 1_000, false, "more"),
            Pushed::Full("more"),
            "then it is work that counts"
        );
        assert_eq!(queue.push(other, 10, false, "other"), Pushed::Displaced("payer"));
    }

    #[test]
    fn a_removed_job_leaves_no_empty_turn() {
        let [one, other] = keys();
        let mut queue = FairQueue::new(8, 0);
        queue.push(one, 1, true, 1);
        queue.push(other, 1, true, 2);
        assert_eq!(queue.remove(&other, |item| *item == 1), None);
        assert_eq!(queue.remove(&one, |item| *item == 1), Some(1));
        assert_eq!(queue.drain(), [2]);
        assert_eq!((queue.len(), pop(&mut queue)), (0, None));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_limit_holds(steps in proptest::collection::vec((0..4_usize, 0..1_000_u64, any::<bool>(), any::<bool>()), 0..200)) {
            let askers: [PublicKey; 4] = keys();
            let mut queue = FairQueue::new(16, 4);
            let (mut pushed, mut out) = (0_usize, Vec::new());
            for (asker, work, push, guest) in steps {
                if push {
                    match queue.push(askers[asker], work, guest, pushed) {
                        Pushed::Waiting => {}
                        Pushed::Displaced(item) | Pushed::Full(item) => out.push(item),
                    }
                    pushed += 1;
                } else {
                    out.extend(pop(&mut queue));
                }
                prop_assert!(queue.len() <= 16 && queue.guests <= 12);
                prop_assert_eq!(queue.iter().count(), queue.len());
            }
            out.extend(queue.drain());
            out.sort_unstable();
            prop_assert_eq!(out, (0..pushed).collect::<Vec<_>>());
        }
    }
}
