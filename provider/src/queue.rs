//! Waiting jobs: bounded, and fair between askers by the work that they cause.
//!
//! Every asker has a line of its own. The next job comes from the asker with the least work done so far. A new asker
//! starts with as much as the asker that is served now. So large jobs wait for small ones, however many keys sent more. A
//! full queue drops the job that would run last if the new one would run earlier: no asker can fill the queue for the
//! others. Keys cost nothing, so a thousand keys could. Therefore a job for which anything speaks ([`Rank`]), such as its pay, goes
//! before the others and takes their places, and askers that have not paid before do not get all places. Jobs without pay keep one
//! token of [`PER_GUEST_TOKEN`].
//!
//! Work is counted in tokens: those read and at most written, until the actual number is known.

use std::collections::{HashMap, VecDeque};

use nostr::PublicKey;

/// Askers whose work is remembered while they have no line.
const MOST_REMEMBERED: usize = 4_096;
/// While jobs that are paid wait, those that are not get one token of so many.
const PER_GUEST_TOKEN: u64 = 8;

/// What speaks for a job, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Nothing: keys cost nothing.
    Guest,
    /// Its key has shown proof of work, or is vouched for.
    Shown,
    /// Its pay came with it.
    Paying,
    /// Its asker has paid for earlier jobs.
    Payer,
}

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    lines: HashMap<PublicKey, Line<T>>,
    /// The work that askers have had, those without a line included.
    had: HashMap<PublicKey, u64>,
    /// Work of the asker that was served last, of those whose jobs are paid and of guests. A new asker starts with as much.
    now: Now,
    /// Tokens that guests may have before the next job that is paid.
    due_to_guests: u64,
    arrivals: u64,
    length: usize,
    limit: usize,
    /// Jobs of guests that wait.
    guests: usize,
    /// Jobs that wait of askers who have not paid before, guests among them, and most of them.
    without_record: usize,
    most_without_record: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Now {
    paying: u64,
    guests: u64,
}

impl Now {
    fn of(self, rank: Rank) -> u64 {
        if rank == Rank::Guest { self.guests } else { self.paying }
    }

    fn set(&mut self, rank: Rank, had: u64) {
        *(if rank == Rank::Guest { &mut self.guests } else { &mut self.paying }) = had;
    }
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
    rank: Rank,
    item: T,
}

