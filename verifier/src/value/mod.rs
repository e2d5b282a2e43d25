//! A text as the value it stands for: a quantity, a moment, a truth or a word.
//!
//! Numbers, units, dates and booleans are compared as such before any text is (design.md,
//! section 6): 42 and 43 never agree, 4.2 and 42 never agree. Amounts are exact decimals.

mod anchor;
mod moment;
mod unit;

use std::cmp::Ordering;

use rust_decimal::Decimal;
use unicode_normalization::UnicodeNormalization;

pub use anchor::anchor;
pub use moment::Moment;
pub use unit::{Kind, Measure, measure};

/// What a text stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A number, perhaps with a unit.
    Number(Quantity),
    /// A day, a time of day or a point in time.
    Moment(Moment),
    /// A boolean word.
    Truth(bool),
    /// Anything else, without regard to case, composition and runs of space.
    Word(String),
}

/// An exact amount.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// The number as written, its decimal places kept.
    pub amount: Decimal,
    /// The unit as written.
    pub unit: Option<Unit>,
}

/// A unit as it stands beside a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The unit as written: `ms`, `EUR`, `$`, `%`.
    pub text: String,
    /// Whether it stands before the number.
    pub before: bool,
    /// What it measures.
    pub measure: Measure,
}

impl Scalar {
    /// Reads a text. Every text is at least a word.
    pub fn parse(text: &str) -> Self {
        let text = unquoted(text.trim());
        if let Some(moment) = Moment::parse(text) {
            return Self::Moment(moment);
        }
        if let Some(quantity) = Quantity::parse(text) {
            return Self::Number(quantity);
        }
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Self::Truth(true),
            "false" | "no" | "off" => Self::Truth(false),
            _ => Self::Word(word(text)),
        }
    }

    /// Orders two values of one kind; `None` where no order is known (words, euros and metres).
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left.order(right),
            (Self::Moment(left), Self::Moment(right)) => left.order(*right),
            _ => None,
        }
    }

    /// One spelling for all texts that stand for the same value, so that replicas can be compared.
    pub fn canonical(&self) -> String {
        match self {
            Self::Number(quantity) => quantity.canonical(),
            Self::Moment(moment) => moment.canonical(),
            Self::Truth(truth) => truth.to_string(),
            Self::Word(word) => word.clone(),
        }
    }
}

impl Quantity {
    /// Reads `118.40`, `6,288.95`, `6 288,95`, `-$5`, `100 EUR`, `412ms`, `5 %`.
    ///
    /// A lone comma before exactly three digits groups thousands, any other lone comma is a
    /// decimal mark; a lone point always is one.
    pub fn parse(text: &str) -> Option<Self> {
        let first = text.find(|c: char| c.is_ascii_digit())?;
        let last = text.rfind(|c: char| c.is_ascii_digit())?;
        let (head, body, tail) = (&text[..first], &text[first..=last], text[last + 1..].trim());

        let negative = head.contains(['-', '−']);
        let sign = |c: char| matches!(c, '+' | '-' | '−');
        if head.matches(sign).count() > 1 {
            return None;
        }
        let head = head.replace(sign, " ");
        let unit = match (head.trim(), tail) {
            ("", "") => None,
            (before, "") => Some(Unit {
                measure: unit::measure(before).filter(|measure| measure.is_currency())?,
                text: before.to_owned(),
                before: true,
            }),
            ("", after) => {
                Some(Unit { measure: unit::measure(after)?, text: after.to_owned(), before: false })
            }
            _ => return None,
        };
        let amount = decimal(body)?;
        Some(Self { amount: if negative { -amount } else { amount }, unit })
    }

    /// Orders two amounts, converting between units of one kind. A number without a unit is taken
    /// to have the other's: people ask "over 100" of a column of euros.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        let (Some(left), Some(right)) = (&self.unit, &other.unit) else {
            return Some(self.amount.cmp(&other.amount));
        };
        if left.measure.kind != right.measure.kind {
            return None;
        }
        let left = self.amount.checked_mul(left.measure.factor)?;
        let right = other.amount.checked_mul(right.measure.factor)?;
        Some(left.cmp(&right))
    }

    /// One spelling for all spellings of the amount: in the base unit of its kind.
    pub fn canonical(&self) -> String {
        let base = self.unit.as_ref().and_then(|unit| {
            let amount = self.amount.checked_mul(unit.measure.factor)?;
            Some(format!("{} {}", amount.normalize(), unit.measure.kind.name()))
        });
        base.unwrap_or_else(|| self.amount.normalize().to_string())
    }
}

