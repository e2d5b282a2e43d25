//! Confidence is earned word by word: what may mean something else is answered, and is not sure.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

const SURE: f64 = 0.8;

fn sure(table: &Table, question: &str) -> Option<String> {
    match table.ask(question) {
        Answer::Unique(answer) if answer.confidence >= SURE => Some(answer.text()),
        _ => None,
    }
}

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

fn orders() -> Table {
    let text = "order_id,customer,city,product,quantity,amount,status,shipped_on,last_count,hourly_wage\n\
                O-17,Ada,London,Tea pot,4,98.00,delivered,2025-01-04,2025-02-01,12.50\n\
                O-23,Ben,York,Vase,1,20.50,pending,,2025-02-03,13.00\n\
                O-08,Ada,London,Vase,10,205.00,shipped,2025-01-09,2025-03-01,12.50\n\
                O-41,Cem,York,Clock,2,60.00,returned,2025-02-01,2025-01-11,11.00\n\
                O-35,Ben,London,Tea pot,3,73.50,cancelled,,2025-05-26,13.00\n";
    table("orders.csv", text)
}

fn household() -> Table {
    let text = "Datum;Kategorie;Beschreibung;Betrag\n\
                01.08.2025;Gehalt;Arbeitgeber;2.800,00 €\n03.08.2025;Lebensmittel;Rewe;-49,06 €\n\
                10.08.2025;Lebensmittel;Rewe;-118,94 €\n01.09.2025;Gehalt;Arbeitgeber;2.800,00 €\n\
                07.09.2025;Miete;Hausverwaltung;-900,00 €\n";
    table("haushalt.csv", text)
}

fn contacts() -> Table {
    let text = "Date,Time,Agent,Type,Topic,Hold (min),Rating (1-5),Resolved,Comment\n\
                2025-06-10,15:46,Ravi,Call,Billing,12,5,yes,long wait\n2025-06-10,17:00,Sue,Email,Delivery,,3,no,\n\
                2025-06-11,09:12,Ravi,Visit,Billing,3,5,yes,\n2025-06-12,17:30,Sue,Call,Refund,24,1,partly,long wait\n\
                2025-06-13,18:05,Ted,Call,Delivery,7,5,no,friendly\n";
    table("contacts.csv", text)
}

fn elections() -> Table {
    let text = "District,Voters,Votes,Turnout (%),Best day,Rank,Plot no.,Paid,Member since\n\
                North,1000,640,64.0,Sun,2,40,yes,2008\nSouth,2000,1500,75.0,Sat,1,12,no,2023\n\
                East,900,500,55.6,Sun,3,7,partly,2020\nWest,1200,700,58.3,Fri,4,23,,2020\n";
    table("election.csv", text)
}

/// Questions that were answered wrong with full confidence before the words had to be said to the letter.
#[test]
fn what_may_mean_something_else_is_not_sure() {
    let cases: [(Table, &[&str]); 4] = [
        (
            orders(),
            &[
                "how many orders were not shipped yet?",
                "how many orders have not shipped?",
                "who ordered the most vases?",
                "how many items were returned?",
                "when was the stock last counted?",
                "When was the last count?",
                "total wages",
                "which product sold best?",
                "top 3 customers by stock",
                "Which customer has the highest amount?",
                "how many vases do we have?",
                "what is the most popular product?",
            ],
        ),
        (
            household(),
            &[
                "Wie viel haben wir insgesamt ausgegeben?",
                "In welchem Monat haben wir am meisten ausgegeben?",
                "Höchster Betrag bei Rewe",
                "Kleinster Betrag für Lebensmittel",
                "Die drei höchsten Beträge",
            ],
        ),
        (
            contacts(),
            &[
                "How many calls were there?",
                "How many resolved calls?",
                "How many comments are there?",
                "How many contacts after 5 pm?",
                "First contact of the day on June 10",
                "Which agent has the best rating?",
                "What is the overall rating?",
                "How many have the lowest rating?",
                "average hold per day",
                "Which agents have comments?",
                "How many hours per week?",
                "Average rating of calls",
            ],
        ),
        (
            elections(),
            &[
                "What was the overall turnout?",
                "Which plot is the largest?",
                "Which district has the highest rank?",
                "How many have paid?",
                "How many have not paid?",
                "How many members since 2020?",
                "Which district had the best day?",
                "How many people voted?",
                "Which district has been a member the longest?",
            ],
        ),
    ];
    for (table, questions) in cases {
        for question in questions {
            assert_eq!(sure(&table, question), None, "{}: {question}", table.name());
        }
    }
}

