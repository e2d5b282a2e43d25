//! Evidence in, fidelity out.

use super::*;

fn class() -> TaskClass {
    TaskClass::new("extraction", "general", 1)
}

fn swarm(count: usize) -> (Reputation, Vec<Member>) {
    let mut reputation = Reputation::new();
    let members = (0..count)
        .map(|at| {
            let traits = ProviderTraits { weights_hash: Some(format!("w{}", at % 2)), operator: None };
            reputation.enrol(&format!("p{at}"), traits)
        })
        .collect();
    (reputation, members)
}

fn comparison(groups: &[&[usize]], accepted: usize) -> Evidence {
    Evidence::Comparison {
        class: class(),
        groups: groups.iter().map(|group| group.iter().map(|at| format!("p{at}")).collect()).collect(),
        accepted: Some(accepted),
        certainty: 0.99,
        audited: false,
    }
}

fn lie(at: usize) -> Evidence {
    Evidence::ProvenLie { provider: format!("p{at}") }
}

#[test]
fn agreement_earns_trust_and_a_proven_lie_ends_it_for_good() {
    let (mut reputation, members) = swarm(3);
    assert!(reputation.is_newcomer(members[0]));
    let unknown = reputation.fidelity(members[2], &class());
    for _ in 0..12 {
        reputation.observe(&comparison(&[&[0, 1]], 0));
    }
    assert!(reputation.fidelity(members[0], &class()) > 0.99);
    assert_eq!(reputation.observe(&lie(0)).out, [members[0]]);
    assert!(reputation.observe(&lie(0)).out.is_empty(), "it was out already");
    assert!(reputation.fidelity(members[0], &class()) < unknown, "a failed identity ranks below an unknown");
    reputation.decay(3_650.0);
    assert!(reputation.is_out(members[0]));
}

#[test]
fn fitness_follows_the_verdicts_and_says_nothing_about_whom_to_believe() {
    use crate::fitness::{AnswerVerdict, ReasoningQuality, evaluation};
    let (mut reputation, members) = swarm(2);
    let before = reputation.fidelity(members[0], &class());
    let right = evaluation(AnswerVerdict::Correct, ReasoningQuality::Good, 1.0, None);
    let scored = Evidence::Scored { provider: "p0".to_owned(), evaluation: right };
    assert_eq!(reputation.observe(&scored), Changes::default());
    let score = reputation.score(members[0]);
    assert!((score.fitness - 0.56).abs() < 1e-9, "0.045 + 0.01 + 0.005: {score:?}");
    assert!(reputation.is_newcomer(members[0]));
    assert!((reputation.fidelity(members[0], &class()) - before).abs() < 1e-12);
    let mut other = Reputation::new();
    other.import(reputation.export()).unwrap();
    assert_eq!(other.score(other.member("p0").unwrap()), score);
    let text = serde_json::to_string(&reputation.export()).unwrap();
    assert_eq!(text.matches("\"score\"").count(), 1, "who has none takes no room: {text}");
}

/// Weights that somebody measured.
fn measured() -> String {
    Calibrations::shipped().calibrations.remove(0).weights_hash
}

fn audited(at: usize, weights_hash: &str, score_nats: f64) -> Evidence {
    Evidence::Audited { provider: format!("p{at}"), weights_hash: weights_hash.to_owned(), score_nats }
}

#[test]
fn an_answer_by_other_weights_is_a_proven_lie_and_right_ones_no_record() {
    let (mut reputation, members) = swarm(2);
    let before = reputation.fidelity(members[1], &class());
    for _ in 0..50 {
        assert_eq!(reputation.observe(&audited(1, &measured(), 0.000_04)), Changes::default());
    }
    assert!(reputation.is_newcomer(members[1]));
    assert!((reputation.fidelity(members[1], &class()) - before).abs() < 1e-12);
    assert_eq!(reputation.observe(&audited(0, &measured(), 0.05)).out, [members[0]]);
    assert!(reputation.observe(&audited(0, &measured(), 0.05)).out.is_empty(), "it was out already");
    assert!(reputation.has_lied(members[0]) && !reputation.has_lied(members[1]));
}

