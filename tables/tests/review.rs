//! The cases of a review in which ordinary questions were answered wrong, and sure of it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::fmt::Write as _;

use frlm_tables::{Answer, LoadOptions, Table};

const SURE: f64 = 0.8;

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

/// The first cell of the only reading, and how sure it is.
fn asked(table: &Table, question: &str) -> (String, f64) {
    match table.ask(question) {
        Answer::Unique(answer) => {
            (answer.outcome.rows.first().map_or(String::new(), |row| row[0].to_string()), answer.confidence)
        }
        other => panic!("{question}: {other:?}"),
    }
}

fn employees() -> Table {
    let mut text = String::from("Name,Department,Salary,Hired,Remote\n");
    for row in 0..120 {
        let department = ["Engineering", "Sales", "Support", "Finance"][row % 4];
        let salary = 40 + row * 7 % 101;
        writeln!(
            text,
            "Person {row},{department},\"{salary},{:03}\",{}/{}/2019,yes",
            row * 13 % 1000,
            row % 12 + 1,
            row % 28 + 1
        )
        .unwrap();
    }
    table("employees.csv", &text)
}

fn salaries(department: Option<usize>) -> Vec<i64> {
    (0..120_i64)
        .filter(|row| department.is_none_or(|wanted| row % 4 == i64::try_from(wanted).unwrap()))
        .map(|row| (40 + row * 7 % 101) * 1000 + row * 13 % 1000)
        .collect()
}

#[test]
fn thousands_in_quotes_are_thousands() {
    let table = employees();
    let all = salaries(None);
    let sum: i64 = all.iter().sum();
    assert_eq!(asked(&table, "What is the total Salary?"), (sum.to_string(), 1.0));
    assert_eq!(asked(&table, "What is the highest Salary?").0, all.iter().max().unwrap().to_string());
    let over = all.iter().filter(|salary| **salary > 100_000).count();
    assert_eq!(asked(&table, "How many records have Salary over 100000?").0, over.to_string());
    let engineers = salaries(Some(0));
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let mean = engineers.iter().sum::<i64>() as f64 / engineers.len() as f64;
    let (average, confidence) = asked(&table, "What is the average salary in Engineering?");
    assert!((average.parse::<f64>().unwrap() - mean).abs() < 0.01, "{average} {mean}");
    assert!(confidence >= SURE);
}

#[test]
fn decimal_commas_are_decimals() {
    let text = "Nr;Kunde;Betrag;Status\n1;Meier;99,21;offen\n2;Schulz;6.681,88;storniert\n3;Kurz;9.855,16;offen\n4;Lang;12,00;bezahlt\n";
    let table = table("rechnungen.csv", text);
    assert_eq!(asked(&table, "What is the total Betrag?"), ("16648.25".to_owned(), 1.0));
    assert_eq!(asked(&table, "What is the total Betrag with Status offen?").0, "9954.37");
    let Answer::Unique(largest) = table.ask("What is the largest Betrag?") else { panic!("one reading") };
    assert_eq!(
        (largest.outcome.rows[0][0].to_string().as_str(), largest.outcome.lines.as_slice()),
        ("9855.16", &[4][..])
    );
    assert_eq!(asked(&table, "How many records have Betrag over 100?").0, "2");
    assert_eq!(asked(&table, "Wie viele Rechnungen haben den Status offen?").0, "2");
    assert_eq!(asked(&table, "Wie hoch ist die Summe der Beträge?").0, "16648.25");
}

#[test]
fn units_of_one_column_are_made_one() {
    let text = "10:00:01 INFO user=ada latency=5s\n10:00:02 INFO user=bob latency=300ms\n10:00:03 INFO user=cem latency=501ms\n";
    let table = table("app.log", text);
    let (count, confidence) = asked(&table, "How many records have latency over 500?");
    assert_eq!(count, "2");
    assert!(confidence < SURE, "the unit was guessed");
    assert_eq!(asked(&table, "How many records have latency over 1 s?"), ("1".to_owned(), 1.0));
}

#[test]
fn a_quoted_comma_is_part_of_a_name() {
    let text = "employee,amount\n\"Smith, John\",\"1,204.50\"\n\"SMITH, JOHN\",(45.00)\n\"Doe, Jane\",12.00\n\"Smith, John\",\"2,000.00\"\n";
    let table = table("expenses.csv", text);
    let (count, confidence) = asked(&table, "How many records have employee Smith, John?");
    assert_eq!(count, "3");
    assert!(confidence < SURE, "two spellings were taken as one");
    assert_eq!(asked(&table, "How many records have amount over 1000?").0, "2");
    assert_eq!(asked(&table, "What is the total amount?").0, "3171.5");
}