#[test]
fn what_is_said_to_the_letter_is_sure() {
    let cases: [(Table, &[(&str, &str)]); 4] = [
        (
            orders(),
            &[
                ("How many orders are there?", "5"),
                ("How many orders have status pending?", "1"),
                ("How many orders are from London?", "3"),
                ("What is the total amount?", "457"),
                ("What is the average amount where city is York?", "40.25"),
                ("What is the highest amount?", "205"),
                ("Which order_id has the highest amount?", "O-08: 205"),
                ("total quantity by customer", "Ada: 14; Ben: 4; Cem: 2"),
                ("How many orders per city?", "London: 3; York: 2"),
                ("Which customer has the highest total amount?", "Ada: 303"),
                ("How many orders have amount over 70?", "3"),
                ("How many different products are there?", "3"),
                ("How many orders have no shipped_on?", "2"),
            ],
        ),
        (
            household(),
            &[
                ("Wie viele Einträge gibt es?", "5"),
                ("Wie viele Einträge mit Kategorie Lebensmittel gibt es?", "2"),
                ("Wie viele Einträge gibt es im August?", "3"),
            ],
        ),
        (
            contacts(),
            &[
                ("How many records have Type Call?", "3"),
                ("How many records have Topic Billing?", "2"),
                ("What is the average Hold?", "11.5"),
            ],
        ),
        (
            elections(),
            &[
                ("What is the total of Votes?", "3340"),
                ("Which District has the highest Voters?", "South: 2000"),
                ("What is the average Turnout?", "63.23"),
            ],
        ),
    ];
    for (table, questions) in cases {
        for (question, right) in questions {
            let found = sure(&table, question);
            assert_eq!(found.as_deref(), Some(*right), "{}: {question}", table.name());
        }
    }
}

/// The answers with all they say, sure or not.
fn answered(table: &Table, question: &str) -> frlm_tables::Answered {
    match table.ask(question) {
        Answer::Unique(answer) => *answer,
        other => panic!("{question}: {other:?}"),
    }
}

fn assert_unsure(table: &Table, questions: &[&str]) {
    for question in questions {
        assert_eq!(sure(table, question), None, "{}: {question}", table.name());
    }
}

#[test]
fn a_row_that_adds_up_the_others_makes_answers_unsure() {
    for label in
        ["Σ", "", "-", "2024", "Total 2024", "Grand Total (USD)", "All", "World", "Everyone", "T O T A L"]
    {
        let text =
            format!("region,amount,units\nNorth,10,1\nSouth,25,4\nEast,35,2\nWest,12,3\n{label},82,10\n");
        let regions = table("regions.csv", &text);
        assert_unsure(
            &regions,
            &[
                "What is the total amount?",
                "What is the average amount?",
                "What is the highest amount?",
                "How many records are there?",
                "Which region has the highest amount?",
            ],
        );
        let note = answered(&regions, "What is the total amount?").notes.join("; ");
        assert!(note.contains("line 6 looks like a total"), "{label}: {note}");
        // What leaves the total out is sure.
        let found = sure(&regions, "What is the total amount where region is North?");
        assert_eq!(found.as_deref(), Some("10"), "{label}");
    }
    let plain = table("regions.csv", "region,amount,units\nNorth,10,1\nSouth,25,4\nEast,35,2\nWest,12,3\n");
    assert_eq!(sure(&plain, "What is the total amount?").as_deref(), Some("82"));
}

