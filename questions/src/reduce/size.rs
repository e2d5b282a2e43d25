//! How much a text is, in the two measures that bound a job: bytes for the wire, tokens for its reader.

use super::words::MOST_NOTES_BYTES;
use crate::ingest::estimate_tokens;

/// How much a text is, or how much there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// In UTF-8.
    pub bytes: usize,
    /// By [`estimate_tokens`].
    pub tokens: usize,
}

impl Size {
    /// Nothing.
    pub const NONE: Self = Self { bytes: 0, tokens: 0 };
    /// Notes that fit into one job of any reader.
    pub const JOB: Self = Self { bytes: MOST_NOTES_BYTES, tokens: usize::MAX };

    /// Of a text.
    pub fn of(text: &str) -> Self {
        Self { bytes: text.len(), tokens: estimate_tokens(text) }
    }

    /// Of both. For texts of whole lines this is what they are together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Whether there is room for it.
    pub fn fits(self, room: Self) -> bool {
        self.bytes <= room.bytes && self.tokens <= room.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_must_fit_by_both_measures_and_lines_add_up() {
        let (first, second) = ("seven 7s\n", "и так далее\n");
        let both = Size::of(&format!("{first}{second}"));
        assert_eq!(Size::of(first).plus(Size::of(second)), both);
        assert!(both.fits(both) && both.fits(Size::JOB) && Size::NONE.fits(both));
        assert!(!both.fits(Size { bytes: both.bytes - 1, ..both }));
        assert!(!both.fits(Size { tokens: both.tokens - 1, ..both }));
        assert_eq!(both.plus(Size::JOB).tokens, usize::MAX);
    }
}
