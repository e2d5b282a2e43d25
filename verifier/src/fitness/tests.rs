use proptest::prelude::*;

use super::*;
use crate::consensus::exact_consensus;
use crate::testing::{compound_interest, eiffel_tower, haiku};
use crate::validation::{Method, ValidationOutcome};

fn passed(method: Method) -> ValidationOutcome {
    ValidationOutcome {
        verification_passed: Some(true),
        correctness: Some(1.0),
        primary_method: method,
        findings: Vec::new(),
    }
}

fn rounded_to(digits: i32, value: f64) -> f64 {
    (value * 10_f64.powi(digits)).round() / 10_f64.powi(digits)
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

/// seeds/verifier-block.md, "Scenario 1"; figures of seed-arithmetic.md: node A .94 and 58 credits
/// (printed .92 / 48; .94 in "Verification Result"), B .87 and 44 (.865 / 46; .875 / 42), C .83 (as printed; .825 / 35 there;
/// its 42 credits are 37 by the formula, and 2.3 s is average, not slow).
#[test]
fn scenario_1_fitness_and_credits_follow_the_formulas() {
    let request = compound_interest();
    let consensus = exact_consensus(&request).unwrap();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::ProgrammaticExecution));
    let figures: Vec<_> =
        updates.iter().map(|update| (rounded_to(3, update.new_fitness), update.credits)).collect();
    assert_eq!(figures, [(0.94, 58), (0.87, 44), (0.83, 37)]);
    let [a, b, c] = &updates[..] else { panic!("three nodes") };
    assert_eq!(a.evaluation.reasoning_quality, ReasoningQuality::Excellent);
    assert_eq!(a.evaluation.latency_rating, LatencyRating::Fast);
    assert_eq!(a.evaluation.confidence_calibration, ConfidenceCalibration::WellCalibrated);
    assert!(near(a.delta.total(), 0.07));
    assert_eq!(b.evaluation.reasoning_quality, ReasoningQuality::Good);
    assert!(near(b.delta.total(), 0.05));
    assert_eq!(c.evaluation.verdict, AnswerVerdict::Rounded);
    assert_eq!(c.evaluation.reasoning_quality, ReasoningQuality::Minimal);
    assert_eq!(a.feedback, "Excellent work! Correct answer with clear reasoning and fast execution.");
    assert_eq!(b.feedback, "Correct answer! Consider providing more detailed reasoning.");
    assert!(c.feedback.starts_with("Answer rounded but acceptable."));
    let cluster = cluster_feedback(&consensus, 0.95, &updates);
    assert_eq!(cluster.overall_performance, Performance::Excellent);
    assert_eq!(
        serde_json::to_value(cluster.overall_performance).unwrap(),
        cluster.overall_performance.name()
    );
    // Printed .91 and .88: the three new fitnesses have a mean of .88, and two exact answers and the rounded one are all
    // of the weight. The quality of what was agreed is the caller's, .95 as printed.
    assert!(near(cluster.cluster_quality.consensus_quality, 0.95));
    assert!(near(rounded_to(2, cluster.cluster_quality.average_node_quality), 0.88));
    assert!(near(cluster.cluster_quality.consistency, 1.0));
    assert_eq!(
        cluster.recommendations,
        ["Maintain current specialization focus", "Consider adding more detailed reasoning to all answers"]
    );
}

/// seeds/verifier-block.md, "Verification Result", part by part. A: +.05, +.01, +.01 and 0, as printed. B: +.045 for a good
/// answer by `calculate_fitness_delta` (printed +.05, by which it would be .875). C: 2.3 s are average (printed "slow", −.005 and
/// .825). The latencies are 1.8, 2.1 and 2.3 s, the reasonings excellent, good and minimal.
#[test]
fn the_parts_of_the_result_example_follow_the_formulas() {
    let request = compound_interest();
    let consensus = exact_consensus(&request).unwrap();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::ProgrammaticExecution));
    let wanted =
        [(0.87, [0.05, 0.01, 0.01, 0.0]), (0.82, [0.045, 0.0, 0.005, 0.0]), (0.80, [0.03, 0.0, 0.0, 0.0])];
    assert_eq!(updates.len(), wanted.len());
    for (update, (old, parts)) in updates.iter().zip(wanted) {
        let delta = &update.delta;
        let found =
            [delta.correctness_reward, delta.speed_bonus, delta.reasoning_bonus, delta.confidence_penalty];
        assert!(near(update.old_fitness, old));
        assert!(found.iter().zip(parts).all(|(found, part)| near(*found, part)), "{found:?}");
    }
    assert_eq!(
        updates[2].feedback,
        "Answer rounded but acceptable. Try to provide exact values and improve response time."
    );
}

