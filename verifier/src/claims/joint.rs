//! Whom to believe where a few providers contradict each other: all claims of a run are judged together.
//!
//! ```text
//!   how likely each claim is false ──► how likely each provider lies
//!                 ▲                                │
//!                 └────────────────────────────────┘  until nothing moves
//! ```
//!
//! With three providers, one of which calls true claims contradicted, every claim of an honest reader has one reviewer for
//! it and one against it. Claim by claim that is a tie. Over all of them it is plain who stands alone: the one that contradicts
//! both others lies, or both others do, and each by itself.
//!
//! The model is Dawid and Skene's with two kinds of people. An honest one errs at the rates that claims.md, section 1,
//! gives; what a liar states, and what it says of others' claims, is false as often as true. It is solved by mean field: a
//! fixed number of rounds, the same result on every machine. It cannot tell two who lie for each other from two who are
//! honest, so its caller asks it only about claims whose reviews contradict each other.

/// Share of false claims of an honest reader and of a liar.
const FALSE_OF_HONEST: f64 = 0.05;
const FALSE_OF_LIAR: f64 = 0.5;
/// What an honest reviewer passes of true claims and finds of false ones.
const PASSES: f64 = 0.92;
const CATCHES: f64 = 0.83;
/// The share of false claims that code finds before anybody reviews them.
const CODE_CATCHES: f64 = 0.13;
const ROUNDS: usize = 20;

/// A claim that somebody reviewed. People are numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Who stated it.
    pub reader: usize,
    /// Who reviewed it, and whether that one rejects it.
    pub reviews: Vec<(usize, bool)>,
}

impl Case {
    /// Whether its reviews contradict each other.
    pub fn is_contested(&self) -> bool {
        let rejections = self.reviews.iter().filter(|(_, rejects)| *rejects).count();
        rejections > 0 && rejections < self.reviews.len()
    }
}

/// What all cases together say.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// How likely each claim is false.
    pub p_false: Vec<f64>,
    /// How likely each of the people lies.
    pub lies: Vec<f64>,
}

/// Judges all cases together. `lies` is how likely each of the people lies by what was known before; who is in a case and
/// not among them is left out of account.
pub fn judge(cases: &[Case], lies: &[f64]) -> Judged {
    let before: Vec<f64> = lies.iter().map(|lies| lies.clamp(1e-6, 1.0 - 1e-6)).collect();
    let mut lies = before.clone();
    let mut p_false = Vec::new();
    for _ in 0..ROUNDS {
        p_false = cases.iter().map(|case| self::p_false(case, &lies)).collect();
        let mut evidence: Vec<f64> = before.iter().map(|lies| log_odds(*lies)).collect();
        for (p_false, case) in p_false.iter().zip(cases) {
            if let Some(reader) = evidence.get_mut(case.reader) {
                *reader += p_false * (FALSE_OF_LIAR / FALSE_OF_HONEST).ln()
                    + (1.0 - p_false) * ((1.0 - FALSE_OF_LIAR) / (1.0 - FALSE_OF_HONEST)).ln();
            }
            for &(who, rejects) in &case.reviews {
                if let Some(reviewer) = evidence.get_mut(who) {
                    let by_honest = |is_false: bool| likelihood(rejects, is_false);
                    *reviewer += p_false * (0.5 / by_honest(true)).ln()
                        + (1.0 - p_false) * (0.5 / by_honest(false)).ln();
                }
            }
        }
        lies = evidence.into_iter().map(logistic).collect();
    }
    Judged { p_false, lies }
}

/// How likely a claim is false where it is known how likely each of the people lies.
pub fn p_false(case: &Case, lies: &[f64]) -> f64 {
    let honest = |person: usize| lies.get(person).map_or(0.0, |lies| 1.0 - lies);
    let stated = honest(case.reader) * log_odds(FALSE_OF_HONEST);
    let said: f64 = case.reviews.iter().map(|&(who, rejects)| honest(who) * says(rejects)).sum();
    logistic(stated + (1.0 - CODE_CATCHES).ln() + said)
}

/// How likely an honest reviewer says so.
fn likelihood(rejects: bool, is_false: bool) -> f64 {
    let rejecting = if is_false { CATCHES } else { 1.0 - PASSES };
    if rejects { rejecting } else { 1.0 - rejecting }
}

/// What an honest reviewer's verdict says against a claim, in nats.
fn says(rejects: bool) -> f64 {
    (likelihood(rejects, true) / likelihood(rejects, false)).ln()
}

fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

fn logistic(nats: f64) -> f64 {
    1.0 / (1.0 + (-nats).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Readers 0 and 1 are honest and review each other; 2 reviews both, and rejects every other claim of theirs.
    fn one_liar_of_three(claims: usize) -> Vec<Case> {
        let case = |at: usize| {
            let (reader, other) = if at.is_multiple_of(2) { (0, 1) } else { (1, 0) };
            Case { reader, reviews: vec![(other, false), (2, (at / 2).is_multiple_of(2))] }
        };
        (0..claims).map(case).collect()
    }

    #[test]
    fn who_contradicts_both_others_is_found_and_outvoted() {
        let cases = one_liar_of_three(12);
        assert!(cases.iter().filter(|case| case.is_contested()).count() == 6);
        let judged = judge(&cases, &[0.3; 3]);
        assert!(judged.lies[2] > 0.95 && judged.lies[0] < 0.05 && judged.lies[1] < 0.05, "{judged:?}");
        assert!(judged.p_false.iter().all(|p_false| *p_false < 0.05), "{judged:?}");
    }

    #[test]
    fn a_liars_own_claims_are_not_saved_by_another_ones_support() {
        let mut cases = one_liar_of_three(12);
        // It reads, too: half of its claims both others reject.
        cases.extend((0..6).map(|at| Case { reader: 2, reviews: vec![(0, at % 2 == 0), (1, at % 2 == 0)] }));
        let judged = judge(&cases, &[0.3; 3]);
        assert!(judged.lies[2] > 0.99, "{judged:?}");
        for (p_false, case) in judged.p_false.iter().zip(&cases).skip(12) {
            let is_rejected = case.reviews.iter().all(|(_, rejects)| *rejects);
            assert_eq!(*p_false > 0.5, is_rejected, "{judged:?}");
        }
    }

    #[test]
    fn a_single_tie_between_strangers_proves_nobody_a_liar() {
        let tie = Case { reader: 0, reviews: vec![(1, false), (2, true)] };
        let judged = judge(std::slice::from_ref(&tie), &[0.3; 3]);
        assert!(judged.lies.iter().all(|lies| *lies < 0.95), "{judged:?}");
    }

    proptest! {
        #[test]
        fn everything_it_says_is_a_probability_and_the_order_of_cases_is_nothing(
            drawn in proptest::collection::vec((0_usize..5, proptest::collection::vec((0_usize..6, any::<bool>()), 0..4)), 0..40),
        ) {
            let cases: Vec<Case> = drawn.into_iter().map(|(reader, reviews)| Case { reader, reviews }).collect();
            let judged = judge(&cases, &[0.3; 5]);
            for share in judged.p_false.iter().chain(&judged.lies) {
                prop_assert!((0.0..=1.0).contains(share));
            }
            let back: Vec<Case> = cases.iter().rev().cloned().collect();
            let again = judge(&back, &[0.3; 5]);
            for (one, other) in judged.lies.iter().zip(&again.lies) {
                prop_assert!((one - other).abs() < 1e-6);
            }
        }
    }
}
