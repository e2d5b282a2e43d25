//! Subtasks that wait until the caller has decided where they may go.
//!
//! ```text
//!   add ─► hold ─► Held ── release(skills) ──► Waiting, as any other
//!                   ▲                             │
//!                   └───────── put_back ── Closed ◄┘
//! ```

use super::{Scheduler, SubtaskId};

impl Scheduler {
    /// Nobody is asked about this subtask until it is released.
    pub fn hold(&mut self, id: SubtaskId) {
        if let Some(entry) = self.entry_mut(id).filter(|entry| !entry.closed) {
            entry.held = true;
            self.refresh_ready(id, false);
        }
    }

    /// Whoever has these skills may be asked about a subtask that was held.
    pub fn release(&mut self, id: SubtaskId, skills: u8) {
        if let Some(entry) = self.entry_mut(id).filter(|entry| entry.held) {
            entry.held = false;
            entry.needs.skills = skills;
            self.refresh_ready(id, false);
        }
    }

    /// From now on it takes no more than these skills to be asked about a subtask, open or not.
    pub fn ask_less(&mut self, id: SubtaskId, skills: u8) {
        if let Some(entry) = self.entry_mut(id) {
            entry.needs.skills = skills;
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

    /// How many jobs those with these skills would take now, counted no further than `most`.
    pub fn room(&self, skills: u8, most: usize) -> usize {
        self.providers.room(skills, most)
    }
}
