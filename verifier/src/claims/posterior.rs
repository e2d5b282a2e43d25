//! How likely a claim is false, and when enough is known of it (docs/claims.md, section 6).
//!
//! ```text
//!   code check failed ──────────────────────────────────────────────► rejected
//!   P(false) = σ( ln π/(1-π)  +  code  +  Σ wᵢ ln C[false,vᵢ]/C[true,vᵢ] )
//!        │
//!        ├─ ≤ τ, with reviews ─► accepted          ├─ ≥ 0.6 ─► rejected
//!        ├─ ≤ τ, without any ──► accepted on its reader's record
//!        └─ between ─► the reviewer with most information per sat, of those that may be asked
//!                      └─ none, or the budget is used up ─► left out, and named
//! ```
//!
//! π is the reader's record, C a reviewer's confusion matrix, w = 1/(1 + (n−1)ρ) for n reviews of one model family: nine
//! judges of like models were worth about two votes (2605.29800). A reviewer of the reader's own family counts as one
//! more of its family, because judges favour similar models (2502.04313).

use super::check::Failure;
use super::record::{Confusion, Verdict};

/// How alike reviews of one family err.
pub const CORRELATION: f64 = 0.44;
/// P(false) from which a claim is rejected.
pub const REJECTED_AT: f64 = 0.6;

/// One verdict on a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Who gave it.
    pub reviewer: String,
    /// The family of its model.
    pub family: String,
    /// What it says.
    pub verdict: Verdict,
    /// What such a verdict is worth from this reviewer.
    pub confusion: Confusion,
}

/// Everything that is known of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// How likely a claim of its reader is false, by the reader's record.
    pub prior: f64,
    /// The reader's model family.
    pub family: String,
    /// What code found; `None` if it found nothing wrong.
    pub failure: Option<Failure>,
    /// The share of false claims that code finds.
    pub code_catches: f64,
    /// The verdicts so far.
    pub reviews: Vec<Review>,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// P(false) up to which a claim is accepted.
    pub accept_at: f64,
    /// Reviews of one claim at most.
    pub most_reviews: usize,
    /// Whether a claim may be accepted on its reader's record alone.
    pub trusts_records: bool,
}

/// Somebody who may be asked for a review.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Who.
    pub reviewer: String,
    /// The family of its model.
    pub family: String,
    /// What its verdicts are worth.
    pub confusion: Confusion,
    /// What one review costs.
    pub price_msats: u64,
    /// Whether it has no record; at most one such reviews a claim.
    pub is_newcomer: bool,
}

/// What is to be done with a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Reviews bear it out.
    Accepted {
        /// How likely it is false all the same.
        p_false: f64,
    },
    /// Nobody reviewed it: its reader's record is good enough.
    AcceptedOnRecord {
        /// How likely it is false.
        p_false: f64,
    },
    /// Code found it wanting.
    FailedCheck(Failure),
    /// Reviews reject it.
    Rejected {
        /// How likely it is false.
        p_false: f64,
    },
    /// Ask this candidate, by its place in the list.
    Ask(usize),
    /// It stays undecided, and the answer names it.
    LeftOut {
        /// Why nobody else is asked.
        reason: LeftOut,
        /// How likely it is false.
        p_false: f64,
    },
}

/// Why an undecided claim is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LeftOut {
    /// As many reviews as the rules allow contradict each other.
    #[error("its reviews contradict each other")]
    Disputed,
    /// The budget does not bear another review.
    #[error("the budget is used up")]
    OutOfBudget,
    /// Nobody else can be asked.
    #[error("there is no other reviewer")]
    NoReviewer,
}

