//! A table, and the rows that answer a question about it.

use frlm_tables::query::Cell;
use frlm_tables::{Answer, LoadOptions, Table};

pub fn load(name: &str, text: &str) -> Table {
    Table::load(name, text, &LoadOptions::default()).unwrap()
}

/// The rows that answer a question.
pub fn answer(table: &Table, question: &str) -> String {
    match table.ask(question) {
        Answer::Unique(answer) => {
            let row = |row: &Vec<Cell>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            answer.outcome.rows.iter().map(row).collect::<Vec<_>>().join("; ")
        }
        other => panic!("{question}: {other:?}"),
    }
}
