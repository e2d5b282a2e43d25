//! The outline of a document: which of its lines it calls headings, and of which level.

use std::collections::HashMap;

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};

use super::unicode;

/// Entries that are read.
const MOST_ENTRIES: usize = 20_000;

/// The titles in a document's outline.
#[derive(Default)]
pub(super) struct Outline {
    levels: HashMap<String, u8>,
}

impl Outline {
    pub fn of(pdf: &Pdf, deepest: u32) -> Self {
        let mut outline = Self::default();
        let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
        let root = catalog.and_then(|catalog| catalog.get::<Dict<'_>>("Outlines".as_bytes()));
        let mut left = MOST_ENTRIES;
        let mut stack: Vec<(Dict<'_>, u32)> = Vec::new();
        stack.extend(root.and_then(|root| root.get::<Dict<'_>>("First".as_bytes())).map(|first| (first, 1)));
        while let Some((entry, level)) = stack.pop() {
            if left == 0 {
                break;
            }
            left -= 1;
            if let Some(title) = entry.get::<PdfString<'_>>("Title".as_bytes()) {
                let title = key(&unicode::text_string(title.as_bytes()));
                let level = u8::try_from(level).unwrap_or(6).min(6);
                if title.chars().count() >= 2 {
                    outline.levels.entry(title).or_insert(level);
                }
            }
            stack.extend(entry.get::<Dict<'_>>("Next".as_bytes()).map(|next| (next, level)));
            if level < deepest {
                stack.extend(entry.get::<Dict<'_>>("First".as_bytes()).map(|first| (first, level + 1)));
            }
        }
        outline
    }

    /// The level of a line that the outline names.
    pub fn level(&self, text: &str) -> Option<u8> {
        if self.levels.is_empty() || text.len() > 400 {
            return None;
        }
        self.levels.get(&key(text)).copied()
    }
}

/// Letters and digits alone: white space and signs differ.
fn key(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
