//! A task's arithmetic, done again by code (seeds/verifier-block.md, `programmatic_verification`).
//!
//! The *question* is calculated, never the answer: what a node claims to have computed proves
//! nothing.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::{Finding, Method, score};
use crate::arithmetic::{evaluate, expression};
use crate::normalise::{ExpectedFormat, Normalised};
use crate::request::OriginalTask;
use crate::value::{Quantity, Scalar};

/// An answer further from the calculated value is wrong (the seed's example tolerance) …
const TOLERANCE: f64 = 0.01;
/// … and so is one that is off by this share: 0.004 is not 0.009.
const RELATIVE_TOLERANCE: f64 = 0.005;

/// Calculates the question and compares.
pub fn check(answer: &str, task: &OriginalTask) -> Finding {
    let finding = |correctness, detail: String| Finding {
        method: Method::ProgrammaticExecution,
        correctness,
        detail,
        assessment: None,
    };
    let Some(expression) = expression(&task.query) else {
        return finding(None, "the question holds no expression that code can read".to_owned());
    };
    let calculated = match evaluate(&expression) {
        Ok(calculated) => calculated,
        Err(error) => return finding(None, format!("{expression}: {error}")),
    };
    let given = Normalised::of(answer, ExpectedFormat::NumericalAnswer);
    let Some(Scalar::Number(given)) = given.scalar() else {
        return finding(
            Some(0.0),
            format!("{expression} = {}; the answer is no number", calculated.canonical()),
        );
    };
    let matches = meets(given, &calculated);
    finding(Some(score(matches)), format!("{expression} = {}", calculated.canonical()))
}

/// Whether an answer is the calculated value, within the tolerance and whatever spelling its unit has.
fn meets(given: &Quantity, calculated: &Quantity) -> bool {
    let base = |quantity: &Quantity, with_unit: bool| {
        let factor =
            quantity.unit.as_ref().filter(|_| with_unit).map_or(Decimal::ONE, |unit| unit.measure.factor);
        quantity.amount.checked_mul(factor)?.to_f64()
    };
    let kinds = (
        given.unit.as_ref().map(|unit| unit.measure.kind),
        calculated.unit.as_ref().map(|unit| unit.measure.kind),
    );
    if let (Some(given), Some(calculated)) = kinds
        && given != calculated
    {
        return false;
    }
    let with_unit = matches!(kinds, (Some(_), Some(_)));
    let (Some(given), Some(right)) = (base(given, with_unit), base(calculated, with_unit)) else {
        return false;
    };
    (given - right).abs() < TOLERANCE.min(RELATIVE_TOLERANCE * right.abs()).max(f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::request::TaskType;
    use crate::testing::task;

    fn correctness(query: &str, answer: &str) -> Option<f64> {
        check(answer, &task(query, TaskType::Calculation, ExpectedFormat::NumericalAnswer)).correctness
    }

    /// seeds/verifier-block.md, `programmatic_verification` ("Calculate 15% of 240") and scenario 1.
    #[test]
    fn the_documents_calculations_are_done_again() {
        assert_eq!(correctness("Calculate 15% of 240", "36"), Some(1.0));
        assert_eq!(correctness("Calculate 15% of 240", "It is 36.00"), Some(1.0));
        assert_eq!(correctness("Calculate 15% of 240", "35"), Some(0.0));
        let interest = "Calculate the compound interest on $10,000 at 5% annually for 10 years";
        assert_eq!(correctness(interest, "The compound interest is $6,288.95"), Some(1.0));
        assert_eq!(correctness(interest, "$6,288.90"), Some(0.0));
        assert_eq!(correctness(interest, "a lot"), Some(0.0));
    }

    /// seeds/verifier-block.md, `programmatic_verification`: within 0.01. Where that would be much of a small number, half a
    /// per cent of it counts.
    #[test]
    fn an_answer_may_be_off_by_less_than_a_hundredth() {
        assert_eq!(correctness("Calculate 15% of 240", "36.0090"), Some(1.0));
        assert_eq!(correctness("Calculate 15% of 240", "35.9910"), Some(1.0));
        assert_eq!(correctness("Calculate 15% of 240", "36.0110"), Some(0.0));
        assert_eq!(correctness("Calculate 15% of 2", "0.3010"), Some(1.0));
        assert_eq!(correctness("Calculate 15% of 2", "0.3020"), Some(0.0));
    }

    #[test]
    fn expressions_with_units_are_calculated() {
        assert_eq!(correctness("What is (3 + 4) × 6?", "42"), Some(1.0));
        assert_eq!(correctness("What is 1,200 / 4", "300"), Some(1.0));
        assert_eq!(correctness("Convert 5 km to metres", "5000 metres"), Some(1.0));
        assert_eq!(correctness("Convert 5 km to metres", "50 metres"), Some(0.0));
        assert_eq!(correctness("What is 2 - 2", "0"), Some(1.0));
        assert_eq!(correctness("What is 9 / 2000", "0.0045"), Some(1.0));
        assert_eq!(correctness("What is 9 / 2000", "0.009"), Some(0.0));
    }

    #[test]
    fn what_is_no_calculation_is_left_to_others() {
        for query in [
            "When was the Eiffel Tower completed?",
            "What is the total of all failed orders?",
            "Calculate",
            "",
            "What is 1 / 0?",
        ] {
            assert_eq!(correctness(query, "42"), None, "{query}");
        }
    }

    #[test]
    fn an_expression_without_end_is_given_up() {
        assert_eq!(correctness("What is 9^9^9^9^9", "1"), None);
        let deep = format!("What is {}1{}", "(".repeat(90), ")".repeat(90));
        assert_eq!(correctness(&deep, "1"), None);
    }

    proptest! {
        #[test]
        fn no_question_panics(query in "(Calculate|What is) [0-9+*/()%., a-z-]{0,40}", answer in "\\PC{0,20}") {
            let _ = correctness(&query, &answer);
        }
    }
}