/// seeds/verifier-block.md, "Verification Result", `verification_outcome`, and `evaluate_node_answer`: the words for what an answer
/// was.
#[test]
fn ratings_have_the_documents_names() {
    use ConfidenceCalibration::{Acceptable, AppropriatelyUncertain, Overconfident, WellCalibrated};
    assert_eq!(
        serde_json::to_value([
            ReasoningQuality::Excellent,
            ReasoningQuality::Good,
            ReasoningQuality::Minimal
        ])
        .unwrap(),
        serde_json::json!(["excellent", "good", "minimal"])
    );
    assert_eq!(
        serde_json::to_value([LatencyRating::Fast, LatencyRating::Average, LatencyRating::Slow]).unwrap(),
        serde_json::json!(["fast", "average", "slow"])
    );
    assert_eq!(
        serde_json::to_value([WellCalibrated, Overconfident, AppropriatelyUncertain, Acceptable]).unwrap(),
        serde_json::json!(["well_calibrated", "overconfident", "appropriately_uncertain", "acceptable"])
    );
}

/// seeds/verifier-block.md, "Cluster-level Feedback": the document's three figures are of one replica set; of several
/// they are means, each answer weighing the same for the nodes, each set for the rest.
#[test]
fn several_replica_sets_are_told_what_they_are_on_the_whole() {
    let right = evaluation(AnswerVerdict::Correct, ReasoningQuality::Excellent, 1.8, Some(0.9));
    let wrong = evaluation(AnswerVerdict::Wrong, ReasoningQuality::Minimal, 9.0, Some(0.9));
    let mut tally = ClusterTally::default();
    assert_eq!(tally.feedback(), None);
    tally.take(1.0, 1.0, &[(right, 0.95), (right, 0.95)]);
    let first = tally.feedback().unwrap();
    assert_eq!(first.overall_performance, Performance::Excellent);
    assert_eq!(first.recommendations, ["Maintain current specialization focus"]);
    tally.take(0.5, 0.5, &[(right, 0.95), (wrong, 0.35), (wrong, 0.35), (wrong, 0.35)]);
    let both = tally.feedback().unwrap();
    let quality = both.cluster_quality;
    assert!(near(quality.consensus_quality, 0.75) && near(quality.consistency, 0.75));
    assert!(near(quality.average_node_quality, 0.65), "3 of .95 and 3 of .35");
    assert_eq!((both.overall_performance, tally.sets()), (Performance::Good, 2));
    assert_eq!(both.recommendations, ["Ask more replicas or other providers: too many answers were wrong"]);
    tally.take(f64::NAN, 7.0, &[(wrong, f64::INFINITY)]);
    let quality = tally.feedback().unwrap().cluster_quality;
    assert!(
        near(quality.consensus_quality, 0.5) && near(quality.consistency, 2.5 / 3.0),
        "within its bounds"
    );
}

/// seed-arithmetic.md, "scenario 1, node C": a strict string mismatch would make it .77 and 16.
#[test]
fn scenario_1_node_c_would_be_wrong_if_rounding_were_refused() {
    let mut request = compound_interest();
    request.original_task.rounding_allowed = Some(false);
    let consensus = exact_consensus(&request).unwrap();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::GroundTruth));
    assert_eq!((rounded_to(3, updates[2].new_fitness), updates[2].credits), (0.77, 16));
}

