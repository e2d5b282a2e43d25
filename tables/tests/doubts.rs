//! Questions that were understood word by word and still answered wrong, with confidence. They are answered right, unsure, or not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

const SURE: f64 = frlm_tables::READ_WHOLE;

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
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
fn minutes_alone_are_minutes_and_no_metres() {
    let table = table("visits.csv", "doctor,duration\nada,10 min\nben,30 min\nada,45 min\n");
    assert_eq!(sure(&table, "What is the average duration of ada?").as_deref(), Some("27.5"));
    assert_eq!(sure(&table, "How many records have duration over half an hour?").as_deref(), Some("1"));
}

#[test]
fn times_are_rows_and_no_different_values() {
    let table = table("matches.csv", "opponent,county\nLions,Kerry\nBears,Cork\nLions,Kerry\n");
    assert_ne!(sure(&table, "How many times was Kerry the county?").as_deref(), Some("1"));
    assert_ne!(sure(&table, "How often was Kerry the county?").as_deref(), Some("1"));
}

#[test]
fn a_name_that_stands_nearly_once_each_may_be_a_row() {
    let table = table("places.csv", "place,county\nSalem,Greene\nUnion,Greene\nSalem,Greene\nYork,Pike\n");
    assert_eq!(sure(&table, "How many places are in Greene?"), None);
    assert_eq!(sure(&table, "How many different places are in Greene?").as_deref(), Some("2"));
}

#[test]
fn a_value_with_others_or_a_mark_in_its_cell_is_counted_as_doubtful() {
    let text =
        "province,language,founded\nA,Pashto,1958\nB,\"Dari, Pashto\",1958*\nC,Dari,1960\nD,Pashto,1961\n";
    let table = table("provinces.csv", text);
    assert_eq!(sure(&table, "How many provinces have the language Pashto?"), None);
    assert_eq!(sure(&table, "How many provinces have founded 1958?"), None);
}

#[test]
fn how_long_asks_for_a_number() {
    let table =
        table("mayors.csv", "name,served under,city\nLee Brown,Clinton,Houston\nAnn Lee,Bush,Austin\n");
    assert_eq!(sure(&table, "How long did Lee Brown serve for?"), None);
}

#[test]
fn the_record_behind_a_superlative_is_asked_for() {
    let table =
        table("districts.csv", "district,created\nNorth,1985-02-03\nSouth,1989-10-26\nEast,1950-01-02\n");
    assert_ne!(sure(&table, "What was the last district created?").as_deref(), Some("1989-10-26"));
    let towns = self::table("towns.csv", "name,kind,population\nAda,City,500\nBo,Town,90\nCem,City,700\n");
    assert_ne!(sure(&towns, "Which city has the largest population?").as_deref(), Some("700"));
}

#[test]
fn a_year_behind_in_is_no_amount() {
    let table = table("clubs.csv", "club,tickets,wins\nA,2007,3\nB,150,14\nC,90,20\n");
    assert_eq!(sure(&table, "What was the number of tickets in 2007?"), None);
    assert_ne!(sure(&table, "Which clubs had a number of wins higher than 12?").as_deref(), Some("2"));
}

#[test]
fn the_most_of_all_rows_and_the_most_in_one_row_are_told_apart() {
    let table = table("players.csv", "player,goals\nada,3\nada,3\nben,5\n");
    assert_eq!(sure(&table, "Which player has the most goals?"), None);
    assert_eq!(sure(&table, "Which player has the highest total goals?").as_deref(), Some("ada"));
}

#[test]
fn a_row_of_totals_is_no_winner_with_confidence() {
    let table = table("votes.csv", "candidate,votes\nAda,30\nTotal votes,75\nBen,45\n");
    assert_eq!(sure(&table, "Which candidate has the most votes?"), None);
}

#[test]
fn the_nineties_with_an_apostrophe_are_ten_years() {
    let table = table("films.csv", "title,year\nA,1990\nB,1995\nC,2001\n");
    assert_eq!(sure(&table, "How many films are from the 1990's?").as_deref(), Some("2"));
    assert_eq!(sure(&table, "How many films are from the 1900's?"), None);
}

#[test]
fn a_condition_on_all_rows_of_a_customer_is_not_one_on_some() {
    let text = "customer,status\nAda,open\nAda,paid\nBob,paid\nBob,paid\nCem,open\nCem,open\n";
    let table = table("orders.csv", text);
    for question in [
        "How many customers have no open orders?",
        "Which customers have only open orders?",
        "Which customers have both open and paid orders?",
    ] {
        assert_eq!(sure(&table, question), None, "{question}");
    }
}

#[test]
fn more_than_two_open_orders_is_said_of_a_customer_and_of_no_amount() {
    let text =
        "customer,status,amount\nAda,open,1\nAda,open,1\nAda,open,1\nBob,open,50\nBob,paid,60\nBob,paid,70\n";
    let table = table("orders.csv", text);
    assert_eq!(sure(&table, "Which customers have more than 2 open orders?").as_deref(), Some("Ada"));
}

#[test]
fn older_than_a_year_is_before_it() {
    let table = table("cars.csv", "plate,built,every\nA,2010,5 days\nB,2018,9 days\nC,2020,2 days\n");
    let years = self::table("fuhrpark.csv", "Kennzeichen;Jahr\nA;2010\nB;2018\nC;2020\n");
    assert_eq!(sure(&years, "Wie viele Einträge sind älter als Jahr 2015?").as_deref(), Some("1"));
    assert_eq!(sure(&table, "Which car have we had the longest?"), None);
}

#[test]
fn nothing_found_is_no_sure_answer() {
    let table = table("orders.csv", "customer,status\nAda,open\nBob,paid\n");
    assert_eq!(sure(&table, "How many orders of Ada are paid?"), None);
}

#[test]
fn where_asks_for_a_place() {
    let table = table("turnout.csv", "town,party,turnout\nAshby,Red,61%\nBrook,Red,75%\nCliff,Blue,58%\n");
    assert_eq!(sure(&table, "Where was the turnout highest?").as_deref(), Some("Brook"));
    let placeless = self::table("speeds.csv", "runner,speed\nada,5\nben,7\n");
    assert_eq!(sure(&placeless, "Where was the speed highest?"), None);
}

#[test]
fn pieces_that_were_ordered_are_no_rows_with_confidence() {
    let table = table("pizza.csv", "pizza,qty\nTonno,3\nFunghi,1\nTonno,2\n");
    assert_eq!(sure(&table, "How many Tonno pizzas were ordered?"), None);
    let Answer::Unique(answer) = table.ask("How many Tonno were sold?") else { panic!("one reading") };
    assert_eq!(answer.outcome.rows[0][0].to_string(), "5");
}

#[test]
fn a_noun_like_a_column_of_yes_and_no_is_no_condition_with_confidence() {
    let text = "city,minutes,delivered\nTrier,50,yes\nTrier,90,no\nBonn,30,yes\n";
    let table = table("orders.csv", text);
    assert_eq!(sure(&table, "How many minutes does a delivery to Trier take on average?"), None);
    assert_eq!(sure(&table, "What is the average minutes of delivered orders?").as_deref(), Some("40"));
}
