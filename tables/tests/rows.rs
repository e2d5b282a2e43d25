//! Rows are counted as what the file is called after only where each row is one of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{Answer, LoadOptions, Table};

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

fn sure(table: &Table, question: &str) -> Option<String> {
    match table.ask(question) {
        Answer::Unique(answer) if answer.confidence >= frlm_tables::SURE => Some(answer.text()),
        _ => None,
    }
}

fn are_not_sure(table: &Table, questions: &[&str]) {
    for question in questions {
        assert_eq!(sure(table, question), None, "{}: {question}", table.name());
    }
}

fn are_sure(table: &Table, questions: &[(&str, &str)]) {
    for (question, right) in questions {
        assert_eq!(sure(table, question).as_deref(), Some(*right), "{}: {question}", table.name());
    }
}

const REVIEWS: &str = "review_id,product_id,stars,text,date\n1,P1,5,good,2024-01-02\n2,P1,3,okay,2024-01-09\n\
                       3,P2,1,bad,2024-02-01\n4,P3,4,fine,2024-02-20\n5,P1,2,meh,2024-03-03\n";

#[test]
fn rows_are_called_by_the_last_noun_of_a_file_only() {
    let reviews = table("product_reviews.csv", REVIEWS);
    are_not_sure(
        &reviews,
        &[
            "How many products are there?",
            "How many products have stars 5?",
            "How many products have stars over 3?",
            "How many products per month?",
        ],
    );
    are_sure(
        &reviews,
        &[
            ("How many reviews are there?", "5"),
            ("How many product reviews are there?", "5"),
            ("Which product_id has the most reviews?", "P1: 3"),
        ],
    );
    let bookings = "booking,hotel_name,city,nights,price\nB1,Astoria,Rome,2,200\nB2,Astoria,Rome,1,110\n\
                    B3,Plaza,Oslo,3,420\nB4,Ritz,Paris,1,300\n";
    are_not_sure(
        &table("hotel_bookings.csv", bookings),
        &[
            "How many hotels are there?",
            "How many hotels are in Rome?",
            "How many hotels per city?",
            "Which city has the most hotels?",
        ],
    );
    let sales = "date,store_name,takings,revenue\n2024-01-01,Leeds,10,100\n2024-01-01,York,5,60\n\
                 2024-01-02,Leeds,8,80\n2024-01-02,York,9,99\n";
    are_not_sure(
        &table("store_sales.csv", sales),
        &["How many stores are there?", "How many stores per day?", "How many stores have takings over 8?"],
    );
    let books =
        "isbn,title,school_name,shelf\n111,Dune,North High,A\n222,Emma,North High,B\n111,Dune,South High,A\n";
    are_not_sure(
        &table("school_library_books.csv", books),
        &["How many schools are there?", "How many libraries are there?", "How many books are there?"],
    );
}

#[test]
fn words_behind_the_noun_of_a_file_do_not_change_what_it_names() {
    for name in [
        "reviews_2024.csv",
        "reviews_export_march.csv",
        "reviews_of_products.csv",
        "Reviews Q1.csv",
        "reviews-berlin.csv",
    ] {
        are_sure(&table(name, REVIEWS), &[("How many reviews are there?", "5")]);
    }
    for name in ["reviews_of_products.csv", "products_reviews.csv"] {
        are_not_sure(&table(name, REVIEWS), &["How many products are there?"]);
    }
}

const LINES: &str = "order_id,customer,item,quantity,amount,status\n5001,Ada,Cup,2,10.00,open\n\
                     5001,Ada,Plate,3,15.00,open\n5002,Ben,Cup,1,5.00,shipped\n5003,Cem,Fork,6,12.00,open\n\
                     5003,Cem,Cup,4,20.00,open\n5003,Cem,Bowl,1,9.00,open\n5004,Ben,Cup,2,10.00,shipped\n";