/// How likely a claim that passed the code checks is false.
pub fn p_false(evidence: &Evidence) -> f64 {
    let prior = evidence.prior.clamp(1e-6, 1.0 - 1e-6);
    let mut odds = (prior / (1.0 - prior)).ln() + (1.0 - evidence.code_catches.clamp(0.0, 0.99)).ln();
    for review in &evidence.reviews {
        let of_family = evidence.reviews.iter().filter(|other| other.family == review.family).count();
        let weight = weight(of_family + usize::from(review.family == evidence.family));
        let confusion = &review.confusion;
        // Which of the two rejecting verdicts it is says little of an exchanged value: reject is compared with reject.
        let likelihood = |is_false: bool| {
            let passes = confusion.likelihood(is_false, Verdict::Supported);
            if review.verdict.rejects() { 1.0 - passes } else { passes }
        };
        odds += weight * (likelihood(true) / likelihood(false)).ln();
    }
    1.0 / (1.0 + (-odds).exp())
}

/// What one of `n` reviews of one family counts.
pub fn weight(n: usize) -> f64 {
    1.0 / (1.0 + (n.max(1) as f64 - 1.0) * CORRELATION)
}

/// Decides what to do with a claim. `candidates` are those that may review it: drawn at random by the caller, none of
/// them its reader. `budget_msats` is what may still be spent on it.
pub fn decide(evidence: &Evidence, rules: &Rules, candidates: &[Candidate], budget_msats: u64) -> Decision {
    if let Some(failure) = &evidence.failure {
        return Decision::FailedCheck(failure.clone());
    }
    let p_false = p_false(evidence);
    let is_reviewed = !evidence.reviews.is_empty();
    if p_false <= rules.accept_at && (is_reviewed || rules.trusts_records) {
        return if is_reviewed {
            Decision::Accepted { p_false }
        } else {
            Decision::AcceptedOnRecord { p_false }
        };
    }
    if p_false >= REJECTED_AT && is_reviewed {
        return Decision::Rejected { p_false };
    }
    let left_out = |reason| Decision::LeftOut { reason, p_false };
    if evidence.reviews.len() >= rules.most_reviews {
        return left_out(LeftOut::Disputed);
    }
    let free: Vec<usize> = (0..candidates.len()).filter(|&at| may_review(evidence, candidates, at)).collect();
    if free.is_empty() {
        return left_out(LeftOut::NoReviewer);
    }
    let worth = |at: usize| worth(evidence, &candidates[at]);
    let affordable = free.into_iter().filter(|&at| candidates[at].price_msats <= budget_msats);
    match affordable.max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a))) {
        Some(best) => Decision::Ask(best),
        None => left_out(LeftOut::OutOfBudget),
    }
}

fn may_review(evidence: &Evidence, candidates: &[Candidate], at: usize) -> bool {
    let candidate = &candidates[at];
    let has_reviewed = evidence.reviews.iter().any(|review| review.reviewer == candidate.reviewer);
    let newcomer = |review: &Review| {
        candidates.iter().any(|other| other.reviewer == review.reviewer && other.is_newcomer)
    };
    let is_second_newcomer = candidate.is_newcomer && evidence.reviews.iter().any(newcomer);
    !has_reviewed && !is_second_newcomer
}

