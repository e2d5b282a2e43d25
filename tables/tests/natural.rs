//! Ordinary ways to ask, each of which was once refused or read wrong. What is guessed is answered, and never sure.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::fmt::Write as _;

use frlm_tables::{Answer, Answered, LoadOptions, Table};

const SURE: f64 = 0.8;

fn table(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

fn answered(table: &Table, question: &str) -> Box<Answered> {
    match table.ask(question) {
        Answer::Unique(answer) => answer,
        other => panic!("{question}: {other:?}"),
    }
}

/// The first cell of the only reading.
fn asked(table: &Table, question: &str) -> String {
    answered(table, question).outcome.rows.first().map_or_else(String::new, |row| row[0].to_string())
}

/// The first cell of a reading that must not count as sure, since a word of it was guessed.
fn guessed(table: &Table, question: &str) -> String {
    let answer = answered(table, question);
    assert!(answer.confidence < SURE, "{question}: {}", answer.confidence);
    assert!(!answer.notes.is_empty(), "{question}: the guess is said");
    answer.outcome.rows.first().map_or_else(String::new, |row| row[0].to_string())
}

fn parcels() -> Table {
    let text = "id,city,weight,sent,delivered\n\
                P1,Bonn,2.5,2026-03-04,2026-03-06\n\
                P2,Kiel,7.5,2026-03-05,\n\
                P3,Bonn,1.0,2026-04-01,2026-04-02\n\
                P4,Ulm,9.0,2026-04-03,\n";
    table("deliveries.csv", text)
}

#[test]
fn an_unknown_word_where_the_records_are_named_names_the_records() {
    let table = parcels();
    assert_eq!(guessed(&table, "How many parcels have the city Bonn?"), "2");
    assert_eq!(guessed(&table, "How many Bonn parcels are there?"), "2");
    for question in ["How many parcels are there?", "How many broken parcels have the city Bonn?"] {
        assert!(matches!(table.ask(question), Answer::Refused(_)), "{question}");
    }
}

#[test]
fn an_unknown_verb_beside_a_condition_says_no_more_than_the_condition() {
    let text = "Spender;Betrag;Zweck\nAda;10,50;Schule\nBob;20,00;Tierheim\nAda;5,25;Schule\n";
    let table = table("spenden.csv", text);
    assert_eq!(guessed(&table, "Wie viel wurde insgesamt für die Schule hergegeben?"), "15.75");
    assert!(matches!(table.ask("Wie viele Zeilen wurden hergegeben?"), Answer::Refused(_)));
}

#[test]
fn a_verb_of_the_table_s_own_words_is_no_guess() {
    let text = "Gerät;Verbrauch;Preis\nOfen;10,5;1,25\nLampe;2,0;3,75\nOfen;1,5;2,25\n";
    let table = table("verbrauch.csv", text);
    assert_eq!(asked(&table, "Wie viel hat der Ofen insgesamt verbraucht?"), "12");
}

#[test]
fn a_slip_of_the_keyboard_is_read_as_the_word_that_was_meant() {
    let table = parcels();
    assert_eq!(guessed(&table, "What is the avarage weight?"), "5");
    assert_eq!(guessed(&table, "What is the average wieght in Kiel?"), "7.5");
}

#[test]
fn two_words_in_one_are_taken_apart() {
    let text = "Schüler;Fach;Note\nAda;Sport;1,5\nBen;Deutsch;2,0\nCem;Sport;3,0\n";
    let table = table("zeugnis.csv", text);
    assert_eq!(guessed(&table, "Wie ist der Notendurchschnitt in Sport?"), "2.25");
}

#[test]
fn a_word_of_long_texts_is_looked_for_in_them() {
    let mut text = String::new();
    for (at, what) in [("00", "Failed password"), ("01", "Accepted publickey"), ("02", "Failed password")] {
        writeln!(
            text,
            "Jun  9 03:{at}:00 bastion sshd[77]: {what} for root from 198.51.100.3 port 40{at} ssh2"
        )
        .unwrap();
    }
    text.push_str("Jun  9 03:03:00 bastion cron[78]: session opened for user root\n");
    let table = table("auth.log", &text);
    assert_eq!(guessed(&table, "How many failed password entries are there?"), "2");
}

#[test]
fn an_hour_is_asked_of_columns_that_tell_one() {
    // A day without a time was read as midnight, and sure of it.
    let days = parcels();
    for question in ["How many deliveries were sent before noon?", "How many deliveries are there per hour?"]
    {
        assert!(
            !matches!(days.ask(question), Answer::Unique(answer) if answer.confidence >= SURE),
            "{question}"
        );
    }
    let clock = table("visits.csv", "visitor,arrived\nada,09:15\nben,10:45\ncem,11:05\nada,10:05\n");
    assert_eq!(asked(&clock, "How many visits between 10 and 11 o'clock?"), "2");
    assert_eq!(asked(&clock, "How many visits before noon?"), "4");
    assert_eq!(asked(&clock, "How many visits between 10:00 and 10:59?"), "2");
}

#[test]
fn cells_without_a_year_are_in_no_year() {
    let text = "Jun  9 03:00:00 bastion cron[78]: session opened\nJun 10 03:00:00 bastion cron[79]: session opened\n";
    let table = table("auth.log", text);
    for question in ["How many entries are there in 2026?", "How many entries are there after June 9, 2026?"]
    {
        assert!(
            !matches!(table.ask(question), Answer::Unique(answer) if answer.confidence >= SURE),
            "{question}"
        );
    }
    assert_eq!(asked(&table, "How many entries are there on June 9?"), "1");
}

#[test]
fn a_comparison_may_stand_behind_its_number_and_a_number_may_be_a_word() {
    let table = table("stays.csv", "guest,nights\nada,1\nben,2\ncem,3\ndora,4\n");
    assert_eq!(asked(&table, "How many stays have nights of 2 or less?"), "2");
    assert_eq!(asked(&table, "How many stays have 3 or more nights?"), "2");
    assert_eq!(asked(&table, "How many stays had more than three nights?"), "1");
}

#[test]
fn half_a_unit_is_a_length() {
    let table = table("visits.csv", "visitor,duration\nada,10 min\nben,30 min\ncem,45 min\n");
    assert_eq!(asked(&table, "How many visits took at least half an hour?"), "2");
}

#[test]
fn a_date_that_is_missing_has_not_happened() {
    let table = parcels();
    assert_eq!(asked(&table, "How many records haven't been delivered yet?"), "2");
}

#[test]
fn a_number_of_the_records_is_ranked_by_what_is_named() {
    let text = "Pos,Club,Goals\n1,Ashford,31\n2,Brackley,40\n3,Corby,12\n";
    let clubs = table("standings.csv", text);
    assert_eq!(asked(&clubs, "Which club is first?"), "Ashford");
    assert_eq!(guessed(&clubs, "Who scored the most goals?"), "Brackley");
}

#[test]
fn the_superlative_of_an_average_says_what_is_averaged() {
    let text = "worker=a took=10ms\nworker=b took=300ms\nworker=a took=20ms\nworker=b took=1ms\n";
    let table = table("jobs.log", text);
    assert_eq!(asked(&table, "Which worker is the slowest on average?"), "b");
}

#[test]
fn a_part_of_a_nested_record_is_called_by_its_name() {
    let text = "{\"customer\": {\"name\": \"Nora\", \"country\": \"DE\"}}\n{\"customer\": {\"name\": \"Pia\", \"country\": \"DE\"}}\n\
                {\"customer\": {\"name\": \"Pia\", \"country\": \"AT\"}}\n";
    let table = table("checkouts.jsonl", text);
    assert_eq!(asked(&table, "Which customer has the most checkouts?"), "Pia");
}

#[test]
fn a_value_and_the_word_for_its_column_are_one_condition() {
    let text = "level=info err=\"disk full\"\nlevel=error err=timeout\nlevel=error err=\"disk full\"\n";
    let table = table("backups.logfmt", text);
    // It was read as two conditions, and sure of it.
    assert_eq!(asked(&table, "How many backups had a disk full error?"), "2");
}

#[test]
fn a_time_before_the_name_of_its_column_is_of_that_column() {
    let text = "Patient;Geboren;Aufnahme\nAda;01.02.1940;03.04.2025\nBen;13.05.1960;04.05.2025\nCem;17.08.1949;25.06.2025\n";
    let table = table("aufnahmen.csv", text);
    assert_eq!(asked(&table, "Wie viele Einträge sind vor 1950 geboren?"), "2");
}

#[test]
fn units_in_a_column_s_name_name_the_column() {
    let text = "Feld;Frucht;Ertrag (t)\nBach;Mais;10,5\nHöhe;Mais;2,5\nBach;Rüben;7,0\n";
    let table = table("ernte.csv", text);
    assert_eq!(asked(&table, "Wie viel Tonnen Mais gab es insgesamt?"), "13");
}

#[test]
fn a_time_is_compared_in_the_unit_of_the_column_s_name() {
    let table = table("orders.csv", "id,minutes\nA,50\nB,90\nC,61\n");
    assert_eq!(asked(&table, "How many orders took over an hour?"), "2");
}

#[test]
fn who_of_a_negation_with_any_is_missing() {
    let table = table("runners.csv", "runner,club,relay\nada,Track,yes\nben,,no\ncem,,yes\n");
    assert_eq!(asked(&table, "How many runners don't belong to any club?"), "2");
    assert_eq!(asked(&table, "How many runners with relay are there?"), "2");
}

#[test]
fn the_beginning_of_the_only_value_is_that_value() {
    let table = table("launches.csv", "rocket,outcome\nVega,failure\nVega,success\nSoyuz,failure\n");
    assert_eq!(guessed(&table, "How many times did Vega fail?"), "1");
}

#[test]
fn a_plural_of_capitals_is_the_sign() {
    let table = table("gateway.csv", "path,method\n/a,GET\n/b,PUT\n/c,GET\n");
    assert_eq!(asked(&table, "How many requests were not GETs?"), "1");
}
