use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::executor::block_on;
use proptest::prelude::*;

use super::*;
use crate::normalise::ExpectedFormat;
use crate::request::{OriginalTask, TaskType};
use crate::testing::{compound_interest, eiffel_tower, haiku, node, request, task};

/// Holds texts of equal first letters for the same and prefers the longest; counts its calls.
#[derive(Default)]
struct Letters {
    similarities: AtomicUsize,
    arbitrations: AtomicUsize,
}

#[async_trait]
impl Judge for Letters {
    async fn similarity(&self, left: &str, right: &str) -> Result<f64, JudgeError> {
        self.similarities.fetch_add(1, Ordering::Relaxed);
        Ok(if left.chars().next() == right.chars().next() { 0.9 } else { 0.89 })
    }

    async fn best_phrasing(&self, answers: &[&str]) -> Result<usize, JudgeError> {
        (0..answers.len())
            .max_by_key(|&at| (answers[at].len(), std::cmp::Reverse(at)))
            .ok_or_else(|| JudgeError::Unusable("nothing to choose".to_owned()))
    }

    async fn arbitrate(&self, _: &str, answers: &[(&str, &str)]) -> Result<Arbitration, JudgeError> {
        self.arbitrations.fetch_add(1, Ordering::Relaxed);
        // The best imagery, in the document's words.
        let chosen = answers.iter().position(|(answer, _)| answer.contains("soul")).unwrap_or(0);
        Ok(Arbitration { chosen, reasoning: "best imagery and flow".to_owned(), confidence: 0.78 })
    }

    async fn assess(&self, _: &OriginalTask, _: &str) -> Result<Assessment, JudgeError> {
        Err(JudgeError::Unusable("not asked in these tests".to_owned()))
    }
}

fn words(answers: &[(&str, f64)]) -> ValidationRequest {
    let nodes = (0..).zip(answers).map(|(at, (text, weight))| node(&format!("n{at}"), text, 0.5, *weight));
    request(task("Why?", TaskType::FactualQa, ExpectedFormat::Explanation), nodes.collect())
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 5e-4
}

/// seeds/verifier-block.md, "Scenario 1: Math Calculation"; seed-arithmetic.md for agreement 69.7
/// (printed 76) and confidence .901 over A and B (printed .88).
#[test]
fn scenario_1_two_exact_of_three_win_and_the_rounded_answer_is_marked() {
    let consensus = block_on(build_consensus(&compound_interest(), None)).unwrap();
    assert_eq!(consensus.answer, "The compound interest is $6,288.95");
    assert_eq!(consensus.method, ConsensusMethod::ExactMatch);
    assert_eq!((consensus.agreeing.as_slice(), consensus.rounded.as_slice()), (&[0, 1][..], &[2][..]));
    assert!(near(consensus.strength.agreement_percentage, 66.667));
    assert!(near(consensus.strength.weighted_agreement, 69.697));
    assert_eq!(consensus.strength.dissenting_nodes, 1);
    assert!(near(consensus.confidence, 0.9009));
}

/// seeds/verifier-block.md, "Scenario 2: Creative Writing".
#[test]
fn scenario_2_creative_answers_go_to_arbitration() {
    let judge = Letters::default();
    let consensus = block_on(build_consensus(&haiku(), Some(&judge))).unwrap();
    assert_eq!(consensus.method, ConsensusMethod::LlmArbitration);
    assert!(consensus.answer.starts_with("Silicon thoughts"));
    assert!(near(consensus.confidence, 0.78));
    assert_eq!(consensus.agreeing, [0]);
    assert_eq!(judge.arbitrations.load(Ordering::Relaxed), 1);
    assert_eq!(block_on(build_consensus(&haiku(), None)), Err(NoConsensus::Disagreement(3)));
}

/// seeds/verifier-block.md, "Scenario 3: Conflicting Answers"; by seed-arithmetic.md an exact match,
/// since 66.7 % ≥ 60 %. Confidence .925 is printed as the weighted mean; it is .926.
#[test]
fn scenario_3_two_of_three_years_outvote_the_third() {
    let judge = Letters::default();
    let consensus = block_on(build_consensus(&eiffel_tower(), Some(&judge))).unwrap();
    assert!(consensus.answer.ends_with("1889"));
    assert_eq!(consensus.method, ConsensusMethod::ExactMatch);
    assert!(near(consensus.strength.weighted_agreement, 69.697));
    assert!((consensus.confidence - 0.925).abs() < 2e-3);
    assert_eq!(judge.similarities.load(Ordering::Relaxed), 0, "exact groups need no model");
}

