//! What can be done with a run now, and why not.

use frlm_client::verifier::decisions::Verb;
use frlm_client::view::{Ending, SubtaskState, SubtaskView, TellingView};

use super::state::{INTERRUPTED, MOST_SATS, Run, Stage};
use super::words;
use frlm_client::failure::code::UNVERIFIED;

impl Run {
    /// Whether it stopped without an answer, so that it can go on.
    pub fn can_go_on(&self) -> bool {
        self.is_some()
            && self.stage == Stage::Recorded
            && !matches!(self.view.ending, Some(Ending::Answered(_)))
    }

    /// The decision by which the run was left to a person, if it was.
    pub fn awaits_person(&self) -> Option<&TellingView> {
        let Some(Ending::Failed { exit_code: UNVERIFIED, .. }) = &self.view.ending else { return None };
        let tellings = self.view.tellings.iter().rev();
        let escalates = |telling: &&TellingView| {
            telling.decided.as_ref().is_some_and(|decided| decided.verb == Verb::Escalate)
        };
        tellings.filter(|_| self.can_go_on()).find(escalates)
    }

    /// Whether going on with what is verified can give an answer.
    pub fn can_be_accepted(&self) -> bool {
        self.awaits_person().is_some() && self.view.progress.verified() > 0
    }

    /// Whether nothing of its record is there yet: what it came to is not known, which is not nothing.
    pub fn is_unread(&self) -> bool {
        self.stage == Stage::Reading && self.events.is_empty()
    }

    /// Why it ended without an answer; one that was paused has not ended.
    pub fn failure(&self) -> Option<&str> {
        match &self.view.ending {
            Some(Ending::Failed { error, exit_code }) if *exit_code != INTERRUPTED && !self.is_live() => {
                Some(error.as_str())
            }
            _ => None,
        }
    }

    /// Whether it can be paused.
    pub fn can_pause(&self) -> bool {
        self.stage == Stage::Live
    }

    /// Whether it is under way in this process.
    pub fn is_live(&self) -> bool {
        matches!(self.stage, Stage::Live | Stage::Pausing)
    }

    /// Whether a part can be cancelled now.
    pub fn can_cancel(&self, lane: u32) -> bool {
        let open =
            |lane: &SubtaskView| !matches!(lane.state, SubtaskState::Verified | SubtaskState::GaveUp(_));
        self.takes_orders(lane) && self.view.subtasks.get(lane as usize).is_some_and(open)
    }

    /// Whether a lane that was given up can be asked again now.
    pub fn can_ask_again(&self, lane: u32) -> bool {
        let given_up = |lane: &SubtaskView| matches!(lane.state, SubtaskState::GaveUp(_));
        self.takes_orders(lane) && self.view.subtasks.get(lane as usize).is_some_and(given_up)
    }

    fn takes_orders(&self, lane: u32) -> bool {
        self.stage == Stage::Live && !self.ordered.contains(&lane)
    }

    /// Whether a higher budget would change something: it is under way, or can go on.
    pub fn can_raise(&self) -> bool {
        (self.stage == Stage::Live && self.raising.is_none()) || self.can_go_on()
    }

    /// The budget as typed, or why it cannot be one.
    pub fn typed_budget(&self) -> Result<u64, String> {
        let typed = self.budget_typed.as_deref().unwrap_or_default();
        // Grouped as amounts are shown, it is a number too.
        let digits: String = typed.chars().filter(|letter| !letter.is_whitespace()).collect();
        let budget: u64 = digits.parse().map_err(|_| words::not_a_budget(self.unit))?;
        if budget > MOST_SATS {
            return Err(words::more_than_exist(self.unit));
        }
        if budget <= self.view.budget.limit_sats {
            return Err(words::can_only_rise(&self.unit.amount(self.view.budget.limit_sats)));
        }
        Ok(budget)
    }
}
