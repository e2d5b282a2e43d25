//! Times of a question: a reading that drops `since`, a shared year or the meaning of a date is not sure.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

const SURE: f64 = frlm_tables::SURE;

fn sure(table: &Table, question: &str) -> Option<String> {
    match table.ask(question) {
        Answer::Unique(answer) if answer.confidence >= SURE => Some(answer.text()),
        _ => None,
    }
}

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

/// Of two years.
fn appointments() -> Table {
    let text = "id,patient,doctor,date,minutes,cost\n1,Ada,Dr. Lee,2024-03-04,30,50\n\
                2,Ben,Dr. Lee,2024-03-04,15,30\n3,Ada,Dr. Fox,2024-04-02,45,80\n4,Cem,Dr. Fox,2024-05-20,30,50\n\
                5,Dora,Dr. Lee,2024-06-11,60,120\n6,Ben,Dr. Fox,2023-03-14,30,50\n";
    table("appointments.csv", text)
}

fn bookings() -> Table {
    let text = "booking_ref,guest,date\nB1,Ada,2024-03-09\nB2,Ben,2024-04-03\nB3,Cem,2024-01-05\n\
                B4,Dora,2024-05-01\nB5,Eli,2024-03-24\nB6,Fay,2023-03-12\n";
    table("bookings.csv", text)
}

/// Of one year.
fn incidents() -> Table {
    let text = "date,site,kind,severity,downtime\n2024-01-05,Rome,power,2,30\n2024-02-11,Oslo,network,1,5\n\
                2024-04-02,Rome,network,3,120\n2024-07-19,Oslo,power,2,45\n2024-10-30,Rome,power,1,10\n\
                2024-10-30,Rome,power,1,10\n";
    table("incidents.csv", text)
}

#[test]
fn since_a_month_of_no_year_is_not_in_that_month() {
    let (appointments, bookings, incidents) = (appointments(), bookings(), incidents());
    for question in [
        "How many appointments since April?",
        "How many appointments until April?",
        "total cost since April?",
        "How many appointments since April 2?",
        "How many appointments through April?",
        "How many appointments as of April?",
        "How many appointments starting in April?",
        "How many appointments starting from April?",
        "How many appointments from April?",
        "How many appointments to April?",
        "From April on, how many appointments are there?",
        "How many appointments with date since April?",
        "How many appointments where date is since April?",
        "How many appointments since the second quarter?",
        "How many appointments since Q2 in 2024?",
        "How many appointments since April in 2024?",
        "How many appointments till Tuesday?",
        "total cost per doctor since April?",
    ] {
        assert_eq!(sure(&appointments, question), None, "{question}");
    }
    for question in [
        "Wie viele bookings bis März?",
        "Wie viele bookings seit März?",
        "Wie viele bookings ab dem 9. März?",
        "Wie viele bookings ab dem 2. Quartal?",
        "Wie viele bookings bis Ende März?",
        "Wie viele bookings gibt es von März an?",
    ] {
        assert_eq!(sure(&bookings, question), None, "{question}");
    }
    for question in ["How many incidents since Tuesday", "How many incidents from Tuesday?"] {
        assert_eq!(sure(&incidents, question), None, "{question}");
    }
}

#[test]
fn since_a_month_of_no_year_is_refused_where_there_are_several() {
    for question in ["How many appointments since April?", "total cost until Q2?"] {
        let answer = appointments().ask(question);
        assert!(!matches!(answer, Answer::Unique(_)), "{question}: {answer:?}");
    }
}

#[test]
fn since_a_quarter_is_a_comparison_where_there_is_one_year() {
    let incidents = incidents();
    for (question, right) in [
        ("How many incidents since Q2?", "4"),
        ("How many incidents until Q2?", "3"),
        ("How many incidents through Q3?", "4"),
        ("How many incidents since April?", "4"),
        ("How many incidents until April?", "3"),
        ("total downtime since Q2?", "185"),
        ("How many incidents between Q2 and Q3?", "2"),
        ("How many incidents from Q2 to Q3?", "2"),
    ] {
        assert_eq!(sure(&incidents, question).as_deref(), Some(right), "{question}");
    }
}

