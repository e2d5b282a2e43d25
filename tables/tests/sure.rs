//! Questions that are easily misread: each is answered right, answered unsure, asked back or refused.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

const SURE: f64 = frlm_tables::READ_WHOLE;

fn orders() -> Table {
    let text = "order,customer,department,status,amount,discount,date\n\
                1,Ada,IT,open,100.00,10%,2025-03-04\n\
                2,Bob,HR,returned,250.50,5%,2026-01-05\n\
                3,Ada,IT,placed,75.25,0%,2026-02-06\n\
                4,Cem,OR,open,1500.00,20%,2026-03-07\n\
                5,Ada,HR,returned,20.00,10%,2026-03-08\n";
    Table::load("sales.csv", text, &LoadOptions::default()).unwrap()
}

/// The first cell of an answer that is sure of itself.
fn sure(table: &Table, question: &str) -> Option<String> {
    match table.ask(question) {
        Answer::Unique(answer) if answer.confidence >= SURE => {
            Some(answer.outcome.rows.first().map_or_else(String::new, |row| row[0].to_string()))
        }
        _ => None,
    }
}

#[test]
fn a_sure_answer_is_the_right_one() {
    let table = orders();
    for (question, right) in [
        ("How many records are in IT?", "2"),
        ("How many orders are in OR?", "1"),
        ("How many orders were returned?", "2"),
        ("How many orders were placed?", "1"),
        ("How many orders are from 2025?", "1"),
        ("What is the latest amount?", "20"),
        ("What is the last amount?", "20"),
        ("How many customers have more than 2 orders?", "1"),
        ("How many records have amount over 1.000?", "1"),
        ("How many records have discount over 0.1?", "2"),
        ("What is the second highest amount?", "250.5"),
        ("What is the total amount without discount?", "75.25"),
        ("How many orders are neither open nor returned?", "1"),
        ("What is the average amount per customer?", "65.08"),
        ("How many orders were cancelled?", "0"),
        ("How many orders were received?", "0"),
        ("How many orders were not returned?", "3"),
        ("How many orders are not open or returned?", "1"),
        ("How many orders of Ada are open?", "1"),
        ("What is the total amount of Ada and Bob?", "445.75"),
        ("How many orders have amount between 75 and 250?", "2"),
        ("What is the oldest amount?", "100"),
        ("How many orders are there in 2026 from Ada?", "2"),
        ("How many orders are there except in HR?", "3"),
        ("What is the highest amount in 2026 except Cem?", "250.5"),
        ("How many orders over 100?", "2"),
        ("How many open orders have a discount of at least 10%?", "2"),
    ] {
        if let Some(found) = sure(&table, question) {
            let same = found == right
                || found
                    .parse::<f64>()
                    .is_ok_and(|found| (found - right.parse::<f64>().unwrap()).abs() < 0.01);
            // Of several rows, the first may be any.
            assert!(same || question.contains(" per "), "{question}: {found} instead of {right}");
        }
    }
}

#[test]
fn small_words_that_are_values_are_values() {
    let table = orders();
    for (question, right) in [
        ("How many records are in IT?", "2"),
        ("How many orders were returned?", "2"),
        ("How many orders are from 2025?", "1"),
        ("What is the latest amount?", "20"),
    ] {
        assert_eq!(sure(&table, question).as_deref(), Some(right), "{question}");
    }
}

#[test]
fn amounts_of_several_currencies_are_not_compared_with_confidence() {
    let table =
        Table::load("p.csv", "ref,amount\na,$5.00\nb,€700.00\nc,£25.00\n", &LoadOptions::default()).unwrap();
    let Answer::Unique(largest) = table.ask("What is the largest amount?") else { panic!("one reading") };
    assert_eq!(largest.outcome.rows.len(), 3, "one of each currency");
    assert_eq!(sure(&table, "How many records have amount over 10?"), None);
}

#[test]
fn lines_of_a_log_with_a_field_are_its_records() {
    let text =
        "order=1 user=ada status=failed\norder=2 user=ben status=shipped\norder=3 user=ada status=failed\n";
    let table = Table::load("orders.log", text, &LoadOptions::default()).unwrap();
    assert_eq!(sure(&table, "How many lines have status failed?").as_deref(), Some("2"));
    assert_eq!(sure(&table, "How many lines are there?").as_deref(), Some("3"));
}

#[test]
fn the_oldest_has_the_smallest_year_and_branches_are_added_up() {
    let films =
        Table::load("films.csv", "title,year\nA,1990\nB,2001\nC,1975\n", &LoadOptions::default()).unwrap();
    assert_eq!(sure(&films, "Which film is the oldest?").as_deref().filter(|found| *found != "C"), None);
    let branches =
        Table::load("branches.csv", "city,branches\nBonn,3\nKiel,9\nUlm,4\n", &LoadOptions::default())
            .unwrap();
    assert_eq!(
        sure(&branches, "Which city has the most branches?").as_deref().filter(|found| *found != "Kiel"),
        None
    );
}

#[test]
fn a_verb_that_may_be_a_condition_is_no_sure_answer() {
    let table = orders();
    for question in [
        "How many orders were sent in March?",
        "How many orders were received from Ada?",
        "How many orders did Ada sell?",
        "How many orders did Ada ship in 2026?",
        "Which customer refunded the most orders?",
    ] {
        assert_eq!(sure(&table, question), None, "{question}");
    }
    for (question, right) in [
        ("How many orders did Ada place?", "3"),
        ("How many orders come from Ada?", "3"),
        ("How many orders did Ada return?", "1"),
    ] {
        if let Some(found) = sure(&table, question) {
            assert_eq!(found, right, "{question}");
        }
    }
}

