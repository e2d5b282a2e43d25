//! No subtask may wait for a provider whose credit another waiting subtask holds.
//!
//! A paid provider works on credit: it takes only so many jobs without a verdict, a single one for a
//! stranger (design, section 5). A verdict needs several providers. Were the credit handed out first
//! come, first served, then with credit for one job each, *a* and *b* disagree on one subtask, *c*
//! has answered another, each waits for the other, and the run stands still.
//!
//! So there is always one subtask, the first in line, that can be finished with what is left: others
//! leave it as many providers with credit as it may still need. When it ends, all that it asked and
//! all that were left to it have credit for the next one in line, which needs no more, so the same
//! holds again (the argument of the banker's algorithm, with the line as the safe sequence). The
//! argument needs one that can be finished, no matter which: a subtask that could not spare the
//! first one its provider, but can itself be finished by others, takes it and goes first. Otherwise
//! the provider that is left over in every subtask would never be asked, and never earn.

use std::collections::{BTreeMap, HashMap};

use super::entries::Entries;
use super::entry::Entry;
use super::providers::Providers;
use super::{ProviderIndex, SubtaskId};

/// Subtasks that use credit, in line.
#[derive(Debug, Default)]
pub(super) struct CreditQueue {
    line: BTreeMap<i64, SubtaskId>,
    places: HashMap<SubtaskId, i64>,
}

impl CreditQueue {
    /// Puts a subtask at the end of the line, unless it stands there already.
    fn add(&mut self, id: SubtaskId) {
        if !self.places.contains_key(&id) {
            self.put(id, self.line.last_key_value().map_or(0, |(last, _)| last + 1));
        }
    }

    /// Puts a subtask before all others, wherever it stood.
    fn add_first(&mut self, id: SubtaskId) {
        self.remove(id);
        self.put(id, self.line.first_key_value().map_or(0, |(first, _)| first - 1));
    }

    fn put(&mut self, id: SubtaskId, place: i64) {
        self.places.insert(id, place);
        self.line.insert(place, id);
    }

    pub fn remove(&mut self, id: SubtaskId) {
        if let Some(place) = self.places.remove(&id) {
            self.line.remove(&place);
        }
    }

    fn first(&self) -> Option<SubtaskId> {
        self.line.values().next().copied()
    }

    /// Notes that a subtask takes a provider, just before it does.
    pub fn engage(
        &mut self,
        provider: ProviderIndex,
        id: SubtaskId,
        entries: &Entries,
        providers: &Providers,
    ) {
        let credit = Credit { queue: self, entries, providers };
        if !providers.is_on_credit(provider) || credit.ends_itself(id) {
            return;
        }
        if credit.can_be_spared(provider, id) {
            self.add(id);
        } else {
            self.add_first(id);
        }
    }
}

/// Who may take whose credit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Credit<'run> {
    pub queue: &'run CreditQueue,
    pub entries: &'run Entries,
    pub providers: &'run Providers,
}

impl Credit<'_> {
    /// Whether a subtask may take a provider's credit without the risk of a standstill.
    pub fn may_use(self, provider: ProviderIndex, id: SubtaskId) -> bool {
        self.ends_itself(id) || self.can_be_spared(provider, id) || self.can_finish_with(provider, id)
    }

    /// Whether a subtask gives credit back by itself: others wait for it and not it for others.
    fn ends_itself(self, id: SubtaskId) -> bool {
        self.entries.get(id).is_some_and(|entry| entry.needs.ends_itself)
    }

    /// Whether the first in line can be finished without this provider's next job.
    fn can_be_spared(self, provider: ProviderIndex, id: SubtaskId) -> bool {
        let Some(first) = self.queue.first().filter(|first| *first != id) else { return true };
        if self.providers.credit_left(provider) > 1 {
            return true;
        }
        let Some(entry) = self.entries.get(first) else { return true };
        let needed = entry.replicas_left() as usize;
        needed == 0 || !entry.may_ask(provider) || self.others_in_credit(entry, provider, needed)
    }

    /// Whether a subtask that takes this provider can be finished with what is left.
    fn can_finish_with(self, provider: ProviderIndex, id: SubtaskId) -> bool {
        self.entries.get(id).is_some_and(|entry| {
            let needed = (entry.replicas_left() as usize).saturating_sub(1);
            self.others_in_credit(entry, provider, needed)
        })
    }

    fn others_in_credit(self, entry: &Entry, provider: ProviderIndex, needed: usize) -> bool {
        self.providers
            .in_credit(entry.needs.eligible(), entry.forgiven > 0)
            .filter(|other| *other != provider && entry.may_ask(*other))
            .take(needed)
            .count()
            >= needed
    }
}
