//! Ordinary wordings of people who do not know the grammar: each test has one class of them, in several phrasings and both languages.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use frlm_tables::{Answer, Table};

use common::{answer, load};

/// Asks questions, and compares the rows that answer each.
fn all(table: &Table, questions: &[(&str, &str)]) {
    for (question, wanted) in questions {
        assert_eq!(answer(table, question), *wanted, "{question}");
    }
}

fn confidence(table: &Table, question: &str) -> f64 {
    match table.ask(question) {
        Answer::Unique(answer) => answer.confidence,
        other => panic!("{question}: {other:?}"),
    }
}

fn tickets() -> Table {
    let rows = [
        "hardware;Milo;2025-06-02 08:00;90 min;1;closed;Printer jam",
        "hardware;Milo;2025-06-02 10:30;10 min;4;closed;Password reset",
        "accounts;Ada;2025-06-03 10:05;20 min;;open;Password reset",
        "hardware;Ada;2025-06-03 10:45;2 h;5;closed;Printer offline",
        "network;Milo;2025-06-03 12:00;30 min;2;open;VPN drops",
        "network;Ada;2025-06-04 09:00;5 min;4;closed;VPN drops",
        "hardware;Ada;2025-06-14 18:30;61 min;3;closed;Printer jam",
        "accounts;Milo;2025-06-17 07:10;15 min;;closed;Locked out",
        "hardware;Milo;2025-06-20 19:00;25 min;5;open;Screen broken",
        "network;Ada;2025-06-25 11:00;40 min;1;closed;No network",
    ];
    let rows: Vec<String> =
        rows.iter().enumerate().map(|(at, row)| format!("{};{row}\n", 48120 + at * 2 - at % 3)).collect();
    load(
        "desk.csv",
        &format!("Ticket;Queue;Agent;Opened;First reply;Rating;Status;Subject\n{}", rows.concat()),
    )
}

#[test]
fn numbers_that_run_on_are_counted_and_never_added_up() {
    all(
        &tickets(),
        &[
            ("Which queue gets the most tickets and how many?", "hardware 5"),
            ("tickets on 3 June between 10 and 11", "2"),
            ("How many tickets are about printers?", "3"),
            ("How many tickets waited over an hour?", "3"),
            ("In how many cases did they wait over an hour for a first reply?", "3"),
            ("In wie vielen Fällen dauerte die First reply länger als eine Stunde?", "3"),
        ],
    );
}

#[test]
fn one_of_several_numbers_is_a_condition() {
    all(
        &tickets(),
        &[
            ("How many tickets have a rating of 1 or 2?", "3"),
            ("How many tickets have a rating of 4 or 5?", "4"),
            ("How many tickets do not have a rating of 1 or 2?", "5"),
            ("how many 1 or 2 star ratings did Milo get", "2"),
            ("How many tickets took between 1 and 2 hours?", "3"),
            ("How many closed tickets didn't get rated?", "1"),
            ("Average satisfaction per agent", "Ada 3.25; Milo 3"),
        ],
    );
}

#[test]
fn a_part_of_a_month_and_an_hour_are_times() {
    all(
        &tickets(),
        &[
            ("How many tickets came in during the first half of June?", "7"),
            ("How many tickets were opened in the second half of June?", "3"),
            ("Wie viele Tickets gab es in der ersten Woche im Juni?", "6"),
            ("tickets after 6pm", "2"),
            ("How many tickets were opened before 10?", "3"),
            ("Wie viele Tickets wurden nach dem 4. Juni eröffnet?", "4"),
        ],
    );
}

fn sailings() -> Table {
    load(
        "sailings.csv",
        "boat,date,delay_min,passengers,cars,fare\nAda,2025-06-01,4,100,10,500\nAda,2025-06-02,20,50,5,250\nBee,2025-06-01,0,10,0,50\n\
         Bee,2025-06-08,6,40,9,200\nCat,2025-07-03,30,5,,25\n",
    )
}

