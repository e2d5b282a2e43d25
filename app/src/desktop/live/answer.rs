//! What can be done with an answer, by its buttons: a source is looked at, the answer rated, another question asked.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;

use super::bench::{Live, QUESTION, Swarm};
use crate::desktop::command::Command;
use crate::desktop::screens::run::Stage;
use crate::desktop::screens::{Screen, answer, ask};
use crate::desktop::state::State;

#[test]
fn an_answer_leads_to_its_lines_takes_a_rating_and_is_followed_up() {
    let swarm = Swarm::start(2, Duration::from_millis(1), 0);
    let mut live = Live::answered(&swarm);
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
}

#[test]
fn code_answers_by_a_chosen_reading_and_runs_sql_over_its_table() {
    let mut live = Live::with_settings("relays = [\"ws://127.0.0.1:1\"]\nask.by = \"auto\"\n");
    let files = [("may.csv", 4), ("june.csv", 6)].map(|(name, amount)| {
        let path = live.folder.path().join(name);
        std::fs::write(&path, format!("order,amount\n1,10.50\n2,{amount}.00\n")).unwrap();
        path
    });
    live.perform(&Command::Go(Screen::Ask));
    live.perform(&Command::Ask(ask::Action::Venue(ask::Venue::Relays)));
    live.perform(&Command::Ask(ask::Action::Add(files.into())));
    live.perform(&Command::Ask(ask::Action::Question("What is the total amount?".to_owned())));
    let readings = |state: &State| {
        let ask::Previewed::Known { readings, by_code, .. } = &state.ask.previewed else {
            return (Vec::new(), false);
        };
        (readings.clone(), *by_code)
    };
    live.until("two readings are offered", |state| readings(state).0.len() == 2);
    let june = readings(live.state()).0.into_iter().find(|reading| reading.choice.file == "june.csv");
    live.perform(&Command::Ask(ask::Action::ReadAs(june)));
    live.until("code would answer", |state| readings(state).1);
    live.perform(&Command::Ask(ask::Action::Start));
    let said = |state: &State, file: &str| {
        let reading = state.answered().and_then(|answer| answer.reading.as_ref());
        reading.is_some_and(|reading| reading.file == file) && state.run.stage == Stage::Recorded
    };
    live.until("code answers over june", |state| said(state, "june.csv"));
    assert!(live.state().answered().unwrap().answer.starts_with("16.5 ("));
    live.perform(&Command::Go(Screen::Answer));
    live.until("its rows are read", |state| state.answer.table.file.row(1).is_some());
    live.press("Show the SQL");
    let sql = "SELECT amount FROM june WHERE amount < 7".to_owned();
    live.perform(&Command::Answer(answer::Action::Table(answer::table::Action::Sql(sql))));
    live.press("Run the SQL");
    live.until("it has run", |state| state.answer.table.found.row(0).is_some_and(|row| row.cells == ["6"]));
    live.press("Ask it this way");
    live.until("code answers over may", |state| said(state, "may.csv"));
}
