//! The subtasks of a run as the scheduler remembers them, and which of them want another attempt.
//!
//! ```text
//!   add ─► open ─┬─ hold ─► held ── release(venue) ──► open, as any other
//!                └─ close ─► closed ─┬─ open_again ─► open
//!                                    └─ put_back ───► held
//! ```
//!
//! Whatever changes here, `ready` follows what each subtask wants. Nothing here knows providers, credit or time.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::entry::{Attempt, AttemptState, Entry, Pending};
use super::{AttemptId, Needs, ProviderIndex, SubtaskId, Venue};

/// A place in the line of subtasks that want another attempt: urgent ones sort first.
pub(super) type Ready = (bool, SubtaskId);

/// The subtasks of a run; ids count up from 0.
#[derive(Debug, Default)]
pub struct Entries {
    all: Vec<Entry>,
    /// Subtasks that want another attempt: urgent ones (retries, dissent) first, then in order.
    ready: BTreeSet<Ready>,
    open: usize,
    /// Those of them that nobody works on and nobody has answered.
    untouched: usize,
    /// Attempts so far, those of earlier starts among them: each draws its provider from a stream of its own.
    attempts: u32,
}

impl Entries {
    /// Counts attempts on from those of earlier starts of the run.
    pub fn count_from(&mut self, attempts: u32) {
        self.attempts = attempts;
    }

    /// Attempts so far.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The name of another attempt.
    pub fn next_attempt(&mut self) -> AttemptId {
        let id = AttemptId(self.attempts);
        self.attempts = self.attempts.saturating_add(1);
        id
    }

    /// Makes room for so many more subtasks, and for none beyond them.
    pub fn make_room(&mut self, more: usize) {
        self.all.reserve_exact(more);
    }

