//! Answers in words that mean the same, for callers that compare replicas by themselves
//! (seeds/verifier-block.md, `group_by_semantic_similarity`).

use super::groups::linked;
use super::judge::{Judge, JudgeError};
use super::{SAME_MEANING, equal_answers};
use crate::normalise::{Agreement, ExpectedFormat, Normalised, Rounding, agreement};

/// Answers as groups that mean the same.
#[derive(Debug, Clone, PartialEq)]
pub struct MeaningGroups {
    /// Positions, ascending within a group; the order of the groups is that of their spelling.
    pub groups: Vec<Vec<usize>>,
    /// Why the judge could not say it of a pair, the first time that it could not. What it does not say does
    /// not mean the same.
    pub failed: Option<JudgeError>,
}

/// Groups answers by what they mean, as the second step of the consensus does: equal values are one group
/// without any model, different values are never put before one, and of the rest the judge is asked about one
/// pair for two groups. Which answer came first does not matter.
pub async fn meanings(answers: &[&str], judge: &dyn Judge) -> MeaningGroups {
    let normalised: Vec<Normalised> =
        answers.iter().map(|answer| Normalised::of(answer, ExpectedFormat::Explanation)).collect();
    let equal = equal_answers(normalised.clone());
    // One of each group speaks for it: the first by spelling, not the first to answer.
    let spokesmen: Vec<usize> =
        equal.iter().filter_map(|group| group.iter().copied().min_by_key(|&at| answers[at])).collect();
    let mut similar = vec![vec![false; spokesmen.len()]; spokesmen.len()];
    let mut failed = None;
    for (left, row) in similar.iter_mut().enumerate() {
        for (right, similar) in row.iter_mut().enumerate().skip(left + 1) {
            let (one, other) = (spokesmen[left], spokesmen[right]);
            *similar = match agreement(&normalised[one], &normalised[other], Rounding::Refused) {
                Agreement::Same | Agreement::LeftIsRounded | Agreement::RightIsRounded => true,
                Agreement::Different => false,
                Agreement::Undecided => match judge.similarity(answers[one], answers[other]).await {
                    Ok(similarity) => similarity >= SAME_MEANING,
                    Err(error) => {
                        failed.get_or_insert(error);
                        false
                    }
                },
            };
        }
    }
    let groups = linked(equal.len(), |left, right| similar[left][right])
        .into_iter()
        .map(|joined| {
            let mut members: Vec<usize> =
                joined.into_iter().flat_map(|group| equal[group].iter().copied()).collect();
            members.sort_unstable();
            members
        })
        .collect();
    MeaningGroups { groups, failed }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::super::{Arbitration, Assessment};
    use super::*;
    use crate::request::OriginalTask;

    /// Holds texts that begin alike for the same, fails on "?", and keeps the pairs that it was asked about.
    #[derive(Default)]
    struct Beginnings(Mutex<Vec<(String, String)>>);

    #[async_trait]
    impl Judge for Beginnings {
        async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
            self.0.lock().unwrap().push((left.to_owned(), right.to_owned()));
            if left.contains('?') || right.contains('?') {
                return Err(JudgeError::Model("it is gone".to_owned()));
            }
            Ok(if left.chars().next() == right.chars().next() { 0.9 } else { 0.89 })
        }

        async fn best_phrasing(&self, _: &[&str]) -> Result<usize, JudgeError> {
            Err(JudgeError::Unusable("it compares and nothing else".to_owned()))
        }

        async fn arbitrate(&self, _: &str, _: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
            Err(JudgeError::Unusable("it compares and nothing else".to_owned()))
        }

        async fn assess(&self, _: &OriginalTask, _: &str) -> Result<Assessment, JudgeError> {
            Err(JudgeError::Unusable("it compares and nothing else".to_owned()))
        }
    }

    fn grouped(answers: &[&str]) -> (Vec<Vec<usize>>, usize) {
        let judge = Beginnings::default();
        let found = block_on(meanings(answers, &judge));
        let asked = judge.0.lock().unwrap().len();
        (found.groups, asked)
    }

    /// seeds/verifier-block.md, `group_by_semantic_similarity`: 0.90 joins, 0.89 does not.
    #[test]
    fn the_threshold_of_the_document_joins_answers_in_other_words() {
        let (mut groups, asked) =
            grouped(&["the bank refused", "they had no cover", "the card was declined"]);
        groups.sort();
        assert_eq!((groups, asked), (vec![vec![0, 1, 2]], 3));
        let (groups, _) = grouped(&["the bank refused", "a bank refused"]);
        assert_eq!(groups.len(), 2);
    }

    #[test]
    fn values_are_compared_by_code_and_equal_answers_are_asked_about_once() {
        assert_eq!(grouped(&["the total is 42", "the sum is 43"]), (vec![vec![1], vec![0]], 0));
        assert_eq!(grouped(&["$6,288.95", "6288.95 USD"]), (vec![vec![0, 1]], 0));
        let (groups, asked) = grouped(&["mill closed", "Mill  closed.", "a flood", "mill closed"]);
        assert_eq!((groups.iter().map(Vec::len).max(), asked), (Some(3), 1), "one pair for two groups");
    }

    #[test]
    fn a_judge_that_fails_joins_nothing_and_it_is_said() {
        let found = block_on(meanings(&["why so?", "what now"], &Beginnings::default()));
        assert_eq!(found.groups.len(), 2);
        assert!(found.failed.is_some_and(|why| why.to_string().contains("it is gone")));
    }

    proptest! {
        #[test]
        fn the_groups_do_not_depend_on_who_answered_first(
            answers in proptest::collection::vec("[ab][cd]? (one|two|3)?", 1..6), turns in 0_usize..6
        ) {
            let in_words = |answers: &[String]| {
                let texts: Vec<&str> = answers.iter().map(String::as_str).collect();
                let mut groups: Vec<Vec<String>> = grouped(&texts)
                    .0
                    .into_iter()
                    .map(|group| {
                        let mut group: Vec<String> = group.iter().map(|&at| answers[at].clone()).collect();
                        group.sort();
                        group
                    })
                    .collect();
                groups.sort();
                groups
            };
            let mut turned = answers.clone();
            turned.rotate_left(turns % answers.len());
            prop_assert_eq!(in_words(&answers), in_words(&turned));
        }
    }
}
