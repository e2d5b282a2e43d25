//! Wordings of authors who knew nothing of the grammar, and others of their kind: states in a phrase, verbs that say which day is meant,
//! remarks that leave nothing out, two numbers at once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use frlm_tables::{Answer, Table};

use common::{answer, load};

fn assert_answers(table: &Table, expected: &[(&str, &str)]) {
    for (question, rows) in expected {
        assert_eq!(answer(table, question), *rows, "{question}");
    }
}

fn diary() -> Table {
    load(
        "surgery_diary.csv",
        "Appt date,Patient,Dentist,Treatment,Minutes,Outcome,Fee\n\
        24/02/2025,\"Lomax, Will\",Dr Okafor,Root canal,30,Attended,£58.00\n\
        25/02/2025,\"Carver, Rita\",Dr Mehta,Check-up,20,No show,\n\
        03/03/2025,\"Kaur, Farah\",Dr Mehta,Root canal,60,No show,\n\
        04/03/2025,\"Naylor, Joan\",Dr Mehta,Filling,40,Attended,£80.85\n\
        05/03/2025,\"Ingram, Derek\",Dr Okafor,Root canal,50,Cancelled,\n\
        27/03/2025,\"Osborne, Liz\",Dr Mehta,Filling,25,Cancelled,\n",
    )
}

#[test]
fn a_state_is_said_in_its_plural_or_in_a_phrase() {
    assert_answers(
        &diary(),
        &[
            ("how many no shows did we have in march", "1"),
            ("How many no-shows were there?", "2"),
            ("How many patients didn't turn up?", "2"),
            ("Wie viele Patienten sind nicht erschienen?", "2"),
            ("How many root canals did we have in February?", "1"),
            ("How many appointments were called off?", "2"),
            ("no-shows for each dentist please", "Dr Mehta 2"),
            (
                "Who was down for a root canal but either cancelled or didn't show?",
                "Kaur, Farah; Ingram, Derek",
            ),
        ],
    );
}

#[test]
fn a_second_sentence_may_be_a_condition() {
    let diary = diary();
    let question = "How many minutes of treatment did Dr Mehta actually carry out in March? Only count the patients who attended.";
    assert_eq!(answer(&diary, question), "40");
    assert_eq!(answer(&diary, "What is the total of the minutes? Only count root canals."), "140");
}

fn loans() -> Table {
    load(
        "loans.tsv",
        "barcode\ttitle\tbranch\tcard_no\tloaned\tdue\treturned\tfine_gbp\n\
        363255332\tPiranesi\tRiverside\t20655\t2025-03-18\t2025-04-08\t2025-04-02\t\n\
        391460906\tEmma\tHill Road\t20783\t2025-04-02\t2025-04-23\t2025-04-22\t1.50\n\
        314160676\tPiranesi\tRiverside\t20783\t2025-04-03\t2025-04-24\t2025-05-21\t2.50\n\
        357848412\tUbik\tCentral\t20607\t2025-04-19\t2025-05-10\t\t\n",
    )
}

#[test]
fn the_verb_says_which_of_several_days_is_meant() {
    assert_answers(
        &loans(),
        &[
            ("How many different cards borrowed something in April?", "2"),
            ("How many loans came back in April?", "2"),
            ("Wie viele Bücher wurden im April ausgeliehen?", "3"),
            ("Wie viele Ausleihen wurden im Mai zurückgegeben?", "1"),
            ("how many loans have no return date?", "1"),
        ],
    );
}

#[test]
fn records_are_counted_beside_what_is_made_of_their_numbers() {
    assert_answers(
        &loans(),
        &[
            ("loans and total fines for Riverside compared to Hill Road", "Hill Road 1 1.5; Riverside 2 2.5"),
            (
                "number of loans and total fine_gbp per branch",
                "Central 1 (missing); Hill Road 1 1.5; Riverside 2 2.5",
            ),
            (
                "total fine_gbp and number of loans per branch",
                "Central (missing) 1; Hill Road 1.5 1; Riverside 2.5 2",
            ),
        ],
    );
}

fn reservations() -> Table {
    load(
        "reservations.csv",
        "Conf no,Guest,Arrival,Departure,Room type,Children,Rate per night,Channel,Status\n\
        H1,Ms L. Ito,\"Jun 6, 2025\",\"Jun 8, 2025\",Double,0,EUR 129.00,Phone,confirmed\n\
        H2,Mrs L. Novak,\"Jun 9, 2025\",\"Jun 24, 2025\",Suite,1,€254.00,Phone,confirmed\n\
        H3,Dr J. Vermeer,\"Jun 15, 2025\",\"Jun 17, 2025\",Suite,2,€230.00,Direct,cancelled\n\
        H4,Mr J. Lambert,\"Jul 1, 2025\",\"Jul 2, 2025\",Twin,3,€135.00,Phone,confirmed\n",
    )
}