#[test]
fn the_worst_delay_is_the_longest_and_the_worst_mark_the_lowest() {
    let sailings = sailings();
    all(
        &sailings,
        &[
            ("Which boat has the worst average delay?", "Cat 30"),
            ("Which boat has the best average delay?", "Bee 3"),
            ("average delay per boat, worst first", "Cat 30; Ada 12; Bee 3"),
            ("Average delay per boat, worst boat first", "Cat 30; Ada 12; Bee 3"),
            ("average delay per boat, best first", "Bee 3; Ada 12; Cat 30"),
        ],
    );
    let tickets = tickets();
    all(
        &tickets,
        &[
            ("average rating per agent, worst first", "Milo 3; Ada 3.25"),
            ("average rating per agent, best first", "Ada 3.25; Milo 3"),
            ("Durchschnittliches Rating pro Agent, höchstes zuerst", "Ada 3.25; Milo 3"),
        ],
    );
    // What is good of passengers, nothing says.
    assert!(confidence(&sailings, "total passengers per boat, worst first") < 0.8);
}

#[test]
fn what_was_late_or_on_time_a_column_of_delays_says() {
    all(
        &sailings(),
        &[
            ("How many sailings were late?", "4"),
            ("How many sailings were on time?", "1"),
            ("Wie viele Fahrten waren pünktlich?", "1"),
            ("How many sailings were more than 10 minutes late?", "2"),
        ],
    );
    let loans = load(
        "loans.csv",
        "Title,Due,Returned\nEmma,2025-01-28,2025-01-17\nDune,2025-01-29,2025-02-03\nUbik,2025-01-30,\n",
    );
    assert_eq!(answer(&loans, "How many loans came back on time?"), "1");
    assert_eq!(answer(&loans, "How many loans came back after the due date?"), "1");
}

#[test]
fn people_and_things_are_counted_by_the_column_that_counts_them() {
    all(
        &sailings(),
        &[
            ("how many people did each boat carry?", "Ada 150; Bee 50; Cat 5"),
            ("Wie viele Fahrgäste hatte jedes boat?", "Ada 150; Bee 50; Cat 5"),
            ("cars and passengers per boat", "Ada 15 150; Bee 9 50; Cat (missing) 5"),
        ],
    );
}

#[test]
fn a_group_that_is_not_found_is_not_lost() {
    let till = load(
        "till.csv",
        "Customer,Country,Total,Paid by,Paid on\nAda,FR,10,card,2025-01-02\nBob,DE,20,cash,2025-01-03\nAda,FR,30,card,2025-02-01\nCem,DE,50,cash,\n",
    );
    all(
        &till,
        &[
            ("Average total for each way of paying", "card 20; cash 35"),
            ("total per country and month", "DE (missing) 50; DE 2025-01 20; FR 2025-01 10; FR 2025-02 30"),
            ("top 2 countries by revenue", "DE 70; FR 40"),
            ("Wie hoch war der Umsatz im Januar?", "30"),
            ("Which customer spent the most?", "Cem 50"),
        ],
    );
    for question in ["total per galaxy", "average total for each warehouse", "Summe der Total pro Haus"] {
        assert!(matches!(till.ask(question), Answer::Refused(_)), "{question}: {:?}", till.ask(question));
    }
}

#[test]
fn the_most_of_a_mass_is_measured_and_not_counted() {
    let milk = load(
        "milk_records.csv",
        "Cow,Milking,Yield,Remarks\nDaisy,am,12 L,treated for mastitis\nDaisy,pm,9 L,\nFern,am,20 L,mastitis\nFern,pm,,lame\nFern,am,5 L,\n",
    );
    all(
        &milk,
        &[
            ("Which cow gave the most milk?", "Fern 25"),
            ("How much milk did Daisy give?", "21"),
            ("my two best cows by total milk", "Fern 25; Daisy 21"),
            ("average yield am vs pm", "am 12.33; pm 9"),
            ("average yield morning vs evening", "am 12.33; pm 9"),
            ("count of mastitis mentions per cow", "Daisy 1; Fern 1"),
            ("How many rows had mastitis in the remarks?", "2"),
        ],
    );
    for question in ["average yield cows vs goats", "average yield weekday vs weekend"] {
        assert!(matches!(milk.ask(question), Answer::Refused(_)), "{question}: {:?}", milk.ask(question));
    }
}

