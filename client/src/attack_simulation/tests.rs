//! The simulated swarm on few subtasks: what holds there holds on many.

use frlm_verifier::{AdaptiveConfig, VerificationPolicy};

use super::cell::{Cell, Tally, run};
use super::of_records;
use super::swarm::Mix;

const SUBTASKS: usize = 1_500;

fn cell(policy: VerificationPolicy, mix: Mix, share: f64, error_rate: f64) -> Cell {
    Cell { policy, mix, share, error_rate, subtasks: SUBTASKS, seed: 7 }
}

fn adaptive() -> VerificationPolicy {
    VerificationPolicy::Adaptive(AdaptiveConfig::default())
}

fn right(tally: &Tally) -> f64 {
    tally.right as f64 / SUBTASKS as f64
}

#[test]
fn without_liars_and_errors_everything_is_right_under_every_policy() {
    for policy in [VerificationPolicy::None, VerificationPolicy::TWO_OF_THREE, adaptive()] {
        let tally = run(&cell(policy, Mix::Independent, 0.0, 0.0));
        assert_eq!((tally.right, tally.honest_out), (SUBTASKS, 0));
    }
}

#[test]
fn without_verification_lies_are_accepted_and_adaptive_replicas_find_them() {
    let unverified = run(&cell(VerificationPolicy::None, Mix::Independent, 0.3, 0.01));
    assert!(right(&unverified) < 0.85, "{unverified:?}");
    let believed = run(&cell(adaptive(), Mix::Independent, 0.3, 0.01));
    assert!(right(&believed) > 0.98, "{believed:?}");
    assert!(believed.liars_out * 2 > believed.liars, "{believed:?}");
    assert!(believed.honest_out <= 2, "{believed:?}");
    assert!(believed.false_accepts * 10 < unverified.false_accepts, "{believed:?}");
}

#[test]
fn an_honest_validator_turns_lies_down_and_a_schema_does_not() {
    let schema = serde_json::json!({"type": "number", "minimum": 1, "maximum": 100_000});
    let objective = run(&cell(VerificationPolicy::Objective { schema }, Mix::Independent, 0.3, 0.01));
    let none = run(&cell(VerificationPolicy::None, Mix::Independent, 0.3, 0.01));
    assert!(right(&objective) < 0.90, "most lies have the right form: {objective:?}");
    assert!(objective.false_accepts <= none.false_accepts);
    let policy = VerificationPolicy::Validated { validator: "honest".to_owned() };
    let validated = run(&cell(policy, Mix::Independent, 0.3, 0.01));
    assert!(right(&validated) > 0.95, "{validated:?}");
    assert!(validated.false_accepts * 50 < SUBTASKS, "both must err alike: {validated:?}");
    assert!(validated.validations >= SUBTASKS && validated.jobs >= 2 * SUBTASKS);
}

#[test]
fn gold_tasks_come_from_what_code_knows_and_only_false_answers_fail_them() {
    let honest = run(&cell(adaptive(), Mix::Independent, 0.0, 0.0));
    // One in ten of a half of 1,500.
    assert!((40..120).contains(&honest.gold_tasks) && honest.gold_failed == 0, "{honest:?}");
    let lied_to = run(&cell(adaptive(), Mix::Independent, 0.3, 0.0));
    assert!(lied_to.gold_failed > 0, "{lied_to:?}");
}

#[test]
fn every_subtask_is_counted_once_and_a_cell_is_the_same_every_time() {
    let cell = cell(adaptive(), Mix::Clique, 0.3, 0.02);
    let (one, other) = (run(&cell), run(&cell));
    assert_eq!(one.right + one.false_accepts + one.false_rejects + one.unanswered, SUBTASKS);
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}

#[test]
fn a_simulation_runs_every_policy_against_both_attacks_repeatably() {
    let (one, other) = (of_records(60, 3).unwrap(), of_records(60, 3).unwrap());
    assert_eq!(one, other);
    assert_eq!((one.against.len(), one.shares.len()), (2, 6));
    for against in &one.against {
        let names: Vec<&str> = against.lines.iter().map(|line| line.policy.as_str()).collect();
        let wanted =
            ["none", "objective", "validated:honest", "redundancy:3/2", "redundancy:5/3", "adaptive"];
        assert_eq!(names, wanted);
        let [_, jobs] = &against.lines[0].values;
        assert!(jobs.iter().all(|times| (times - 1.0).abs() < 1e-9));
        let [_, jobs] = &against.lines[4].values;
        assert!(jobs.iter().all(|times| *times > 2.0));
        let shares: Vec<f64> = against.lines.iter().flat_map(|line| line.values[0].clone()).collect();
        assert!(shares.len() == 36 && shares.iter().all(|share| (0.0..=1.0).contains(share)));
        let words = against.policies_in_words();
        assert!(words.starts_with("none: one answer") && words.ends_with('.'), "{words}");
        assert_eq!(words.matches("redundancy:").count(), 1, "each kind of policy is explained once: {words}");
    }
}