#[test]
fn every_line_is_a_line_and_words_are_whole() {
    let text = "License: MIT\n\neventEMITter3\nmit License\n\n";
    let table = table("notes.txt", text);
    assert_eq!(asked(&table, "How many lines are in the file?").0, "5");
    assert_eq!(asked(&table, "How many lines mention MIT?").0, "2");
}

#[test]
fn a_csv_has_one_line_more_than_it_has_records() {
    let table = employees();
    assert_eq!(asked(&table, "How many lines are in the file?").0, "121");
    assert_eq!(asked(&table, "How many records are there?"), ("120".to_owned(), 1.0));
}

#[test]
fn a_licence_keeps_its_blank_lines() {
    let table = table("licence.txt", &"Permission is granted to 404 of you.\n\nSection 4040\n".repeat(50));
    assert_eq!(asked(&table, "How many lines are in the file?").0, "150");
    assert_eq!(asked(&table, "How many lines mention 404?").0, "50");
}

#[test]
fn a_question_after_another_keeps_what_that_found() {
    let text = "order,user,status\n1,ada,failed\n2,ada,failed\n3,ada,refunded\n4,bob,failed\n5,bob,refunded\n6,bob,refunded\n7,cem,refunded\n";
    let table = table("orders.csv", text);
    let Answer::Unique(first) = table.ask("Which user has the most failed orders?") else {
        panic!("one reading")
    };
    assert_eq!(first.outcome.rows[0][0].to_string(), "ada");
    let Answer::Unique(second) = table.ask_after(&first, "and how many refunded?") else {
        panic!("one reading")
    };
    assert_eq!(second.outcome.rows[0][0].to_string(), "1");
    assert!(second.confidence < SURE, "its context was guessed");
    assert!(second.reading.contains("ada"), "{}", second.reading);
    assert!(matches!(table.ask("and how many refunded?"), Answer::Refused(_)), "without a question before");
    let Answer::Unique(whole) = table.ask_after(&first, "How many records have status refunded?") else {
        panic!("one reading")
    };
    assert_eq!(whole.outcome.rows[0][0].to_string(), "4");
}

#[test]
fn what_was_done_well_stays_so() {
    let mixed = table("payments.csv", "ref,amount\na,$5.00\nb,€7.00\nc,$2.50\n");
    let Answer::Unique(total) = mixed.ask("What is the total amount?") else { panic!("one reading") };
    assert_eq!(total.outcome.rows.len(), 2, "currencies are kept apart");
    let zones = table("t.csv", "user,time\nada,2026-03-04T10:00:00+02:00\nbob,2026-03-04T09:30:00Z\n");
    assert_eq!(asked(&zones, "Which user has the latest time?").0, "bob");
    let units = table("x.log", "user=a took=5s\nuser=b took=300ms\nuser=c took=700ms\n");
    assert_eq!(asked(&units, "What is the average took?").0, "2000");
    let quoted = table("notes.csv", "id,note\n1,\"a\nb\"\n2,c\n");
    assert_eq!(asked(&quoted, "How many records are there?").0, "2");
    let missing = table("s.csv", "name,score\nada,5\nbob,\ncem,N/A\n");
    assert_eq!(asked(&missing, "How many records have no score?").0, "2");
}

#[test]
fn users_are_users_and_not_records() {
    let text = "user=ada status=ok\nuser=bob status=failed\nuser=ada status=ok\nuser=cem status=ok\n";
    let table = table("app.log", text);
    assert_eq!(asked(&table, "How many users have status ok?").0, "2");
}

#[test]
fn a_number_before_its_unit_is_a_field() {
    let text = "job a finished in 412 ms\njob b finished in 99 ms\njob c failed\n";
    let table = table("jobs.log", text);
    assert_eq!(asked(&table, "What is the largest ms?").0, "412");
}

#[test]
fn a_value_is_found_where_it_stands() {
    let text = "tx,customer,amount\n725540,Ada,5.00\n725541,Bob,6.00\n";
    let table = table("payments.csv", text);
    assert_eq!(asked(&table, "Who is the customer of transaction 725540?").0, "Ada");
}

