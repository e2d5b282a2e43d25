//! Documents → fragments under a token budget.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use frlm_documents::text::{TextKind, count_breaks, is_blank, lines, rows, without_ending};
use frlm_documents::{Entry, EntryKind, Transcript};
use frlm_inference::tokens::estimate_tokens;
use sha2::{Digest as _, Sha256};

use super::blocks::{self, Group};
use super::cuts::{self, Rank, Unit};
use super::fragment::{Document, Fragment, FragmentId, Record, Span};
use super::part::{Form, FragmentText, Part, Records, element};
use super::structure::{breaks, cut_line};
use super::text::{Slice, Text, Window};

/// The smallest budget that is honoured: below it a single character may not fit.
pub const MIN_FRAGMENT_TOKENS: usize = 8;

/// How large a fragment may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// Most tokens of a fragment's text, and of the records as a model reads them, by
    /// [`estimate_tokens`]. Values under [`MIN_FRAGMENT_TOKENS`] count as that.
    pub max_tokens: usize,
    /// Most records of a fragment of a record-like document ([`TextKind::is_record_like`]); prose
    /// and code are bounded by tokens alone. 0 counts as 1.
    pub max_records: usize,
}

/// Cuts documents into fragments, in the documents' order.
///
/// - Fragments never overlap; between two of them stands only what no question is about: white
///   space, a CSV header that fits with no row, the brackets of a JSON array.
/// - Every fragment has at least one record.
/// - A line stands in one fragment. Only a line beyond `max_tokens` is cut, between sentences,
///   words or graphemes; each piece is then a record under the line's number.
/// - A CSV row is one record, under the number of its first line.
/// - Prose is cut by what stands at a border, so that a line that changes leaves other fragments as they are
///   (`cuts`).
pub fn split(documents: &[Document], options: SplitOptions) -> Vec<Fragment> {
    let options = SplitOptions {
        max_tokens: options.max_tokens.max(MIN_FRAGMENT_TOKENS),
        max_records: options.max_records.max(1),
    };
    let mut fragments = Vec::new();
    for document in documents {
        split_document(document, options, &mut fragments);
    }
    fragments
}

/// The same, but of documents with blocks only the rows of tables whose columns have names: each is a record, like a row of a
/// CSV file, wherever the table stands. What else such a document says is no record.
pub fn split_rows(documents: &[Document], options: SplitOptions) -> Vec<Fragment> {
    let mut fragments = Vec::new();
    for document in documents {
        match &document.transcript {
            Some(transcript) => {
                let max_records = options.max_records.max(1);
                let max_tokens = options.max_tokens.max(MIN_FRAGMENT_TOKENS);
                let text = document.text.held();
                let all = text.whole();
                let mut packer = Packer::new(document, &text, max_tokens, max_records, &mut fragments);
                packer.window = &all;
                for line in lines(&all) {
                    let shown = transcript.entry(line.number).and_then(Entry::shown);
                    if shown.is_some() {
                        packer.push(line.bytes(), line.number, Role::Record(shown));
                    }
                }
                packer.close();
            }
            None => split_document(document, options, &mut fragments),
        }
    }
    fragments
}

/// Some lines of a document, in its order: what stands around them is in no fragment. Lines that follow each other are one
/// fragment, and each is a record.
pub fn split_lines(document: &Document, wanted: &BTreeSet<u32>) -> Vec<Fragment> {
    let mut fragments = Vec::new();
    let mut breaks = 0;
    for Window { start, text: window } in document.text.windows() {
        if wanted.last().is_none_or(|last| *last <= breaks) {
            break;
        }
        let mut packer = Packer::new(document, &document.text, usize::MAX, usize::MAX, &mut fragments);
        (packer.start, packer.breaks, packer.window) = (start, breaks, &window);
        packer.form = Some(Form::Lines);
        for line in lines(&window) {
            if wanted.contains(&(breaks + line.number)) {
                packer.push(line.bytes(), line.number, Role::Record(None));
            } else {
                packer.close();
            }
        }
        packer.close();
        breaks += count_breaks(&window);
    }
    fragments
}

fn split_document(document: &Document, options: SplitOptions, fragments: &mut Vec<Fragment>) {
    if let Some(transcript) = &document.transcript {
        return split_blocks(document, transcript, options, fragments);
    }
    let text = &document.text;
    let kind = TextKind::detect(&document.name, &text.beginning());
    let max_records = if kind.is_record_like() { options.max_records } else { usize::MAX };
    if let TextKind::Table { delimiter } = kind {
        // Whether a row goes over several lines shows in all of them.
        let text = text.held();
        let all = text.whole();
        let mut packer = Packer::new(document, &text, options.max_tokens, max_records, fragments);
        packer.window = &all;
        pack_rows(&all, delimiter, &mut packer);
        return packer.close();
    }
    let mut breaks = 0;
    for Window { start, text: window } in text.windows() {
        let mut packer = Packer::new(document, text, options.max_tokens, max_records, fragments);
        (packer.start, packer.breaks, packer.window) = (start, breaks, &window);
        pack_lines(&window, kind, &mut packer);
        packer.close();
        breaks += count_breaks(&window);
    }
}

