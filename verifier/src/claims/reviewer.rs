//! What is known of a reviewer: how often it says what of true and of false claims (docs/claims.md, sections 3 and 6).
//!
//! ```text
//!   gold, and claims that others settled ─► confusion counts over the family's prior ─► likelihood of a verdict
//!   gold alone ─► does the verdict depend on the claim at all? ─► rubber stamp; how much gold it is given next
//! ```
//!
//! Dawid and Skene's matrices with a Dirichlet prior by family, because bias belongs to the family.

use serde::{Deserialize, Serialize};

use super::prompt::MOST_REVIEWED;
use super::reader::MEMORY_CLAIMS;

/// What a reviewer says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The quoted lines state it.
    Supported,
    /// They state another value, or the contrary.
    Contradicted,
    /// They do not speak of it.
    NotStated,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Supported, Self::Contradicted, Self::NotStated];

    /// Whether it rejects the claim. Which of the two it is overlaps for an exchanged value: both reject.
    pub fn rejects(self) -> bool {
        self != Self::Supported
    }
}

/// How often which verdict was given to true and to false claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confusion {
    of_true: [f64; 3],
    of_false: [f64; 3],
}

/// What a family's own counts are worth as the prior of one of its providers, in claims.
const FAMILY_WEIGHT: f64 = 8.0;
/// No verdict is impossible.
const LEAST_COUNT: f64 = 0.05;

impl Confusion {
    /// The matrix of a family nobody has measured: it accepts `pass` of true claims and rejects `catch` of false ones.
    pub fn assumed(pass: f64, catch: f64, weight: f64) -> Self {
        let half = |share: f64| share / 2.0;
        Self {
            of_true: [pass, half(1.0 - pass), half(1.0 - pass)].map(|share| share * weight),
            of_false: [1.0 - catch, half(catch), half(catch)].map(|share| share * weight),
        }
    }

    /// The matrix of a reviewer whose family nobody has measured, worth a hundred claims: models of 7 to 8 billion parameters
    /// pass 92 % of true claims and find 83 % of false ones (docs/claims.md, section 3).
    pub fn unmeasured() -> Self {
        Self::assumed(0.92, 0.83, 100.0)
    }

    /// Takes in a verdict on a claim that is false with the probability `p_false`.
    pub fn observe(&mut self, p_false: f64, verdict: Verdict) {
        let p_false = if p_false.is_finite() { p_false.clamp(0.0, 1.0) } else { return };
        self.of_true[verdict as usize] += 1.0 - p_false;
        self.of_false[verdict as usize] += p_false;
        for counts in [&mut self.of_true, &mut self.of_false] {
            let sum: f64 = counts.iter().sum();
            if sum > MEMORY_CLAIMS {
                for count in counts {
                    *count *= MEMORY_CLAIMS / sum;
                }
            }
        }
    }

    /// The matrix of one reviewer: its own counts over its family's as the Dirichlet prior.
    #[must_use]
    pub fn over(&self, family: &Self) -> Self {
        let join = |own: [f64; 3], prior: [f64; 3]| {
            let sum: f64 = prior.iter().sum::<f64>().max(LEAST_COUNT);
            std::array::from_fn(|at| own[at] + prior[at] / sum * FAMILY_WEIGHT)
        };
        Self { of_true: join(self.of_true, family.of_true), of_false: join(self.of_false, family.of_false) }
    }

    /// How likely a verdict is of a false claim, or of a true one.
    pub fn likelihood(&self, is_false: bool, verdict: Verdict) -> f64 {
        let counts = if is_false { self.of_false } else { self.of_true };
        let sum: f64 = counts.iter().map(|count| count + LEAST_COUNT).sum();
        (counts[verdict as usize] + LEAST_COUNT) / sum
    }

    /// What a verdict tells of a true claim on average, in nats: `Σ C[s,v] ln(C[s,v]/C[f,v])`.
    #[cfg(test)]
    pub(crate) fn information(&self) -> f64 {
        Verdict::ALL
            .into_iter()
            .map(|verdict| {
                let of_true = self.likelihood(false, verdict);
                of_true * (of_true / self.likelihood(true, verdict)).ln()
            })
            .sum()
    }

    /// Verdicts taken in.
    pub fn verdicts(&self) -> f64 {
        self.of_true.iter().chain(&self.of_false).sum()
    }
}

/// The share of gold among a newcomer's claims, and later.
const GOLD_FOR_NEWCOMERS: f64 = 0.15;
const GOLD_LATER: f64 = 0.05;
/// Gold claims after which a reviewer is no newcomer.
const PROBATION: f64 = 8.0;
/// Verdicts on gold, all of them the same, that look like habit.
const HABIT: f64 = 3.0;
/// Evidence at which a reviewer's verdicts are taken not to depend on the claims.
const STAMP_AT: f64 = 4.6;

/// Whether a reviewer gives its verdicts without looking: a test of gold alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StampTest {
    evidence: f64,
    passed: f64,
    gold: f64,
    is_stamp: bool,
}

impl StampTest {
    /// Takes in a verdict on a gold claim. `family` is what an honest reviewer of the family does.
    pub fn observe(&mut self, is_false: bool, verdict: Verdict, family: &Confusion) {
        let passes = self.passes();
        let rejects = verdict.rejects();
        let by_habit = if rejects { 1.0 - passes } else { passes };
        let honest_pass = family.likelihood(is_false, Verdict::Supported);
        let honest = if rejects { 1.0 - honest_pass } else { honest_pass };
        self.evidence = (self.evidence + (by_habit / honest.clamp(0.01, 0.99)).ln()).max(-1.0);
        self.gold += 1.0;
        self.passed += f64::from(u8::from(!rejects));
        self.is_stamp |= self.evidence >= STAMP_AT;
    }