/// seeds/verifier-block.md, "Scenario 2": unselected creative answers get 0 and are unpaid
/// (seed-arithmetic.md; printed +.01 and 36 / 35 credits). The chosen one's .85 → .90 and 47 credits are printed without its
/// reasoning and latency: good and average give .90 and 45.
#[test]
fn scenario_2_creative_work_that_was_not_chosen_changes_nothing() {
    let mut request = haiku();
    "Three lines around one image".clone_into(&mut request.node_answers[0].reasoning);
    let mut consensus = exact_consensus(&compound_interest()).unwrap();
    consensus.method = ConsensusMethod::LlmArbitration;
    consensus.agreeing = vec![0];
    consensus.rounded.clear();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::LlmValidation));
    let fitness: Vec<f64> = updates.iter().map(|update| update.new_fitness).collect();
    assert!(near(fitness[1], 0.83) && near(fitness[2], 0.75));
    assert_eq!((updates[1].credits, updates[2].credits), (0, 0));
    assert_eq!((rounded_to(3, fitness[0]), updates[0].credits), (0.90, 45));
}

/// seeds/verifier-block.md, "Scenario 3"; seed-arithmetic.md: good and average give 45 and 44
/// (printed 46 / 45); the wrong node falls by .03 to .76 and gets 16, explained or not (printed 15).
#[test]
fn scenario_3_the_majority_rises_and_the_wrong_node_falls() {
    let mut request = eiffel_tower();
    for node in &mut request.node_answers {
        "The date of completion is well documented".clone_into(&mut node.reasoning);
    }
    let consensus = exact_consensus(&request).unwrap();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::GroundTruth));
    let fitness: Vec<_> = updates.iter().map(|update| rounded_to(3, update.new_fitness)).collect();
    assert_eq!(fitness[..2], [0.93, 0.87]);
    assert_eq!((updates[0].credits, updates[1].credits), (45, 44));
    assert!(near(updates[2].delta.correctness_reward, -0.03));
    // The reasoning is as good as the others': the formula adds its bonus to a wrong answer too.
    assert!(near(updates[2].new_fitness, 0.765));
    assert_eq!(updates[2].credits, 16);
    let unexplained = evaluation(AnswerVerdict::Wrong, ReasoningQuality::Minimal, 2.5, Some(0.85));
    let mut score = Score { fitness: 0.79, credits: 0 };
    assert_eq!((score.take(&unexplained).1, rounded_to(3, score.fitness)), (16, 0.76));
    assert_eq!(updates[2].feedback, "Incorrect answer. Review your approach and verify calculations.");
}

/// seed-arithmetic.md, "result example, credits": its own factors give 45.9 / 38.0 / 32.1.
#[test]
fn credits_are_the_product_of_their_factors() {
    let product =
        |quality, speed, fitness| rounded_to(1, CreditFactors { quality, speed, fitness }.product());
    assert!(near(product(1.3, 1.1, 1.07), 45.9));
    assert!(near(product(1.2, 1.0, 1.055), 38.0));
    assert!(near(product(1.1, 0.95, 1.025), 32.1));
}

/// seeds/verifier-block.md, "Economic Alignment": multipliers of 1.5, 1.3, 1.1 and 0.5, of 1.1, 1.0 and 0.95, and of 0.8 to
/// 1.2; "Correct + Fast + High Fitness = 48", "Correct + Slow + Medium Fitness = 38", "Wrong answer = 15". The document
/// names no fitness for these; well explained, they are those of .80, .60 and .50.
#[test]
fn credits_pay_for_being_right_fast_and_fit() {
    let of =
        |verdict, quality, seconds, fitness| credits(&evaluation(verdict, quality, seconds, None), fitness);
    assert_eq!(of(AnswerVerdict::Correct, ReasoningQuality::Good, 1.8, 0.80), 48);
    assert_eq!(of(AnswerVerdict::Correct, ReasoningQuality::Good, 3.5, 0.60), 38);
    assert_eq!(of(AnswerVerdict::Wrong, ReasoningQuality::Minimal, 2.5, 0.50), 15);
    let factors = |verdict, quality, seconds, fitness| {
        let CreditFactors { quality, speed, fitness } =
            CreditFactors::of(&evaluation(verdict, quality, seconds, None), fitness);
        [quality, speed, fitness]
    };
    let near_all = |found: [f64; 3], wanted: [f64; 3]| found.iter().zip(wanted).all(|(a, b)| near(*a, b));
    let (right, wrong) = (AnswerVerdict::Correct, AnswerVerdict::Wrong);
    assert!(near_all(factors(right, ReasoningQuality::Excellent, 1.99, 1.0), [1.5, 1.1, 1.2]));
    assert!(near_all(factors(right, ReasoningQuality::Good, 2.0, 0.5), [1.3, 1.0, 1.0]));
    assert!(near_all(factors(right, ReasoningQuality::Minimal, 3.5, 0.0), [1.1, 0.95, 0.8]));
    assert!(near_all(factors(wrong, ReasoningQuality::Excellent, 3.49, 0.25), [0.5, 1.0, 0.9]));
}