fn pack_lines(text: &str, kind: TextKind, packer: &mut Packer<'_>) {
    packer.form = Some(if kind == TextKind::JsonArray { Form::Elements } else { Form::Lines });
    let breaks = if kind.is_record_like() {
        Vec::new()
    } else {
        breaks(text, kind == TextKind::Markdown, packer.max_tokens)
    };
    let mut breaks = breaks.into_iter().peekable();
    for line in lines(text) {
        if breaks.next_if(|at| *at <= line.start).is_some() {
            packer.close();
        }
        let is_structure =
            kind == TextKind::JsonArray && element(without_ending(&text[line.bytes()])).is_none();
        let role = if is_structure { Role::Structure } else { Role::Record(None) };
        packer.push(line.bytes(), line.number, role);
    }
}

/// Blocks are never cut in two while they fit, and what introduces others (a heading, the head of a table) stands with
/// them.
fn split_blocks(
    document: &Document,
    transcript: &Transcript,
    options: SplitOptions,
    fragments: &mut Vec<Fragment>,
) {
    let text = document.text.held();
    let all = text.whole();
    let mut packer = Packer::new(document, &text, options.max_tokens, usize::MAX, fragments);
    packer.window = &all;
    let groups: Vec<Group> = blocks::groups(transcript, &all).collect();
    let has_rows = groups.iter().any(|group| group.is_row);
    // Where there are rows the parts are filled from the start, as those of a table are.
    let mut cuts = if has_rows { Vec::new() } else { between_groups(&groups, &all, options.max_tokens) }
        .into_iter()
        .peekable();
    for (at, group) in groups.into_iter().enumerate() {
        let tokens = estimate_tokens(&all[group.bytes.clone()]);
        let begins = if has_rows {
            group.begins_section && packer.is_half_full()
        } else {
            cuts.next_if_eq(&at).is_some()
        };
        if begins || !packer.has_room(tokens) {
            packer.close();
        }
        packer.max_records = if group.is_row { options.max_records } else { usize::MAX };
        for line in group.lines {
            let role = match line.kind {
                EntryKind::Header => Role::Structure,
                _ => Role::Record(line.shown),
            };
            packer.push(line.bytes, line.number, role);
        }
    }
    packer.close();
}

/// The groups before which a document without rows is cut.
fn between_groups(groups: &[Group], text: &str, max_tokens: usize) -> Vec<usize> {
    let unit = |group: &Group| {
        let text = &text[group.bytes.clone()];
        let rank = match group.begins_section {
            _ if is_blank(text) => Rank::Nowhere,
            true => Rank::Heading,
            false => Rank::Block,
        };
        Unit { rank, text, goes_on: false, tokens: estimate_tokens(text) }
    };
    let units: Vec<Unit<'_>> = groups.iter().map(unit).collect();
    cuts::cuts(&units, max_tokens)
}

fn pack_rows(text: &str, delimiter: u8, packer: &mut Packer<'_>) {
    let mut number = 1;
    let mut counted = 0;
    for row in rows(text, delimiter) {
        number += count_breaks(&text[counted..row.bytes.start]);
        counted = row.bytes.start;
        let role = if row.is_header { Role::Structure } else { Role::Record(row.shown) };
        let end = row.bytes.end + ending_bytes(&text[row.bytes.end..]);
        packer.push(row.bytes.start..end, number, role);
    }
}

fn ending_bytes(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

/// What a line is to the packer.
enum Role {
    /// Asked about; with the text that a model reads, where that differs.
    Record(Option<String>),
    /// Goes along with the records around it.
    Structure,
}

/// A record where it was found in the window.
struct Found {
    line: u32,
    bytes: Range<usize>,
    shown: Option<String>,
}

/// A fragment that is still growing.
struct Open {
    bytes: Range<usize>,
    first_line: u32,
    /// Tokens of the text.
    tokens: usize,
    /// Tokens of the records as a model reads them.
    shown_tokens: usize,
    /// How many records there are.
    count: usize,
    /// They, where they do not follow from the text.
    records: Vec<Record>,
}

struct Packer<'a> {
    document: &'a Document,
    /// What the fragments are ranges of.
    text: &'a Text,
    /// What is packed of it now.
    window: &'a str,
    /// Where that begins in the text.
    start: usize,
    /// Line breaks before it.
    breaks: u32,
    /// How records follow from the text, if they do.
    form: Option<Form>,
    file: Arc<str>,
    max_tokens: usize,
    max_records: usize,
    open: Option<Open>,
    fragments: &'a mut Vec<Fragment>,
}

