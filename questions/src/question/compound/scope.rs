//! Which documents a part is about.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::super::fields::{FieldHints, field_hints};
use super::super::phrase::Field;
use super::{Need, Part, read_plain, reference};
use crate::ingest::Fragment;
use crate::query::Query;

/// The documents, and what each calls things.
pub struct Documents {
    each: Vec<Document>,
    /// What all of them together call things, once somebody has asked.
    together: OnceCell<FieldHints>,
}

struct Document {
    file: Arc<str>,
    pieces: Vec<Fragment>,
    hints: FieldHints,
}

impl Documents {
    pub fn of(fragments: &[Fragment]) -> Self {
        let mut positions: HashMap<Arc<str>, usize> = HashMap::new();
        let mut pieces: Vec<(Arc<str>, Vec<Fragment>)> = Vec::new();
        for fragment in fragments {
            let at = *positions.entry(Arc::clone(&fragment.file)).or_insert_with(|| {
                pieces.push((Arc::clone(&fragment.file), Vec::new()));
                pieces.len() - 1
            });
            pieces[at].1.push(fragment.clone());
        }
        let each =
            pieces.into_iter().map(|(file, pieces)| Document { file, hints: field_hints(&pieces), pieces });
        Self { each: each.collect(), together: OnceCell::new() }
    }

    fn together(&self) -> &FieldHints {
        self.together.get_or_init(|| {
            let pieces: Vec<Fragment> =
                self.each.iter().flat_map(|document| document.pieces.clone()).collect();
            field_hints(&pieces)
        })
    }

    /// Whether the values of a field are amounts in the documents of a part that name it.
    pub fn are_amounts(&self, part: &Part, field: &str) -> bool {
        let asked = self.each.iter().filter(|document| part.documents.contains(&document.file));
        let mut named = asked.filter_map(|document| document.hints.named(field)).peekable();
        let is_amount = |hint| Field { name: field.to_owned(), hint }.can_be_added();
        if named.peek().is_none() { is_amount(None) } else { named.all(|hint| is_amount(Some(hint))) }
    }

    /// Reads a part where it can be read: in the document that it names, or in those that have what it
    /// speaks of.
    pub fn read(&self, text: &str, earlier: &[Part]) -> Option<Part> {
        let readable: Vec<&Document> =
            self.each.iter().filter(|document| read_over(text, earlier, &document.hints).is_some()).collect();
        let named: Vec<&Document> =
            readable.iter().copied().filter(|document| is_named(&document.file, text)).collect();
        let meant = match (named.is_empty(), readable.is_empty()) {
            (false, _) => named,
            (true, false) => readable,
            // None has all of it; together they may.
            (true, true) => self.each.iter().collect(),
        };
        let (query, check, needs) = match meant.as_slice() {
            [only] => read_over(text, earlier, &only.hints)?,
            all if all.len() == self.each.len() => read_over(text, earlier, self.together())?,
            several => {
                let pieces: Vec<Fragment> =
                    several.iter().flat_map(|document| document.pieces.clone()).collect();
                read_over(text, earlier, &field_hints(&pieces))?
            }
        };
        let documents = meant.iter().map(|document| Arc::clone(&document.file)).collect();
        Some(Part { text: text.to_owned(), query, check, documents, needs })
    }
}

type Read = (Query, Option<String>, Option<Need>);

fn read_over(text: &str, earlier: &[Part], hints: &FieldHints) -> Option<Read> {
    let resolved = reference::resolve(text, earlier, hints)?;
    let (query, check) = read_plain(&resolved.text, hints)?;
    let needs = resolved.need(&query.conditions).ok()?;
    Some((query, check, needs))
}

/// "in orders.log", "which orders …": the question has a word of the file's name.
fn is_named(file: &str, text: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| c.is_whitespace() || ",?!;".contains(c));
    words.any(|word| word == name || stem.len() > 2 && word == stem)
}
