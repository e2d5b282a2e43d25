//! What is said of all lanes at once: counted when something has changed, and not in every frame. A run may have tens
//! of thousands of them, and a frame has milliseconds.
//!
//! ```text
//!   fold of an event ──► where its lane stands now        (one lane)
//!   end of a batch, another moment, another filter ──► counts, and the list of the filter  (all lanes, once)
//!   frame ──► reads both
//! ```

use frlm_client::conductor::trace::TraceEvent;
use frlm_client::view::{RunView, StepView, SubtaskState, SubtaskView};

use super::state::{Filter, Run};

/// Where a lane stands, as small as looking at all of them needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lane {
    state: SubtaskState,
    dissent: bool,
}

impl From<&SubtaskView> for Lane {
    fn from(lane: &SubtaskView) -> Self {
        Self { state: lane.state, dissent: lane.dissent }
    }
}

/// What is known of all lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Where each stands now.
    newest: Vec<Lane>,
    /// Where each stood at the moment shown; empty while that is the newest.
    past: Vec<SubtaskState>,
    /// Those that the filter shows; `None`: all of them.
    shown: Option<Vec<u32>>,
    /// The verified ones of each step of the plan, by its position.
    verified: Vec<usize>,
    /// Those that were given up.
    gave_up: usize,
}

impl Counted {
    /// Takes note of where lanes stand after an event, which is about this one or none of them.
    pub(super) fn note(&mut self, view: &RunView, event: &TraceEvent, subtask: Option<u32>) {
        let lanes = &view.subtasks;
        if matches!(
            event,
            TraceEvent::RunStart { .. } | TraceEvent::RunResume { .. } | TraceEvent::Plan { .. }
        ) {
            // These may be about any of them.
            self.newest.clear();
        }
        if let Some(new) = lanes.get(self.newest.len()..) {
            self.newest.extend(new.iter().map(Lane::from));
        }
        if let Some(at) = subtask.map(|subtask| subtask as usize)
            && let (Some(known), Some(lane)) = (self.newest.get_mut(at), lanes.get(at))
        {
            *known = lane.into();
        }
    }

    /// Where a lane stood at the moment shown, by its position.
    fn stands(&self, at: usize) -> Option<SubtaskState> {
        self.past.get(at).copied().or_else(|| self.newest.get(at).map(|lane| lane.state))
    }

    fn count(&mut self, view: &RunView, moment: Option<u64>, filter: Filter) {
        self.past.clear();
        if let Some(moment) = moment {
            self.past.extend(view.subtasks.iter().map(|lane| lane.state_at(moment)));
        }
        let verified_of = |step: &StepView| {
            let (first, count) = (step.first as usize, step.count as usize);
            let end = first.saturating_add(count).min(self.newest.len());
            (first..end).filter(|at| self.stands(*at) == Some(SubtaskState::Verified)).count()
        };
        let verified = view.plan.steps.iter().map(verified_of).collect();
        let states = || (0..self.newest.len()).filter_map(|at| self.stands(at));
        let gave_up = match moment {
            // The run itself counts, whatever its lanes say.
            None => view.progress.gave_up,
            Some(_) => states().filter(|state| matches!(state, SubtaskState::GaveUp(_))).count(),
        };
        let fits = |(state, lane): (SubtaskState, &Lane)| match filter {
            Filter::All => true,
            Filter::Open => !is_closed(state),
            // What came of comparing is told once the lane is closed at the moment shown.
            Filter::Disputed => lane.dissent && (moment.is_none() || is_closed(state)),
            Filter::Failed => matches!(state, SubtaskState::GaveUp(_)),
        };
        let lanes = (0_u32..).zip(states().zip(&self.newest));
        let shown = (filter != Filter::All)
            .then(|| lanes.filter(|(_, lane)| fits(*lane)).map(|(id, _)| id).collect::<Vec<u32>>());
        (self.verified, self.gave_up, self.shown) = (verified, gave_up, shown);
    }
}

fn is_closed(state: SubtaskState) -> bool {
    matches!(state, SubtaskState::Verified | SubtaskState::GaveUp(_))
}

