//! The budget of a run is raised while it is under way, by the buttons for it, over a real relay.

use std::time::Duration;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::ask;

#[test]
fn a_budget_raised_in_mid_run_shows_in_ledger_record_and_answer() {
    let swarm = Swarm::start(2, Duration::from_millis(60), 2_000);
    let mut live = Live::with_settings(&(swarm.settings() + "[ask]\nfragment_lines = 4\n"));
    live.fill_in(240);
    live.perform(&Command::Ask(ask::Action::Budget(1_000)));
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("the run is under way", |state| state.run.view.progress.verified() > 0);
    live.click("Raise the budget");
    live.until("a higher budget is asked for", |state| state.run.budget_typed.is_some());
    live.click("Raise to 2,000 sats");
    live.until("the run has it", |state| state.run.view.budget.limit_sats == 2_000);
    live.until("the form is closed", |state| state.run.raising.is_none());
    live.until_answered();
    assert_eq!(live.state().answered().unwrap().budget.limit_sats, 2_000);
    assert_eq!(live.state().run.view.budget.at(0), 1_000);

    // The record knows it too, from the moment on at which it was raised.
    live.open_again();
    let view = &live.state().run.view;
    assert_eq!((view.budget.at(0), view.budget.limit_sats), (1_000, 2_000));
}
