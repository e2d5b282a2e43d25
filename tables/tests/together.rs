//! What several words say together: conditions on what is not there, columns by their number, groups side by side, parts of cells.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use frlm_tables::{Answer, Table};

use common::{answer, load};

fn visits() -> Table {
    load(
        "ward.csv",
        "Patient,BP,Pulse,Test 1,Test 2,Receipt\nAda,130/73,71,20,25,A1\nBob,151/90,,31,30,\nCem,145/80,80,12,19,A3\nDora,118/60,66,28,35,\n",
    )
}

#[test]
fn what_is_not_noted_is_a_condition() {
    let visits = visits();
    for question in [
        "For how many patients is the pulse not recorded?",
        "In how many rows did we forget the pulse?",
        "How many patients have no pulse noted?",
    ] {
        assert_eq!(answer(&visits, question), "1", "{question}");
    }
}

#[test]
fn a_part_of_a_cell_is_measured() {
    let visits = visits();
    assert_eq!(answer(&visits, "How many patients had a systolic value above 140?"), "2");
    assert_eq!(answer(&visits, "How often was the upper blood pressure value over 140?"), "2");
    assert_eq!(answer(&visits, "Average diastolic pressure?"), "75.75");
}

#[test]
fn columns_are_named_by_their_number() {
    let visits = visits();
    assert_eq!(answer(&visits, "What is the average of the second test?"), "27.25");
    assert_eq!(answer(&visits, "Who did better in the second test than in the first?"), "Ada; Cem; Dora");
}

#[test]
fn lengths_of_time_are_those_that_clocks_show() {
    let race = load(
        "race.csv",
        "Name,Class,Finish\nAda,W30,3:41:05\nBob,M40,4:02:10\nCem,M30,DNF\nDora,W40,3:59:59\nEmil,M30,3:20:00\nFay,W20,4:40:00\n",
    );
    assert_eq!(answer(&race, "Who won the race?"), "Emil 3:20:00");
    assert_eq!(answer(&race, "How many runners did not finish?"), "1");
    assert_eq!(answer(&race, "How many finished in under four hours?"), "3");
    assert_eq!(answer(&race, "Who was the fastest woman?"), "Ada 3:41:05");
}

#[test]
fn what_says_yes_or_nothing_says_no_by_nothing() {
    let bookings = load(
        "bookings.csv",
        "Guest,Amount,Cancelled\nAda,100,\nBob,50,yes\nCem,70,\nDora,30,yes\nEmil,10,\n",
    );
    assert_eq!(answer(&bookings, "What is the total amount of the bookings that were not cancelled?"), "180");
}

#[test]
fn one_number_for_each_of_them_is_no_number_of_all() {
    let table = load("vet_visits.csv", "visit,seen by,fee\n1,Hale,10\n2,Osei,20\n3,Hale,30\n");
    if let Answer::Unique(answer) = table.ask("average fee for each of the vets please") {
        assert!(answer.confidence < 0.8, "{}", answer.reading);
    }
}

#[test]
fn columns_that_only_blanks_part_are_a_table() {
    let text = "HOST     DATE        SIZE      TOOK  STATUS\natlas    2025-06-01  8.5G     1h30m  OK\nboreas   2025-06-01  829M     5m36s  FAILED\n\
                ceres    2025-06-02  1.3G     7m42s  OK\ndione    2025-06-02  552K       18s  FAILED\n";
    let backups = load("backups.txt", text);
    assert_eq!(answer(&backups, "How many backups were larger than 1 GB?"), "2");
    assert_eq!(answer(&backups, "How many backups failed per host?"), "boreas 1; dione 1");
}

#[test]
fn what_the_file_does_not_hold_is_refused() {
    let visits = visits();
    for question in
        ["Which antibiotic is Ada on?", "How many calories did Bob eat?", "What is the age of Cem?"]
    {
        assert!(matches!(visits.ask(question), Answer::Refused(_)), "{question}: {:?}", visits.ask(question));
    }
}

/// Tests of rowers, whose header has a name that looks like a number and whose times have tenths.
fn rowers() -> Table {
    load(
        "erg.csv",
        "Test date,Rower,2k,Rate,Worked\n12-Oct-24,Orla,7:37.7,27,1 Std.\n12-Oct-24,Max,8:02.1,30,45 Min.\n22-Mar-25,Orla,7:30.9,26,\"1,5 Std.\"\n\
         22-Mar-25,Beth,8:04.6,33,30 Min.\n22-Mar-25,Max,DNF,31,20 Min.\n23-Mar-25,Ann,8:00.0,30,50 Min.\n",
    )
}

#[test]
fn a_time_of_minutes_and_tenths_is_a_length_of_time() {
    let rowers = rowers();
    assert_eq!(answer(&rowers, "What is the smallest \"2k\"?"), "7:30.9");
    assert_eq!(answer(&rowers, "What is the largest \"2k\" with Rower Ann?"), "8:00.0");
    assert_eq!(answer(&rowers, "What is the total Worked in minutes?"), "295");
}

#[test]
fn a_last_row_of_averages_is_no_record() {
    let marks =
        load("marks.csv", "Name;Deutsch;Fehltage\nAda;2,0;3\nBob;4,0;5\nCem;3,0;1\nDurchschnitt;3,0;3\n");
    assert_eq!(answer(&marks, "What is the total Fehltage?"), "9");
    assert_eq!(answer(&marks, "How many records are there?"), "3");
}
