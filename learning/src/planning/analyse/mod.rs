//! Whether a question is simple enough to be asked in one piece (seeds/super-llm-block.md, function 6,
//! `QueryAnalyzer`).
//!
//! ```text
//! score = 0.7 × by model + 0.3 × by classifier;   at 0.80 and above: direct
//! ```
//!
//! What the model says is a fact that the caller brings. Without a model, or where its word is none, the classifier stands
//! alone.
//!
//! - [`features`]: what the classifier sees
//! - [`classifier`]: logistic regression, its examples, and how well it does
//! - [`criteria`]: kinds of questions, and how simple one of each is

pub mod classifier;
pub mod criteria;
pub mod features;

use serde::{Deserialize, Serialize};

use self::classifier::Classifier;
use self::criteria::Criterion;

/// From here on a question is asked in one piece.
pub const DIRECT: f64 = 0.80;
const BY_MODEL: f64 = 0.7;
const BY_CLASSIFIER: f64 = 0.3;

/// How simple a question is, and what follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// 0 (complex) to 1 (simple).
    pub score: f64,
    /// The model's word, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_model: Option<f64>,
    /// The classifier's.
    pub by_classifier: f64,
    /// Whether it is asked in one piece.
    pub direct: bool,
    /// The kind of question that it is one of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Criterion>,
}

impl Analysis {
    /// Weighs both.
    pub fn of(question: &str, by_model: Option<f64>) -> Self {
        let analysis = Self::weighed(by_model, Classifier::shipped().simplicity(question));
        Self { criterion: Criterion::met(question, analysis.score), ..analysis }
    }

    fn weighed(by_model: Option<f64>, by_classifier: f64) -> Self {
        let by_model = by_model.map(|score| score.clamp(0.0, 1.0));
        let score =
            by_model.map_or(by_classifier, |by_model| BY_MODEL * by_model + BY_CLASSIFIER * by_classifier);
        Self { score, by_model, by_classifier, direct: score >= DIRECT, criterion: None }
    }

    /// For people.
    pub fn in_words(&self) -> String {
        let parts = match self.by_model {
            Some(by_model) => {
                format!("the model says {by_model:.2}, the classifier {:.2}", self.by_classifier)
            }
            None => "by the classifier alone".to_owned(),
        };
        let verdict = if self.direct {
            "simple enough to be asked of the whole text at once"
        } else {
            "not simple enough to be asked of the whole text at once: each fragment is asked"
        };
        let kind = self.criterion.map_or(String::new(), |kind| format!("; it asks for {kind}"));
        format!("the question's simplicity is {:.2} ({parts}{kind}): {verdict}", self.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_and_classifier_weigh_7_and_3_and_80_is_direct_in_analyze_query() {
        let analysis = Analysis::weighed(Some(0.9), 0.6);
        assert!((analysis.score - (0.63 + 0.18)).abs() < 1e-9 && analysis.direct);
        let analysis = Analysis::weighed(Some(0.8), 0.79);
        assert!((analysis.score - 0.797).abs() < 1e-9 && !analysis.direct);
        assert!(!Analysis::weighed(Some(1.0), 0.3).direct, "0.79: neither decides alone");
        assert!(Analysis::weighed(None, 0.80).direct && !Analysis::weighed(None, 0.79).direct);
        assert!((Analysis::weighed(Some(f64::INFINITY), 1.0).score - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_examples_of_simplicity_criteria_are_told_apart() {
        for question in [
            "What is the capital of France?",
            "When was the US Constitution signed?",
            "What is photosynthesis?",
            "Is Python object-oriented?",
            "Does Earth orbit the Sun?",
        ] {
            assert!(Analysis::of(question, None).direct, "{question}");
        }
        for question in [
            "Plan a 2-week trip to Japan during cherry blossom season under $3000",
            "Compare Python and JavaScript",
            "Write a story about a lighthouse",
            "Debug this code, and explain what was wrong",
        ] {
            assert!(!Analysis::of(question, None).direct, "{question}");
        }
    }

    #[test]
    fn it_says_what_it_rests_on() {
        let words = Analysis::weighed(Some(0.95), 0.97).in_words();
        assert!(words.contains("0.96") && words.contains("the model says 0.95"), "{words}");
        let words = Analysis::of("What is photosynthesis?", Some(0.95)).in_words();
        assert!(words.contains("it asks for a definition"), "{words}");
        let words = Analysis::weighed(None, 0.2).in_words();
        assert!(words.contains("by the classifier alone") && words.contains("each fragment"), "{words}");
    }
}