impl<'a> Packer<'a> {
    fn new(
        document: &'a Document,
        text: &'a Text,
        max_tokens: usize,
        max_records: usize,
        fragments: &'a mut Vec<Fragment>,
    ) -> Self {
        // Fragments of one document share its name.
        let known =
            fragments.last().filter(|last| last.document == document.id && *last.file == *document.name);
        let file = known.map_or_else(|| document.name.as_str().into(), |last| Arc::clone(&last.file));
        Self {
            document,
            text,
            window: "",
            start: 0,
            breaks: 0,
            form: None,
            file,
            max_tokens,
            max_records,
            open: None,
            fragments,
        }
    }

    /// Whether so many tokens fit behind what is there. What fits nowhere begins where it is.
    fn has_room(&self, tokens: usize) -> bool {
        self.open.as_ref().is_none_or(|open| open.tokens.max(open.shown_tokens) + tokens <= self.max_tokens)
    }

    fn is_half_full(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.tokens * 2 >= self.max_tokens)
    }

    /// Takes the next line, or row, of the window.
    fn push(&mut self, bytes: Range<usize>, line: u32, role: Role) {
        let text = &self.window[bytes.clone()];
        let tokens = estimate_tokens(text);
        if is_blank(text) {
            self.push_blank(bytes, tokens);
        } else if tokens > self.max_tokens {
            self.push_long(bytes, line);
        } else {
            match role {
                Role::Structure => self.append(bytes, line, tokens, None),
                Role::Record(shown) => {
                    // Where the column names would not fit, the row is read as it stands.
                    let shown = shown.filter(|shown| estimate_tokens(shown) <= self.max_tokens);
                    let end = bytes.start + without_ending(text).len();
                    let record = Found { line, bytes: bytes.start..end, shown };
                    self.append(bytes, line, tokens, Some(record));
                }
            }
        }
    }

    /// White space belongs to the fragment before it while it fits, else to none.
    fn push_blank(&mut self, bytes: Range<usize>, tokens: usize) {
        if let Some(open) = &mut self.open
            && open.bytes.end == bytes.start
            && open.tokens + tokens <= self.max_tokens
        {
            open.tokens += tokens;
            open.bytes.end = bytes.end;
        }
    }

    fn push_long(&mut self, bytes: Range<usize>, line: u32) {
        self.close();
        let form = self.form.replace(Form::Piece);
        let text = &self.window[bytes.clone()];
        let mut line = line;
        for piece in cut_line(text, self.max_tokens) {
            let piece_text = &text[piece.clone()];
            if !is_blank(piece_text) {
                let tokens = estimate_tokens(piece_text);
                let at = bytes.start + piece.start..bytes.start + piece.end;
                let record = Found { line, bytes: at.clone(), shown: None };
                self.append(at, line, tokens, Some(record));
                self.close();
            }
            line += count_breaks(piece_text);
        }
        self.form = form;
    }

    fn append(&mut self, bytes: Range<usize>, line: u32, tokens: usize, record: Option<Found>) {
        let shown_tokens =
            record.as_ref().map_or(0, |record| record.shown.as_deref().map_or(tokens, estimate_tokens));
        let gap =
            self.open.as_ref().map_or(0, |open| estimate_tokens(&self.window[open.bytes.end..bytes.start]));
        let full = self.open.as_ref().is_some_and(|open| {
            open.tokens + gap + tokens > self.max_tokens
                || open.shown_tokens + shown_tokens > self.max_tokens
                || (record.is_some() && open.count >= self.max_records)
        });
        if full {
            self.close();
        }
        let open = self.open.get_or_insert_with(|| Open {
            bytes: bytes.start..bytes.start,
            first_line: line,
            tokens: 0,
            shown_tokens: 0,
            count: 0,
            records: Vec::new(),
        });
        open.tokens += tokens + if full { 0 } else { gap };
        open.shown_tokens += shown_tokens;
        open.bytes.end = bytes.end;
        let Some(Found { line, bytes, shown }) = record else { return };
        open.count += 1;
        if self.form.is_none() {
            let text = Slice::of(self.text, self.start + bytes.start..self.start + bytes.end);
            open.records.push(Record { line, text, shown: shown.map(Arc::from) });
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if open.count == 0 {
            return;
        }
        let text = &self.window[open.bytes.clone()];
        let first_line = self.breaks + open.first_line;
        let last_line = first_line + count_breaks(text.strip_suffix('\n').unwrap_or(text));
        let bytes = self.start + open.bytes.start..self.start + open.bytes.end;
        let sha256 = hex::encode(Sha256::digest(text));
        let (text, records) = match self.form {
            Some(form) => {
                let part = Arc::new(Part::new(self.text, bytes.clone(), first_line, form, open.count));
                (FragmentText::of(&part), Records::of(&part))
            }
            None => (Slice::of(self.text, bytes.clone()).into(), open.records.into()),
        };
        self.fragments.push(Fragment {
            id: FragmentId(u32::try_from(self.fragments.len()).unwrap_or(u32::MAX)),
            document: self.document.id,
            file: self.file.clone(),
            span: Span { lines: first_line..=last_line, bytes, sha256 },
            text,
            records,
            transcript: self.document.transcript.clone(),
        });
    }
}