    /// Adds a subtask; ids count up from 0.
    pub fn add(&mut self, needs: Needs) -> SubtaskId {
        let id = SubtaskId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Entry::new(needs));
        self.open += 1;
        self.refresh(id, false);
        id
    }

    /// All ids.
    pub(super) fn ids(&self) -> impl Iterator<Item = SubtaskId> + use<> {
        (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).map(SubtaskId)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (SubtaskId, &Entry)> {
        (0..).map(SubtaskId).zip(&self.all)
    }

    pub(super) fn get(&self, id: SubtaskId) -> Option<&Entry> {
        self.all.get(id.0 as usize)
    }

    pub(super) fn get_mut(&mut self, id: SubtaskId) -> Option<&mut Entry> {
        self.all.get_mut(id.0 as usize)
    }

    pub(super) fn attempt(&self, id: SubtaskId, attempt: AttemptId) -> Option<&Attempt> {
        self.get(id)?.attempt(attempt)
    }

    pub(super) fn attempt_mut(&mut self, id: SubtaskId, attempt: AttemptId) -> Option<&mut Attempt> {
        self.get_mut(id)?.attempt_mut(attempt)
    }

    /// What an attempt waits for that is out.
    pub(super) fn pending(&self, id: SubtaskId, attempt: AttemptId) -> Option<Pending> {
        self.get(id)?.pending(attempt)
    }

    /// Open subtasks.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Open subtasks that nobody works on and nobody has answered, those that are held among them.
    pub fn untouched(&self) -> usize {
        self.untouched
    }

    /// Whether the subtask still waits for an accepted answer.
    pub fn is_open(&self, id: SubtaskId) -> bool {
        self.get(id).is_some_and(|entry| !entry.closed)
    }

    /// Whether an answer to this attempt still counts: the subtask is open, and the attempt was
    /// neither answered nor given up.
    pub fn is_out(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        self.get(id).is_some_and(|entry| !entry.closed && entry.is_out(attempt))
    }

    /// Who was asked in an attempt.
    pub fn provider_of(&self, id: SubtaskId, attempt: AttemptId) -> Option<ProviderIndex> {
        self.attempt(id, attempt).map(|attempt| attempt.provider)
    }

    /// Whether somebody else was asked beside an attempt, because it took so much longer than others do.
    pub fn has_straggled(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        self.attempt(id, attempt).is_some_and(|attempt| attempt.straggles)
    }

    /// Whether an attempt was ended with its answer here, and no verdict about it.
    pub fn is_without_verdict(&self, id: SubtaskId, attempt: AttemptId) -> bool {
        self.attempt(id, attempt).is_some_and(|attempt| attempt.state == AttemptState::Unjudged)
    }

    /// The attempt in which this provider answered a subtask, if it did.
    pub fn answer_of(&self, id: SubtaskId, provider: ProviderIndex) -> Option<AttemptId> {
        let answered = self.get(id)?.answered();
        answered.filter(|(_, by)| *by == provider).map(|(attempt, _)| attempt).last()
    }

    /// A provider may not be asked for a subtask, whatever happens.
    pub fn bar(&mut self, id: SubtaskId, provider: ProviderIndex) {
        let attempt = self.next_attempt();
        if let Some(entry) = self.get_mut(id) {
            entry.attempts.push(Attempt::barred(attempt, provider));
        }
    }

    /// A provider is asked for a subtask before all for whom this was not said, if it is free.
    pub fn ask_first(&mut self, id: SubtaskId, provider: ProviderIndex) {
        let attempt = self.next_attempt();
        if let Some(entry) = self.get_mut(id) {
            entry.attempts.push(Attempt::preferred(attempt, provider));
        }
    }

    /// Nothing is missed without a subtask: an attempt that fails ends it.
    pub fn try_once(&mut self, id: SubtaskId) {
        if let Some(entry) = self.get_mut(id) {
            entry.once = true;
        }
    }

    /// Lets a subtask have so many answers in all, if it may not have more.
    pub fn allow(&mut self, id: SubtaskId, replicas: u32) {
        if let Some(entry) = self.get_mut(id) {
            entry.needs.replicas = entry.needs.replicas.max(replicas);
        }
    }

    /// Wants so many agreeing answers of so many providers from now on, for every subtask that is not
    /// done and for those that are opened again. Who has answers already is judged by the caller.
    pub fn need(&mut self, answers: u32, replicas: u32) {
        for id in self.ids() {
            let Some(entry) = self.get_mut(id).filter(|entry| !entry.needs.settled_apart) else { continue };
            entry.needs.answers = answers;
            entry.needs.replicas = replicas;
            if !entry.closed && entry.attempts.is_empty() {
                entry.missing = answers;
                self.refresh(id, false);
            }
        }
    }

    /// The answer of the provider that is asked first will not be enough, however much that one is trusted: as many are asked as where
    /// nobody is. Once somebody has answered, the caller says how many are missing.
    pub fn ask_others_too(&mut self, id: SubtaskId) {
        if let Some(entry) = self.get_mut(id).filter(|entry| entry.answered().next().is_none()) {
            entry.missing = entry.missing.max(entry.needs.answers);
            self.refresh(id, false);
        }
    }

    /// Nobody else is asked about a subtask that somebody works on, until the caller says how many are missing; `false` if nobody works
    /// on it.
    pub fn ask_nobody_else(&mut self, id: SubtaskId) -> bool {
        let Some(entry) = self.get_mut(id).filter(|entry| !entry.closed && entry.in_flight() > 0) else {
            return false;
        };
        (entry.missing, entry.hedges) = (entry.in_flight(), 0);
        self.refresh(id, false);
        true
    }

    /// Nobody is asked about this subtask until it is released.
    pub fn hold(&mut self, id: SubtaskId) {
        if let Some(entry) = self.get_mut(id).filter(|entry| !entry.closed) {
            entry.held = true;
            self.refresh(id, false);
        }
    }

    /// A subtask that was held may be asked about, at a venue alone if one is named.
    pub fn release(&mut self, id: SubtaskId, venue: Option<Venue>) {
        if let Some(entry) = self.get_mut(id).filter(|entry| entry.held) {
            entry.held = false;
            entry.needs.venue = venue;
            self.refresh(id, false);
        }
    }

    /// From now on a subtask, open or not, may be asked about anywhere.
    pub fn ask_anywhere(&mut self, id: SubtaskId) {
        if let Some(entry) = self.get_mut(id) {
            entry.needs.venue = None;
        }
    }

    /// Opens a subtask that was given up, and holds it: everyone may be asked again once it is released.
    pub fn put_back(&mut self, id: SubtaskId) {
        self.open_again(id, |entry| {
            entry.renew();
            entry.held = true;
        });
    }

    /// Opens a subtask that was given up, for a provider that came into play since. Earlier attempts
    /// stay on record, so that nobody is asked twice, but no longer use up its chances.
    pub fn reopen(&mut self, id: SubtaskId) {
        self.open_again(id, |entry| {
            entry.missing = 1;
            entry.forgive();
        });
    }

    /// Opens a subtask that was given up, because the user wishes it: everyone may be asked again.
    pub fn ask_again(&mut self, id: SubtaskId) {
        self.open_again(id, Entry::renew);
    }

    fn open_again(&mut self, id: SubtaskId, change: impl FnOnce(&mut Entry)) {
        let Some(entry) = self.get_mut(id).filter(|entry| entry.closed) else { return };
        entry.closed = false;
        change(entry);
        self.open += 1;
        self.refresh(id, true);
    }

    /// Closes a subtask; its attempts that are out, and its answers, if it was open.
    pub(super) fn close(&mut self, id: SubtaskId) -> Option<Closed> {
        let entry = self.get_mut(id).filter(|entry| !entry.closed)?;
        (entry.closed, entry.held) = (true, false);
        let closed = Closed { out: entry.out().collect(), answered: entry.answered().collect() };
        self.open -= 1;
        self.refresh(id, false);
        Some(closed)
    }

    /// Keeps `ready` and `untouched` in step with what a subtask wants and has. Urgent ones sort first.
    pub(super) fn refresh(&mut self, id: SubtaskId, urgent: bool) {
        let Some(entry) = self.all.get_mut(id.0 as usize) else { return };
        let is_untouched = entry.is_untouched();
        let was_counted = std::mem::replace(&mut entry.is_counted, is_untouched);
        self.untouched = self.untouched + usize::from(is_untouched) - usize::from(was_counted);
        let wants = entry.wants_another();
        let urgent = urgent || (wants && self.ready.contains(&(false, id)));
        self.ready.remove(&(true, id));
        self.ready.remove(&(false, id));
        if wants {
            // `false` sorts first.
            self.ready.insert((!urgent, id));
        }
    }

    /// The first that wants another attempt, or the next one after a place in the line.
    pub(super) fn ready_after(&self, last: Option<Ready>) -> Option<Ready> {
        let from = last.map_or(Bound::Unbounded, Bound::Excluded);
        self.ready.range((from, Bound::Unbounded)).next().copied()
    }
}

