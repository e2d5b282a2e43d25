//! Text as words and the values between them.

use super::dates;
use crate::value::{Measure, Scalar, measure, word};

/// Words that only say how sure the writer is.
const HEDGES: [&str; 9] =
    ["about", "almost", "approx", "approximately", "around", "ca", "circa", "nearly", "roughly"];

/// What stands after these is a result.
const RESULT_VERBS: [&str; 5] = ["is", "was", "are", "were", "equals"];

/// A value is spelled over at most this many space-separated parts: `2026-03-02 08:14 …`, `$ 1 234 567`.
const MOST_PARTS: usize = 5;

/// A text as words and values, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    parts: Vec<Part>,
    canonical: String,
    /// What the first word says, where it is a truth: "Yes, it was".
    truth: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Word(String),
    /// A number, a moment, or a name with digits in it (`user3`), which is as exact as a number.
    Value(Scalar),
    /// `=`: what follows is a result.
    Equals,
}

impl Part {
    fn value(&self) -> Option<&Scalar> {
        match self {
            Self::Value(value) => Some(value),
            Self::Word(_) | Self::Equals => None,
        }
    }
}

impl Sentence {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let chunks = chunks(text);
        let mut parts = Vec::with_capacity(chunks.len());
        let mut at = 0;
        while let Some(chunk) = chunks.get(at) {
            if chunk.text == "=" {
                parts.push(Part::Equals);
                at += 1;
                continue;
            }
            if let Some((value, used)) = value_at(text, &chunks[at..]) {
                parts.push(Part::Value(value));
                at += used;
                continue;
            }
            at += 1;
            let plain = word(bare(chunk.text));
            if plain.is_empty() || HEDGES.contains(&plain.as_str()) {
                continue;
            }
            let is_name = plain.contains(|c: char| c.is_ascii_digit());
            parts.push(if is_name { Part::Value(Scalar::Word(plain)) } else { Part::Word(plain) });
        }
        let truth = match parts.first() {
            Some(Part::Word(first)) => match Scalar::parse(first) {
                Scalar::Truth(truth) => Some(truth),
                _ => None,
            },
            _ => None,
        };
        let canonical = canonical(&parts);
        Self { parts, canonical, truth }
    }

    /// One spelling for all spellings.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The values in the order in which they stand.
    pub fn values(&self) -> impl Iterator<Item = &Scalar> {
        self.parts.iter().filter_map(Part::value)
    }

    /// The words in the order in which they stand.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Word(word) => Some(word.as_str()),
            _ => None,
        })
    }

    /// The values of both that stand in the same place between the same words; `None` where the words differ, or the
    /// places.
    pub(super) fn values_in_place<'a>(&'a self, other: &'a Self) -> Option<Vec<(&'a Scalar, &'a Scalar)>> {
        let parts = |sentence: &'a Self| -> Vec<&'a Part> {
            sentence.parts.iter().filter(|part| **part != Part::Equals).collect()
        };
        let (left, right) = (parts(self), parts(other));
        if left.len() != right.len() {
            return None;
        }
        let mut pairs = Vec::new();
        for both in left.into_iter().zip(right) {
            match both {
                (Part::Value(left), Part::Value(right)) => pairs.push((left, right)),
                (left, right) if left == right => {}
                _ => return None,
            }
        }
        Some(pairs)
    }

    /// What the first word says, where it is a truth.
    pub fn truth(&self) -> Option<bool> {
        self.truth
    }

    /// The whole text's value, if it is nothing else: a value, a truth or a single word.
    pub(super) fn only_value(&self) -> Option<&Scalar> {
        match self.parts.as_slice() {
            [Part::Value(value)] => Some(value),
            [Part::Word(_)] => self.truth.map(|truth| if truth { &YES } else { &NO }),
            _ => None,
        }
    }

    /// The number that a text with a numerical answer means: its only number, else the first after
    /// the last `=`, else the first after the last "is", "was", "are", "were" or "equals".
    pub(super) fn result(&self) -> Option<&Scalar> {
        let number = |part: &'_ Part| matches!(part, Part::Value(Scalar::Number(_)));
        let mut numbers = self.parts.iter().filter(|part| number(part));
        if let (Some(only), None) = (numbers.next(), numbers.next()) {
            return only.value();
        }
        let after = |marker: &dyn Fn(&Part) -> bool| {
            let at = self.parts.iter().rposition(marker)?;
            self.parts[at..].iter().find(|part| number(part)).and_then(Part::value)
        };
        after(&|part| *part == Part::Equals).or_else(|| {
            after(&|part| matches!(part, Part::Word(word) if RESULT_VERBS.contains(&word.as_str())))
        })
    }
}

