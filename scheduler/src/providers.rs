//! Who has room for another job.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use frlm_protocol::Speed;
use rand::{Rng as _, RngCore};

use super::pace;
use super::types::{Eligible, Venue};
use super::{AttemptId, Needs, ProviderIndex, SubtaskId};
use crate::choose::{FEW, choose};

/// What a provider can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Jobs it works on at once.
    pub workers: u32,
    /// What it can do, as bits that the caller defines.
    pub skills: u8,
    /// Where it works, where work is routed.
    pub venue: Option<Venue>,
    /// Asked only for subtasks that the others could not answer.
    pub last_resort: bool,
    /// Jobs without a verdict that it takes, in work or answered, however many workers there are: the
    /// credit of a paid provider. `u32::MAX`: as many as one likes.
    pub most_unjudged: u32,
    /// What is known of it.
    pub trust: Trust,
}

/// What is known of a provider, as far as it decides who else is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// Nothing yet.
    Newcomer,
    /// Nothing, but its announcement has cost work: it is no key among thousands.
    Worked,
    /// Nothing of its work, but somebody whose word counts vouches for it: it is asked as a known one is, and believed as a newcomer.
    Vouched,
    /// It has a record.
    #[default]
    Known,
    /// Its word alone may be enough.
    Alone,
}

impl Trust {
    /// Whether its work is known.
    pub fn has_record(self) -> bool {
        matches!(self, Self::Known | Self::Alone)
    }

    /// Whether it is asked before others in a crowd: it has a record, or somebody vouches for it.
    pub fn speaks_for_it(self) -> bool {
        !matches!(self, Self::Newcomer | Self::Worked)
    }
}

#[derive(Debug)]
struct State {
    capacity: Capacity,
    /// What it promises apart from its load, by the caller's reckoning.
    worth: f64,
    /// How quickly it reads and writes, once anything is believed of that.
    speed: Option<Speed>,
    slots: u32,
    holds: HashSet<(SubtaskId, AttemptId)>,
    /// Answers that wait for their verdict; kept only where credit is limited.
    unjudged: HashSet<(SubtaskId, AttemptId)>,
    paused_until: Option<Duration>,
    gone: bool,
    /// Whether it ever answered: until then its word about its size counts for little.
    proven: bool,
    /// Failures since its last answer. One that fails is asked after those that do not.
    strikes: u32,
    /// Refusals for want of room since its last answer.
    refusals: u32,
    /// Its place among the free: strikes, then position.
    place: Option<(u32, usize)>,
    /// What it adds to the sums over all.
    share: Option<KnownAndUnknown>,
}

/// What one provider adds to the sums over all.
#[derive(Debug, Clone, Copy, Default)]
struct KnownAndUnknown {
    /// Jobs that it may have, if something is known of it.
    known_slots: u32,
    /// Jobs that it has, if nothing is.
    unknown_jobs: u32,
}

impl State {
    /// Whether it has a record, somebody vouches for it, or it has answered in this run.
    fn is_known(&self) -> bool {
        self.proven || self.capacity.trust.speaks_for_it()
    }

    fn effective_slots(&self) -> u32 {
        match (self.proven, self.strikes) {
            (true, _) => self.slots,
            (false, 0) => self.slots.min(UNPROVEN_SLOTS),
            // It has answered nothing so far, and failed: one more job shows whether it ever will.
            (false, _) => 1,
        }
    }

    fn is_free(&self) -> bool {
        !self.gone
            && self.paused_until.is_none()
            && self.held() < self.effective_slots()
            && self.credit_left() > 0
    }

    fn held(&self) -> u32 {
        u32::try_from(self.holds.len()).unwrap_or(u32::MAX)
    }

    /// What it promises now: the more of its slots are taken, the less.
    fn promise(&self) -> f64 {
        self.worth - LOAD_WEIGHT * f64::from(self.held()) / f64::from(self.effective_slots().max(1))
    }

    fn is_on_credit(&self) -> bool {
        self.capacity.most_unjudged != u32::MAX
    }