/// seeds/verifier-block.md, "Fitness-Driven Evolution": best +0.07, wrong −0.03, overconfident −0.01
/// more; "slow" is −.005 (seed-arithmetic.md), by which "Correct but slow → +0.03" is .025, or .045 where it is well explained.
#[test]
fn the_parts_of_a_change_have_the_documents_bounds() {
    let evaluation = |verdict, reasoning_quality, latency_rating, confidence_calibration| Evaluation {
        verdict,
        reasoning_quality,
        latency_rating,
        confidence_calibration,
    };
    let best = evaluation(
        AnswerVerdict::Correct,
        ReasoningQuality::Excellent,
        LatencyRating::Fast,
        ConfidenceCalibration::Acceptable,
    );
    let slow = evaluation(
        AnswerVerdict::Correct,
        ReasoningQuality::Minimal,
        LatencyRating::Slow,
        ConfidenceCalibration::Acceptable,
    );
    let wrong = evaluation(
        AnswerVerdict::Wrong,
        ReasoningQuality::Minimal,
        LatencyRating::Average,
        ConfidenceCalibration::Acceptable,
    );
    let sure = Evaluation { confidence_calibration: ConfidenceCalibration::Overconfident, ..wrong };
    assert!(near(delta(&best).total(), 0.07));
    assert!(near(delta(&slow).total(), 0.025));
    let explained = |quality, latency| {
        delta(&evaluation(AnswerVerdict::Correct, quality, latency, ConfidenceCalibration::Acceptable))
            .total()
    };
    assert!(near(explained(ReasoningQuality::Good, LatencyRating::Slow), 0.045));
    assert!(near(explained(ReasoningQuality::Good, LatencyRating::Average), 0.05));
    assert!(near(explained(ReasoningQuality::Excellent, LatencyRating::Slow), 0.055));
    assert!(near(delta(&wrong).total(), -0.03));
    assert!(near(delta(&sure).total(), -0.04));
}

/// seeds/verifier-block.md, `evaluate_node_answer`: fast under 2.0 s, average under 3.5 s; over .85 one is sure, under .70
/// unsure.
#[test]
fn an_answer_is_rated_by_the_documents_bounds() {
    use ConfidenceCalibration::{Acceptable, AppropriatelyUncertain, Overconfident, WellCalibrated};
    let rated = |verdict, seconds, confidence| {
        let found = evaluation(verdict, ReasoningQuality::Good, seconds, confidence);
        (found.latency_rating, found.confidence_calibration)
    };
    let (right, wrong) = (AnswerVerdict::Correct, AnswerVerdict::Wrong);
    assert_eq!(rated(right, 1.999, Some(0.851)), (LatencyRating::Fast, WellCalibrated));
    assert_eq!(rated(right, 2.0, Some(0.85)), (LatencyRating::Average, Acceptable));
    assert_eq!(rated(right, 3.499, Some(0.69)), (LatencyRating::Average, Acceptable));
    assert_eq!(rated(wrong, 3.5, Some(0.851)), (LatencyRating::Slow, Overconfident));
    assert_eq!(rated(wrong, f64::NAN, Some(0.85)), (LatencyRating::Slow, Acceptable));
    assert_eq!(rated(wrong, 0.0, Some(0.70)), (LatencyRating::Fast, Acceptable));
    assert_eq!(rated(wrong, 0.0, Some(0.699)), (LatencyRating::Fast, AppropriatelyUncertain));
    assert_eq!(rated(wrong, 0.0, None), (LatencyRating::Fast, Acceptable));
}