#[test]
fn what_is_not_paid_is_missing() {
    let fees = load(
        "mitglieder.csv",
        "Nr;Name;Jahresbeitrag;Bezahlt am\n1;Ada;80,00 €;03.02.2025\n2;Bob;50,00 €;\n3;Cem;70,00 €;01.03.2025\n4;Dora;20,00 €;\n",
    );
    all(
        &fees,
        &[
            ("Wer hat noch nicht gezahlt?", "Bob; Dora"),
            ("Von wem fehlt noch der Beitrag?", "Bob; Dora"),
            ("Wie viel Geld fehlt noch?", "70"),
            ("Who hasn't paid yet?", "Bob; Dora"),
            ("Wer zahlt am meisten?", "Ada 80"),
        ],
    );
}

#[test]
fn a_limit_and_an_outside_are_conditions() {
    let samples = load(
        "samples.csv",
        "Sample,Site,Nitrate,Taken on,Due on,Sent on\nW1,Mill,40 mg/l,2025-01-05,2025-01-10,2025-01-08\nW2,Mill,55 mg/l,2025-01-07,2025-01-10,2025-01-12\n\
         W3,Weir,61 mg/l,2025-02-05,2025-02-10,\n",
    );
    all(
        &samples,
        &[
            ("Which samples broke the 50 mg/l nitrate limit?", "W2; W3"),
            ("How many samples exceeded the nitrate limit of 50 mg/l?", "2"),
            ("Wie viele Proben lagen beim Nitrat unter dem Grenzwert von 50 mg/l?", "1"),
            ("How many samples from outside Mill?", "1"),
        ],
    );
}

#[test]
fn totals_are_told_apart_though_cells_are_missing() {
    let rents = load(
        "mieten.csv",
        "Mieter;Soll;Eingang;Datum\nAda;100,00 €;100,00 €;03.01.2025\nBob;80,00 €;;04.01.2025\nCem;50,00 €;40,00 €;05.02.2025\n",
    );
    all(
        &rents,
        &[
            ("Wie groß ist die Differenz zwischen dem gesamten Soll und dem gesamten Eingang?", "90"),
            ("What is the difference between total Soll and total Eingang?", "90"),
            ("Was hat Cem im Durchschnitt gezahlt?", "40"),
        ],
    );
}

#[test]
fn a_share_of_records_weighs_no_amount() {
    let orders = load(
        "orders.csv",
        "Order,Payment method,Total\nA-100,card,10\nA-101,cash,80\nA-102,card,5\nA-103,cash,5\n",
    );
    assert_eq!(answer(&orders, "What percentage of orders were paid by card?"), "50");
}

#[test]
fn a_mean_for_each_day_is_never_sure() {
    let sailings = sailings();
    for question in ["How many passengers per day on average?", "How many sailings carried no cars?"] {
        assert!(confidence(&sailings, question) < 0.8, "{question}");
    }
    // Each sailing is a row.
    let numbered = load("trips.csv", "trip,passengers\n501,10\n502,20\n503,60\n");
    assert_eq!(answer(&numbered, "average passengers per trip"), "30");
}

#[test]
fn money_words_are_no_rows_of_a_file_that_is_named_for_money() {
    let sales = load(
        "sales.csv",
        "Date,Customer,Country,Amount\n2025-01-03,Ada,France,10\n2025-01-09,Ada,France,10\n2025-01-20,Bo,Spain,90\n2025-02-02,Ada,Spain,5\n",
    );
    all(
        &sales,
        &[
            ("Which customer spent the most?", "Bo 90"),
            ("Wie hoch war der Umsatz im Januar?", "110"),
            ("revenue per country", "France 20; Spain 95"),
            ("how many sales were there?", "4"),
        ],
    );
}

#[test]
fn a_count_that_the_rows_tell_of_counts_no_rows_for_certain() {
    let hives = load(
        "hives.csv",
        "Hive,Date,Mites\nNorth,2025-08-02,12\nSouth,2025-08-02,3\nNorth,2025-08-20,15\nEast,2025-08-20,11\n",
    );
    if let Answer::Unique(answer) = hives.ask("Which hives had more than 10 mites on a count in August?") {
        assert!(answer.confidence < 0.8 || !answer.reading.starts_with("number of rows"), "{answer:?}");
    }
    assert_eq!(answer(&hives, "How many counts had more than 10 mites?"), "3");
}

#[test]
fn a_share_among_rows_that_do_not_say_is_never_sure() {
    let log = load(
        "backup.log",
        "job=db event=start\njob=db event=end status=ok\njob=web event=start\njob=web event=end status=failed\n",
    );
    assert!(confidence(&log, "What percentage of the runs failed, for each job?") < 0.8);
}
