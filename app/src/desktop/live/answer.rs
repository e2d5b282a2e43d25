//! What can be done with an answer, by its buttons: a source is looked at, the answer rated, another question asked.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;

use super::bench::{Live, QUESTION, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::run::Stage;
use crate::desktop::screens::{Screen, answer, ask};

#[test]
fn an_answer_leads_to_its_lines_takes_a_rating_and_is_followed_up() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let swarm = Swarm::start(&runtime, 2, Duration::from_millis(1), 0);
    let mut live = Live::with_settings(&swarm.settings());
    live.fill_in(40);
    live.perform(&Command::Ask(ask::Action::Start));
    live.until("the answer is there", |state| {
        state.answered().is_some() && state.run.stage == Stage::Recorded
    });
    live.perform(&Command::Go(Screen::Answer));
    live.window().step();
    let window = live.window();
    window.get_all_by_label_contains("Show source 1: orders.log").next().unwrap().click_accesskit();
    live.until("its lines are read", |state| state.answer.context.is_some());
    let [first, _] = live.state().answered().unwrap().citations[0].lines;
    let lines = live.state().answer.context.clone().unwrap().lines.unwrap();
    let cited = lines.iter().find(|(number, _)| *number == first).unwrap();
    assert!(cited.1.contains("status=failed") && lines.len() > 1, "{lines:?}");

    live.press("4 stars");
    live.press("Thumbs up");
    live.perform(&Command::Answer(answer::Action::Comment("as I counted".to_owned())));
    live.press("Save the rating");
    live.until("it is kept", |state| state.answer.rated.is_some());
    live.window().get_by_label_contains("saved on this machine");
    let kept = std::fs::read_to_string(live.home().ratings()).unwrap();
    assert!(kept.contains("as I counted"), "{kept}");

    let run = live.state().run.id.clone();
    live.press("Ask a follow-up");
    live.until("the form is open", |state| state.screen == Screen::Ask && state.ask.files.len() == 1);
    let form = live.state().ask.clone();
    assert!(form.question.is_empty() && form.files[0].ends_with("orders.log"));
    let follows = form.follows.unwrap();
    assert_eq!((follows.run, follows.question.as_str()), (run, QUESTION));
    swarm.stop(&runtime);
}
