//! Whatever a file or a question holds, nothing panics.

use frlm_tables::{LoadOptions, Table};
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
