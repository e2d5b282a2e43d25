//! The posterior: the formula, which way it moves, and when it is enough.

use proptest::prelude::*;

use super::*;

const RULES: Rules =
    Rules { accept_at: 0.01, most_reviews: 4, votes: None, word: Word::OneMore, wants_no_doubt: false };

fn confusion() -> Confusion {
    Confusion::assumed(0.92, 0.83, 1e6)
}

fn review(reviewer: &str, family: &str, verdict: Verdict) -> Review {
    Review {
        reviewer: reviewer.to_owned(),
        family: family.to_owned(),
        verdict,
        confusion: confusion(),
        is_newcomer: false,
        is_trusted: false,
    }
}

fn evidence(prior: f64, reviews: Vec<Review>) -> Evidence {
    Evidence { prior, family: "reader's".to_owned(), code_catches: 0.0, reviews }
}

fn candidate(reviewer: &str, is_newcomer: bool) -> Candidate {
    Candidate { reviewer: reviewer.to_owned(), is_newcomer, is_trusted: false }
}

/// docs/claims.md, section 6.
#[test]
fn nine_equal_models_are_about_two_votes() {
    assert!((9.0 * weight(9) - 2.0).abs() < 0.01);
    assert!(1_000.0 * weight(1_000) < 2.3);
    assert!((weight(1) - 1.0).abs() < f64::EPSILON);
}

/// docs/claims.md, section 6: L = ln π + Σ w ln C.
#[test]
fn the_posterior_is_the_formulas() {
    let one = p_false(&evidence(0.05, vec![review("a", "x", Verdict::Supported)]));
    let by_hand = 0.05 * 0.17 / (0.05 * 0.17 + 0.95 * 0.92);
    assert!((one - by_hand).abs() < 1e-4, "{one} {by_hand}");
    let two = |family: &str| {
        p_false(&evidence(
            0.05,
            vec![review("a", "x", Verdict::Supported), review("b", family, Verdict::Supported)],
        ))
    };
    assert!(two("y") < two("x") && two("x") < one);
    assert!(two("y") < two("reader's"), "judges favour models like their own");
    let code = Evidence { code_catches: 0.5, ..evidence(0.05, Vec::new()) };
    assert!((p_false(&code) - 0.025 / (0.025 + 0.95)).abs() < 1e-4);
}

#[test]
fn either_rejecting_verdict_weighs_the_same() {
    let of = |verdict| p_false(&evidence(0.1, vec![review("a", "x", verdict)]));
    assert!((of(Verdict::Contradicted) - of(Verdict::NotStated)).abs() < 1e-12);
    assert!(of(Verdict::NotStated) > 0.4 && of(Verdict::Supported) < 0.03);
}

#[test]
fn a_record_is_not_enough_without_a_review() {
    assert!(matches!(
        decide(&evidence(0.009, Vec::new()), &RULES, &[]),
        Decision::Undecided { reason: Undecided::NoReviewer, .. }
    ));
    let reviewed = evidence(0.02, vec![review("a", "x", Verdict::Supported)]);
    assert!(matches!(decide(&reviewed, &RULES, &[]), Decision::Accepted { p_false } if p_false <= 0.01));
}

#[test]
fn a_tie_goes_to_one_more_reviewer_and_then_the_claim_is_left_out() {
    let tie = vec![review("a", "x", Verdict::Supported), review("b", "y", Verdict::NotStated)];
    let others = [candidate("a", false), candidate("c", false)];
    assert_eq!(decide(&evidence(0.16, tie.clone()), &RULES, &others), Decision::Ask);
    let nobody_new = decide(&evidence(0.16, tie.clone()), &RULES, &others[..1]);
    assert!(matches!(nobody_new, Decision::Undecided { reason: Undecided::NoReviewer, .. }));
    let mut rules = RULES;
    rules.most_reviews = 2;
    let left_out = decide(&evidence(0.16, tie), &rules, &others);
    assert!(matches!(left_out, Decision::Undecided { reason: Undecided::Disputed, .. }));
}