/// seeds/verifier-block.md, "Consensus Builder": 0.90 joins, 60 % of the weight decides.
#[test]
fn meaning_joins_groups_and_weight_decides() {
    let judge = Letters::default();
    let request = words(&[("same thing", 1.0), ("so it is", 0.8), ("other", 1.2)]);
    let consensus = block_on(build_consensus(&request, Some(&judge))).unwrap();
    assert_eq!(consensus.method, ConsensusMethod::SemanticAggregation);
    assert_eq!((consensus.answer.as_str(), consensus.agreeing.as_slice()), ("same thing", &[0, 1][..]));
    assert_eq!(judge.similarities.load(Ordering::Relaxed), 3, "one question per pair of groups");
}

/// seeds/verifier-block.md, `build_consensus`: a group of meaning decides from 60 % of the weight on. Agreement is of all
/// answers and of all their weight; `aggregate_similar_answers` prints both of the group itself, which is always 100 %.
#[test]
fn a_group_of_meaning_decides_from_60_percent_of_the_weight_on() {
    let judge = Letters::default();
    let weighing = |second: f64| {
        let request = words(&[("same thing", 1.0), ("so it is", second), ("other", 1.2)]);
        block_on(build_consensus(&request, Some(&judge))).unwrap()
    };
    let (enough, too_little) = (weighing(0.8), weighing(0.79));
    assert_eq!(enough.method, ConsensusMethod::SemanticAggregation);
    assert!(near(enough.strength.weighted_agreement, 60.0));
    assert!(near(enough.strength.agreement_percentage, 66.667));
    assert_eq!(too_little.method, ConsensusMethod::WeightedMajority);
    assert!(near(too_little.strength.weighted_agreement, 59.866));
}

/// seeds/verifier-block.md, `aggregate_similar_answers`: the phrasing that the model chose, at the confidence of all who say it,
/// each by its weight: (.9 × 1 + .6 × .5) / 1.5.
#[test]
fn who_says_the_same_in_other_words_is_as_sure_as_all_of_them_by_weight() {
    let judge = Letters::default();
    let nodes = vec![
        node("a", "so it is", 0.9, 1.0),
        node("b", "same thing", 0.6, 0.5),
        node("c", "other", 0.3, 0.5),
    ];
    let asked = request(task("Why?", TaskType::FactualQa, ExpectedFormat::Explanation), nodes);
    let consensus = block_on(build_consensus(&asked, Some(&judge))).unwrap();
    assert_eq!(consensus.method, ConsensusMethod::SemanticAggregation);
    assert_eq!((consensus.answer.as_str(), consensus.agreeing.as_slice()), ("same thing", &[0, 1][..]));
    assert!(near(consensus.confidence, 0.8));
}

/// seeds/verifier-block.md, "Verification Result", `consensus_method`, and `aggregate_similar_answers` for a single answer, on
/// which all agree. Its `exact_match_unanimous` is that of all; where 60 % are enough we say `exact_match`.
#[test]
fn ways_to_a_consensus_have_the_documents_names() {
    let of = |answers: &[(&str, f64)]| block_on(build_consensus(&words(answers), None)).unwrap();
    let alone = of(&[("apples", 1.0)]);
    assert_eq!(alone.method, ConsensusMethod::SingleAnswer);
    assert!(near(alone.strength.agreement_percentage, 100.0) && near(alone.confidence, 0.5));
    assert_eq!(of(&[("apples", 1.0), ("apples", 0.2)]).method, ConsensusMethod::ExactMatchUnanimous);
    for (method, name) in [
        (ConsensusMethod::SingleAnswer, "single_answer"),
        (ConsensusMethod::ExactMatchUnanimous, "exact_match_unanimous"),
        (ConsensusMethod::ExactMatch, "exact_match"),
        (ConsensusMethod::SemanticAggregation, "semantic_aggregation"),
        (ConsensusMethod::WeightedMajority, "weighted_majority"),
        (ConsensusMethod::LlmArbitration, "llm_arbitration"),
    ] {
        assert_eq!(serde_json::to_value(method).unwrap(), name);
    }
}

/// seeds/verifier-block.md, `build_consensus`: exact matches decide from 60 % of the answers on, whatever they weigh.
#[test]
fn three_of_five_equal_answers_are_an_exact_match_but_four_of_seven_not() {
    let judge = Letters::default();
    let rest = [("bananas", 2.0), ("cherries", 1.0)];
    let three_of_five = [vec![("apples", 0.1); 3], rest.to_vec()].concat();
    let consensus = block_on(build_consensus(&words(&three_of_five), Some(&judge))).unwrap();
    assert_eq!((consensus.method, consensus.answer.as_str()), (ConsensusMethod::ExactMatch, "apples"));
    assert!(near(consensus.strength.agreement_percentage, 60.0));
    assert_eq!(judge.similarities.load(Ordering::Relaxed), 0);
    let rest = [("bananas", 1.0), ("cherries", 1.0), ("damsons", 1.0)];
    let four_of_seven = [vec![("apples", 1.0); 4], rest.to_vec()].concat();
    let consensus = block_on(build_consensus(&words(&four_of_seven), Some(&judge))).unwrap();
    assert_eq!((consensus.method, consensus.answer.as_str()), (ConsensusMethod::WeightedMajority, "apples"));
    assert!(judge.similarities.load(Ordering::Relaxed) > 0, "57 % is for the model to look at first");
}

