//! Whatever a file, a question or a statement holds, nothing panics, hangs or grows without a bound.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use frlm_tables::{LoadError, LoadOptions, QueryError, Table};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_loaded_or_refused(text in "[a-z0-9,;\"'\n\t|{}:=<> €ä.-]{0,300}", name in "[a-z]{1,5}\\.(csv|json|jsonl|log|md|txt)") {
        if let Ok(table) = Table::load(&name, text, &LoadOptions::default()) {
            let _ = table.ask("How many records are there?");
        }
    }

    #[test]
    fn any_question_is_answered_or_refused(question in "(how many |average |amount|over |5 |not |or |and |, |ada |per |name |the |\"|ü|between |in March |%){0,14}") {
        let table = Table::load("x.csv", "name,amount,date\nada,5.00,2026-03-04\nbob,6.50,2026-04-05\n", &LoadOptions::default());
        let _ = table.map(|table| table.ask(&question));
    }
}

fn small() -> Table {
    let options = LoadOptions { query_steps: 2_000_000, ..LoadOptions::default() };
    Table::load("people.csv", "name,amount\nada,5.00\nbob,6.50\n", &options).unwrap()
}

#[test]
fn sql_of_a_user_only_reads() {
    let table = small();
    for sql in [
        "DELETE FROM people",
        "UPDATE people SET amount = 1",
        "CREATE TABLE x (y)",
        "ATTACH 'x.db' AS y",
        "PRAGMA query_only = OFF",
        "VACUUM INTO 'y.db'",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
    ] {
        assert!(table.run_sql(sql).is_err(), "{sql}");
    }
    assert_eq!(table.run_sql("SELECT count(*) FROM people").unwrap().rows[0][0].to_string(), "2");
}

#[test]
fn sql_that_never_ends_is_stopped() {
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    assert!(matches!(small().run_sql(endless), Err(QueryError::TooLong)));
}

#[test]
fn a_result_is_cut_by_rows_and_by_bytes() {
    let many = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT x FROM c";
    let outcome = small().run_sql(many).unwrap();
    assert!(outcome.is_cut && outcome.rows.len() == 10_000);
    let wide = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500) \
                SELECT replace(hex(zeroblob(250000)), '00', 'ab') FROM c";
    let outcome = small().run_sql(wide).unwrap();
    assert!(outcome.is_cut && outcome.rows.len() < 200, "{}", outcome.rows.len());
}

#[test]
fn cells_that_sql_makes_are_bounded() {
    for sql in ["SELECT zeroblob(2000000)", "SELECT replace(hex(zeroblob(400000)), '0', 'abc')"] {
        assert!(small().run_sql(sql).is_err(), "{sql}");
    }
    // What the table itself holds may be larger.
    let table =
        Table::load("x.csv", format!("a,b\n1,{}\n2,x\n", "y".repeat(3_000_000)), &LoadOptions::default())
            .unwrap();
    assert!(table.ask("How many records are there?").unique().is_some());
}

#[test]
fn a_file_of_many_columns_is_a_table() {
    let names: Vec<String> = (0..1_500).map(|column| format!("c{column}")).collect();
    let row = vec!["7"; 1_500].join(",");
    let table =
        Table::load("wide.csv", format!("{}\n{row}\n{row}\n", names.join(",")), &LoadOptions::default())
            .unwrap();
    assert_eq!(table.ask("What is the total c1234?").unique().unwrap().outcome.rows[0][0].to_string(), "14");
}

#[test]
fn columns_of_one_name_get_numbers() {
    let options = LoadOptions { format: Some(frlm_tables::Format::Delimited), ..LoadOptions::default() };
    let header = vec!["a"; 1_500].join(",");
    let row = vec!["7"; 1_500].join(",");
    let table = Table::load("x.csv", format!("{header}\n{row}\n{row}\n"), &options).unwrap();
    assert_eq!(table.columns()[1_499].name, "a 1500");
}

#[test]
fn nested_json_and_open_quotes_end() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    // That it ends is enough.
    let _ = Table::load("deep.json", deep, &LoadOptions::default());
    let open = format!("a,b\n\"{}", "x\n".repeat(50_000));
    let _ = Table::load("open.csv", open, &LoadOptions::default());
    let none = LoadOptions { limit_bytes: 10, ..LoadOptions::default() };
    assert!(matches!(Table::load("x.csv", "a,b\n1,2\n3,4\n", &none), Err(LoadError::TooLarge { .. })));
}

#[test]
fn a_pattern_of_a_question_does_not_explode() {
    let table =
        Table::load("x.csv", format!("name,n\n{},1\nb,2\n", "a".repeat(5_000)), &LoadOptions::default())
            .unwrap();
    let _ = table.ask("How many records have name matching \"(a+)+$\"?");
    let _ = table.ask("How many records have name matching \"(((a{1,1000}){1,1000}){1,1000})\"?");
    assert!(table.run_sql("SELECT name LIKE '%a%a%a%a%a%a%a%a%a%a%b' FROM x").is_ok());
}
