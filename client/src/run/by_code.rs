//! Answers that code computes: the question as a query over a table of the documents (`frlm_tables`). Nothing leaves this
//! machine, and it costs nothing.

use std::collections::HashMap;
use std::fmt::Write as _;

use frlm_conductor::answer::Reading;
use frlm_conductor::ingest::{Document, Fragment, IngestWarning};
use frlm_conductor::reduce::{Citation, MOST_CITATIONS};
use frlm_conductor::run::Computed;
use frlm_documents::EntryKind;
use frlm_documents::text::TextKind;
use frlm_tables::{Answer, Answered, LoadOptions, RawTable, Table};

use crate::config::By;
use crate::failure::Failure;

/// The longest text that code computes over unasked: its table takes many times as much memory.
const MOST_BYTES_UNASKED: usize = 256 << 20;

/// How much memory a table takes, in sizes of its text, while it is read.
const MEMORY_OF_A_TABLE: usize = 13;

/// How sure code must be of its reading where the swarm could be asked instead: nothing was guessed.
const SURE: f64 = 1.0;

/// A table, and the document that it stands in.
struct Source<'run> {
    document: &'run Document,
    table: Table,
}

/// The answer by code; `None` where the swarm is to be asked.
pub(super) fn compute(
    by: By,
    question: &str,
    documents: &[Document],
    fragments: &[Fragment],
) -> Result<Option<Computed>, Failure> {
    if by == By::Swarm {
        return Ok(None);
    }
    let mut sources = Vec::new();
    for document in documents {
        if by == By::Auto && is_too_long(document, MOST_BYTES_UNASKED) {
            return Ok(None);
        }
        let tables = tables(document);
        // What a text says beside its tables only a reader knows.
        if tables.is_empty() && by == By::Auto {
            return Ok(None);
        }
        sources.extend(tables.into_iter().map(|table| Source { document, table }));
    }
    if sources.is_empty() {
        return Err(Failure::usage(
            "--by code: no table was found in these documents (CSV, JSON, logs, sheets, tables of PDF and Word files); \
             leave it out to ask the swarm",
        ));
    }
    let mut answers: Vec<(&Source, Answer)> =
        sources.iter().map(|source| (source, source.table.ask(question))).collect();
    let is_refused = |answer: &Answer| matches!(answer, Answer::Refused(_));
    if answers.iter().any(|(_, answer)| !is_refused(answer)) {
        answers.retain(|(_, answer)| !is_refused(answer));
    }
    match answers.as_slice() {
        [(source, Answer::Unique(answered))] if by == By::Code || answered.confidence >= SURE => {
            Ok(Some(computed(source, answered, fragments)))
        }
        _ if by == By::Auto => Ok(None),
        several => Err(Failure::usage(why_not(several))),
    }
}

/// What the user should know of documents that code leaves to the swarm only because they are long.
pub(super) fn left_to_the_swarm(by: By, documents: &[Document]) -> Vec<IngestWarning> {
    let long =
        documents.iter().filter(|document| by == By::Auto && is_too_long(document, MOST_BYTES_UNASKED));
    let note = |document: &Document| IngestWarning::Noted {
        name: document.name.clone(),
        note: format!(
            "more than {} MB, so that code does not compute over it unasked; --by code does, and takes about {} GB of memory",
            MOST_BYTES_UNASKED >> 20,
            (document.text.len() * MEMORY_OF_A_TABLE).div_ceil(1 << 30)
        ),
    };
    long.map(note).collect()
}

/// Whether a text is a table, and longer than this.
fn is_too_long(document: &Document, most_bytes: usize) -> bool {
    document.text.len() > most_bytes
        && TextKind::detect(&document.name, &document.text.beginning()).is_record_like()
}