    /// Jobs that it would still take before the next verdict.
    fn credit_left(&self) -> u32 {
        let unjudged = u32::try_from(self.holds.len() + self.unjudged.len()).unwrap_or(u32::MAX);
        self.capacity.most_unjudged.max(1).saturating_sub(unjudged)
    }
}

/// Jobs in flight per worker of a provider: one that runs and one that waits hides the trip.
const QUEUE_DEPTH: u32 = 2;
/// How long a provider that said "busy" is left alone, the first time.
pub(super) const BUSY_PAUSE: Duration = Duration::from_millis(500);
/// Jobs given to a provider that has not answered yet, whatever it says it can take.
pub const UNPROVEN_SLOTS: u32 = 16;
/// In a crowd, one job of so many goes to a provider drawn among all: newcomers have to begin somewhere.
const LOT: u32 = 10;
/// What full slots take off a provider's worth: as much as the load penalty of roles does at most
/// (seeds/load-balanced-rl-workflow.md, section 4).
const LOAD_WEIGHT: f64 = 0.20;
/// A refusing provider's pause doubles this often at most.
const MOST_DOUBLINGS: u32 = 6;

/// Providers, and which of them are free.
#[derive(Debug, Default)]
pub struct Providers {
    states: Vec<Option<State>>,
    /// Providers with a free slot by their strikes, in no order, so that drawing one is one step.
    free: BTreeMap<u32, Vec<ProviderIndex>>,
    paused: BTreeSet<(Duration, ProviderIndex)>,
    /// Those of the free of whom something is known.
    known_free: BTreeSet<ProviderIndex>,
    /// Those of the other free ones whose announcements have cost work, and that have not failed.
    worked_free: BTreeSet<ProviderIndex>,
    /// Over all that are here.
    shares: KnownAndUnknown,
}

impl Providers {
    /// A provider came or changed.
    pub fn upsert(&mut self, provider: ProviderIndex, capacity: Capacity) {
        let index = provider.0 as usize;
        if self.states.len() <= index {
            self.states.resize_with(index + 1, || None);
        }
        self.unlist(provider);
        let slots = capacity.workers.max(1).saturating_mul(QUEUE_DEPTH);
        match &mut self.states[index] {
            Some(state) => {
                state.capacity = capacity;
                state.slots = slots;
                state.gone = false;
            }
            empty => {
                *empty = Some(State {
                    capacity,
                    worth: 0.0,
                    speed: None,
                    slots,
                    holds: HashSet::new(),
                    unjudged: HashSet::new(),
                    paused_until: None,
                    gone: false,
                    proven: false,
                    strikes: 0,
                    refusals: 0,
                    place: None,
                    share: None,
                });
            }
        }
        self.list(provider);
    }

    /// What a provider takes has changed. One that went away, or is not asked any more, does not come back by that.
    pub fn change_capacity(&mut self, provider: ProviderIndex, capacity: Capacity) {
        if self.is_here(provider) {
            self.upsert(provider, capacity);
        }
    }

    /// Whether a provider came and did not go away.
    fn is_here(&self, provider: ProviderIndex) -> bool {
        self.state(provider).is_some_and(|state| !state.gone)
    }

    /// Removes a provider and returns what it held.
    pub(super) fn remove(&mut self, provider: ProviderIndex) -> Vec<(SubtaskId, AttemptId)> {
        self.unlist(provider);
        let Some(state) = self.state_mut(provider) else { return Vec::new() };
        state.gone = true;
        let mut held: Vec<_> = state.holds.iter().copied().collect();
        held.sort_unstable();
        held
    }

    /// How many are there.
    pub fn here(&self) -> usize {
        self.alive().count()
    }

    /// Whether anybody is there who is eligible.
    pub fn any(&self, who: Eligible) -> bool {
        self.any_capable(who, true, |_| true)
    }

    pub(super) fn any_capable(
        &self,
        who: Eligible,
        last_resort: bool,
        allowed: impl Fn(ProviderIndex) -> bool,
    ) -> bool {
        self.alive().any(|(provider, state)| suits(state.capacity, who, last_resort) && allowed(provider))
    }

