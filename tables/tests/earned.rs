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