/// The tables of a document: a text of records is one, and in other documents all rows under the same column names are.
fn tables(document: &Document) -> Vec<Table> {
    let options = LoadOptions::default();
    let Some(transcript) = &document.transcript else {
        if !TextKind::detect(&document.name, &document.text.beginning()).is_record_like() {
            return Vec::new();
        }
        return Table::load(&document.name, document.text.whole(), &options).into_iter().collect();
    };
    let mut names: Vec<Vec<&str>> = Vec::new();
    let mut raw: Vec<RawTable> = Vec::new();
    for entry in &transcript.entries {
        if entry.kind != EntryKind::Row || entry.fields.is_empty() {
            continue;
        }
        let columns: Vec<&str> = entry.fields.iter().map(|(name, _)| name.as_str()).collect();
        let at = names.iter().position(|known| *known == columns).unwrap_or_else(|| {
            raw.push(RawTable::new(columns.iter().map(|name| (*name).to_owned())));
            names.push(columns);
            raw.len() - 1
        });
        raw[at].push_row(entry.line..=entry.line, entry.fields.iter().map(|(_, cell)| cell.as_str()));
    }
    raw.iter().filter_map(|raw| Table::from_rows(&document.name, raw, &options).ok()).collect()
}

fn computed(source: &Source, answered: &Answered, fragments: &[Fragment]) -> Computed {
    let Answered { reading, outcome, confidence, notes, .. } = answered;
    let document = source.document;
    let cited: Vec<u32> = outcome.lines.iter().copied().take(MOST_CITATIONS).collect();
    let citations = citations(document, &cited, fragments);
    let rows = usize::try_from(outcome.matched).unwrap_or(usize::MAX);
    let value = outcome.single().zip(outcome.headings.first());
    Computed {
        text: format!("{} ({reading})", answered.text()),
        value: value.map(|(cell, heading)| heading.plain_text(cell)),
        confidence: *confidence,
        uncited: rows.saturating_sub(citations.len()),
        citations,
        reading: Reading {
            words: reading.clone(),
            sql: answered.sql(),
            file: document.name.clone(),
            rows: outcome.matched,
            left_out: outcome.left_out.iter().map(|left| left.missing + left.misfits).sum(),
            notes: notes.clone(),
        },
    }
}

/// The lines of a document as citations.
fn citations(document: &Document, lines: &[u32], fragments: &[Fragment]) -> Vec<Citation> {
    let Some(last) = lines.iter().max() else { return Vec::new() };
    let mut texts: HashMap<u32, String> = lines.iter().map(|line| (*line, String::new())).collect();
    for (number, text) in (1..=*last).zip(document.text.lines()) {
        texts.entry(number).and_modify(|known| *known = text.into_owned());
    }
    let own: Vec<&Fragment> = fragments.iter().filter(|fragment| fragment.document == document.id).collect();
    let cite = |line: &u32| {
        // Fragments stand in the order of their lines.
        let at = own.partition_point(|fragment| fragment.span.lines.end() < line);
        let fragment = own.get(at).filter(|fragment| fragment.span.lines.contains(line))?;
        Some(Citation {
            fragment: fragment.id,
            file: std::sync::Arc::clone(&fragment.file),
            lines: [*line, *line],
            quote: texts.get(line)?.trim_end_matches('\r').to_owned(),
            claim: None,
        })
    };
    lines.iter().filter_map(cite).collect()
}