#[test]
fn things_with_several_rows_are_not_counted_by_them() {
    are_not_sure(
        &table("orders.csv", LINES),
        &[
            "How many orders are there?",
            "How many orders have status open?",
            "Which customer has the most orders?",
            "How many orders per customer?",
            "What percentage of orders have status open?",
        ],
    );
    are_sure(
        &table("orders.csv", LINES),
        &[("How many records have status open?", "5"), ("How many different order_id are there?", "4")],
    );
    are_not_sure(&table("purchases.csv", LINES), &["How many purchases are there?"]);
    let visits = "visit_id,patient,date,fee\n9,Lu,2024-01-05,80\n9,Lu,2024-01-05,120\n10,Mo,2024-01-09,40\n";
    are_not_sure(
        &table("visits.csv", visits),
        &["How many visits are there?", "How many visits per patient?"],
    );
    let issues =
        "issue_key,event,status,actor\nP-1,created,open,ada\nP-1,closed,closed,ben\nP-2,created,open,ada\n";
    are_not_sure(
        &table("issues.csv", issues),
        &["How many issues are there?", "Which actor has the most issues?"],
    );
    let tickets = "id,priority,assignee,hours\nT-004,high,Joe,3.5\nT-005,low,Nina,0.5\nT-005,low,Nina,0.5\n";
    are_not_sure(
        &table("tickets.csv", tickets),
        &["How many tickets are there?", "Which assignee has the most tickets?"],
    );
    let orders = "Bestellnr;Kunde;Artikel\n17;Ada;Tee\n17;Ada;Tasse\n18;Ben;Tee\n";
    are_not_sure(&table("bestellungen.csv", orders), &["Wie viele Bestellungen gibt es?"]);
}

#[test]
fn a_number_of_something_else_does_not_make_rows_doubtful() {
    let tickets =
        "ticket_id,parent_ticket_id,status,hours\nT-1,T-1,open,3.5\nT-2,T-1,open,0.5\nT-3,T-2,done,0.5\n";
    are_sure(&table("tickets.csv", tickets), &[("How many tickets are there?", "3")]);
}

#[test]
fn a_row_that_says_how_many_is_not_counted_as_one() {
    let accidents = "year,region,type,count\n2020,North,bike,14\n2020,South,car,52\n2021,North,car,40\n\
                     2021,South,bike,9\n2021,South,car,61\n";
    are_not_sure(
        &table("accidents.csv", accidents),
        &[
            "How many accidents are there?",
            "How many accidents in North?",
            "How many accidents have type car?",
            "How many accidents per region?",
            "Which region has the most accidents?",
            "What percentage of accidents are in the North?",
        ],
    );
    are_sure(&table("accidents.csv", accidents), &[("How many records are there?", "5")]);
    for column in ["number", "tree_count", "number of trees", "Anzahl", "trees_planted", "qty"] {
        let trees =
            format!("species,park,{column}\nOak,Central,12\nOak,West,5\nBirch,Central,30\nElm,West,3\n");
        for name in ["trees.csv", "trees_berlin.csv"] {
            are_not_sure(
                &table(name, &trees),
                &[
                    "How many trees are there?",
                    "How many trees have park Central?",
                    "Which species has the most trees?",
                    "How many trees per park?",
                ],
            );
        }
    }
    let medals =
        "country,gold,silver,bronze\nNorway,16,8,13\nItaly,2,7,8\nGhana,0,0,0\nChad,,,\nJapan,3,6,9\n";
    are_not_sure(&table("medals.csv", medals), &["How many medals are there?"]);
    let years = "year,bike,car\n2020,14,52\n2021,9,40\n2022,11,61\n";
    are_not_sure(&table("accidents.csv", years), &["How many accidents are there?"]);
}

#[test]
fn things_with_one_value_and_another_are_not_those_with_either() {
    let text = "ref,place,status,owner,minutes\nM1,Rome,open,Ada,30\nM2,Oslo,closed,Ben,45\nM3,Rome,open,Cem,60\n\
                M4,Paris,blocked,Ada,90\nM5,Oslo,open,Ben,120\nM6,Paris,closed,Dora,15\nM7,Rome,blocked,Dora,200\n";
    let meetings = table("meetings.csv", text);
    are_not_sure(
        &meetings,
        &[
            "How many different owners have place Rome and Oslo?",
            "How many different owners have place Rome and place Oslo?",
            "How many different owners have place Rome, Oslo and Paris?",
            "How many different places have status open and closed?",
            "How many different places have minutes over 100 and under 50?",
        ],
    );
    are_sure(
        &meetings,
        &[
            ("How many different owners have place Rome or Oslo?", "4"),
            ("How many different owners have place Rome and status open?", "2"),
            ("How many records have place Rome and Oslo?", "5"),
        ],
    );
}