impl Run {
    /// Counts again: more was folded, or another moment or other lanes are shown.
    pub(super) fn count(&mut self) {
        self.counted.count(&self.view, self.cursor, self.filter);
    }

    /// Where a lane stood at the moment shown, by its position.
    pub fn stands(&self, at: usize) -> Option<SubtaskState> {
        self.counted.stands(at)
    }

    /// Lanes that were given up at the moment shown.
    pub fn gave_up(&self) -> usize {
        self.counted.gave_up
    }

    /// Subtasks of a step that were verified at the moment shown, by the step's position.
    pub fn verified_of(&self, step: usize) -> usize {
        self.counted.verified.get(step).copied().unwrap_or(0)
    }

    /// The positions of the lanes that the filter shows; `None`: all of them.
    pub fn shown_lanes(&self) -> Option<&[u32]> {
        self.counted.shown.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::Action;
    use super::super::samples::{Recipe, shown};
    use super::*;

    const FILTERS: [Filter; 4] = [Filter::All, Filter::Open, Filter::Disputed, Filter::Failed];

    /// What looking at every lane says.
    fn looked(run: &Run, filter: Filter) -> (Vec<SubtaskState>, usize, Vec<usize>, Vec<u32>) {
        let lanes = &run.view.subtasks;
        let states: Vec<SubtaskState> = lanes.iter().map(|lane| run.lane_state(lane)).collect();
        let gave_up = states.iter().filter(|state| matches!(state, SubtaskState::GaveUp(_))).count();
        let verified = |step: &StepView| {
            let own = step.subtasks(&run.view.subtasks).iter();
            own.filter(|lane| run.lane_state(lane) == SubtaskState::Verified).count()
        };
        let fits = |(at, state): &(u32, &SubtaskState)| match filter {
            Filter::All => true,
            Filter::Open => !matches!(state, SubtaskState::Verified | SubtaskState::GaveUp(_)),
            Filter::Disputed => lanes[*at as usize].dissent && run.is_told(&lanes[*at as usize]),
            Filter::Failed => matches!(state, SubtaskState::GaveUp(_)),
        };
        let listed = (0_u32..).zip(&states).filter(fits).map(|(at, _)| at).collect();
        (states, gave_up, run.view.plan.steps.iter().map(verified).collect(), listed)
    }

    #[test]
    fn counters_match_a_scan_of_every_part_at_any_moment_and_filter() {
        let recipes = [
            Recipe::done(41),
            Recipe::busy(41),
            Recipe::over_budget(41),
            Recipe::adaptive(41),
            Recipe::left_to_a_person(41),
            Recipe::long(2_000),
        ];
        for records in recipes {
            let mut run = shown(records, false);
            let last = run.view.at_ms;
            for moment in [None, Some(0), Some(last / 3), Some(last / 2), Some(last - 1), None] {
                run.perform(&Action::Scrub(moment));
                for filter in FILTERS {
                    run.perform(&Action::Show(filter));
                    let (states, gave_up, verified, listed) = looked(&run, filter);
                    let counted: Vec<_> = (0..states.len()).filter_map(|at| run.stands(at)).collect();
                    assert_eq!((counted, run.gave_up()), (states, gave_up), "at {moment:?}");
                    let steps: Vec<_> = (0..verified.len()).map(|step| run.verified_of(step)).collect();
                    assert_eq!(steps, verified, "at {moment:?}");
                    let shown = run.shown_lanes().map(<[u32]>::to_vec);
                    assert_eq!(shown, (filter != Filter::All).then_some(listed), "{filter:?} at {moment:?}");
                }
            }
        }
    }

    #[test]
    fn what_arrives_while_a_filter_is_set_is_counted() {
        let records = Recipe::done(41);
        let (first, rest) = records.split_at(records.len() / 2);
        let mut run = shown(first.to_vec(), true);
        run.perform(&Action::Show(Filter::Open));
        let before = run.shown_lanes().unwrap().len();
        let id = run.id.clone();
        run.apply(super::super::Event::Records { id, records: rest.to_vec() });
        assert!(before > 5);
        assert_eq!(run.shown_lanes(), Some(&[][..]));
    }
}
