//! The text of a document: held in memory, or, where it is long, kept in a file of our own ([`mod@super::kept`]).
//!
//! A fragment is a range of it. What reads a whole document reads it window by window ([`Text::windows`], [`Text::lines`]), so
//! that a long one is never in memory at once.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use frlm_documents::Transcript;
use frlm_inference::tokens::Estimate;

use super::kept::Kept;

/// How much of a kept text tells what kind of text it is.
const BEGINNING_BYTES: usize = 1 << 20;

/// A document's text. Clones share it.
#[derive(Clone)]
pub struct Text(Arc<Source>);

enum Source {
    Held(Box<str>),
    Transcript(Arc<Transcript>),
    Kept(Kept),
}

/// A piece of a text, long enough to hold many fragments. It ends with a line, unless that is longer than any window.
pub(super) struct Window<'text> {
    /// Where it begins in the text.
    pub start: usize,
    pub text: Cow<'text, str>,
}

impl Text {
    pub(super) fn of_transcript(transcript: Arc<Transcript>) -> Self {
        Self(Arc::new(Source::Transcript(transcript)))
    }

    pub(super) fn of_kept(kept: Kept) -> Self {
        Self(Arc::new(Source::Kept(kept)))
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        match &*self.0 {
            Source::Kept(kept) => kept.len(),
            Source::Held(_) | Source::Transcript(_) => self.in_memory().len(),
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it. A kept text then takes as much memory as it has bytes.
    pub fn whole(&self) -> Cow<'_, str> {
        self.range(0..self.len())
    }

    /// Its bytes from the first on.
    pub fn reader(&self) -> impl io::Read + '_ {
        Reading { text: self, at: 0 }
    }

    /// Whether it lies in a file, because it is too long to be held.
    pub fn is_kept(&self) -> bool {
        matches!(&*self.0, Source::Kept(_))
    }

    /// Its first lines: enough to tell what kind of text it is.
    pub fn beginning(&self) -> Cow<'_, str> {
        match &*self.0 {
            Source::Kept(kept) => Cow::Owned(kept.window(0, BEGINNING_BYTES)),
            Source::Held(_) | Source::Transcript(_) => Cow::Borrowed(self.in_memory()),
        }
    }

    /// Its lines without their endings, as [`str::lines`] has them.
    pub fn lines(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let mut windows = self.windows();
        // A line that goes on in the next window.
        let mut begun: Option<String> = None;
        std::iter::from_fn(move || {
            loop {
                let Some(window) = windows.next() else {
                    return begun.take().map(|line| lines_of(Cow::Owned(line)));
                };
                let text = match begun.take() {
                    Some(line) => Cow::Owned(line + &window.text),
                    None => window.text,
                };
                let end = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1);
                if end == text.len() {
                    return Some(lines_of(text));
                }
                match text {
                    // A text in memory is one window.
                    Cow::Borrowed(text) => return Some(lines_of(Cow::Borrowed(text))),
                    Cow::Owned(mut text) => {
                        begun = Some(text.split_off(end));
                        if end > 0 {
                            return Some(lines_of(Cow::Owned(text)));
                        }
                    }
                }
            }
        })
        .flatten()
    }

    /// About how many tokens it is.
    pub fn tokens(&self) -> usize {
        let mut estimate = Estimate::default();
        for window in self.windows() {
            window.text.bytes().for_each(|byte| estimate.push(byte));
        }
        estimate.tokens
    }

    /// The windows that it is read in, in order; together they are the text.
    pub(super) fn windows(&self) -> impl Iterator<Item = Window<'_>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= self.len() {
                return None;
            }
            let text = match &*self.0 {
                Source::Kept(kept) => Cow::Owned(kept.next_window(start)),
                Source::Held(_) | Source::Transcript(_) => Cow::Borrowed(self.in_memory()),
            };
            let window = Window { start, text };
            start += window.text.len();
            Some(window)
        })
    }

    /// The same text in memory.
    pub(super) fn held(&self) -> Self {
        match &*self.0 {
            Source::Kept(kept) => Self::from(kept.range(0..kept.len())),
            Source::Held(_) | Source::Transcript(_) => self.clone(),
        }
    }

    /// A range of the text, which a kept text is read for.
    pub(super) fn range(&self, bytes: Range<usize>) -> Cow<'_, str> {
        match &*self.0 {
            Source::Kept(kept) => Cow::Owned(kept.range(bytes)),
            Source::Held(_) | Source::Transcript(_) => Cow::Borrowed(&self.in_memory()[bytes]),
        }
    }

    /// A range of the text, if that is in memory.
    pub(super) fn held_range(&self, bytes: Range<usize>) -> Option<&str> {
        match &*self.0 {
            Source::Kept(_) => None,
            Source::Held(_) | Source::Transcript(_) => Some(&self.in_memory()[bytes]),
        }
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> Option<&Kept> {
        match &*self.0 {
            Source::Kept(kept) => Some(kept),
            Source::Held(_) | Source::Transcript(_) => None,
        }
    }

    /// The text, unless it is kept.
    fn in_memory(&self) -> &str {
        match &*self.0 {
            Source::Held(text) => text,
            Source::Transcript(transcript) => &transcript.text,
            Source::Kept(_) => "",
        }
    }
}

struct Reading<'text> {
    text: &'text Text,
    at: usize,
}

impl io::Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &*self.text.0 {
            Source::Kept(kept) => kept.fill(self.at, buffer)?,
            Source::Held(_) | Source::Transcript(_) => {
                let mut rest = self.text.in_memory().as_bytes().get(self.at..).unwrap_or_default();
                io::Read::read(&mut rest, buffer)?
            }
        };
        self.at += read;
        Ok(read)
    }
}

/// The lines of a text that own what is not borrowed.
fn lines_of(text: Cow<'_, str>) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
    match text {
        Cow::Borrowed(text) => Box::new(text.lines().map(Cow::Borrowed)),
        Cow::Owned(text) => {
            let mut at = 0;
            Box::new(std::iter::from_fn(move || {
                let line = text[at..].lines().next()?.to_owned();
                at = frlm_documents::text::next_line_start(&text, at + 1).min(text.len());
                Some(Cow::Owned(line))
            }))
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Arc::new(Source::Held(text.into())))
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self::from(&*text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Arc::new(Source::Held(text.into())))
    }
}

/// How long it is: a document's text is in no log.
impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Text({} bytes)", self.len())
    }
}

/// A range of a text in memory, which it keeps there.
#[derive(Clone)]
pub struct Slice {
    text: Text,
    start: usize,
    bytes: u32,
}

impl Slice {
    /// A range of a text that is held.
    pub(super) fn of(text: &Text, bytes: Range<usize>) -> Self {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self { text: text.clone(), start: bytes.start, bytes: length }
    }
}

impl Deref for Slice {
    type Target = str;

    fn deref(&self) -> &str {
        let range = self.start..self.start + self.bytes as usize;
        self.text.held_range(range).unwrap_or_default()
    }
}

impl From<String> for Slice {
    fn from(text: String) -> Self {
        let text = Text::from(text);
        let whole = 0..text.len();
        Self::of(&text, whole)
    }
}

impl From<&str> for Slice {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl PartialEq for Slice {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Slice {}

impl fmt::Debug for Slice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}
