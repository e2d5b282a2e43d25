//! The ways to read a question over tables, of which a person may choose one.

use frlm_tables::{Answer, Answered, Table, ask_joined};
use serde::{Deserialize, Serialize};

use super::document_tables::InDocument;

/// A reading that a person chose: whose query it is, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingChoice {
    /// The document whose table is asked.
    pub file: String,
    /// The query.
    pub sql: String,
}

impl ReadingChoice {
    /// Whether an answer over a table of this document is by this reading.
    pub(super) fn is(&self, file: &str, answered: &Answered) -> bool {
        self.file == file && self.sql == answered.sql()
    }
}

/// A reading that a person may choose in the place of another.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherReading {
    /// What it asks, in words.
    pub words: String,
    /// What it comes to, in a line.
    pub text: String,
    /// How sure code is of it, 0..=1.
    pub confidence: f64,
    /// By which it is asked.
    pub choice: ReadingChoice,
}

impl OtherReading {
    pub(super) fn of(file: &str, answered: &Answered) -> Self {
        Self {
            words: answered.reading.clone(),
            text: answered.text(),
            confidence: answered.confidence,
            choice: ReadingChoice { file: file.to_owned(), sql: answered.sql() },
        }
    }
}

/// A way to read the question, and what it came to.
pub(super) struct Read {
    /// The table whose rows are cited, by its place among those that were asked.
    pub table: usize,
    pub answered: Box<Answered>,
    /// Whether it is asked of two tables at once.
    pub is_joined: bool,
}

/// Every way to read a question over these tables: of each alone, and of two at once.
pub(super) fn readings(sources: &[InDocument], question: &str) -> Vec<Read> {
    let mut found = Vec::new();
    for (table, source) in sources.iter().enumerate() {
        let answered: Vec<Box<Answered>> = match source.table.ask(question) {
            Answer::Unique(answered) => vec![answered],
            Answer::Ambiguous(readings) => readings.into_iter().map(Box::new).collect(),
            Answer::Asked(_) | Answer::Refused(_) => Vec::new(),
        };
        found.extend(answered.into_iter().map(|answered| Read { table, answered, is_joined: false }));
    }
    let tables: Vec<&Table> = sources.iter().map(|source| &source.table).collect();
    let joined = ask_joined(&tables, question);
    found.extend(joined.map(|joined| Read {
        table: joined.table,
        answered: joined.answered,
        is_joined: true,
    }));
    found
}
