//! Expressions in questions, and what they come to.
//!
//! fend evaluates expressions with units, exactly where it can; no interpreter is started.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use regex::Regex;
use rust_decimal::Decimal;

use crate::value::Quantity;

/// Longer expressions, and deeper ones, are not what people ask.
const LONGEST_CHARS: usize = 200;
const DEEPEST: usize = 16;
/// Interruption points that fend may pass: far beyond any honest expression.
const MOST_STEPS: u32 = 20_000;

/// The expression in a question, in fend's words; `None` if there is none.
pub(crate) fn expression(query: &str) -> Option<String> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\s*(?:please\s+)?(?:calculate|compute|evaluate|convert|what\s+is|what's|how\s+much\s+is)\s+(.+?)\s*[?.!=]*\s*$",
        )
    });
    static INTEREST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)compound\s+interest\s+on\s+[$€£]?\s*([\d.,\s]*\d)\s+at\s+([\d.,]*\d)\s*(?:%|percent)(?:\s+\w+)?\s+for\s+(\d+)\s+years?",
        )
    });
    static PERCENT_OF: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)^(?:the\s+)?([\d.,]*\d)\s*(?:%|percent)\s+of\s+[$€£]?\s*([\d.,\s]*\d)$")
    });
    static ARITHMETIC: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^[\d.,()\s+\-*/^×÷−%]+(?:[a-z°µ/%]+(?:\^?\d)?)?(?:\s+(?:to|in|as)\s+[a-z°µ/]+(?:\^?\d)?)?$",
        )
    });
    if query.chars().count() > LONGEST_CHARS {
        return None;
    }
    if let Some(found) = INTEREST.captures(query) {
        let (principal, rate, years) = (plain(&found[1])?, plain(&found[2])?, plain(&found[3])?);
        return Some(format!("{principal} * (1 + {rate}/100)^{years} - {principal}"));
    }
    let asked = LEAD.captures(query)?;
    let asked = asked.get(1)?.as_str();
    if let Some(found) = PERCENT_OF.captures(asked) {
        return Some(format!("{} / 100 * {}", plain(&found[1])?, plain(&found[2])?));
    }
    let has_digit = asked.contains(|c: char| c.is_ascii_digit());
    let nested = asked.chars().filter(|&c| c == '(').count();
    let readable = has_digit && nested <= DEEPEST && ARITHMETIC.is_match(asked);
    readable.then(|| asked.replace('×', "*").replace('÷', "/").replace('−', "-").replace(',', ""))
}

pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern that the tests use")
}

/// A number as fend writes it.
pub(crate) fn plain(number: &str) -> Option<Decimal> {
    Quantity::parse(number.trim()).map(|quantity| quantity.amount)
}

/// Evaluates an expression, within a bound on its steps.
pub(crate) fn evaluate(expression: &str) -> Result<Quantity, String> {
    struct Bounded(AtomicU32);
    impl fend_core::Interrupt for Bounded {
        fn should_interrupt(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= MOST_STEPS
        }
    }
    let mut context = fend_core::Context::new();
    context.disable_rng();
    let result = fend_core::evaluate_with_interrupt(expression, &mut context, &Bounded(AtomicU32::new(0)))?;
    let text = result.get_main_result().trim();
    let text = text.strip_prefix("approx. ").unwrap_or(text);
    if let Some(quantity) = Quantity::parse(text) {
        return Ok(quantity);
    }
    // A unit that we do not compare is left off on both sides.
    let number = text.split_whitespace().next().unwrap_or_default();
    Quantity::parse(number).ok_or_else(|| format!("{text:?} is not a number"))
}
