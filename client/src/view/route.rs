//! Where the subtasks of a run went, in counts.

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
