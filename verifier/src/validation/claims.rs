//! Calculations that an answer shows, done again by code (seeds/verifier-block.md, `programmatic_verification`).
//!
//! That an equation holds proves nothing of the answer, whose figures may be the wrong ones; one that does not hold is an
//! error that nobody need agree on. Only what code can read without guessing is held against it: units that it does not
//! know, ranges ("2019-2021", "boxes 1 - 3 = 36 kg"), amounts in two units ("2 h 30 min"), percentages that are added, and
//! numbers with a mark that may group or divide are passed by.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use super::{Finding, Method};
use crate::arithmetic::{evaluate, pattern, plain};
use crate::value::Quantity;

/// Equations of one answer that are calculated, and how long their text may be.
const MOST_CLAIMS: usize = 16;
const LONGEST_CHARS: usize = 200;
/// Powers beyond this one, and powers of powers, are nothing that people show.
const MOST_EXPONENT: u32 = 1_000;
/// A result may be rounded by half of its last place, or by five in a thousand.
const ROUNDED_IN_A_THOUSAND: i64 = 5;
/// What else is no result in the terms of its equation.
const MAGNITUDES: [&str; 14] = [
    "hundred", "thousand", "million", "billion", "trillion", "dozen", "k", "m", "mn", "bn", "mio", "percent",
    "%", "x",
];

/// An equation in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// As it stands there.
    pub text: String,
    /// Its left side, as code reads it.
    pub expression: String,
    /// What that gives.
    pub calculated: String,
    /// What the answer says.
    pub claimed: String,
    /// Whether the two agree, rounding allowed.
    pub holds: bool,
}

/// The equations in a text that code can do again.
pub fn claims(text: &str) -> Vec<Claim> {
    static EQUATION: LazyLock<Regex> = LazyLock::new(|| {
        const NUMBER: &str = r"\d(?:[\d.,'’]*\d)?";
        let term = format!(r"\(*\s?[$€£]?\s?{NUMBER}(?:\s?[a-zA-Zµ°]{{1,12}}(?:/[a-zA-Z]{{1,8}})?)?\s?\)*");
        let operator = r"(?:\s*[*/×÷^+−]\s*|\s+[-x]\s+)";
        let share = format!(r"{NUMBER}\s?%\s+of\s+[$€£]?\s?{NUMBER}");
        pattern(&format!(
            r"({share}|{term}(?:{operator}{term})+)\s*=\s*([-−]?\s?[$€£]?\s?{NUMBER})(\s?[a-zA-Zµ°%][a-zA-Zµ°%/]*)?"
        ))
    });
    let mut found = Vec::new();
    if !text.contains('=') {
        return found;
    }
    for line in text.lines() {
        let line = without_bullet(line);
        for equation in EQUATION.captures_iter(line) {
            let (Some(whole), Some(left), Some(right)) = (equation.get(0), equation.get(1), equation.get(2))
            else {
                continue;
            };
            let unit = equation.get(3).map_or("", |unit| unit.as_str().trim());
            // The pattern may take a space before the first number in.
            let from = whole.start() + (left.as_str().len() - left.as_str().trim_start().len());
            if stands_apart(&line[..from], &line[whole.end()..])
                && let Some(claim) =
                    read(&line[from..right.end()], left.as_str().trim(), right.as_str(), unit)
            {
                found.push(claim);
            }
            if found.len() >= MOST_CLAIMS {
                return found;
            }
        }
    }
    found
}

/// The first equation in an answer that does not hold and that is not the documents' own: who quotes an error has not
/// made it.
pub fn miscalculated(answer: &str, documents: &[&str]) -> Option<Claim> {
    let own = |claim: &Claim| !documents.iter().any(|document| document.contains(&claim.text));
    claims(answer).into_iter().find(|claim| !claim.holds && own(claim))
}

/// What an answer's equations say about it; `None` where none of them is wrong: that they hold says nothing.
pub(super) fn check(answer: &str, documents: &[&str]) -> Option<Finding> {
    let wrong = miscalculated(answer, documents)?;
    Some(Finding {
        method: Method::ProgrammaticExecution,
        correctness: Some(0.0),
        detail: wrong.to_string(),
        assessment: None,
    })
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expression, calculated, claimed, .. } = self;
        if self.holds {
            write!(f, "{expression} = {claimed}, and so it is")
        } else {
            write!(f, "it says {expression} = {claimed}, and that is {calculated}")
        }
    }
}

/// A line of a list without the mark before it; a sign belongs to its number.
fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let item = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with([' ', '\t']));
    item.map_or(line, str::trim_start)
}