    pub(super) fn trust(&self, provider: ProviderIndex) -> Trust {
        self.state(provider).map_or(Trust::Newcomer, |state| state.capacity.trust)
    }

    pub(super) fn any_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// Jobs that those who are eligible would take now, counted no further than `most`. The last resort is
    /// not counted.
    pub fn room(&self, who: Eligible, most: usize) -> usize {
        let mut room = 0;
        for provider in self.free.values().flatten() {
            let Some(state) = self.state(*provider).filter(|state| suits(state.capacity, who, false)) else {
                continue;
            };
            let slots = state.effective_slots().saturating_sub(state.held()).min(state.credit_left());
            room += slots as usize;
            if room >= most {
                return most;
            }
        }
        room
    }

    /// Jobs that a provider has from this run.
    pub fn held(&self, provider: ProviderIndex) -> u32 {
        self.state(provider).map_or(0, State::held)
    }

    /// Jobs that it may have at once.
    pub fn slots(&self, provider: ProviderIndex) -> u32 {
        self.state(provider).map_or(0, |state| state.slots)
    }

    /// What a provider promises apart from its load, 0..=1, and less if it is busy elsewhere: who promises more is asked rather.
    /// Until this is said of anybody, the least loaded is.
    pub fn value(&mut self, provider: ProviderIndex, worth: f64) {
        if let Some(state) = self.state_mut(provider).filter(|_| worth.is_finite()) {
            state.worth = worth;
        }
    }

    /// How quickly a provider reads and writes, as far as is known. Until this is set, it counts as a slow one.
    pub fn set_speed(&mut self, provider: ProviderIndex, speed: Speed) {
        if let Some(state) = self.state_mut(provider) {
            state.speed = Some(speed);
        }
    }

    /// How many times as long as a provider of which nothing is known it takes for a subtask, if this share of what may be
    /// written is; `None` where nothing is known of it, or speed says nothing.
    pub(super) fn times_as_long(&self, provider: ProviderIndex, needs: Needs, written: f64) -> Option<f64> {
        let (speed, reading) = (self.state(provider)?.speed?, needs.reading?);
        Some(pace::times_as_long(speed, reading, written))
    }

    /// A job that it is given now is done in this turn, 1 being the first.
    pub(super) fn turns(&self, provider: ProviderIndex) -> u32 {
        self.state(provider).map_or(1, |state| 1 + state.held() / state.capacity.workers.max(1))
    }

    /// A provider with a free slot that may be asked: of those with the fewest strikes one that promises
    /// much ([`choose`](mod@crate::choose)).
    ///
    /// Keys cost nothing. So in a crowd those of whom something is known are asked first, then those whose announcements have cost
    /// work. The others have one place of [`LOT`], and what goes beyond the known ones' room, up to as many jobs as those may have.
    pub(super) fn pick(
        &self,
        who: Eligible,
        last_resort: bool,
        allowed: impl Fn(ProviderIndex) -> bool,
        rng: &mut dyn RngCore,
    ) -> Option<ProviderIndex> {
        let suits = |provider: ProviderIndex| {
            self.state(provider).is_some_and(|state| suits(state.capacity, who, last_resort))
                && allowed(provider)
        };
        let promise = |provider| self.state(provider).map_or(f64::MIN, State::promise);
        let is_crowd = self.free.values().map(Vec::len).sum::<usize>() > FEW;
        let anything_speaks = self.shares.known_slots > 0 || !self.worked_free.is_empty();
        if is_crowd && anything_speaks && !rng.random_ratio(1, LOT) {
            let strikes = |provider: &ProviderIndex| self.state(*provider).map_or(0, |state| state.strikes);
            let fewest = self.known_free.iter().filter(|one| suits(**one)).map(strikes).min();
            if let Some(fewest) = fewest {
                let alike = self.known_free.iter().filter(|one| strikes(one) == fewest);
                return choose(&alike.copied().collect::<Vec<_>>(), suits, promise, rng);
            }
            let is_full = self.shares.unknown_jobs >= self.shares.known_slots.max(UNPROVEN_SLOTS);
            if self.shares.known_slots > 0 && is_full {
                return None;
            }
            let worked: Vec<ProviderIndex> = self.worked_free.iter().copied().collect();
            if let Some(worked) = choose(&worked, suits, promise, rng) {
                return Some(worked);
            }
        }
        self.free.values().find_map(|alike| choose(alike, suits, promise, rng))
    }

