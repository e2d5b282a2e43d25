//! The tables that stand in documents.

use std::io;
use std::sync::Arc;

use frlm_documents::EntryKind;
use frlm_documents::text::TextKind;
use frlm_questions::ingest::{Document, Text};
use frlm_tables::{Format, LoadError, LoadOptions, RawTable, Source, Store, Table};

/// A table, and the document that it stands in.
pub(super) struct InDocument<'run> {
    pub document: &'run Document,
    pub table: Table,
}

/// The tables of some documents, for a person to look at.
pub(super) fn all_tables<'run>(
    documents: &'run [Document],
    store: Option<&Store>,
) -> Result<Vec<InDocument<'run>>, LoadError> {
    let mut sources = Vec::new();
    for document in documents {
        let tables = tables(document, store, LoadOptions::default().whole_bytes)?;
        sources.extend(tables.into_iter().map(|table| InDocument { document, table }));
    }
    Ok(sources)
}

/// Whether a text is a table, and longer than this.
pub(super) fn is_too_long(document: &Document, most_bytes: usize) -> bool {
    document.text.len() > most_bytes
        && TextKind::detect(&document.name, &document.text.beginning()).is_record_like()
}

/// A document's text as the bytes of a table.
struct WholeText(Text);

impl Source for WholeText {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn reader(&self) -> io::Result<Box<dyn io::Read + '_>> {
        Ok(Box::new(self.0.reader()))
    }
}

/// The tables of a document: a text of records is one, and in other documents all rows under the same column names are. It is an
/// error if one takes more room than it may: in memory these bytes, where it has to be there as a whole.
pub(super) fn tables(
    document: &Document,
    store: Option<&Store>,
    whole_bytes: usize,
) -> Result<Vec<Table>, LoadError> {
    let mut options = LoadOptions { whole_bytes, ..LoadOptions::default() };
    if document.text.is_kept() {
        // What is too long to be held is so for its table as well.
        options.memory_bytes = 0;
    }
    let Some(transcript) = &document.transcript else {
        let kind = TextKind::detect(&document.name, &document.text.beginning());
        // A text may have a table, and a JSON document be one, however its lines are cut for readers.
        let is_json = document.name.to_ascii_lowercase().ends_with(".json");
        let is_text_with_table = !kind.is_record_like() && (kind == TextKind::Markdown || is_json);
        if !kind.is_record_like() && !is_text_with_table {
            return Ok(Vec::new());
        }
        let source: Arc<dyn Source> = Arc::new(WholeText(document.text.clone()));
        let table = match store.filter(|_| document.text.is_kept()) {
            Some(store) => store.load(&document.name, &document.sha256, &source, &options),
            None => Table::load_source(&document.name, source, &options),
        };
        return match table {
            Err(error @ (LoadError::TooLarge { .. } | LoadError::NoRoom { .. })) => Err(error),
            Ok(table) if is_text_with_table && !matches!(table.format(), Format::Markdown | Format::Json) => {
                Ok(Vec::new())
            }
            table => Ok(table.into_iter().collect()),
        };
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
    Ok(raw.iter().filter_map(|raw| Table::from_rows(&document.name, raw, &options).ok()).collect())
}
