//! How the question of a run is taken apart, and where the subtasks go.

use frlm_learning::planning::account::Chosen;
use frlm_learning::planning::analyse::Analysis;

use super::{RouteView, StepView};

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanView {
    /// How simple the question is, where that was looked at.
    pub analysis: Option<Analysis>,
    /// How the question is taken apart, where the policy chose.
    pub chosen: Option<Chosen>,
    /// The steps of the plan, in the order of their subtasks.
    pub steps: Vec<StepView>,
    /// Where subtasks went, in the order in which that was first decided.
    pub routes: Vec<RouteView>,
}

impl PlanView {
    /// A step joins the plan. A resumed run plans again, from the first one on.
    pub(super) fn weighed(&mut self, step: StepView) {
        let at = self.steps.partition_point(|known| known.first < step.first);
        match self.steps.get_mut(at) {
            Some(known) if known.first == step.first => *known = step,
            _ => self.steps.insert(at, step),
        }
    }

    /// The step that a subtask belongs to.
    pub fn step_of(&self, subtask: u32) -> Option<&StepView> {
        let before = self.steps.partition_point(|step| step.first <= subtask).checked_sub(1)?;
        self.steps.get(before).filter(|step| subtask - step.first < step.count)
    }

    /// A subtask goes this way from now on; `route` is the one that it went before, if any.
    pub(super) fn routed(&mut self, route: &mut Option<u16>, way: [&str; 3]) {
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
        let before = route.replace(u16::try_from(at).unwrap_or(u16::MAX));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtask_that_is_routed_twice_counts_where_it_went_last() {
        let (mut plan, mut route) = (PlanView::default(), None);
        let (swarm, own) = (["read", "reader", "swarm"], ["read", "reader", "own"]);
        plan.routed(&mut None, swarm);
        plan.routed(&mut route, swarm);
        plan.routed(&mut route, own);
        plan.arrived(route);
        plan.arrived(None);
        let counts: Vec<(u32, u32)> =
            plan.routes.iter().map(|route| (route.subtasks, route.verified)).collect();
        assert_eq!(counts, [(1, 0), (1, 1)]);
    }
}
