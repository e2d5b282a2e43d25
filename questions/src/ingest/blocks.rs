//! The lines of a transcript in groups that stand together.

use std::ops::Range;

use frlm_documents::text::{Line, lines};
use frlm_documents::{Entry, EntryKind, Transcript};

/// Lines that are not cut apart while they fit into one fragment: a block with the headings, or the head of a table,
/// before it.
pub(super) struct Group {
    /// Where it stands in the text.
    pub bytes: Range<usize>,
    /// Its lines, in order.
    pub lines: Vec<BlockLine>,
    /// Whether a heading comes first.
    pub begins_section: bool,
    /// Whether its last block is a row of a table.
    pub is_row: bool,
}

/// A line and its block.
pub(super) struct BlockLine {
    pub bytes: Range<usize>,
    pub number: u32,
    pub kind: EntryKind,
    /// A row as a model reads it.
    pub shown: Option<String>,
}

/// The groups of a transcript; together they cover its text.
pub(super) fn groups<'a>(transcript: &'a Transcript, text: &'a str) -> impl Iterator<Item = Group> + 'a {
    let mut lines = lines(text).peekable();
    std::iter::from_fn(move || {
        let mut group: Option<Group> = None;
        while let Some(line) = lines.next() {
            let entry = transcript.entry(line.number);
            let introduces = push(&mut group, line, entry);
            let goes_on = lines.peek().is_some_and(|next| belongs_to(entry, transcript.entry(next.number)));
            if !introduces && !goes_on {
                break;
            }
        }
        group
    })
}

/// Adds a line, and says whether its block introduces the next.
fn push(group: &mut Option<Group>, line: Line, entry: Option<&Entry>) -> bool {
    let kind = entry.map_or(EntryKind::Text, |entry| entry.kind);
    let group = group.get_or_insert_with(|| Group {
        bytes: line.start..line.start,
        lines: Vec::new(),
        begins_section: matches!(kind, EntryKind::Heading(_)),
        is_row: false,
    });
    group.bytes.end = line.end;
    group.is_row = kind == EntryKind::Row;
    let shown = entry.and_then(Entry::shown);
    group.lines.push(BlockLine { bytes: line.bytes(), number: line.number, kind, shown });
    matches!(kind, EntryKind::Heading(_) | EntryKind::Header)
}

/// Whether two lines are of one block.
fn belongs_to(entry: Option<&Entry>, next: Option<&Entry>) -> bool {
    matches!((entry, next), (Some(entry), Some(next)) if entry.line == next.line)
}