#[test]
fn what_was_refused_before_is_answered() {
    let text = "time,host,user,status,code\n2026-02-01 10:15:00,a,ada,failed,500\n2026-02-01 10:45:00,b,bob,ok,200\n2026-03-02 11:00:00,a,ada,ok,200\n2026-03-03 12:00:00,a,cem,refunded,503\n";
    let table = table("requests.csv", text);
    for (question, expected) in [
        ("What percentage of records have status failed?", "25"),
        ("Which host has the most records?", "a"),
        ("How many unique users are there?", "3"),
        ("How many records are there in February 2026?", "2"),
        ("How many records between 10 and 11?", "2"),
        ("How many records have a 5xx code?", "2"),
        ("How many records have status failed or refunded?", "2"),
        ("How many records are not ok?", "2"),
        ("Wie viele Einträge haben den Status ok?", "2"),
        ("What is the median code?", "350"),
        ("What is the most common status?", "ok"),
    ] {
        assert_eq!(asked(&table, question).0, expected, "{question}");
    }
}

#[test]
fn a_refusal_offers_questions_that_work() {
    let table = employees();
    let Answer::Refused(refusal) = table.ask("How many zebras chase the moon?") else { panic!("answered") };
    assert_eq!(refusal.suggestions.len(), 2);
    for suggestion in refusal.suggestions {
        assert!(table.ask(&suggestion).unique().is_some(), "{suggestion}");
    }
}

#[test]
fn an_ambiguous_date_is_asked_back() {
    let table = table("orders.csv", "id,date\n1,04/03/2026\n2,05/03/2026\n");
    assert!(matches!(table.ask("What is the latest date?"), Answer::Asked(_)));
}

#[test]
fn shares_tops_and_groups_are_answered() {
    let text = "time,user,host,status,code,size\n\
                2026-01-31T09:00:00Z,ada,a,ok,200,5\n\
                2026-02-01T10:15:00Z,ada,a,failed,503,50\n\
                2026-02-11T10:45:00Z,bob,b,ok,200,20\n\
                2026-03-01T11:00:00Z,cem,a,refunded,500,10\n";
    let table = table("requests.csv", text);
    for (question, right) in [
        ("What share of the records has status ok?", vec!["50"]),
        ("How many records are there per user?", vec!["ada", "bob", "cem"]),
        ("Top 2 users by size", vec!["ada", "bob"]),
        ("How many records are there between 10:00 and 11:00?", vec!["2"]),
        ("How many records are not from host a?", vec!["1"]),
        ("Which host has the most requests?", vec!["a"]),
        ("Wie viele Einträge gibt es pro Host?", vec!["a", "b"]),
        ("Was ist die Summe von size?", vec!["85"]),
    ] {
        let Answer::Unique(answer) = table.ask(question) else { panic!("{question}") };
        let mut found: Vec<String> = answer.outcome.rows.iter().map(|row| row[0].to_string()).collect();
        found.sort();
        assert_eq!(found, right, "{question}");
    }
}

#[test]
fn amounts_in_parentheses_are_below_zero() {
    let text = "employee,amount\n\"Smith, John\",\"1,204.50\"\n\"Doe, Jane\",(45.00)\n\"Doe, Jane\",12.00\n";
    let table = table("expenses.csv", text);
    assert_eq!(asked(&table, "What is the total amount?"), ("1171.5".to_owned(), 1.0));
    assert_eq!(asked(&table, "How many records have amount over 1000?"), ("1".to_owned(), 1.0));
    assert_eq!(asked(&table, "How many expenses are negative?").0, "1");
    assert_eq!(asked(&table, "What is the smallest amount?").0, "-45");
}

#[test]
fn a_word_inside_another_is_not_mentioned() {
    let text = "{\"packages\": [\n {\"name\": \"eventemitter3\", \"license\": \"ISC\"},\n \
                {\"name\": \"react\", \"license\": \"MIT\"},\n {\"name\": \"submit-404x\", \"license\": \"ISC\"}\n]}\n";
    let table = table("packages.json", text);
    assert_eq!(asked(&table, "How many lines mention MIT?").0, "1");
    assert_eq!(asked(&table, "How many lines mention 404?").0, "0");
    assert_eq!(asked(&table, "How many packages have the license MIT?").0, "1");
}