impl<T> Line<T> {
    /// Work and rank of its next job.
    fn first(&self) -> (u64, Rank) {
        self.jobs.front().map_or((0, Rank::Guest), |waiting| (waiting.work, waiting.rank))
    }
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

/// A place for a job.
enum Place {
    Free,
    /// The last job of this asker that gives way has it.
    Taken(PublicKey),
}

impl<T> FairQueue<T> {
    /// With so many places, some of them reserved for askers that have paid before.
    pub(crate) fn new(limit: usize, reserved: usize) -> Self {
        Self {
            lines: HashMap::new(),
            had: HashMap::new(),
            now: Now::default(),
            due_to_guests: 0,
            arrivals: 0,
            length: 0,
            limit,
            guests: 0,
            without_record: 0,
            most_without_record: limit.saturating_sub(reserved),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// How many askers have jobs that wait.
    pub(crate) fn askers(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.lines.values().flat_map(|line| &line.jobs).map(|waiting| &waiting.item)
    }

    /// Takes in a job that causes so much work.
    pub(crate) fn push(&mut self, asker: PublicKey, work: u64, rank: Rank, item: T) -> Pushed<T> {
        let displaced = match self.place_of(&asker, work, rank) {
            None => return Pushed::Full(item),
            Some(Place::Free) => None,
            Some(Place::Taken(other)) => {
                let gives_way = self.giving_way_to(rank);
                self.take(&other, |line| line.jobs.iter().rposition(&gives_way).unwrap_or(0))
            }
        };
        self.append(asker, Waiting { work, rank, item });
        displaced.map_or(Pushed::Waiting, Pushed::Displaced)
    }

    /// Whether the smallest job of this asker would find a place. If it would not, no job of the asker does.
    pub(crate) fn has_place(&self, asker: &PublicKey, rank: Rank) -> bool {
        self.place_of(asker, 1, rank).is_some()
    }

    fn place_of(&self, asker: &PublicKey, work: u64, rank: Rank) -> Option<Place> {
        if self.length < self.limit && !self.is_among_too_many(rank) {
            return Some(Place::Free);
        }
        let over_guests = self.goes_over_guests(rank);
        let gives_way = self.giving_way_to(rank);
        let waiting = self.lines.get(asker).map_or(0, |line| line.work);
        let own = self.had_by(asker, rank).saturating_add(waiting).saturating_add(work);
        let others = self
            .lines
            .iter()
            .filter(|(key, line)| (*key != asker || over_guests) && line.jobs.iter().any(&gives_way));
        let end = |key: &PublicKey, line: &Line<T>| {
            let rank =
                line.jobs.iter().find(|waiting| gives_way(waiting)).map_or(rank, |waiting| waiting.rank);
            self.had_by(key, rank).saturating_add(line.work)
        };
        let last = others.map(|(key, line)| (end(key, line), line.arrival, *key)).max();
        last.filter(|(end, _, _)| over_guests || *end > own).map(|(_, _, other)| Place::Taken(other))
    }

    /// Whether only a place of another asker without record will do.
    fn is_among_too_many(&self, rank: Rank) -> bool {
        rank < Rank::Payer && self.without_record >= self.most_without_record
    }

    /// Whether a job takes a guest's place, however large it is.
    fn goes_over_guests(&self, rank: Rank) -> bool {
        rank > Rank::Guest && self.guests > 0
    }

    /// Which jobs give their places to one of this rank.
    fn giving_way_to(&self, rank: Rank) -> impl Fn(&Waiting<T>) -> bool + use<T> {
        let (over_guests, among_them) = (self.goes_over_guests(rank), self.is_among_too_many(rank));
        move |waiting| {
            if over_guests || rank == Rank::Guest {
                waiting.rank == Rank::Guest
            } else {
                (waiting.rank < Rank::Payer || !among_them) && (rank > Rank::Shown || waiting.rank <= rank)
            }
        }
    }

    /// The next of those jobs that may begin, and the work that it causes. Guests have their share while others wait, and no more than it
    /// while others are `busy` with the engine.
    pub(crate) fn pop_of(
        &mut self,
        busy: bool,
        may: impl Fn(&PublicKey, u64, Rank) -> bool,
    ) -> Option<(u64, T)> {
        let next = |guests: bool| {
            let of_them = |(key, line): &(&PublicKey, &Line<T>)| {
                let (work, rank) = line.first();
                (rank == Rank::Guest) == guests && may(key, work, rank)
            };
            let order =
                |(key, line): &(&PublicKey, &Line<T>)| (self.had_by(key, line.first().1), line.arrival);
            self.lines.iter().filter(of_them).min_by_key(order).map(|(key, line)| (*key, line.first()))
        };
        let (paying, guest) = (next(false), next(true));
        let waits = self.guests < self.length;
        let guest = guest.filter(|(_, (work, _))| !(waits || busy) || *work <= self.due_to_guests);
        let (asker, (work, rank)) = guest.or(paying)?;
        if rank == Rank::Guest {
            self.due_to_guests = self.due_to_guests.saturating_sub(work);
        } else {
            // What is due grows while somebody waits for it.
            let due = self.due_to_guests.saturating_add(work / PER_GUEST_TOKEN);
            self.due_to_guests = if self.guests > 0 { due } else { 0 };
        }
        let had = self.had_by(&asker, rank);
        self.now.set(rank, had);
        let item = self.take(&asker, |_| 0)?;
        self.charge(asker, had.saturating_add(work));
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
        std::iter::from_fn(|| self.pop_of(false, |_, _, _| true)).map(|(_, item)| item).collect()
    }

    fn append(&mut self, asker: PublicKey, waiting: Waiting<T>) {
        self.arrivals += 1;
        self.guests += usize::from(waiting.rank == Rank::Guest);
        self.without_record += usize::from(waiting.rank < Rank::Payer);
        let empty = Line { jobs: VecDeque::new(), work: 0, arrival: self.arrivals };
        let line = self.lines.entry(asker).or_insert(empty);
        line.work = line.work.saturating_add(waiting.work);
        // What is paid goes first in its asker's own line, too.
        let guests = line.jobs.iter().position(|other| other.rank == Rank::Guest);
        let at = guests.filter(|_| waiting.rank > Rank::Guest).unwrap_or(line.jobs.len());
        line.jobs.insert(at, waiting);
        self.length += 1;
    }

    fn take(&mut self, asker: &PublicKey, at: impl Fn(&Line<T>) -> usize) -> Option<T> {
        let line = self.lines.get_mut(asker)?;
        let Waiting { work, rank, item } = line.jobs.remove(at(line))?;
        line.work = line.work.saturating_sub(work);
        if line.jobs.is_empty() {
            self.lines.remove(asker);
        }
        self.length -= 1;
        self.guests -= usize::from(rank == Rank::Guest);
        self.without_record -= usize::from(rank < Rank::Payer);
        Some(item)
    }

    fn had_by(&self, asker: &PublicKey, rank: Rank) -> u64 {
        let now = self.now.of(rank);
        self.had.get(asker).map_or(now, |had| (*had).max(now))
    }

    fn charge(&mut self, asker: PublicKey, had: u64) {
        if self.had.len() >= MOST_REMEMBERED {
            // An asker that has had no more than the one served now counts as new.
            let now = self.now.guests.min(self.now.paying);
            self.had.retain(|_, had| *had > now);
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
    use super::Rank::{Guest, Payer, Paying};
    use super::*;
    use nostr::Keys;
    use proptest::prelude::*;

    fn keys<const N: usize>() -> [PublicKey; N] {
        std::array::from_fn(|_| Keys::generate().public_key())
    }

    fn pop<T>(queue: &mut FairQueue<T>) -> Option<T> {
        queue.pop_of(false, |_, _, _| true).map(|(_, item)| item)
    }

    #[test]
    fn askers_share_by_work_and_not_by_jobs() {
        let [hog, modest] = keys();
        let mut queue = FairQueue::new(200, 0);
        queue.push(hog, 1_000, Guest, "hog");
        assert_eq!(pop(&mut queue), Some("hog"));
        for _ in 0..50 {
            queue.push(modest, 10, Guest, "modest");
            queue.push(hog, 1_000, Guest, "hog");
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
            queue.push(hog, 1_000, Guest, "hog");
            pop(&mut queue);
        }
        queue.push(hog, 1_000, Guest, "hog");
        queue.push(modest, 10, Guest, "modest");
        assert_eq!(pop(&mut queue), Some("modest"), "it came later");
        queue.push(modest, 10, Guest, "modest");
        assert_eq!(pop(&mut queue), Some("modest"));
        // Most of what was feared was not written.
        queue.caused(hog, 1_000, 5);
        queue.push(modest, 10, Guest, "modest");
        assert_eq!(pop(&mut queue), Some("hog"));
    }

    #[test]
    fn a_full_queue_of_single_jobs_gives_way_to_a_smaller_one() {
        let [late, later, large] = keys();
        let mut queue = FairQueue::new(50, 0);
        for number in 0..50 {
            queue.push(Keys::generate().public_key(), 500, Guest, number);
        }
        assert!(matches!(queue.push(late, 20, Guest, 100), Pushed::Displaced(_)));
        assert_eq!(queue.push(large, 500, Guest, 101), Pushed::Full(101));
        assert_eq!(pop(&mut queue).map(|job| job < 50), Some(true), "it came before");
        assert!(matches!(queue.push(later, 20, Guest, 102), Pushed::Waiting));
    }

    #[test]
    fn a_single_job_waits_for_one_turn_of_a_thousand_jobs() {
        let [greedy, modest] = keys();
        let mut queue = FairQueue::new(2000, 0);
        for n in 0..1000 {
            queue.push(greedy, 1, Guest, n);
        }
        queue.push(modest, 1, Guest, 5000);
        assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], [Some(0), Some(5000), Some(1)]);
    }

    #[test]
    fn a_full_queue_gives_way_at_the_end_of_the_longest_line() {
        let [greedy, modest, late] = keys();
        let mut queue = FairQueue::new(4, 0);
        for n in 0..4 {
            assert_eq!(queue.push(greedy, 1, Guest, n), Pushed::Waiting);
        }
        assert_eq!(queue.push(greedy, 1, Guest, 4), Pushed::Full(4));
        assert_eq!(queue.push(modest, 1, Guest, 10), Pushed::Displaced(3));
        assert_eq!(queue.push(modest, 1, Guest, 11), Pushed::Displaced(2));
        assert_eq!(queue.push(modest, 1, Guest, 12), Pushed::Full(12));
        // Both lines have two jobs now; either may give way.
        assert!(matches!(queue.push(late, 1, Guest, 20), Pushed::Displaced(1 | 11)));
        assert_eq!(queue.len(), 4);
    }

    #[test]
    fn guests_do_not_fill_the_places_that_are_not_for_them() {
        let [payer, other] = keys();
        let mut queue = FairQueue::new(10, 2);
        let mut come = |work| queue.push(Keys::generate().public_key(), work, Paying, "new");
        assert!((0..8).all(|_| come(10) == Pushed::Waiting));
        assert_eq!(come(10), Pushed::Full("new"));
        assert_eq!(come(5), Pushed::Displaced("new"), "they give way to each other");
        for _ in 0..2 {
            assert_eq!(queue.push(payer, 1_000, Payer, "payer"), Pushed::Waiting, "however large it is");
        }
        assert_eq!(queue.push(Keys::generate().public_key(), 1, Paying, "new"), Pushed::Displaced("new"));
        assert_eq!(
            queue.push(payer, 1_000, Payer, "more"),
            Pushed::Full("more"),
            "then it is work that counts"
        );
        assert_eq!(queue.push(other, 10, Payer, "other"), Pushed::Displaced("payer"));
        assert_eq!(queue.push(Keys::generate().public_key(), 1, Guest, "guest"), Pushed::Full("guest"));
    }

    #[test]
    fn a_job_that_pays_takes_the_place_of_a_guest_however_large_it_is() {
        let [paying, payer] = keys();
        let mut queue = FairQueue::new(10, 2);
        for _ in 0..8 {
            assert_eq!(queue.push(Keys::generate().public_key(), 1, Guest, "guest"), Pushed::Waiting);
        }
        for _ in 0..8 {
            assert_eq!(queue.push(paying, 1_000, Paying, "paying"), Pushed::Displaced("guest"));
        }
        assert_eq!(queue.push(paying, 1_000, Paying, "more"), Pushed::Full("more"));
        assert_eq!(queue.push(payer, 1, Payer, "payer"), Pushed::Waiting);
        assert_eq!(queue.push(Keys::generate().public_key(), 1, Guest, "guest"), Pushed::Full("guest"));
    }

    #[test]
    fn beside_work_that_is_paid_guests_have_their_share_and_no_more() {
        let asker = Keys::generate().public_key();
        let mut queue = FairQueue::new(2_000, 0);
        for _ in 0..1_000 {
            queue.push(Keys::generate().public_key(), 10, Guest, "guest");
        }
        queue.push(asker, 10, Guest, "free");
        for _ in 0..80 {
            queue.push(asker, 10, Paying, "paid");
        }
        let served: Vec<_> = std::iter::from_fn(|| pop(&mut queue)).collect();
        let last = served.iter().rposition(|job| *job == "paid").unwrap();
        let guests = served[..last].iter().filter(|job| **job == "guest").count();
        assert!((5..=80 / 8).contains(&guests), "{guests} before the last one that is paid");
        assert_eq!(
            served[0], "paid",
            "nothing was due to guests yet, and what is free in its own line waits"
        );
        assert_eq!(served.len(), 1_081);
    }

    #[test]
    fn guests_begin_beside_work_that_is_paid_only_within_their_share() {
        let asker = Keys::generate().public_key();
        let mut queue = FairQueue::new(100, 0);
        for _ in 0..20 {
            queue.push(Keys::generate().public_key(), 5, Guest, "guest");
        }
        queue.push(asker, 80, Paying, "paid");
        assert_eq!(pop(&mut queue), Some("paid"));
        let beside = std::iter::from_fn(|| queue.pop_of(true, |_, work, _| work < 20)).count();
        assert_eq!(beside, 2, "a token of eight");
        assert_eq!(pop(&mut queue), Some("guest"), "an idle engine works for anybody");
    }

    #[test]
    fn a_removed_job_leaves_no_empty_turn() {
        let [one, other] = keys();
        let mut queue = FairQueue::new(8, 0);
        queue.push(one, 1, Guest, 1);
        queue.push(other, 1, Guest, 2);
        assert_eq!(queue.remove(&other, |item| *item == 1), None);
        assert_eq!(queue.remove(&one, |item| *item == 1), Some(1));
        assert_eq!(queue.drain(), [2]);
        assert_eq!((queue.len(), pop(&mut queue)), (0, None));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_limit_holds(steps in proptest::collection::vec((0..4_usize, 1..1_000_u64, any::<bool>(), 0..3_usize), 0..200)) {
            let askers: [PublicKey; 4] = keys();
            let mut queue = FairQueue::new(16, 4);
            let (mut pushed, mut out) = (0_usize, Vec::new());
            for (asker, work, push, rank) in steps {
                if push {
                    let has_place = queue.has_place(&askers[asker], [Guest, Paying, Payer][rank]);
                    match queue.push(askers[asker], work, [Guest, Paying, Payer][rank], pushed) {
                        Pushed::Full(item) => out.push(item),
                        Pushed::Waiting => prop_assert!(has_place),
                        Pushed::Displaced(item) => {
                            prop_assert!(has_place);
                            out.push(item);
                        }
                    }
                    pushed += 1;
                } else {
                    out.extend(pop(&mut queue));
                }
                prop_assert!(queue.len() <= 16 && queue.without_record <= 12 && queue.guests <= queue.without_record);
                prop_assert_eq!(queue.iter().count(), queue.len());
            }
            out.extend(queue.drain());
            out.sort_unstable();
            prop_assert_eq!(out, (0..pushed).collect::<Vec<_>>());
        }
    }
}
