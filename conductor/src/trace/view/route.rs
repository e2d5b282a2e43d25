//! Where the subtasks of a run went, in counts.

use super::RunView;
use crate::scheduler::SubtaskId;

/// One sort of task in one role at one venue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RouteView {
    /// `extract`, `read`, …
    pub task_type: String,
    /// The role.
    pub role: String,
    /// The venue.
    pub venue: String,
    /// Subtasks that were sent this way; one that was routed twice counts where it went last.
    pub subtasks: u32,
    /// Those of them with an accepted answer.
    pub verified: u32,
}

impl RunView {
    /// A subtask goes this way from now on.
    pub(super) fn routed(&mut self, id: SubtaskId, way: [&str; 3]) {
        let [task_type, role, venue] = way;
        let found =
            self.routes.iter().position(|route| [route.task_type.as_str(), &route.role, &route.venue] == way);
        let at = found.unwrap_or_else(|| {
            self.routes.push(RouteView {
                task_type: task_type.to_owned(),
                role: role.to_owned(),
                venue: venue.to_owned(),
                ..RouteView::default()
            });
            self.routes.len() - 1
        });
        let lane = self.subtask(id);
        let before = lane.route.replace(u16::try_from(at).unwrap_or(u16::MAX));
        if let Some(before) = before.and_then(|before| self.routes.get_mut(usize::from(before))) {
            before.subtasks = before.subtasks.saturating_sub(1);
        }
        self.routes[at].subtasks += 1;
    }

    /// A subtask that went some way has its answer.
    pub(super) fn arrived(&mut self, route: Option<u16>) {
        if let Some(route) = route.and_then(|route| self.routes.get_mut(usize::from(route))) {
            route.verified += 1;
        }
    }
}
