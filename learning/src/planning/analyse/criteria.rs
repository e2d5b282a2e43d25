//! Kinds of questions, and how simple one of each is (seeds/super-llm-block.md, `simplicity_evaluator`,
//! `simplicity_criteria`).
//!
//! The source document gives each kind a threshold and examples. A kind is told by how a question begins and what stands in
//! it. A question counts as one of its kind where its score agrees: from the threshold on for simple kinds, up to it
//! for complex ones. Whether it is asked in one piece follows from the score alone ([`super::DIRECT`]).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// "What is the capital of France?"
    SingleFactLookup,
    /// "What is 15% of 240?"
    SimpleCalculation,
    /// "What is photosynthesis?"
    Definition,
    /// "Does Earth orbit the Sun?"
    YesNoQuestion,
    /// "Compare X vs Y"
    MultiStepReasoning,
    /// "Write a story about…"
    CreativeGeneration,
}

const YES_OR_NO: [&str; 16] = [
    "is", "are", "was", "were", "does", "do", "did", "has", "have", "had", "can", "could", "will", "would",
    "should", "may",
];
const ONE_FACT: [&str; 8] = ["what", "when", "where", "who", "which", "whose", "whom", "what's"];
const CREATIVE: [&str; 7] = ["write", "generate", "compose", "draft", "create", "invent", "imagine"];
const IN_STEPS: [&str; 10] =
    ["plan", "debug", "compare", "fix", "design", "analyse", "analyze", "evaluate", "explain", "summarise"];
/// Words of a definition's subject, at most.
const MOST_DEFINED: usize = 3;

impl Criterion {
    /// How simple such a question is: at least where it is 0.80 or more, at most where it is less.
    pub fn threshold(self) -> f64 {
        match self {
            Self::SingleFactLookup => 0.90,
            Self::SimpleCalculation => 0.85,
            Self::Definition => 0.88,
            Self::YesNoQuestion => 0.92,
            Self::MultiStepReasoning => 0.45,
            Self::CreativeGeneration => 0.50,
        }
    }

    /// Whether one look is enough for such a question.
    pub fn is_simple(self) -> bool {
        self.threshold() >= super::DIRECT
    }

    /// The kind whose words a question has, where its score agrees.
    pub fn met(question: &str, score: f64) -> Option<Self> {
        Self::by_words(question).filter(|kind| {
            if kind.is_simple() { score >= kind.threshold() } else { score <= kind.threshold() }
        })
    }

    fn by_words(question: &str) -> Option<Self> {
        let lower = question.to_lowercase().replace('’', "'");
        let words: Vec<&str> = lower
            .split(|letter: char| !letter.is_alphanumeric() && !"'%-+*/".contains(letter))
            .filter(|word| !word.is_empty())
            .collect();
        let first = *words.first()?;
        let computes = |word: &&str| {
            matches!(*word, "+" | "-" | "*" | "/" | "percent" | "plus" | "minus" | "times")
                || word.ends_with('%')
        };
        let has_figure = lower.chars().any(char::is_numeric);
        let points = |word: &&str| matches!(*word, "the" | "of" | "my" | "your" | "this");
        let asks_what = matches!(words[..], ["what", "is" | "are", ..]);
        if has_figure && (first == "convert" || words.iter().any(computes)) {
            Some(Self::SimpleCalculation)
        } else if CREATIVE.contains(&first) {
            Some(Self::CreativeGeneration)
        } else if IN_STEPS.contains(&first) {
            Some(Self::MultiStepReasoning)
        } else if first == "define"
            || asks_what && words.len() <= 2 + MOST_DEFINED && !words.iter().any(points)
        {
            Some(Self::Definition)
        } else if YES_OR_NO.contains(&first) {
            Some(Self::YesNoQuestion)
        } else {
            ONE_FACT.contains(&first).then_some(Self::SingleFactLookup)
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SingleFactLookup => "a single fact",
            Self::SimpleCalculation => "a small calculation",
            Self::Definition => "a definition",
            Self::YesNoQuestion => "a matter of yes or no",
            Self::MultiStepReasoning => "several steps of reasoning",
            Self::CreativeGeneration => "something to be made up",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(Criterion, f64); 6] = [
        (Criterion::SingleFactLookup, 0.90),
        (Criterion::SimpleCalculation, 0.85),
        (Criterion::Definition, 0.88),
        (Criterion::YesNoQuestion, 0.92),
        (Criterion::MultiStepReasoning, 0.45),
        (Criterion::CreativeGeneration, 0.50),
    ];

    #[test]
    fn simplicity_criteria_thresholds_include_their_own_value() {
        let example = |kind: Criterion| match kind {
            Criterion::SingleFactLookup => "What is the capital of France?",
            Criterion::SimpleCalculation => "What is 15% of 240?",
            Criterion::Definition => "What is photosynthesis?",
            Criterion::YesNoQuestion => "Is Python object-oriented?",
            Criterion::MultiStepReasoning => "Plan a trip to Japan",
            Criterion::CreativeGeneration => "Write a story about a lighthouse",
        };
        for (kind, threshold) in ALL {
            assert!((kind.threshold() - threshold).abs() < 1e-12, "{kind:?}");
            let met = |score| Criterion::met(example(kind), score) == Some(kind);
            assert!(met(threshold), "{kind:?}");
            assert_eq!((met(threshold + 0.01), met(threshold - 0.01)), (kind.is_simple(), !kind.is_simple()));
        }
    }

    #[test]
    fn the_examples_of_simplicity_criteria_are_of_their_kind() {
        for (question, kind) in [
            ("What is the capital of France?", Criterion::SingleFactLookup),
            ("When was the US Constitution signed?", Criterion::SingleFactLookup),
            ("What is 15% of 240?", Criterion::SimpleCalculation),
            ("Convert 100 USD to EUR", Criterion::SimpleCalculation),
            ("What is photosynthesis?", Criterion::Definition),
            ("Define recursion", Criterion::Definition),
            ("Is Python object-oriented?", Criterion::YesNoQuestion),
            ("Does Earth orbit the Sun?", Criterion::YesNoQuestion),
            ("Plan a trip...", Criterion::MultiStepReasoning),
            ("Debug this code...", Criterion::MultiStepReasoning),
            ("Compare X vs Y", Criterion::MultiStepReasoning),
            ("Write a story about...", Criterion::CreativeGeneration),
            ("Generate 3 marketing slogans", Criterion::CreativeGeneration),
        ] {
            assert_eq!(Criterion::by_words(question), Some(kind), "{question}");
        }
        for question in ["", "¿?", "Orders that failed in 2024"] {
            assert_eq!(Criterion::by_words(question), None, "{question}");
        }
    }
}
