//! What a validator says of somebody else's answers (policy `validated`; seeds/frlm-architecture.md,
//! "Verification Flow", `Validated { validator_pubkey }`).
//!
//! A validator is a provider that the user names. It gets the task and the answers that were given, does
//! the task itself, and says of each answer whether its own one means the same. It does not see who
//! answered or how sure they were.
//!
//! How its word travels, and who signed it, is not known here.

use serde::{Deserialize, Serialize};

use crate::consensus::{Judge, equal_answers};
use crate::normalise::{ExpectedFormat, Normalised};

/// The similarity from which two texts mean the same (seeds/verifier-block.md, `group_by_semantic_similarity`).
const SAME_MEANING: f64 = 0.90;

/// How a validator's own answers compare with those it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Answers that it confirms.
    pub confirmed: u32,
    /// Answers that it was shown.
    pub shown: u32,
}

impl Confirmation {
    /// Whether the answers as a whole are accepted: there are some, and each is confirmed.
    pub fn accepts(self) -> bool {
        self.shown > 0 && self.confirmed >= self.shown
    }

    /// Holds a validator's own answers against those it was shown, one by one: numbers, dates and JSON as
    /// such, other texts by their words and then, if there is a judge, by their meaning.
    ///
    /// Answers without a counterpart are not confirmed.
    pub async fn of(own: &[String], shown: &[String], judge: Option<&dyn Judge>) -> Self {
        let mut confirmed = 0;
        for (own, given) in own.iter().zip(shown) {
            confirmed += u32::from(same(own, given, judge).await);
        }
        Self { confirmed, shown: count(own.len().max(shown.len())) }
    }

    /// The same where every answer has this form, and no model is needed to compare.
    pub fn by_code(own: &[String], shown: &[String], format: ExpectedFormat) -> Self {
        let pairs = own.iter().zip(shown);
        let confirmed = pairs.filter(|(own, given)| equal(&of(own, format), &of(given, format))).count();
        Self { confirmed: count(confirmed), shown: count(own.len().max(shown.len())) }
    }
}

async fn same(own: &str, given: &str, judge: Option<&dyn Judge>) -> bool {
    let (ours, theirs) = (of(own, ExpectedFormat::Explanation), of(given, ExpectedFormat::Explanation));
    if equal(&ours, &theirs) {
        return true;
    }
    // Values that differ, differ: no model is asked whether 42 means 43.
    let words = matches!((&ours, &theirs), (Normalised::Sentence(_), Normalised::Sentence(_)));
    match judge.filter(|_| words) {
        Some(judge) => judge.similarity(own, given).await.is_ok_and(|similarity| similarity >= SAME_MEANING),
        None => false,
    }
}

fn of(text: &str, format: ExpectedFormat) -> Normalised {
    Normalised::of(text, format)
}

fn equal(left: &Normalised, right: &Normalised) -> bool {
    equal_answers(vec![left.clone(), right.clone()]).len() == 1
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::consensus::{Arbitration, Assessment, JudgeError};
    use crate::request::OriginalTask;

    /// Finds every pair of texts this similar.
    struct FixedJudge(f64);

    #[async_trait::async_trait]
    impl Judge for FixedJudge {
        async fn similarity(&self, _left: &str, _right: &str) -> Result<f64, JudgeError> {
            Ok(self.0)
        }

        async fn best_phrasing(&self, _answers: &[&str]) -> Result<usize, JudgeError> {
            Ok(0)
        }

        async fn arbitrate(&self, _: &str, _: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
            Err(JudgeError::Unusable("it compares and nothing else".to_owned()))
        }

        async fn assess(&self, _: &OriginalTask, _: &str) -> Result<Assessment, JudgeError> {
            Err(JudgeError::Unusable("it compares and nothing else".to_owned()))
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn compared(own: &[&str], shown: &[&str], judge: Option<&dyn Judge>) -> Confirmation {
        block_on(Confirmation::of(&texts(own), &texts(shown), judge))
    }

    #[test]
    fn every_answer_must_be_confirmed_and_one_that_is_missing_is_not() {
        let all = compared(&["42", "{\"a\": 1}"], &["42.0", "{\"a\":1}"], None);
        assert_eq!(all, Confirmation { confirmed: 2, shown: 2 });
        assert!(all.accepts());
        assert!(!compared(&["42", "7"], &["42", "8"], None).accepts());
        assert!(!compared(&["42", "7"], &["42"], None).accepts());
        assert!(!compared(&["42"], &["42", "7"], None).accepts());
        assert!(!compared(&[], &[], None).accepts(), "who shows nothing has nothing confirmed");
    }

    #[test]
    fn a_judge_is_asked_about_words_and_never_about_values() {
        let easy = FixedJudge(1.0);
        assert!(compared(&["the tower was closed"], &["they shut the tower"], Some(&easy)).accepts());
        assert!(!compared(&["42"], &["43"], Some(&easy)).accepts());
        assert!(!compared(&["{\"a\":1}"], &["{\"a\":2}"], Some(&easy)).accepts());
        let strict = FixedJudge(0.89);
        assert!(!compared(&["the tower was closed"], &["they shut the tower"], Some(&strict)).accepts());
        assert!(!compared(&["the tower was closed"], &["they shut the tower"], None).accepts());
    }

    #[test]
    fn code_alone_compares_numbers_in_sentences() {
        let of = |own: &str, shown: &str| {
            Confirmation::by_code(&texts(&[own]), &texts(&[shown]), ExpectedFormat::NumericalAnswer)
        };
        assert!(of("$6,288.95", "The total is 6288.95 USD.").accepts());
        assert!(!of("6288.95", "6288.96").accepts());
    }
}
