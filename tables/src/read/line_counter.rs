//! On which line a byte of a text stands.

/// Numbers of lines, asked in the order of the text: each stretch of it is read once.
pub(super) struct LineCounter<'t> {
    text: &'t str,
    counted: usize,
    line: u32,
}

impl<'t> LineCounter<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, counted: 0, line: 1 }
    }

    #[expect(clippy::naive_bytecount, reason = "a stretch of text that is read once")]
    pub fn at(&mut self, byte: usize) -> u32 {
        let byte = byte.min(self.text.len());
        if byte > self.counted {
            let breaks =
                self.text.as_bytes()[self.counted..byte].iter().filter(|byte| **byte == b'\n').count();
            self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            self.counted = byte;
        }
        self.line
    }
}