/// What a subtask had when it was closed.
#[derive(Debug)]
pub(super) struct Closed {
    pub out: Vec<AttemptId>,
    pub answered: Vec<(AttemptId, ProviderIndex)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Needs = Needs {
        answers: 1,
        replicas: 1,
        skills: 0,
        venue: None,
        ends_itself: false,
        settled_apart: false,
        percent: 100,
        reading: None,
    };

    fn line(entries: &Entries) -> Vec<Ready> {
        std::iter::successors(entries.ready_after(None), |last| entries.ready_after(Some(*last))).collect()
    }

    #[test]
    fn the_line_holds_what_wants_an_attempt_and_reopened_ones_come_first() {
        let mut entries = Entries::default();
        let ids: Vec<SubtaskId> = (0..4).map(|_| entries.add(ONE)).collect();
        entries.hold(ids[1]);
        let closed = entries.close(ids[2]).map(|closed| (closed.out.len(), closed.answered.len()));
        assert_eq!((closed, entries.close(ids[2]).is_none()), (Some((0, 0)), true), "closed once");
        assert_eq!((line(&entries), entries.open()), (vec![(true, ids[0]), (true, ids[3])], 3));
        entries.ask_again(ids[2]);
        entries.ask_again(ids[0]);
        assert_eq!(line(&entries), [(false, ids[2]), (true, ids[0]), (true, ids[3])], "an open one stays");
        entries.release(ids[1], None);
        assert_eq!((line(&entries).len(), entries.open()), (4, 4));
    }

    /// A subtask that a provider works on, whose answer would be enough.
    fn asked_alone(entries: &mut Entries) -> SubtaskId {
        let id = entries.add(Needs { answers: 2, replicas: 3, ..ONE });
        if let Some(entry) = entries.get_mut(id) {
            entry.missing = 1;
            entry.attempts.push(Attempt::new(AttemptId(0), ProviderIndex(0), 100, std::time::Duration::ZERO));
        }
        entries.refresh(id, false);
        id
    }

    #[test]
    fn others_are_asked_too_until_nobody_else_is_to_be_asked() {
        let mut entries = Entries::default();
        let id = asked_alone(&mut entries);
        assert_eq!(line(&entries), []);
        entries.ask_others_too(id);
        assert_eq!(line(&entries), [(true, id)]);
        assert!(entries.ask_nobody_else(id));
        assert_eq!(line(&entries), []);
        let untouched = entries.add(ONE);
        assert!(!entries.ask_nobody_else(untouched), "nobody works on it");
        assert_eq!(line(&entries), [(true, untouched)]);
    }

    #[test]
    fn what_nobody_works_on_is_counted_held_or_not() {
        let mut entries = Entries::default();
        let (asked, held) = (asked_alone(&mut entries), entries.add(ONE));
        entries.hold(held);
        assert_eq!(entries.untouched(), 1);
        if let Some(attempt) = entries.attempt_mut(asked, AttemptId(0)) {
            attempt.state = AttemptState::TurnedAway;
        }
        entries.refresh(asked, true);
        assert_eq!(entries.untouched(), 2, "it was turned away");
        entries.close(held);
        entries.close(asked);
        assert_eq!(entries.untouched(), 0);
        entries.ask_again(held);
        assert_eq!(entries.untouched(), 1);
    }

    #[test]
    fn what_is_put_back_waits_until_it_is_released() {
        let mut entries = Entries::default();
        let id = entries.add(ONE);
        entries.put_back(id);
        assert_eq!(line(&entries), [(true, id)], "it was open");
        entries.close(id);
        entries.put_back(id);
        assert!(entries.is_open(id) && line(&entries).is_empty());
        entries.release(id, Venue::at(2));
        assert_eq!(entries.get(id).map(|entry| entry.needs.venue), Some(Venue::at(2)));
        assert_eq!(line(&entries), [(true, id)]);
    }

    #[test]
    fn numbers_of_attempts_go_on_from_an_earlier_start() {
        let mut entries = Entries::default();
        entries.count_from(7);
        let id = entries.add(ONE);
        entries.bar(id, ProviderIndex(3));
        assert_eq!((entries.next_attempt(), entries.attempts()), (AttemptId(8), 9));
        assert!(!entries.get(id).is_some_and(|entry| entry.may_ask(ProviderIndex(3))));
    }
}
