//! An answer in a form that can be compared: tier 2, before any text similarity.
//!
//! seeds/verifier-block.md, `normalize_answer`, with the rule of seed-arithmetic.md that the printed
//! version breaks: numbers are *parsed*, so that 4.2 and 42 never meet. `$6,288.95`, `6288.95` and
//! `6 288,95 USD` are one value; 42 and 43 are two, and no model is asked about them.
//!
//! - [`agree`]: whether two normalised answers say the same
//! - `sentence`: text as words and the values between them
//! - `structure`: lists and JSON

mod agree;
mod dates;
mod sentence;
mod structure;

pub use agree::{Agreement, Rounding, agreement};
pub use sentence::Sentence;
pub use structure::{CanonicalJson, List};

use frlm_util::text::words_of;

use crate::value::Scalar;

/// What form of answer the task asks for (seeds/verifier-block.md, `expected_format`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedFormat {
    /// One number; the sentence around it does not matter.
    NumericalAnswer,
    /// Words, with whatever values stand in them.
    #[default]
    Explanation,
    /// Program text: only its line ends may differ.
    Code,
    /// Free text; case and space aside it is the same or it is another.
    Creative,
}

/// An answer in comparable form.
#[derive(Debug, Clone, PartialEq)]
pub enum Normalised {
    /// One value: a number with its unit, a date, a truth, a word.
    Scalar(Scalar),
    /// Items whose order says nothing.
    List(List),
    /// A JSON object, or an array of more than plain values.
    Json(CanonicalJson),
    /// Words with values between them.
    Sentence(Sentence),
    /// Text that is compared as it stands.
    Verbatim(String),
}

impl Normalised {
    /// Normalises an answer. Every text is at least a sentence; nothing panics.
    pub fn of(answer: &str, expected: ExpectedFormat) -> Self {
        match expected {
            ExpectedFormat::Code => return Self::Verbatim(structure::code(answer)),
            ExpectedFormat::Creative => return Self::Verbatim(crate::value::word(answer)),
            ExpectedFormat::NumericalAnswer | ExpectedFormat::Explanation => {}
        }
        if let Some(structured) = structure::parse(answer) {
            return structured;
        }
        let sentence = Sentence::of(answer);
        match sentence.only_value() {
            Some(value) => Self::Scalar(value.clone()),
            None if expected == ExpectedFormat::NumericalAnswer => {
                let result = sentence.result().cloned();
                result.map_or(Self::Sentence(sentence), Self::Scalar)
            }
            None => Self::Sentence(sentence),
        }
    }

    /// One spelling for all spellings of an answer.
    pub fn canonical(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.canonical(),
            Self::List(list) => list.canonical(),
            Self::Json(json) => json.canonical().to_owned(),
            Self::Sentence(sentence) => sentence.canonical().to_owned(),
            Self::Verbatim(text) => text.clone(),
        }
    }

    /// Whether a number stands without its unit, so that it agrees with several that do not agree
    /// with each other.
    pub(crate) fn is_unit_free(&self) -> bool {
        matches!(self, Self::Scalar(Scalar::Number(quantity)) if quantity.unit.is_none())
    }

    /// The value, where the answer is a single one.
    pub fn scalar(&self) -> Option<&Scalar> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

/// Whether a question asks for less than the exact value. Only its own words decide: an answer that
/// hedges does not earn itself more room.
pub fn allows_rounding(question: &str) -> bool {
    const WORDS: [&str; 10] = [
        "about",
        "approximate",
        "approximately",
        "around",
        "estimate",
        "estimated",
        "nearest",
        "roughly",
        "round",
        "rounded",
    ];
    words_of(question, char::is_alphabetic).any(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normalised(answer: &str) -> Normalised {
        Normalised::of(answer, ExpectedFormat::Explanation)
    }

    #[test]
    fn a_numerical_answer_is_the_number_in_its_sentence() {
        let number = |answer: &str| Normalised::of(answer, ExpectedFormat::NumericalAnswer).canonical();
        assert_eq!(number("The compound interest is $6,288.95"), "6288.95 USD");
        assert_eq!(number("approximately $6,289"), "6289 USD");
        assert_eq!(number("10000 * (1.05)**10 - 10000 = 6288.95"), "6288.95");
        assert_eq!(number("After 10 years the interest is 6 288,95 USD."), "6288.95 USD");
        assert_eq!(number("**42**"), "42");
        assert_eq!(number("between 3 and 5"), "between 3 and 5");
    }

    #[test]
    fn every_kind_of_answer_has_one_spelling() {
        for (left, right) in [
            ("Yes", "true"),
            ("2 March 2026", "2026-03-02"),
            ("March 2, 2026", "02.03.2026"),
            ("- b\n- a", "[\"a\", \"b\"]"),
            ("1. a\n2. b", "* b\n* a"),
            ("{\"b\": 1.0, \"a\": \"X\"}", "```json\n{\"a\":\"x\",\"b\":1}\n```"),
            ("The  tower was COMPLETED in 1889!", "the tower was completed in 1889"),
            ("5 %", "5%"),
        ] {
            assert_eq!(normalised(left).canonical(), normalised(right).canonical(), "{left} / {right}");
        }
    }

    #[test]
    fn only_the_question_may_allow_rounding() {
        assert!(allows_rounding("Roughly how many orders were there?"));
        assert!(allows_rounding("Round to whole dollars"));
        assert!(allows_rounding("Around how many orders were there?"));
        assert!(!allows_rounding("What is the total?"));
        assert!(!allows_rounding("How many ground shipments?"));
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "\\PC{0,200}") {
            for expected in [
                ExpectedFormat::NumericalAnswer,
                ExpectedFormat::Explanation,
                ExpectedFormat::Code,
                ExpectedFormat::Creative,
            ] {
                let _ = Normalised::of(&answer, expected).canonical();
            }
        }

        #[test]
        fn no_text_with_numbers_panics(answer in "[-+$€0-9., '%:/a-z\\n\\[\\]{}\"=]{0,80}") {
            let _ = Normalised::of(&answer, ExpectedFormat::NumericalAnswer).canonical();
        }

        #[test]
        fn spelling_a_number_differently_does_not_change_it(amount in 0_u32..10_000_000, cents in 0_u32..100) {
            let whole = amount.to_string();
            let grouped: String = whole
                .chars()
                .rev()
                .enumerate()
                .flat_map(|(at, digit)| (at > 0 && at % 3 == 0).then_some(',').into_iter().chain([digit]))
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            let plain = Normalised::of(&format!("{whole}.{cents:02}"), ExpectedFormat::NumericalAnswer);
            let pretty =
                Normalised::of(&format!("The sum is {grouped}.{cents:02}."), ExpectedFormat::NumericalAnswer);
            prop_assert_eq!(plain.canonical(), pretty.canonical());
        }
    }
}