#[test]
fn a_stay_a_rate_and_children_are_what_they_are_called() {
    assert_answers(
        &reservations(),
        &[
            ("Which guest is staying the longest and how many nights is that?", "Mrs L. Novak 15"),
            ("average nightly rate over all suite bookings, cancelled ones included", "242"),
            ("how many children do we expect in total from confirmed bookings arriving in June?", "1"),
            ("Wie viele bestätigte Buchungen reisen zwischen dem 9. und dem 15. Juni an?", "1"),
            ("How many bookings arrive between 9 and 15 June, including cancelled ones?", "2"),
        ],
    );
}

#[test]
fn groups_are_put_in_the_order_of_their_numbers() {
    assert_answers(
        &reservations(),
        &[
            ("bookings per channel, busiest first (cancelled ones count too)", "Phone 3; Direct 1"),
            ("bookings per room type, most first", "Suite 2; Twin 1; Double 1"),
        ],
    );
}

#[test]
fn an_amount_with_its_currency_is_of_that_currency() {
    let payments = load(
        "payments.jsonl",
        "{\"ref\": \"T1\", \"amount\": 6000.5, \"currency\": \"EUR\", \"country\": \"CH\"}\n\
        {\"ref\": \"T2\", \"amount\": 7000, \"currency\": \"USD\", \"country\": \"CH\"}\n\
        {\"ref\": \"T3\", \"amount\": 500, \"currency\": \"EUR\", \"country\": \"CH\"}\n\
        {\"ref\": \"T4\", \"amount\": 9000, \"currency\": \"EUR\", \"country\": \"PT\"}\n",
    );
    assert_answers(
        &payments,
        &[
            ("How many payments of more than 5,000 EUR went to Switzerland (CH)?", "1"),
            ("How many payments were over 5,000 EUR?", "2"),
            ("Wie viele Zahlungen über 5.000 Euro gab es?", "2"),
        ],
    );
}

#[test]
fn an_amount_is_money_if_its_column_names_a_currency() {
    let jobs = load(
        "werkstatt.csv",
        "Auftrag;Mechaniker;Stunden;Ersatzteile (EUR);Rechnung (EUR)\nW-1;Nadine;1,50;0,00;202,00\n\
        W-2;Nadine;1,25;223,95;108,95\nW-3;Kalle;1,00;64,26;332,26\n",
    );
    assert_answers(&jobs, &[("wieviele rechnungen über 200 euro hat Nadine gemacht", "1")]);
}

fn marathon() -> Table {
    load(
        "marathon_results.csv",
        "Pos,Runner,Sex,Category,Halfway,Chip time\n1,Adam Tait,M,MSen,1:29:34,2:59:24\n2,Hanna Vance,F,F50,1:35:00,3:12:36\n\
        3,Adam Easton,M,M50,1:36:12,3:34:09\n4,Tom Flynn,M,M50,1:59:45,4:14:48\n5,Ida Galt,F,F40,1:53:22,3:57:32\n",
    )
}

#[test]
fn the_time_of_a_race_is_that_of_the_whole() {
    assert_answers(
        &marathon(),
        &[
            ("who was the first woman home and what was her time?", "Hanna Vance 3:12:36"),
            ("How many people finished between 3:30:00 and 4:00:00?", "2"),
            ("Wie viele Männer der Klasse M50 waren schneller als 4 Stunden?", "1"),
            ("How many runners were faster than 3:30:00?", "2"),
        ],
    );
}

fn requests() -> Table {
    let line = |ip: &str, request: &str, status: u32, bytes: u32| {
        format!(
            "{ip} - - [18/Mar/2025:08:41:24 +0000] \"{request} HTTP/1.1\" {status} {bytes} \"-\" \"curl/8.5.0\"\n"
        )
    };
    let text = [
        line("198.51.100.1", "GET /", 200, 29_294),
        line("198.51.100.1", "GET /wp-login.php", 404, 162),
        line("198.51.100.2", "GET /wp-login.php", 404, 162),
        line("198.51.100.3", "GET /.env", 404, 162),
        line("198.51.100.3", "POST /login", 401, 87),
        line("198.51.100.3", "POST /login", 200, 870),
    ]
    .concat();
    load("access.log", &text)
}