#[test]
fn a_provider_that_hides_audits_is_excluded_but_not_recorded_as_lying() {
    let (mut reputation, members) = swarm(2);
    let nothing = Evidence::NothingToRead { class: class(), provider: "p0".to_owned() };
    let mut rounds = 0..;
    let out_after = rounds.find(|_| {
        (0..9).for_each(|_| drop(reputation.observe(&comparison(&[&[0, 1]], 0))));
        let out = reputation.observe(&nothing).out;
        let [hides, shows] = [0, 1].map(|at| reputation.fidelity(members[at], &class()));
        assert!(hides < shows, "{hides} {shows}");
        !out.is_empty()
    });
    assert_eq!(out_after, Some(5));
    assert!(reputation.observe(&nothing).out.is_empty(), "it was out already");
    assert!(reputation.is_out(members[0]) && !reputation.has_lied(members[0]));
    assert!(
        reputation.relearn().is_empty(),
        "its answers were right all the time, and that is not the point"
    );
    let mut again = Reputation::new();
    again.import(reputation.export()).unwrap();
    assert!(again.is_out(again.member("p0").unwrap()) && !again.is_out(again.member("p1").unwrap()));
    reputation.decay(3_650.0);
    assert!(!reputation.is_out(members[0]));
}

#[test]
fn weights_that_nobody_measured_accuse_nobody() {
    let (mut reputation, members) = swarm(1);
    (0..30).for_each(|_| assert_eq!(reputation.observe(&audited(0, "unknown", 5.0)), Changes::default()));
    assert!(!reputation.is_out(members[0]));
}

#[test]
fn who_lost_the_test_begins_again_after_a_long_time() {
    let (mut reputation, members) = swarm(3);
    for _ in 0..6 {
        reputation.observe(&comparison(&[&[0, 1], &[2]], 0));
    }
    assert!(reputation.is_out(members[2]));
    reputation.decay(10.0);
    assert!(reputation.is_out(members[2]));
    reputation.decay(365.0);
    assert!(!reputation.is_out(members[2]) && reputation.is_newcomer(members[2]));
}

#[test]
fn where_identities_keep_failing_the_next_one_starts_lower() {
    let (mut reputation, members) = swarm(9);
    let before = reputation.fidelity(members[8], &class());
    (0..8).for_each(|at| drop(reputation.observe(&lie(at))));
    assert!(reputation.fidelity(members[8], &class()) < before);
}

#[test]
fn timeouts_are_counted_and_are_no_lie() {
    let (mut reputation, members) = swarm(1);
    let before = reputation.fidelity(members[0], &class());
    for _ in 0..100 {
        reputation.observe(&Evidence::Timeout { provider: "p0".to_owned() });
    }
    assert!((reputation.fidelity(members[0], &class()) - before).abs() < 1e-12);
    assert_eq!(reputation.export().providers[0].timeouts, 100);
}

#[test]
fn a_provider_that_a_clique_outvoted_is_taken_back() {
    let (mut reputation, members) = swarm(8);
    // Early on the clique (1, 2) wins against one honest provider …
    for _ in 0..4 {
        reputation.observe(&comparison(&[&[0], &[1, 2]], 1));
    }
    assert!(reputation.is_out(members[0]));
    // … then everybody else contradicts the clique, and agrees with the honest one.
    for _ in 0..12 {
        reputation.observe(&comparison(&[&[0, 3, 4, 5], &[1, 2]], 0));
    }
    assert!(reputation.relearn().contains(&members[0]));
    assert!(!reputation.is_out(members[0]) && reputation.is_out(members[1]));
}

#[test]
fn a_model_that_errs_more_often_is_judged_by_its_own_rate() {
    // Even places run w0, which is right always; odd places run w1, which errs in one of ten.
    let (mut reputation, members) = swarm(10);
    for round in 0..120_usize {
        let odd = (round * 2 + 1) % 10;
        let wrong = (round / 5) % 10 == 4;
        let even: Vec<usize> = vec![round * 2 % 10, (round * 2 + 2) % 10];
        if wrong {
            reputation.observe(&comparison(&[&even, &[odd]], 0));
        } else {
            reputation.observe(&comparison(&[&[even[0], even[1], odd]], 0));
        }
    }
    reputation.relearn();
    assert!(reputation.error_rate(members[1]) > 0.05, "{}", reputation.error_rate(members[1]));
    assert!(reputation.error_rate(members[0]) < 0.02);
    assert!(members.iter().all(|member| !reputation.is_out(*member)));
}

#[test]
fn what_is_exported_is_the_same_after_import() {
    let (mut reputation, _) = swarm(4);
    reputation.observe(&comparison(&[&[0, 1], &[2, 3]], 0));
    reputation.observe(&lie(2));
    let export = reputation.export();
    assert_eq!(export.pairs.len(), 1);
    let text = serde_json::to_string(&export).unwrap();
    let mut other = Reputation::new();
    other.import(serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(other.export(), export);
    let again = other.enrol("p2", ProviderTraits::default());
    assert!(other.is_out(again));
    let newer = ReputationExport { version: 2, ..ReputationExport::default() };
    assert!(other.import(newer).unwrap_err().to_string().contains("form 2"));
}