/// seeds/verifier-block.md, `build_consensus`: a weighted majority from .5 on; by seed-arithmetic.md strictly more than that,
/// and ties go to arbitration.
#[test]
fn more_than_half_of_the_weight_is_a_majority_and_exactly_half_is_not() {
    let judge = Letters::default();
    let decided = words(&[("apples", 1.1), ("pears", 1.0)]);
    let consensus = block_on(build_consensus(&decided, Some(&judge))).unwrap();
    assert_eq!((consensus.method, consensus.answer.as_str()), (ConsensusMethod::WeightedMajority, "apples"));
    let tied = words(&[("apples", 1.0), ("pears", 1.0)]);
    let consensus = block_on(build_consensus(&tied, Some(&judge))).unwrap();
    assert_eq!(consensus.method, ConsensusMethod::LlmArbitration);
}

/// seed-arithmetic.md, rules: numbers are parsed, and what differs in one is not for a model to join.
#[test]
fn different_numbers_are_never_put_before_a_model() {
    let judge = Letters::default();
    let request = words(&[("it is 42", 1.0), ("it is 43", 1.0), ("it is 44", 1.0)]);
    block_on(build_consensus(&request, Some(&judge))).unwrap();
    assert_eq!(judge.similarities.load(Ordering::Relaxed), 0);
}

#[test]
fn no_answers_are_no_consensus_and_weights_that_are_not_numbers_count_0() {
    assert_eq!(block_on(build_consensus(&words(&[]), None)), Err(NoConsensus::NoAnswers));
    let odd = words(&[("apples", f64::NAN), ("pears", 1.0), ("plums", f64::NEG_INFINITY)]);
    assert_eq!(block_on(build_consensus(&odd, None)).unwrap().answer, "pears");
    let weightless = words(&[("a", 0.0), ("b", 0.0)]);
    assert!(block_on(build_consensus(&weightless, None)).is_err());
}

fn answers() -> impl Strategy<Value = Vec<(String, f64, f64)>> {
    let text = prop_oneof![
        "[ab] thing",
        "[12]",
        "\\$[12]",
        "[12] EUR",
        "it is [12]",
        Just("1.4".to_owned()),
        Just("about 1".to_owned())
    ];
    proptest::collection::vec((text, 0.5_f64..1.5, 0.0_f64..1.0), 1..7)
}

proptest! {
    /// seed-arithmetic.md, rules: semantic groups are complete-link over a canonical order, not the order of arrival.
    #[test]
    fn consensus_does_not_depend_on_the_order_of_replicas(
        answers in answers(), turns in 0_usize..7, flip in any::<bool>(), rounding in any::<bool>()
    ) {
        let nodes: Vec<_> = (0..)
            .zip(&answers)
            .map(|(at, (text, weight, confidence))| node(&format!("n{at}"), text, *confidence, *weight))
            .collect();
        let mut asked = task("Which?", TaskType::FactualQa, ExpectedFormat::Explanation);
        asked.rounding_allowed = Some(rounding);
        let mut shuffled = nodes.clone();
        shuffled.rotate_left(turns % nodes.len());
        if flip {
            shuffled.reverse();
        }
        let judge = Letters::default();
        let names = |request: &ValidationRequest, positions: &[usize]| {
            let mut names: Vec<_> =
                positions.iter().map(|&at| request.node_answers[at].node_id.clone()).collect();
            names.sort();
            names
        };
        let (one, other) = (request(asked.clone(), nodes), request(asked, shuffled));
        let outcome = |request: &ValidationRequest| {
            block_on(build_consensus(request, Some(&judge))).map(|consensus| {
                (
                    consensus.answer.clone(),
                    consensus.method,
                    names(request, &consensus.agreeing),
                    names(request, &consensus.rounded),
                )
            })
        };
        prop_assert_eq!(outcome(&one), outcome(&other));
    }

    #[test]
    fn no_answers_panic(texts in proptest::collection::vec("\\PC{0,60}", 0..5)) {
        let nodes = (0..).zip(&texts).map(|(at, text)| node(&format!("n{at}"), text, 0.5, 1.0)).collect();
        let asked = task("Which?", TaskType::Extraction, ExpectedFormat::Explanation);
        let _ = block_on(build_consensus(&request(asked, nodes), Some(&Letters::default())));
    }
}
