//! A claim: one statement about a part of a document, with the lines that it rests on.

/// Lines of a document, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    first: u32,
    last: u32,
}

impl LineRange {
    /// A range in either order of its ends.
    pub fn new(one: u32, other: u32) -> Self {
        Self { first: one.min(other), last: one.max(other) }
    }

    /// The first line.
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last line.
    pub fn last(self) -> u32 {
        self.last
    }

    /// How many lines it has.
    pub fn len(self) -> u32 {
        (self.last - self.first).saturating_add(1)
    }

    /// Never: a range has a line at least.
    pub fn is_empty(self) -> bool {
        false
    }

    /// Whether both have a line in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// The range with so many lines more on both sides.
    #[must_use]
    pub fn widened(self, lines: u32) -> Self {
        Self { first: self.first.saturating_sub(lines).max(1), last: self.last.saturating_add(lines) }
    }
}

/// Lines that a claim rests on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quote {
    /// Where they are.
    pub lines: LineRange,
    /// Their words: as the reader copied them until they are checked, as code copied them from then on. Empty where the
    /// reader named lines alone.
    pub words: String,
}

/// One statement of a reader about a part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    /// One self-contained sentence.
    pub text: String,
    /// What it rests on.
    pub quotes: Vec<Quote>,
}

impl Claim {
    /// Whether two claims rest on a line in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.quotes.iter().any(|quote| other.quotes.iter().any(|theirs| quote.lines.overlaps(theirs.lines)))
    }
}
