//! Known answers in SQLite, with full-text search.

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use super::{KnownAnswer, KnownAnswers, key};

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS known_answers (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        category TEXT NOT NULL,
        provenance TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS known_answers_text
        USING fts5(question, answer, content='known_answers', content_rowid='id');
    CREATE TRIGGER IF NOT EXISTS known_answers_added AFTER INSERT ON known_answers BEGIN
        INSERT INTO known_answers_text(rowid, question, answer) VALUES (new.id, new.question, new.answer);
    END;
    CREATE TRIGGER IF NOT EXISTS known_answers_removed AFTER DELETE ON known_answers BEGIN
        INSERT INTO known_answers_text(known_answers_text, rowid, question, answer)
        VALUES ('delete', old.id, old.question, old.answer);
    END;
";

/// Why the store did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum GroundTruthError {
    /// The database failed.
    #[error("the store of known answers failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// The file could not be read or written.
    #[error("known answers: {0}")]
    File(#[from] std::io::Error),
    /// A line of an import is no entry. Nothing of the file was taken.
    #[error("line {line} of the import is no known answer: {reason}; nothing was imported")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Two truths for one question. The older one stays until it is removed.
    #[error("\"{question}\" is already known to be \"{known}\", not \"{offered}\"; remove the old one first")]
    Contradiction {
        /// As asked.
        question: String,
        /// What is known.
        known: String,
        /// What was to be added.
        offered: String,
    },
    /// A question or answer that is empty.
    #[error("a known answer needs a question and an answer")]
    Empty,
}

/// What an import did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// New entries.
    pub added: usize,
    /// Entries that were there already.
    pub known: usize,
}

/// A store of known answers.
#[derive(Debug)]
pub struct GroundTruthStore {
    connection: Mutex<Connection>,
}

impl GroundTruthStore {
    /// Opens or creates a store.
    pub fn open(path: &Path) -> Result<Self, GroundTruthError> {
        Self::with(Connection::open(path)?)
    }

    /// A store that is gone with the process.
    pub fn in_memory() -> Result<Self, GroundTruthError> {
        Self::with(Connection::open_in_memory()?)
    }

    fn with(connection: Connection) -> Result<Self, GroundTruthError> {
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // SQLite keeps its own state consistent whatever panicked in between.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry; `false` if the same one is there already.
    pub fn add(&self, entry: &KnownAnswer) -> Result<bool, GroundTruthError> {
        add(&self.connection(), entry)
    }

    /// Removes what is known about a question; `false` if nothing is.
    pub fn remove(&self, question: &str) -> Result<bool, GroundTruthError> {
        let connection = self.connection();
        let removed = connection.execute("DELETE FROM known_answers WHERE key = ?1", [key::key(question)])?;
        Ok(removed > 0)
    }

    /// How many answers are known.
    pub fn len(&self) -> Result<usize, GroundTruthError> {
        let count: i64 =
            self.connection().query_row("SELECT count(*) FROM known_answers", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> Result<bool, GroundTruthError> {
        self.len().map(|len| len == 0)
    }

    /// The entry for a question, whatever the order of its words.
    pub fn get(&self, question: &str) -> Result<Option<KnownAnswer>, GroundTruthError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT question, answer, category, provenance FROM known_answers WHERE key = ?1",
        )?;
        Ok(statement.query_row([key::key(question)], entry).optional()?)
    }

    /// Entries whose question or answer holds all these words, best first: for people who look, never
    /// for a verdict.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<KnownAnswer>, GroundTruthError> {
        let words = key::search_words(words);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT k.question, k.answer, k.category, k.provenance
             FROM known_answers_text t JOIN known_answers k ON k.id = t.rowid
             WHERE known_answers_text MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = statement.query_map(params![words, limit], entry)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// Takes in entries as JSON lines, all or none.
    pub fn import(&self, lines: impl BufRead) -> Result<ImportReport, GroundTruthError> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let mut report = ImportReport::default();
        for (line, text) in (1..).zip(lines.lines()) {
            let text = text?;
            if text.trim().is_empty() {
                continue;
            }
            let read: KnownAnswer = serde_json::from_str(&text)
                .map_err(|error| GroundTruthError::Line { line, reason: error.to_string() })?;
            if add(&transaction, &read)? {
                report.added += 1;
            } else {
                report.known += 1;
            }
        }
        transaction.commit()?;
        Ok(report)
    }

