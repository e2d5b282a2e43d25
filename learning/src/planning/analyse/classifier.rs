//! Logistic regression over the features of a question: how likely it is that one look into the text answers it
//! (seeds/super-llm-block.md, `simplicity_model`).
//!
//! The shipped weights were learned from assets/brain/questions.tsv; its card is beside it. `frlm-lab learn analyse`
//! learns them again and measures both.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::features::{FEATURES, NAMES, features};

const SHIPPED: &str = include_str!("../../../priors/simplicity.json");

/// Steps of the descent, how far each goes, and how much large weights cost.
const STEPS: usize = 2_000;
const RATE: f64 = 1.0;
const DECAY: f64 = 1e-3;

/// What an example is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// To learn from.
    Training,
    /// Other sentences of the same generator.
    HeldOut,
    /// By hand, from no generator.
    Written,
}

impl Split {
    /// In the order of tables.
    pub const ALL: [Self; 3] = [Self::Training, Self::HeldOut, Self::Written];

    /// As the file names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::HeldOut => "held-out",
            Self::Written => "written",
        }
    }
}

/// A question with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// What it is for.
    pub split: Split,
    /// Whether one look answers it.
    pub simple: bool,
    /// As a person asks it.
    pub question: String,
}

/// Reads labelled questions: split, label and question between tabs, below a heading.
pub fn read(text: &str) -> Result<Vec<Example>, String> {
    let example = |(number, line): (usize, &str)| {
        let mut cells = line.split('\t');
        let split = cells.next().and_then(|name| Split::ALL.into_iter().find(|split| split.name() == name));
        let simple = match cells.next() {
            Some("simple") => Some(true),
            Some("complex") => Some(false),
            _ => None,
        };
        match (split, simple, cells.next()) {
            (Some(split), Some(simple), Some(question)) => {
                Ok(Example { split, simple, question: question.to_owned() })
            }
            _ => Err(format!(
                "line {} is none of training, held-out or written, simple or complex, and a question, with tabs between",
                number + 1
            )),
        }
    };
    text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()).map(example).collect()
}

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classifier {
    /// What the weights belong to, in order.
    features: Vec<String>,
    weights: [f64; FEATURES],
    bias: f64,
}

/// How often a classifier is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Score {
    /// Questions.
    pub questions: usize,
    /// Of them told apart rightly, at one half.
    pub right: usize,
    /// Of them thought simple enough for a direct answer.
    pub direct: usize,
    /// Of those the complex ones.
    pub direct_wrongly: usize,
}