/// Whether an equation is all of what stands there, and not the middle of a longer one.
fn stands_apart(before: &str, after: &str) -> bool {
    static AMOUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d[\d.,]*\s?[a-zA-Zµ°]{1,12})\s*$"));
    let joins = |c: char| "+-*/×÷^−".contains(c);
    let touches = before
        .chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || ".,:_#%$€£()".contains(c) || joins(c));
    let goes_on_before = before.trim_end().chars().next_back().is_some_and(joins);
    let goes_on =
        after.trim_start().chars().next().is_some_and(|c| c == '(' || c.is_ascii_digit() || joins(c));
    // The first term may have begun in a larger unit: "2 h 30 min + 30 min".
    let amount = AMOUNT.captures(before).and_then(|amount| Quantity::parse(&amount[1]));
    let in_a_larger_unit = amount.is_some_and(|amount| amount.unit.is_some());
    !touches && !goes_on_before && !goes_on && !in_a_larger_unit
}

fn read(text: &str, left: &str, right: &str, unit: &str) -> Option<Claim> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d(?:[\d.,'’]*\d)?"));
    static GROUPS_OR_DIVIDES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[1-9]\d{0,2}\.\d{3}$"));
    static COMMA_GROUPS_OR_DIVIDES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[1-9]\d{0,2},\d{3}$"));
    static COMMA_DIVIDES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+,(?:\d{1,2}|\d{4,})$"));
    static DATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d/\d+/\d"));
    let balanced = left.matches('(').count() == left.matches(')').count();
    if left.chars().count() > LONGEST_CHARS || !balanced || DATE.is_match(left) || !is_small(left) {
        return None;
    }
    let both = [left, right];
    let numbers: Vec<&str> =
        both.iter().flat_map(|side| NUMBER.find_iter(side)).map(|number| number.as_str()).collect();
    let any = |pattern: &Regex| numbers.iter().any(|number| pattern.is_match(number));
    if any(&GROUPS_OR_DIVIDES) || any(&COMMA_GROUPS_OR_DIVIDES) && any(&COMMA_DIVIDES) {
        return None;
    }
    let currencies = ['$', '€', '£'].iter().filter(|symbol| both.iter().any(|side| side.contains(**symbol)));
    if currencies.count() > 1 {
        return None;
    }
    let mut readable = true;
    let numbers_read = NUMBER.replace_all(left, |number: &regex::Captures<'_>| {
        let number = plain(&number[0]);
        readable &= number.is_some();
        number.map(|number| number.to_string()).unwrap_or_default()
    });
    if !readable {
        return None;
    }
    let bare = |text: &str| text.replace(['$', '€', '£'], "");
    let mut expression = bare(&numbers_read).replace('×', "*").replace('÷', "/").replace('−', "-");
    if let Some((share, of)) = expression.split_once('%') {
        let of = of.trim_start().strip_prefix("of")?;
        expression = format!("{} / 100 *{of}", share.trim_end());
    }
    let expression = expression.replace(" x ", " * ");
    let calculated = evaluate(&expression).ok()?;
    let has_units = expression.contains(|c: char| c.is_alphabetic() || c == '°');
    let given = if has_units {
        Quantity::parse(&format!("{} {unit}", bare(right))).filter(|given| given.unit.is_some())?
    } else if MAGNITUDES.contains(&unit.to_lowercase().as_str()) {
        return None;
    } else {
        Quantity::parse(&bare(right))?
    };
    // "1 - 3" is a range where what is said of it is more than nothing.
    let is_range = expression.contains('-') && calculated.amount.is_sign_negative();
    if calculated.unit.is_some() != has_units || is_range && given.amount.is_sign_positive() {
        return None;
    }
    Some(Claim {
        text: text.to_owned(),
        holds: comes_to(&given, &calculated)?,
        calculated: calculated.canonical(),
        claimed: given.canonical(),
        expression,
    })
}

/// Whether it has one power at most, and a small one.
fn is_small(left: &str) -> bool {
    match left.split('^').collect::<Vec<_>>()[..] {
        [_] => true,
        [_, exponent] => {
            let digits: String = exponent.trim_start().chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u32>().is_ok_and(|exponent| exponent <= MOST_EXPONENT)
        }
        _ => false,
    }
}

