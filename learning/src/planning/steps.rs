//! A step of a plan as the brain sees it: what kind of work it is, how simple (seeds/super-llm-block.md,
//! function 7), and who should answer it (function 3).
//!
//! A step is what is asked once, of however many fragments: they share its text, so they share its score.

use serde::{Deserialize, Serialize};

use super::analyse::classifier::Classifier;
use super::hints::{Complexity, Hint, hint};
use super::simplicity::{Simplicity, TaskType, simplicity};

/// Words from which a question is a long one (`evaluate_simplicity`).
const LONG: usize = 30;

/// Words of a question that asks for reasons or for a comparison.
const ANALYTIC: [&str; 13] = [
    "why",
    "compare",
    "comparison",
    "difference",
    "differences",
    "explain",
    "analyse",
    "analyze",
    "summarise",
    "summarize",
    "trend",
    "reason",
    "reasons",
];

/// A step with its score and its hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weighed {
    /// What kind of work it is.
    pub task_type: TaskType,
    /// How hard it is.
    pub complexity: Complexity,
    /// How simple it is, and why.
    pub simplicity: Simplicity,
    /// Who should answer it, and why.
    pub hint: Hint,
}

/// What a step has its providers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Put a question into a form that code can finish.
    Compile,
    /// Copy fields out of records; code does the rest.
    Copy,
    /// Read a part of a text and answer in words.
    Read,
    /// Write one answer from several.
    Write,
}

/// Weighs what a step asks, in the step's own words.
pub fn weigh(kind: StepKind, text: &str) -> Weighed {
    let (task_type, complexity) = work(kind, text);
    let by_classifier = is_asked_in_words(kind).then(|| Classifier::shipped().simplicity(text));
    let simplicity = simplicity(text, task_type, by_classifier);
    let hint = hint(complexity, task_type, simplicity.score);
    Weighed { task_type, complexity, simplicity, hint }
}

/// Whether a provider has to understand the question. One that copies fields out of a record is asked for these alone, by
/// any words: the classifier would take “how many” for hard, which is code's part.
fn is_asked_in_words(kind: StepKind) -> bool {
    kind != StepKind::Copy
}

fn work(kind: StepKind, text: &str) -> (TaskType, Complexity) {
    let long = text.split_whitespace().count() > LONG;
    match kind {
        StepKind::Compile => (TaskType::Other, Complexity::Simple),
        // Whatever code makes of the values, they are looked up.
        StepKind::Copy => {
            (TaskType::FactualSearch, if long { Complexity::Medium } else { Complexity::Simple })
        }
        StepKind::Read if is_analytic(text) => {
            (TaskType::Analysis, if long { Complexity::High } else { Complexity::Medium })
        }
        StepKind::Read => (TaskType::FactualSearch, Complexity::Medium),
        StepKind::Write => (TaskType::CreativeWriting, Complexity::Medium),
    }
}

/// What kind of work it is to answer a question in words from a part of a text.
pub fn reading(question: &str) -> TaskType {
    if is_analytic(question) { TaskType::Analysis } else { TaskType::FactualSearch }
}

fn is_analytic(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric())
        .any(|word| ANALYTIC.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::planning::hints::Suggested;

    #[test]
    fn a_field_to_copy_is_simple_enough_for_one_provider() {
        let question = "How many orders failed";
        let weighed = weigh(StepKind::Copy, question);
        assert_eq!((weighed.task_type, weighed.complexity), (TaskType::FactualSearch, Complexity::Simple));
        // 0.80 by rule, and 0.90 + (0.80 − 0.75) × 0.5 for the hint.
        assert!((weighed.simplicity.score - 0.80).abs() < 1e-9);
        assert_eq!(weighed.hint.suggested, Suggested::One);
        assert!((weighed.hint.confidence - 0.925).abs() < 1e-9);
    }

    #[test]
    fn reasons_go_to_several_and_plain_questions_with_clauses_to_idle_ones() {
        let suggested = |question: &str| weigh(StepKind::Read, question).hint.suggested;
        assert_eq!(suggested("Why did orders and payments fail?"), Suggested::Several);
        assert_eq!(suggested("What does the log say of payments and refunds?"), Suggested::Any);
        assert_eq!(suggested("What does the log say of payments?"), Suggested::One);
    }

    #[test]
    fn reading_weighs_rule_and_classifier_7_to_3_and_copying_only_the_rule() {
        let hundredths = |score: f64| (score * 100.0).round() / 100.0;
        for (question, by_rule) in [
            ("What does the log say of payments?", 0.80),
            ("What does the log say of payments and refunds?", 0.50),
            ("How many users complain, and of what?", 0.50),
        ] {
            let classified = Classifier::shipped().simplicity(question);
            let weighed = weigh(StepKind::Read, question).simplicity;
            assert!(
                (weighed.score - hundredths(0.7 * by_rule + 0.3 * classified)).abs() < 1e-9,
                "{question}"
            );
            assert!(weighed.reasoning.contains("by the classifier"), "{}", weighed.reasoning);
        }
        let question = "How many orders failed";
        assert!(Classifier::shipped().simplicity(question) < 0.5);
        let copied = weigh(StepKind::Copy, question).simplicity;
        assert!((copied.score - 0.80).abs() < 1e-9 && !copied.reasoning.contains("classifier"), "{copied:?}");
    }

    proptest! {
        #[test]
        fn every_text_has_a_score_and_a_confidence_within_bounds(question in ".{0,400}") {
            let weighed = weigh(StepKind::Read, &question);
            prop_assert!((0.0..=1.0).contains(&weighed.simplicity.score));
            prop_assert!((0.0..=1.0).contains(&weighed.hint.confidence));
        }
    }
}