/// Why code gives no answer, with what the user can do.
fn why_not(answers: &[(&Source, Answer)]) -> String {
    if let [_, _, ..] = answers
        && !answers.iter().all(|(_, answer)| matches!(answer, Answer::Refused(_)))
    {
        let names: Vec<&str> = answers.iter().map(|(source, _)| source.document.name.as_str()).collect();
        return format!(
            "--by code: several tables could answer this ({}); name one of them with --file",
            names.join(", ")
        );
    }
    let Some((source, answer)) = answers.first() else { return String::new() };
    let name = &source.document.name;
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = match answer {
        Answer::Unique(_) => Ok(()),
        Answer::Ambiguous(readings) => {
            let _ = write!(text, "--by code: the question can be read in several ways over {name}:");
            readings
                .iter()
                .try_for_each(|answered| write!(text, "\n  {}: {}", answered.reading, answered.text()))
        }
        Answer::Asked(asked) => {
            write!(
                text,
                "--by code: {name}: {} ({} or {})",
                asked.question, asked.options[0], asked.options[1]
            )
        }
        Answer::Refused(refusal) => {
            let _ = write!(text, "--by code: {} Questions that work on {name}:", refusal.why);
            refusal.suggestions.iter().try_for_each(|question| write!(text, "\n  {question}"))
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use frlm_conductor::ingest::{SplitOptions, split};

    use super::*;

    const ORDERS: &str = "order;customer;amount\n1;Ada;1.200,50\n2;Ben;99,50\n3;Ada;300,00\n";

    fn ask(by: By, documents: &[Document], question: &str) -> Result<Option<Computed>, Failure> {
        let fragments = split(documents, SplitOptions { max_tokens: 2_000, max_records: 16 });
        compute(by, question, documents, &fragments)
    }

    #[test]
    fn a_sum_over_a_table_is_exact_cited_and_says_how_it_was_read() {
        let documents = [Document::of_text("orders.csv", ORDERS)];
        let computed = ask(By::Auto, &documents, "What is the total amount?").unwrap().unwrap();
        assert!(computed.text.starts_with("1600 ("), "{}", computed.text);
        assert_eq!((computed.reading.rows, computed.reading.left_out), (3, 0));
        let lines: Vec<u32> = computed.citations.iter().map(|citation| citation.lines[0]).collect();
        assert_eq!((lines, computed.citations[0].quote.as_str()), (vec![2, 3, 4], "1;Ada;1.200,50"));
        assert!(computed.reading.sql.starts_with("SELECT"), "{}", computed.reading.sql);
    }

    #[test]
    fn what_code_is_not_sure_of_is_left_to_the_swarm_or_refused_with_questions_that_work() {
        let documents = [Document::of_text("orders.csv", ORDERS)];
        let question = "Why was Ada unhappy with the delivery?";
        assert_eq!(ask(By::Auto, &documents, question).unwrap(), None);
        let refused = ask(By::Code, &documents, question).unwrap_err().to_string();
        assert!(refused.contains("Questions that work on orders.csv:\n  "), "{refused}");
        assert_eq!(ask(By::Swarm, &documents, "How many records are there?").unwrap(), None);
    }

    #[test]
    fn two_tables_that_both_answer_are_not_taken_for_one() {
        let documents = [
            Document::of_text("may.csv", ORDERS),
            Document { id: frlm_conductor::ingest::DocumentId(1), ..Document::of_text("june.csv", ORDERS) },
        ];
        assert_eq!(ask(By::Auto, &documents, "What is the total amount?").unwrap(), None);
        let refused = ask(By::Code, &documents, "What is the total amount?").unwrap_err().to_string();
        assert!(refused.contains("several tables could answer this (may.csv, june.csv)"), "{refused}");
    }

    #[test]
    fn prose_beside_a_table_is_for_readers() {
        let letter = "Dear all,\n\nthe orders of May were late.\n";
        let documents = [
            Document::of_text("orders.csv", ORDERS),
            Document { id: frlm_conductor::ingest::DocumentId(1), ..Document::of_text("letter.txt", letter) },
        ];
        assert_eq!(ask(By::Auto, &documents, "What is the total amount?").unwrap(), None);
        assert!(ask(By::Code, &documents, "What is the total amount?").unwrap().is_some());
    }

    #[test]
    fn only_a_long_table_is_left_to_the_swarm_for_its_length() {
        let orders = Document::of_text("orders.csv", ORDERS);
        assert!(is_too_long(&orders, ORDERS.len() - 1) && !is_too_long(&orders, ORDERS.len()));
        assert!(!is_too_long(&Document::of_text("letter.txt", "Dear Ada,\n"), 1));
        assert!(left_to_the_swarm(By::Auto, &[orders]).is_empty());
    }
}