#[test]
fn a_rejection_of_what_a_record_promises_is_asked_about() {
    let promised =
        |reviews: &[Review]| decide(&evidence(0.0005, reviews.to_vec()), &RULES, &[candidate("c", false)]);
    let against = review("a", "x", Verdict::Contradicted);
    assert!(p_false(&evidence(0.0005, vec![against.clone()])) < RULES.accept_at);
    assert_eq!(promised(std::slice::from_ref(&against)), Decision::Ask);
    let outvoted = [against, review("b", "y", Verdict::Supported), review("d", "w", Verdict::Supported)];
    assert!(matches!(promised(&outvoted), Decision::Accepted { .. }));
}

#[test]
fn one_reviewer_against_a_reader_is_a_tie() {
    let against = [review("a", "x", Verdict::NotStated), review("b", "y", Verdict::Contradicted)];
    let others = [candidate("c", false)];
    let doubted = evidence(0.5, against[..1].to_vec());
    assert!(p_false(&doubted) > REJECTED_AT);
    assert_eq!(decide(&doubted, &RULES, &others), Decision::Ask);
    assert!(matches!(
        decide(&doubted, &RULES, &[]),
        Decision::Undecided { reason: Undecided::NoReviewer, .. }
    ));
    assert!(matches!(decide(&evidence(0.5, against.to_vec()), &RULES, &others), Decision::Rejected { .. }));
}

#[test]
fn nothing_is_rejected_that_no_review_speaks_against() {
    let seen = evidence(0.95, vec![review("a", "x", Verdict::Supported)]);
    assert!(p_false(&seen) > REJECTED_AT);
    assert_eq!(decide(&seen, &RULES, &[candidate("c", false)]), Decision::Ask);
}

#[test]
fn one_newcomer_reviews_a_claim_while_others_can_be_asked() {
    let newcomers = [candidate("a", true), candidate("b", true), candidate("c", false)];
    let by_newcomer = Review { is_newcomer: true, ..review("a", "x", Verdict::Supported) };
    let seen = evidence(0.3, vec![by_newcomer]);
    assert_eq!(may_review(&seen, &newcomers), [2]);
    assert_eq!(may_review(&seen, &newcomers[..2]), [1], "a swarm without any record");
}

#[test]
fn a_reviewer_that_is_wrong_on_purpose_weighs_nothing() {
    let inverted =
        Review { confusion: Confusion::assumed(0.1, 0.1, 1e6), ..review("a", "x", Verdict::Supported) };
    for verdict in Verdict::ALL {
        let with = p_false(&evidence(0.2, vec![Review { verdict, ..inverted.clone() }]));
        assert!((with - 0.2).abs() < 1e-9, "{verdict:?} {with}");
    }
}

fn any_review() -> impl Strategy<Value = Review> {
    (0_u8..3, 0_usize..3, 0.0_f64..1.0, 0.0_f64..1.0).prop_map(|(family, verdict, pass, catch)| Review {
        confusion: Confusion::assumed(pass, catch, 100.0),
        ..review("r", &family.to_string(), Verdict::ALL[verdict])
    })
}