    /// Whether somebody of whom something is known has nothing to do, where the work is with one of a crowd of whom nothing is.
    pub(super) fn known_one_idles(&self, with: ProviderIndex, who: Eligible) -> bool {
        let idles = |known: &ProviderIndex| {
            self.state(*known).is_some_and(|state| state.held() == 0 && suits(state.capacity, who, false))
        };
        self.state(with).is_some_and(|state| !state.is_known())
            && self.known_free.iter().any(idles)
            && self.here() > FEW
    }

    pub(super) fn take(&mut self, provider: ProviderIndex, subtask: SubtaskId, attempt: AttemptId) {
        self.relist(provider, |state| {
            state.holds.insert((subtask, attempt));
        });
    }

    pub(super) fn give_back(&mut self, provider: ProviderIndex, subtask: SubtaskId, attempt: AttemptId) {
        self.relist(provider, |state| {
            state.holds.remove(&(subtask, attempt));
        });
    }

    /// Notes an answer, which waits for its verdict: the provider is what it says it is, as far as
    /// size goes.
    pub(super) fn answered(&mut self, provider: ProviderIndex, subtask: SubtaskId, attempt: AttemptId) {
        self.relist(provider, |state| {
            if state.is_on_credit() {
                state.unjudged.insert((subtask, attempt));
            }
            state.proven = true;
            state.strikes = 0;
            state.refusals = 0;
        });
    }

    /// An answer got its verdict.
    pub(super) fn judged(&mut self, provider: ProviderIndex, subtask: SubtaskId, attempt: AttemptId) {
        if self.state(provider).is_some_and(|state| state.unjudged.contains(&(subtask, attempt))) {
            self.relist(provider, |state| {
                state.unjudged.remove(&(subtask, attempt));
            });
        }
    }

    /// Whether the provider takes only so much work without a verdict.
    pub(super) fn is_on_credit(&self, provider: ProviderIndex) -> bool {
        self.state(provider).is_some_and(State::is_on_credit)
    }

    /// Jobs that a provider would still take before the next verdict.
    pub(super) fn credit_left(&self, provider: ProviderIndex) -> u32 {
        self.state(provider).map_or(0, State::credit_left)
    }

    /// Providers that are eligible and would take another job, now or when one is answered.
    pub(super) fn in_credit(&self, who: Eligible, last_resort: bool) -> impl Iterator<Item = ProviderIndex> {
        self.alive()
            .filter(move |(_, state)| suits(state.capacity, who, last_resort) && state.credit_left() > 0)
            .map(|(provider, _)| provider)
    }

    /// Those of [`Providers::in_credit`] that have neither failed nor refused since their last answer: they take
    /// another job now, or when one of theirs is done.
    pub(super) fn reliable(&self, who: Eligible, last_resort: bool) -> impl Iterator<Item = ProviderIndex> {
        self.in_credit(who, last_resort).filter(move |provider| {
            self.state(*provider).is_some_and(|state| state.strikes == 0 && state.paused_until.is_none())
        })
    }

    /// Notes a failure.
    pub(super) fn strike(&mut self, provider: ProviderIndex) {
        self.relist(provider, |state| state.strikes = state.strikes.saturating_add(1));
    }

