//! Who is right where nobody agrees, for callers that compare replicas by themselves (seeds/verifier-block.md,
//! `llm_arbitration`, the fourth step).
//!
//! The arbiter is not told who is confident or fit (seed-arithmetic.md), and whose answer stands first sways it as
//! little as who came first: the contenders are put in the order of their keys, once forth and once back, and a ruling
//! that changes with the order is none.

use super::judge::{Judge, JudgeError, OPINION_PASSES};

/// More different answers than these are no contest that a model could settle.
pub const MOST_CONTENDERS: usize = 6;

/// One of several answers that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contender {
    /// Equal keys are the same answer.
    pub key: String,
    /// The answer.
    pub answer: String,
    /// What it rests on: its reasons, or what it quotes.
    pub rests_on: String,
}

/// A ruling that may be acted on. Only [`arbitrate`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    key: String,
    confidence: f64,
    reasoning: String,
}

impl Settled {
    /// The key of the answer that is right.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How sure the arbiter is, 0..=1: the less sure of its two rulings.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// Why, in its words.
    pub fn reasoning(&self) -> &str {
        &self.reasoning
    }
}

/// Why nothing was settled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unsettled {
    /// Fewer than two different answers, or too many.
    #[error("{0} different answers are no contest that an arbiter could settle")]
    NoContest(usize),
    /// It prefers what stands first, or last.
    #[error("the arbiter rules differently when the answers stand in another order")]
    Swayed,
    /// It does not trust its own ruling.
    #[error("the arbiter is no surer than {0:.2}, and {least:.2} is asked for", least = OPINION_PASSES)]
    Unsure(f64),
    /// It gave no ruling.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// Has a model choose among answers that contradict each other; their order does not matter. From the confidence on
/// from which a model's opinion passes an answer (seeds/verifier-block.md, `aggregate_validation_results`: .75).
pub async fn arbitrate(
    query: &str,
    contenders: &[Contender],
    judge: &dyn Judge,
) -> Result<Settled, Unsettled> {
    let mut order: Vec<&Contender> = contenders.iter().collect();
    order.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| a.answer.cmp(&b.answer)));
    order.dedup_by(|a, b| a.key == b.key);
    if !(2..=MOST_CONTENDERS).contains(&order.len()) {
        return Err(Unsettled::NoContest(order.len()));
    }
    let mut rulings = Vec::new();
    for _ in 0..2 {
        let texts: Vec<(&str, &str)> =
            order.iter().map(|contender| (contender.answer.as_str(), contender.rests_on.as_str())).collect();
        let ruling = judge.arbitrate(query, &texts).await?;
        let Some(chosen) = order.get(ruling.chosen) else {
            let words = format!("it chose answer {} of {}", ruling.chosen + 1, order.len());
            return Err(JudgeError::Unusable(words).into());
        };
        rulings.push((chosen.key.clone(), ruling));
        order.reverse();
    }
    let least = rulings.iter().map(|(_, ruling)| ruling.confidence).fold(1.0_f64, f64::min);
    let mut rulings = rulings.into_iter();
    match (rulings.next(), rulings.next()) {
        (Some((key, forth)), Some((again, _))) if key == again => {
            if least >= OPINION_PASSES {
                Ok(Settled { key, confidence: least, reasoning: forth.reasoning })
            } else {
                Err(Unsettled::Unsure(least))
            }
        }
        _ => Err(Unsettled::Swayed),
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::super::{Arbitration, Assessment};
    use super::*;
    use crate::request::OriginalTask;

    /// Rules by this, and so surely.
    struct Arbiter(fn(&[(&str, &str)]) -> usize, f64);

    #[async_trait]
    impl Judge for Arbiter {
        async fn similarity(&self, _: &str, _: &str) -> Result<f64, JudgeError> {
            Err(JudgeError::Unusable("it arbitrates and nothing else".to_owned()))
        }

        async fn best_phrasing(&self, _: &[&str]) -> Result<usize, JudgeError> {
            Err(JudgeError::Unusable("it arbitrates and nothing else".to_owned()))
        }

        async fn arbitrate(&self, _: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
            let chosen = (self.0)(answers);
            Ok(Arbitration { chosen, reasoning: "it is the longest".to_owned(), confidence: self.1 })
        }

        async fn assess(&self, _: &OriginalTask, _: &str) -> Result<Assessment, JudgeError> {
            Err(JudgeError::Unusable("it arbitrates and nothing else".to_owned()))
        }
    }

    fn longest(answers: &[(&str, &str)]) -> usize {
        let lengths = answers.iter().map(|(answer, _)| answer.len()).enumerate();
        lengths.max_by_key(|(_, length)| *length).map_or(0, |(at, _)| at)
    }

    fn contenders(answers: &[&str]) -> Vec<Contender> {
        let of = |answer: &&str| Contender {
            key: (*answer).to_owned(),
            answer: (*answer).to_owned(),
            rests_on: String::new(),
        };
        answers.iter().map(of).collect()
    }

    fn ruled(answers: &[&str], rule: fn(&[(&str, &str)]) -> usize, sure: f64) -> Result<Settled, Unsettled> {
        block_on(arbitrate("Why?", &contenders(answers), &Arbiter(rule, sure)))
    }

    /// seeds/verifier-block.md, "Scenario 2": arbitration at a confidence of .78; `aggregate_validation_results`: a model's
    /// opinion counts from .75 on.
    #[test]
    fn a_ruling_counts_from_075_on_and_in_both_orders() {
        let settled = ruled(&["a flood", "the long winter"], longest, 0.78).unwrap();
        assert_eq!((settled.key(), settled.confidence()), ("the long winter", 0.78));
        assert_eq!(settled.reasoning(), "it is the longest");
        assert!(ruled(&["a flood", "the long winter"], longest, 0.75).is_ok());
        assert_eq!(ruled(&["a flood", "the long winter"], longest, 0.74), Err(Unsettled::Unsure(0.74)));
        assert_eq!(ruled(&["a flood", "the long winter"], |_| 0, 1.0), Err(Unsettled::Swayed));
    }

    #[test]
    fn an_uncontested_answer_needs_no_arbiter_and_unoffered_ones_cannot_win() {
        assert_eq!(ruled(&["a flood", "a flood"], longest, 1.0), Err(Unsettled::NoContest(1)));
        let many: Vec<String> = (0..=MOST_CONTENDERS).map(|at| format!("reason {at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(ruled(&many, longest, 1.0), Err(Unsettled::NoContest(MOST_CONTENDERS + 1)));
        let chosen = ruled(&["a flood", "a fire"], |_| 2, 1.0).unwrap_err();
        assert!(chosen.to_string().contains("answer 3 of 2"), "{chosen}");
    }

    proptest! {
        #[test]
        fn the_ruling_does_not_depend_on_who_answered_first(
            answers in proptest::collection::hash_set("[a-c]{1,8}", 2..6), turns in 0_usize..6
        ) {
            let mut answers: Vec<String> = answers.into_iter().collect();
            let texts = |answers: &[String]| {
                let texts: Vec<&str> = answers.iter().map(String::as_str).collect();
                ruled(&texts, longest, 0.9)
            };
            let before = texts(&answers);
            let turned = turns % answers.len();
            answers.rotate_left(turned);
            prop_assert_eq!(before, texts(&answers));
        }
    }
}