static YES: Scalar = Scalar::Truth(true);
static NO: Scalar = Scalar::Truth(false);

fn canonical(parts: &[Part]) -> String {
    let mut joined = String::new();
    for part in parts {
        if !joined.is_empty() {
            joined.push(' ');
        }
        match part {
            Part::Word(word) => joined.push_str(word),
            Part::Value(value) => joined.push_str(&value.canonical()),
            Part::Equals => joined.push('='),
        }
    }
    joined
}

/// A piece of text with its place.
struct Chunk<'a> {
    text: &'a str,
    start: usize,
}

impl Chunk<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Pieces between white space, brackets, quotation marks and `*`; `=` is a piece of its own.
fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let separates =
        |c: char| c.is_whitespace() && c != '\u{a0}' && c != '\u{202f}' || "()[]{}\"“”«»*;|`".contains(c);
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if separates(c) || c == '=' {
            if let Some(from) = start.take() {
                found.push(Chunk { text: &text[from..at], start: from });
            }
            if c == '=' {
                found.push(Chunk { text: &text[at..=at], start: at });
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(from) = start {
        found.push(Chunk { text: &text[from..], start: from });
    }
    found
}

/// A chunk without the punctuation around it.
fn bare(chunk: &str) -> &str {
    chunk
        .trim_start_matches(['~', '≈', '\'', ',', '.', ':', '!', '?', '-'])
        .trim_end_matches(['\'', ',', '.', ':', '!', '?', '-'])
}

/// The longest value that begins with the first chunk, and how many chunks it takes.
fn value_at(text: &str, chunks: &[Chunk<'_>]) -> Option<(Scalar, usize)> {
    let first = chunks.first()?.text.trim_start_matches(['~', '≈', '\'']);
    let begins = first.starts_with(|c: char| c.is_ascii_digit() || "+-−$€£¥₹₿".contains(c));
    let names = !begins && (dates::is_month(first) || measure(first).is_some_and(Measure::is_currency));
    if !begins && !names {
        return None;
    }
    let offset = chunks[0].end() - first.len();
    (1..=MOST_PARTS.min(chunks.len())).rev().find_map(|used| {
        // Parts of one value stand side by side, with nothing but one space between them.
        let side_by_side = chunks[..used].windows(2).all(|pair| {
            let between = &text[pair[0].end()..pair[1].start];
            between.chars().count() == 1 && between.chars().all(char::is_whitespace)
        });
        if !side_by_side {
            return None;
        }
        if used == 3 {
            let words = [first, chunks[1].text, chunks[2].text];
            if let Some(date) = dates::named(&words) {
                return Some((date, used));
            }
        }
        let spelled = text[offset..chunks[used - 1].end()].trim_end_matches([',', '.', ':', '!', '?', '\'']);
        match Scalar::parse(spelled) {
            value @ (Scalar::Number(_) | Scalar::Moment(_)) => Some((value, used)),
            Scalar::Truth(_) | Scalar::Word(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Sentence::of(text).values().map(Scalar::canonical).collect()
    }

    #[test]
    fn values_are_found_whatever_surrounds_them() {
        assert_eq!(values("It cost $6,288.95."), ["6288.95 USD"]);
        assert_eq!(values("It cost 6 288,95 USD, not EUR 7."), ["6288.95 USD", "7 EUR"]);
        assert_eq!(values("took 412ms (or 0.412 s)"), ["412000000 ns", "412000000 ns"]);
        assert_eq!(values("on 2 March 2026 at 08:14"), ["2026-03-02", "08:14:00"]);
        assert_eq!(values("built 1887-1889"), ["1887-1889"]);
        assert_eq!(values("user3 and v1.2"), ["user3", "v1.2"]);
        assert_eq!(values("x=5, y=-7"), ["5", "-7"]);
        assert_eq!(values("I may come in March"), Vec::<String>::new());
        assert_eq!(values("the 2nd of 3"), ["2nd", "3"]);
    }

    #[test]
    fn hedges_are_no_words() {
        assert_eq!(Sentence::of("It is about 5").canonical(), Sentence::of("It is ~5.").canonical());
    }
}