    /// What it passes of all gold, false or not, 0 to 1; half before the first.
    fn passes(&self) -> f64 {
        (self.passed + 0.5) / (self.gold + 1.0)
    }

    /// How likely its next gold claim is to be a false one. Whose verdicts on gold have all been the same is shown what habit has
    /// wrong. Only then: else a reviewer could guess the next verdict from its last ones.
    pub fn next_is_false(&self) -> f64 {
        let is_habit = self.gold >= HABIT && (self.passed < 0.5 || self.gold - self.passed < 0.5);
        if is_habit { self.passes() } else { 0.5 }
    }

    /// Whether it is found.
    pub fn is_stamp(&self) -> bool {
        self.is_stamp
    }

    /// Gold claims it was given.
    pub fn gold(&self) -> f64 {
        self.gold
    }

    /// The share of gold among its next claims. Where the last verdicts look like habit, a reviewer is examined like a
    /// newcomer: one that stops looking after years is found nearly as fast as another.
    pub fn gold_share(&self) -> f64 {
        if self.is_examined() { GOLD_FOR_NEWCOMERS } else { GOLD_LATER }
    }

    /// Whether it is a newcomer, or its last verdicts look like habit.
    pub fn is_examined(&self) -> bool {
        self.gold < PROBATION || self.evidence > 0.0
    }

    /// How likely its next review carries a gold claim where a wrong verdict on it costs the pay for that review alone: each
    /// one while it is examined (docs/claims.md, section 3), and later as many as make the share of a full review.
    pub fn gold_in_review(&self) -> f64 {
        if self.is_examined() { 1.0 } else { GOLD_LATER * MOST_REVIEWED as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::draws::Draws;

    #[test]
    fn a_reviewer_without_a_record_is_its_family_and_later_itself() {
        let family = Confusion::assumed(0.92, 0.83, 100.0);
        let mut own = Confusion::default();
        let passes = |own: &Confusion| own.over(&family).likelihood(true, Verdict::Supported);
        assert!((passes(&own) - 0.17).abs() < 0.01);
        (0..40).for_each(|_| own.observe(1.0, Verdict::Supported));
        assert!(passes(&own) > 0.8, "{}", passes(&own));
        assert!(own.over(&family).information() < 0.4 * family.information());
    }

    /// docs/claims.md, section 3: 15 % of 50 reviews are seven gold claims or eight, half of them false.
    #[test]
    fn constant_verdicts_are_found_within_fifty_reviews() {
        for (pass, catch) in [(0.97, 0.95), (0.92, 0.83)] {
            let family = Confusion::assumed(pass, catch, 100.0);
            for verdict in Verdict::ALL {
                let mut test = StampTest::default();
                let reviews = (1..=50).find(|review| {
                    let gold = (review * 3) / 20;
                    if gold > ((review - 1) * 3) / 20 {
                        test.observe(gold % 2 == 1, verdict, &family);
                    }
                    test.is_stamp()
                });
                assert!(reviews.is_some(), "{pass} {verdict:?} {test:?}");
            }
        }
    }

    /// docs/claims.md, section 3.
    #[test]
    fn constant_verdicts_are_found_by_ten_gold_claims_drawn_by_lot() {
        let mut found = Vec::new();
        for (seed, verdict) in (0..300).flat_map(|seed| Verdict::ALL.map(|verdict| (seed, verdict))) {
            let (mut draws, mut test) = (Draws::new(seed, "constant"), StampTest::default());
            while !test.is_stamp() {
                let is_false = draws.chance(test.next_is_false());
                test.observe(is_false, verdict, &Confusion::unmeasured());
            }
            found.push(test.gold());
        }
        found.sort_by(f64::total_cmp);
        assert!(found[found.len() / 2] < 6.5 && found[found.len() - 1] < 10.5, "{found:?}");
    }

    #[test]
    fn who_gave_two_verdicts_cannot_guess_the_next_one() {
        let mut test = StampTest::default();
        for verdict in [Verdict::Supported, Verdict::Supported, Verdict::Supported, Verdict::NotStated] {
            let is_like_before = (test.next_is_false() - 0.5).abs() < 1e-9;
            assert_eq!(is_like_before, test.gold() < 2.5, "{test:?}");
            test.observe(verdict.rejects(), verdict, &Confusion::unmeasured());
        }
        assert!((test.next_is_false() - 0.5).abs() < 1e-9, "{test:?}");
    }

    #[test]
    fn an_honest_reviewer_is_no_rubber_stamp() {
        let family = Confusion::assumed(0.92, 0.83, 100.0);
        let mut test = StampTest::default();
        for at in 0..600_u32 {
            // Every twelfth true claim fails, every sixth false one passes.
            let is_false = at % 2 == 0;
            let errs = if is_false { at % 12 == 0 } else { at % 24 == 1 };
            let verdict = if is_false == errs { Verdict::Supported } else { Verdict::NotStated };
            test.observe(is_false, verdict, &family);
            assert!(!test.is_stamp(), "{at}");
        }
    }

    #[test]
    fn a_reviewer_that_stops_looking_is_given_more_gold_at_once() {
        let family = Confusion::assumed(0.92, 0.83, 100.0);
        let mut test = StampTest::default();
        for at in 0..40 {
            let is_false = at % 2 == 0;
            assert!((test.gold_share() - if at < 8 { 0.15 } else { 0.05 }).abs() < 1e-9, "{at}");
            test.observe(
                is_false,
                if is_false { Verdict::Contradicted } else { Verdict::Supported },
                &family,
            );
        }
        let gold = (1..20).find(|_| {
            test.observe(true, Verdict::Supported, &family);
            test.gold_share() > 0.1
        });
        assert!(gold.is_some_and(|gold| gold <= 2), "{gold:?}");
    }
}