/// Whether a stated result is the calculated one, rounded at most; `None` where they are too large to tell.
fn comes_to(given: &Quantity, calculated: &Quantity) -> Option<bool> {
    let factor =
        |quantity: &Quantity| quantity.unit.as_ref().map_or(Decimal::ONE, |unit| unit.measure.factor);
    let kind = |quantity: &Quantity| quantity.unit.as_ref().map(|unit| unit.measure.kind);
    if kind(given) != kind(calculated) {
        return Some(false);
    }
    let said = given.amount.checked_mul(factor(given))?;
    let right = calculated.amount.checked_mul(factor(calculated))?;
    let half_a_place = Decimal::try_new(5, given.amount.scale() + 1).ok()?.checked_mul(factor(given))?;
    let share = right.abs().checked_mul(Decimal::new(ROUNDED_IN_A_THOUSAND, 3))?;
    Some(said.checked_sub(right)?.abs() <= half_a_place.max(share))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holds(text: &str) -> Vec<bool> {
        claims(text).iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn equations_with_units_and_money_are_done_again() {
        assert_eq!(holds("Both boxes weigh 12 kg + 5 kg = 17 kg."), [true]);
        assert_eq!(holds("Both boxes weigh 12 kg + 5 kg = 18 kg."), [false]);
        assert_eq!(holds("It took 90 min + 30 min = 2 h"), [true]);
        assert_eq!(holds("That is $40 + $2.50 = $42.50"), [true]);
        assert_eq!(holds("3 × 14 = 43 orders"), [false]);
        assert_eq!(holds("2 * (3 + 4) = 14"), [true]);
        assert_eq!(holds("15% of 240 = 36"), [true]);
        assert_eq!(holds("- 1,200 + 300 = 1,500\n- 7 - 2 = 4"), [true, false]);
        assert_eq!(holds("12 kg + 5 kg = 17 km"), [false]);
        assert_eq!(holds("3 - 5 = -2, and 3 - 5 = -3"), [true, false]);
        assert_eq!(holds("Of 7 there 3 * 4 = 13"), [false], "\"7 there\" is no amount in a larger unit");
    }

    /// seeds/verifier-block.md, "Scenario 1", node A's reasoning.
    #[test]
    fn the_documents_reasoning_holds() {
        let reasoning =
            "Used formula A = P(1+r)^t = 10000(1.05)^10 = 16288.95, interest = 16288.95 - 10000 = 6288.95";
        assert_eq!(holds(reasoning), [true]);
    }

    #[test]
    fn a_result_may_be_rounded() {
        assert_eq!(holds("10 / 3 = 3.33; 1 / 3 = 0.3; 7 / 2 = 4"), [true, true, true]);
        assert_eq!(holds("10 / 3 = 3.5"), [false]);
    }

    #[test]
    fn what_code_would_have_to_guess_at_is_passed_by() {
        for text in [
            "From 2019-2021 = 3 years",
            "From 2019 - 2021 = 3 years",
            "Boxes 1 - 3 = 36 kg",
            "2 h 30 min + 30 min = 3 h",
            "5 ft 6 in + 6 in = 6 ft",
            "-5 + 3 = -2",
            "1,250 + 1,250 = 2,5",
            "3/4/2024 = a Monday",
            "240 + 15% = 276",
            "3 apples + 4 apples = 7 apples",
            "1.250 + 2.500 = 4",
            "4 * 500 = 2 k",
            "$3 + €4 = 7",
            "5 km + 300 m = 5300",
            "1 + 2 + = 4",
            "x3 + 4 = 9",
            "2 + 2 = 4 * 1",
            "line 7 = 3",
            "",
        ] {
            assert_eq!(holds(text), [false; 0], "{text}");
        }
    }

    #[test]
    fn a_true_equation_proves_nothing_and_a_false_one_is_an_error() {
        assert_eq!((check("no equation", &[]), check("3 + 4 = 7", &[])), (None, None));
        let wrong = check("Result: 3 + 4 = 7, and 3 * 4 = 13", &[]).unwrap();
        assert_eq!(wrong.correctness, Some(0.0));
        assert_eq!(wrong.detail, "it says 3 * 4 = 13, and that is 12");
        let quoted = "The clerk wrote 3 * 4 = 13 into the book.";
        assert_eq!(check(quoted, &["page 9: 3 * 4 = 13, initialled"]), None, "the document's error");
    }

    #[test]
    fn what_has_no_end_is_given_up() {
        assert!(claims("9^9^9 = 1").is_empty() && claims("9^1001 = 1").is_empty());
        assert_eq!(holds("2^10 = 1024"), [true]);
        let many = "1 + 1 = 3\n".repeat(MOST_CLAIMS + 5);
        assert_eq!(claims(&many).len(), MOST_CLAIMS);
    }

    proptest! {
        #[test]
        fn no_answer_panics(text in "[0-9+*/()%., =a-z$€^×-]{0,60}", other in "\\PC{0,60}") {
            let _ = check(&text, &[]);
            let _ = check(&other, &[]);
        }
    }
}