#[test]
fn one_value_is_not_answered_with_several_and_sure() {
    let table = orders();
    assert_eq!(sure(&table, "What is the amount of Ada?"), None);
    assert_eq!(sure(&table, "Wie hoch ist der Betrag?"), None);
    assert_eq!(sure(&table, "What is the amount of Bob?").as_deref(), Some("250.5"));
    assert_eq!(sure(&table, "What is the amount of Ada in total?").as_deref(), Some("195.25"));
}

#[test]
fn a_decade_is_no_length_of_time() {
    let text = "title,year\nA,1985\nB,1991\nC,1999\nD,2003\n";
    let table = Table::load("movies.csv", text, &LoadOptions::default()).unwrap();
    for (question, right) in [
        ("How many movies are from the 90s?", "2"),
        ("How many movies are from the 1980s?", "1"),
        ("How many movies are from 1991?", "1"),
        ("How many movies came out after 1991?", "2"),
        ("How many movies are from the nineties?", "2"),
    ] {
        assert_eq!(sure(&table, question).as_deref(), Some(right), "{question}");
    }
    assert_eq!(sure(&table, "How many movies have year over 90 s?"), None);
}

#[test]
fn different_things_are_told_apart_or_refused() {
    let table = orders();
    assert_eq!(sure(&table, "How many different customers are there?").as_deref(), Some("3"));
    // Amounts of different customers are no one number.
    assert_eq!(sure(&table, "What is the highest different amount of the customers?"), None);
}

#[test]
fn a_value_before_the_word_for_records_is_a_condition() {
    let text = "student,course,score,group\nA,art,50,B\nB,maths,70,B\nC,art,90,C\nD,maths,10,C\n";
    let table = Table::load("students.csv", text, &LoadOptions::default()).unwrap();
    for (question, right) in [
        ("What is the average score in art students that are in group B?", "50"),
        ("How many art students are there?", "2"),
        ("What is the highest score of maths students?", "70"),
    ] {
        if let Some(found) = sure(&table, question) {
            assert_eq!(found, right, "{question}");
        }
    }
}

#[test]
fn what_is_still_out_is_not_everything() {
    let text = "Loan,Title,Back\nL1,Emma,2025-02-01\nL2,Dune,\nL3,Ubik,2025-02-09\n";
    let loans = Table::load("loans.csv", text, &LoadOptions::default()).unwrap();
    assert_eq!(sure(&loans, "How many loans are there?").as_deref(), Some("3"));
    for question in ["How many loans are still out?", "How many loans are out?"] {
        assert_eq!(sure(&loans, question), None, "{question}");
    }
}

#[test]
fn what_was_spent_is_no_sure_list_of_amounts() {
    let text = "day,shop,amount\n2026-03-01,Aldi,10.50\n2026-03-02,Rewe,20.00\n2026-03-09,Aldi,5.25\n";
    let expenses = Table::load("expenses.csv", text, &LoadOptions::default()).unwrap();
    assert_ne!(sure(&expenses, "What did we spend at Aldi?").as_deref(), Some("10.5"));
}

#[test]
fn how_many_of_a_currency_is_an_amount() {
    let text = "what,amount,reimbursed\nTrain,€46.82,yes\nTaxi,$51.88,yes\nHotel,$120.00,no\nTea,$3.10,no\n";
    let expenses = Table::load("expenses.csv", text, &LoadOptions::default()).unwrap();
    for (question, right) in [
        ("How many dollars have not been reimbursed yet?", "123.1"),
        ("How many euros have been reimbursed?", "46.82"),
        ("How many expenses have been reimbursed?", "2"),
    ] {
        let Answer::Unique(answer) = expenses.ask(question) else { panic!("{question}") };
        assert_eq!(answer.outcome.rows[0][0].to_string(), right, "{question}: {}", answer.reading);
    }
}

#[test]
fn a_heart_rate_is_no_number_of_hours() {
    let text = "date,time,Avg HR\n2025-04-01,1:51:15,139\n2025-04-03,24:18,150\n2025-04-05,31:34,168\n";
    let runs = Table::load("runs.csv", text, &LoadOptions::default()).unwrap();
    for question in
        ["How many runs took me longer than an hour?", "How many runs took longer than 60 minutes?"]
    {
        assert!(sure(&runs, question).is_none_or(|found| found == "1"), "{question}");
    }
}

#[test]
fn a_count_of_something_is_no_measure_and_missing_cells_are_no_value() {
    let plots = "Plot,Tenant,Rent 2025,Email\nA1,Ann,£35.00,a@x.example\nA2,Bob,£30.00,\nA3,Ann,£20.00,a@x.example\nA4,Cem,£35.00,\nA5,Dan,£30.00,d@x.example\n";
    let plots = Table::load("plot register.csv", plots, &LoadOptions::default()).unwrap();
    assert!(sure(&plots, "Which people rent more than one plot?").is_none_or(|first| first == "Ann"));
    let Answer::Unique(answer) = plots.ask("Which email addresses appear more than once?") else {
        panic!("no answer")
    };
    assert_eq!(answer.text(), "a@x.example: 2");
}