#[test]
fn totals_stand_first_without_a_label_and_between() {
    let first = table("topped.csv", "region,amount,units\nTotal,70,7\nNorth,10,1\nSouth,25,4\nEast,35,2\n");
    assert_unsure(&first, &["What is the total amount?", "Which region has the highest amount?"]);
    let unlabelled = "date,region,amount,units\n2024-01-01,North,10,1\n2024-01-02,South,25,4\n\
                      2024-01-03,East,35,2\n,,70,7\n";
    assert_unsure(&table("days.csv", unlabelled), &["What is the total amount?", "What is the total units?"]);
    let energy = "Year,Month,kWh,Cost\n2023,Jan,420,126.00\n2023,Feb,390,117.00\n2023,Mar,350,105.00\n\
                  2023,,1160,348.00\n2024,Jan,410,135.30\n2024,Feb,370,122.10\n2024,Mar,330,108.90\n\
                  2024,,1110,366.30\n";
    assert_unsure(&table("energy.csv", energy), &["What is the total kWh?", "What is the highest Cost?"]);
    let named = "student,math,art\nMax points,100,100\nAnn,80,90\nBob,60,70\nCem,70,50\n";
    assert_unsure(&table("grades.csv", named), &["What is the average math?", "What is the highest art?"]);
    let rounded = "Country,Population (millions),Area\nFrance,68.0,551695\nGermany,84.5,357022\n\
                   Italy,58.9,301340\nEU average,62.1,\nWorld,8000,510072000\n";
    assert_unsure(&table("countries.csv", rounded), &["Which Country has the highest Population?"]);
    let closing = "Date,Text,Amount\n2024-01-02,Coffee,3.50\n2024-01-05,Book,12.00\n2024-01-09,Lunch,9.80\n\
                   Closing balance,,\"1,204.10\"\n";
    assert_unsure(
        &table("statement.csv", closing),
        &["What is the total Amount?", "What is the highest Amount?"],
    );
}

#[test]
fn a_total_is_found_in_a_large_table_that_is_kept_on_disk() {
    let rows = (0..60_000).map(|row| format!("c{row},{}\n", row % 7 + 1));
    let sum: u32 = (0..60_000).map(|row| row % 7 + 1).sum();
    let text = format!("client,amount\n{}Firm,{sum}\n", rows.collect::<String>());
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let options = LoadOptions { memory_bytes: 0, ..LoadOptions::default() };
    let large = Table::load_source("clients.csv", std::sync::Arc::new(file), &options).unwrap();
    assert_eq!(sure(&large, "What is the total amount?"), None);
    let note = answered(&large, "What is the total amount?").notes.join("; ");
    assert!(note.contains("line 60002 looks like a total"), "{note}");
}

#[test]
fn what_stands_again_in_each_row_of_a_thing_is_not_surely_added() {
    let projects = "project,task,lead,hours,budget,rate\nApollo,Design,Ada,40,10000,80\n\
                    Apollo,Build,Ben,120,10000,70\nApollo,Test,Ada,30,10000,80\nZeus,Design,Cem,20,4000,90\n\
                    Zeus,Build,Ben,60,4000,70\n";
    let projects = table("projects.csv", projects);
    let budgets = ["What is the total budget?", "What is the average budget?", "total budget per project"];
    assert_unsure(&projects, &budgets);
    assert_eq!(sure(&projects, "What is the total hours?").as_deref(), Some("270"));
    let log = "ts=2024-05-01T10:00:00Z order=501 customer=ada status=created amount=40.00\n\
               ts=2024-05-01T10:05:00Z order=501 customer=ada status=paid amount=40.00\n\
               ts=2024-05-01T11:00:00Z order=502 customer=ben status=created amount=15.00\n\
               ts=2024-05-01T12:00:00Z order=501 customer=ada status=shipped amount=40.00\n\
               ts=2024-05-02T09:00:00Z order=503 customer=ada status=created amount=99.00\n\
               ts=2024-05-02T09:30:00Z order=502 customer=ben status=cancelled amount=15.00\n";
    assert_unsure(&table("orders.log", log), &["What is the total amount?", "What is the average amount?"]);
    let cities = "city,year,population,members\nUlm,2021,126000,300\nUlm,2022,127000,320\n\
                  Ulm,2023,128500,310\nHof,2021,45000,80\nHof,2022,45200,85\nHof,2023,45900,95\n";
    let cities = table("cities.csv", cities);
    assert_unsure(&cities, &["What is the total population?", "What is the total members?"]);
    let cases = "date,country,new_cases,cumulative_cases\n2021-01-01,A,10,10\n2021-01-02,A,15,25\n\
                 2021-01-03,A,5,30\n2021-01-01,B,100,100\n2021-01-02,B,120,220\n2021-01-03,B,90,310\n";
    let cases = table("covid.csv", cases);
    assert_unsure(&cases, &["What is the total cumulative_cases?"]);
    assert_eq!(sure(&cases, "What is the total new_cases?").as_deref(), Some("340"));
    // Each city once: its people are added.
    let once = table("cities.csv", "city,population\nUlm,126000\nHof,45000\nTrier,110000\n");
    assert_eq!(sure(&once, "What is the total population?").as_deref(), Some("281000"));
}

