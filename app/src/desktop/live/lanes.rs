//! A part is cancelled and asked again, by the buttons of the lane panel, in a run over a real relay.

use std::time::Duration;

use frlm_client::view::SubtaskState;
use frlm_scheduler::FailureReason;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::{ask, run};

#[test]
fn a_part_is_called_off_and_asked_again_by_its_buttons() {
    let swarm = Swarm::start(2, Duration::from_millis(60), 0);
    let mut live = Live::with_settings(&(swarm.settings() + "[ask]\nfragment_lines = 4\n"));
    live.fill_in(240);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("the run is under way", |state| state.run.view.progress.verified() > 0);
    let last = u32::try_from(live.state().run.view.subtasks.len()).unwrap() - 1;
    live.perform(&Command::Run(run::Action::Lane(last)));
    live.click("Cancel this part");
    live.until("it is cancelled", move |state| {
        state.run.view.subtasks[last as usize].state == SubtaskState::GaveUp(FailureReason::Cancelled)
    });
    live.click("Ask this part again");
    live.until("the answer is there", |state| state.answered().is_some());
    let lane = live.state().run.view.subtasks[last as usize].clone();
    assert_eq!((lane.state, lane.given_up.len()), (SubtaskState::Verified, 1));
    assert!(live.state().answered().unwrap().answer.starts_with("48 "));
    assert!(live.state().run.ordered.is_empty());
}