/// Expected information per msat, as far as it is independent of what is known.
fn worth(evidence: &Evidence, candidate: &Candidate) -> f64 {
    let of_family = evidence.reviews.iter().filter(|review| review.family == candidate.family).count();
    let n = of_family + 1 + usize::from(candidate.family == evidence.family);
    // What the family's reviews weigh together with the new one, less what they weigh without it.
    let together = |n: usize| if n == 0 { 0.0 } else { n as f64 * weight(n) };
    (together(n) - together(n - 1)) * candidate.confusion.information() / candidate.price_msats.max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: Rules = Rules { accept_at: 0.01, most_reviews: 4, trusts_records: true };

    fn confusion() -> Confusion {
        Confusion::assumed(0.92, 0.83, 1e6)
    }

    fn review(reviewer: &str, family: &str, verdict: Verdict) -> Review {
        Review { reviewer: reviewer.to_owned(), family: family.to_owned(), verdict, confusion: confusion() }
    }

    fn evidence(prior: f64, reviews: Vec<Review>) -> Evidence {
        Evidence { prior, family: "reader's".to_owned(), failure: None, code_catches: 0.0, reviews }
    }

    fn candidate(reviewer: &str, family: &str, price_msats: u64, is_newcomer: bool) -> Candidate {
        Candidate {
            reviewer: reviewer.to_owned(),
            family: family.to_owned(),
            confusion: confusion(),
            price_msats,
            is_newcomer,
        }
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
    fn a_record_is_enough_only_where_the_rules_say_so_and_is_named() {
        assert!(matches!(
            decide(&evidence(0.009, Vec::new()), &RULES, &[], 0),
            Decision::AcceptedOnRecord { .. }
        ));
        let strict = Rules { trusts_records: false, ..RULES };
        assert!(matches!(
            decide(&evidence(0.009, Vec::new()), &strict, &[], 0),
            Decision::LeftOut { reason: LeftOut::NoReviewer, .. }
        ));
        let reviewed = evidence(0.02, vec![review("a", "x", Verdict::Supported)]);
        assert!(
            matches!(decide(&reviewed, &RULES, &[], 0), Decision::Accepted { p_false } if p_false <= 0.01)
        );
    }

    #[test]
    fn what_code_rejects_nobody_is_asked_about() {
        let failed = Evidence { failure: Some(Failure::NoQuote), ..evidence(0.0, Vec::new()) };
        assert_eq!(
            decide(&failed, &RULES, &[candidate("a", "x", 1, false)], 99),
            Decision::FailedCheck(Failure::NoQuote)
        );
    }

    #[test]
    fn a_tie_goes_to_one_more_reviewer_and_then_the_claim_is_left_out() {
        let tie = vec![review("a", "x", Verdict::Supported), review("b", "y", Verdict::NotStated)];
        let others = [candidate("a", "x", 1, false), candidate("c", "z", 1, false)];
        let at =
            |reviews: &[Review], budget| decide(&evidence(0.16, reviews.to_vec()), &RULES, &others, budget);
        assert_eq!(at(&tie, 10), Decision::Ask(1));
        assert!(matches!(at(&tie, 0), Decision::LeftOut { reason: LeftOut::OutOfBudget, .. }));
        let mut rules = RULES;
        rules.most_reviews = 2;
        let left_out = decide(&evidence(0.16, tie), &rules, &others, 10);
        assert!(matches!(left_out, Decision::LeftOut { reason: LeftOut::Disputed, .. }));
    }

    #[test]
    fn the_next_reviewer_is_of_another_family_and_cheap() {
        let seen = vec![review("a", "x", Verdict::Supported)];
        let choose = |candidates: &[Candidate]| decide(&evidence(0.3, seen.clone()), &RULES, candidates, 100);
        assert_eq!(
            choose(&[candidate("b", "x", 10, false), candidate("c", "y", 10, false)]),
            Decision::Ask(1)
        );
        assert_eq!(
            choose(&[candidate("b", "y", 20, false), candidate("c", "y", 10, false)]),
            Decision::Ask(1)
        );
        assert_eq!(
            choose(&[candidate("b", "reader's", 10, false), candidate("c", "y", 10, false)]),
            Decision::Ask(1)
        );
    }

    #[test]
    fn one_newcomer_reviews_a_claim_at_most() {
        let newcomers =
            [candidate("a", "x", 1, true), candidate("b", "y", 1, true), candidate("c", "z", 9, false)];
        let seen = evidence(0.3, vec![review("a", "x", Verdict::Supported)]);
        assert_eq!(decide(&seen, &RULES, &newcomers, 100), Decision::Ask(2));
    }

    proptest! {
        #[test]
        fn support_never_makes_a_claim_less_likely(prior in 0.001_f64..0.9, families in proptest::collection::vec(0_u8..3, 0..6)) {
            let reviews: Vec<Review> = families.iter().enumerate()
                .map(|(at, family)| review(&at.to_string(), &family.to_string(), Verdict::Supported)).collect();
            let with = p_false(&evidence(prior, reviews.clone()));
            prop_assert!(with <= prior + 1e-9);
            for fewer in 0..reviews.len() {
                prop_assert!(with <= p_false(&evidence(prior, reviews[..fewer].to_vec())) + 1e-9);
            }
        }
    }
}
