//! No subtask may wait for a provider whose credit another waiting subtask holds.
//!
//! A paid provider works on credit: it takes only so many jobs without a verdict, a single one for a
//! stranger (design, section 5). A verdict needs several providers. Were the credit handed out first
//! come, first served, then with credit for one job each, *a* and *b* disagree on one subtask, *c*
//! has answered another, each waits for the other, and the run stands still.
//!
//! So the subtask that began to use credit first can always be finished: others leave it as many
//! providers with credit as it may still need. When it ends, all that it asked and all that were
//! left to it have credit for the next one in line, which needs no more, so the same holds again
//! (the argument of the banker's algorithm, with the line as the safe sequence).

use std::collections::{BTreeMap, HashMap};

use super::{ProviderIndex, Scheduler, SubtaskId};

/// Subtasks that use credit, in the order in which they began to.
#[derive(Debug, Default)]
pub(super) struct Engaged {
    line: BTreeMap<u64, SubtaskId>,
    places: HashMap<SubtaskId, u64>,
    next: u64,
}

impl Engaged {
    pub fn add(&mut self, id: SubtaskId) {
        if !self.places.contains_key(&id) {
            self.places.insert(id, self.next);
            self.line.insert(self.next, id);
            self.next += 1;
        }
    }

    pub fn remove(&mut self, id: SubtaskId) {
        if let Some(place) = self.places.remove(&id) {
            self.line.remove(&place);
        }
    }

    fn first(&self) -> Option<SubtaskId> {
        self.line.values().next().copied()
    }
}

impl Scheduler {
    /// Whether a provider may work on a subtask without leaving the first in line short.
    pub(super) fn can_be_spared(&self, provider: ProviderIndex, id: SubtaskId) -> bool {
        let Some(first) = self.engaged.first().filter(|first| *first != id) else { return true };
        if self.providers.credit_left(provider) > 1 {
            return true;
        }
        let Some(entry) = self.entries.get(first.0 as usize) else { return true };
        let needed = entry.replicas_left() as usize;
        if needed == 0 || !entry.may_ask(provider) {
            return true;
        }
        let others = self
            .providers
            .in_credit(entry.needs.skills, entry.forgiven > 0)
            .filter(|other| *other != provider && entry.may_ask(*other));
        others.take(needed).count() >= needed
    }
}
