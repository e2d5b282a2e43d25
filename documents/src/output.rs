//! Where readers put what they find.

use crate::block::{Block, Kind, Place};
use crate::event::{Event, Refusal, Warning};
use crate::options::Options;

/// What a reader of one document tells. It counts what it is told against the limits.
pub(crate) struct Output<'a> {
    options: &'a Options,
    sink: &'a mut dyn FnMut(Event),
    /// Bytes of text of the whole file, across documents.
    text_bytes: &'a mut u64,
    /// Bytes that may still be unpacked, across documents.
    pub(crate) unpacked_left: u64,
    /// Files that were found inside, read after this document has ended.
    pub(crate) inner: Vec<Inner>,
}

/// A file that was found inside of another.
pub(crate) struct Inner {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl<'a> Output<'a> {
    pub fn new(options: &'a Options, text_bytes: &'a mut u64, sink: &'a mut dyn FnMut(Event)) -> Self {
        Self { options, sink, text_bytes, unpacked_left: options.limits.unpacked_bytes, inner: Vec::new() }
    }

    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// The next block in reading order. White space is collapsed (in code: only trimmed at line ends), control characters are
    /// taken out; a block without text is dropped, but for rows of tables.
    pub fn block(&mut self, kind: Kind, text: &str, place: Place) -> Result<(), Refusal> {
        let text = if kind == Kind::Code { preformatted(text) } else { collapsed(text) };
        if text.is_empty() && !matches!(kind, Kind::Row { .. }) {
            return Ok(());
        }
        self.count(text.len())?;
        (self.sink)(Event::Block(Block { kind, text, place }));
        Ok(())
    }

    /// A row of a table; its text is made from the cells.
    pub fn row(&mut self, table: u32, header: bool, cells: Vec<String>, place: Place) -> Result<(), Refusal> {
        let cells: Vec<String> = cells.into_iter().map(|cell| collapsed(&cell)).collect();
        if cells.iter().all(String::is_empty) {
            return Ok(());
        }
        let text = cells.join(" | ");
        self.block(Kind::Row { table, header, cells }, &text, place)
    }

    /// The whole text of a format without blocks.
    pub fn plain(&mut self, text: String) -> Result<(), Refusal> {
        self.count(text.len())?;
        (self.sink)(Event::Plain(text));
        Ok(())
    }

    pub fn title(&mut self, title: &str) {
        let title = collapsed(title);
        if !title.is_empty() {
            (self.sink)(Event::Title(title));
        }
    }

    pub fn warn(&mut self, warning: Warning) {
        (self.sink)(Event::Warning(warning));
    }

    /// A file that was found inside. It is read after this document.
    pub fn inner(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.spend(bytes.len() as u64);
        self.inner.push(Inner { name: name.into(), bytes });
    }

    /// Counts bytes that were unpacked.
    pub fn spend(&mut self, bytes: u64) {
        self.unpacked_left = self.unpacked_left.saturating_sub(bytes);
    }

    fn count(&mut self, bytes: usize) -> Result<(), Refusal> {
        *self.text_bytes = self.text_bytes.saturating_add(bytes as u64);
        let limit = self.options.limits.text_bytes;
        if *self.text_bytes > limit {
            return Err(Refusal::too_much("bytes of text", limit));
        }
        Ok(())
    }
}

/// Words with one space between them. Control characters, soft hyphens and what only directs the eye are gone.
pub(crate) fn collapsed(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        let mut word = word.chars().filter(|character| !is_invisible(*character)).peekable();
        if word.peek().is_some() {
            if !collapsed.is_empty() {
                collapsed.push(' ');
            }
            collapsed.extend(word);
        }
    }
    collapsed
}

/// Lines as they stand, without what follows the last character of each.
fn preformatted(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let kept = |character: &char| *character == '\t' || !character.is_control();
        line.chars().filter(kept).collect::<String>().trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// Soft hyphen, zero-width space, word joiner, byte order mark. Joiners stay: they are part of words in many scripts.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed_and_what_cannot_be_seen_is_gone() {
        assert_eq!(collapsed("  a\u{a0}b\r\n\tc\u{ad}d \u{200b} e\u{0}f "), "a b cd e f");
        assert_eq!(preformatted("\n  if x:\r\n\ty \n\n"), "  if x:\n\ty");
    }
}
