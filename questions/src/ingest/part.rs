//! What a fragment holds of its document: a range, from which text and records are made when somebody looks at them.
//!
//! A run over a long document has more fragments than it looks at before it asks the first of them. Each then takes a few hundred
//! bytes, however long its text is. What was looked at stays in memory as long as the fragment does.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use frlm_documents::text::{array_element, count_breaks, is_array_end, is_blank, lines, without_ending};

use super::fragment::Record;
use super::text::{Slice, Text};

/// How the records of a fragment follow from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Each line that is not blank is one.
    Lines,
    /// The same, but for the brackets of a JSON array and the commas behind its elements.
    Elements,
    /// All of it is one: a piece of a long line.
    Piece,
}

/// A range of a document that is one fragment.
pub(super) struct Part {
    text: Text,
    bytes: Range<usize>,
    first_line: u32,
    form: Form,
    count: u32,
    /// The range, if its text is kept and somebody has looked at it.
    loaded: OnceLock<Text>,
    records: OnceLock<Vec<Record>>,
}

impl Part {
    /// `count`: how many records it has.
    pub fn new(text: &Text, bytes: Range<usize>, first_line: u32, form: Form, count: usize) -> Self {
        Self {
            text: text.clone(),
            bytes,
            first_line,
            form,
            count: u32::try_from(count).unwrap_or(u32::MAX),
            loaded: OnceLock::new(),
            records: OnceLock::new(),
        }
    }

    /// The same, as nobody has looked at it.
    fn unread(&self) -> Self {
        Self::new(&self.text, self.bytes.clone(), self.first_line, self.form, self.count as usize)
    }

    fn loaded(&self) -> &Text {
        self.loaded.get_or_init(|| Text::from(self.text.range(self.bytes.clone()).into_owned()))
    }

    fn text(&self) -> &str {
        let held = self.text.held_range(self.bytes.clone());
        held.or_else(|| self.loaded().held_range(0..self.bytes.len())).unwrap_or_default()
    }

    /// A range of the part in memory.
    fn slice(&self, range: Range<usize>) -> Slice {
        match self.text.held_range(self.bytes.clone()) {
            Some(_) => Slice::of(&self.text, self.bytes.start + range.start..self.bytes.start + range.end),
            None => Slice::of(self.loaded(), range),
        }
    }

    fn records(&self) -> &[Record] {
        self.records.get_or_init(|| match self.form {
            Form::Lines | Form::Elements => self.lines(),
            Form::Piece => vec![self.piece()],
        })
    }

    fn lines(&self) -> Vec<Record> {
        let text = self.text();
        let mut records = Vec::with_capacity(self.count as usize);
        for line in lines(text) {
            let content = without_ending(&text[line.bytes()]);
            let read = match self.form {
                _ if is_blank(content) => continue,
                Form::Elements => match element(content) {
                    Some(read) => read,
                    None => continue,
                },
                Form::Lines | Form::Piece => content,
            };
            records.push(Record {
                line: self.first_line + line.number - 1,
                text: self.slice(line.start..line.start + content.len()),
                shown: (read != content).then(|| read.into()),
            });
        }
        records
    }

    /// A row in quotes may go over several lines, and be cut between two of them.
    fn piece(&self) -> Record {
        let text = self.text();
        let front = text.len() - text.trim_start_matches(['\r', '\n']).len();
        let content = text[front..].trim_end_matches(['\r', '\n']);
        Record {
            line: self.first_line + count_breaks(&text[..front]),
            text: self.slice(front..front + content.len()),
            shown: None,
        }
    }
}

/// An element of a JSON array as a model reads it; `None` where the line is the array's own.
pub(super) fn element(content: &str) -> Option<&str> {
    let is_bracket = content.trim() == "[" || is_array_end(content);
    (!is_bracket).then(|| array_element(content))
}

/// A fragment's text. It is read where somebody looks at it, and then stays in memory; its length is known.
#[derive(Clone)]
pub struct FragmentText(Kind);

#[derive(Clone)]
enum Kind {
    Held(Slice),
    Part(Arc<Part>),
}

impl FragmentText {
    pub(super) fn of(part: &Arc<Part>) -> Self {
        Self(Kind::Part(Arc::clone(part)))
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Held(slice) => slice.len(),
            Kind::Part(part) => part.bytes.len(),
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Deref for FragmentText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Kind::Held(slice) => slice,
            Kind::Part(part) => part.text(),
        }
    }
}

impl From<Slice> for FragmentText {
    fn from(slice: Slice) -> Self {
        Self(Kind::Held(slice))
    }
}

impl From<String> for FragmentText {
    fn from(text: String) -> Self {
        Self::from(Slice::from(text))
    }
}

impl From<&str> for FragmentText {
    fn from(text: &str) -> Self {
        Self::from(Slice::from(text))
    }
}

impl fmt::Debug for FragmentText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

/// A fragment's records. They are made where somebody looks at them; how many there are is known.
#[derive(Clone)]
pub struct Records(List);

#[derive(Clone)]
enum List {
    Made(Vec<Record>),
    Part(Arc<Part>),
}

impl Records {
    pub(super) fn of(part: &Arc<Part>) -> Self {
        Self(List::Part(Arc::clone(part)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Made(records) => records.len(),
            List::Part(part) => part.count as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether nobody has looked at them.
    #[cfg(any(test, feature = "testing"))]
    pub fn are_unread(&self) -> bool {
        matches!(&self.0, List::Part(part) if part.records.get().is_none())
    }
}

impl Deref for Records {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        match &self.0 {
            List::Made(records) => records,
            List::Part(part) => part.records(),
        }
    }
}

impl From<Vec<Record>> for Records {
    fn from(records: Vec<Record>) -> Self {
        Self(List::Made(records))
    }
}

impl<'records> IntoIterator for &'records Records {
    type Item = &'records Record;
    type IntoIter = std::slice::Iter<'records, Record>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

/// The same text and records, as nobody has looked at them: what was looked at stays with the others.
pub(super) fn unread(text: &FragmentText, records: &Records) -> (FragmentText, Records) {
    match (&text.0, &records.0) {
        (Kind::Part(part), List::Part(_)) => {
            let part = Arc::new(part.unread());
            (FragmentText::of(&part), Records::of(&part))
        }
        _ => (text.clone(), records.clone()),
    }
}