    /// Leaves a provider alone that had no room: for as long as it said, or each time for longer. Returns until when.
    pub(super) fn pause(
        &mut self,
        provider: ProviderIndex,
        now: Duration,
        said: Option<Duration>,
    ) -> Duration {
        let refusals = self.state(provider).map_or(0, |state| state.refusals);
        let usual = BUSY_PAUSE.saturating_mul(1 << refusals.min(MOST_DOUBLINGS));
        let until = now + said.map_or(usual, |said| said.max(BUSY_PAUSE));
        self.unlist(provider);
        if let Some(state) = self.state_mut(provider) {
            state.refusals = refusals.saturating_add(1);
            if let Some(before) = state.paused_until.replace(until) {
                self.paused.remove(&(before, provider));
            }
            self.paused.insert((until, provider));
        }
        // Its share of the jobs stays: strangers do not get all of them because those who are known are busy for a moment.
        self.list(provider);
        until
    }

    pub(super) fn unpause(&mut self, now: Duration) {
        while let Some((until, provider)) = self.paused.first().copied() {
            if until > now {
                break;
            }
            self.paused.pop_first();
            if let Some(state) = self.state_mut(provider) {
                state.paused_until = None;
            }
            self.list(provider);
        }
    }

    fn relist(&mut self, provider: ProviderIndex, change: impl FnOnce(&mut State)) {
        self.unlist(provider);
        if let Some(state) = self.state_mut(provider) {
            change(state);
        }
        self.list(provider);
    }

    fn alive(&self) -> impl Iterator<Item = (ProviderIndex, &State)> {
        (0..).zip(&self.states).filter_map(|(index, state)| {
            state.as_ref().filter(|state| !state.gone).map(|state| (ProviderIndex(index), state))
        })
    }

    fn state(&self, provider: ProviderIndex) -> Option<&State> {
        self.states.get(provider.0 as usize)?.as_ref()
    }

    fn state_mut(&mut self, provider: ProviderIndex) -> Option<&mut State> {
        self.states.get_mut(provider.0 as usize)?.as_mut()
    }

    fn list(&mut self, provider: ProviderIndex) {
        if let Some(state) = self.state_mut(provider).filter(|state| !state.gone && state.share.is_none()) {
            let is_known = state.is_known();
            let share = KnownAndUnknown {
                known_slots: if is_known { state.effective_slots() } else { 0 },
                unknown_jobs: if is_known { 0 } else { state.held() },
            };
            state.share = Some(share);
            self.shares.known_slots = self.shares.known_slots.saturating_add(share.known_slots);
            self.shares.unknown_jobs = self.shares.unknown_jobs.saturating_add(share.unknown_jobs);
        }
        let to_list = self.state(provider).filter(|state| state.is_free() && state.place.is_none());
        let Some(strikes) = to_list.map(|state| state.strikes) else { return };
        let alike = self.free.entry(strikes).or_default();
        alike.push(provider);
        let place = (strikes, alike.len() - 1);
        if let Some(state) = self.state_mut(provider) {
            state.place = Some(place);
            if state.is_known() {
                self.known_free.insert(provider);
            } else if state.capacity.trust == Trust::Worked && strikes == 0 {
                self.worked_free.insert(provider);
            }
        }
    }

    fn unlist(&mut self, provider: ProviderIndex) {
        self.known_free.remove(&provider);
        self.worked_free.remove(&provider);
        if let Some(share) = self.state_mut(provider).and_then(|state| state.share.take()) {
            self.shares.known_slots = self.shares.known_slots.saturating_sub(share.known_slots);
            self.shares.unknown_jobs = self.shares.unknown_jobs.saturating_sub(share.unknown_jobs);
        }
        let Some((strikes, at)) = self.state_mut(provider).and_then(|state| state.place.take()) else {
            return;
        };
        let Some(alike) = self.free.get_mut(&strikes) else { return };
        alike.swap_remove(at);
        let moved = alike.get(at).copied();
        if alike.is_empty() {
            self.free.remove(&strikes);
        }
        if let Some(state) = moved.and_then(|moved| self.state_mut(moved)) {
            state.place = Some((strikes, at));
        }
    }
}

fn suits(capacity: Capacity, who: Eligible, last_resort: bool) -> bool {
    capacity.skills & who.skills == who.skills
        && (who.venue.is_none() || who.venue == capacity.venue)
        && (last_resort || !capacity.last_resort)
}
