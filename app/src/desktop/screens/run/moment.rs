//! A run as it stood at the moment shown: the newest, or an earlier one, of which nothing is said that came after it.

use frlm_client::learning::planning::hints::HintRecord;
use frlm_client::view::{AttemptView, SubtaskState, SubtaskView};

use super::state::Run;
use super::tiers::Tiers;

impl Run {
    /// The moment shown, in milliseconds since the run began.
    pub fn moment(&self) -> u64 {
        self.cursor.unwrap_or(self.view.at_ms)
    }

    /// What the tiers of verification had let through at the moment shown.
    pub fn tiers(&self) -> Tiers {
        match self.cursor {
            None => Tiers::now(&self.view, &self.posteriors),
            Some(moment) => self.tiers.at(moment),
        }
    }

    /// Sats that were refunded from jobs at the moment shown: reclaimed, or never needed.
    pub fn came_back(&self) -> u64 {
        let after = self.came_back.partition_point(|(at_ms, _)| *at_ms <= self.moment());
        after.checked_sub(1).map_or(0, |last| self.came_back[last].1)
    }

    /// Where a lane stood at the moment shown.
    pub fn lane_state(&self, lane: &SubtaskView) -> SubtaskState {
        match self.cursor {
            None => lane.state,
            Some(moment) => lane.state_at(moment),
        }
    }

    /// Whether what came of comparing a lane's answers is told at the moment shown: once the lane is closed.
    pub fn is_told(&self, lane: &SubtaskView) -> bool {
        self.cursor.is_none()
            || matches!(self.lane_state(lane), SubtaskState::Verified | SubtaskState::GaveUp(_))
    }

    /// An attempt as it stood at the moment shown; `None` before it was handed out.
    pub fn as_it_stood(&self, attempt: &AttemptView) -> Option<AttemptView> {
        let until = self.moment();
        let mut stood = (attempt.submitted_ms <= until).then(|| attempt.clone())?;
        stood.processing_ms = stood.processing_ms.filter(|began| *began <= until);
        if stood.ended_ms.is_some_and(|ended| ended > until) {
            stood = AttemptView {
                ended_ms: None,
                ending: None,
                said: None,
                summary: Box::default(),
                tokens: 0,
                spent_sats: 0,
                owed_sats: 0,
                // What was reserved for it is not kept once it ended.
                held_sats: 0,
                ..stood
            };
        }
        Some(stood)
    }

    /// What became of the advice for a step, by its position: said of runs that are not under way, as the end decides.
    pub fn hint_record(&self, step: usize) -> Option<HintRecord> {
        self.hint_records.get(step).copied().filter(|_| self.cursor.is_none())
    }

    /// Once, and not in every frame: it looks at every attempt of the run.
    pub(super) fn weigh_advice(&mut self) {
        self.hint_records =
            self.view.plan.steps.iter().map(|step| step.hint_record(&self.view.subtasks)).collect();
    }
}