impl Classifier {
    /// The one that runs use.
    pub fn shipped() -> &'static Self {
        static CLASSIFIER: LazyLock<Classifier> =
            LazyLock::new(|| Classifier::parse(SHIPPED).expect("the shipped weights are checked by a test"));
        &CLASSIFIER
    }

    /// Reads weights.
    pub fn parse(text: &str) -> Result<Self, String> {
        let classifier: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if classifier.features != NAMES {
            return Err(format!("the weights are those of {:?}, not of {NAMES:?}", classifier.features));
        }
        if !classifier.weights.iter().chain([&classifier.bias]).all(|weight| weight.is_finite()) {
            return Err("a weight is no number".to_owned());
        }
        Ok(classifier)
    }

    /// Learns from examples, all of them in every step: the same examples give the same weights.
    pub fn learned<'a>(examples: impl IntoIterator<Item = &'a Example>) -> Self {
        let rows: Vec<([f64; FEATURES], f64)> = examples
            .into_iter()
            .map(|example| (features(&example.question), f64::from(u8::from(example.simple))))
            .collect();
        let count = rows.len().max(1) as f64;
        let mut learned =
            Self { features: NAMES.map(str::to_owned).into(), weights: [0.0; FEATURES], bias: 0.0 };
        for _ in 0..STEPS {
            let mut slope = [0.0; FEATURES];
            let mut bias_slope = 0.0;
            for (row, label) in &rows {
                let error = learned.probability(row) - label;
                bias_slope += error;
                for (slope, feature) in slope.iter_mut().zip(row) {
                    *slope += error * feature;
                }
            }
            learned.bias -= RATE * bias_slope / count;
            for (weight, slope) in learned.weights.iter_mut().zip(slope) {
                *weight -= RATE * (slope / count + DECAY * *weight);
            }
        }
        learned
    }

    /// How likely it is that one look answers the question, 0..=1.
    pub fn simplicity(&self, question: &str) -> f64 {
        self.probability(&features(question))
    }

    fn probability(&self, row: &[f64; FEATURES]) -> f64 {
        let weighed: f64 = self.weights.iter().zip(row).map(|(weight, feature)| weight * feature).sum();
        1.0 / (1.0 + (-(self.bias + weighed)).exp())
    }

    /// How well it tells these apart.
    pub fn score<'a>(&self, examples: impl IntoIterator<Item = &'a Example>) -> Score {
        let mut score = Score::default();
        for example in examples {
            let simplicity = self.simplicity(&example.question);
            let direct = simplicity >= super::DIRECT;
            score.questions += 1;
            score.right += usize::from((simplicity >= 0.5) == example.simple);
            score.direct += usize::from(direct);
            score.direct_wrongly += usize::from(direct && !example.simple);
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUESTIONS: &str = include_str!("../../../../assets/brain/questions.tsv");

    fn examples(split: Split) -> Vec<Example> {
        read(QUESTIONS).unwrap().into_iter().filter(|example| example.split == split).collect()
    }

    #[test]
    fn the_shipped_weights_classify_nine_of_ten_held_out_and_handwritten() {
        for (split, least) in [(Split::HeldOut, 140), (Split::Written, 50)] {
            let examples = examples(split);
            let score = Classifier::shipped().score(&examples);
            assert!(score.questions >= least, "{score:?}");
            assert!(score.right * 10 >= score.questions * 9, "{split:?}: {score:?}");
            // A complex question that is asked in one piece costs more than a simple one that is not.
            assert!(score.direct_wrongly * 20 <= score.direct, "{split:?}: {score:?}");
        }
    }

    #[test]
    fn both_labels_are_in_every_part_and_no_question_is_in_two() {
        let all = read(QUESTIONS).unwrap();
        for split in Split::ALL {
            let simple = all.iter().filter(|example| example.split == split && example.simple).count();
            let of_split = all.iter().filter(|example| example.split == split).count();
            assert!(simple * 3 > of_split && simple * 3 < of_split * 2, "{split:?}: {simple} of {of_split}");
        }
        let questions: std::collections::HashSet<&str> =
            all.iter().map(|example| example.question.as_str()).collect();
        assert_eq!(questions.len(), all.len());
    }

    #[test]
    fn the_shipped_weights_are_those_that_the_shipped_examples_teach() {
        let learned = Classifier::learned(&examples(Split::Training));
        let shipped = Classifier::shipped();
        let weights = |one: &Classifier| one.weights.iter().copied().chain([one.bias]).collect::<Vec<_>>();
        for (one, other) in weights(&learned).into_iter().zip(weights(shipped)) {
            assert!((one - other).abs() < 1e-3, "{:?}, shipped {:?}", weights(&learned), weights(shipped));
        }
    }

    #[test]
    fn weights_of_other_features_and_lines_that_are_no_examples_are_refused() {
        let text = SHIPPED.replace("query_length", "something");
        assert!(Classifier::parse(&text).unwrap_err().contains("something"));
        assert!(Classifier::parse("{}").is_err());
        let refused =
            read("split\tlabel\tquestion\ntraining\tsimple\tWho?\ntraining\tperhaps\tWhy?").unwrap_err();
        assert!(refused.contains("line 3"), "{refused}");
        assert!(read("split\tlabel\tquestion\n\n").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn every_question_has_a_probability(question in ".{0,400}") {
            let simplicity = Classifier::shipped().simplicity(&question);
            prop_assert!((0.0..=1.0).contains(&simplicity), "{simplicity}");
        }
    }
}