/// A word without regard to case, composition, runs of space or `_` for space.
pub fn word(text: &str) -> String {
    let folded: String = text.nfc().flat_map(char::to_lowercase).collect();
    folded.split(|c: char| c.is_whitespace() || c == '_').filter(|part| !part.is_empty()).fold(
        String::with_capacity(folded.len()),
        |mut joined, part| {
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(part);
            joined
        },
    )
}

/// Removes one pair of quotation marks around a text.
pub fn unquoted(text: &str) -> &str {
    const PAIRS: [(char, char); 6] =
        [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('«', '»'), ('„', '“')];
    PAIRS
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close))
        .map_or(text, str::trim)
}

/// Reads digits with optional grouping and decimal marks.
fn decimal(body: &str) -> Option<Decimal> {
    let is_space = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
    let mut marks: Vec<char> = body.chars().filter(|c| !c.is_ascii_digit()).collect();
    if marks.iter().any(|&c| !is_space(c) && c != '.' && c != ',') {
        return None;
    }
    let fraction_mark = match marks.last() {
        Some(&mark) if !is_space(mark) => {
            let count = marks.iter().filter(|&&c| c == mark).count();
            let (whole, fraction) = body.rsplit_once(mark)?;
            let grouped_comma = mark == ','
                && marks.len() == 1
                && fraction.len() == 3
                && (1..=3).contains(&whole.len())
                && !whole.starts_with('0');
            (count == 1 && !grouped_comma).then_some(mark)
        }
        _ => None,
    };
    let (whole, fraction) = match fraction_mark {
        Some(mark) => {
            marks.pop();
            body.rsplit_once(mark)?
        }
        None => (body, ""),
    };
    let digits = match marks.first() {
        None => whole.to_owned(),
        Some(&mark) => {
            let mut groups = whole.split(mark);
            let first = groups.next()?;
            let mut digits = first.to_owned();
            if !(1..=3).contains(&first.len()) {
                return None;
            }
            for group in groups {
                if group.len() != 3 {
                    return None;
                }
                digits.push_str(group);
            }
            digits
        }
    };
    // Mixed grouping marks are still in there.
    if !digits.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let plain = if fraction.is_empty() { digits } else { format!("{digits}.{fraction}") };
    // Refuses what it cannot hold exactly; such digit strings are compared as words.
    Decimal::from_str_exact(&plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_ways_people_write_them() {
        let cases = [
            ("42", "42"),
            ("-42", "-42"),
            ("−42", "-42"),
            ("4.2", "4.2"),
            ("118.40", "118.4"),
            ("6,288.95", "6288.95"),
            ("6 288,95", "6288.95"),
            ("6\u{202f}288,95", "6288.95"),
            ("6.288,95", "6288.95"),
            ("6'288.95", "6288.95"),
            ("1,234,567", "1234567"),
            ("6,288", "6288"),
            ("6,28", "6.28"),
            ("0,288", "0.288"),
            ("1234,567", "1234.567"),
            ("$6,288.95", "6288.95 USD"),
            ("-$5", "-5 USD"),
            ("€ 100", "100 EUR"),
            ("100 EUR", "100 EUR"),
            ("EUR 100", "100 EUR"),
            ("412ms", "412000000 ns"),
            ("2.5 s", "2500000000 ns"),
            ("5 %", "5 %"),
            ("3 GB", "3000000000 bytes"),
            ("\"17\"", "17"),
        ];
        for (text, canonical) in cases {
            let scalar = Scalar::parse(text);
            assert!(matches!(scalar, Scalar::Number(_)), "{text}: {scalar:?}");
            assert_eq!(scalar.canonical(), canonical, "{text}");
        }
    }

    #[test]
    fn words_with_digits_are_no_numbers() {
        let words = [
            "user3", "10.0.0.1", "1e5", "7a", "3rd", "1-2", "12,34,56", "4 2", "v1.2", "5 $ EUR", "+-5", "",
            "5 m",
        ];
        for text in words {
            assert!(matches!(Scalar::parse(text), Scalar::Word(_)), "{text}: {:?}", Scalar::parse(text));
        }
    }

    #[test]
    fn words_agree_without_regard_to_case_composition_and_underscores() {
        assert_eq!(word("Card_Declined"), word(" card  declined"));
        assert_eq!(word("MU\u{308}LLER"), word("müller"));
        assert_ne!(word("müller"), word("muller"));
    }
}
