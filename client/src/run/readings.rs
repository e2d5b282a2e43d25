//! The ways to read a question over tables, of which a person may choose one.

use std::collections::BTreeSet;

use frlm_tables::{Answer, Answered, SURE, Table, ask_joined};
use serde::{Deserialize, Serialize};

use super::document_tables::InDocument;

/// How sure an answer of one table must be, so that what another table may mean is not weighed against it.
pub(super) const NEARLY_SURE: f64 = 0.75;

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

/// A model's reply to a question over a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelsReply {
    pub text: String,
    /// The lines of records that mean what its query asks for, as readers found.
    pub meant: BTreeSet<u32>,
}

/// Every way to read a question over these tables: of each alone, of two at once, and as a model's reply has it.
pub(super) fn readings(sources: &[InDocument], question: &str, reply: Option<&ModelsReply>) -> Vec<Read> {
    let mut found = Vec::new();
    for (table, source) in sources.iter().enumerate() {
        let answered = of_answer(&source.table, source.table.ask(question), question);
        found.extend(answered.map(|answered| Read { table, answered: Box::new(answered), is_joined: false }));
    }
    let tables: Vec<&Table> = sources.iter().map(|source| &source.table).collect();
    let joined = ask_joined(&tables, question);
    found.extend(joined.map(|joined| Read {
        table: joined.table,
        answered: joined.answered,
        is_joined: true,
    }));
    for (table, source) in sources.iter().enumerate() {
        if let Some(Answer::Unique(answered)) =
            reply.map(|reply| source.table.ask_planned_where(&reply.text, &reply.meant))
        {
            found.push(Read { table, answered, is_joined: false });
        }
    }
    found
}

/// The readings that a table's answer holds, and those that come after it.
pub(super) fn of_answer(table: &Table, answer: Answer, question: &str) -> impl Iterator<Item = Answered> {
    let readings = match answer {
        Answer::Unique(answered) => {
            let others = less_likely(table, &answered, question);
            std::iter::once(*answered).chain(others).collect()
        }
        Answer::Ambiguous(readings) => readings,
        Answer::Asked(_) | Answer::Refused(_) => Vec::new(),
    };
    readings.into_iter()
}

/// Another reading, as a note on an answer.
pub(super) fn may_also_mean(other: &Answered) -> String {
    format!("it may also mean: {}: {}", other.reading, other.text())
}

/// What else the question may mean, where code is not sure of its one answer.
pub(super) fn less_likely(table: &Table, answered: &Answered, question: &str) -> Vec<Answered> {
    if answered.confidence >= SURE { Vec::new() } else { table.other_readings(question) }
}