#[test]
fn what_a_server_answered_is_said_in_words() {
    assert_answers(
        &requests(),
        &[
            ("top 2 missing pages (404) with their number of hits", "/wp-login.php 2; /.env 1"),
            ("How often did a POST to /login end in a 401?", "1"),
            ("Wie viele verschiedene IP-Adressen haben zugegriffen?", "3"),
            ("How many requests were not found?", "3"),
        ],
    );
}

#[test]
fn no_number_stands_in_for_one_of_another_kind() {
    for question in
        ["what was the average response time of the server in ms?", "What was the average latency?"]
    {
        assert!(matches!(requests().ask(question), Answer::Refused(_)), "{question}");
    }
}

#[test]
fn what_came_in_and_what_is_still_due_is_told_by_the_day_of_payment() {
    let fees = load(
        "mitgliedsbeitraege.csv",
        "Nr;Name;Abteilung;Eintritt;Jahresbeitrag;Bezahlt am;Zahlungsart\n1001;Eberle, Elke;Turnen;24.09.2020;84,50 €;13.03.2024;Überweisung\n\
        1002;Täuber, Irma;Fußball;11.03.1982;120,00 €;11.03.2024;Lastschrift\n1003;Prinz, Katrin;Fußball;25.08.2023;60,00 €;;Lastschrift\n\
        1004;Sailer, Bruno;Tennis;15.01.1981;96,00 €;30.04.2024;Lastschrift\n",
    );
    assert_answers(
        &fees,
        &[
            ("Was kam im März per Lastschrift herein?", "120"),
            ("Wie viel Geld steht noch aus, also Beiträge ohne Zahlungsdatum?", "60"),
            ("Wie viele Mitglieder haben im März bezahlt?", "2"),
        ],
    );
}

#[test]
fn an_item_per_unit_and_a_count_date_are_columns() {
    let stock = load(
        "stock_sheet.md",
        "| Bin | SKU | Item | On hand | Unit cost | Last counted |\n|---|---|---|--:|--:|---|\n\
        | B-13-3 | SF3841 | Stretch film | 21 | £0.37 | 2025-03-23 |\n| A-03-4 | MR4680 | Packing tape | 182 | £11.18 | 2025-04-20 |\n\
        | B-02-1 | GL1000 | Safety gloves | 44 | £9.43 |  |\n",
    );
    assert_answers(
        &stock,
        &[
            ("which items have no count date?", "Safety gloves"),
            ("Most expensive item per unit?", "Packing tape 11.18"),
        ],
    );
}

#[test]
fn what_is_owed_is_what_is_not_paid() {
    let visits = load(
        "vet_visits.csv",
        "Date,Pet,Owner,Weight,Fee,Paid?\n2025-01-03,Bruno,Moss,21.5,£140.00,no\n2025-02-11,Mimi,Reed,4.1,£320.50,yes\n\
        2025-03-02,Bruno,Moss,22.0,£110.00,no\n2025-03-20,Rex,Vogel,8.0,£35.00,no\n",
    );
    assert_answers(
        &visits,
        &[
            ("How much money is still owed to us?", "285"),
            ("Who still owes us money?", "Moss; Vogel"),
            ("Which owners owe us more than £200 altogether?", "Moss 250"),
        ],
    );
}

#[test]
fn with_and_without_are_two_groups() {
    let plots = load(
        "plots.csv",
        "Plot,Size,Shed,Deposit paid,Rent\nA1,100,yes,yes,50\nA2,150,no,no,40\nA3,200,yes,no,0\nA4,250,no,yes,70\n",
    );
    assert_answers(
        &plots,
        &[
            ("Average plot size with a shed and without one?", "no 200; yes 150"),
            ("How many plots have a shed and haven't paid the deposit?", "1"),
            ("How many plots have no rent?", "1"),
        ],
    );
}

#[test]
fn an_hour_of_the_morning_is_a_time_of_day() {
    let doors = load(
        "door_log.csv",
        "time,user,result\n2025-01-03 06:10:00,ada,OK\n2025-01-03 08:10:00,bob,OK\n2025-01-03 18:40:00,ada,DENIED\n",
    );
    assert_answers(
        &doors,
        &[
            ("How many rows were there before 7 in the morning?", "1"),
            ("How many rows were there between 8 and 9 in the morning?", "1"),
            ("Wie viele Zeilen gab es nach 6 Uhr abends?", "1"),
            ("How many times was somebody turned down?", "1"),
        ],
    );
}