proptest! {
    #[test]
    fn each_verdict_moves_the_posterior_the_right_way_or_not_at_all(
        prior in 0.001_f64..0.999, mut reviews in proptest::collection::vec(any_review(), 0..8), added in any_review(),
    ) {
        let mut claim = evidence(prior, reviews.clone());
        claim.family = "0".to_owned();
        let before = p_false(&claim);
        reviews.push(added.clone());
        let after = p_false(&Evidence { reviews, ..claim.clone() });
        if added.verdict.rejects() {
            prop_assert!(after >= before - 1e-12, "{before} {after}");
        } else {
            prop_assert!(after <= before + 1e-12, "{before} {after}");
        }
    }

    #[test]
    fn equal_models_count_as_about_two_votes_at_most(
        count in 1_usize..200, verdict in 0_usize..3, pass in 0.5_f64..0.99, catch in 0.5_f64..0.99,
    ) {
        let one = Review { confusion: Confusion::assumed(pass, catch, 100.0), ..review("r", "x", Verdict::ALL[verdict]) };
        let logit = |reviews: Vec<Review>| {
            let p = p_false(&evidence(0.5, reviews));
            (p / (1.0 - p)).ln()
        };
        let (single, together) = (logit(vec![one.clone()]), logit(vec![one; count]));
        prop_assert!(together.abs() <= 2.3 * single.abs() + 1e-9, "{single} {together}");
        prop_assert!(together.abs() >= single.abs() - 1e-9);
    }

    #[test]
    fn the_order_of_reviews_does_not_matter(mut reviews in proptest::collection::vec(any_review(), 0..8)) {
        let one = p_false(&evidence(0.2, reviews.clone()));
        reviews.reverse();
        prop_assert!((one - p_false(&evidence(0.2, reviews))).abs() < 1e-9);
    }
}

/// docs/claims.md, section 7: redundancy counts who supports a claim.
#[test]
fn so_many_of_so_many_must_support_a_claim_whatever_their_records() {
    let [yes, no] = [Verdict::Supported, Verdict::Contradicted];
    let after = |(of, agree): (usize, usize), verdicts: &[Verdict]| {
        let rules = Rules { votes: Some(Votes { of, agree }), ..RULES };
        let reviews = verdicts.iter().zip(["a", "b", "c", "d"]);
        let reviews = reviews.map(|(verdict, who)| review(who, who, *verdict)).collect();
        let here = ["a", "b", "c", "d"].map(|who| candidate(who, false));
        match decide(&evidence(0.5, reviews), &rules, &here) {
            Decision::Accepted { .. } => "accepted",
            Decision::Rejected { .. } => "rejected",
            Decision::Ask => "asked",
            Decision::Undecided { .. } => "left out",
            asked @ Decision::AskTrusted => panic!("{asked:?}"),
        }
    };
    for (votes, verdicts, expected) in [
        ((3, 2), vec![], "asked"),
        ((3, 2), vec![yes], "accepted"),
        ((3, 2), vec![no], "asked"),
        ((3, 2), vec![no, yes], "accepted"),
        ((3, 2), vec![no, no], "rejected"),
        ((5, 3), vec![yes], "asked"),
        ((5, 3), vec![yes, yes], "accepted"),
        ((5, 3), vec![no, no, yes], "asked"),
        ((5, 3), vec![no, no, no], "rejected"),
        // A tie that nobody may break, and a reader whom one more may still prove wrong.
        ((2, 2), vec![no], "left out"),
        ((3, 3), vec![no], "asked"),
        ((3, 3), vec![no, yes], "left out"),
        ((3, 3), vec![no, no], "rejected"),
    ] {
        assert_eq!(after(votes, &verdicts), expected, "{votes:?} {verdicts:?}");
    }
}

/// What a claim comes to after these reviews, the last of which is by the one that the user trusts, if `word` says so. `here`:
/// others who may review, and the trusted one.
fn after(rules: &Rules, others: &[Verdict], word: Option<Verdict>, here: (usize, bool)) -> &'static str {
    let names = ["a", "b", "c", "d"];
    let mut reviews: Vec<Review> =
        others.iter().zip(names).map(|(verdict, who)| review(who, who, *verdict)).collect();
    reviews.extend(word.map(|verdict| Review { is_trusted: true, ..review("own", "own", verdict) }));
    let mut candidates: Vec<Candidate> = names[..here.0].iter().map(|who| candidate(who, false)).collect();
    candidates.extend(here.1.then(|| Candidate { is_trusted: true, ..candidate("own", false) }));
    match decide(&evidence(0.05, reviews), rules, &candidates) {
        Decision::Accepted { .. } => "accepted",
        Decision::Rejected { .. } => "rejected",
        Decision::Ask => "ask",
        Decision::AskTrusted => "ask trusted",
        Decision::Undecided { reason: Undecided::Disputed, .. } => "disputed",
        Decision::Undecided { reason: Undecided::NoReviewer, .. } => "nobody",
    }
}

