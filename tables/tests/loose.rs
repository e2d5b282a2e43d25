//! Questions without an exact reading: the closest one is found, says what it passed over, and is never sure. What the file does not
//! tell is still refused.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

const VISITS: &str = "visit_id,date,owner,pet,species,reason,vet,weight_kg,fee\n\
    1,2025-01-03,Carla Moss,Bruno,dog,check-up,Dr Hale,21.5,40.00\n\
    2,2025-02-11,Tom Reed,Mimi,cat,surgery,Dr Osei,4.1,320.50\n\
    3,2025-03-02,Carla Moss,Bruno,dog,surgery,Dr Osei,22.0,410.00\n\
    4,2025-03-20,Ines Vogel,Rex,dog,check-up,Dr Hale,,35.00\n\
    5,2025-04-01,Tom Reed,Mimi,cat,check-up,Dr Hale,4.3,38.00\n";

fn visits() -> Table {
    Table::load("vet_visits.csv", VISITS, &LoadOptions::default()).unwrap()
}

/// The first row of the only answer. None of them may be sure.
fn loosely(question: &str) -> Vec<String> {
    match visits().ask(question) {
        Answer::Unique(answer) => {
            assert!(answer.confidence < 0.8, "{question}: {}", answer.confidence);
            let row = answer.outcome.rows.first();
            row.into_iter().flatten().map(ToString::to_string).collect()
        }
        other => panic!("{question}: {other:?}"),
    }
}

#[test]
fn a_verb_speaks_of_the_column_that_it_measures() {
    assert_eq!(loosely("What does Mimi weigh on average?")[0], "4.2");
    assert_eq!(loosely("What did we charge for surgery on average?")[0], "365.25");
}

#[test]
fn words_that_name_nothing_are_passed_over_and_named() {
    let Answer::Unique(answer) = visits().ask("How many dogs wandered into our clinic in March?") else {
        panic!("no answer")
    };
    assert_eq!(answer.outcome.rows[0][0].to_string(), "2");
    assert!(answer.notes.iter().any(|note| note.contains("\"wandered\"")), "{:?}", answer.notes);
}

#[test]
fn several_things_are_told_of_one_row_in_the_order_they_are_asked() {
    assert_eq!(
        loosely("Which pet was the heaviest on our scales, and when was that?")[..2],
        ["Bruno", "2025-03-02"]
    );
}

#[test]
fn what_was_done_is_added_up() {
    assert_eq!(loosely("What did Tom Reed pay altogether?")[0], "358.5");
}

#[test]
fn a_remark_beside_the_question_is_left_out_and_said() {
    let question = "How many visits did Dr Hale have in March? I want to thank him.";
    let Answer::Unique(answer) = visits().ask(question) else { panic!("no answer") };
    assert_eq!(answer.outcome.rows[0][0].to_string(), "1");
    assert!(
        answer.confidence < 0.8 && answer.notes.iter().any(|note| note.contains("thank him")),
        "{answer:?}"
    );
}

#[test]
fn a_state_that_no_value_says_is_not_passed_over() {
    let text = "id,method,path\n1,GET,/a\n2,POST,/b\n3,POST,/c\n";
    let requests = Table::load("requests.csv", text, &LoadOptions::default()).unwrap();
    if let Answer::Unique(answer) = requests.ask("How many POSTs failed?") {
        assert!(answer.confidence <= 0.6, "{answer:?}");
    }
}

#[test]
fn what_is_measured_must_be_in_the_file() {
    for question in [
        "What is the average temperature of the dogs?",
        "How many vaccines does the average dog get?",
        "What was the highest blood pressure?",
    ] {
        assert!(
            matches!(visits().ask(question), Answer::Refused(_)),
            "{question}: {:?}",
            visits().ask(question)
        );
    }
}
