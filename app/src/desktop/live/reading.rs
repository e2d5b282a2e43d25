//! What the window sees its user do with an answer reaches the brain.

use std::time::Duration;

use frlm_learning::planning::account::Episode;
use frlm_learning::planning::account::memory::LearnerMemory;

use super::bench::{Live, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::{Screen, answer};

#[test]
fn leaving_an_answer_records_its_viewing_time_and_the_first_action() {
    let swarm = Swarm::start(2, Duration::from_millis(1), 0);
    let mut live = Live::answered(&swarm);
    let memory = LearnerMemory::at(live.home().learner());
    let noted = |wanted: fn(&Episode) -> bool| {
        let account = memory.load().unwrap();
        account.is_some_and(|account| account.episodes().any(wanted))
    };
    live.perform(&Command::Go(Screen::Answer));
    live.until("it is in front", |state| state.screen == Screen::Answer);
    live.perform(&Command::Answer(answer::Action::Copied));
    live.until("that it was copied is noted", |_| noted(|episode| episode.behaviour.copied));
    assert!(!noted(|episode| episode.behaviour.reading_secs.is_some()), "it is read still");
    live.perform(&Command::Go(Screen::Runs));
    live.until("how long it was read is noted", |_| {
        noted(|episode| {
            let seen = episode.behaviour;
            seen.reading_secs.is_some_and(|secs| secs > 0.0) && seen.first_interaction_secs.is_some()
        })
    });
}
