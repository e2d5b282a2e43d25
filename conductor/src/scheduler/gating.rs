//! Subtasks that wait until the caller has decided where they may go.
//!
//! ```text
//!   add ─► hold ─► Held ── release(venue) ──► Waiting, as any other
//!                   ▲                             │
//!                   └───────── put_back ── Closed ◄┘
//! ```

use super::{Eligible, Scheduler, SubtaskId, Venue};

impl Scheduler {
    /// Nobody is asked about this subtask until it is released.
    pub fn hold(&mut self, id: SubtaskId) {
        if let Some(entry) = self.entry_mut(id).filter(|entry| !entry.closed) {
            entry.held = true;
            self.refresh_ready(id, false);
        }
    }

    /// A subtask that was held may be asked about, at a venue alone if one is named.
    pub fn release(&mut self, id: SubtaskId, venue: Option<Venue>) {
        if let Some(entry) = self.entry_mut(id).filter(|entry| entry.held) {
            entry.held = false;
            entry.needs.venue = venue;
            self.refresh_ready(id, false);
        }
    }

    /// From now on a subtask, open or not, may be asked about anywhere.
    pub fn ask_anywhere(&mut self, id: SubtaskId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.needs.venue = None;
        }
    }

    /// Opens a subtask that was given up, and holds it: everyone may be asked again once it is released.
    pub fn put_back(&mut self, id: SubtaskId) {
        let Some(entry) = self.entry_mut(id) else { return };
        if std::mem::replace(&mut entry.closed, false) {
            entry.renew();
            entry.held = true;
            self.open += 1;
        }
    }

    /// How many jobs those who are eligible would take now, counted no further than `most`.
    pub fn room(&self, who: Eligible, most: usize) -> usize {
        self.providers.room(who, most)
    }
}