    /// Writes all entries as JSON lines, in the order of their keys.
    pub fn export(&self, mut out: impl Write) -> Result<usize, GroundTruthError> {
        let connection = self.connection();
        let mut statement = connection
            .prepare("SELECT question, answer, category, provenance FROM known_answers ORDER BY key")?;
        let mut written = 0;
        for read in statement.query_map([], entry)? {
            let line = serde_json::to_string(&read?).map_err(std::io::Error::from)?;
            writeln!(out, "{line}")?;
            written += 1;
        }
        Ok(written)
    }
}

impl KnownAnswers for GroundTruthStore {
    fn lookup(&self, question: &str) -> Option<String> {
        // A store that fails knows nothing; the other methods still stand.
        self.get(question).ok().flatten().map(|entry| entry.answer)
    }
}

fn add(connection: &Connection, entry: &KnownAnswer) -> Result<bool, GroundTruthError> {
    let key = key::key(&entry.question);
    if key.is_empty() || entry.answer.trim().is_empty() {
        return Err(GroundTruthError::Empty);
    }
    let known: Option<String> = connection
        .query_row("SELECT answer FROM known_answers WHERE key = ?1", [&key], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        if known == entry.answer {
            return Ok(false);
        }
        return Err(GroundTruthError::Contradiction {
            question: entry.question.clone(),
            known,
            offered: entry.answer.clone(),
        });
    }
    let provenance = serde_json::to_string(&entry.provenance).map_err(std::io::Error::from)?;
    connection.execute(
        "INSERT INTO known_answers (key, question, answer, category, provenance) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![key, entry.question, entry.answer, entry.category, provenance],
    )?;
    Ok(true)
}

fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<KnownAnswer> {
    let provenance: String = row.get(3)?;
    let provenance = serde_json::from_str(&provenance).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(KnownAnswer { question: row.get(0)?, answer: row.get(1)?, category: row.get(2)?, provenance })
}

#[cfg(test)]
mod tests {
    use super::super::Provenance;
    use super::*;

    fn known(question: &str, answer: &str) -> KnownAnswer {
        KnownAnswer {
            question: question.to_owned(),
            answer: answer.to_owned(),
            category: "historical_dates".to_owned(),
            provenance: Provenance::Import { source: "facts.jsonl".to_owned() },
        }
    }

    /// seeds/verifier-block.md, "Ground Truth Database"; its 125,000 entries and hit rate of 38 % are of somebody's collection.
    #[test]
    fn a_known_question_is_found_reworded_or_reordered_but_a_similar_one_not() {
        let store = GroundTruthStore::in_memory().unwrap();
        assert!(store.add(&known("When was the Eiffel Tower completed?", "1889")).unwrap());
        assert_eq!(store.lookup("the Eiffel Tower was completed when?").as_deref(), Some("1889"));
        assert_eq!(store.lookup("When was the Eiffel Tower begun?"), None);
        assert_eq!(store.search("eiffel", 5).unwrap().len(), 1);
        assert_eq!(store.search("\" OR 1", 5).unwrap().len(), 0);
    }

    #[test]
    fn a_second_truth_for_one_question_is_refused() {
        let store = GroundTruthStore::in_memory().unwrap();
        store.add(&known("How many?", "42")).unwrap();
        assert!(!store.add(&known("How many?", "42")).unwrap());
        let error = store.add(&known("how many", "43")).unwrap_err();
        assert!(error.to_string().contains("remove the old one"), "{error}");
        assert!(store.remove("How many?").unwrap());
        assert!(store.add(&known("how many", "43")).unwrap());
    }

    #[test]
    fn what_is_exported_can_be_imported_and_a_bad_line_imports_nothing() {
        let store = GroundTruthStore::in_memory().unwrap();
        store.add(&known("Question one?", "1")).unwrap();
        let audited = KnownAnswer {
            provenance: Provenance::Audit { run: "r".to_owned(), method: "prefill".to_owned(), at: 7 },
            ..known("Question two?", "2")
        };
        store.add(&audited).unwrap();
        let mut file = Vec::new();
        assert_eq!(store.export(&mut file).unwrap(), 2);
        let other = GroundTruthStore::in_memory().unwrap();
        assert_eq!(other.import(&file[..]).unwrap(), ImportReport { added: 2, known: 0 });
        assert_eq!(other.import(&file[..]).unwrap(), ImportReport { added: 0, known: 2 });
        assert_eq!(other.get("Question two?").unwrap(), Some(audited));
        file.extend_from_slice(b"{\"question\": 3}\n");
        let third = GroundTruthStore::in_memory().unwrap();
        assert!(matches!(third.import(&file[..]), Err(GroundTruthError::Line { line: 3, .. })));
        assert!(third.is_empty().unwrap());
    }
}