const YES: Verdict = Verdict::Supported;
const NO: Verdict = Verdict::Contradicted;

/// docs/decisions/0100: one more reviewer, and never a requirement.
#[test]
fn a_trusted_reviewer_is_one_more_where_no_other_is_left() {
    let rules = Rules { accept_at: 0.02, most_reviews: 3, ..RULES };
    assert_eq!(after(&rules, &[], None, (1, true)), "ask");
    assert_eq!(after(&rules, &[], None, (0, true)), "ask trusted");
    assert_eq!(after(&rules, &[], Some(YES), (0, true)), "accepted");
    assert_eq!(after(&rules, &[], None, (0, false)), "nobody");
    let votes = Rules { votes: Some(Votes { of: 3, agree: 3 }), ..rules };
    assert_eq!(
        after(&votes, &[YES], None, (1, true)),
        "ask trusted",
        "one other has supported it, and no more are here"
    );
    assert_eq!(after(&votes, &[YES], Some(YES), (1, true)), "accepted");
    assert_eq!(after(&votes, &[YES], Some(NO), (1, true)), "disputed");
}

/// docs/decisions/0100: level `high`.
#[test]
fn nothing_is_accepted_that_a_needed_trusted_reviewer_rejects() {
    let rules = Rules { accept_at: 0.02, most_reviews: 3, word: Word::Needed, ..RULES };
    assert_eq!(after(&rules, &[], None, (1, true)), "ask", "others first");
    assert_eq!(after(&rules, &[YES], None, (2, true)), "ask trusted");
    assert_eq!(after(&rules, &[YES], Some(YES), (2, true)), "accepted");
    assert_eq!(after(&rules, &[YES, YES, YES], Some(NO), (4, true)), "disputed");
    assert_eq!(after(&rules, &[NO, NO], None, (4, true)), "rejected", "which needs no word");
    assert_eq!(
        after(&rules, &[YES], None, (2, false)),
        "accepted",
        "without a model it is the standard level"
    );
}

/// docs/decisions/0100: level `critical`.
#[test]
fn where_no_doubt_is_wanted_two_review_a_claim_and_none_rejects_it() {
    let rules = Rules { accept_at: 0.02, most_reviews: 3, word: Word::Needed, wants_no_doubt: true, ..RULES };
    assert_eq!(after(&rules, &[YES], None, (2, false)), "ask");
    assert_eq!(after(&rules, &[YES, YES], None, (2, false)), "accepted");
    assert_eq!(after(&rules, &[YES], None, (1, false)), "nobody", "one review is not enough");
    assert_eq!(after(&rules, &[YES], None, (1, true)), "ask trusted");
    assert_eq!(after(&rules, &[YES], Some(YES), (1, true)), "accepted");
    assert_eq!(after(&rules, &[NO, YES, YES], None, (4, false)), "disputed");
}

/// docs/decisions/0100: `validated`.
#[test]
fn where_a_trusted_reviewer_decides_alone_nobody_else_is_asked() {
    let rules = Rules { word: Word::Alone, ..RULES };
    assert_eq!(after(&rules, &[], None, (4, true)), "ask trusted");
    assert_eq!(after(&rules, &[], Some(YES), (4, true)), "accepted");
    assert_eq!(after(&rules, &[], Some(NO), (4, true)), "rejected");
    assert_eq!(after(&rules, &[], None, (4, false)), "nobody", "no record is enough");
}