/// seeds/verifier-block.md, `generate_feedback`: its five sentences, word for word. Its first one praises the speed, too:
/// who was not fast is not told so.
#[test]
fn a_provider_is_told_what_the_document_has_for_it() {
    let told = |verdict, quality, seconds, confidence| {
        node_feedback(&evaluation(verdict, quality, seconds, Some(confidence)))
    };
    let (right, wrong) = (AnswerVerdict::Correct, AnswerVerdict::Wrong);
    let excellent = ReasoningQuality::Excellent;
    assert_eq!(
        told(right, excellent, 1.8, 0.9),
        "Excellent work! Correct answer with clear reasoning and fast execution."
    );
    assert_eq!(told(right, excellent, 2.8, 0.9), "Excellent work! Correct answer with clear reasoning.");
    assert_eq!(
        told(right, ReasoningQuality::Good, 1.8, 0.9),
        "Correct answer! Consider providing more detailed reasoning."
    );
    assert_eq!(
        told(right, ReasoningQuality::Minimal, 1.8, 0.9),
        "Correct answer. Try to explain your reasoning more clearly."
    );
    assert_eq!(
        told(wrong, excellent, 1.8, 0.9),
        "Incorrect answer. Be more careful and lower confidence when uncertain."
    );
    assert_eq!(
        told(wrong, excellent, 1.8, 0.5),
        "Incorrect answer. Review your approach and verify calculations."
    );
}

/// seed-arithmetic.md, rules: `answer_correct` uses the threshold of the method that validated it, not the .90 of
/// `evaluate_node_answer`: a model's .75 that passes an answer makes it correct.
#[test]
fn what_passes_validation_counts_as_correct() {
    let request = compound_interest();
    let consensus = exact_consensus(&request).unwrap();
    let by_model = ValidationOutcome { correctness: Some(0.75), ..passed(Method::LlmValidation) };
    let updates = updates(&request.node_answers, &consensus, &by_model);
    assert_eq!(updates[0].evaluation.verdict, AnswerVerdict::Correct);
}

#[test]
fn a_rounded_answer_counts_by_its_weight_in_what_a_replica_set_is_told() {
    let mut request = compound_interest();
    request.node_answers[2].ensemble_weight = 0.2;
    request.node_answers.push(crate::testing::node("d", "It is $7,000.00", 0.9, 2.5));
    request.requirements.consensus_threshold = 0.5;
    let consensus = exact_consensus(&request).unwrap();
    let updates = updates(&request.node_answers, &consensus, &passed(Method::ProgrammaticExecution));
    let cluster = cluster_feedback(&consensus, 1.0, &updates);
    assert!(near(cluster.cluster_quality.consistency, 0.5), "2.3 and 0.2 of 5");
}

#[test]
fn an_answer_that_failed_validation_is_wrong_for_all_who_gave_it() {
    let request = compound_interest();
    let consensus = exact_consensus(&request).unwrap();
    let failed = ValidationOutcome {
        verification_passed: Some(false),
        correctness: Some(0.0),
        ..passed(Method::ProgrammaticExecution)
    };
    let updates = updates(&request.node_answers, &consensus, &failed);
    assert!(updates.iter().all(|update| update.evaluation.verdict == AnswerVerdict::Wrong));
    assert!(updates[0].feedback.contains("lower confidence"));
}

proptest! {
    #[test]
    fn fitness_and_credits_stay_within_their_bounds(
        fitness in any::<f64>(), confidence in any::<f64>(), latency in any::<f64>(),
        reasoning in "\\PC{0,40}", verdict in 0_usize..4
    ) {
        let mut node = compound_interest().node_answers.remove(0);
        (node.node_fitness, node.confidence, node.latency_seconds) = (fitness, confidence, latency);
        node.reasoning = reasoning;
        let verdict = [
            AnswerVerdict::Correct, AnswerVerdict::Rounded, AnswerVerdict::Wrong, AnswerVerdict::NotChosen,
        ][verdict];
        let update = update(&node, verdict);
        prop_assert!((0.0..=1.0).contains(&update.new_fitness));
        prop_assert!(update.credits <= 59);
        prop_assert!((-0.045..=0.07 + 1e-12).contains(&update.delta.total()));
    }
}