#[test]
fn a_comparison_that_is_made_stays_sure() {
    let (appointments, bookings) = (appointments(), bookings());
    for (question, right) in [
        ("How many appointments since April 2024?", "3"),
        ("How many appointments until 2024-04-02?", "4"),
        ("How many appointments in April?", "1"),
        ("How many appointments from March 2024?", "2"),
        ("How many appointments from 2023?", "1"),
        ("How many appointments from March to April 2024?", "3"),
        ("How many appointments from 2023 to 2024?", "6"),
        ("How many appointments with cost over 40 since 2024?", "4"),
    ] {
        assert_eq!(sure(&appointments, question).as_deref(), Some(right), "{question}");
    }
    assert_eq!(sure(&bookings, "Wie viele bookings gibt es seit April 2024?").as_deref(), Some("2"));
}

#[test]
fn alternatives_share_the_year_that_is_said_last() {
    let bookings = bookings();
    for (question, right) in [
        ("How many bookings in March or April 2024", "3"),
        ("Wie viele bookings im März oder April 2024", "3"),
        ("How many bookings in January or March or April 2024", "4"),
        ("How many bookings in Q1 or Q2 of 2024", "5"),
        ("How many bookings with guest Fay in March or April 2024", "0"),
        ("How many bookings in March 2023 or March 2024", "3"),
        ("How many bookings in March or April", "4"),
        ("How many bookings on Saturday or Sunday in 2024", "2"),
    ] {
        let Answer::Unique(answer) = bookings.ask(question) else { panic!("{question}") };
        assert_eq!(answer.text(), right, "{question}: {}", answer.reading);
    }
    assert_eq!(sure(&bookings, "How many bookings in March or April 2024").as_deref(), Some("3"));
}

#[test]
fn alternatives_of_a_month_and_a_year_are_not_sure() {
    let bookings = bookings();
    for question in [
        "How many bookings in March 2023 or 2024",
        "How many bookings in March 2023 or April",
        "How many bookings in Q1 of 2023 or 2024",
        "How many bookings in March or 2023",
        "How many bookings in March or April 2023 or 2024",
    ] {
        assert_eq!(sure(&bookings, question), None, "{question}");
    }
}

/// Without its date's name, a question of a time is not sure; with it, it is.
fn assert_date_must_be_named(table: &Table, unsure: &[&str], named: &str, right: &str) {
    for question in unsure {
        assert_eq!(sure(table, question), None, "{}: {question}", table.name());
    }
    assert_eq!(sure(table, named).as_deref(), Some(right), "{named}");
}

#[test]
fn a_date_of_an_end_is_not_when_a_record_was() {
    let contracts = "contract,client,end_date,value\nC1,Orbit,2024-06-30,1000\nC2,Delta,2026-12-31,2500\n\
                     C3,Kite,2024-09-01,800\nC4,Orbit,2025-03-31,1200\n";
    assert_date_must_be_named(
        &table("contracts2.csv", contracts),
        &[
            "How many contracts are there in 2024?",
            "total value in 2024?",
            "total value per year",
            "How many contracts before 2025?",
            "How many contracts in 2024 per client?",
        ],
        "How many contracts with end_date in 2024?",
        "2",
    );
    let policies = "policy,holder,expiry date,premium\nP1,Ada,2024-06-30,100\nP2,Ben,2026-12-31,250\n\
                    P3,Cem,2024-09-01,80\n";
    assert_date_must_be_named(
        &table("policies.csv", policies),
        &["total premium in 2024", "total premium before 2025", "How many policies per year"],
        "total premium with expiry date in 2024",
        "180",
    );
    let cars = "plate,model,registration_date,km\nA,Golf,2015-03-01,90000\nB,Polo,2020-05-05,30000\n\
                C,Clio,2020-11-11,25000\n";
    assert_date_must_be_named(
        &table("fleet_cars.csv", cars),
        &["How many cars were there in 2020?", "average km in 2020", "How many cars per year?"],
        "How many cars with registration_date in 2020?",
        "2",
    );
}

#[test]
fn weekdays_are_shown_by_name_and_in_order() {
    let text = "ref,date,cost\nM1,2024-01-08,10.5\nM2,2024-01-15,20\nM3,2024-01-09,15.25\nM4,2024-01-10,40\n";
    let meetings = table("meetings.csv", text);
    assert_eq!(
        sure(&meetings, "How many records per weekday?").as_deref(),
        Some("Monday: 2; Tuesday: 1; Wednesday: 1")
    );
}