#[test]
fn units_and_currencies_are_known_by_their_cells() {
    let invoices = "invoice,client,amount,ccy\nA1,Orbit,100.00,EUR\nA2,Delta,250.00,USD\n\
                    A3,Orbit,80.00,EUR\nA4,Kite,6000.00,CAD\n";
    let invoices = table("invoices.csv", invoices);
    let questions = [
        "What is the total amount?",
        "What is the highest amount?",
        "What is the average amount?",
        "Which invoice has the highest amount?",
        "How many invoices have amount over 90?",
    ];
    for question in questions {
        // Each currency of its own, or unsure.
        if let Answer::Unique(answer) = invoices.ask(question) {
            assert!(
                answer.confidence < SURE || answer.outcome.rows.len() == 3,
                "{question}: {}",
                answer.text()
            );
        }
    }
    let shop =
        "item,quantity,measure,price\nFlour,5,kg,4.00\nMilk,12,l,9.60\nSalt,500,g,1.20\nEggs,30,pcs,7.00\n";
    let shop = table("shop.csv", shop);
    let questions = [
        "What is the total quantity?",
        "What is the highest quantity?",
        "Which item has the highest quantity?",
        "How many records have quantity over 10?",
    ];
    assert_unsure(&shop, &questions);
    // Sizes and sexes are no units.
    let shirts = table("shirts.csv", "shirt,size,pieces\na,S,3\nb,M,5\nc,L,9\nd,M,4\n");
    assert_eq!(sure(&shirts, "What is the total pieces?").as_deref(), Some("21"));
}

#[test]
fn numbers_whose_point_may_part_thousands_are_not_sure() {
    let votes = table("votes.csv", "party,votes\nRed,12.450\nBlue,10.200\nGreen,7.350\n");
    let questions = [
        "What is the total votes?",
        "Which party has the highest votes?",
        "How many records have votes less than 11000?",
    ];
    assert_unsure(&votes, &questions);
    let towns = "town,inhabitants,area\nUlm,126.405,118.7\nHof,45.173,58.0\nTrier,110.674,117.1\n";
    assert_unsure(&table("towns.csv", towns), &["What is the total inhabitants?"]);
    let laps = table("laps.csv", "lap,distance\na,12.450\nb,0.200\nc,7.350\n");
    assert_eq!(sure(&laps, "What is the total distance?").as_deref(), Some("20"));
}

#[test]
fn what_is_hardly_more_than_zero_is_not_shown_as_zero() {
    let rows = (0..30_000).map(|row| format!("{row},{}\n", if row == 7 { "failed" } else { "ok" }));
    let runs = table("runs.csv", &format!("id,status\n{}", rows.collect::<String>()));
    assert_eq!(answered(&runs, "What percentage of runs failed?").text(), "0.0033%");
    let doses = table("doses.csv", "sample,dose_g\na,0.001\nb,0.002\nc,0.004\n");
    assert_eq!(answered(&doses, "What is the average dose_g?").text(), "0.0023");
}
